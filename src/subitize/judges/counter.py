"""Counts by a command of the user's: what it writes is the evidence."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

from subitize.interfaces import Exhibit, Finding, Handling, Proof
from subitize.networks.counters import Counter
from subitize.records import Count, Drawn, Outcome, Question, Stored, Words


class CounterJudge:
    """Count by a command that reads paths of pictures and writes a number for each; {noun} in it names the things."""

    rule = "strict"
    is_stand_in = False
    asks_together = False

    def __init__(
        self,
        command: str,
        /,
        *,
        batch_size: Annotated[int, Handling] = 32,
        timeout_seconds: Annotated[float, Handling] = 60.0,
    ) -> None:
        self._counter, self.batch_size = Counter(command, batch_size, timeout_seconds), batch_size

    def prove(self) -> Proof:
        """Say that it is taken as it is."""
        return Proof(False, "cannot be tested: what its command can count is not known")

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a count of things wherever they are."""
        match outcomes, question:
            case [Drawn(picture=Stored())], Count(colour=None, place=None):
                return True
        return False

    def compute_all(self, exhibits: Sequence[Exhibit], /) -> list[tuple[Finding, ...]]:
        """Have the pictures counted, all of one noun together."""
        alike: dict[str, list[int]] = defaultdict(list)
        for index, exhibit in enumerate(exhibits):
            alike[_noun(exhibit)].append(index)
        findings: dict[int, tuple[Finding, ...]] = {}
        for noun, indices in alike.items():
            numbers = self._counter.count([_load(exhibits[index]) for index in indices], noun)
            findings |= {index: (Finding(Words(number)),) for index, number in zip(indices, numbers, strict=True)}
        return [findings[index] for index in range(len(exhibits))]


def _noun(exhibit: Exhibit) -> str:
    match exhibit.inquiries:
        case [inquiry] if isinstance(inquiry.question, Count):
            return inquiry.question.noun
    raise TypeError("a counter is asked for one count at a time")


def _load(exhibit: Exhibit) -> bytes:
    match exhibit.outcomes:
        case [Drawn(picture=picture)]:
            return exhibit.load(picture)
    raise TypeError("a counter looks at one picture at a time")
