"""The data that a paper's authors released, as a run."""

from collections.abc import Sequence
from typing import Protocol

from subitize.store import Run


class Importable(Protocol):
    """A release that was read and found whole, before there is a run."""

    @property
    def warnings(self) -> Sequence[str]:
        """What to know of the files, and whose they are."""
        ...

    def store(self, run: Run) -> object:
        """Add it to a run, all or nothing; what comes back says what was added."""
        ...
