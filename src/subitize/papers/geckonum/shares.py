"""Shares of GeckoNum's labels, all cells of a table at once, with intervals over prompts.

Labels of one prompt hang together; types and numbers are strata, which the design fixes. Every label weighs the same;
that of a whole image in Task 3 rests on several answers.
"""

from dataclasses import replace
from typing import Any

import polars as pl

from subitize.analysis.clusters import take_clusters
from subitize.records import Estimate
from subitize.stats.estimator import estimate_shares

Shares = dict[tuple[Any, ...], Estimate]
"""Estimates by the names of their groups, in the order of these."""


def estimate_means(labels: pl.DataFrame, *by: str) -> Shares:
    """Average `right` in each group; what has no name of a group is in none."""
    clusters = (
        labels.drop_nulls(by)
        .group_by(*by, "cluster")
        .agg(_STRATUM, _LABELS, pl.col("observations").sum(), mean=pl.col("right").mean())
    )
    return _estimate(clusters, by)


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


def _estimate(clusters: pl.DataFrame, by: tuple[str, ...]) -> Shares:
    groups = clusters.group_by(by).agg(pl.col("weight").sum()).sort(by)
    placed = clusters.join(groups.select(by).with_row_index("group"), on=by)
    estimates = estimate_shares(take_clusters(placed.sort("group", "cluster")))
    return {
        tuple(names): replace(estimate, n=labels)
        for (*names, labels), estimate in zip(groups.iter_rows(), estimates, strict=True)
    }
