"""Means of clustered, stratified observations with their intervals: the one estimator.

Correlated observations (images of one prompt, wordings for one picture) form a cluster; what the design fixes
(number, type, category) are strata. The variance is that between the clusters of a stratum, shrunk towards that of
all strata, with Satterthwaite's degrees of freedom. Shares get Wilson's interval at the number of independent
observations with the same variance; mean errors get Student's, corrected for skewness (Hall 1992, JRSS B 54,
221-228). Also pass@k and the standard deviation of clustered numbers."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, repeat
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ColumnLike = Sequence[Any] | NDArray[Any]
Units = ColumnLike | Mapping[str, ColumnLike]
"""The sampled unit of each value, such as its prompt; or several by name, the finest first: prompt, noun, scene.

All but the finest are texts, which may name several levels ("cat, dog") or none: values that share one are dependent.
"""


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
    return enclose(gather(values, cluster, stratum, weight, group=group, count=count), scale, confidence, what)


def enclose(sample: "Clusters", scale: Scale, confidence: float = 0.95, what: str = "") -> list[Estimate]:
    """Estimate the mean of each group of clusters, like `estimate`."""
    put = _enclose_shares if scale.kind == "share" else _enclose_errors
    return put(sample, scale, confidence, what or ("share" if scale.kind == "share" else "mean"))


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
class Shared:
    """The levels of sampled factors that clusters share, such as nouns.

    `names` are those of the clusters' unit and the factors. Each set of levels (pairs of a factor's place in `names`
    and a level) has a code; `codes` are those of the clusters.
    """

    names: tuple[str, ...]
    codes: Integers
    sets: tuple[frozenset[tuple[int, str]], ...]

    def take(self, places: Integers) -> "Shared":
        """Take the clusters at these places."""
        return replace(self, codes=self.codes[places])

    def is_nested(self) -> bool:
        """Return whether there is one factor, of which every cluster has one level, so that its levels are clusters."""
        return len(self.names) == 2 and all(len(self.sets[code]) == 1 for code in np.unique(self.codes))


def share_levels(units: Units | None) -> Shared | None:
    """Number the sets of levels of each value's units; None if nothing but one kind of cluster is sampled."""
    if not isinstance(units, Mapping) or len(units) < 2:
        return None
    names, columns = tuple(units), [np.asarray(column).tolist() for column in list(units.values())[1:]]
    codes: dict[tuple[str, ...], int] = {}
    own = np.array([codes.setdefault(texts, len(codes)) for texts in zip(*columns, strict=True)], dtype=np.int64)
    sets = (
        frozenset((place, level) for place, text in enumerate(texts, 1) for level in split_levels(text))
        for texts in codes
    )
    return Shared(names, own, tuple(sets))


def split_levels(text: object) -> list[str]:
    """Split a text that names levels of a factor, separated by commas."""
    return [level.strip() for level in str(text).split(",") if level.strip()]


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
    shared: "Shared | None" = None

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
    shared, cluster = share_levels(cluster), None if cluster is None else first_units(cluster)
    if given.ndim == 2:
        rows, size = given.shape
        given, group = given.ravel(), np.repeat(np.arange(rows), size)
        cluster, stratum, weight, count = (
            None if one is None else np.tile(one, rows) for one in (cluster, stratum, weight, count)
        )
        shared = shared and shared.take(np.tile(np.arange(size), rows))
    none = np.zeros(len(given), dtype=np.int64)
    groups, strata = (none if one is None else np.asarray(one) for one in (group, stratum))
    weights, counts = (
        np.ones(len(given)) if one is None else np.asarray(one, dtype=np.float64) for one in (weight, count)
    )
    if cluster is None:
        return Clusters(given, weights, counts, groups, _number(strata))
    names, unit = np.unique(cluster, return_inverse=True)
    _, first, place = np.unique(groups * len(names) + unit, return_index=True, return_inverse=True)
    total = _sum_by(place, weights)
    means = _sum_by(place, weights * given) / total
    own = shared and shared.take(first)
    return Clusters(means, total, _sum_by(place, counts), groups[first], _number(strata)[first], own)


def first_units(units: Units) -> NDArray[Any]:
    """Return the units of the finest kind."""
    return np.asarray(next(iter(units.values())) if isinstance(units, Mapping) else units)


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
    cautions = found.cautions(zip(is_constant, rarer < needed, doubts, strict=True))
    return list(_put_together(found, low, high, methods, cautions, confidence))


