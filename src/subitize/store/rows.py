"""The columns of a run that figures are made of: of all rows without decoding them, or whole records of a few.

Decoding every response and reading would take most of the time of a large report; figures need a few columns, and
among the values there are few different ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json
from sqlalchemy import Column, ColumnElement, Connection, Select, Table, func, select

from subitize.records import Evidence, Outcome, Provenance, Question, Value
from subitize.store import codec, tables
from subitize.store.attachments import attach_image, with_attachments
from subitize.store.run import Run

_IDS_AT_ONCE = 500
_ROWS_AT_ONCE = 5_000
_DIFFERENT_VALUES = 10_000


class ResponseRow(NamedTuple):
    """The response to a trial, without what was answered; `kind` is that of its outcome."""

    trial_id: str
    item_id: str
    model: str
    repeat: int
    attempt: int
    kind: str


class ReadingRow(NamedTuple):
    """A reading's value, and what it is a value of."""

    subject_id: str
    question_id: str
    judge: str
    value: Value


class Answered(NamedTuple):
    """What came of a trial, and how."""

    outcome: Outcome
    provenance: Provenance


class Judged(NamedTuple):
    """What one reading rests on."""

    judge: str
    evidence: Evidence
    value: Value


def read_responses(run: Run) -> list[ResponseRow]:
    """List the responses, one per trial: the answer, or where there is none the latest failure."""
    c = tables.responses.c
    columns = (c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.status, c.outcome)
    query = _of(run, tables.responses, *columns).order_by(c.id)
    latest: dict[str, ResponseRow] = {}
    with run.reading() as connection:
        for trial_id, item_id, model, repeat, attempt, status, outcome in _rows(connection, query):
            if trial_id not in latest or latest[trial_id].kind == "failed":
                kind = _kind(outcome) if status == tables.DONE else "failed"
                latest[trial_id] = ResponseRow(trial_id, item_id, model, repeat, attempt, kind)
    return list(latest.values())


def read_readings(run: Run, judge: str | None = None) -> list[ReadingRow]:
    """List the readings that stand, in the order they were stored."""
    c = tables.readings.c
    columns = (c.id, c.replaces, c.subject_id, c.question_id, c.judge, c.value)
    query = _of(run, tables.readings, *columns).order_by(c.id)
    if judge is not None:
        query = query.where(c.judge == judge)
    with run.reading() as connection:
        rows = list(_rows(connection, query))
    replaced = {row[1] for row in rows}
    return [
        ReadingRow(subject_id, question_id, name, decode_value(value))
        for id, _, subject_id, question_id, name, value in rows
        if id not in replaced
    ]


class AnswerRow(NamedTuple):
    """A reading with who gave it, its value and evidence as JSON."""

    subject_id: str
    question_id: str
    annotator: str
    value: str
    evidence: str


def read_answers(run: Run, judge: str) -> list[AnswerRow]:
    """List the readings of one judge that stand, in the order they were stored, with who looked."""
    c = tables.readings.c
    columns = (c.id, c.replaces, c.subject_id, c.question_id, c.annotator, c.value, c.evidence)
    query = _of(run, tables.readings, *columns)
    with run.reading() as connection:
        rows = list(_rows(connection, query.where(c.judge == judge).order_by(c.id)))
    replaced = {row[1] for row in rows}
    return [AnswerRow(*row[2:]) for row in rows if row[0] not in replaced]


def look_up_responses(run: Run, trial_ids: Sequence[str]) -> dict[str, Answered]:
    """Get what came of some trials in full."""
    c = tables.responses.c
    query = with_attachments(_of(run, tables.responses, c.trial_id, c.outcome, c.provenance))
    return {
        trial_id: Answered(
            attach_image(codec.outcome.validate_json(outcome), image), codec.provenance.validate_json(provenance)
        )
        for trial_id, outcome, provenance, image in _look_up(
            run, query.where(c.status == tables.DONE), c.trial_id, trial_ids
        )
    }


def look_up_readings(run: Run, subject_ids: Sequence[str]) -> dict[tuple[str, str], list[Judged]]:
    """Get the readings of some subjects in full, by subject and question."""
    c = tables.readings.c
    columns = (c.id, c.replaces, c.subject_id, c.question_id, c.judge, c.evidence, c.value)
    query = _of(run, tables.readings, *columns).order_by(c.id)
    rows = list(_look_up(run, query, c.subject_id, subject_ids))
    replaced = {row[1] for row in rows}
    found: dict[tuple[str, str], list[Judged]] = {}
    for id, _, subject_id, question_id, judge, evidence, value in rows:
        if id not in replaced:
            judged = Judged(judge, codec.evidence.validate_json(evidence), decode_value(value))
            found.setdefault((subject_id, question_id), []).append(judged)
    return found


class Judging(NamedTuple):
    """How much a judge has read by one rule, and from when to when."""

    judge: str
    rule: str
    readings: int
    annotators: int
    first_at: float
    last_at: float


def read_judgings(run: Run) -> list[Judging]:
    """List the judges with readings, replaced ones included, and the rules their values were read by."""
    c = tables.readings.c
    columns = (c.judge, c.rule, func.count(), func.count(c.annotator.distinct()), func.min(c.at), func.max(c.at))
    query = _of(run, tables.readings, *columns).group_by(c.judge, c.rule).order_by(c.judge, c.rule)
    with run.reading() as connection:
        return [Judging(*row) for row in connection.execute(query)]


