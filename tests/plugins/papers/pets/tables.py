"""The paper's one table, success by model, from its data or from a run, beside what is printed."""

from collections.abc import Iterator

import polars as pl

from subitize.analysis.papers import JudgedFrame
from subitize.analysis.published import Cell, CellId, Published, make_cell
from subitize.records import Estimate
from subitize.stats.estimate import wilson_interval

PUBLISHED = Published({CellId("table1", "kennel-1", "success"): "0.75"}, points=lambda _: 100.0)


def rows(seen: JudgedFrame) -> pl.DataFrame:
    """Take the images that enter the score."""
    return seen.whole.kept().rows.filter("is_relevant")


def warnings(rows: pl.DataFrame, seen: JudgedFrame | None = None) -> tuple[str, ...]:
    """Say nothing."""
    return ()


def table_1(rows: pl.DataFrame) -> Iterator[Cell]:
    """Compute the share of right images by model."""
    for (model,), own in rows.group_by("model", maintain_order=True):
        yield make_cell(CellId("table1", str(model), "success"), share_of_right(own))


TABLES = (table_1,)
EXTENSIONS = ()


def share_of_right(rows: pl.DataFrame) -> Estimate:
    """Estimate the share of right images."""
    return wilson_interval(int(rows["is_right"].sum()), rows.height)
