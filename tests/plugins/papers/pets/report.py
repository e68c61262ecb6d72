"""What a report says of pets: a leaderboard, a section of its own, and a sentence in the summary."""

from collections.abc import Sequence

import polars as pl

from pets.tables import share_of_right
from subitize.report.charts import Palette
from subitize.report.series import CountingModel, Series
from subitize.report.table import Column, Paragraph, Row, Section, SuiteReport, Table


def compose_account(
    suite: str, series: Sequence[Series], refined: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport | None:
    """Rank models by success, and tell of pairs."""
    columns = (Column.text("Model"), Column("Success"))
    rows = [Row((one.label, share_of_right(one.observations)), one.badge) for one in series]
    published = Row(("kennel-1", 0.75), "published")
    leader = Table("pets-leaderboard", "Leaderboard", columns, (*rows, published))
    pairs = pl.concat(one.observations.rows for one in series).filter(pl.col("target") == 2)
    told = f"{pairs['is_right'].sum()} of {pairs.height} pairs of pets are pairs."
    section = Section("pets-pairs", "Pairs of pets", (Paragraph(told),))
    return SuiteReport([leader], [section], headline=told)
