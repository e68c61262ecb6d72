"""Whole responses and readings as frames of so many rows each, read as they are asked for: a run may be large."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import polars as pl
from sqlalchemy import Connection, Select, and_, case, exists, func, select

from subitize.io.frames import make_frame
from subitize.store import tables
from subitize.store.attachments import with_attachments
from subitize.store.frames import read_shared
from subitize.store.interning import IS_ANSWER, select_readings, stands
from subitize.store.run import Run

ROWS_AT_ONCE: Final = 20_000
_IDS_AT_ONCE = 500

_RESPONSES: dict[str, pl.DataType] = {
    **dict.fromkeys(("trial", "item", "model"), pl.String()),
    **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
    **dict.fromkeys(("image", "outcome", "provenance"), pl.String()),
    "tries": pl.Int64(),
    **dict.fromkeys(("latency_seconds", "stored_at"), pl.Float64()),
    "attached": pl.String(),
}
_READINGS: dict[str, pl.DataType] = {
    **dict.fromkeys(("reading", "subject_number", "question_number", "source_number"), pl.Int64()),
    **dict.fromkeys(("value", "evidence"), pl.String()),
    "stored_at": pl.Float64(),
    "purpose": pl.String(),
    "reviews": pl.Int64(),
}


def stream_responses(run: Run) -> Iterator[pl.DataFrame]:
    """Go through the responses, one per trial: the answer, or where there is none the latest failure.

    Outcome and provenance are JSON; `image` is the file of a picture that was stored, `attached` of one brought later.
    """
    c = tables.responses.c
    done = tables.responses.alias()
    is_done = exists().where(done.c.run_id == c.run_id, done.c.trial_id == c.trial_id, done.c.status == tables.DONE)
    failures = (
        select(c.trial_id, func.min(c.id).label("first"), func.max(c.id).label("last"))
        .where(c.run_id == run.run_id, c.status != tables.DONE)
        .group_by(c.trial_id)
        .subquery()
    )
    columns = (c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.image, c.outcome, c.provenance)
    query = with_attachments(select(*columns, c.tries, c.latency_seconds, c.at))
    query = query.outerjoin(failures, failures.c.trial_id == c.trial_id)
    query = query.where(c.run_id == run.run_id, (c.status == tables.DONE) | and_(c.id == failures.c.last, ~is_done))
    # A trial that was tried again stands where it was tried first.
    query = query.order_by(case((failures.c.first < c.id, failures.c.first), else_=c.id))
    with _streaming(run) as connection:
        yield from _frames(connection, query, _RESPONSES)


def stream_readings(run: Run) -> Iterator[pl.DataFrame]:
    """Go through the readings that stand, in the order they were stored; value, evidence and question are JSON."""
    c = tables.readings.c
    columns = (c.id, c.subject, c.question, c.source, c.value, c.evidence, c.at, c.purpose, c.reviews)
    query = select_readings(run.run_id, columns, with_reviews=True).where(stands(run.run_id))
    shared: list[tuple[str, pl.DataFrame]] = []
    with _streaming(run) as connection:
        for rows in _frames(connection, query, _READINGS):
            # What readings share is read after them: all that they name was stored before.
            shared = shared or [
                ("subject_number", read_shared(run, tables.subjects).rename({"subject_id": "subject"})),
                ("question_number", read_shared(run, tables.questions).rename({"question": "question_record"})),
                ("source_number", read_shared(run, tables.sources)),
            ]
            for number, others in shared:
                rows = rows.join(others, left_on=number, right_on="number", maintain_order="left").drop(number)
            yield rows.rename({"question_id": "question"})


def count_annotators(run: Run) -> pl.DataFrame:
    """Count the answers that stand of each subject, question and judge."""
    c, subjects, questions, sources = (
        table.c for table in (tables.readings, tables.subjects, tables.questions, tables.sources)
    )
    counted = (
        select(c.subject, c.question, sources.judge, func.count().label("annotators"))
        .where(stands(run.run_id), IS_ANSWER, sources.id == c.source)
        .group_by(c.subject, c.question, sources.judge)
        .subquery()
    )
    columns = (subjects.subject_id, questions.question_id, counted.c.judge, counted.c.annotators)
    query = select(*columns).where(subjects.id == counted.c.subject, questions.id == counted.c.question)
    key = ("subject", "question", "judge")
    schema: dict[str, pl.DataType] = {**dict.fromkeys(key, pl.String()), "annotators": pl.Int64()}
    with run.reading() as connection:
        rows = pl.concat(list(_frames(connection, query, schema)))
    # Questions that differ otherwise may have one meaning.
    return rows.group_by(*key).agg(pl.col("annotators").sum())


def look_up_outcomes(run: Run, trials: pl.Series) -> pl.DataFrame:
    """Get the outcomes of some trials that were answered, as JSON."""
    c = tables.responses.c
    query = select(c.trial_id, c.outcome).where(c.run_id == run.run_id, c.status == tables.DONE)
    schema: dict[str, pl.DataType] = dict.fromkeys(("trial", "outcome"), pl.String())
    found = [make_frame((), schema)]
    with run.reading() as connection:
        for some in trials.to_frame().iter_slices(_IDS_AT_ONCE):
            ids = some.to_series().to_list()
            found.extend(_frames(connection, query.where(c.trial_id.in_(ids)), schema))
    return pl.concat(found)


@contextmanager
def _streaming(run: Run) -> Iterator[Connection]:
    """Look into the database without fetching all at once; PostgreSQL keeps rows for later only in a transaction."""
    with run.reading() as connection:
        if connection.dialect.name == "postgresql":
            connection = connection.execution_options(isolation_level="READ COMMITTED", stream_results=True)
        yield connection


def _frames(connection: Connection, query: Select[Any], schema: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Fetch so many rows at a time; there is one frame at least, if an empty one."""
    parts = connection.execute(query).partitions(ROWS_AT_ONCE)
    yield make_frame(next(parts, ()), schema)
    for rows in parts:
        yield make_frame(rows, schema)
