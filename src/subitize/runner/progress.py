"""The runner's progress events; upper layers display them."""

from typing import Protocol


class Progress(Protocol):
    """Is told how far the work is."""

    def begin(self, what: str, total: int) -> None:
        """Start on `total` pieces of work."""
        ...

    def advance(self, *, has_failed: bool) -> None:
        """Count one piece as stored."""
        ...


class Silent:
    """Shows nothing."""

    def begin(self, what: str, total: int) -> None:
        """Show nothing."""

    def advance(self, *, has_failed: bool) -> None:
        """Show nothing."""
