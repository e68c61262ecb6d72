"""The columns of a run that figures are made of, as frames: a row per trial or reading, without whole records.

Decoding every response and reading would take most of the time of a large report; figures need a few columns.
"""

from collections.abc import Iterable, Mapping

import polars as pl
from pydantic_core import from_json
from sqlalchemy import Select, func, select

from subitize.records import Subject
from subitize.store import tables
from subitize.store.run import Run
from subitize.store.subjects import FAILED, REFUSED

RESPONSES: dict[str, pl.DataType] = {
    **dict.fromkeys(("trial", "item", "model"), pl.String()),
    **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
    "kind": pl.String(),
}
READINGS: dict[str, pl.DataType] = dict.fromkeys(
    ("subject", "question", "judge", "annotator", "rule", "value"), pl.String()
)
# The kind is the last that is written of a record, and the longest is "refused".
_KIND_CHARACTERS = 10
_KIND_PATTERN = r'"(\w+)"\}$'


def read_responses(run: Run) -> pl.DataFrame:
    """List the responses, one per trial: the answer, or where there is none the latest failure."""
    c = tables.responses.c
    end = func.substr(c.outcome, func.length(c.outcome) - (_KIND_CHARACTERS - 1))
    query = select(c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.status, end)
    columns = ("trial", "item", "model", "repeat", "attempt", "status", "end")
    schema = {name: RESPONSES.get(name, pl.String()) for name in columns}
    rows = _fetch(run, query.where(c.run_id == run.run_id).order_by(c.id), schema)
    kind = pl.when(pl.col("status") == tables.DONE).then(pl.col("end").str.extract(_KIND_PATTERN))
    rows = rows.with_columns(kind=kind.otherwise(pl.lit(FAILED)))
    return keep_best(rows, ["trial"], pl.col("kind") != FAILED, pl.int_range(pl.len())).select(*RESPONSES)


def latest_attempts(responses: pl.DataFrame) -> pl.DataFrame:
    """Keep the last attempt where an item was asked again: the one that figures use.

    A failed attempt counts only where there is no other: failing at asking again does not undo what was answered.
    """
    return keep_best(responses, ["item", "model", "repeat"], pl.col("kind") != FAILED, pl.col("attempt"))


def group_responses(answered: pl.DataFrame, size: int) -> pl.DataFrame:
    """Take the latest attempts of a model at the repeats 0 to size-1 of an item together, then the next so many.

    A group that is not yet complete is left out. One that was refused stays in its group; only where all were, the
    group is refused.
    """
    blocks = answered.sort("repeat", maintain_order=True).with_columns(block=pl.col("repeat") // size)
    groups = blocks.group_by("item", "model", "block", maintain_order=True).agg(
        pl.col("repeat").first(),
        pl.col("attempt").first(),
        pl.col("trial").alias("trials"),
        (pl.col("kind") == REFUSED).all().alias("is_refused"),
    )
    groups = groups.filter(pl.col("trials").list.len() == size)
    subjects = [Subject(tuple(trials)).id for trials in groups["trials"]]
    return groups.select(
        "item", "model", "repeat", "attempt", pl.Series("subject", subjects, pl.String()), "is_refused"
    )


def keep_best(rows: pl.DataFrame, key: list[str], *by: pl.Expr) -> pl.DataFrame:
    """Keep the row of each key that is largest in these, at the place of the key's first row."""
    ranked = rows.with_row_index("first").with_columns(*(one.alias(f"by {place}") for place, one in enumerate(by)))
    ranked = ranked.with_columns(pl.col("first").min().over(key))
    best = ranked.sort([f"by {place}" for place in range(len(by))], descending=True, maintain_order=True)
    return best.unique(key, keep="first", maintain_order=True).sort("first").select(rows.columns)


def read_readings(run: Run, judge: str | None = None, *, with_evidence: bool = False) -> pl.DataFrame:
    """List the readings that stand, in the order they were stored, with their values as JSON.

    With their evidence comes the question, as JSON too: together they can be read by another rule.
    """
    c = tables.readings.c
    columns = {"id": c.id, "replaces": c.replaces, "subject": c.subject_id, "question": c.question_id, "judge": c.judge}
    columns |= {"annotator": c.annotator, "rule": c.rule, "value": c.value}
    columns |= {"evidence": c.evidence, "question_record": c.question} if with_evidence else {}
    query = select(*columns.values()).where(c.run_id == run.run_id)
    if judge is not None:
        query = query.where(c.judge == judge)
    schema = {name: pl.Int64() if name in ("id", "replaces") else pl.String() for name in columns}
    rows = _fetch(run, query.order_by(c.id), schema)
    return rows.join(rows.select("replaces"), left_on="id", right_on="replaces", how="anti").drop("id", "replaces")


def read_trials_looked_at(run: Run) -> frozenset[str]:
    """List the trials whose responses somebody has looked at, alone or in a group."""
    c = tables.readings.c
    with run.reading() as connection:
        texts = connection.execute(select(c.trial_ids).distinct().where(c.run_id == run.run_id)).scalars()
        return frozenset(trial for text in texts for trial in from_json(text))


def read_judges(run: Run) -> list[str]:
    """List the judges that have read anything."""
    c = tables.readings.c
    with run.reading() as connection:
        return sorted(connection.execute(select(c.judge).distinct().where(c.run_id == run.run_id)).scalars())


def make_frame(rows: Iterable[tuple[object, ...]], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Make a frame of rows, with columns of these types even where there is no row."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pl.DataFrame(
        [pl.Series(name, values, dtype) for (name, dtype), values in zip(schema.items(), columns, strict=True)]
    )


def _fetch(run: Run, query: Select[tuple[object, ...]], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    with run.reading() as connection:
        # The driver's own cursor: SQLAlchemy would make an object of every row.
        cursor = connection.execute(query).cursor
        assert cursor is not None
        return make_frame(cursor.fetchall(), schema)
