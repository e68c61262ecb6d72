"""Shares and means of clustered, stratified observations, with their intervals: the one estimator.

Correlated observations (images of one prompt, wordings for one picture) form a cluster; what the design fixes
(number, type, category) are strata. The variance is that between the clusters of a stratum, shrunk towards that of
all strata, with Satterthwaite's degrees of freedom. Shares get Wilson's interval at the number of independent
observations with the same variance; mean errors get Student's, corrected for skewness (Hall 1992, JRSS B 54,
221-228). Also pass@k and the spread of clustered numbers."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean over observations (its n), its standard error over clusters, and the number of clusters."""

    mean: Estimate
    standard_error: float
    clusters: int


def cluster_mean(values: Floats, clusters: NDArray[Any], confidence: float = 0.95) -> ClusteredMean:
    """Estimate a mean with its error over clusters, and Student's interval on one degree less than clusters.

    Observations within a cluster may depend on each other in any way. Where levels are nested (answers in images in
    prompts), the outermost is the cluster. The variance is that of cluster sums of residuals times G / (G − 1).
    A single cluster leaves the interval unbounded.
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


def sum_clusters(values: Floats, clusters: NDArray[Any]) -> Floats:
    """Sum `values` (observation, …) by cluster."""
    names, index = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), *values.shape[1:]))
    np.add.at(sums, index, values)
    return sums


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> Estimate:
    """Estimate a share with Wilson's score interval, which never leaves 0..1 and keeps its width at 0 and 1."""
    return share_interval(successes / n, n, n=n, confidence=confidence)


def share_interval(
    share: float, effective_n: float, *, n: int, what: str = "share", confidence: float = 0.95
) -> Estimate:
    """Put Wilson's interval around a share of `n` observations that is as precise as one of `effective_n`."""
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    share = min(max(share, 0.0), 1.0)  # rounding may take sums of shares beyond 1
    low, high = wilson_bounds(np.array([share]), np.array([effective_n]), z)
    return Estimate(share, float(low[0]), float(high[0]), n, f"{what}, Wilson interval", confidence)


def wilson_bounds(shares: Floats, n: Floats, z: float) -> tuple[Floats, Floats]:
    """Compute the ends of Wilson's intervals of many shares of `n` observations each; without any they are 0 and 1."""
    z2 = z**2 / np.maximum(n, 1e-300)
    centre = (shares + z2 / 2) / (1 + z2)
    half = np.sqrt(z2) / (1 + z2) * np.sqrt(shares * (1 - shares) + z2 / 4)
    low = np.where(shares == 0, 0.0, np.maximum(0.0, centre - half))
    high = np.where(shares == 1, 1.0, np.minimum(1.0, centre + half))
    return low, high


def subtract_independent(first: Estimate, second: Estimate) -> Estimate:
    """Subtract figures that share no observations, and derive the interval of the difference from theirs.

    Each half is the square root of the sum of their squared halves (Zou and Donner 2008, Statistics in Medicine 27).
    """
    value = first.value - second.value
    low = value - math.hypot(first.value - first.low, second.high - second.value)
    high = value + math.hypot(first.high - first.value, second.value - second.low)
    method = "difference of independent figures, interval from theirs (Zou and Donner)"
    caution = "; ".join(dict.fromkeys(filter(None, (first.caution, second.caution))))
    return Estimate(value, low, high, first.n + second.n, method, first.confidence, caution)


def p_of_interval(estimate: Estimate) -> float:
    """Compute the two-sided p of 0 from an interval: below 1 − confidence exactly where 0 lies outside it.

    It assumes a normal law, and uses the half of the interval that faces 0 (Altman and Bland 2011, BMJ 343, d2304).
    """
    from scipy.special import ndtr, ndtri

    half = estimate.value - estimate.low if estimate.value > 0 else estimate.high - estimate.value
    if not estimate.value or math.isinf(half):
        return 1.0
    z = float(ndtri((1 + estimate.confidence) / 2)) * abs(estimate.value) / half if half else math.inf
    return 2 * float(ndtr(-z))


def mean_interval(values: Sequence[float], confidence: float = 0.95, *, at_least: float = -math.inf) -> Estimate:
    """Estimate a mean with Student's interval, which is unbounded for a single observation.

    `at_least` is a bound that the mean cannot go below, such as 0 for an absolute error.
    """
    from scipy.special import stdtrit

    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, at_least, math.inf, n, "mean, Student's interval", confidence)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * math.sqrt(variance / n)
    return Estimate(mean, max(at_least, mean - half), mean + half, n, "mean, Student's interval", confidence)


