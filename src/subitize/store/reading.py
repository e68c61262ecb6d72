"""Reads a run's rows by SQL: counts, single columns of all rows, and whole records of a few.

Decoding every response and reading would take most of the time of a large report; results need a few columns, and
few of the values are distinct. Also defines which attempts count and what a question is about, for judging and scoring
alike."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from pydantic_core import from_json
from sqlalchemy import Column, ColumnElement, Connection, Integer, Select, cast, func, select

from subitize.records import Design, Evidence, Outcome, Provenance, Question, Subject, Value
from subitize.store import codec, tables
from subitize.store.encoding import attach_image, with_attachments
from subitize.store.interning import IS_ANSWER, Shared, is_current, select_readings
from subitize.store.run import Run, StoredResponse

# The kind is the last field of a record's JSON; quotes within texts before it have a backslash.
_IS_DISCARDED = tables.readings.c.value.like('%"discarded"}')
IS_UNUSABLE = _IS_DISCARDED & tables.readings.c.value.not_like('%"is_refusal":true,"kind":"discarded"}')
"""Whether a reading has no value although it is not a refusal."""


def count_items(run: Run) -> dict[str, int]:
    """Count the items of each suite."""
    c = tables.items.c
    query = run.select(tables.items, c.suite, func.count()).group_by(c.suite).order_by(c.suite)
    return dict(map(tuple, run.fetch(query)))


def count_trials(run: Run) -> int:
    """Count the trials that have a response, be it a failure."""
    c = tables.responses.c
    return _count(run, func.count(c.trial_id.distinct()), c.run_id == run.run_id)


def count_readings(run: Run, *, with_reviews: bool = False) -> int:
    """Count the current answers, or also their reviews and adjudications."""
    return _count(run, func.count(), is_current(run.run_id) if with_reviews else is_current(run.run_id) & IS_ANSWER)


class JudgeCounts(NamedTuple):
    """How many people answered as a judge, how many readings there are, and how many of these have no value."""

    judge: str
    annotators: int
    readings: int
    discarded: int


def count_judged(run: Run) -> list[JudgeCounts]:
    """Count the current answers of each judge."""
    c, sources = tables.readings.c, tables.sources.c
    counted = (func.count().label("readings"), func.sum(cast(_IS_DISCARDED, Integer)).label("discarded"))
    own = select(c.source, *counted).where(is_current(run.run_id), IS_ANSWER).group_by(c.source).subquery()
    people = func.count(func.nullif(sources.annotator, "").distinct())
    sums = (people, func.sum(own.c.readings), func.sum(own.c.discarded))
    query = select(sources.judge, *sums).where(sources.id == own.c.source).group_by(sources.judge)
    return [JudgeCounts(judge, *map(int, counts)) for judge, *counts in run.fetch(query)]


class Discards(NamedTuple):
    """How many readings a judge other than people made by one rule, and how many are unusable."""

    judge: str
    rule: str
    readings: int
    discarded: int


def count_discards(run: Run) -> list[Discards]:
    """Count the current readings of each judge and rule."""
    c, sources = tables.readings.c, tables.sources.c
    counted = (func.count().label("readings"), func.sum(cast(IS_UNUSABLE, Integer)).label("discarded"))
    own = select(c.source, *counted).where(is_current(run.run_id)).group_by(c.source).subquery()
    query = (
        select(sources.judge, sources.rule, own.c.readings, own.c.discarded)
        .where(sources.id == own.c.source, sources.annotator == "")
        .order_by(sources.judge, sources.rule)
    )
    return [Discards(judge, rule, *map(int, counts)) for judge, rule, *counts in run.fetch(query)]


def _count(run: Run, what: ColumnElement[int], where: ColumnElement[bool]) -> int:
    ((count,),) = run.fetch(select(what).where(where))
    return int(count)


_IDS_AT_ONCE = 500
_ROWS_AT_ONCE = 5_000
_DIFFERENT_VALUES = 10_000
_USAGE = '"tokens_in":'


class ResponseRow(NamedTuple):
    """A response to a trial without its content; `kind` is that of its outcome."""

    trial_id: str
    item_id: str
    model: str
    repeat: int
    attempt: int
    kind: str


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


def read_trials(run: Run, model: str) -> Iterator[ResponseRow]:
    """Yield all responses of a model, failures included, without their content."""
    c = tables.responses.c
    query = run.select(tables.responses, c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.status, c.outcome)
    with run.reading() as connection:
        rows = _rows(connection, query.where(c.model == model).order_by(c.id))
        for trial_id, item_id, name, repeat, attempt, status, outcome in rows:
            kind = _kind(outcome) if status == tables.DONE else "failed"
            yield ResponseRow(trial_id, item_id, name, repeat, attempt, kind)


def read_values(run: Run, judge: str) -> Iterator[tuple[str, str, Value]]:
    """Yield the current readings of a judge, as ids of subject and question with the value."""
    c = tables.readings.c
    with run.reading() as connection:
        shared = Shared(connection, run.run_id)
        query = select_readings(run.run_id, (c.id, c.replaces, c.subject, c.question, c.value), judge)
        rows = list(_rows(connection, query))
        replaced = {row[1] for row in rows}
        for id, _, subject, question, text in rows:
            if id not in replaced:
                yield shared.subjects[subject].subject_id, shared.questions[question].question_id, decode_value(text)


def look_up_responses(run: Run, trial_ids: Sequence[str]) -> dict[str, TrialOutcome]:
    """Return the outcomes of some answered trials."""
    c = tables.responses.c
    query = with_attachments(run.select(tables.responses, c.trial_id, c.outcome, c.provenance))
    return {
        trial_id: TrialOutcome(
            attach_image(codec.outcome.validate_json(outcome), image), codec.provenance.validate_json(provenance)
        )
        for trial_id, outcome, provenance, image in _look_up(
            run, query.where(c.status == tables.DONE), c.trial_id, trial_ids
        )
    }


def look_up_readings(run: Run, subject_ids: Sequence[str]) -> dict[tuple[str, str], list[ReadingBasis]]:
    """Return the current readings of some subjects, by subject and question."""
    c, subjects = tables.readings.c, tables.subjects.c
    known = run.select(tables.subjects, subjects.id, subjects.subject_id)
    ids = dict(_look_up(run, known, subjects.subject_id, subject_ids))
    columns = (c.id, c.replaces, c.subject, c.question, c.source, c.evidence, c.value)
    rows = list(_look_up(run, select_readings(run.run_id, columns), c.subject, list(ids)))
    with run.reading() as connection:
        shared = Shared(connection, run.run_id)
        questions, sources = shared.questions, shared.sources
    replaced = {row[1] for row in rows}
    found: dict[tuple[str, str], list[ReadingBasis]] = {}
    for id, _, subject, question, source, evidence, value in rows:
        if id not in replaced:
            judge, _, rule = sources[source]
            judged = ReadingBasis(judge, rule, codec.evidence.validate_json(evidence), decode_value(value))
            found.setdefault((ids[subject], questions[question].question_id), []).append(judged)
    return found


class Judging(NamedTuple):
    """How many readings a judge made by one rule, and from when to when."""

    judge: str
    rule: str
    readings: int
    annotators: int
    first_at: float
    last_at: float


def read_judgings(run: Run) -> list[Judging]:
    """List the judges and rules of all readings, replaced ones included."""
    c, sources = tables.readings.c, tables.sources.c
    times = func.min(c.at).label("first_at"), func.max(c.at).label("last_at")
    counted = run.select(tables.readings, c.source, func.count().label("readings"), *times).where(IS_ANSWER)
    own = counted.group_by(c.source).subquery()
    sums = func.sum(own.c.readings), func.count(), func.min(own.c.first_at), func.max(own.c.last_at)
    query = select(sources.judge, sources.rule, *sums).where(sources.id == own.c.source)
    query = query.group_by(sources.judge, sources.rule).order_by(sources.judge, sources.rule)
    return [Judging(judge, rule, int(readings), *others) for judge, rule, readings, *others in run.fetch(query)]


def read_judges(run: Run) -> list[str]:
    """List the judges that have readings."""
    return sorted({row.judge for row in run.fetch(run.select(tables.sources, tables.sources.c.judge))})


def read_rules(run: Run, suite: str, judge: str) -> set[str]:
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


def read_discarded(run: Run, judge: str, rule: str, limit: int) -> list[tuple[str, str]]:
    """Return evidence and question, as JSON, of the first answers from which a judge's rule read no value."""
    c, source, asked = tables.readings.c, tables.sources.c, tables.questions.c
    query = (
        select(c.evidence, asked.question)
        .where(is_current(run.run_id), IS_UNUSABLE, asked.id == c.question, source.id == c.source)
        .where(source.judge == judge, source.rule == rule, source.annotator == "")
        .order_by(c.id)
        .limit(limit)
    )
    return [(row.evidence, row.question) for row in run.fetch(query)]


