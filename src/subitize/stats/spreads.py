"""The spread of clustered numbers: the counts of several images of one prompt."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.clusters import cluster_mean, sum_clusters
from subitize.stats.intervals import wilson_interval


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


def clustered_spread(values: NDArray[np.float64], clusters: NDArray[Any]) -> Estimate | None:
    """Estimate the standard deviation of all values, with a jackknife of clusters on the scale of logarithms.

    None of one value. Two clusters tell next to nothing of others: the interval is whatever is possible. Where values
    never vary, as many clusters as Wilson's bound allows may still be off by 1.
    """
    n = len(values)
    if n < 2:
        return None
    spread = float(np.std(values, ddof=1))
    centred = values - values.mean()
    sums = np.stack([sum_clusters(one, clusters) for one in (np.ones(n), centred, centred**2)], axis=-1)
    groups = len(sums)
    if groups < 3:
        return Estimate(spread, 0.0, math.inf, n, f"standard deviation, {groups} clusters: whatever is possible")
    if spread == 0:
        share = min(0.5, wilson_interval(0, groups).high)
        method = f"standard deviation, values never vary: Wilson bound on the share of {groups} clusters off by 1"
        return Estimate(0.0, 0.0, math.sqrt(share * (1 - share)), n, method)
    return _jackknife(spread, sums, n)


def _jackknife(spread: float, sums: NDArray[np.float64], n: int) -> Estimate:
    """Put Student's interval around a standard deviation by leaving out each cluster (its size, sum and squares)."""
    from scipy.special import stdtrit

    groups = len(sums)
    size, total, squares = (sums.sum(axis=0) - sums).T
    without = np.sqrt(np.maximum((squares - total**2 / size) / np.maximum(size - 1, 1), 0.0))
    quantile = float(stdtrit(groups - 1, 0.975))
    is_log = bool((without > _NONE * spread).all())
    # Where one cluster alone varies, there is no logarithm of the spread without it.
    left = np.log(without) if is_log else without
    half = quantile * math.sqrt((groups - 1) / groups * float(((left - left.mean()) ** 2).sum()))
    low, high = (spread * math.exp(-half), spread * math.exp(half)) if is_log else (spread - half, spread + half)
    scale = "of its logarithm" if is_log else "of itself"
    method = f"standard deviation, jackknife {scale} over {groups} clusters, Student's interval"
    return Estimate(spread, max(0.0, low), high, n, method)


_NONE = 1e-9
