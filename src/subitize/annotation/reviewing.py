"""Second opinions: reviews of a random share of answers, and adjudication of disagreements."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.pages import Page
from subitize.annotation.people import People, Person
from subitize.annotation.plan import SEED, Purpose, StudyPlan
from subitize.annotation.sampling import seeded_uniform
from subitize.records import Scalar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer shown to a reviewer or adjudicator: one person's text, its value, and how many people gave it."""

    text: str
    value: str
    people: int


class Tally(NamedTuple):
    """Numbers of finished and remaining tasks."""

    done: int
    left: int


class _Review(NamedTuple):
    """A reviewer's verdict on the answer with this key."""

    reviewer: int
    given: AnswerRecord
    answer_key: str


def _locked(kind: type[T]) -> type[T]:
    """Hold the lock while a public method runs."""

    def lock(method: Callable[..., object]) -> Callable[..., object]:
        @wraps(method)
        def locked(self: "Reviews", /, *given: object, **named: object) -> object:
            with self.lock:
                return method(self, *given, **named)

        return locked

    for name, method in list(vars(kind).items()):
        if name[0] != "_":
            setattr(kind, name, lock(method))
    return kind


@_locked
class Reviews:
    """The finished and waiting reviews and adjudications of a study; thread-safe.

    `find_answer` returns a person's current answer to a question of a page, `read` the value of an answer's text.
    """

    def __init__(
        self,
        plan: StudyPlan,
        pages: Sequence[Page],
        people: People,
        find_answer: Callable[[int, int, int], AnswerRecord | None],
        read: Callable[[Page, int, str], Scalar | None],
    ) -> None:
        self._plan, self.lock = plan, threading.RLock()
        self._pages, self._people, self._find_answer, self._read = pages, people, find_answer, read
        self._queue, self._held = _Queue(plan.lease_seconds), frozenset[int]()
        self._authors: dict[int, dict[int, None]] = defaultdict(dict)
        self._reviewed: dict[tuple[Assignment, int], _Review] = {}
        self._adjudicated: dict[tuple[Assignment, int], tuple[int, AnswerRecord]] = {}
        self._finished: dict[int, dict[Assignment, None]] = defaultdict(dict)

    def add_author(self, author: int, page_index: int) -> None:
        """Record that a person has answered all of a page, or changed an answer there."""
        self._authors[page_index][author] = None

    def note(self, person: Person, task: Assignment, number: int, given: AnswerRecord, answer_key: str) -> None:
        """Record a reviewer's or adjudicator's answer."""
        if task.purpose == "review":
            self._reviewed[task, number] = _Review(person.id, given, answer_key)
        else:
            self._adjudicated[task, number] = person.id, given
        if self._is_done(task):
            self._finished[person.id][task] = None

    def drop(self, person: Person) -> None:
        """Discard the reviews and adjudications of a person who is left out."""
        self._reviewed = {key: one for key, one in self._reviewed.items() if one.reviewer != person.id}
        self._adjudicated = {key: one for key, one in self._adjudicated.items() if one[0] != person.id}
        for page_index in list(self._authors):
            self.refresh(page_index)

    def hold(self, page_indices: frozenset[int]) -> None:
        """Withhold exactly these pages."""
        changed, self._held = self._held ^ page_indices, page_indices
        for page_index in changed:
            self.refresh(page_index)

    def refresh(self, page_index: int | None = None) -> None:
        """Update the tasks that wait for a page, or for all pages."""
        for one in list(self._authors) if page_index is None else [page_index]:
            for author in self._authors[one]:
                self._update(Assignment(one, "review", author), is_wanted=self._is_drawn)
            self._update(Assignment(one, "adjudication"), is_wanted=self._has_all_answers)

    def take(self, person: Person, most: int) -> list[Assignment]:
        """Lease the next tasks to a reviewer or adjudicator."""
        return self._queue.take(person.id, self._plan.purposes_of(person.role), most, time.time())

    def tally(self, person: Person) -> Tally:
        """Count the tasks that a person has finished and may still be shown."""
        purposes = self._plan.purposes_of(person.role)
        return Tally(len(self._finished[person.id]), self._queue.count(person.id, purposes, time.time()))

    def tally_all(self, purpose: Purpose) -> Tally:
        """Count the finished and remaining reviews or adjudications."""
        done = {task for tasks in self._finished.values() for task in tasks if task.purpose == purpose}
        left = set(self._queue.waiting([purpose]))
        return Tally(len(done - left), len(left))

    def count_corrections(self) -> int:
        """Count the answers whose value a reviewer corrected."""
        values = (
            (task, number, self._value(task.page_index, number, one.given))
            for (task, number), one in self._reviewed.items()
            if self._review_of(task, number) is not None
        )
        return sum(
            value is not None and value != self._value(task.page_index, number, self._answer_of(task, number))
            for task, number, value in values
        )

    def finished(self, person: Person) -> list[Assignment]:
        """List the tasks that a person has finished, the earliest first."""
        return list(self._finished[person.id])

    def last_answer(self, person: Person, task: Assignment, number: int) -> AnswerRecord | None:
        """Return a person's current review or adjudication of a question."""
        if task.purpose == "review":
            review = self._review_of(task, number)
            return review.given if review and review.reviewer == person.id else None
        who, given = self._adjudicated.get((task, number), (None, None))
        return given if who == person.id else None

    def list_answers(self, task: Assignment, number: int) -> list[GivenAnswer]:
        """List the answers to show to a reviewer or adjudicator, the most frequent first."""
        given = (
            [self._answer_of(task, number)]
            if task.purpose == "review"
            else [
                self._answer_after_review(author, task.page_index, number)
                for author in self._present_authors(task.page_index)
            ]
        )
        texts: dict[Scalar, list[str]] = defaultdict(list)
        for one in given:
            value = self._value(task.page_index, number, one)
            if one is not None and value is not None:
                texts[value].append(one.text)
        found = [GivenAnswer(own[0], str(value), len(own)) for value, own in texts.items()]
        return sorted(found, key=lambda one: -one.people)

    def answer_key(self, task: Assignment, number: int) -> str:
        """Return the key of the reviewed answer; empty for an adjudication."""
        given = self._answer_of(task, number) if task.purpose == "review" else None
        return given.key if given else ""

    def is_asked(self, task: Assignment, number: int) -> bool:
        """Return whether to ask a question: for review if it has an answer, for adjudication if answers differ."""
        least = 1 if task.purpose == "review" else 2
        return (task, number) in self._adjudicated or len(self.list_answers(task, number)) >= least

    def _update(self, task: Assignment, is_wanted: Callable[[Assignment], bool]) -> None:
        is_due = task.page_index not in self._held and is_wanted(task) and not self._is_done(task)
        self._queue.update(task, is_due=is_due)

    def _is_done(self, task: Assignment) -> bool:
        return not any(
            self.is_asked(task, number) and not self._is_said(task, number)
            for number in range(len(self._pages[task.page_index].asks))
        )

    def _is_said(self, task: Assignment, number: int) -> bool:
        return self._review_of(task, number) is not None or (task, number) in self._adjudicated

    def _is_drawn(self, task: Assignment) -> bool:
        author = None if task.author is None else self._people.find(task.author)
        if not self._plan.review or author is None or author.is_left_out:
            return False
        draw = seeded_uniform("review", SEED, author.name, self._pages[task.page_index].subject.id)
        return draw < self._plan.review

    def _has_all_answers(self, task: Assignment) -> bool:
        """Return whether a page has answers of as many people as the study wants, or of all there are."""
        people = sum(not person.is_withdrawn for person in self._people.annotators())
        wanted = min(self._plan.people_wanted, max(people, 2))
        return len(self._present_authors(task.page_index)) >= wanted

    def _present_authors(self, page_index: int) -> list[int]:
        people = ((author, self._people.find(author)) for author in self._authors[page_index])
        return [author for author, person in people if person is not None and not person.is_left_out]

    def _answer_after_review(self, author: int, page_index: int, number: int) -> AnswerRecord | None:
        """Return a person's answer after review."""
        review = self._review_of(Assignment(page_index, "review", author), number)
        return review.given if review and not review.given.is_skipped else self._find_answer(author, page_index, number)

    def _review_of(self, task: Assignment, number: int) -> _Review | None:
        """Return the review of the current answer; a changed answer has none."""
        review, answer = self._reviewed.get((task, number)), self._answer_of(task, number)
        return review if review and answer and review.answer_key == answer.key else None

    def _answer_of(self, task: Assignment, number: int) -> AnswerRecord | None:
        return None if task.author is None else self._find_answer(task.author, task.page_index, number)

    def _value(self, page_index: int, number: int, given: AnswerRecord | None) -> Scalar | None:
        return None if given is None or given.is_skipped else self._read(self._pages[page_index], number, given.text)


