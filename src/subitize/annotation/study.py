"""Opens studies from their plans: people, pages and answers, all restored after a restart.

Earlier answers in the run, such as imported ratings, count: the study continues from them."""

import re
import secrets
import statistics
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random

import polars as pl
from pydantic_core import from_json, to_json
from sqlalchemy import Connection, Row, delete, insert, select

from subitize.annotation import tables
from subitize.annotation.assignment import (
    AnswerRecord,
    Assignment,
    AssignmentQueue,
    Outcome,
    Training,
    read_gold,
)
from subitize.annotation.pages import Instructions, Page, PageSet, collect_pages, make_instructions, split_paragraphs
from subitize.annotation.people import People, Person, Role, check_name
from subitize.annotation.plan import PRACTICE, SEED, Purpose, StudyPlan, check_bounds, plan_adapter
from subitize.annotation.recruiting import Ending, check_recruiting, make_link
from subitize.annotation.reviewing import Reviews
from subitize.annotation.sampling import PageSample, draw_sample, filter_to_sample, insert_sample, keep_quota
from subitize.annotation.screening import find_flagged, hold_back, hold_flagged, read_held, release
from subitize.errors import BadValueError, ConflictError
from subitize.imports.answers import check_judge, read_clicks
from subitize.labels import interpret, parse_rule
from subitize.labels.interpretation import CANNOT_TELL, WITHDRAWN
from subitize.labels.rules import Rule, word_rules
from subitize.language.numbers import count_noun
from subitize.records import (
    Boxes,
    Count,
    Discarded,
    Draw,
    Evidence,
    Known,
    Question,
    Reading,
    ReadingPurpose,
    Scalar,
    Spec,
    Words,
    base_suite,
)
from subitize.store import Lease, Run, StoredReading
from subitize.store.reading import VOTE, read_readings
from subitize.store.rows import decode_value


def pages_already_answered(run: Run, judge: str, pages: Sequence[Page]) -> list[tuple[str, int]]:
    """List who has answered all questions of which page; answers without a value do not count."""
    readings = read_readings(run, judge, VOTE).filter(pl.col("annotator") != "")
    known = [text for text in readings["value"].unique() if isinstance(decode_value(text), Known)]
    answered: dict[tuple[str, str], set[str]] = defaultdict(set)
    rows = readings.filter(pl.col("value").is_in(known)).select("annotator", "subject", "question")
    for annotator, subject, question in rows.iter_rows():
        answered[annotator, subject].add(question)
    page_indices = {page.subject.id: page_index for page_index, page in enumerate(pages)}
    return [
        (annotator, page_indices[subject])
        for (annotator, subject), questions in answered.items()
        if subject in page_indices and all(ask.question.id in questions for ask in pages[page_indices[subject]].asks)
    ]


def describe_answered(answered: Collection[tuple[str, object]]) -> str:
    """Describe how many images are answered already, and by whom."""
    people = sorted({annotator for annotator, _ in answered})
    images = len({image for _, image in answered})
    named = [*people[:_MOST_NAMED], *([f"{len(people) - _MOST_NAMED} others"] if len(people) > _MOST_NAMED else [])]
    are = "image is" if images == 1 else "images are"
    return f"{images} {are} answered already by {' and '.join(filter(None, (', '.join(named[:-1]), named[-1])))}"


_MOST_NAMED = 4
_TYPED_COUNT = re.compile(r"[\w\s.,:+\-–—~≈?!'’/…]{0,100}")  # rules read what models write, and find numbers in prose
_BARE_FRACTION = re.compile(r"^\.(?=\d)")  # rules read ".5" as 5: in prose the dot ends a sentence
_EARLIEST: Mapping[str, object] = {"earlier": "count"}
"""What studies did that were begun before this was a choice."""
_MEANWHILE = 10  # pages between the first and the second look


class UnreadAnswerError(BadValueError):
    """The study's rule cannot read this answer, so it is not stored."""


@dataclass(frozen=True, slots=True)
class Activity:
    """A person's numbers of answers and remarks, and their median time per answer."""

    answers: int
    skipped: int
    unsure: int
    flagged: int
    median_seconds: float | None


