"""The columns of a run that figures are made of, as frames: a row per trial or reading, without whole records.

Decoding every response and reading would take most of the time of a large report; figures need a few columns.
"""

from collections.abc import Iterable, Mapping

import polars as pl
from pydantic_core import from_json
from sqlalchemy import Select, Table, func, select

from subitize.records import Subject
from subitize.store import tables
from subitize.store.interning import select_readings
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
    kind = pl.when(pl.col("status") == tables.DONE).then(take_kind(pl.col("end")))
    rows = rows.with_columns(kind=kind.otherwise(pl.lit(FAILED)))
    return keep_best(rows, ["trial"], pl.col("kind") != FAILED, pl.int_range(pl.len())).select(*RESPONSES)


def take_kind(outcome: pl.Expr) -> pl.Expr:
    """Cut the kind out of outcomes as JSON, or out of their ends."""
    return outcome.str.tail(_KIND_CHARACTERS).str.extract(_KIND_PATTERN)


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
    numbers = {"id": c.id, "replaces": c.replaces, "subject": c.subject, "question": c.question, "source": c.source}
    texts = {"value": c.value, **({"evidence": c.evidence} if with_evidence else {})}
    query = select_readings(run.run_id, [*numbers.values(), *texts.values()], judge)
    rows = _fetch(run, query, {**dict.fromkeys(numbers, pl.Int64()), **dict.fromkeys(texts, pl.String())})
    rows = rows.join(rows.select("replaces"), left_on="id", right_on="replaces", how="anti")
    # What readings share is read after them: all that they name was stored before.
    for table, number in ((tables.subjects, "subject"), (tables.questions, "question"), (tables.sources, "source")):
        shared = read_shared(run, table)
        rows = rows.rename({number: "number"}).join(shared, on="number", maintain_order="left").drop("number")
    rows = rows.rename({"question": "question_record"}).rename({"subject_id": "subject", "question_id": "question"})
    return rows.select(*READINGS, *(("evidence", "question_record") if with_evidence else ()))


def read_shared(run: Run, table: Table) -> pl.DataFrame:
    """Read what readings share, with the numbers by which they name it."""
    names = [column.name for column in table.columns if column.name not in ("id", "run_id")]
    query = select(table.c.id, *(table.c[name] for name in names)).where(table.c.run_id == run.run_id)
    return _fetch(run, query, {"number": pl.Int64(), **dict.fromkeys(names, pl.String())})


def read_trials_looked_at(run: Run) -> frozenset[str]:
    """List the trials whose responses somebody has looked at, alone or in a group."""
    return frozenset(trial for text in read_shared(run, tables.subjects)["trial_ids"] for trial in from_json(text))


def read_judges(run: Run) -> list[str]:
    """List the judges that have read anything."""
    return read_shared(run, tables.sources)["judge"].unique().sort().to_list()


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
