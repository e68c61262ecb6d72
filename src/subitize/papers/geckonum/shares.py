"""Shares of GeckoNum's labels, all cells of a table at once, with intervals over prompts.

Labels of one prompt hang together; types and numbers are strata, which the design fixes. Every label weighs the same;
that of a whole image in Task 3 rests on several answers.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl
import polars.selectors as cs

from subitize.records import Estimate
from subitize.stats.estimator import Clusters, estimate_shares

Shares = dict[tuple[Any, ...], Estimate]
"""Estimates by the names of their groups, in the order of these."""


def estimate_means(labels: pl.DataFrame, *by: str, confidence: float = 0.95) -> Shares:
    """Average `right` in each group; what has no name of a group is in none.

    Labels weigh the same, or as `weight` says, which should come to 1 on average.
    """
    is_weighted = "weight" in labels.columns
    weight = pl.col("weight").sum() if is_weighted else _LABELS
    mean = pl.col("right").dot("weight") / weight if is_weighted else pl.col("right").mean()
    clusters = (
        labels.drop_nulls(by).group_by(*by, "cluster").agg(_STRATUM, weight, pl.col("observations").sum(), mean=mean)
    )
    return _estimate(clusters, by, confidence)


def estimate_events(labels: pl.DataFrame, events: Mapping[str, pl.Expr], *by: str) -> Shares:
    """Estimate in each group how often each of several things is so; its name is the last of the names."""
    shares = {name: is_so.cast(pl.Float64).mean() for name, is_so in events.items()}
    clusters = labels.group_by(*by, "cluster").agg(_STRATUM, _LABELS, pl.col("observations").sum(), **shares)
    each = clusters.unpivot(list(events), index=cs.exclude(*events), variable_name="event", value_name="mean")
    return _estimate(each, (*by, "event"))


def estimate_outcomes(labels: pl.DataFrame, outcome: str, *by: str) -> Shares:
    """Estimate the share of each outcome that occurs in a group; it is the last of the names."""
    prompts = labels.group_by(*by, "cluster").agg(_STRATUM, _LABELS)
    found = labels.group_by(*by, "cluster", outcome).agg(found=pl.len())
    every = labels.select(*by, outcome).unique().join(prompts, on=by)
    counted = every.join(found, on=[*by, "cluster", outcome], how="left")
    share = pl.col("found").fill_null(0) / pl.col("weight")
    return _estimate(counted.with_columns(mean=share, observations="weight"), (*by, outcome))


_STRATUM = pl.col("stratum").first()
_LABELS = pl.len().alias("weight")


def _estimate(clusters: pl.DataFrame, by: tuple[str, ...], confidence: float = 0.95) -> Shares:
    groups = clusters.group_by(by).agg(pl.col("weight").sum()).sort(by)
    placed = clusters.join(groups.select(by).with_row_index("group"), on=by).sort("group", "cluster")
    figures = (placed[name].cast(pl.Float64).to_numpy() for name in ("mean", "weight", "observations"))
    codes = (placed[name].cast(pl.Int64).to_numpy() for name in ("group", "stratum"))
    estimates = estimate_shares(Clusters(*figures, *codes), confidence=confidence)
    return {
        tuple(names): replace(estimate, n=round(labels))
        for (*names, labels), estimate in zip(groups.iter_rows(), estimates, strict=True)
    }