def look_up_failures(run: Run, trial_ids: Sequence[str]) -> dict[str, str]:
    """Get the latest reason why each of these trials failed."""
    c = tables.responses.c
    query = _of(run, tables.responses, c.trial_id, c.outcome).where(c.status != tables.DONE).order_by(c.id)
    return {
        trial_id: str(from_json(outcome)["reason"]) for trial_id, outcome in _look_up(run, query, c.trial_id, trial_ids)
    }


class Traced(NamedTuple):
    """How something came about: what may differ each time, and as JSON what is mostly the same.

    `prompt` and `rewritten` are JSON too; `settings` has the parameters, revision, weights and versions, `usage` the
    tokens, the price and the unsettled tries.
    """

    seed: str
    prompt: str
    rewritten: str
    settings: str
    usage: str


class ResponseTrace(NamedTuple):
    """One response, also one that failed, with how it came about; `kind` is that of its outcome."""

    trial_id: str
    item_id: str
    model: str
    repeat: int
    attempt: int
    kind: str
    at: float
    how: Traced


class ReadingTrace(NamedTuple):
    """One reading that stands, the first of the trials it is about, and how it came about if that is known."""

    trial_id: str
    subject_id: str
    question_id: str
    judge: str
    annotator: str
    rule: str
    at: float
    how: Traced | None


def read_provenances(run: Run) -> Iterator[ResponseTrace]:
    """Go through every response, failures that were followed by another try included."""
    c = tables.responses.c
    columns = (c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.status, c.outcome, c.at, c.provenance)
    with run.reading() as connection:
        rows = _rows(connection, _of(run, tables.responses, *columns).order_by(c.id))
        for trial_id, item_id, model, repeat, attempt, status, outcome, at, text in rows:
            kind = _kind(outcome) if status == tables.DONE else "failed"
            yield ResponseTrace(trial_id, item_id, model, repeat, attempt, kind, at, _take_apart(text))


def read_reading_provenances(run: Run) -> Iterator[ReadingTrace]:
    """Go through the readings that stand, as they come from the database."""
    c = tables.readings.c
    columns = (c.subject_id, c.question_id, c.trial_ids, c.judge, c.annotator, c.rule, c.at, c.provenance)
    # One statement sees the run at one moment: what is replaced meanwhile is not seen twice.
    replaced = _of(run, tables.readings, c.replaces).where(c.replaces.is_not(None))
    with run.reading() as connection:
        rows = _rows(connection, _of(run, tables.readings, *columns).where(c.id.not_in(replaced)).order_by(c.id))
        for subject_id, question_id, trial_ids, judge, annotator, rule, at, text in rows:
            # Only of a group must the members be decoded.
            first = codec.trial_ids.validate_json(trial_ids)[0] if "," in trial_ids else subject_id
            how = None if text is None else _take_apart(text)
            yield ReadingTrace(first, subject_id, question_id, judge, annotator, rule, at, how)


class ItemText(NamedTuple):
    """An item; its task, asks and factors are JSON."""

    item_id: str
    task: str
    asks: str
    factors: str


def read_item_texts(run: Run) -> Iterator[ItemText]:
    """Go through the items without decoding them."""
    c = tables.items.c
    with run.reading() as connection:
        for row in _rows(connection, _of(run, tables.items, c.item_id, c.task, c.asks, c.factors)):
            yield ItemText(*row)


def read_suite_options(run: Run) -> dict[str, Mapping[str, str]]:
    """Get all options of every suite of the run."""
    c = tables.suites.c
    with run.reading() as connection:
        rows = connection.execute(_of(run, tables.suites, c.suite, c.options))
        return {suite: codec.options.validate_json(options) for suite, options in rows}


@lru_cache(_DIFFERENT_VALUES)
def decode_value(text: str) -> Value:
    """Read a value from its JSON."""
    return codec.value.validate_json(text)


@lru_cache(_DIFFERENT_VALUES)
def decode_question(text: str) -> Question:
    """Read a question from its JSON."""
    return codec.question.validate_json(text)


def _take_apart(provenance: str) -> Traced:
    """Cut a provenance where its fields begin, without decoding it: quotes within texts have a backslash."""
    head, mark, tail = provenance.partition(',"parameters":')
    if not mark:  # a text that held half a character was written with blanks
        return _take_apart(codec.encode(codec.provenance, codec.provenance.validate_json(provenance)))
    begin, _, rewritten = head.rpartition(',"prompt_rewritten":')
    seed, _, prompt = begin.partition(',"prompt_sent":')
    settings, _, usage = tail.rpartition(',"tokens_in":')
    return Traced(
        seed.removeprefix('{"seed":'), prompt, rewritten, f'{{"parameters":{settings}}}', f'{{"tokens_in":{usage}'
    )


def _kind(outcome: str) -> str:
    # The kind is the last that is written of a record; quotes within texts before it have a backslash.
    return outcome.rpartition('"kind":')[2].strip(' "}')


def _of(run: Run, table: Table, *columns: ColumnElement[Any]) -> Select[Any]:
    return select(*columns).where(table.c.run_id == run.run_id)


def _look_up(run: Run, query: Select[Any], key: Column[str], ids: Sequence[str]) -> Iterator[Any]:
    with run.reading() as connection:
        for start in range(0, len(ids), _IDS_AT_ONCE):
            yield from connection.execute(query.where(key.in_(ids[start : start + _IDS_AT_ONCE])))


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    """Go through the rows, many fetched at a time: one by one takes longer than all that is done with them."""
    for chunk in connection.execute(query).partitions(_ROWS_AT_ONCE):
        yield from chunk