def _independent_observations(sample: Clusters, found: "Spread") -> tuple[Floats, NDArray[np.bool_]]:
    """Return how many independent observations would have the same variance, and where nothing varies."""
    variance = np.maximum(found.variance, least_variance(sample, found))
    is_constant = variance <= 0
    binomial = np.clip(found.mean, 0.0, 1.0) * (1 - np.clip(found.mean, 0.0, 1.0))
    return np.where(is_constant, found.units, binomial / np.where(is_constant, 1.0, variance)), is_constant


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
    half = wilson_bounds(np.zeros(len(t)), found.units, z)[1] * scale.step
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
    cautions = found.cautions(zip(is_constant, skewness > _HEAVY_TAIL, doubts, strict=False))
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
    units = None if cluster is None else first_units(cluster)
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
    sampled: "Sampled | None" = None

    @property
    def units(self) -> Floats:
        """The number of clusters, or of levels that they share, if those are fewer."""
        clusters = self.clusters.astype(np.float64)
        return np.minimum(clusters, self.sampled.fewest) if self.sampled else clusters

    def layouts(self) -> Iterator[str]:
        """Say how many clusters, levels of sampled factors, and strata each group has."""
        for place, (clusters, strata) in enumerate(zip(self.clusters.tolist(), self.strata.tolist(), strict=True)):
            units = self.sampled.describe(place) if self.sampled else count_clusters(clusters)
            yield units + (f" in {strata} strata" if strata > 1 else "")

    def cautions(self, doubtful: Iterable[tuple[bool, bool, str]]) -> Iterator[str]:
        """Say of each group why it is to be taken with caution: few units, no variation, or a doubt of its own."""
        for place, (clusters, (is_constant, is_doubtful, doubt)) in enumerate(
            zip(self.clusters.tolist(), doubtful, strict=True)
        ):
            few = self.sampled.list_few(place) if self.sampled else ""
            yield few or name_caution(clusters, is_constant, is_doubtful, doubt)


