"""A study: the people who answer, the pages they are shown, and what they said; a restart loses none of it."""

import secrets
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy import Connection, Row, insert

from subitize.annotation import tables
from subitize.annotation.assignment import Assignments
from subitize.annotation.checks import Outcome, judge_training, read_gold
from subitize.annotation.pages import Collected, Page
from subitize.annotation.people import People, Person
from subitize.errors import BadValueError
from subitize.importers.answers import check_judge
from subitize.labels import interpret, parse_rule
from subitize.labels.interpretation import CANNOT_TELL
from subitize.labels.rules import Rule, word_rules
from subitize.records import (
    UNKNOWN,
    Box,
    Boxes,
    Count,
    Discarded,
    Evidence,
    Known,
    Question,
    Reading,
    Scalar,
    Spec,
    Words,
    base_suite,
)
from subitize.store import Lease, Run, StoredReading


@dataclass(frozen=True, slots=True)
class Settings:
    """How a study is done: by which name and rule answers are kept, how many people see a page, and for how long."""

    judge: str = "human"
    rule: str = "strict"
    people_per_page: int = 5
    lease_minutes: float = 30.0
    pages_per_person: int | None = None
    seed: int = 0
    gold: str | None = None
    training: int = 0
    pass_mark: float = 0.8
    second_look: float = 0.0
    is_pilot: bool = False

    def __post_init__(self) -> None:
        if self.people_per_page < 1:
            raise BadValueError(f"--people-per-image {self.people_per_page}: should be at least 1")
        if self.pages_per_person is not None and self.pages_per_person < 1:
            raise BadValueError(f"--images-per-person {self.pages_per_person}: should be at least 1")
        if not 0 < self.lease_minutes <= 60 * 24:
            raise BadValueError(f"--lease-minutes {self.lease_minutes:g}: should be above 0, at most a day (1440)")
        if self.training < 0:
            raise BadValueError(f"--training {self.training}: should be at least 0")
        if not 0 <= self.pass_mark <= 1:
            raise BadValueError(f"--pass-mark {self.pass_mark:g}: a share of the pages, from 0 to 1")
        if not 0 <= self.second_look < 1:
            raise BadValueError(f"--second-look {self.second_look:g}: a share of the pages, from 0 to below 1")
        check_judge(self.judge)
        if parse_rule(self.rule).name not in word_rules():
            raise BadValueError(
                f"--rule {self.rule}: people's answers are words; take one of {', '.join(word_rules())}"
            )


_SETTINGS = TypeAdapter(Settings)


Purpose = Literal["answer", "training", "again"]
"""Why a page is shown: for its answer, to learn with known answers, or for a second look by the same person."""
_MEANWHILE = 10  # pages between two looks


@dataclass(frozen=True, slots=True)
class Given:
    """What a person did with a question: an answer as typed or chosen, or why it was skipped."""

    key: str
    text: str
    is_skipped: bool = False
    is_unsure: bool = False
    is_flagged: bool = False
    comment: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Activity:
    """How much somebody has answered, how often with a remark, and how long an answer usually took."""

    answers: int
    skipped: int
    unsure: int
    flagged: int
    median_seconds: float | None


class UnreadAnswerError(BadValueError):
    """An answer that the study's rule makes no value of; it is not stored."""


