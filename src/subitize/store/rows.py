"""Selects a run's rows by SQL, and reads single columns and whole records of a few, for whatever needs no frames.

Whether a row counts is decided here: which response is a trial's, which attempt is the latest, which readings stand."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from pydantic_core import from_json
from sqlalchemy import (
    Column,
    ColumnElement,
    Integer,
    Select,
    Table,
    and_,
    case,
    cast,
    exists,
    func,
    literal_column,
    or_,
    select,
    true,
)

from subitize.io import codec
from subitize.records import (
    FAILED,
    REFUSED,
    Design,
    Evidence,
    Outcome,
    Provenance,
    Question,
    Reading,
    Response,
    Subject,
    Value,
)
from subitize.store import tables
from subitize.store.database import Folder
from subitize.store.encoding import attach_image

if TYPE_CHECKING:
    from subitize.store.run import Run

Per = Literal["trial", "response"]
_IDS_AT_ONCE = 500
_DIFFERENT_TEXTS = 10_000
# The kind is the last field of a record's JSON; quotes within texts before it have a backslash.
_IS_DISCARDED = tables.readings.c.value.like('%"discarded"}')
IS_UNUSABLE = _IS_DISCARDED & tables.readings.c.value.not_like('%"is_refusal":true,"kind":"discarded"}')
"""Whether a reading has no value although it is not a refusal."""
IS_ANSWER = tables.readings.c.purpose.is_(None)
"""Whether a reading is an answer, given without seeing another's; reviews and adjudications are not."""
# Written out, as the index of answers is used only for a condition in its very words.
_DONE: ColumnElement[str] = literal_column(f"'{tables.DONE}'")
IS_DONE = tables.responses.c.status == _DONE
"""Whether a response is an answer or a refusal."""
# The longest kind is "refused".
KIND_CHARACTERS = 10
KIND_END = func.substr(tables.responses.c.outcome, func.length(tables.responses.c.outcome) - (KIND_CHARACTERS - 1))
"""The end of an outcome, whose kind is the last field of its JSON."""
ATTACHED = tables.attachments.c.image.label("attached")
"""The image that was attached to a response later, or null."""

READING = (
    *(tables.readings.c.id, tables.readings.c.at, tables.subjects.c.trial_ids, tables.questions.c.question),
    *(tables.sources.c.judge, tables.readings.c.evidence, tables.sources.c.rule, tables.readings.c.value),
    *(tables.sources.c.annotator, tables.readings.c.replaces, tables.readings.c.provenance),
    *(tables.readings.c.purpose, tables.readings.c.reviews),
)
"""The columns of a whole reading: its number, its time, and then in the order of a Reading's fields."""


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response and when it was stored."""

    trial_id: str
    response: Response
    at: float

    @property
    def item_id(self) -> str:
        """The item that was asked."""
        return self.response.trial.item_id

    @property
    def model(self) -> str:
        """The model that was asked."""
        return self.response.trial.model

    @property
    def repeat(self) -> int:
        """The repeat of the item."""
        return self.response.trial.repeat

    @property
    def attempt(self) -> int:
        """The number of earlier attempts."""
        return self.response.trial.attempt

    @property
    def kind(self) -> str:
        """The kind of the outcome."""
        return self.response.outcome.kind


@dataclass(frozen=True, slots=True)
class StoredReading:
    """A reading, its number, and when it was stored."""

    id: int
    reading: Reading
    at: float


class ResponseRow(NamedTuple):
    """A response to a trial without its content; `kind` is that of its outcome."""

    trial_id: str
    item_id: str
    model: str
    repeat: int
    attempt: int
    kind: str


def is_of(run: "Run", table: Table) -> ColumnElement[bool]:
    """Return the condition for rows of a run; a folder has no others, and without it SQLite reads rows in order."""
    return true() if isinstance(run.location, Folder) else table.c.run_id == run.run_id


def select_responses(
    run: "Run", columns: Iterable[ColumnElement[Any]], *conditions: ColumnElement[bool], per: Per = "trial"
) -> Select[Any]:
    """Select columns of responses, and of their attachments, in stored order.

    One per trial: the answer, or else the latest failure, in the place of the first. Or all of them, per response.
    """
    c, a, wanted = tables.responses.c, tables.attachments.c, list(columns)
    query = select(*wanted).select_from(tables.responses)
    if any(one is ATTACHED for one in wanted):
        query = query.outerjoin(tables.attachments, (a.run_id == c.run_id) & (a.trial_id == c.trial_id))
    if per == "response":
        return query.where(is_of(run, tables.responses), *conditions).order_by(c.id)
    own = c.run_id == run.run_id
    done = tables.responses.alias()
    is_done = exists().where(done.c.run_id == c.run_id, done.c.trial_id == c.trial_id, done.c.status == _DONE)
    failures = (
        select(c.trial_id, func.min(c.id).label("first"), func.max(c.id).label("last"))
        .where(own, c.status != tables.DONE, *conditions)
        .group_by(c.trial_id)
        .subquery()
    )
    query = query.outerjoin(failures, failures.c.trial_id == c.trial_id)
    query = query.where(own, *conditions, or_(IS_DONE, and_(c.id == failures.c.last, ~is_done)))
    return query.order_by(case((failures.c.first < c.id, failures.c.first), else_=c.id))


def select_readings(
    run: "Run", columns: Iterable[Column[Any]], *conditions: ColumnElement[bool], with_reviews: bool = False
) -> Select[Any]:
    """Select columns of the current readings, with those of their subjects, questions and sources, in stored order.

    A statement sees the run at one moment: a reading that is replaced meanwhile is not seen twice. Reviews and
    adjudications are left out unless asked for. The joins keep readings whose subject is damaged, to be noticed.
    """
    c, wanted = tables.readings.c, list(columns)
    query = select(*wanted).select_from(tables.readings).where(is_current(run), *conditions).order_by(c.id)
    named = {one.table for one in wanted}
    for table, number in ((tables.subjects, c.subject), (tables.questions, c.question), (tables.sources, c.source)):
        if table in named:
            query = query.outerjoin(table, table.c.id == number)
    return query if with_reviews else query.where(IS_ANSWER)


def is_by(run: "Run", judge: str, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that a reading is by a judge, and its source satisfies all conditions."""
    sources = tables.sources.c
    own = run.select(tables.sources, sources.id).where(sources.judge == judge, *conditions)
    return tables.readings.c.source.in_(own)


