"""The columns of a run that figures are made of, as frames: a row per trial or reading, without whole records.

Decoding every response and reading would take most of the time of a large report; figures need a few columns.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from sqlalchemy import ColumnElement, Select, Table, func, select, true

from subitize.io.frames import make_frame
from subitize.records import Subject
from subitize.store import tables
from subitize.store.databases import Folder
from subitize.store.interning import select_readings
from subitize.store.run import Run
from subitize.store.subjects import FAILED, REFUSED

RESPONSES: dict[str, pl.DataType] = {
    **dict.fromkeys(("trial", "item", "model"), pl.String()),
    **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
    "kind": pl.String(),
}
_ROWS_AT_ONCE = 10_000
# The kind is the last that is written of a record, and the longest is "refused".
_KIND_CHARACTERS = 10
_KIND = r'"(\w+)"\}$'


def read_responses(run: Run) -> pl.DataFrame:
    """List the responses, one per trial: the answer, or where there is none the latest failure."""
    return one_per_trial(pl.concat(fetch_responses(run, {})))


def one_per_trial(responses: pl.DataFrame) -> pl.DataFrame:
    """Keep of all responses, in the order they were stored, the answer to each trial, or else its latest failure."""
    rows = responses.select(*RESPONSES)
    return keep_best(rows, ["trial"], pl.col("kind") != FAILED, pl.int_range(pl.len()))


def fetch_responses(run: Run, more: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Go through every response in the order they were stored, many at a time, with more columns of the table."""
    c = tables.responses.c
    end = func.substr(c.outcome, func.length(c.outcome) - (_KIND_CHARACTERS - 1))
    query = select(c.trial_id, c.item_id, c.model, c.repeat, c.attempt, end, c.status, *(c[name] for name in more))
    kind = pl.when(pl.col("status") == tables.DONE).then(take_kind(pl.col("kind"))).otherwise(pl.lit(FAILED))
    schema = {**RESPONSES, "status": pl.String(), **more}
    for rows in fetch(run, query.where(_is_of(run, tables.responses)).order_by(c.id), schema):
        with_kinds = rows.with_columns(kind=kind)
        if with_kinds["kind"].has_nulls():
            raise ValueError("an outcome has no kind")  # leaving the run will name it
        yield with_kinds.drop("status")


def take_kind(outcome: pl.Expr) -> pl.Expr:
    """Cut the kind out of outcomes as JSON, or out of their ends."""
    return outcome.str.tail(_KIND_CHARACTERS).str.extract(_KIND)


def latest_attempts(responses: pl.DataFrame) -> pl.DataFrame:
    """Keep the last attempt where an item was asked again: the one that figures use.

    A failed attempt counts only where there is no other: failing at asking again does not undo what was answered.
    """
    return keep_best(responses, ["item", "model", "repeat"], pl.col("kind") != FAILED, pl.col("attempt"))


def group_responses(answered: pl.DataFrame, size: int) -> pl.DataFrame:
    """List what questions about so many responses are about: one each, or several repeats of an item together.

    Of several: the latest attempts of a model at the repeats 0 to size-1 of an item, then at the next so many. A group
    that is not yet complete is left out. One that was refused stays in its group; only where all were, it is refused.
    """
    columns = ("item", "model", "repeat", "attempt", "subject", "is_refused")
    if size == 1:
        return answered.with_columns(subject="trial", is_refused=pl.col("kind") == REFUSED).select(columns)
    return group_trials(answered, size).select(columns)


