"""The data that a paper's authors released, as a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from subitize.store import Run


class Importable(Protocol):
    """A release that was read and found whole, before there is a run."""

    @property
    def warnings(self) -> Sequence[str]:
        """What to know of the files, and whose they are."""

    def store(self, run: Run) -> object:
        """Add it to a run, all or nothing; what comes back says what was added."""


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """What an import added, and what was there already."""

    responses: int
    readings: int
    already_there: int

    def __str__(self) -> str:
        known = f", {self.already_there} readings were there already" if self.already_there else ""
        return f"{self.responses} images and {self.readings} readings added{known}"
