"""Means of clustered, stratified observations with their intervals: the one estimator.

Correlated observations (images of one prompt, wordings for one picture) form a cluster; what the design fixes
(number, type, category) are strata. The variance is that between the clusters of a stratum, shrunk towards that of
all strata, with Satterthwaite's degrees of freedom. Shares get Wilson's interval at the number of independent
observations with the same variance; mean errors get Student's, corrected for skewness (Hall 1992, JRSS B 54,
221-228). Also pass@k and the standard deviation of clustered numbers."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadValueError
from subitize.records import Estimate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ColumnLike = Sequence[Any] | NDArray[Any]
Units = ColumnLike | Mapping[str, ColumnLike]
"""The sampled unit of each value, such as its prompt; or several by name, the finest first: prompt, noun, scene."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What values are, which decides the shape of their mean's interval: `SHARE`, `error_scale(…)` or `MEAN`.

    No mean lies outside `low` and `high`. `step` is by how much a mean would change if each of its observations were
    off by one more: the bound where values never vary (one for all groups, or one each).
    """

    kind: Literal["share", "error", "mean"]
    low: float = -math.inf
    high: float = math.inf
    step: float | Floats = 0.0


SHARE = Scale("share", 0.0, 1.0)
MEAN = Scale("mean")
"""Numbers of any kind, with Student's interval over clusters alone: no strata, weights, groups or skewness."""


def error_scale(step: float | Floats = 1.0, low: float = 0.0) -> Scale:
    """Make the scale of errors, whose laws are skewed."""
    return Scale("error", low, step=step)


def estimate(
    values: ColumnLike,
    cluster: Units | None = None,
    stratum: ColumnLike | None = None,
    weight: ColumnLike | None = None,
    *,
    group: Integers | None = None,
    count: ColumnLike | None = None,
    scale: Scale = SHARE,
    confidence: float = 0.95,
    what: str = "",
) -> list[Estimate]:
    """Estimate the mean of each group, in the order of their codes (by default there is one).

    Values of one cluster may depend on each other in any way; without `cluster`, each value is a cluster. A cluster
    lies in the stratum of its first value; similar strata have neighbouring codes. `weight` is that of a value in the
    mean, `count` the number of observations behind it, which add up to n. Each row of two-dimensional values
    is a group of the same clusters.
    """
    what = what or ("share" if scale.kind == "share" else "mean")
    if scale.kind == "mean":
        if any(column is not None for column in (stratum, weight, group, count)):
            raise ValueError("a plain mean knows no strata, weights, groups or counts; use another scale")
        return [_enclose_mean(values, cluster, scale, confidence, what)]
    sample = gather(values, cluster, stratum, weight, group=group, count=count)
    enclose = _enclose_shares if scale.kind == "share" else _enclose_errors
    return enclose(sample, scale, confidence, what)


def compare_shares(sample: "Clusters", against: Floats) -> tuple[Floats, Floats]:
    """Test whether each group's share is no more, and no less, than a given one, in accordance with its interval.

    A single cluster gives p-values of 1.
    """
    from scipy.special import ndtr, stdtr

    found = cluster_spread(sample)
    independent, is_constant = _independent_observations(sample, found)
    z = (np.clip(found.mean, 0.0, 1.0) - against) / np.sqrt(against * (1 - against) / np.maximum(independent, ROUNDING))
    degrees = np.maximum(found.degrees, 1e-9)
    below = np.where(is_constant, ndtr(z), stdtr(degrees, z))
    above = np.where(is_constant, ndtr(-z), stdtr(degrees, -z))
    is_single = found.degrees <= 0
    return np.where(is_single, 1.0, above), np.where(is_single, 1.0, below)


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
    counts: Floats
    groups: Integers
    strata: Integers

    @property
    def group_count(self) -> int:
        """The number of groups."""
        return int(self.groups.max(initial=-1)) + 1


