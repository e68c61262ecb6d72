"""Assigns pages to people: k people per page, no page twice to one person, fewest answers first.

Pages with known answers measure how reliable a person is, first in training with feedback, then hidden among others."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from subitize.annotation.pages import Page
from subitize.annotation.plan import Purpose
from subitize.errors import BadValueError
from subitize.records import Known, Scalar
from subitize.store import Run

_EVERY = 10
WithoutNul = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A text that every database can hold."""


class Assignment(NamedTuple):
    """A page to show, why, and for reviews the ID of the person who answered."""

    page_index: int
    purpose: Purpose = "answer"
    author: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """A person's answer to a question, as typed or chosen, or the reason for skipping it; bounds are for browsers.

    Resent under the same key, it is stored once.
    """

    key: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{8,64}$")]
    text: Annotated[WithoutNul, Field(max_length=40_000)]
    is_skipped: bool = False
    is_unsure: bool = False
    is_flagged: bool = False
    comment: Annotated[WithoutNul, Field(max_length=2000)] = ""
    seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 0.0

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(slots=True)
class AssignmentQueue:
    """Pages by their indices, with the people who finished them and the current leases."""

    pages: int
    people_per_page: int
    lease_seconds: float
    seed: int
    pages_per_person: int
    for_everybody: frozenset[int] = frozenset()
    """Pages that everybody is shown, every tenth time."""
    _finished: dict[str, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    _leases: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _counts: np.ndarray[tuple[int], np.dtype[np.int32]] = field(init=False)
    _answers: Counter[int] = field(default_factory=Counter)
    _given: int = 0
    held: Set[int] = frozenset()
    """Pages that are not shown to anybody."""

    def __post_init__(self) -> None:
        self._counts = np.zeros(self.pages, dtype=np.int32)

    def finish(self, person: str, page: int) -> None:
        """Record that a person has answered or skipped all of a page; idempotent."""
        if page in self._finished[person]:
            return
        self._finished[person][page] = None
        self._given += page not in self.held and self._answers[page] < self.people_per_page
        self._answers[page] += 1
        if self._leases[person].pop(page, None) is None:
            self._counts[page] += 1  # a lease counts as an answer to come

    def finished(self, person: str) -> Sequence[int]:
        """List the pages that a person has finished, the earliest first."""
        return list(self._finished[person])

    def take(self, person: str, most: int, now: float) -> list[int]:
        """Lease up to `most` pages to a person, current leases first."""
        self._expire(now)
        own = self._leases[person]
        most = min(most, self.pages_per_person - len(self._finished[person]))
        while len(own) < most and (page := self._choose(person)) is not None:
            own[page] = 0.0
            self._counts[page] += 1
        for page in own:
            own[page] = now + self.lease_seconds
        return list(own)[: max(most, 0)]

    def release(self, person: str) -> None:
        """End a person's leases."""
        for page in self._leases.pop(person, {}):
            self._counts[page] -= 1

    def drop(self, person: str) -> None:
        """Forget a person's answers and leases: others are shown these pages."""
        self.release(person)
        for page in self._finished.pop(person, {}):
            self._answers[page] -= 1
            self._counts[page] -= 1
            self._given -= page not in self.held and self._answers[page] < self.people_per_page

    def hold(self, pages: Set[int]) -> None:
        """Withhold exactly these pages, and end their leases."""
        for page in pages - self.held:
            self._given -= min(self._answers[page], self.people_per_page)
            for own in self._leases.values():
                self._counts[page] -= own.pop(page, None) is not None
        self._given += sum(min(self._answers[page], self.people_per_page) for page in self.held - pages)
        self.held = pages

    def left_for(self, person: str) -> int:
        """Count the pages that a person may still be shown, including current leases."""
        is_possible = int(self._is_open(person).sum()) + len(self._leases[person])
        return max(0, min(is_possible, self.pages_per_person - len(self._finished[person])))

    def answers_wanted(self) -> int:
        """Count the finished pages that the study needs in total."""
        return (self.pages - len(self.held)) * self.people_per_page

    def answers_given(self) -> int:
        """Count the finished pages; surplus answers to a page do not count."""
        return self._given

    def _expire(self, now: float) -> None:
        for own in self._leases.values():
            for page in [page for page, until in own.items() if until <= now]:
                del own[page]
                self._counts[page] -= 1

    def _is_open(self, person: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        is_open = self._counts < self.people_per_page
        is_open[list(self.for_everybody)] = True
        is_open[list(self._finished[person])] = False
        is_open[list(self._leases[person])] = False
        is_open[list(self.held)] = False
        return is_open

    def _candidates(self, person: str, *, is_turn_of_everybodys: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """List the pages that may come next: in turn those for everybody or the others, if any are left."""
        is_open = self._is_open(person)
        is_everybodys = np.zeros(self.pages, dtype=np.bool_)
        is_everybodys[list(self.for_everybody)] = True
        wanted = is_open & (is_everybodys == is_turn_of_everybodys)
        return np.flatnonzero(wanted if wanted.any() else is_open)

    def _choose(self, person: str) -> int | None:
        """Pick at random, seeded per person, among the pages with the fewest answers."""
        drawn = len(self._finished[person]) + len(self._leases[person])
        candidates = self._candidates(person, is_turn_of_everybodys=drawn % _EVERY == _EVERY // 2)
        if candidates.size == 0:
            return None
        counts = self._counts[candidates]
        fewest = candidates[counts == counts.min()]
        random = np.random.default_rng([self.seed, *person.encode(), drawn])
        return int(random.choice(fewest))


CHANCES = 2
"""Attempts allowed at the training."""
Outcome = Literal["passed", "training", "failed"]


@dataclass(frozen=True, slots=True)
class Gold:
    """Known right answers by subject and question, the training pages, and the pages hidden among others."""

    answers: Mapping[tuple[str, str], Scalar]
    training: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()

    def expects(self, page: Page, number: int) -> Scalar | None:
        """Return the right answer to a question, if known."""
        return self.answers.get((page.subject.id, page.asks[number].question.id))


def read_gold(run: Run, judge: str | None, pages: Sequence[Page], training: int) -> Gold:
    """Use a judge's readings as right answers; a page is gold if all its questions have one."""
    if judge is None:
        if training:
            raise BadValueError(f"`training` {training}: needs right answers; say whose they are by `gold`")
        return Gold({})
    answers = {
        (one.reading.subject.id, one.reading.question.id): one.reading.value.value
        for one in run.readings(judge)
        if isinstance(one.reading.value, Known)
    }
    gold = Gold(answers)
    known = [
        page_index
        for page_index, page in enumerate(pages)
        if all(gold.expects(page, number) is not None for number in range(len(page.asks)))
    ]
    if len(known) < max(training, 1):
        raise BadValueError(
            f"`gold` {judge}: right answers are known for {len(known)} of this study's pages, "
            f"and {max(training, 1)} needed; "
            f"bring them in with: subitize import readings CSV --run RUN --judge {judge}"
        )
    return Gold(answers, tuple(known[:training]), tuple(known[training:]))


class Training:
    """People's rounds through the training pages: a page counts once in a round, and only when it is due."""

    def __init__(self, pages: Sequence[int], pass_mark: float) -> None:
        self._pages, self._pass_mark = pages, pass_mark
        self._shown = list(pages)
        self._rounds: dict[int, list[dict[int, bool]]] = defaultdict(lambda: [{}])
        self.decided: dict[int, Outcome] = {}
        """How it ended for whom; this is final."""

    def hold(self, pages: Set[int]) -> None:
        """Withhold exactly these pages."""
        self._shown = [page for page in self._pages if page not in pages]

    def due(self, person: int) -> int | None:
        """Return the page that comes next; None if the training is over, or no page of it is shown."""
        if self.outcome(person) != "training":
            return None
        current = self._rounds[person][-1]
        begun = () if self._is_complete(current) else current
        return next((page for page in self._shown if page not in begun), None)

    def note(self, person: int, page: int, *, is_right: bool) -> None:
        """Record the result of a page; a page that comes again begins the next round."""
        rounds = self._rounds[person]
        if page in rounds[-1]:
            rounds.append({})
        rounds[-1][page] = is_right

    def outcome(self, person: int) -> Outcome:
        """Return whether a person has passed, by the pages shown now unless it is decided."""
        if not self._pages:
            return "passed"
        done = [one for one in self._rounds[person] if self._is_complete(one)]
        now: Outcome = "failed" if len(done) >= CHANCES else "training"
        is_passed = any(sum(one.values()) >= self._pass_mark * len(one) for one in done[:CHANCES])
        return self.decided.get(person) or ("passed" if is_passed else now)

    def undecided(self) -> Iterator[tuple[int, Outcome]]:
        """Yield the people whose training has ended without being decided, and how."""
        for person in list(self._rounds):
            if person not in self.decided and (outcome := self.outcome(person)) != "training":
                yield person, outcome

    def _is_complete(self, done: Mapping[int, bool]) -> bool:
        return bool(done) and done.keys() >= set(self._shown)
