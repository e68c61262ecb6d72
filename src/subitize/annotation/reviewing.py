"""Second opinions: a random share of answers is reviewed, and disagreements are adjudicated."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import chain, islice
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from subitize.annotation.pages import Page
from subitize.annotation.people import People, Person
from subitize.annotation.sampling import seeded_uniform
from subitize.annotation.settings import AnswerRecord, Assignment, Purpose, StudySettings
from subitize.records import Scalar

P = ParamSpec("P")
T = TypeVar("T")


class GivenAnswer(NamedTuple):
    """An answer that a reviewer or an adjudicator is shown: one of those who gave it, its value, and how many did."""

    text: str
    value: Scalar
    people: int


class Tally(NamedTuple):
    """How many there are of something, and how many more are due."""

    done: int
    left: int


class _Reviewed(NamedTuple):
    """What a reviewer said of an answer, which is known by its key."""

    reviewer: int
    given: AnswerRecord
    answer_key: str


def _one_at_a_time(
    method: "Callable[Concatenate[Reviews, P], T]",
) -> "Callable[Concatenate[Reviews, P], T]":
    """Let no other thread change anything meanwhile."""

    @wraps(method)
    def alone(self: "Reviews", /, *given: P.args, **named: P.kwargs) -> T:
        with self.lock:
            return method(self, *given, **named)

    return alone


class Reviews:
    """The reviews and adjudications of a study: which are done, and which wait. Several threads may ask.

    `said` tells what a person, by number, answered last to a question of a page, `read` an answer's value, if any.
    """

    def __init__(
        self,
        settings: StudySettings,
        pages: Sequence[Page],
        people: People,
        said: Callable[[int, int, int], AnswerRecord | None],
        read: Callable[[Page, int, str], Scalar | None],
    ) -> None:
        self._settings, self.lock = settings, threading.RLock()
        self._pages, self._people, self._answer, self._read = pages, people, said, read
        self._queue, self._held = _Queue(settings.lease_seconds), frozenset[int]()
        self._authors: dict[int, dict[int, None]] = defaultdict(dict)
        self._reviewed: dict[tuple[Assignment, int], _Reviewed] = {}
        self._adjudicated: dict[tuple[Assignment, int], tuple[int, AnswerRecord]] = {}
        self._finished: dict[int, dict[Assignment, None]] = defaultdict(dict)

    @_one_at_a_time
    def add_author(self, author: int, place: int) -> None:
        """Note that a person has answered all of a page, or has changed their mind."""
        self._authors[place][author] = None

    @_one_at_a_time
    def note(self, person: Person, task: Assignment, number: int, given: AnswerRecord, answer_key: str) -> None:
        """Note what a reviewer or an adjudicator said."""
        if task.purpose == "review":
            self._reviewed[task, number] = _Reviewed(person.id, given, answer_key)
        else:
            self._adjudicated[task, number] = person.id, given
        if self._is_done(task):
            self._finished[person.id][task] = None

    @_one_at_a_time
    def drop(self, person: Person) -> None:
        """Forget what somebody who is left out said."""
        self._reviewed = {key: one for key, one in self._reviewed.items() if one.reviewer != person.id}
        self._adjudicated = {key: one for key, one in self._adjudicated.items() if one[0] != person.id}
        for place in list(self._authors):
            self.refresh(place)

    @_one_at_a_time
    def hold(self, places: frozenset[int]) -> None:
        """Let nobody look at these pages, and at all others again."""
        changed, self._held = self._held ^ places, places
        for place in changed:
            self.refresh(place)

    @_one_at_a_time
    def refresh(self, place: int | None = None) -> None:
        """Find out what is still to be said of a page, or of all."""
        for one in list(self._authors) if place is None else [place]:
            for author in self._authors[one]:
                self._update(Assignment(one, "review", author), is_wanted=self._is_drawn)
            self._update(Assignment(one, "adjudication"), is_wanted=self._has_all_answers)

    @_one_at_a_time
    def take(self, person: Person, most: int) -> list[Assignment]:
        """Give a reviewer or adjudicator what to look at next."""
        return self._queue.take(person.id, self._settings.purposes_of(person.role), most, time.time())

    @_one_at_a_time
    def tally(self, person: Person) -> Tally:
        """Count what a person has finished, and what they may still be shown."""
        purposes = self._settings.purposes_of(person.role)
        return Tally(len(self._finished[person.id]), self._queue.count(person.id, purposes, time.time()))

    @_one_at_a_time
    def tally_all(self, purpose: Purpose) -> Tally:
        """Count the reviews or adjudications that are done, and those that are due."""
        done = {task for tasks in self._finished.values() for task in tasks if task.purpose == purpose}
        left = set(self._queue.waiting([purpose]))
        return Tally(len(done - left), len(left))

    @_one_at_a_time
    def count_corrections(self) -> int:
        """Count the answers to which a reviewer gave another value."""
        values = (
            (task, number, self._value(task.place, number, one.given))
            for (task, number), one in self._reviewed.items()
            if self._review_of(task, number) is not None
        )
        return sum(
            value is not None and value != self._value(task.place, number, self._answer_of(task, number))
            for task, number, value in values
        )

    @_one_at_a_time
    def finished(self, person: Person) -> list[Assignment]:
        """List what a person has finished, the earliest first."""
        return list(self._finished[person.id])

    @_one_at_a_time
    def known_tasks(self, person: Person) -> list[Assignment]:
        """List what a person may look at: what they have finished or begun, and what waits."""
        begun = [task for (task, _), one in self._reviewed.items() if one.reviewer == person.id]
        begun += [task for (task, _), (who, _) in self._adjudicated.items() if who == person.id]
        return [*self._finished[person.id], *begun, *self._queue.waiting(self._settings.purposes_of(person.role))]

    @_one_at_a_time
    def said(self, person: Person, task: Assignment, number: int) -> AnswerRecord | None:
        """Tell what a person said last of a question."""
        if task.purpose == "review":
            review = self._review_of(task, number)
            return review.given if review and review.reviewer == person.id else None
        who, given = self._adjudicated.get((task, number), (None, None))
        return given if who == person.id else None

    @_one_at_a_time
    def list_answers(self, task: Assignment, number: int) -> list[GivenAnswer]:
        """List the answers that a reviewer or an adjudicator is shown, the most frequent first."""
        given = (
            [self._answer_of(task, number)]
            if task.purpose == "review"
            else [self._standing(author, task.place, number) for author in self._present_authors(task.place)]
        )
        texts: dict[Scalar, list[str]] = defaultdict(list)
        for one in given:
            value = self._value(task.place, number, one)
            if one is not None and value is not None:
                texts[value].append(one.text)
        found = [GivenAnswer(own[0], value, len(own)) for value, own in texts.items()]
        return sorted(found, key=lambda one: -one.people)

    @_one_at_a_time
    def answer_key(self, task: Assignment, number: int) -> str:
        """Tell the key of the answer that is reviewed; of an adjudication there is none."""
        given = self._answer_of(task, number) if task.purpose == "review" else None
        return given.key if given else ""

    @_one_at_a_time
    def is_asked(self, task: Assignment, number: int) -> bool:
        """Tell whether a question of a page is put: to review, if there is an answer; to settle, if people differ."""
        least = 1 if task.purpose == "review" else 2
        return (task, number) in self._adjudicated or len(self.list_answers(task, number)) >= least

    def _update(self, task: Assignment, is_wanted: Callable[[Assignment], bool]) -> None:
        is_due = task.place not in self._held and is_wanted(task) and not self._is_done(task)
        self._queue.update(task, is_due=is_due)

    def _is_done(self, task: Assignment) -> bool:
        return not any(
            self.is_asked(task, number) and not self._is_said(task, number)
            for number in range(len(self._pages[task.place].asks))
        )

    def _is_said(self, task: Assignment, number: int) -> bool:
        return self._review_of(task, number) is not None or (task, number) in self._adjudicated

    def _is_drawn(self, task: Assignment) -> bool:
        author = None if task.author is None else self._people.find(task.author)
        if not self._settings.review or author is None or author.is_left_out:
            return False
        lot = seeded_uniform("review", self._settings.seed, author.name, self._pages[task.place].subject.id)
        return lot < self._settings.review

    def _has_all_answers(self, task: Assignment) -> bool:
        """Tell whether a page has the answers of as many people as are wanted, or of all that there are."""
        people = sum(not person.is_withdrawn for person in self._people.annotators())
        wanted = min(self._settings.people_per_page, max(people, 2))
        return len(self._present_authors(task.place)) >= wanted

    def _present_authors(self, place: int) -> list[int]:
        people = ((author, self._people.find(author)) for author in self._authors[place])
        return [author for author, person in people if person is not None and not person.is_left_out]

    def _standing(self, author: int, place: int, number: int) -> AnswerRecord | None:
        """Tell what somebody's answer is, as its reviewer left it."""
        review = self._review_of(Assignment(place, "review", author), number)
        return review.given if review and not review.given.is_skipped else self._answer(author, place, number)

    def _review_of(self, task: Assignment, number: int) -> _Reviewed | None:
        """Find what was said of an answer; once that is another, nothing was."""
        review, answer = self._reviewed.get((task, number)), self._answer_of(task, number)
        return review if review and answer and review.answer_key == answer.key else None

    def _answer_of(self, task: Assignment, number: int) -> AnswerRecord | None:
        return None if task.author is None else self._answer(task.author, task.place, number)

    def _value(self, place: int, number: int, given: AnswerRecord | None) -> Scalar | None:
        return None if given is None or given.is_skipped else self._read(self._pages[place], number, given.text)


class _Queue:
    """Tasks that wait, in their order; each is kept for whoever is shown it, for a while."""

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
        """Go through the tasks that wait, for some purposes, in the order of these."""
        return chain.from_iterable(self._waiting[purpose] for purpose in purposes)

    def take(self, person: int, purposes: Sequence[Purpose], most: int, now: float) -> list[Assignment]:
        """Give a person the tasks to be shown next: those at hand first, and none that another has at hand."""
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