FEW = 10
"""An estimate with fewer clusters, or with an outcome that occurs in fewer clusters, carries a caution."""
_FEW_OF_SEVERAL = 15  # the same where clusters have several observations, as their shares are skewed, too
_HEAVY_TAIL = 0.25  # a mean of greater skewness rests on a few clusters; that of 100 exponentials has .2


@dataclass(frozen=True, slots=True)
class Clusters:
    """Means of clusters, their weights in the figure, and the number of observations behind each.

    Clusters of one `group` make one estimate. Similar strata have neighbouring codes.
    """

    means: Floats
    weights: Floats
    observations: Floats
    groups: Integers
    strata: Integers
    group_count: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "group_count", int(self.groups.max(initial=-1)) + 1)


def gather_clusters(
    values: Sequence[float] | Floats,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    strata: Sequence[Any] | NDArray[Any] | None = None,
) -> Clusters:
    """Put observations of one group into clusters (by default each its own) and strata (by default one).

    A cluster belongs to the stratum of its first observation; every observation weighs the same.
    """
    given = np.asarray(values, dtype=np.float64)
    names = np.arange(len(given)) if clusters is None else np.asarray(clusters)
    levels = np.zeros(len(given)) if strata is None else np.asarray(strata)
    return gather_groups(given, np.zeros(len(given), dtype=np.int64), names, levels)


def gather_groups(
    values: Floats,
    groups: Integers,
    clusters: NDArray[Any],
    strata: NDArray[Any],
    *,
    weights: Floats | None = None,
    observations: Floats | None = None,
) -> Clusters:
    """Put observations of several groups into clusters; a row may cover several observations, with any weight."""
    weights = np.ones(len(values)) if weights is None else weights
    names, cluster = np.unique(clusters, return_inverse=True)
    _, first, place = np.unique(groups * len(names) + cluster, return_index=True, return_inverse=True)
    total = _sum_by(place, weights)
    means = _sum_by(place, weights * values) / total
    codes = np.unique(strata, return_inverse=True)[1][first].astype(np.int64)
    counted = _sum_by(place, np.ones(len(values)) if observations is None else observations)
    return Clusters(means, total, counted, groups[first], codes)


def stack_groups(means: Floats, weights: Floats, observations: Floats, strata: Integers) -> Clusters:
    """Make each row of means a group of the same clusters (columns)."""
    rows, size = means.shape
    groups = np.repeat(np.arange(rows), size)
    weights, observations = np.tile(weights, rows), np.tile(observations, rows)
    return Clusters(means.ravel(), weights, observations, groups, np.tile(strata, rows))


