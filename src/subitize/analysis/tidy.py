"""Counts of known numbers as a tidy frame: one row per observation."""

from collections.abc import Iterable

import polars as pl

from subitize.analysis.observations import Observation, asks_for_number

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
    counts = [one for one in observations if not one.is_excluded and is_count(one)]
    items = [one.item for one in counts]
    wordings = [item.factors.get("wording") for item in items]
    columns: list[list[object]] = [
        [item.suite for item in items],
        [one.model for one in counts],
        [one.judge for one in counts],
        [item.id for item in items],
        [item.task.kind for item in items],
        [str(item.factors["category"]) for item in items],
        [item.factors["number"] for item in items],
        [None if wording is None else str(wording) for wording in wordings],
        [one.repeat for one in counts],
        [None if one.value is None else float(one.value) for one in counts],
        [one.status for one in counts],
    ]
    return pl.DataFrame(dict(zip(COLUMNS, columns, strict=True)), schema=COLUMNS)


def is_count(one: Observation) -> bool:
    """Tell whether an observation is of a count whose right number is the item's factor `number`."""
    return asks_for_number(one.item, one.ask)