class Study:
    """An open study. Its methods may be called from several threads."""

    def __init__(self, run: Run, lease: Lease, name: str, settings: Settings, collected: Collected) -> None:
        if not collected.pages:
            missing = f"; {collected.without_image} images are known by name only" if collected.without_image else ""
            raise BadValueError(
                f"{run.location} has nothing to show{missing}; bring images in with: subitize attach RUN FOLDER"
            )
        self.name, self.settings, self.pages = name, settings, collected.pages
        self._run, self._lease, self._lock = run, lease, threading.Lock()
        self._rule = parse_rule(settings.rule)
        run.create_tables(tables.metadata)
        run.add_judge(Spec(settings.judge, {}, settings.judge), is_stand_in=False)
        self._rows = tables.StudyRows(run.run_id, name)
        self.people = People(run, lease, self._rows, self._enter(settings))
        self.gold = read_gold(run, settings.gold, self.pages, settings.training)
        self._assignments = Assignments(
            len(self.pages),
            settings.people_per_page,
            settings.lease_minutes * 60,
            settings.seed,
            settings.pages_per_person or len(self.pages),
            frozenset(self.gold.hidden),
        )
        self._said: dict[int, dict[tuple[str, str], Given]] = defaultdict(dict)
        self._open: dict[tuple[int, Purpose], dict[int, Given]] = defaultdict(dict)
        self._trained: dict[int, list[bool]] = defaultdict(list)
        self._again: dict[int, dict[int, bool]] = defaultdict(dict)
        self._places = {page.subject.id: place for place, page in enumerate(self.pages)}
        self._restore()

    def withdraw(self, person: Person, reason: str = "") -> None:
        """Close a person's link; with a reason, their answers enter no figure from now on. All stay stored."""
        withdrawn = [] if not reason else [_withdraw(stored) for stored in self._readings_of(person)]
        with self._lock, self._run.writing(self._lease) as connection:
            self.people.close(connection, person, reason)
            self._run.add_readings(self._lease, withdrawn, connection)
        self.people.reload()

    def next_pages(self, person: Person, most: int) -> list[tuple[int, Purpose]]:
        """Give a person the places of the pages to be shown next, and what for; they are kept for them for a while."""
        with self._lock:
            match self.outcome(person):
                case "failed":
                    return []
                case "training":
                    done = len(self._trained[person.id])
                    return [(self.gold.training[done % len(self.gold.training)], "training")]
            again = self._look_again(person)
            if again is not None:
                return [(again, "again")]
            return [(place, "answer") for place in self._assignments.take(person.name, most, time.time())]

    def outcome(self, person: Person) -> Outcome:
        """Tell whether a person has passed the training."""
        return judge_training(self._trained[person.id], len(self.gold.training), self.settings.pass_mark)

    def gold_results(self, person: Person) -> tuple[int, int]:
        """Count the unmarked questions with known answers that a person got right, and all that they answered."""
        rights = [
            self._is_right(page, number, said)
            for page in (self.pages[place] for place in self.gold.hidden)
            for number in range(len(page.asks))
            if (said := self.said(person, page, number)) is not None
        ]
        return sum(rights), len(rights)

    def consistency(self, person: Person) -> tuple[int, int]:
        """Count the second looks at which a person said the same as at first, and all."""
        looks = self._again[person.id].values()
        return sum(looks), len(looks)

    def _look_again(self, person: Person) -> int | None:
        """Choose by lot whether, and at which of the pages finished a while ago, a person looks again."""
        finished = self._assignments.finished(person.name)
        old = [place for place in finished[: max(0, len(finished) - _MEANWHILE)] if place not in self._again[person.id]]
        lot = Random(f"{self.settings.seed} {person.name} {len(finished)}")
        is_due = len(self._again[person.id]) < self.settings.second_look * len(finished) and lot.random() < 0.5
        return lot.choice(old) if old and is_due else None

    def _is_right(self, page: Page, number: int, given: Given) -> bool:
        return not given.is_skipped and self.read(page, number, given.text) == self.gold.expects(page, number)

    def finished_pages(self, person: Person) -> Sequence[int]:
        """List the places of the pages that a person has finished, the earliest first."""
        with self._lock:
            return self._assignments.finished(person.name)

    def progress(self, person: Person) -> dict[str, int]:
        """Tell how far a person is, and the study."""
        with self._lock:
            return {
                "done": len(self._assignments.finished(person.name)),
                "left": self._assignments.left_for(person.name),
                "given": self._assignments.answers_given(),
                "wanted": self._assignments.answers_wanted(),
            }

    def activity(self, person: Person) -> Activity:
        """Sum up what a person has done."""
        own = list(self._said[person.id].values())
        return Activity(
            len(own),
            sum(given.is_skipped for given in own),
            sum(given.is_unsure for given in own),
            sum(given.is_flagged for given in own),
            statistics.median(given.seconds for given in own) if own else None,
        )

    def find_question(self, subject_id: str, question_id: str) -> tuple[int, int] | None:
        """Find the place of a page and the number of its question."""
        place = self._places.get(subject_id)
        if place is None:
            return None
        numbers = [number for number, ask in enumerate(self.pages[place].asks) if ask.question.id == question_id]
        return (place, numbers[0]) if numbers else None

    def said(self, person: Person, page: Page, number: int, purpose: Purpose = "answer") -> Given | None:
        """Tell what a person said last to a question of a page."""
        if purpose != "answer":
            return self._open[person.id, purpose].get(number)
        return self._said[person.id].get((page.subject.id, page.asks[number].question.id))

    def read(self, page: Page, number: int, text: str) -> Scalar:
        """Read an answer to a question of a page; raise UnreadAnswerError if no value can be made of it."""
        _, _, value = self._interpret(page, number, text)
        return value.value

    def save(self, person: Person, place: int, number: int, given: Given, purpose: Purpose = "answer") -> None:
        """Store what was said, once. An answer is a reading of the run from now on; a changed mind replaces it."""
        page = self.pages[place]
        with self._lock:
            before = self.said(person, page, number) if purpose == "answer" else None
            if before is not None and before.key == given.key:
                return
            reading = self._reading(person, page, number, given, is_first=before is None)
            readings = [reading] if purpose == "answer" and not self.settings.is_pilot else []
            with self._run.writing(self._lease) as connection:
                if self._is_stored(connection, person, given.key):
                    return
                self._write(connection, person, reading, given, purpose)
                self._run.add_readings(self._lease, readings, connection)
            self._note(person, page, number, given, purpose)

    def _readings_of(self, person: Person) -> list[StoredReading]:
        stored = self._run.readings(self.settings.judge)
        return [
            one for one in stored if one.reading.annotator == person.name and one.reading.subject.id in self._places
        ]

    def _reading(self, person: Person, page: Page, number: int, given: Given, *, is_first: bool) -> Reading:
        question, judge = page.asks[number].question, self.settings.judge
        earlier = None if is_first else self._run.find_reading(judge, person.name, page.subject, question)
        evidence, rule, value = (
            (Words(f"{CANNOT_TELL}{given.text}"), self._rule, Discarded(f"{CANNOT_TELL}{given.text}", is_refusal=True))
            if given.is_skipped
            else self._interpret(page, number, given.text)
        )
        return Reading(page.subject, question, judge, evidence, str(rule), value, person.name, earlier)

    def _interpret(self, page: Page, number: int, text: str) -> tuple[Evidence, Rule, Known]:
        question = page.asks[number].question
        is_clicked = page.forms[number] == "click"
        evidence = _read_clicks(question, text) if is_clicked else Words(text)
        rule = Rule("boxes") if is_clicked else self._rule
        value = interpret(evidence, question, rule)
        if isinstance(value, Discarded):
            raise UnreadAnswerError(value.reason)
        return evidence, rule, value

    def _write(self, connection: Connection, person: Person, reading: Reading, given: Given, purpose: Purpose) -> None:
        row = {
            "person": person.id,
            "key": given.key,
            "subject_id": reading.subject.id,
            "question_id": reading.question.id,
            "purpose": purpose,
            "text": given.text,
            "is_skipped": given.is_skipped,
            "is_unsure": given.is_unsure,
            "is_flagged": given.is_flagged,
            "comment": given.comment,
            "seconds": given.seconds,
            "at": time.time(),
        }
        connection.execute(insert(tables.answers).values(**self._rows.key, **row))

    def _is_stored(self, connection: Connection, person: Person, key: str) -> bool:
        columns = tables.answers.c
        query = self._rows.of(tables.answers).where(columns.person == person.id, columns.key == key)
        return connection.execute(query).first() is not None

    def _note(self, person: Person, page: Page, number: int, given: Given, purpose: Purpose) -> None:
        place = self._places[page.subject.id]
        match purpose:
            case "answer":
                self._said[person.id][page.subject.id, page.asks[number].question.id] = given
                if all(self.said(person, page, one) for one in range(len(page.asks))):
                    self._assignments.finish(person.name, place)
            case "training" | "again":
                given_now = self._open[person.id, purpose]
                given_now[number] = given
                if len(given_now) == len(page.asks):
                    self._close(person, page, purpose)

    def _close(self, person: Person, page: Page, purpose: Purpose) -> None:
        """Note what came of a page that was shown for training, or again, now that all of it is answered."""
        given_now = self._open.pop((person.id, purpose))
        if purpose == "training":
            rights = [self._is_right(page, number, given) for number, given in given_now.items()]
            self._trained[person.id].append(all(rights))
        else:
            first = {number: self.said(person, page, number) for number in given_now}
            same = [one is not None and one.text == given_now[number].text for number, one in first.items()]
            self._again[person.id][self._places[page.subject.id]] = all(same)

    def _enter(self, settings: Settings) -> str:
        """Find the study's secret, or make the study; one with other settings is refused."""
        with self._run.writing(self._lease) as connection:
            known = connection.execute(self._rows.of(tables.studies)).first()
            if known is None:
                secret = secrets.token_hex(32)
                row = {"settings": _SETTINGS.dump_json(settings).decode(), "secret": secret, "created_at": time.time()}
                connection.execute(insert(tables.studies).values(**self._rows.key, **row))
                return secret
        self._check_settings(_SETTINGS.validate_json(known.settings), settings)
        return str(known.secret)

    def _check_settings(self, before: Settings, now: Settings) -> None:
        differing = [
            f"{one.name} {getattr(before, one.name)!r}, not {getattr(now, one.name)!r}"
            for one in fields(Settings)
            if getattr(before, one.name) != getattr(now, one.name)
        ]
        if differing:
            raise BadValueError(
                f"study {self.name!r} was begun with {'; '.join(differing)}; go on as it was begun, or name another "
                "with --study"
            )

    def _restore(self) -> None:
        """Take up what was said before."""
        with self._run.reading() as connection:
            rows = connection.execute(self._rows.of(tables.answers).order_by(tables.answers.c.id)).all()
        asked = {
            (page.subject.id, ask.question.id): (page, number)
            for page in self.pages
            for number, ask in enumerate(page.asks)
        }
        for row in rows:
            person, about = self.people.find(row.person), asked.get((row.subject_id, row.question_id))
            if person is not None and about is not None:
                self._note(person, *about, _given(row), row.purpose)