def estimate_share(
    values: Sequence[float] | Floats,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    strata: Sequence[Any] | NDArray[Any] | None = None,
    *,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate one share: the mean of values from 0 to 1."""
    return estimate_shares(gather_clusters(values, clusters, strata), confidence=confidence)[0]


def estimate_shares(clusters: Clusters, *, confidence: float = 0.95, what: str = "share") -> list[Estimate]:
    """Estimate the share of each group, in the order of their codes; n is the number of observations.

    A variance below that of equally many independent observations in the same strata is due to chance, and is raised
    to it. Where all are right, or all wrong, nothing is known about differences between clusters, and each counts as
    one observation.
    """
    from scipy.special import ndtri, stdtrit

    found = cluster_spread(clusters)
    found = replace(found, mean=np.clip(found.mean, 0.0, 1.0))  # rounding may take sums of shares beyond 1
    edge = (1 + confidence) / 2
    z = float(ndtri(edge))
    independent, is_constant = _independent_observations(clusters, found)
    # With one cluster there are no degrees of freedom and Student's t is infinite: any share is possible.
    widening = np.where(found.degrees > 0, z / stdtrit(np.maximum(found.degrees, 1e-9), edge), 0.0)
    widening = np.where(is_constant & (found.degrees > 0), 1.0, widening)
    low, high = wilson_bounds(found.mean, independent * widening**2, z)
    methods = (f"{what}, Wilson interval over {layout}" for layout in found.layouts())
    rarer = np.minimum(effective_number(clusters, clusters.means), effective_number(clusters, 1 - clusters.means))
    needed = np.where(found.observations > found.clusters, _FEW_OF_SEVERAL, FEW)
    cautions = map(_share_caution, is_constant.tolist(), found.clusters.tolist(), rarer.tolist(), needed.tolist())
    return list(_put_together(found, low, high, methods, cautions, confidence))


def compare_shares(clusters: Clusters, against: Floats) -> tuple[Floats, Floats]:
    """Test whether each group's share is no more, and no less, than a given one, in accordance with its interval.

    A single cluster gives p-values of 1.
    """
    from scipy.special import ndtr, stdtr

    found = cluster_spread(clusters)
    independent, is_constant = _independent_observations(clusters, found)
    z = (np.clip(found.mean, 0.0, 1.0) - against) / np.sqrt(against * (1 - against) / np.maximum(independent, ROUNDING))
    degrees = np.maximum(found.degrees, 1e-9)
    below = np.where(is_constant, ndtr(z), stdtr(degrees, z))
    above = np.where(is_constant, ndtr(-z), stdtr(degrees, -z))
    is_single = found.degrees <= 0
    return np.where(is_single, 1.0, above), np.where(is_single, 1.0, below)


def _independent_observations(clusters: Clusters, found: "Spread") -> tuple[Floats, NDArray[np.bool_]]:
    """Return how many independent observations would have the same variance, and where nothing varies."""
    variance = np.maximum(found.variance, least_variance(clusters, found))
    is_constant = variance <= 0
    binomial = np.clip(found.mean, 0.0, 1.0) * (1 - np.clip(found.mean, 0.0, 1.0))
    return np.where(is_constant, found.clusters, binomial / np.where(is_constant, 1.0, variance)), is_constant


def estimate_errors(
    clusters: Clusters, steps: Floats, *, confidence: float = 0.95, what: str = "mean", least: float = 0.0
) -> list[Estimate]:
    """Estimate the mean of each group, in the order of their codes, of values that are never below `least`.

    Where values never vary, Wilson's bound says how many clusters may still be off by one step more; `steps` are the
    mean steps of the groups.
    """
    from scipy.special import ndtri, stdtrit

    found = cluster_spread(clusters)
    edge = (1 + confidence) / 2
    t = np.asarray(stdtrit(np.maximum(found.degrees, 1e-9), edge), dtype=np.float64)
    error = np.sqrt(np.where(found.degrees > 0, found.variance, 0.0))
    low = found.mean - _correct_for_skewness(t, found.skewness) * error
    high = found.mean - _correct_for_skewness(-t, found.skewness) * error
    z = float(ndtri(edge))
    half = wilson_bounds(np.zeros(len(t)), found.clusters.astype(np.float64), z)[1] * steps
    is_single = found.clusters == 1
    is_constant = ~is_single & (found.variance <= 0)
    low = np.where(is_constant, found.mean - half, low)
    high = np.where(is_constant, found.mean + half, high)
    low = np.where(is_single, least, np.clip(low, least, found.mean))
    high = np.where(is_single, np.inf, np.maximum(high, found.mean))
    kinds = np.where(
        is_constant, "Wilson bound on the share off by one more", "Student's interval corrected for skewness"
    )
    methods = (f"{what}, {kind}, over {layout}" for kind, layout in zip(kinds, found.layouts(), strict=True))
    skewness = found.skewness if least == 0 else np.abs(found.skewness)
    cautions = map(_error_caution, is_constant.tolist(), found.clusters.tolist(), skewness.tolist())
    return list(_put_together(found, low, high, methods, cautions, confidence))


def _put_together(
    spread: "Spread", low: Floats, high: Floats, methods: Iterable[str], cautions: Iterable[str], confidence: float
) -> Iterator[Estimate]:
    numbers = (spread.mean.tolist(), low.tolist(), high.tolist(), spread.observations.tolist())
    for mean, bottom, top, n, method, caution in zip(*numbers, methods, cautions, strict=True):
        yield Estimate(mean, bottom, top, round(n), method, confidence, caution)


@dataclass(frozen=True, slots=True)
class Spread:
    """By group: the mean, its variance and skewness, degrees of freedom, and the numbers behind it.

    The variance of a single cluster is infinite. `stratum` (by cluster) and `group_of` (by stratum) are codes after
    single-cluster strata were merged with their neighbours.
    """

    mean: Floats
    variance: Floats
    skewness: Floats
    degrees: Floats
    observations: Floats
    clusters: Integers
    strata: Integers
    stratum: Integers
    group_of: Integers

    def layouts(self) -> Iterator[str]:
        """Say how many clusters and strata each group has."""
        for clusters, strata in zip(self.clusters.tolist(), self.strata.tolist(), strict=True):
            yield count_clusters(clusters) + (f" in {strata} strata" if strata > 1 else "")


def cluster_spread(given: Clusters) -> Spread:
    """Estimate the variances of groups' means from the differences between clusters of one stratum."""
    count = given.group_count
    stratum, group_of = _join_single(given)
    sizes, weight, total = (
        _sum_by(stratum, values) for values in (np.ones(len(stratum)), given.weights, given.weights * given.means)
    )
    # Residuals are weighted relative to the mean weight of their stratum.
    mean_weight = weight / sizes
    residual = given.weights * (given.means - (total / weight)[stratum]) / mean_weight[stratum]
    residual[np.abs(residual) < ROUNDING] = 0.0
    # A heavy cluster draws the mean towards itself, which hides part of its residual.
    leverage = given.weights / weight[stratum]
    squares = _sum_by(stratum, residual**2 * leverage_correction(leverage, sizes[stratum]))
    weights, degrees = _sum_by(group_of, weight, count), _sum_by(group_of, sizes - 1, count)
    pooled = _sum_by(group_of, squares, count) / np.where(degrees > 0, degrees, np.nan)
    share = mean_weight / weights[group_of]
    of_stratum = share**2 * (squares + pooled[group_of])
    variance = _sum_by(group_of, of_stratum, count)
    cubes = _sum_by(group_of, share**3 * _sum_by(stratum, residual**3), count)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The effective number of clusters of equal weight; the pseudo-value adds a degree of freedom.
        equal = weight**2 / _sum_by(stratum, given.weights**2)
        satterthwaite = variance**2 / _sum_by(group_of, of_stratum**2 / equal, count)
        skewness = np.nan_to_num(cubes / variance**1.5)
    is_known = degrees > 0
    return Spread(
        _sum_by(group_of, total, count) / weights,
        np.where(is_known, variance, np.inf),
        np.where(is_known, skewness, 0.0),
        np.where(is_known, np.fmin(satterthwaite, degrees), 0.0),
        _sum_by(given.groups, given.observations, count),
        np.bincount(given.groups, minlength=count),
        np.bincount(group_of, minlength=count),
        stratum,
        group_of,
    )


def leverage_correction(leverage: Floats, clusters: Floats) -> Floats:
    """Return the factors of squared residuals that remove bias where clusters weigh differently (CR2)."""
    return np.where(clusters > 1, (1 - 1 / np.maximum(clusters, 1)) / np.maximum(1 - leverage, ROUNDING), 1.0)


def _sum_by(codes: Integers, values: Floats, count: int = 0) -> Floats:
    return np.bincount(codes, values, minlength=count).astype(np.float64)


ROUNDING = 1e-12
"""Anything smaller is a rounding error."""


def _join_single(given: Clusters) -> tuple[Integers, Integers]:
    """Number the strata of all groups, merging single-cluster strata with the next one, or else the previous one."""
    width = int(given.strata.max(initial=0)) + 1
    codes, stratum, sizes = np.unique(given.groups * width + given.strata, return_inverse=True, return_counts=True)
    groups = codes // width
    joined, size = np.arange(len(codes)), sizes.copy()
    for place in np.flatnonzero(sizes == 1).tolist():
        if size[joined[place]] > 1:  # the previous one was merged with it
            continue
        if place + 1 < len(codes) and groups[place + 1] == groups[place]:
            joined[place + 1] = place
            size[place] += sizes[place + 1]
        elif place and groups[place - 1] == groups[place]:
            joined[place] = joined[place - 1]
    kept, renumbered = np.unique(joined, return_inverse=True)
    return renumbered[stratum], groups[kept]


def least_variance(given: Clusters, spread: Spread) -> Floats:
    """Compute the variance that a share would have with equally many independent observations in the same strata.

    Each stratum gets one more observation, with the group's share, as a stratum that is all right may not stay so.
    """
    stratum, group_of = spread.stratum, spread.group_of
    observations, weight = _sum_by(stratum, given.observations), _sum_by(stratum, given.weights)
    mean = _sum_by(stratum, given.weights * given.means) / weight
    share = (mean * observations + spread.mean[group_of]) / (observations + 1)
    part = weight / _sum_by(group_of, weight)[group_of]
    own = part**2 * np.maximum(share * (1 - share), 0.0) / observations
    return _sum_by(group_of, own, given.group_count)


def effective_number(given: Clusters, means: Floats) -> Floats:
    """Compute the effective number of clusters in which the outcome occurs (inverse Simpson index)."""
    parts = given.weights * means
    total, squares = (_sum_by(given.groups, values, given.group_count) for values in (parts, parts**2))
    return np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)


