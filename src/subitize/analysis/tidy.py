"""Counts of known numbers as a tidy frame: one row per observation."""

import polars as pl

from subitize.analysis.clusters import place_observations
from subitize.analysis.observations import Observations
from subitize.frames import make_frame

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "model", "judge", "item", "task", "category"), pl.String()),
    "number": pl.Int64(),
    "wording": pl.String(),
    "repeat": pl.Int64(),
    "response": pl.Float64(),
    "status": pl.String(),
    "is_excluded": pl.Boolean(),
    **dict.fromkeys(("stratum", "cluster"), pl.Int64()),
}
_FACTORS = ("task", "category", "number", "wording")


def frame_counts(observations: Observations) -> pl.DataFrame:
    """Take the observations of counts that have one right number, in items with a category and that number.

    The wording is null where a suite has only one; so is the response where there is none.
    """
    counts = place_observations(observations.filter(pl.col("is_number") & pl.col("is_relevant")))
    items = [
        (
            item.id,
            item.task.kind,
            str(item.factors["category"]),
            item.factors["number"],
            None if "wording" not in item.factors else str(item.factors["wording"]),
        )
        for item in counts.seen_items()
    ]
    told = make_frame(items, {name: COLUMNS[name] for name in ("item", *_FACTORS)})
    return counts.rows.join(told, on="item", maintain_order="left").rename({"value": "response"}).select(*COLUMNS)
