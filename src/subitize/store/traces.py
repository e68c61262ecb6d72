"""How the responses and readings of a run came about, as frames: a row each, with what its provenance says.

`settings` (parameters, revision, weights and versions) and `usage` (tokens, price and unsettled tries) are JSON, as are
the prompts: among many rows few are different, so that whoever needs them decodes each text once.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from sqlalchemy import Select, Table, func, select

from subitize.store import codec, tables
from subitize.store.interning import select_readings
from subitize.store.run import Run
from subitize.store.subjects import FAILED

_ROWS_AT_ONCE = 10_000
# What stands between the fields of a provenance. Quotes within texts have a backslash, and only the versions before the
# tokens end in a brace, so that nothing else looks like it.
_BETWEEN = {
    "seed": ',"prompt_sent":',
    "prompt": ',"prompt_rewritten":',
    "rewritten": ',"parameters":',
    "settings": '},"tokens_in":',
}
# The kind is the last that is written of a record, and the longest is "refused".
_KIND_CHARACTERS = 10
_KIND = r'"(\w+)"\}$'


def trace_responses(run: Run) -> pl.DataFrame:
    """List every response in the order they were stored, failures that were followed by another try included."""
    c = tables.responses.c
    end = func.substr(c.outcome, func.length(c.outcome) - (_KIND_CHARACTERS - 1))
    query = select(c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.status, end, c.at, c.provenance)
    schema = {
        **dict.fromkeys(("trial", "item", "model"), pl.String()),
        **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
        **dict.fromkeys(("status", "end"), pl.String()),
        "at": pl.Float64(),
        "provenance": pl.String(),
    }
    rows = pl.concat(map(_take_apart, _fetch(run, query.where(c.run_id == run.run_id).order_by(c.id), schema)))
    kind = pl.when(pl.col("status") == tables.DONE).then(pl.col("end").str.extract(_KIND)).otherwise(pl.lit(FAILED))
    # Some providers give back the prompt that they got.
    is_rewritten = (pl.col("rewritten") != "null") & (pl.col("rewritten") != pl.col("prompt"))
    suite = pl.col("item").str.extract("^([^/]*)")
    return rows.select(pl.exclude("status", "end"), kind=kind, suite=suite, is_rewritten=is_rewritten)


def trace_readings(run: Run) -> pl.DataFrame:
    """List the readings that stand in the order they were stored, each with the first of the trials it is about.

    What a call says is null where no model was asked. Prompts are left out: they are long, and nothing is made of them.
    """
    c = tables.readings.c
    # One statement sees the run at one moment: what is replaced meanwhile is not seen twice.
    replaced = select(c.replaces).where(c.run_id == run.run_id, c.replaces.is_not(None))
    query = select_readings(run.run_id, (c.subject, c.question, c.source, c.at, c.provenance))
    numbers = ("subject_number", "question_number", "source_number")
    schema = {**dict.fromkeys(numbers, pl.Int64()), "at": pl.Float64(), "provenance": pl.String()}
    chunks = _fetch(run, query.where(c.id.not_in(replaced)), schema)
    rows = pl.concat(_take_apart(chunk).drop("seed", "prompt", "rewritten") for chunk in chunks)
    # What readings share was stored with them or before: read after them, it is all there.
    subjects = _read_shared(run, tables.subjects, {"subject": "subject_id", "trial": "trial_ids"})
    subjects = subjects.with_columns(pl.col("trial").str.extract('"(.*?)"'))
    questions = _read_shared(run, tables.questions, {"question": "question_id"})
    sources = _read_shared(run, tables.sources, {name: name for name in ("judge", "annotator", "rule")})
    for number, shared in zip(numbers, (subjects, questions, sources), strict=True):
        rows = rows.join(shared, left_on=number, right_on="number", how="left", maintain_order="left")
    return rows.drop(numbers)


def _read_shared(run: Run, table: Table, columns: Mapping[str, str]) -> pl.DataFrame:
    """Get what readings share, by the number that they have for it; columns are stored under other names."""
    query = select(table.c.id, *(table.c[stored] for stored in columns.values())).where(table.c.run_id == run.run_id)
    return pl.concat(_fetch(run, query, {"number": pl.Int64(), **dict.fromkeys(columns, pl.String())}))


def _take_apart(rows: pl.DataFrame) -> pl.DataFrame:
    """Cut the provenances where their fields begin, without decoding them."""
    text = pl.col("provenance")
    # One that held half a character was written with blanks.
    spaced = rows.select(text.filter(~text.str.contains(',"parameters":', literal=True)).unique()).to_series()
    plain = {one: codec.encode(codec.provenance, codec.provenance.validate_json(one)) for one in spaced}
    cut = rows.lazy().with_columns(text.replace(plain) if plain else text)
    for name, mark in _BETWEEN.items():
        cut = cut.with_columns(text.str.splitn(mark, 2).struct.rename_fields([name, "provenance"])).unnest("provenance")
    settings = pl.lit('{"parameters":') + pl.col("settings") + pl.lit("}}")
    usage = pl.lit('{"tokens_in":') + text
    seed = pl.col("seed").str.strip_prefix('{"seed":')
    return cut.with_columns(seed=seed, settings=settings, usage=usage).drop("provenance").collect()


def _fetch(run: Run, query: Select[Any], schema: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Go through the rows, many at a time; there is a frame also where there is no row."""
    with run.reading() as connection:
        # The driver's own cursor: SQLAlchemy would make an object of every row.
        cursor = connection.execute(query).cursor
        assert cursor is not None
        yield pl.DataFrame(schema=schema)
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield pl.DataFrame(rows, schema, orient="row")
