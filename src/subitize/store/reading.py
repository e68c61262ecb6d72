"""Reads a run as polars frames: responses, readings, and how each came about.

Results need a few columns per trial or reading: decoding whole records would take most of the time of a large report.
Exports read whole records in chunks, as a run may be large. `settings` (parameters, revision, weights and versions),
`usage` (tokens, price and unsettled tries) and the prompts stay JSON: few are distinct, so each text need only be
decoded once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Final

import polars as pl
from sqlalchemy import Column, ColumnElement, Select, Table, func, select

from subitize.io import codec
from subitize.io.frames import make_frame
from subitize.records import FAILED
from subitize.store import tables
from subitize.store.rows import (
    ATTACHED,
    IS_ANSWER,
    IS_DONE,
    KIND_CHARACTERS,
    KIND_END,
    Per,
    is_by,
    is_current,
    select_readings,
    select_responses,
)
from subitize.store.run import Run

PART_ROWS: Final = 20_000
"""So many rows an export reads at once; frames are put together from fewer, which take less memory."""
_ROWS_AT_ONCE, _ROWS_FETCHED = 10_000, 500
_MANY_ROWS = 100_000
_IDS_AT_ONCE = 500
_KIND = r'"(\w+)"\}$'

_MADE, _READ = tables.responses.c, tables.readings.c
_RESPONSES: dict[str, tuple[ColumnElement[Any], pl.DataType]] = {
    "trial": (_MADE.trial_id, pl.String()),
    "item": (_MADE.item_id, pl.String()),
    "model": (_MADE.model, pl.String()),
    "repeat": (_MADE.repeat, pl.Int64()),
    "attempt": (_MADE.attempt, pl.Int64()),
    "kind": (KIND_END, pl.String()),
    "status": (_MADE.status, pl.String()),
    "image": (_MADE.image, pl.String()),
    "outcome": (_MADE.outcome, pl.String()),
    "provenance": (_MADE.provenance, pl.String()),
    "tries": (_MADE.tries, pl.Int64()),
    "latency_seconds": (_MADE.latency_seconds, pl.Float64()),
    "at": (_MADE.at, pl.Float64()),
    "attached": (ATTACHED, pl.String()),
}
_READINGS: dict[str, tuple[Column[Any], pl.DataType]] = {
    "id": (_READ.id, pl.Int64()),
    "judge": (tables.sources.c.judge, pl.String()),
    "annotator": (tables.sources.c.annotator, pl.String()),
    "rule": (tables.sources.c.rule, pl.String()),
    "at": (_READ.at, pl.Float64()),
    "value": (_READ.value, pl.String()),
    "evidence": (_READ.evidence, pl.String()),
    "provenance": (_READ.provenance, pl.String()),
    "reviews": (_READ.reviews, pl.Int64()),
    "purpose": (_READ.purpose, pl.String()),
    "question_record": (tables.questions.c.question, pl.String()),
    "subject": (tables.subjects.c.subject_id, pl.String()),
    "trial_ids": (tables.subjects.c.trial_ids, pl.String()),
    "question": (tables.questions.c.question_id, pl.String()),
}
# Of these tables few rows are many readings': joined by number, they need not be fetched for each.
_NUMBERS = {tables.questions: _READ.question, tables.sources: _READ.source}
TRIAL = ("trial", "item", "model", "repeat", "attempt", "kind")
VOTE = ("judge", "annotator", "value", "subject", "question")
READING = ("id", "judge", "annotator", "rule", "at", "value", "subject", "trial", "question")


def scan_responses(
    run: Run,
    columns: Collection[str] = TRIAL,
    *,
    per: Per = "trial",
    rows: int | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield responses in stored order, in parts: one per trial, the answer or else the latest failure, or all.

    `image` is the file of a stored picture, `attached` that of one attached later; outcome and provenance are JSON.
    """
    wanted = dict.fromkeys((*columns, "status"))
    query = select_responses(run, (_RESPONSES[name][0] for name in wanted), per=per)
    kind = pl.when(pl.col("status") == tables.DONE).then(take_kind(pl.col("kind"))).otherwise(pl.lit(FAILED))
    for part in _scan(run, query, {name: _RESPONSES[name][1] for name in wanted}, rows):
        if "kind" in columns:
            part = part.with_columns(kind=kind)
            _refuse_nulls(part, "kind", "an outcome has no kind")
        yield part.select(columns)


def read_responses(run: Run, columns: Collection[str] = TRIAL, *, per: Per = "trial") -> pl.DataFrame:
    """Return responses in stored order."""
    return pl.concat(scan_responses(run, columns, per=per))


def take_kind(outcome: pl.Expr) -> pl.Expr:
    """Extract the kind from outcomes as JSON, or from their ends."""
    return outcome.str.tail(KIND_CHARACTERS).str.extract(_KIND)