@dataclass(frozen=True, slots=True)
class Sampled:
    """By name, the number of units that each group has: of clusters, such as prompts, and of levels, such as nouns.

    `fewest` is the smallest number of levels of a factor that varies (infinite if none does). `least` is the variance
    over clusters alone; `is_floored` says where it counts, as the levels that they share vary less.
    """

    counts: Mapping[str, Integers]
    fewest: Floats
    least: Floats
    is_floored: NDArray[np.bool_]

    def describe(self, group: int) -> str:
        """Write the numbers of units: "40 prompts and 4 nouns"."""
        from subitize.language.nouns import plural
        from subitize.language.numbers import count_noun

        first, units = next(iter(self.counts)), self._count(group)
        texts = " and ".join(count_noun(number, name) for name, number in units.items())
        return texts + f" (variance that of {plural(first)})" * bool(self.is_floored[group] and len(units) > 1)

    def list_few(self, group: int) -> str:
        """List the units of which there are fewer than FEW."""
        from subitize.language.numbers import count_noun

        few = [count_noun(number, name) for name, number in self._count(group).items() if number < FEW]
        return f"only {' and '.join(few)}" if few else ""

    def _count(self, group: int) -> dict[str, int]:
        return {name: int(numbers[group]) for name, numbers in self.counts.items() if numbers[group]}


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
    found = Spread(
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
    return found if given.shared is None else _add_levels(given, given.shared, found)


def _add_levels(given: Clusters, shared: Shared, found: Spread) -> Spread:
    """Add the covariances of clusters that share levels of sampled factors.

    The variance is the sum of the products of residuals over all pairs of clusters that share any level: squared sums
    over the clusters that share a set of levels, added for sets of one or three and so on, subtracted for sets of two
    and so on (inclusion–exclusion: Cameron, Gelbach and Miller 2011, Journal of Business & Economic Statistics 29;
    within a factor Aronow, Samii and Assenova 2015, Political Analysis 23). It is no less than that between clusters.
    A factor of which a group has one level, or that its strata determine, is held fixed.
    """
    units, count = _SharedUnits.of(given, shared, found), len(found.mean)
    places = range(1, len(shared.names))
    degrees = np.array([units.count_degrees(place, count) for place in places])
    levels = [np.bincount(units.groups[units.is_single(place)], minlength=count) for place in places]
    is_free = (degrees >= _LEAST_DEGREES) & (np.array(levels) > 0)
    variance = units.sum_squares(is_free)
    is_floored = ~(variance > found.variance * (1 + ROUNDING))
    variance = np.where(is_floored, found.variance, variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.nan_to_num(found.skewness * (found.variance / variance) ** 1.5)
    counts = dict(zip(shared.names, (found.clusters, *levels), strict=True))
    without = np.bincount(units.groups[units.is_single(0)], minlength=count)
    fewest = np.where(is_free, np.array(levels) + without, np.inf).min(axis=0)
    return replace(
        found,
        variance=variance,
        skewness=skewness,
        degrees=np.where(is_floored, found.degrees, np.where(is_free, degrees, found.degrees).min(axis=0)),
        sampled=Sampled(counts, fewest, found.variance, is_floored),
    )


_LEAST_DEGREES = 0.5  # with fewer, nothing is known of how levels vary
LEAST_FREE = 0.1
"""The least part of its residuals that a level is taken to keep after the means of strata are subtracted."""


@dataclass(frozen=True, slots=True)
class _SharedUnits:
    """The sets of levels that clusters of a group share: `kinds` are codes of the factors of their levels.

    `shares` are their parts in the mean, `sums` those of their residuals, `free` the parts of these that are not lost
    by subtracting the means of strata.
    """

    groups: Integers
    kinds: Integers
    shares: Floats
    sums: Floats
    free: Floats
    factors: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, given: Clusters, shared: Shared, found: Spread) -> "_SharedUnits":
        """Sum the residuals of clusters by the sets of levels that they share."""
        row, unit, kinds, factors = _list_subsets(shared)
        weight = _sum_by(found.stratum, given.weights)
        total = _sum_by(given.groups, given.weights, given.group_count)
        residual = given.means - (_sum_by(found.stratum, given.weights * given.means) / weight)[found.stratum]
        key, place = np.unique(given.groups[row] * len(kinds) + unit, return_inverse=True)
        groups, shares = key // len(kinds), _sum_by(place, given.weights[row])
        cells, cell = np.unique(place * len(weight) + found.stratum[row], return_inverse=True)
        within = _sum_by(cell, given.weights[row]) ** 2 / weight[cells % len(weight)]
        lost = _sum_by(cells // len(weight), within) / shares
        sums = _sum_by(place, (given.weights * residual)[row]) / total[groups]
        return cls(groups, kinds[key % len(kinds)], shares / total[groups], sums, 1 - lost, factors)

    def is_single(self, place: int) -> NDArray[np.bool_]:
        """Return which sets are one level of this factor (0: a cluster without levels)."""
        return np.array([kind == (place,) for kind in self.factors])[self.kinds]

    def count_degrees(self, place: int, count: int) -> Floats:
        """Count the degrees of freedom (Satterthwaite) of each group's variance between the levels of a factor."""
        own = self.is_single(place) | self.is_single(0)
        sizes, free, squares, fourths = (
            _sum_by(self.groups[own], values[own], count)
            for values in (np.ones(len(own)), np.maximum(self.free, 0.0), self.shares**2, self.shares**4)
        )
        return np.divide(squares**2 * free, fourths * sizes, out=np.zeros(count), where=sizes > 0)

    def sum_squares(self, are_free: NDArray[np.bool_]) -> Floats:
        """Sum the squares over the sets whose factors are all free in their group, with the signs of their sizes."""
        signs = np.array([(-1) ** (len(kind) + 1) for kind in self.factors])[self.kinds]
        is_counted = np.ones(len(signs), dtype=bool)
        for place, is_free in enumerate(are_free, 1):
            has_factor = np.array([place in kind for kind in self.factors])[self.kinds]
            is_counted &= ~has_factor | is_free[self.groups]
        squares = np.where(is_counted, signs * self.sums**2 / np.maximum(self.free, LEAST_FREE), 0.0)
        return _sum_by(self.groups, squares, are_free.shape[1])


def _list_subsets(shared: Shared) -> tuple[Integers, Integers, Integers, tuple[tuple[int, ...], ...]]:
    """List the subsets of the levels of each cluster; one without levels has a set of its own.

    The columns are the clusters and the subsets; then come the kind of each subset, and the factors of each kind.
    """
    subsets: dict[tuple[tuple[int, str], ...], int] = {}
    kinds: dict[tuple[int, ...], int] = {(0,): 0}
    kind_of: list[int] = []
    own: list[list[int]] = []
    for levels in shared.sets:
        own.append([])
        for size in range(1, len(levels) + 1):
            for chosen in combinations(sorted(levels), size):
                if chosen not in subsets:
                    kind_of.append(kinds.setdefault(tuple(place for place, _ in chosen), len(kinds)))
                own[-1].append(subsets.setdefault(chosen, len(subsets)))
    sizes = np.array([len(one) for one in own], dtype=np.int64)
    alone = np.flatnonzero(sizes[shared.codes] == 0)
    row = np.repeat(np.arange(len(shared.codes)), sizes[shared.codes])
    unit = np.array([place for code in shared.codes.tolist() for place in own[code]], dtype=np.int64)
    lonely = len(subsets) + np.arange(len(alone))
    all_kinds = np.array(kind_of + [0] * len(alone), dtype=np.int64)
    return np.concatenate([row, alone]), np.concatenate([unit, lonely]), all_kinds, tuple(kinds)


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