def look_up_failures(run: Run, trial_ids: Sequence[str]) -> dict[str, str]:
    """Return the latest reason why each of these trials failed."""
    c = tables.responses.c
    query = run.select(tables.responses, c.trial_id, c.outcome).where(c.status != tables.DONE).order_by(c.id)
    return {
        trial_id: str(from_json(outcome)["reason"]) for trial_id, outcome in _look_up(run, query, c.trial_id, trial_ids)
    }


def read_usages(run: Run) -> dict[str, Counter[str]]:
    """Count the usages of each model and judge, as JSON: few of many are distinct."""
    made, read, sources = tables.responses.c, tables.readings.c, tables.sources.c
    replaced = run.select(tables.readings, read.replaces).where(read.replaces.is_not(None))
    calls = select_readings(run.run_id, (sources.judge, read.provenance)).where(sources.id == read.source)
    queries = (
        run.select(tables.responses, made.model, made.provenance).order_by(made.id),
        calls.where(read.provenance.is_not(None), read.id.not_in(replaced)),
    )
    found: dict[str, Counter[str]] = defaultdict(Counter)
    with run.reading() as connection:
        for query in queries:
            for name, provenance in _rows(connection, query):
                # The usage is the last part of the JSON; quotes within texts before it have a backslash.
                found[name][f'{{"tokens_in":{provenance.rpartition(_USAGE)[2]}'] += 1
    return found