def is_current(run: "Run") -> ColumnElement[bool]:
    """Return the condition that a reading belongs to this run and that no other replaces it."""
    c = tables.readings.c
    replaced = select(c.replaces).where(is_of(run, tables.readings), c.replaces.is_not(None))
    return is_of(run, tables.readings) & c.id.not_in(replaced)


def count_items(run: "Run") -> dict[str, int]:
    """Count the items of each suite."""
    c = tables.items.c
    query = run.select(tables.items, c.suite, func.count()).group_by(c.suite).order_by(c.suite)
    return dict(map(tuple, run.fetch(query)))


def count_trials(run: "Run") -> int:
    """Count the trials that have a response, be it a failure."""
    return _count(run, run.select(tables.responses, func.count(tables.responses.c.trial_id.distinct())))


def count_readings(run: "Run") -> int:
    """Count the current readings, reviews and adjudications too."""
    return _count(run, select(func.count()).select_from(tables.readings).where(is_current(run)))


def _count(run: "Run", query: Select[Any]) -> int:
    ((count,),) = run.fetch(query)
    return int(count)


class Source(NamedTuple):
    """A judge, an annotator or nobody, and a rule, with the number and times of their answers, replaced ones too."""

    judge: str
    annotator: str
    rule: str
    stored: int
    first_at: float
    last_at: float


class SourceCounts(NamedTuple):
    """The numbers of current answers of a source: all, and the discarded ones, as refusals or as unusable."""

    judge: str
    annotator: str
    rule: str
    readings: int
    discarded: int
    unusable: int


def list_sources(run: "Run") -> list[Source]:
    """List who has answered, by judge, rule and annotator."""
    at = tables.readings.c.at
    return list(map(Source._make, _by_source(run, (func.count(), func.min(at), func.max(at)))))


def count_by_source(run: "Run", *, annotators: bool = True) -> list[SourceCounts]:
    """Count the current answers by judge, rule and annotator; without annotators, those of machines."""
    numbers = (func.count(), *(func.sum(cast(one, Integer)) for one in (_IS_DISCARDED, IS_UNUSABLE)))
    conditions, sources = [is_current(run)], tables.sources
    if not annotators:
        machines = select(sources.c.id).where(is_of(run, sources), sources.c.annotator == "")
        conditions.append(tables.readings.c.source.in_(machines))
    return [SourceCounts(*row[:3], *map(int, row[3:])) for row in _by_source(run, numbers, *conditions)]


