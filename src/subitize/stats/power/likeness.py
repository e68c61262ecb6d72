"""What to assume, from observations there are: how large they are, and how those of one prompt hang together."""

import math
from dataclasses import dataclass, replace

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
    overall, within = (_Parts.of(first, strata) for strata in (np.zeros_like(first.strata), first.strata))
    found = Likeness(float(first.values.mean()), float(first.values.std()), overall.icc, within.icc)
    if second is None:
        return found
    other = _Parts.of(second, second.strata)
    _, ours, theirs = np.intersect1d(within.clusters, other.clusters, return_indices=True)
    levels = np.unique(within.strata[ours], return_inverse=True)[1]
    degrees, spread = len(ours) - len(np.unique(levels)), within.between * other.between
    if degrees < 1 or not spread > 0:
        return found
    residuals = [_center(means, levels) for means in (within.means[ours], other.means[theirs])]
    correlation = float(residuals[0] @ residuals[1]) / degrees / math.sqrt(spread)
    return replace(found, correlation=min(1.0, max(0.0, correlation)))


@dataclass(frozen=True, slots=True)
class _Parts:
    """Clusters, and the variance between and within those of a stratum; NaN where it cannot be told."""

    clusters: Integers
    strata: Integers
    means: Floats
    between: float
    within: float

    @classmethod
    def of(cls, sample: Sample, strata: Integers) -> "_Parts":
        clusters, first, code = np.unique(sample.clusters, return_index=True, return_inverse=True)
        sizes, levels = np.bincount(code).astype(np.float64), np.unique(strata[first], return_inverse=True)[1]
        means = np.bincount(code, sample.values) / sizes
        of_strata = np.bincount(levels, sizes)
        deviations = means - (np.bincount(levels, sizes * means) / of_strata)[levels]
        degrees, rest = len(clusters) - len(of_strata), len(code) - len(clusters)
        if degrees < 1 or rest < 1:
            return cls(clusters, strata[first], means, math.nan, math.nan)
        within = float(((sample.values - means[code]) ** 2).sum()) / rest
        size = (len(code) - float((sizes**2 / of_strata[levels]).sum())) / degrees
        between = (float(sizes @ deviations**2) / degrees - within) / size
        return cls(clusters, strata[first], means, max(0.0, between), within)

    @property
    def icc(self) -> float | None:
        total = self.between + self.within
        return self.between / total if total > 0 else None


def _center(means: Floats, levels: Integers) -> Floats:
    return np.asarray(means - (np.bincount(levels, means) / np.bincount(levels))[levels])