class Study:
    """An open study; thread-safe."""

    def __init__(
        self,
        run: Run,
        lease: Lease,
        plan: StudyPlan,
        collected: PageSet,
        sample: PageSample | None = None,
        *,
        is_kept: bool = False,
    ) -> None:
        if not collected.pages:
            raise BadValueError(_explain_empty_study(run, collected))
        self.name, self.plan, self.rule = plan.name, plan, plan.rule or default_rule(run)
        self.pages = collected.all_pages
        self._forms = {form for page in self.pages for form in page.forms}
        self._run, self._lease, self._lock, self._saving = run, lease, threading.Lock(), threading.Lock()
        self._rule = parse_rule(self.rule)
        run.create_tables(tables.metadata)
        run.add_judge(Spec(plan.judge, {}, plan.judge), is_stand_in=False)
        self._rows = tables.StudyRows(run.run_id, plan.name)
        self.gold = read_gold(run, plan.gold, self.pages, plan.training)
        self._earlier = frozenset(() if plan.is_pilot else pages_already_answered(run, plan.judge, self.pages))
        self.people = People(run, lease, self._rows, self._enter(sample, is_kept=is_kept))
        self._assignments = AssignmentQueue(
            len(self.pages),
            plan.people_wanted,
            plan.lease_seconds,
            SEED,
            plan.images_per_person or len(self.pages),
            frozenset(self.gold.hidden),
        )
        self._answers: dict[int, dict[tuple[str, str], AnswerRecord]] = defaultdict(dict)
        self._open: dict[tuple[int, Assignment], dict[int, AnswerRecord]] = defaultdict(dict)
        self._training = Training(self.gold.training, plan.pass_mark)
        self._received: dict[tuple[int, str], int] = {}
        self._leaving: set[int] = set()
        self._again: dict[int, dict[int, bool]] = defaultdict(dict)
        self._values: dict[tuple[Question, str, str], Scalar | None] = {}
        self._questions = {
            (page.subject.id, ask.question.id): (page_index, number)
            for page_index, page in enumerate(self.pages)
            for number, ask in enumerate(page.asks)
        }
        self.reviews = Reviews(plan, self.pages, self.people, self._answer_at, self._remember_value)
        self.held: Mapping[str, str] = {}
        self._screen()
        self._restore()
        for annotator, page_index in sorted(self._earlier) if self.counts_earlier else ():
            self._assignments.finish(annotator, page_index)

    def withdraw(self, person: Person, reason: str = "") -> None:
        """Close a person's link; with a reason, also exclude their answers from all results. All stay stored.

        Others are then asked in their place.
        """
        with self._saving, self._lock:
            self._leaving.add(person.id)  # what arrives from now on is refused
        try:
            withdrawn = [] if not reason else [_withdraw(stored) for stored in self._readings_of(person)]
            with self._saving, self._lock:
                with self._run.writing(self._lease) as connection:
                    self.people.close(connection, person, reason)
                    self._run.add_readings(self._lease, withdrawn, connection)
                self.people.reload()
                self._assignments.release(person.name)
                if reason:
                    self._drop(person)
        finally:
            self._leaving.discard(person.id)

    def _drop(self, person: Person) -> None:
        """Stop counting what a person who is left out has done."""
        self._assignments.drop(person.name)
        self.reviews.drop(person)

    def next_tasks(self, person: Person, most: int) -> list[Assignment]:
        """Lease the next pages to a person."""
        with self._lock:
            if person.role != "annotator":
                return self.reviews.take(person, most)
            if self.outcome(person) == "failed":
                return []
            if (due := self._training.due(person.id)) is not None:
                return [Assignment(due, "training")]
            again = self._choose_second_look(person)
            if again is not None:
                return [Assignment(again, "again")]
            return [Assignment(page_index) for page_index in self._assignments.take(person.name, most, time.time())]

    def outcome(self, person: Person) -> Outcome:
        """Return whether a person has passed the training."""
        return self._training.outcome(person.id)

    def must_consent(self, person: Person) -> bool:
        """Return whether a person has to agree before anything is shown."""
        return bool(split_paragraphs(self.plan.consent)) and person.role == "annotator" and not person.has_consented

    def ending(self, person: Person) -> Ending | None:
        """Return how a person's part has ended; None while there is something left to do."""
        if self.must_consent(person):
            return "no-consent"
        if self.outcome(person) == "failed":
            return "failed"
        progress = self.progress(person)
        if progress["left"] or self._training.due(person.id) is not None:
            return None
        return "done" if progress["done"] else "screened-out"

    def gold_results(self, person: Person) -> tuple[int, int]:
        """Count the hidden questions with known answers that a person got right, and all they answered."""
        rights = [
            self._is_right(page, number, given)
            for page_index, page in ((page_index, self.pages[page_index]) for page_index in self.gold.hidden)
            for number in range(len(page.asks))
            if (given := self._answer_at(person.id, page_index, number)) is not None
        ]
        return sum(rights), len(rights)

    def consistency(self, person: Person) -> tuple[int, int]:
        """Count the second looks with the same answer as the first, and all second looks."""
        looks = self._again[person.id].values()
        return sum(looks), len(looks)

    def _choose_second_look(self, person: Person) -> int | None:
        """Choose at random whether a person looks again, and at which page finished a while ago."""
        if not self.plan.second_look:
            return None
        finished, seen = self._assignments.finished(person.name), {*self._again[person.id], *self._assignments.held}
        old = [page_index for page_index in finished[: max(0, len(finished) - _MEANWHILE)] if page_index not in seen]
        random = Random(f"{SEED} {person.name} {len(finished)}")
        is_due = len(self._again[person.id]) < self.plan.second_look * len(finished) and random.random() < 0.5
        return random.choice(old) if old and is_due else None

    def _is_right(self, page: Page, number: int, given: AnswerRecord) -> bool:
        return not given.is_skipped and self.read(page, number, given.text) == self.gold.expects(page, number)

    def finished_tasks(self, person: Person) -> list[Assignment]:
        """List the pages that a person has finished, the earliest first."""
        with self._lock:
            if person.role != "annotator":
                return self.reviews.finished(person)
            finished = self._assignments.finished(person.name)
            return [Assignment(page_index) for page_index in finished if page_index not in self._assignments.held]

    def progress(self, person: Person) -> dict[str, int]:
        """Count what a person has done and has left, and the answers of the study."""
        with self._lock:
            if person.role == "annotator":
                done, left = len(self._assignments.finished(person.name)), self._assignments.left_for(person.name)
            else:
                done, left = self.reviews.tally(person)
            return {
                "done": done,
                "left": left,
                "given": self._assignments.answers_given(),
                "wanted": self._assignments.answers_wanted(),
            }

    def activity(self, person: Person) -> Activity:
        """Sum up what a person has done."""
        own = list(self._answers[person.id].values())
        return Activity(
            len(own),
            sum(given.is_skipped for given in own),
            sum(given.is_unsure for given in own),
            sum(given.is_flagged for given in own),
            statistics.median(given.seconds for given in own) if own else None,
        )

    def list_earlier(self) -> list[tuple[str, int]]:
        """List who had answered which page before the study, where this counts."""
        own = {person.name for person in self.people.all()} if self.counts_earlier else set[str]()
        return [one for one in self._earlier if self.counts_earlier and one[0] not in own]

    def find_question(self, subject_id: str, question_id: str) -> tuple[int, int] | None:
        """Find the index of a page and the number of its question."""
        return self._questions.get((subject_id, question_id))

    def last_answer(self, person: Person, task: Assignment, number: int) -> AnswerRecord | None:
        """Return a person's current answer to a question of a page."""
        match task.purpose:
            case "answer":
                return self._answer_at(person.id, task.page_index, number)
            case "training" | "again":
                return self._open[person.id, task].get(number)
        return self.reviews.last_answer(person, task, number)

    def read(self, page: Page, number: int, text: str) -> Scalar:
        """Return the value of an answer's text; raise UnreadAnswerError if it has none."""
        _, _, value = self._interpret(page, number, text)
        return value.value

    def save(self, person: Person, task: Assignment, number: int, given: AnswerRecord) -> bool:
        """Store an answer once; return whether it finishes a page that the study needs.

        Answers, reviews and adjudications become readings of the run; a changed answer replaces the earlier reading.
        Only others who save wait for the commit.
        """
        with self._saving:
            with self._lock:
                if self._is_received(person, task, number, given):
                    return False
                self._check_may_answer(person, task, number)
            answer_key = self._store(person, task, number, given)
            with self._lock:
                finished = self._assignments.answers_given()
                self._note(person, task, number, given, answer_key)
                self._decide()
                self.reviews.refresh(task.page_index)
                if given.is_flagged and self.plan.holds_flagged:
                    self._screen()
                return self._assignments.answers_given() > finished

    def _store(self, person: Person, task: Assignment, number: int, given: AnswerRecord) -> str:
        """Store an answer in a transaction; return the key of the answer that it reviews."""
        before = None if task.purpose in PRACTICE else self.last_answer(person, task, number)
        is_known = task.purpose == "answer" and (person.name, task.page_index) in self._earlier
        reading = self._reading(person, task, number, given, is_first=before is None and not is_known)
        readings = [] if task.purpose in PRACTICE or self.plan.is_pilot else [reading]
        answer_key = self.reviews.answer_key(task, number)
        with self._run.writing(self._lease) as connection:
            self._write(connection, person, reading, given, task.purpose)
            if given.is_flagged and self.plan.holds_flagged:
                hold_flagged(connection, self._run.run_id, self.pages[task.page_index].images, given.comment)
            if task.author is not None:
                row = {"person": person.id, "key": given.key, "author": task.author, "answer_key": answer_key}
                connection.execute(insert(tables.reviews).values(**self._rows.key, **row))
            self._run.add_readings(self._lease, readings, connection)
        return answer_key

    def instruct(self, role: Role) -> Instructions:
        """Return what people of a role are told before and while they answer."""
        takes_ranges = isinstance(interpret(Words("2-5"), Count(""), self._rule), Known)
        return make_instructions(self.plan, role, self._forms, takes_ranges=takes_ranges)

    def shown_pages(self) -> list[Page]:
        """List the pages that are not held back."""
        return [page for page_index, page in enumerate(self.pages) if page_index not in self._assignments.held]

    def list_flagged(self) -> dict[str, str]:
        """Map flagged images that still await a decision to the reasons."""
        flagged = find_flagged(self._run, {page.subject.id: page.images for page in self.pages})
        return {image: reason for image, reason in flagged.items() if image not in self.held}

    def hold_back(self, images: Mapping[str, str]) -> None:
        """Hold images back, each with its reason."""
        hold_back(self._run, images)
        self.screen()

    def show_again(self, image: str) -> None:
        """Show an image that was held back or flagged."""
        release(self._run, [image])
        self.screen()

    def screen(self) -> None:
        """Read again which images are held back."""
        with self._lock:
            self._screen()

    def _screen(self) -> None:
        known, self.held = self.held, read_held(self._run)
        if self.held == known:
            return  # the owner's page asks all the time
        pages = enumerate(self.pages)
        held = frozenset(page_index for page_index, page in pages if not self.held.keys().isdisjoint(page.images))
        self._assignments.hold(held)
        self._training.hold(held)
        self._decide()
        self.reviews.hold(held)

    def _answer_at(self, person: int, page_index: int, number: int) -> AnswerRecord | None:
        page = self.pages[page_index]
        return self._answers[person].get((page.subject.id, page.asks[number].question.id))

    def _remember_value(self, page: Page, number: int, text: str) -> Scalar | None:
        """Return the cached value of a stored answer, which an earlier version of the rule may have read."""
        key = page.asks[number].question, page.forms[number], text
        if key not in self._values:
            try:
                self._values[key] = self.read(page, number, text)
            except UnreadAnswerError:
                self._values[key] = None
        return self._values[key]

    def _readings_of(self, person: Person) -> list[StoredReading]:
        stored = self._run.readings(self.plan.judge, with_reviews=True)
        subjects = {page.subject.id for page in self.pages}
        return [one for one in stored if one.reading.annotator == person.name and one.reading.subject.id in subjects]

    def _reading(
        self, person: Person, task: Assignment, number: int, given: AnswerRecord, *, is_first: bool
    ) -> Reading:
        page, judge = self.pages[task.page_index], self.plan.judge
        question = page.asks[number].question
        about = (page.subject, question)
        purpose: ReadingPurpose = "answer"
        if task.purpose == "review" or task.purpose == "adjudication":
            purpose = task.purpose
        author = None if task.author is None else self.people.find(task.author)
        reviewed = None if author is None else self._run.find_reading(judge, author.name, *about)
        earlier = None if is_first else self._run.find_reading(judge, person.name, *about, purpose, reviewed)
        evidence, rule, value = (
            (Words(f"{CANNOT_TELL}{given.text}"), self._rule, Discarded(f"{CANNOT_TELL}{given.text}", is_refusal=True))
            if given.is_skipped
            else self._interpret(page, number, given.text)
        )
        return Reading(
            *about, judge, evidence, str(rule), value, person.name, earlier, purpose=purpose, reviews=reviewed
        )

    def _interpret(self, page: Page, number: int, text: str) -> tuple[Evidence, Rule, Known]:
        question = page.asks[number].question
        is_clicked = page.forms[number] == "click"
        if page.forms[number] == "count" and not _TYPED_COUNT.fullmatch(text):
            raise UnreadAnswerError(f"a count is typed as a number or in a few words, not as {text[:40]!r}")
        evidence = self._read_clicks(question, text) if is_clicked else Words(_BARE_FRACTION.sub("0.", text))
        rule = Rule("boxes") if is_clicked else self._rule
        value = interpret(evidence, question, rule)
        if isinstance(value, Discarded):
            raise UnreadAnswerError(value.reason)
        return evidence, rule, value

    @staticmethod
    def _read_clicks(question: Question, text: str) -> Boxes:
        try:
            return read_clicks(question, text)
        except BadValueError as error:
            raise UnreadAnswerError(str(error)) from None

    def _write(
        self, connection: Connection, person: Person, reading: Reading, given: AnswerRecord, purpose: Purpose
    ) -> None:
        about = {"subject_id": reading.subject.id, "question_id": reading.question.id, "purpose": purpose}
        row = {"person": person.id, **about, **asdict(given), "at": time.time()}
        connection.execute(insert(tables.answers).values(**self._rows.key, **row))

    def _is_received(self, person: Person, task: Assignment, number: int, given: AnswerRecord) -> bool:
        """Return whether the very answer is stored; raise an error if its key is that of another."""
        known = self._received.get((person.id, given.key))
        if known is not None and known != _fingerprint(task, number, given):
            raise ConflictError(f"key {given.key!r} is that of another answer; send each answer under its own key")
        return known is not None

    def _check_may_answer(self, person: Person, task: Assignment, number: int) -> None:
        """Raise an error for somebody whose link is closed, and for training that is not due or is answered."""
        now = self.people.find(person.id)
        if person.id in self._leaving or now is None or now.is_withdrawn:
            raise ConflictError("your invitation was withdrawn; this answer came too late")
        is_due = task.page_index == self._training.due(person.id) and number not in self._open[person.id, task]
        if task.purpose == "training" and not is_due:
            raise ConflictError("this example is answered already, or is not the next; go on with the next")

    def _note(self, person: Person, task: Assignment, number: int, given: AnswerRecord, answer_key: str) -> None:
        page = self.pages[task.page_index]
        self._received[person.id, given.key] = _fingerprint(task, number, given)
        match task.purpose:
            case "answer":
                self._answers[person.id][page.subject.id, page.asks[number].question.id] = given
                if all(self.last_answer(person, task, one) for one in range(len(page.asks))):
                    self._assignments.finish(person.name, task.page_index)
                    self.reviews.add_author(person.id, task.page_index)
            case "training" | "again":
                given_now = self._open[person.id, task]
                given_now[number] = given
                if len(given_now) == len(page.asks):
                    self._close(person, task)
            case "review" | "adjudication":
                self.reviews.note(person, task, number, given, answer_key)

    def _close(self, person: Person, task: Assignment) -> None:
        """Record the result of a training page or second look whose questions are all answered."""
        page, given_now = self.pages[task.page_index], self._open.pop((person.id, task))
        if task.purpose == "training":
            rights = [self._is_right(page, number, given) for number, given in given_now.items()]
            self._training.note(person.id, task.page_index, is_right=all(rights))
        else:
            first = ((number, self._answer_at(person.id, task.page_index, number)) for number in given_now)
            self._again[person.id][task.page_index] = all(
                one is not None and self._value_of(page, number, one) == self._value_of(page, number, given_now[number])
                for number, one in first
            )

    def _value_of(self, page: Page, number: int, given: AnswerRecord) -> Scalar | None:
        return None if given.is_skipped else self._remember_value(page, number, given.text)

    def _enter(self, sample: PageSample | None, *, is_kept: bool) -> str:
        """Return the study's secret, creating the study if new, with its sample; reject changed settings."""
        with self._run.writing(self._lease) as connection:
            known = connection.execute(self._rows.of(tables.studies)).first()
            before = {} if known is None else _EARLIEST | from_json(known.settings)
            earlier = self.plan.earlier or before.get("earlier") or self._choose_earlier()
            settings = self.plan.list_settings(self.rule) | {"earlier": earlier}
            self.counts_earlier = earlier == "count"
            if sample is not None:
                insert_sample(connection, self._run, sample)
            if is_kept:
                save_plan(connection, self._run, self.plan)
            if known is not None:
                self._check_settings(StudyPlan().list_settings("strict") | before, settings)
                return str(known.secret)
            secret = secrets.token_hex(32)
            row = {"settings": to_json(settings).decode(), "secret": secret, "created_at": time.time()}
            connection.execute(insert(tables.studies).values(**self._rows.key, **row))
            return secret

    def _choose_earlier(self) -> str:
        """Refuse to choose where answers are there already: whether they count is for the owner to say."""
        if self._earlier:
            raise BadValueError(
                f"`earlier`: {describe_answered(self._earlier)} under {self.plan.judge!r}; choose count (these answers "
                "count for this study) or ask (everybody is asked, and a new answer replaces that person's earlier "
                "one), or call the new answers something else with `judge`"
            )
        return "ask"

    def _check_settings(self, before: Mapping[str, object], now: Mapping[str, object]) -> None:
        differing = [f"{key} {before[key]!r}, not {value!r}" for key, value in now.items() if before[key] != value]
        if differing:
            raise BadValueError(
                f"study {self.name!r} was begun with {'; '.join(differing)}; go on as it was begun, "
                "or name another study"
            )

    def _decide(self) -> None:
        """Store how the training has ended for whom, so that nothing later changes it."""
        for person, outcome in list(self._training.undecided()):
            with self._run.writing(self._lease) as connection:
                row = {"person": person, "outcome": outcome, "at": time.time()}
                connection.execute(insert(tables.outcomes).values(**self._rows.key, **row))
            self._training.decided[person] = outcome

    def _restore(self) -> None:
        """Restore the stored answers."""
        with self._run.reading() as connection:
            rows = connection.execute(self._rows.of(tables.answers).order_by(tables.answers.c.id)).all()
            reviewed = {(row.person, row.key): row for row in connection.execute(self._rows.of(tables.reviews))}
            decided = connection.execute(self._rows.of(tables.outcomes)).all()
        self._training.decided = {row.person: row.outcome for row in decided}
        for row in rows:
            person, about = self.people.find(row.person), self.find_question(row.subject_id, row.question_id)
            if person is not None and about is not None:
                page_index, number = about
                review = reviewed.get((row.person, row.key))
                task = Assignment(page_index, row.purpose, review and review.author)
                self._note(person, task, number, _given(row), review.answer_key if review else "")
        for one in self.people.all():
            if one.is_left_out:
                self._drop(one)
        self._decide()
        self.reviews.refresh()