def _by_source(run: "Run", numbers: Iterable[ColumnElement[Any]], *conditions: ColumnElement[bool]) -> Sequence[Any]:
    c, sources = tables.readings.c, tables.sources.c
    columns = [number.label(f"n{place}") for place, number in enumerate(numbers)]
    answers = select(c.source, *columns).where(is_of(run, tables.readings), IS_ANSWER, *conditions)
    found = answers.group_by(c.source).subquery()
    query = select(sources.judge, sources.annotator, sources.rule, *(found.c[one.name] for one in columns))
    query = query.where(sources.id == found.c.source)
    return run.fetch(query.order_by(sources.judge, sources.rule, sources.annotator))


def read_judges(run: "Run") -> list[str]:
    """List the judges that have readings."""
    return sorted({row.judge for row in run.fetch(run.select(tables.sources, tables.sources.c.judge))})


class TrialOutcome(NamedTuple):
    """The outcome of a trial, and its provenance."""

    outcome: Outcome
    provenance: Provenance


class ReadingBasis(NamedTuple):
    """The basis of one reading."""

    judge: str
    rule: str
    evidence: Evidence
    value: Value


def read_trials(run: "Run", model: str) -> Iterator[ResponseRow]:
    """Yield the responses of a model, failures included, without their content."""
    c = tables.responses.c
    columns = (c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.status, KIND_END)
    for *trial, status, end in run.rows(select_responses(run, columns, c.model == model, per="response")):
        kind = end.rpartition('"')[0].rpartition('"')[2] if status == tables.DONE else FAILED
        yield ResponseRow._make((*trial, kind))


def read_values(run: "Run", judge: str) -> Iterator[tuple[str, str, Value]]:
    """Yield the current readings of a judge, as ids of subject and question with the value."""
    columns = (tables.subjects.c.subject_id, tables.questions.c.question_id, tables.readings.c.value)
    for subject, question, text in run.rows(select_readings(run, columns, is_by(run, judge))):
        yield subject, question, decode_value(text)


def look_up_responses(run: "Run", trial_ids: Sequence[str]) -> dict[str, TrialOutcome]:
    """Return the outcomes of some answered trials."""
    c = tables.responses.c
    return {
        trial_id: TrialOutcome(
            attach_image(codec.outcome.validate_json(outcome), image), codec.provenance.validate_json(provenance)
        )
        for some in _in_parts(trial_ids)
        for trial_id, outcome, provenance, image in run.fetch(
            select_responses(
                run,
                (c.trial_id, c.outcome, c.provenance, ATTACHED),
                *(c.trial_id.in_(some), c.run_id == run.run_id, IS_DONE),
                per="response",
            )
        )
    }


def look_up_readings(run: "Run", subject_ids: Sequence[str]) -> dict[tuple[str, str], list[ReadingBasis]]:
    """Return the current readings of some subjects, by subject and question."""
    c, subjects, sources = tables.readings.c, tables.subjects.c, tables.sources.c
    columns = (subjects.subject_id, tables.questions.c.question_id, sources.judge, sources.rule, c.evidence, c.value)
    found: dict[tuple[str, str], list[ReadingBasis]] = defaultdict(list)
    for some in _in_parts(subject_ids):
        numbers = run.select(tables.subjects, subjects.id).where(subjects.subject_id.in_(some))
        for *key, judge, rule, evidence, value in run.fetch(select_readings(run, columns, c.subject.in_(numbers))):
            judged = ReadingBasis(judge, rule, codec.evidence.validate_json(evidence), decode_value(value))
            found[key[0], key[1]].append(judged)
    return found


def look_up_failures(run: "Run", trial_ids: Sequence[str]) -> dict[str, str]:
    """Return the latest reason why each of these trials failed."""
    c = tables.responses.c
    query = run.select(tables.responses, c.trial_id, c.outcome).where(c.status != tables.DONE).order_by(c.id)
    return {
        trial_id: str(from_json(outcome)["reason"])
        for some in _in_parts(trial_ids)
        for trial_id, outcome in run.fetch(query.where(c.trial_id.in_(some)))
    }


def _in_parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))


def read_rules(run: "Run", suite: str, judge: str) -> set[str]:
    """Return the rules by which a judge has read responses to a suite, or groups of them."""
    read, of, source = tables.readings.c, tables.subjects.c, tables.sources.c
    made, item = tables.responses.c, tables.items.c
    trials = run.select(tables.responses, made.trial_id).where(made.item_id == item.item_id)
    trials = trials.where(item.run_id == run.run_id, item.suite == suite)
    # A subject's trials all belong to one item; the list of their ids, of 32 digits each, begins with [".
    first_trial = func.substr(of.trial_ids, 3, 32)
    subjects = run.select(tables.subjects, of.id).where(first_trial.in_(trials))
    own = run.select(tables.readings, read.source).where(read.subject.in_(subjects))
    query = run.select(tables.sources, source.rule).where(source.judge == judge, source.id.in_(own))
    return {row.rule for row in run.fetch(query)}