def scan_readings(
    run: Run,
    judge: str | None = None,
    columns: Collection[str] = READING,
    *,
    with_reviews: bool = False,
    rows: int | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the current readings in stored order, in parts: who says what of which subject, and when.

    Value, evidence and `question_record` are JSON; `trial` is the subject's first. Reviews and adjudications are left
    out unless asked for; their `purpose` is not null.
    """
    wanted = dict.fromkeys("trial_ids" if name == "trial" else name for name in columns)
    few = {table: [name for name in wanted if _READINGS[name][0].table is table] for table in _NUMBERS}
    many = {name: _READINGS[name] for name in wanted if _READINGS[name][0].table not in few}
    many |= {table.name: (_NUMBERS[table], pl.Int64()) for table, names in few.items() if names}
    own = () if judge is None else (is_by(run, judge),)
    query = select_readings(run, [column for column, _ in many.values()], *own, with_reviews=with_reviews)
    shared: list[pl.DataFrame] = []
    for part in _scan(run, query, {name: dtype for name, (_, dtype) in many.items()}, rows):
        # Read after the first rows: whatever they and all others name was stored before.
        shared = shared or [_read_few(run, table, names) for table, names in few.items() if names]
        for others in shared:
            part = part.join(others, on=others.columns[0], how="left", maintain_order="left")
        for name in wanted:
            if not _READINGS[name][0].nullable:
                _refuse_nulls(part, name, f"a reading has no {name}")
        if "trial" in columns:
            part = part.with_columns(trial=pl.col("trial_ids").str.extract('"(.*?)"'))
        yield part.select(columns)


def _read_few(run: Run, table: Table, columns: Sequence[str]) -> pl.DataFrame:
    """Read columns of a table that has few rows for many readings, after the numbers by which they refer to it."""
    known = {table.name: (table.c.id, pl.Int64()), **{name: _READINGS[name] for name in columns}}
    query = run.select(table, *(column for column, _ in known.values()))
    return pl.concat(_scan(run, query, {name: dtype for name, (_, dtype) in known.items()}))


def read_readings(
    run: Run, judge: str | None = None, columns: Collection[str] = READING, *, with_reviews: bool = False
) -> pl.DataFrame:
    """Return the current readings in stored order."""
    return pl.concat(scan_readings(run, judge, columns, with_reviews=with_reviews, rows=_MANY_ROWS))


def _refuse_nulls(rows: pl.DataFrame, column: str, message: str) -> None:
    if rows[column].has_nulls():
        raise ValueError(message)  # closing the run names the damaged row


def read_trials_looked_at(run: Run) -> pl.Series:
    """Return the trials whose responses have been judged, alone or in a group."""
    query = run.select(tables.subjects, tables.subjects.c.trial_ids)
    trials = pl.col("trial_ids").str.json_decode(pl.List(pl.String)).explode()
    return pl.concat(part.select(trials) for part in _scan(run, query, {"trial_ids": pl.String()})).to_series()


def count_annotators(run: Run) -> pl.DataFrame:
    """Count the current answers of each subject, question and judge."""
    c, subjects, questions, sources = (
        table.c for table in (tables.readings, tables.subjects, tables.questions, tables.sources)
    )
    counted = (
        select(c.subject, c.question, sources.judge, func.count().label("annotators"))
        .where(is_current(run), IS_ANSWER, sources.id == c.source)
        .group_by(c.subject, c.question, sources.judge)
        .subquery()
    )
    columns = (subjects.subject_id, questions.question_id, counted.c.judge, counted.c.annotators)
    query = select(*columns).where(subjects.id == counted.c.subject, questions.id == counted.c.question)
    key = ("subject", "question", "judge")
    schema: dict[str, pl.DataType] = {**dict.fromkeys(key, pl.String()), "annotators": pl.Int64()}
    rows = pl.concat(_scan(run, query, schema))
    # Different questions may have the same id.
    return rows.group_by(*key).agg(pl.col("annotators").sum())


def look_up_outcomes(run: Run, trials: pl.Series) -> pl.DataFrame:
    """Return the outcomes of some answered trials, as JSON."""
    c = tables.responses.c
    query = run.select(tables.responses, c.trial_id, c.outcome).where(IS_DONE)
    schema: dict[str, pl.DataType] = dict.fromkeys(("trial", "outcome"), pl.String())
    parts = (part.to_series().to_list() for part in trials.to_frame().iter_slices(_IDS_AT_ONCE))
    found = (frame for ids in parts for frame in _scan(run, query.where(c.trial_id.in_(ids)), schema))
    return pl.concat([make_frame((), schema), *found])


# The texts between the fields of a provenance. Quotes within texts have a backslash, and only the versions before the
# tokens end in a brace, so that nothing else looks alike.
_BETWEEN = {
    "seed": ',"prompt_sent":',
    "prompt": ',"prompt_rewritten":',
    "rewritten": ',"parameters":',
    "settings": '},"tokens_in":',
}


def trace_responses(run: Run) -> pl.DataFrame:
    """Return all responses in stored order, including failures that were tried again."""
    chunks = scan_responses(run, (*TRIAL, "at", "provenance"), per="response")
    # Some providers return the prompt that they were given.
    is_rewritten = (pl.col("rewritten") != "null") & (pl.col("rewritten") != pl.col("prompt"))
    suite = pl.col("item").str.extract("^([^/]*)")
    return pl.concat(map(_take_apart, chunks)).with_columns(suite=suite, is_rewritten=is_rewritten)


def trace_readings(
    run: Run, judge: str | None = None, columns: Collection[str] = VOTE, *, with_reviews: bool = False
) -> pl.DataFrame:
    """Return the current readings, with rule, time and the provenance of their calls.

    It is null where no model was asked. Prompts are left out: they are long, and not used.
    """
    wanted = tuple(dict.fromkeys((*columns, "id", "rule", "at")))
    readings = read_readings(run, judge, wanted, with_reviews=with_reviews)
    own = () if judge is None else (is_by(run, judge),)
    # Most runs have none, and where there are some, their texts are long.
    query = select_readings(run, (_READ.id, _READ.provenance), *own, with_reviews=with_reviews)
    chunks = _scan(run, query.where(_READ.provenance.is_not(None)), {"id": pl.Int64(), "provenance": pl.String()})
    calls = pl.concat(_take_apart(chunk).select("id", "settings", "usage") for chunk in chunks)
    if not calls.height:
        return readings.with_columns(pl.lit(None, calls.schema[name]).alias(name) for name in ("settings", "usage"))
    return readings.join(calls, on="id", how="left", maintain_order="left")


def read_groups(run: Run) -> pl.DataFrame:
    """Return the subjects of several trials, each with the first of these."""
    c = tables.subjects.c
    query = run.select(tables.subjects, c.subject_id, c.trial_ids).where(c.trial_ids.like("%,%"))
    rows = pl.concat(_scan(run, query, dict.fromkeys(("subject", "trial_ids"), pl.String())))
    return rows.select("subject", trial=pl.col("trial_ids").str.extract('"(.*?)"'))


def _take_apart(rows: pl.DataFrame) -> pl.DataFrame:
    """Split provenances into their fields without decoding them."""
    text, few = pl.col("provenance"), pl.Categorical()
    # A provenance with half a surrogate pair was written with blanks.
    spaced = rows.select(text.filter(~text.str.contains(',"parameters":', literal=True)).unique()).to_series()
    plain = {one: codec.encode(codec.provenance, codec.provenance.validate_json(one)) for one in spaced}
    cut = rows.lazy().with_columns(text.replace(plain) if plain else text)
    for name, mark in _BETWEEN.items():
        cut = cut.with_columns(text.str.splitn(mark, 2).struct.rename_fields([name, "provenance"])).unnest("provenance")
    settings = pl.lit('{"parameters":') + pl.col("settings") + pl.lit("}}")
    usage = pl.lit('{"tokens_in":') + text
    seed = pl.col("seed").str.strip_prefix('{"seed":')
    # Few of these are different: as texts they would be most of what a run takes in memory.
    return cut.with_columns(seed=seed, settings=settings.cast(few), usage=usage.cast(few)).drop("provenance").collect()


def _scan(
    run: Run, query: Select[Any], schema: Mapping[str, pl.DataType], rows: int | None = None
) -> Iterator[pl.DataFrame]:
    """Yield rows in parts, without fetching all at once; there is at least one part, if an empty one."""
    part_rows = rows or _ROWS_AT_ONCE
    # Of rows so few at a time all stay in the processor's cache.
    fetched_rows = min(part_rows, _ROWS_FETCHED)
    with run.reading() as connection:
        if connection.dialect.name == "postgresql":  # it keeps rows for later only in a transaction
            connection = connection.execution_options(isolation_level="READ COMMITTED", stream_results=True)
        with closing(connection.execute(query)) as result:
            # The driver's own cursor where it can be had: SQLAlchemy would make an object for every row.
            cursor = result if connection.dialect.name == "postgresql" else result.cursor
            assert cursor is not None
            frames = (make_frame(some, schema) for some in iter(lambda: cursor.fetchmany(fetched_rows), []))
            part = [make_frame((), schema), *islice(frames, part_rows // fetched_rows)]
            while part:
                yield pl.concat(part, rechunk=True)
                part = list(islice(frames, part_rows // fetched_rows))