def _correct_for_skewness(t: Floats, skewness: Floats) -> Floats:
    """Transform t to undo the effect of the mean's skewness (Hall 1992)."""
    is_skewed = np.abs(skewness) > ROUNDING
    a = np.where(is_skewed, skewness, 1.0)
    return np.where(is_skewed, 3 / a * (np.cbrt(1 + a * (t - a / 6)) - 1), t)


def _share_caution(is_constant: bool, clusters: int, rarer: float, needed: int) -> str:
    if clusters < FEW:
        return f"only {count_clusters(clusters)}"
    if is_constant:
        return "never varies"
    return f"one outcome is in fewer than {needed} clusters" if rarer < needed else ""


def _error_caution(is_constant: bool, clusters: int, skewness: float) -> str:
    if clusters < FEW:
        return f"only {count_clusters(clusters)}"
    if is_constant:
        return "never varies"
    return "rests on a few large errors" if skewness > _HEAVY_TAIL else ""


def count_clusters(number: int) -> str:
    """Write the number of clusters in words."""
    return f"{number} cluster" if number == 1 else f"{number} clusters"


def clustered_mean(values: Floats, clusters: NDArray[Any]) -> Estimate:
    """Estimate a mean with Student's interval over clusters.

    Where values never vary, Wilson's bound says how many clusters may still be off by 1.
    """
    found, first = cluster_mean(values, clusters), float(values[0])
    if found.clusters == 1 or (values != first).any():
        return found.mean
    half = wilson_interval(0, found.clusters).high
    method = f"mean, values never vary: Wilson bound on the share of {found.clusters} clusters off by 1"
    return Estimate(first, first - half, first + half, len(values), method)


