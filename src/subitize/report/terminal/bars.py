"""Progress on stderr, for people at a terminal; it needs nothing of what a run's figures do."""

import sys
import time
from typing import TYPE_CHECKING, Self

from subitize.report.terminal.layout import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

_LINE_EVERY_SECONDS = 30.0


class Bar:
    """Shows items/s, errors and time left on stderr: a live bar at a terminal, else a line now and then."""

    def __init__(self) -> None:
        self._bars = _make_bars() if sys.stderr.isatty() else None
        self._done = self._total = self._failed = 0
        self._what = ""
        self._started = self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def begin(self, what: str, total: int) -> None:
        """Start a bar."""
        self._what, self._total, self._done, self._failed = printable(what), total, 0, 0
        self._started = self._last_line = time.monotonic()
        if self._bars is not None:
            self._task = self._bars.add_task(self._what, total=total, rate="", errors="")

    def advance(self, *, has_failed: bool) -> None:
        """Move the bar by one."""
        self._done += 1
        self._failed += has_failed
        now = time.monotonic()
        rate = self._done / max(now - self._started, 1e-9)
        if self._bars is not None:
            errors = f"[red]{self._failed} errors" if self._failed else ""
            self._bars.update(self._task, advance=1, rate=f"{rate:.1f}/s", errors=errors)
        elif now - self._last_line >= _LINE_EVERY_SECONDS:
            self._last_line = now
            left = (self._total - self._done) / rate
            print(
                f"{self._what}: {self._done}/{self._total}, {rate:.1f}/s, {self._failed} errors, {left:.0f} s left",
                file=sys.stderr,
            )


def _make_bars() -> "Bars":
    # Where nobody watches, a small run does without: it takes as long to import as two pictures to draw.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[errors]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