def gather(
    values: ColumnLike,
    cluster: Units | None = None,
    stratum: ColumnLike | None = None,
    weight: ColumnLike | None = None,
    *,
    group: Integers | None = None,
    count: ColumnLike | None = None,
) -> Clusters:
    """Average values by group and cluster; see `estimate`."""
    given = np.asarray(values, dtype=np.float64)
    if given.ndim == 2:
        rows, size = given.shape
        given, group = given.ravel(), np.repeat(np.arange(rows), size)
        cluster = None if cluster is None else _only_way(cluster)
        cluster, stratum, weight, count = (
            None if one is None else np.tile(one, rows) for one in (cluster, stratum, weight, count)
        )
    none = np.zeros(len(given), dtype=np.int64)
    groups, strata = (none if one is None else np.asarray(one) for one in (group, stratum))
    weights, counts = (
        np.ones(len(given)) if one is None else np.asarray(one, dtype=np.float64) for one in (weight, count)
    )
    if cluster is None:
        return Clusters(given, weights, counts, groups, _number(strata))
    names, unit = np.unique(_only_way(cluster), return_inverse=True)
    _, first, place = np.unique(groups * len(names) + unit, return_index=True, return_inverse=True)
    total = _sum_by(place, weights)
    means = _sum_by(place, weights * given) / total
    return Clusters(means, total, _sum_by(place, counts), groups[first], _number(strata)[first])


def _only_way(cluster: Units) -> NDArray[Any]:
    if not isinstance(cluster, Mapping):
        return np.asarray(cluster)
    if len(cluster) != 1:
        raise BadValueError(
            f"the sampled units {', '.join(cluster) or '(none)'} cannot be estimated over together; name one"
        )
    (units,) = cluster.values()
    return np.asarray(units)


def _number(names: NDArray[Any]) -> Integers:
    """Number distinct names in sorted order; whole numbers from 0 are codes already."""
    if names.dtype.kind not in "iu" or names.min(initial=0) < 0:
        names = np.unique(names, return_inverse=True)[1]
    return names.astype(np.int64)


def _enclose_shares(sample: Clusters, scale: Scale, confidence: float, what: str) -> list[Estimate]:
    """Put Wilson's interval around the share of each group.

    A variance below that of equally many independent observations in the same strata is due to chance, and is raised
    to it. Where all are right, or all wrong, nothing is known about differences between clusters, and each counts as
    one observation.
    """
    from scipy.special import ndtri, stdtrit

    found = cluster_spread(sample)
    found = replace(found, mean=np.clip(found.mean, scale.low, scale.high))  # rounding may take sums of shares beyond 1
    edge = (1 + confidence) / 2
    z = float(ndtri(edge))
    independent, is_constant = _independent_observations(sample, found)
    # With one cluster there are no degrees of freedom and Student's t is infinite: any share is possible.
    widening = np.where(found.degrees > 0, z / stdtrit(np.maximum(found.degrees, 1e-9), edge), 0.0)
    widening = np.where(is_constant & (found.degrees > 0), 1.0, widening)
    low, high = wilson_bounds(found.mean, independent * widening**2, z)
    methods = (f"{what}, Wilson interval over {layout}" for layout in found.layouts())
    rarer = np.minimum(effective_number(sample, sample.means), effective_number(sample, 1 - sample.means))
    needed = np.where(found.observations > found.clusters, _FEW_OF_SEVERAL, FEW)
    doubts = (f"one outcome is in fewer than {few} clusters" for few in needed)
    cautions = map(name_caution, found.clusters.tolist(), is_constant, rarer < needed, doubts)
    return list(_put_together(found, low, high, methods, cautions, confidence))


def _independent_observations(sample: Clusters, found: "Spread") -> tuple[Floats, NDArray[np.bool_]]:
    """Return how many independent observations would have the same variance, and where nothing varies."""
    variance = np.maximum(found.variance, least_variance(sample, found))
    is_constant = variance <= 0
    binomial = np.clip(found.mean, 0.0, 1.0) * (1 - np.clip(found.mean, 0.0, 1.0))
    return np.where(is_constant, found.clusters, binomial / np.where(is_constant, 1.0, variance)), is_constant


def _enclose_errors(sample: Clusters, scale: Scale, confidence: float, what: str) -> list[Estimate]:
    """Put Student's interval around the mean of each group, corrected for skewness.

    Where values never vary, Wilson's bound says how many clusters may still be off by one step more.
    """
    from scipy.special import ndtri, stdtrit

    found = cluster_spread(sample)
    edge = (1 + confidence) / 2
    t = np.asarray(stdtrit(np.maximum(found.degrees, 1e-9), edge), dtype=np.float64)
    error = np.sqrt(np.where(found.degrees > 0, found.variance, 0.0))
    low = found.mean - _correct_for_skewness(t, found.skewness) * error
    high = found.mean - _correct_for_skewness(-t, found.skewness) * error
    z = float(ndtri(edge))
    half = wilson_bounds(np.zeros(len(t)), found.clusters.astype(np.float64), z)[1] * scale.step
    is_single = found.clusters == 1
    is_constant = ~is_single & (found.variance <= 0)
    low = np.where(is_constant, found.mean - half, low)
    high = np.where(is_constant, found.mean + half, high)
    low = np.where(is_single, scale.low, np.clip(low, scale.low, found.mean))
    high = np.where(is_single, scale.high, np.clip(high, found.mean, scale.high))
    kinds = np.where(
        is_constant, "Wilson bound on the share off by one more", "Student's interval corrected for skewness"
    )
    methods = (f"{what}, {kind}, over {layout}" for kind, layout in zip(kinds, found.layouts(), strict=True))
    skewness = found.skewness if scale.low == 0 else np.abs(found.skewness)
    doubts = repeat("rests on a few large errors")
    cautions = map(name_caution, found.clusters.tolist(), is_constant, skewness > _HEAVY_TAIL, doubts)
    return list(_put_together(found, low, high, methods, cautions, confidence))