def clustered_spread(values: Floats, clusters: NDArray[Any]) -> Estimate | None:
    """Estimate the standard deviation of all values, with a jackknife of clusters on the scale of logarithms.

    None for a single value. Two clusters say next to nothing about others, so the interval is whatever is possible.
    Where values never vary, Wilson's bound says how many clusters may still be off by 1.
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


def _jackknife(spread: float, sums: Floats, n: int) -> Estimate:
    """Put Student's interval around a standard deviation by leaving out one cluster (size, sum, squares) at a time."""
    from scipy.special import stdtrit

    groups = len(sums)
    size, total, squares = (sums.sum(axis=0) - sums).T
    without = np.sqrt(np.maximum((squares - total**2 / size) / np.maximum(size - 1, 1), 0.0))
    quantile = float(stdtrit(groups - 1, 0.975))
    is_log = bool((without > _NONE * spread).all())
    # Where only one cluster varies, the spread without it is 0 and has no logarithm.
    left = np.log(without) if is_log else without
    half = quantile * math.sqrt((groups - 1) / groups * float(((left - left.mean()) ** 2).sum()))
    low, high = (spread * math.exp(-half), spread * math.exp(half)) if is_log else (spread - half, spread + half)
    scale = "of its logarithm" if is_log else "of itself"
    method = f"standard deviation, jackknife {scale} over {groups} clusters, Student's interval"
    return Estimate(spread, max(0.0, low), high, n, method)


_NONE = 1e-9


def pass_at_k(images: int, right: int, k: int) -> float:
    """Estimate pass@k without bias: the share of all choices of k out of `images` that include one of the `right` ones.

    The estimator is that of Chen and others (2021), arXiv 2107.03374, section 2.1.
    """
    if not 0 <= right <= images:
        raise ValueError(f"{right} of {images} images cannot be right")
    if not 1 <= k <= images:
        raise ValueError(f"k={k}: should be from 1 to the number of images, {images}")
    return 1 - comb(images - right, k) / comb(images, k)