def _explain_empty_study(run: Run, collected: PageSet) -> str:
    if not any(isinstance(item.task, Draw) for item in run.items()):
        return (
            f"{run.location} has no drawn pictures: its suites ask models to answer; people answer about what models "
            "drew, as for the suite production, or about pictures of your own: subitize import images FOLDER --out RUN"
        )
    missing = f"; {collected.without_image} images are known by name only" if collected.without_image else ""
    if collected.held_back:
        missing += "; all of its images are held back"
        return f"{run.location} has nothing to show{missing}; see: subitize annotate screen RUN"
    return f"{run.location} has nothing to show{missing}; bring images in with: subitize import attachments RUN FOLDER"


def default_rule(run: Run) -> str:
    """Return the name of the rule for people's counts: that of the suite's paper, if it has one."""
    named = {base_suite(suite.name) for suite in run.suites()} & set(word_rules())
    return named.pop() if len(named) == 1 else "strict"


def _withdraw(stored: StoredReading) -> Reading:
    return replace(stored.reading, evidence=Words(WITHDRAWN), value=Discarded(WITHDRAWN), replaces=stored.id)


def _fingerprint(task: Assignment, number: int, given: AnswerRecord) -> int:
    """Hash what an answer says; how long it took may differ when it is sent again."""
    return hash((task, number, replace(given, seconds=0.0)))