def _put_together(
    spread: "Spread", low: Floats, high: Floats, methods: Iterable[str], cautions: Iterable[str], confidence: float
) -> Iterator[Estimate]:
    numbers = (spread.mean.tolist(), low.tolist(), high.tolist(), spread.observations.tolist())
    for mean, bottom, top, n, method, caution in zip(*numbers, methods, cautions, strict=True):
        yield Estimate(mean, bottom, top, round(n), method, confidence, caution)


def _enclose_mean(values: ColumnLike, cluster: Units | None, scale: Scale, confidence: float, what: str) -> Estimate:
    """Put Student's interval around a mean, on one degree of freedom less than there are clusters.

    Where levels are nested (answers in images in prompts), the outermost is the cluster. A single cluster leaves the
    interval unbounded. Where values never vary, and there is a step, Wilson's bound says how many clusters may still be
    off by it.
    """
    given = np.asarray(values, dtype=np.float64)
    units = None if cluster is None else _only_way(cluster)
    mean, clusters = float(np.mean(given)), len(given) if units is None else len(np.unique(units))
    method = f"{what}, Student's interval" + ("" if units is None else f" over {clusters} clusters")
    if clusters == 1:
        half = math.inf
    elif scale.step and (given == given[0]).all():
        mean, half = float(given[0]), wilson_interval(0, clusters, confidence).high * float(scale.step)
        method = f"{what}, values never vary: Wilson bound on the share of {clusters} clusters off by {scale.step:g}"
    else:
        half = student(clusters - 1, (1 + confidence) / 2) * standard_error(given, units)
    return Estimate(mean, max(scale.low, mean - half), min(scale.high, mean + half), len(given), method, confidence)


def standard_error(values: Floats, clusters: NDArray[Any] | None = None) -> float:
    """Compute the standard error of a mean: the variance of clusters' sums of residuals, times G / (G − 1)."""
    residuals = values - float(np.mean(values))
    sums = residuals if clusters is None else sum_clusters(residuals, clusters)
    groups = len(sums)
    return math.sqrt(float(sums @ sums) * groups / (groups - 1)) / len(values) if groups > 1 else math.inf


def sum_clusters(values: Floats, clusters: NDArray[Any]) -> Floats:
    """Sum `values` (observation, …) by cluster."""
    names, index = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), *values.shape[1:]))
    np.add.at(sums, index, values)
    return sums


def student(degrees: float, below: float = 0.975) -> float:
    """Return the quantile of Student's t, by default the one of 95 % intervals."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, below))


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
        _sum_by(given.groups, given.counts, count),
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
    observations, weight = _sum_by(stratum, given.counts), _sum_by(stratum, given.weights)
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


def name_caution(clusters: int, is_constant: bool, is_doubtful: bool, doubt: str) -> str:
    """Say why a figure is to be taken with caution, if it is."""
    if clusters < FEW:
        return f"only {count_clusters(clusters)}"
    if is_constant:
        return "never varies"
    return doubt if is_doubtful else ""


def count_clusters(number: int) -> str:
    """Write the number of clusters in words."""
    return f"{number} cluster" if number == 1 else f"{number} clusters"


def estimate_sd(values: Floats, clusters: NDArray[Any]) -> Estimate | None:
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
    groups = len(sums)
    size, total, squares = (sums.sum(axis=0) - sums).T
    without = np.sqrt(np.maximum((squares - total**2 / size) / np.maximum(size - 1, 1), 0.0))
    is_log = bool((without > _NONE * spread).all())
    # Where only one cluster varies, the spread without it is 0 and has no logarithm.
    left = np.log(without) if is_log else without
    half = student(groups - 1) * math.sqrt((groups - 1) / groups * float(((left - left.mean()) ** 2).sum()))
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
