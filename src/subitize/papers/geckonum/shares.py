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
from subitize.stats.estimate import Clusters, estimate_shares

Shares = dict[tuple[Any, ...], Estimate]
"""Estimates by the names of their groups, in the order of these."""


def estimate_means(labels: pl.DataFrame, *by: str, confidence: float = 0.95) -> Shares:
    """Average `right` in each group; what has no name of a group is in none.

    Labels weigh the same, or as `weight` says, which should come to 1 on average.
    """
    is_weighted = "weight" in labels.columns
    weight = pl.col("weight").sum() if is_weighted else _LABELS
    mean = pl.col("right").dot("weight") / weight if is_weighted else pl.col("right").mean()
    named = labels.lazy().drop_nulls(by)
    clusters = named.group_by(*by, "cluster").agg(_STRATUM, weight, pl.col("observations").sum(), mean=mean)
    return _estimate(clusters, by, confidence)


def estimate_events(labels: pl.DataFrame, events: Mapping[str, pl.Expr], *by: str) -> Shares:
    """Estimate in each group how often each of several things is so; its name is the last of the names."""
    shares = {name: is_so.cast(pl.Float64).mean() for name, is_so in events.items()}
    clusters = labels.lazy().group_by(*by, "cluster").agg(_STRATUM, _LABELS, pl.col("observations").sum(), **shares)
    each = clusters.unpivot(list(events), index=cs.exclude(*events), variable_name="event", value_name="mean")
    return _estimate(each, (*by, "event"))


def estimate_outcomes(labels: pl.DataFrame, outcome: str, *by: str) -> Shares:
    """Estimate the share of each outcome that occurs in a group; it is the last of the names."""
    rows = labels.lazy()
    prompts = rows.group_by(*by, "cluster").agg(_STRATUM, _LABELS)
    found = rows.group_by(*by, "cluster", outcome).agg(found=pl.len())
    every = rows.select(*by, outcome).unique().join(prompts, on=by)
    counted = every.join(found, on=[*by, "cluster", outcome], how="left")
    share = pl.col("found").fill_null(0) / pl.col("weight")
    return _estimate(counted.with_columns(mean=share, observations="weight"), (*by, outcome))


_STRATUM = pl.col("stratum").first()
_LABELS = pl.len().alias("weight")


def _estimate(clusters: pl.LazyFrame, by: tuple[str, ...], confidence: float = 0.95) -> Shares:
    floats, codes = pl.col("mean", "weight", "observations").cast(pl.Float64), pl.col("stratum").cast(pl.Int64)
    group = pl.struct(by).rle_id().cast(pl.Int64).alias("group")
    placed = clusters.sort(*by, "cluster").select(*by, floats, codes, group).collect(engine="in-memory")
    figures = (placed[name].to_numpy() for name in ("mean", "weight", "observations", "group", "stratum"))
    estimates = estimate_shares(Clusters(*figures), confidence=confidence)
    groups = placed.group_by("group", maintain_order=True).agg(pl.col(by).first(), pl.col("weight").sum())
    return {
        tuple(names): replace(estimate, n=round(labels))
        for (_, *names, labels), estimate in zip(groups.iter_rows(), estimates, strict=True)
    }
