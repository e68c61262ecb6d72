"""How far numbers scatter that hang together: the counts of several images of one prompt."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.clusters import cluster_mean, sum_clusters
from subitize.stats.draws import draw_counts
from subitize.stats.intervals import wilson_interval

RESAMPLES = 2000


def clustered_mean(values: NDArray[np.float64], clusters: NDArray[Any]) -> Estimate:
    """Estimate a mean with Student's interval over clusters.

    Where values never vary, Wilson's bound says how many clusters may still be off by 1 more or less.
    """
    found, first = cluster_mean(values, clusters), float(values[0])
    if found.clusters == 1 or (values != first).any():
        return found.mean
    half = wilson_interval(0, found.clusters).high
    method = f"mean, values never vary: Wilson bound on the share of {found.clusters} clusters off by 1"
    return Estimate(first, first - half, first + half, len(values), method)


def clustered_spread(values: NDArray[np.float64], clusters: NDArray[Any], *, seed: int = 0) -> Estimate | None:
    """Estimate the standard deviation of all values, with a percentile bootstrap of clusters; None of one value.

    A single cluster tells nothing of others: the interval is whatever is possible. Where values never vary, as many
    clusters as Wilson's bound allows may still be off by 1.
    """
    n = len(values)
    if n < 2:
        return None
    spread = float(np.std(values, ddof=1))
    centred = values - values.mean()
    sums = np.stack([sum_clusters(one, clusters) for one in (np.ones(n), centred, centred**2)], axis=-1)
    groups = len(sums)
    if groups == 1:
        return Estimate(spread, 0.0, math.inf, n, "standard deviation, one cluster alone: whatever is possible")
    if spread == 0:
        share = min(0.5, wilson_interval(0, groups).high)
        method = f"standard deviation, values never vary: Wilson bound on the share of {groups} clusters off by 1"
        return Estimate(0.0, 0.0, math.sqrt(share * (1 - share)), n, method)
    drawn = draw_counts(np.ones(groups, dtype=np.int64), RESAMPLES, seed)
    size, total, squares = np.moveaxis(np.concatenate([times @ sums for times in drawn]), -1, 0)
    variances = (squares - total**2 / size) / np.maximum(size - 1, 1)
    low, high = np.quantile(np.sqrt(np.maximum(variances, 0.0)), [0.025, 0.975])
    method = f"standard deviation, percentile bootstrap of {groups} clusters, {RESAMPLES} resamples"
    return Estimate(spread, min(float(low), spread), max(float(high), spread), n, method)
