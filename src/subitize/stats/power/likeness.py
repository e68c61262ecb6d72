"""What to assume, from observations there are: how large they are, and how those of one prompt hang together."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from subitize.stats.estimator import Floats, Integers


@dataclass(frozen=True, slots=True)
class Sample:
    """Observations of one condition: values, and the numbers of their clusters and strata."""

    values: Floats
    clusters: Integers
    strata: Integers


@dataclass(frozen=True, slots=True)
class Likeness:
    """Mean and spread of observations; correlations of two of one prompt, among all and within its stratum.

    Those are None where they cannot be told: no prompt has two observations, or all are alike. `correlation` is that of
    two conditions' prompts within strata.
    """

    mean: float
    sd: float
    icc: float | None
    icc_within: float | None
    correlation: float | None = None


def learn(first: Sample, second: Sample | None = None) -> Likeness:
    """Estimate by analysis of variance; mean and correlations of images are those of the first of two conditions.

    The covariance of two conditions' means over prompts is that of what is to be expected of them, as their images are
    drawn apart.
    """
    overall, within = (_analyse(first, strata) for strata in (np.zeros_like(first.strata), first.strata))
    found = Likeness(float(first.values.mean()), float(first.values.std()), overall.icc, within.icc)
    if second is None:
        return found
    other = _analyse(second, second.strata)
    _, ours, theirs = np.intersect1d(within.clusters, other.clusters, return_indices=True)
    levels = np.unique(within.strata[ours], return_inverse=True)[1]
    degrees, spread = len(ours) - len(np.unique(levels)), within.between * other.between
    if degrees < 1 or not spread > 0:
        return found
    residuals = [_center(means, np.ones(len(ours)), levels) for means in (within.means[ours], other.means[theirs])]
    correlation = float(residuals[0] @ residuals[1]) / degrees / math.sqrt(spread)
    return replace(found, correlation=min(1.0, max(0.0, correlation)))


class _Parts(NamedTuple):
    """Clusters, and the variance between and within those of a stratum; NaN where it cannot be told."""

    clusters: Integers
    strata: Integers
    means: Floats
    between: float
    within: float

    @property
    def icc(self) -> float | None:
        total = self.between + self.within
        return self.between / total if total > 0 else None


def _analyse(sample: Sample, strata: Integers) -> _Parts:
    clusters, first, code = np.unique(sample.clusters, return_index=True, return_inverse=True)
    sizes, levels = np.bincount(code).astype(np.float64), np.unique(strata[first], return_inverse=True)[1]
    means, of_strata = np.bincount(code, sample.values) / sizes, np.bincount(levels, sizes)
    degrees, rest = len(clusters) - len(of_strata), len(code) - len(clusters)
    if degrees < 1 or rest < 1:
        return _Parts(clusters, strata[first], means, math.nan, math.nan)
    within = float(((sample.values - means[code]) ** 2).sum()) / rest
    size = (len(code) - float((sizes**2 / of_strata[levels]).sum())) / degrees
    between = (float(sizes @ _center(means, sizes, levels) ** 2) / degrees - within) / size
    return _Parts(clusters, strata[first], means, max(0.0, between), within)


def _center(means: Floats, weights: Floats, levels: Integers) -> Floats:
    """Subtract the means of strata."""
    return np.asarray(means - (np.bincount(levels, weights * means) / np.bincount(levels, weights))[levels])
