"""The data that a paper's authors released, as a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from subitize.language.numbers import count_noun
from subitize.store import Run


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """What an import added, and what was there already."""

    responses: int
    readings: int
    already_there: int

    def __str__(self) -> str:
        known = f", {count_noun(self.already_there, 'reading')} there already" if self.already_there else ""
        return f"{count_noun(self.responses, 'image')} and {count_noun(self.readings, 'reading')} added{known}"


@dataclass(frozen=True, slots=True)
class Importable:
    """A release that was read and found whole, before there is a run: what to know of the files, and whose they are.

    `store` adds it to a run, all or nothing.
    """

    warnings: Sequence[str]
    store: Callable[[Run], ReleaseSummary]
