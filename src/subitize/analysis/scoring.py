"""Accuracy, MAE, NAE and the shares of what could not be used, each with its interval and n."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from subitize.analysis.levels import at_levels, check_factors
from subitize.analysis.observations import Observations
from subitize.errors import NothingToDoError
from subitize.records import Estimate, Item
from subitize.stats import mean_interval, wilson_interval


@dataclass(frozen=True, slots=True)
class Score:
    """One measure of one model on one group of items.

    `excluded` counts the observations left out by hand; informed are figures whose judge knew what was asked for.
    """

    suite: str
    model: str
    judge: str
    factor: str
    group: str
    measure: str
    estimate: Estimate
    excluded: int
    is_informed: bool


@dataclass(frozen=True, slots=True)
class Measure:
    """Which observations a figure is of, and what is averaged over them: a share, or, with a step, an error.

    The step is what an error would differ by if the answer were off by 1 more. `needs` is what at least one
    observation must fulfil for the figure to say anything.
    """

    where: pl.Expr
    value: pl.Expr
    step: pl.Expr | None = None
    needs: pl.Expr | None = None
    is_whole: bool = False
    """Whether whole answers have whole values, which are written without a point where all are the same."""

    def columns(self, name: str) -> Iterator[pl.Expr]:
        """Collect the values of a group of observations, and their steps, in columns of this name."""
        is_meant = self.where & _IS_KEPT
        if self.needs is not None:
            is_meant &= (self.needs & _IS_KEPT).any()
        yield self.value.filter(is_meant).alias(name)
        if self.step is not None:
            yield self.step.filter(is_meant).alias(f"{name} step")

    def estimate(self, group: Mapping[str, Any], name: str) -> Estimate | None:
        """Estimate the figure from a group's columns of this name; None where nothing was observed."""
        values = group[name]
        if not values:
            return None
        if self.is_whole:
            values = [int(one) if one.is_integer() else one for one in values]
        if self.step is not None:
            return estimate_error(values, group[f"{name} step"])
        return wilson_interval(int(sum(values)), len(values))


_IS_KEPT = ~pl.col("is_excluded")
_IS_SINGLE = pl.col("group") == 1  # that one of four is right says nothing of each
_IS_ELIGIBLE, _IS_REFUSED = pl.col("status") == "eligible", pl.col("status") == "refused"
_IS_COUNT = _IS_ELIGIBLE & pl.col("value").is_not_null() & pl.col("target").is_not_null()
_TARGET = pl.col("target")
_ERROR = (pl.col("value") - _TARGET).abs()

MEASURES: dict[str, Measure] = {
    # Refusals are wrong.
    "accuracy": Measure(_IS_SINGLE & (_IS_ELIGIBLE | _IS_REFUSED), pl.col("is_right")),
    "accuracy_answered": Measure(_IS_SINGLE & _IS_ELIGIBLE, pl.col("is_right")),
    # Whatever an answer rests on in a scene graph; where none rests on another, it is the accuracy.
    "accuracy_by_itself": Measure(
        _IS_ELIGIBLE | _IS_REFUSED, pl.col("is_right_by_itself"), needs=pl.col("parent").is_not_null()
    ),
    # Of groups of images of which at least one is right, as they were judged together.
    "success": Measure(~_IS_SINGLE & (_IS_ELIGIBLE | _IS_REFUSED), pl.col("is_right")),
    "mae": Measure(_IS_COUNT, _ERROR, step=_TARGET.is_not_null().cast(pl.Float64), is_whole=True),
    "nae": Measure(_IS_COUNT & (_TARGET != 0), _ERROR / _TARGET, step=1 / _TARGET),
    "discarded": Measure(~_IS_REFUSED, pl.col("status") == "discarded"),
    "refused": Measure(pl.col("status").is_not_null(), _IS_REFUSED),
}


def score(observations: Observations, factors: Sequence[str] | None = None) -> list[Score]:
    """Measure every model, on the whole and by each level of the factors (None: every factor of 2 to 50 levels)."""
    if observations.rows["is_excluded"].all():
        raise NothingToDoError(
            f"all {len(observations)} observations are excluded; take an exclusion back with: "
            "subitize exclude RUN ITEM --reason WHY --undo"
        )
    items = observations.seen_items()
    chosen = list_factors(items) if factors is None else check_factors(items, factors)
    columns = [column for name, one in MEASURES.items() for column in one.columns(name)]
    is_informed = (pl.col("is_informed") & _IS_KEPT).any()
    groups = [
        rows.group_by(*_GROUP).agg(pl.col("is_excluded").sum(), is_informed, *columns)
        for rows in at_levels(observations, chosen)
    ]
    ordered = pl.concat(groups).sort("suite", "model", "judge", "order")
    return [found for group in ordered.iter_rows(named=True) for found in _estimate_all(group)]


_GROUP = ("suite", "model", "judge", "factor", "level", "order")


def _estimate_all(group: Mapping[str, Any]) -> Iterator[Score]:
    for name, one in MEASURES.items():
        estimate = one.estimate(group, name)
        if estimate is not None:
            place = group["suite"], group["model"], group["judge"], group["factor"], group["level"]
            yield Score(*place, name, estimate, group["is_excluded"], group["is_informed"])


def list_factors(items: Iterable[Item], most_levels: int = 50) -> list[str]:
    """Find the conditions that differ between items, at not too many levels."""
    levels: dict[str, set[object]] = defaultdict(set)
    for item in items:
        for name, level in item.factors.items():
            levels[name].add(level)
    return [name for name, found in levels.items() if 2 <= len(found) <= most_levels]


def measure(observations: Observations, name: str) -> Estimate | None:
    """Estimate one measure of all observations together; None where there is nothing to measure."""
    columns = observations.rows.select(column.implode() for column in MEASURES[name].columns(name))
    return MEASURES[name].estimate(columns.row(0, named=True), name)


def estimate_error(errors: Sequence[float], steps: Sequence[float]) -> Estimate:
    """Estimate a mean error with Student's interval; `steps` are what each would differ by if it were off by 1 more.

    Where all errors are the same, as where every answer is right, they have no spread, and Student's interval no width.
    As many as Wilson's interval leaves possible may still be off by 1 more or less.
    """
    n, mean = len(errors), errors[0]
    if n == 1 or any(error != mean for error in errors):
        return mean_interval(errors, at_least=0.0)
    half = wilson_interval(0, n).high * math.fsum(steps) / n
    method = "mean, errors never vary: Wilson bound on the share of answers off by 1 more or less"
    return Estimate(mean, max(0.0, mean - half), mean + half, n, method)
