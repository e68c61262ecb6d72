"""What a report of GIMBRR is about: the models that one judge looked at in one run, under their names in the report."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from subitize.papers.gimbrr.ratings import Ratings, Shares, estimate_by
from subitize.papers.gimbrr.runs import take_ratings
from subitize.report.series import Series
from subitize.report.table import RowKind


@dataclass(frozen=True, slots=True)
class Group:
    """A run as one judge saw it. The name tells it from others, in files' names the suffix; the only one has none."""

    name: str
    suffix: str
    ratings: Ratings
    badges: dict[str, RowKind]

    def title(self, text: str) -> str:
        """Add the name to a title, where there are other groups."""
        return f"{text}, {self.name}" if self.suffix else text


def group_series(series: Sequence[Series]) -> list[Group]:
    """Put series of one run and judge together, those without any rating left out."""
    keys = dict.fromkeys((one.source.name, one.judge) for one in series)
    found = []
    for place, key in enumerate(keys, start=1):
        own = [one for one in series if (one.source.name, one.judge) == key]
        suffix = f"-{place}" if len(keys) > 1 else ""
        found.append(Group(" · ".join(key), suffix, _take(own), {one.label: one.badge for one in own}))
    return [group for group in found if group.ratings.rows.height]


def estimate_all(groups: Iterable[Group], *by: str, tasks: Sequence[str]) -> Shares:
    """Estimate shares of tasks by columns of the ratings and model, each group by itself."""
    found: Shares = {}
    for group in groups:
        found |= estimate_by(group.ratings.of(*tasks), *by, "model")
    return found


def list_badges(groups: Iterable[Group]) -> dict[str, RowKind]:
    """Mark the models that are stand-ins, by label."""
    return {label: badge for group in groups for label, badge in group.badges.items()}


def _take(series: Sequence[Series]) -> Ratings:
    names = {one.model: one.label for one in series}
    rows = take_ratings(series[0].source.survey, series[0].judge).rows
    return Ratings(rows.filter(pl.col("model").is_in(list(names)))).rename(names)