def _given(row: Row[tuple[object, ...]]) -> AnswerRecord:
    return AnswerRecord(row.key, row.text, row.is_skipped, row.is_unsure, row.is_flagged, row.comment, row.seconds)


OWNER = "owner"


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study ready to be served, and the number of images that are known by name only and cannot be shown."""

    study: Study
    without_image: int

    def describe(self) -> str:
        """Describe the number of pages, questions and people, and the rule for counts."""
        pages, people = self.study.shown_pages(), self.study.plan.people_wanted
        each = "one person" if people == 1 else f"{people} people"
        questions = count_noun(sum(len(page.asks) for page in pages), "question")
        return f"{count_noun(len(pages), 'page')}, {questions}, {each} for each; counts are read by {self.study.rule}"

    def warn(self) -> Iterator[str]:
        """List which images are not shown, and who answered before the study."""
        if answered := self.study.list_earlier():
            yield f"{describe_answered(answered)}; this counts"
        if held := len(self.study.pages) - len(self.study.shown_pages()):
            yield f"{count_noun(held, 'page')} held back; see: subitize annotate screen RUN"
        if self.without_image:
            unseen = count_noun(self.without_image, "image")
            yield f"not shown, as known by name only: {unseen}; see: subitize import attachments"

    def make_links(self, address: str) -> dict[str, str]:
        """Make a link for each invited person, then for the owner, then for a recruiter."""
        people, plan = self.study.people, self.study.plan
        invited = [
            *(people.invite(name) for name in plan.people),
            *(people.invite(name, "reviewer") for name in plan.reviewers),
            people.invite(OWNER, "owner"),
        ]
        links = {person.name: f"{address}/join/{people.join_token(person)}" for person in invited}
        if plan.is_recruiting:
            links["everybody"] = make_link(plan, address, people.recruiting_token())
        return links


def open_study(
    run: Run, lease: Lease, plan: StudyPlan, draw: tuple[int, Sequence[str]] | None = None, *, is_kept: bool = False
) -> OpenStudy:
    """Create a study of a run or continue the one of that name; a faulty plan is rejected, and leaves nothing behind.

    `draw` is the size of a sample to draw, which gets the study's name, and its strata; `is_kept` stores the plan.
    """
    plan, drawn = check_plan(plan), None
    if draw is not None and plan.sample is not None:
        raise BadValueError(f"`sample` {plan.sample!r}: choose one that was drawn, or draw another, not both")
    collected = collect_pages(run, plan.forms)
    if draw is not None:
        drawn = draw_sample(collected, plan.name, *draw, SEED)
        plan, subjects = replace(plan, sample=drawn.name), frozenset(drawn.subjects)
        collected = collected.filter(lambda page: page.subject.id in subjects)
    elif plan.sample is not None:
        collected = filter_to_sample(run, plan.sample, collected)
    if plan.images_per_model is not None:
        collected = keep_quota(collected, plan.images_per_model, SEED)
    return OpenStudy(Study(run, lease, plan, collected, drawn, is_kept=is_kept), collected.without_image)


def check_plan(plan: StudyPlan) -> StudyPlan:
    """Return a plan that can be used as it is; raise an error for a value out of its bounds, or a faulty name."""
    plan = check_bounds(plan)
    for name in (plan.name, *plan.people, *plan.reviewers):
        check_name(name)
    for name, count in Counter((*plan.people, *plan.reviewers, OWNER)).items():
        if count > 1:
            raise BadValueError(f"person {name!r} is named twice; each has a link, and a role, of their own")
    if plan.reviewers and not plan.review and plan.adjudicator != "reviewer":
        raise BadValueError(
            f"reviewer {plan.reviewers[0]!r} has nothing to do; say which share of the answers they check "
            "(`review` .2), or let them settle disagreements (`adjudicator` reviewer)"
        )
    check_judge(plan.judge)
    check_recruiting(plan)
    if plan.rule and parse_rule(plan.rule).name not in word_rules():
        raise BadValueError(f"`rule` {plan.rule}: people's answers are words; take one of {', '.join(word_rules())}")
    return plan


def save_plan(connection: Connection, run: Run, plan: StudyPlan) -> None:
    """Store the plan of a study; replace one of the same name that could not be served."""
    is_same = (tables.plans.c.run_id == run.run_id) & (tables.plans.c.study == plan.name)
    connection.execute(delete(tables.plans).where(is_same))
    row = {"run_id": run.run_id, "study": plan.name, "plan": plan_adapter().dump_json(plan).decode()}
    connection.execute(insert(tables.plans).values(**row))


def read_plans(run: Run) -> list[StudyPlan]:
    """List the plans of a run's studies."""
    query = select(tables.plans.c.plan).where(tables.plans.c.run_id == run.run_id).order_by(tables.plans.c.study)
    return [plan_adapter().validate_json(row.plan) for row in tables.read_rows(run, tables.plans, query)]