def group_trials(answered: pl.DataFrame, size: int) -> pl.DataFrame:
    """List the groups of so many responses, each with its `trials` in the order of their repeats."""
    blocks = answered.sort("repeat", maintain_order=True).with_columns(block=pl.col("repeat") // size)
    groups = blocks.group_by("item", "model", "block", maintain_order=True).agg(
        pl.col("repeat").first(),
        pl.col("attempt").first(),
        pl.col("trial").alias("trials"),
        (pl.col("kind") == REFUSED).all().alias("is_refused"),
    )
    groups = groups.filter(pl.col("trials").list.len() == size)
    subjects = [Subject(tuple(trials)).id for trials in groups["trials"]]
    return groups.with_columns(pl.Series("subject", subjects, pl.String()))


def keep_best(rows: pl.DataFrame, key: list[str], *by: pl.Expr) -> pl.DataFrame:
    """Keep the row of each key that is largest in these, at the place of the key's first row."""
    ranked = rows.with_row_index("first").with_columns(*(one.alias(f"by {place}") for place, one in enumerate(by)))
    ranked = ranked.with_columns(pl.col("first").min().over(key))
    best = ranked.sort([f"by {place}" for place in range(len(by))], descending=True, maintain_order=True)
    return best.unique(key, keep="first", maintain_order=True).sort("first").select(rows.columns)


def read_readings(
    run: Run, judge: str | None = None, *, with_evidence: bool = False, with_reviews: bool = False
) -> pl.DataFrame:
    """List the readings that stand, in the order they were stored: who says what of which subject, and when.

    The value is JSON; `trial` is the first that the subject is made of. With the evidence comes the question, as JSON
    too: together they can be read by another rule. Reviews and adjudications come only if they are asked for; their
    `purpose` is not null.
    """
    c = tables.readings.c
    texts = ("value", "evidence") if with_evidence else ("value",)
    numbers = dict.fromkeys(("id", "subject", "question", "source"), pl.Int64())
    schema: dict[str, pl.DataType] = {**numbers, "at": pl.Float64(), **dict.fromkeys(texts, pl.String())}
    schema |= _OF_REVIEWS if with_reviews else {}
    query = select_readings(run.run_id, [c[name] for name in schema], judge, with_reviews=with_reviews)
    rows = pl.concat(fetch(run, query, schema))
    # Columns that hold next to nothing take as long to read as others: those that were replaced are asked for alone.
    replacing = select_readings(run.run_id, [c.replaces], judge, with_reviews=with_reviews)
    replacing = replacing.where(c.replaces.is_not(None), c.id <= rows.select(pl.col("id").max().fill_null(0)).item())
    replaced = pl.concat(fetch(run, replacing, {"id": pl.Int64()}))
    rows = rows.join(replaced, on="id", how="anti", maintain_order="left")
    # What readings share is read after them: all that they name was stored before.
    subjects = read_shared(run, tables.subjects).with_columns(trial=pl.col("trial_ids").str.extract('"(.*?)"'))
    questions, sources = read_shared(run, tables.questions), read_shared(run, tables.sources)
    for shared, number in ((subjects, "subject"), (questions, "question"), (sources, "source")):
        joined = rows.rename({number: "number"}).join(shared, on="number", maintain_order="left").drop("number")
        if joined.height != rows.height:
            raise ValueError(f"a reading is of no {number}")  # leaving the run will name it
        rows = joined
    of_reviews = [pl.col(name) if with_reviews else pl.lit(None, of).alias(name) for name, of in _OF_REVIEWS.items()]
    question = [pl.col("question").alias("question_record")] if with_evidence else []
    ids = {"subject": pl.col("subject_id"), "trial": pl.col("trial"), "question": pl.col("question_id")}
    return rows.select("id", "judge", "annotator", "rule", "at", *texts, *of_reviews, *question, **ids)


_OF_REVIEWS: dict[str, pl.DataType] = {"reviews": pl.Int64(), "purpose": pl.String()}


def read_shared(run: Run, table: Table) -> pl.DataFrame:
    """Read what readings share, with the numbers by which they name it."""
    names = [column.name for column in table.columns if column.name not in ("id", "run_id")]
    query = select(table.c.id, *(table.c[name] for name in names)).where(_is_of(run, table))
    return pl.concat(fetch(run, query, {"number": pl.Int64(), **dict.fromkeys(names, pl.String())}))


def _is_of(run: Run, table: Table) -> ColumnElement[bool]:
    """Keep the rows of a run; a folder has no others, and unasked for them SQLite goes row by row, by no index."""
    return true() if isinstance(run.location, Folder) else table.c.run_id == run.run_id


def read_trials_looked_at(run: Run) -> pl.Series:
    """List the trials whose responses somebody has looked at, alone or in a group."""
    trials = pl.col("trial_ids").str.json_decode(pl.List(pl.String))
    return read_shared(run, tables.subjects).select(trials.explode()).to_series()


def fetch(run: Run, query: Select[Any], schema: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Go through rows, many at a time; there is a frame also where there is no row."""
    with run.reading() as connection:
        # The driver's own cursor: SQLAlchemy would make an object of every row.
        cursor = connection.execute(query).cursor
        assert cursor is not None
        yield pl.DataFrame(schema=schema)
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield make_frame(rows, schema)
