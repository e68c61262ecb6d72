"""How the responses and readings of a run came about, as frames: a row each, with what its provenance says.

`settings` (parameters, revision, weights and versions) and `usage` (tokens, price and unsettled tries) are JSON, as are
the prompts: among many rows few are different, so that whoever needs them decodes each text once.
"""

import polars as pl

from subitize.store import codec, tables
from subitize.store.frames import fetch, fetch_responses
from subitize.store.interning import select_readings
from subitize.store.run import Run

# What stands between the fields of a provenance. Quotes within texts have a backslash, and only the versions before the
# tokens end in a brace, so that nothing else looks like it.
_BETWEEN = {
    "seed": ',"prompt_sent":',
    "prompt": ',"prompt_rewritten":',
    "rewritten": ',"parameters":',
    "settings": '},"tokens_in":',
}


def trace_responses(run: Run) -> pl.DataFrame:
    """List every response in the order they were stored, failures that were followed by another try included."""
    chunks = fetch_responses(run, {"at": pl.Float64(), "provenance": pl.String()})
    # Some providers give back the prompt that they got.
    is_rewritten = (pl.col("rewritten") != "null") & (pl.col("rewritten") != pl.col("prompt"))
    suite = pl.col("item").str.extract("^([^/]*)")
    return pl.concat(map(_take_apart, chunks)).with_columns(suite=suite, is_rewritten=is_rewritten)


def trace_readings(run: Run, readings: pl.DataFrame) -> pl.DataFrame:
    """Put beside readings what their calls say; it is null where no model was asked.

    Prompts are left out: they are long, and nothing is made of them.
    """
    c = tables.readings.c
    query = select_readings(run.run_id, (c.id, c.provenance)).where(c.provenance.is_not(None))
    chunks = fetch(run, query, {"id": pl.Int64(), "provenance": pl.String()})
    calls = pl.concat(_take_apart(chunk).select("id", "settings", "usage") for chunk in chunks)
    return readings.join(calls, on="id", how="left", maintain_order="left")


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