class ItemText(NamedTuple):
    """An item, with its task, asks and factors as JSON."""

    item_id: str
    task: str
    asks: str
    factors: str


def read_item_texts(run: Run) -> Iterator[ItemText]:
    """Yield the items without decoding them."""
    c = tables.items.c
    with run.reading() as connection:
        for row in _rows(connection, run.select(tables.items, c.item_id, c.task, c.asks, c.factors)):
            yield ItemText(*row)


def read_suite_options(run: Run) -> dict[str, Mapping[str, str]]:
    """Return all options of each suite of the run."""
    c = tables.suites.c
    rows = run.fetch(run.select(tables.suites, c.suite, c.options))
    return {suite: codec.options.validate_json(options) for suite, options in rows}


def read_designs(run: Run) -> dict[str, Design]:
    """Return the design of each suite of the run."""
    c = tables.suites.c
    rows = run.fetch(run.select(tables.suites, c.suite, c.asks_again, c.strata))
    return {suite: Design(asks_again, codec.strata.validate_json(strata)) for suite, asks_again, strata in rows}


@lru_cache(_DIFFERENT_VALUES)
def decode_value(text: str) -> Value:
    """Decode a value from JSON."""
    return codec.value.validate_json(text)


@lru_cache(_DIFFERENT_VALUES)
def decode_question(text: str) -> Question:
    """Decode a question from JSON."""
    return codec.question.validate_json(text)


def _kind(outcome: str) -> str:
    # The kind is the last field of a record's JSON; quotes within texts before it have a backslash.
    return outcome.rpartition('"kind":')[2].strip(' "}')


def _look_up(run: Run, query: Select[Any], key: Column[Any], ids: Sequence[str | int]) -> Iterator[Any]:
    with run.reading() as connection:
        for start in range(0, len(ids), _IDS_AT_ONCE):
            yield from connection.execute(query.where(key.in_(ids[start : start + _IDS_AT_ONCE])))


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    """Yield the rows, fetched in chunks: fetching them one by one takes longer than all that is done with them."""
    for chunk in connection.execute(query).partitions(_ROWS_AT_ONCE):
        yield from chunk


FAILED, REFUSED = "failed", "refused"


RowT = TypeVar("RowT", ResponseRow, StoredResponse)


def latest_attempts(answers: Iterable[RowT]) -> list[RowT]:
    """Keep the last attempt at each item and repeat: the one that counts in results.

    A failed attempt counts only if there is no other: a failure to ask again does not undo an answer.
    """
    latest: dict[tuple[str, str, int], RowT] = {}
    for one in answers:
        key = (one.item_id, one.model, one.repeat)
        if key not in latest or _is_later(one, latest[key]):
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


def _is_later(one: RowT, other: RowT) -> bool:
    """Return which of two attempts at the same item and repeat counts: true if the first."""
    return (other.kind != FAILED, other.attempt) < (one.kind != FAILED, one.attempt)