def read_discarded(run: "Run", judge: str, rule: str, limit: int) -> list[tuple[str, str]]:
    """Return evidence and question, as JSON, of the first answers from which a judge's rule read no value."""
    source, columns = tables.sources.c, (tables.readings.c.evidence, tables.questions.c.question)
    is_own = is_by(run, judge, source.rule == rule, source.annotator == "")
    return [(*row,) for row in run.fetch(select_readings(run, columns, is_own, IS_UNUSABLE).limit(limit))]


_USAGE = '"tokens_in":'


def read_usages(run: "Run") -> dict[str, Counter[str]]:
    """Count the usages of each model and judge, as JSON: few of many are distinct."""
    made, read = tables.responses.c, tables.readings.c
    looked = (tables.sources.c.judge, read.provenance)
    queries = (
        select_responses(run, (made.model, made.provenance), per="response"),
        select_readings(run, looked, read.provenance.is_not(None)),
    )
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name, provenance in chain.from_iterable(map(run.rows, queries)):
        # The usage is the last part of the JSON; quotes within texts before it have a backslash.
        found[name][f'{{"tokens_in":{provenance.rpartition(_USAGE)[2]}'] += 1
    return found


class ItemText(NamedTuple):
    """An item, with its task, asks and factors as JSON."""

    item_id: str
    task: str
    asks: str
    factors: str


def read_item_texts(run: "Run") -> Iterator[ItemText]:
    """Yield the items without decoding them."""
    c = tables.items.c
    return map(ItemText._make, run.rows(run.select(tables.items, c.item_id, c.task, c.asks, c.factors)))


def read_suite_options(run: "Run") -> dict[str, Mapping[str, str]]:
    """Return all options of each suite of the run."""
    c = tables.suites.c
    rows = run.fetch(run.select(tables.suites, c.suite, c.options))
    return {suite: codec.options.validate_json(options) for suite, options in rows}


def read_designs(run: "Run") -> dict[str, Design]:
    """Return the design of each suite of the run."""
    c = tables.suites.c
    rows = run.fetch(run.select(tables.suites, c.suite, c.asks_again, c.strata))
    return {suite: codec.decode_factors(factors, asks_again=asks_again) for suite, asks_again, factors in rows}


@lru_cache(_DIFFERENT_TEXTS)
def decode_value(text: str) -> Value:
    """Decode a value from JSON."""
    return codec.value.validate_json(text)


@lru_cache(_DIFFERENT_TEXTS)
def decode_question(text: str) -> Question:
    """Decode a question from JSON."""
    return codec.question.validate_json(text)


RowT = TypeVar("RowT", ResponseRow, StoredResponse)


def rank_attempt(one: ResponseRow | StoredResponse) -> tuple[bool, int]:
    """Rank an attempt among those at the same item and repeat, of which the last counts in results.

    A failed attempt counts only if there is no other: a failure to ask again does not undo an answer.
    """
    return one.kind != FAILED, one.attempt


def latest_attempts(answers: Iterable[RowT]) -> list[RowT]:
    """Keep the attempt at each item and repeat that counts in results."""
    latest: dict[tuple[str, str, int], RowT] = {}
    for one in answers:
        key = (one.item_id, one.model, one.repeat)
        if key not in latest or rank_attempt(latest[key]) < rank_attempt(one):
            latest[key] = one
    return list(latest.values())


def group_answers(answers: Iterable[RowT], size: int) -> Iterator[tuple[RowT, ...]]:
    """Group the responses to an item into the subjects of a question about `size` of them; failures are left out.

    For size 1: every attempt. For more: a model's latest attempts at the repeats 0 to size-1, then at the next `size`,
    and so on; incomplete groups are left out. A refused response stays in its group: it shows nothing and is wrong,
    the others are looked at.
    """
    shown = [one for one in answers if one.kind != FAILED]
    if size == 1:
        yield from ((one,) for one in shown)
        return
    groups: dict[tuple[str, int], list[RowT]] = defaultdict(list)
    for one in sorted(latest_attempts(shown), key=lambda one: one.repeat):
        groups[one.model, one.repeat // size].append(one)
    yield from (tuple(members) for members in groups.values() if len(members) == size)


def subject_of(members: Iterable[ResponseRow | StoredResponse]) -> Subject:
    """Return the subject of a question about these responses."""
    return Subject(tuple(one.trial_id for one in members))


def is_refused(members: Iterable[ResponseRow | StoredResponse]) -> bool:
    """Return whether all were refused, so that there is nothing to look at."""
    return all(one.kind == REFUSED for one in members)
