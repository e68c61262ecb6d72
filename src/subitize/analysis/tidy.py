"""Counts of known numbers as a tidy frame: one row per observation."""

from collections.abc import Iterable

import polars as pl

from subitize.analysis.observations import Observation
from subitize.records import Count

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "model", "judge", "item_id", "task", "category"), pl.String()),
    "number": pl.Int64(),
    "wording": pl.String(),
    "repeat": pl.Int64(),
    "response": pl.Float64(),
    "status": pl.String(),
}


def frame_counts(observations: Iterable[Observation]) -> pl.DataFrame:
    """Take the observations of counts that have one right number, in items with a category and that number.

    Excluded items are left out. The wording is null where a suite has only one; so is the response where there is
    none.
    """
    rows = [_row(one) for one in observations if is_count(one) and not one.is_excluded]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def is_count(one: Observation) -> bool:
    """Tell whether an observation is of a count whose right number is the item's factor `number`."""
    factors = one.item.factors
    number = factors.get("number")
    is_number = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    return isinstance(one.ask.question, Count) and is_number and "category" in factors and one.ask.expects == (number,)


def _row(one: Observation) -> tuple[object, ...]:
    factors = one.item.factors
    wording = factors.get("wording")
    return (
        one.item.suite,
        one.model,
        one.judge,
        one.item.id,
        one.item.task.kind,
        str(factors["category"]),
        factors["number"],
        None if wording is None else str(wording),
        one.repeat,
        None if one.value is None else float(one.value),
        one.status,
    )