class _Queue:
    """Waiting tasks in their order, with leases for those that are being shown."""

    def __init__(self, lease_seconds: float) -> None:
        self._lease_seconds = lease_seconds
        self._waiting: dict[Purpose, dict[Assignment, None]] = defaultdict(dict)
        self._leases: dict[Assignment, tuple[int, float]] = {}

    def update(self, task: Assignment, *, is_due: bool) -> None:
        if is_due:
            self._waiting[task.purpose].setdefault(task)
        else:
            self._waiting[task.purpose].pop(task, None)
            self._leases.pop(task, None)

    def waiting(self, purposes: Iterable[Purpose]) -> Iterator[Assignment]:
        """Yield the waiting tasks of some purposes, in the order of the purposes."""
        return chain.from_iterable(self._waiting[purpose] for purpose in purposes)

    def take(self, person: int, purposes: Sequence[Purpose], most: int, now: float) -> list[Assignment]:
        """Lease up to `most` tasks to a person, current leases first, none leased to another."""
        self._expire(now)
        own = [task for task, (holder, _) in self._leases.items() if holder == person]
        free = (task for task in self.waiting(purposes) if task not in self._leases)
        taken = list(islice(chain(own, free), most))
        self._leases.update((task, (person, now + self._lease_seconds)) for task in taken)
        return taken

    def count(self, person: int, purposes: Sequence[Purpose], now: float) -> int:
        """Count the tasks that a person may be shown."""
        self._expire(now)
        elsewhere = sum(task.purpose in purposes and holder != person for task, (holder, _) in self._leases.items())
        return sum(len(self._waiting[purpose]) for purpose in purposes) - elsewhere

    def _expire(self, now: float) -> None:
        self._leases = {task: lease for task, lease in self._leases.items() if lease[1] > now}
