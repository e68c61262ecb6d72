"""Accuracy, MAE, NAE and the shares of what could not be used, each with its interval and n."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from subitize.analysis.clusters import Prompts, at_levels, check_factors, place_observations
from subitize.analysis.observations import Observations
from subitize.errors import NothingToDoError
from subitize.records import Estimate, Item
from subitize.stats.estimate import Clusters, estimate_errors, estimate_shares


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

    def columns(self, name: str) -> Iterator[pl.Expr]:
        """Sum the values of a cluster, and their steps, and count them, in columns of this name."""
        is_meant = self.where & _IS_KEPT
        yield is_meant.sum().alias(f"{name} n")
        yield self.value.filter(is_meant).cast(pl.Float64).sum().alias(name)
        if self.step is not None:
            yield self.step.filter(is_meant).sum().alias(f"{name} step")
        if self.needs is not None:
            yield (self.needs & _IS_KEPT).any().alias(f"{name} needs")

    def estimate(self, clusters: pl.DataFrame, name: str) -> dict[int, Estimate]:
        """Estimate the figure of every `place` that has any, from the clusters' columns of this name."""
        known = clusters.filter(pl.col(f"{name} n") > 0)
        if self.needs is not None:
            known = known.filter(pl.col(f"{name} needs").any().over("place"))
        places = known["place"].unique().sort()
        observations = known[f"{name} n"].cast(pl.Float64).to_numpy()
        found = Clusters(
            known[name].to_numpy() / observations,
            observations,
            observations,
            places.search_sorted(known["place"]).cast(pl.Int64).to_numpy(),
            known["stratum"].to_numpy(),
        )
        if self.step is None:
            return dict(zip(places, estimate_shares(found), strict=True))
        steps = known.group_by("place").agg(pl.col(f"{name} step").sum() / pl.col(f"{name} n").sum()).sort("place")
        return dict(zip(places, estimate_errors(found, steps[f"{name} step"].to_numpy()), strict=True))


_IS_KEPT = ~pl.col("is_excluded")
_HAS_ANSWER = pl.col("expected") != ""  # of pictures that users bring nobody may know what is right
_IS_SINGLE = _HAS_ANSWER & (pl.col("group") == 1)  # that one of four is right says nothing of each
_IS_GROUP = _HAS_ANSWER & (pl.col("group") != 1)
_IS_ELIGIBLE, _IS_REFUSED = pl.col("status") == "eligible", pl.col("status") == "refused"
_IS_JUDGED = pl.col("status") != "unknown"  # that a judge would not look is no fault of the model that drew
_HAS_TARGET = pl.col("target").is_not_null() & _IS_JUDGED
_IS_COUNT = _IS_ELIGIBLE & pl.col("value").is_not_null() & _HAS_TARGET
_TARGET = pl.col("target")
_ERROR = (pl.col("value") - _TARGET).abs()
_ERROR_OR_ALL = pl.when(_IS_COUNT).then(_ERROR).otherwise(_TARGET)
_ONE = _HAS_TARGET.cast(pl.Float64)  # no literal, which older polars cannot sum up

MEASURES: dict[str, Measure] = {
    # What was refused, or has no usable value, is not right.
    "accuracy": Measure(_IS_SINGLE & _IS_JUDGED, pl.col("is_right")),
    # What has no usable value is left out, as papers do.
    "accuracy_read": Measure(_IS_SINGLE & (_IS_ELIGIBLE | _IS_REFUSED), pl.col("is_right")),
    "accuracy_answered": Measure(_IS_SINGLE & _IS_ELIGIBLE, pl.col("is_right")),
    # Whatever an answer rests on in a scene graph; where none rests on another, it is the accuracy.
    "accuracy_by_itself": Measure(
        _IS_SINGLE & _IS_JUDGED, pl.col("is_right_by_itself"), needs=pl.col("parent").is_not_null()
    ),
    # Of groups of images of which at least one is right, as they were judged together.
    "success": Measure(_IS_GROUP & (_IS_ELIGIBLE | _IS_REFUSED), pl.col("is_right")),
    # Errors of what was counted, the share that was, and errors if what was not stood for a count of 0.
    "mae": Measure(_IS_COUNT, _ERROR, step=_ONE),
    "nae": Measure(_IS_COUNT & (_TARGET != 0), _ERROR / _TARGET, step=1 / _TARGET),
    "coverage": Measure(_HAS_TARGET, _IS_COUNT),
    "mae_all": Measure(_HAS_TARGET, _ERROR_OR_ALL, step=_ONE),
    "nae_all": Measure(_HAS_TARGET & (_TARGET != 0), _ERROR_OR_ALL / _TARGET, step=1 / _TARGET),
    "discarded": Measure(~_IS_REFUSED & _IS_JUDGED, pl.col("status") == "discarded"),
    "refused": Measure(_IS_JUDGED, _IS_REFUSED),
    "unknown": Measure(~_IS_REFUSED, ~_IS_JUDGED, needs=~_IS_JUDGED),
}


def score(
    observations: Observations, factors: Sequence[str] | None = None, *, prompts: Prompts = "sampled"
) -> list[Score]:
    """Measure every model, on the whole and by each level of the factors (None: every factor of 2 to 50 levels)."""
    if observations.rows["is_excluded"].all():
        raise NothingToDoError(
            f"all {len(observations)} observations are excluded; take an exclusion back with: "
            "subitize exclude RUN ITEM --reason WHY --undo"
        )
    items = observations.seen_items()
    chosen = list_factors(items) if factors is None else check_factors(items, factors)
    clusters = pl.concat(
        _sum_clusters(rows, *_GROUP) for rows in at_levels(place_observations(observations, prompts), chosen)
    )
    groups = (
        clusters.group_by(*_GROUP)
        .agg(pl.col("is_excluded").sum(), pl.col("is_informed").any())
        .sort("suite", "model", "judge", "order")
        .with_row_index("place")
    )
    placed = clusters.join(groups.select(*_GROUP, pl.col("place").cast(pl.Int64)), on=_GROUP)
    placed = placed.sort("place", "cluster")  # sums in another order would have other last digits
    found = {name: one.estimate(placed, name) for name, one in MEASURES.items()}
    return [
        Score(suite, model, judge, factor, level, name, of[place], excluded, is_informed)
        for place, suite, model, judge, factor, level, _, excluded, is_informed in groups.iter_rows()
        for name, of in found.items()
        if place in of
    ]


_GROUP = ("suite", "model", "judge", "factor", "level", "order")


def _sum_clusters(rows: pl.DataFrame, *group: str) -> pl.DataFrame:
    """Sum up what each cluster of a group has of each measure; its stratum is that of its first row."""
    return rows.group_by(*group, "cluster").agg(
        pl.col("stratum").first(),
        pl.col("is_excluded").sum(),
        (pl.col("is_informed") & _IS_KEPT).any(),
        *(column for name, one in MEASURES.items() for column in one.columns(name)),
    )


def list_factors(items: Iterable[Item], most_levels: int = 50) -> list[str]:
    """Find the conditions that differ between items, at not too many levels."""
    levels: dict[str, set[object]] = defaultdict(set)
    for item in items:
        for name, level in item.factors.items():
            levels[name].add(level)
    return [name for name, found in levels.items() if 2 <= len(found) <= most_levels]


def measure(observations: Observations, name: str) -> Estimate | None:
    """Estimate one measure of all observations together; None where there is nothing to measure."""
    clusters = _sum_clusters(place_observations(observations).rows).sort("cluster")
    clusters = clusters.with_columns(place=pl.lit(0, pl.Int64))
    return MEASURES[name].estimate(clusters, name).get(0)