def default_rule(run: Run) -> str:
    """Name the rule by which people's counts are read: that of the suite's paper, if it brings one."""
    named = {base_suite(suite.name) for suite in run.suites()} & set(word_rules())
    return named.pop() if len(named) == 1 else "strict"


def _withdraw(stored: StoredReading) -> Reading:
    told = f"{CANNOT_TELL}withdrawn by the study's owner"
    return replace(stored.reading, evidence=Words(told), value=Discarded(told), replaces=stored.id)


def _given(row: Row[tuple[object, ...]]) -> Given:
    return Given(row.key, row.text, row.is_skipped, row.is_unsure, row.is_flagged, row.comment, row.seconds)


def _read_clicks(question: Question, text: str) -> Boxes:
    """Read the places that were clicked, in pixels of the picture, as boxes without extent."""
    try:
        points = _POINTS.validate_json(text)
    except ValidationError:
        raise UnreadAnswerError(f"clicks should be a list of [x, y], at most {_MOST_CLICKS}") from None
    label = question.noun if isinstance(question, Count) else UNKNOWN
    return Boxes(tuple(Box(label, 1.0, (x, y, x, y)) for x, y in points))


_MOST_CLICKS = 1_000
_Pixel = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
_POINTS = TypeAdapter(Annotated[list[tuple[_Pixel, _Pixel]], Field(max_length=_MOST_CLICKS)])
