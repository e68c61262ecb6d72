"""Means of clustered observations: several images of one prompt, several answers to one image."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean over observations (its n), the standard error that clusters of them leave, and how many clusters."""

    mean: Estimate
    standard_error: float
    clusters: int


def cluster_mean(values: NDArray[np.float64], clusters: NDArray[Any], confidence: float = 0.95) -> ClusteredMean:
    """Estimate a mean whose error comes from clusters, with Student's interval on one degree less than clusters.

    Observations within a cluster may depend on each other in any way. Where levels are nested (answers in images in
    prompts), the outermost is the cluster. The variance is that of cluster sums of residuals times G / (G − 1).
    One cluster alone leaves the interval unbounded.
    """
    from scipy.special import stdtrit

    values = np.asarray(values, dtype=np.float64)
    n, mean = len(values), float(np.mean(values))
    sums = sum_clusters(values - mean, clusters)
    groups = len(sums)
    method = f"mean, Student's interval over {groups} clusters"
    if groups == 1:
        return ClusteredMean(Estimate(mean, -math.inf, math.inf, n, method, confidence), math.inf, 1)
    error = math.sqrt(float(sums @ sums) * groups / (groups - 1)) / n
    half = float(stdtrit(groups - 1, (1 + confidence) / 2)) * error
    return ClusteredMean(Estimate(mean, mean - half, mean + half, n, method, confidence), error, groups)


def sum_clusters(values: NDArray[np.float64], clusters: NDArray[Any]) -> NDArray[np.float64]:
    """Sum the rows of `values` (observation, …) that belong to one cluster."""
    names, index = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), *values.shape[1:]))
    np.add.at(sums, index, values)
    return sums
