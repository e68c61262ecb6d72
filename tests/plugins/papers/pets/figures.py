"""What a report says of pets: a leaderboard, a section of its own, and a sentence in the summary."""

from collections.abc import Sequence

import polars as pl

from pets.tables import share_of_right
from subitize.report.charts import Palette
from subitize.report.papers import JudgedRows
from subitize.report.table import Column, Paragraph, Row, Section, Table

NOTHING = "No pet was counted."


def leaderboard(groups: Sequence[JudgedRows]) -> list[Table]:
    """Rank models by success."""
    rows = [
        Row((str(model), share_of_right(own)), group.badges[str(model)])
        for group in groups
        for (model,), own in group.rows.group_by("model", maintain_order=True)
    ]
    published = Row(("kennel-1", 0.75), "published")
    return [Table.of("pets-leaderboard", "Leaderboard", (Column.text("Model"), "Success"), [*rows, published])]


def headline(groups: Sequence[JudgedRows]) -> str:
    """Count pairs."""
    pairs = pl.concat(group.rows for group in groups).filter(pl.col("target") == 2)
    return f"{pairs['is_right'].sum()} of {pairs.height} pairs of pets are pairs."


def pairs(groups: Sequence[JudgedRows], palette: Palette) -> Section:
    """Tell of pairs."""
    return Section("pets-pairs", "Pairs of pets", (Paragraph(headline(groups)),))


SECTIONS = (pairs,)
