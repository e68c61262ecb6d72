"""Is one model better than another? Differences over shared clusters, ranks, and pairs too close to call.

The test of a difference and its interval use one statistic, t = difference / standard error, and one distribution of
it: that of t where the signs of the clusters' residuals within their strata are flipped at random. So p is below .05
exactly where 0 lies outside the interval."""

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, repeat
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.bootstrap import batches
from subitize.stats.estimate import (
    FEW,
    LEAST_FREE,
    ROUNDING,
    Clusters,
    Floats,
    Integers,
    Scale,
    Shared,
    Spread,
    cluster_spread,
    effective_number,
    enclose,
    gather,
    least_variance,
    leverage_correction,
    student,
    wilson_interval,
)
from subitize.stats.significance import adjust_holm

ALPHA = 0.05
FLIPS = 1_999
_FLIPS_PER_PAIR = 40  # so that Holm's adjustment of the smallest p there can be is still below .05
_MOST_NUMBERS = 4_000_000  # held at a time
_FLIPPED_AT_ONCE = 200_000  # so that what is held stays in the cache
_FEWEST_TESTED = 6  # levels of a sampled factor: flips of five have no p below .05
_FEWEST_FLIPPED = 8  # clusters that deviate from the mean of their stratum; flips of fewer have too few outcomes
_SEED = 20_240_611
_FLIPPED = "sign flips"


@dataclass(frozen=True, slots=True)
class SharedClusters:
    """The results of several models in the same clusters: `means` has a row per model and a column per cluster.

    `weights` are the numbers of observations behind each mean, the same for all models. Similar strata have
    neighbouring codes. No two means differ by more than `most`; `step` is how much a mean would change if each of its
    observations were off by one more.
    """

    means: Floats
    weights: Floats
    strata: Integers
    most: float = inf
    step: float = 1.0
    are_shares: bool = False
    """Whether observations are right or wrong, so that chance alone gives means a variance."""
    shared: Shared | None = None
    """The levels of sampled factors that clusters share, such as nouns."""

    def pairs(self) -> list[tuple[int, int]]:
        """List the pairs of models."""
        return list(combinations(range(len(self.means)), 2))

    def estimate(self, scale: Scale) -> list[Estimate]:
        """Estimate the figure of each model."""
        return enclose(self.stack(self.means), scale)

    def stack(self, means: Floats) -> Clusters:
        """Make each row of means over these clusters, of models or of pairs of them, a group."""
        found = gather(means, None, self.strata, self.weights, count=self.weights)
        return replace(found, shared=self.shared and self.shared.take(np.tile(np.arange(means.shape[1]), len(means))))


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of the first model minus that of the second, by their numbers, with p and p adjusted for all pairs.

    `p_joint` is adjusted by what all pairs reach together in each flip; it equals `p_holm` where not all are flipped.
    """

    first: int
    second: int
    estimate: Estimate
    p: float
    p_holm: float
    p_joint: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place among others: the best and the worst rank that it may have.

    Models that share a letter cannot be told apart.
    """

    best: int
    worst: int
    letters: str


def compare_all(clusters: SharedClusters) -> list[Difference]:
    """Compare every pair of models; differences over the same clusters add up."""
    return compare_studies(clusters, clusters.means[None])[0]


def compare_studies(clusters: SharedClusters, means: Floats) -> list[list[Difference]]:
    """Compare every pair of models in each of several studies (the first axis of `means`) of the same clusters."""
    pairs = clusters.pairs()
    if not pairs:
        return [[] for _ in means]
    first, second = (list(places) for places in zip(*pairs, strict=True))
    differences = (means[:, first] - means[:, second]).reshape(-1, means.shape[-1])
    differences[np.abs(differences) < ROUNDING] = 0.0
    together = clusters.stack(differences)
    spread = cluster_spread(together)
    variance = spread.variance
    if clusters.are_shares:
        alone = _least_variances(clusters, means)
        variance = np.maximum(variance, (alone[:, first] + alone[:, second]).ravel())
    by_level = _LevelFlips.of(clusters, spread)
    flips = by_level or _ClusterFlips(clusters, spread)
    rests_on = effective_number(together, np.abs(together.means))
    doubts = zip(variance <= 0, rests_on < FEW, repeat(f"differs in fewer than {FEW} clusters"), strict=False)
    levels = spread.sampled.fewest if spread.sampled else np.full(len(differences), inf)
    # Flips of clusters would take those that share levels for independent; flips of levels know nothing of clusters.
    units = np.where(levels < inf, levels if by_level else 0.0, spread.clusters)
    if by_level and spread.sampled:
        units = np.where(spread.sampled.is_floored, 0.0, units)
    deviating = flips.count_deviating(differences)
    columns = (spread.mean, variance, spread.degrees, spread.clusters, spread.observations, levels, units, deviating)
    words, flipped = (spread.layouts(), spread.cautions(doubts)), np.abs(flips.flip(differences))
    by_pair = zip(*(one.tolist() for one in columns), *words, flipped, strict=True)
    found = [_conclude(clusters, _PairSpread(*of_pair), own) for *of_pair, own in by_pair]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(spread.mean) / np.sqrt(variance)
    studies = (slice(begin, begin + len(pairs)) for begin in range(0, len(found), len(pairs)))
    return [_adjust(pairs, found[own], t[own], flipped[own]) for own in studies]


def _adjust(
    pairs: Sequence[tuple[int, int]], found: Sequence[tuple[Estimate, float]], t: Floats, flipped: Floats
) -> list[Difference]:
    """Adjust p for all pairs of one study."""
    by_holm = adjust_holm(np.array([p for _, p in found]))
    are_flipped = all(f" {_FLIPPED}," in estimate.method for estimate, _ in found)
    joint = _adjust_jointly(pairs, t, flipped) if are_flipped else by_holm
    adjusted = zip(by_holm.tolist(), joint.tolist(), strict=True)
    return [
        Difference(*pair, estimate, p, *both) for pair, (estimate, p), both in zip(pairs, found, adjusted, strict=True)
    ]


_MOST_PARTITIONED = 7  # models; 8 have 4,140 partitions


def _adjust_jointly(pairs: Sequence[tuple[int, int]], t: Floats, flipped: Floats) -> Floats:
    """Adjust p of each pair by the largest t of all pairs that may be equal with it, in each flip.

    If two models are equal, all models fall into blocks of equal ones, this pair in one of them: its p is the largest
    of any such partition (closed testing; Shaffer 1986, Journal of the American Statistical Association 81).
    """
    models = 1 + max(second for _, second in pairs)
    if models > _MOST_PARTITIONED:
        return _step_down(t, flipped)
    adjusted = np.zeros(len(t))
    for own in _list_equals(models):
        reached = int((flipped[own].max(axis=0) >= t[own].max() * (1 - 1e-9)).sum())
        adjusted[own] = np.maximum(adjusted[own], (1 + reached) / (1 + flipped.shape[1]))
    return adjusted


@lru_cache(maxsize=_MOST_PARTITIONED)
def _list_equals(models: int) -> list[Integers]:
    """List the pairs that are equal, by their places, for each partition of models that has any."""
    blocks: list[tuple[int, ...]] = [(0,)]
    for _ in range(models - 1):
        blocks = [(*own, block) for own in blocks for block in range(max(own) + 2)]
    pairs = list(combinations(range(models), 2))
    equal = ([place for place, (one, other) in enumerate(pairs) if own[one] == own[other]] for own in blocks)
    return [np.array(own) for own in equal if own]


def _step_down(t: Floats, flipped: Floats) -> Floats:
    """Adjust p of each pair by the largest t of all pairs with no larger t, in each flip (Romano and Wolf 2005)."""
    order = np.argsort(-t, kind="stable")
    largest = np.maximum.accumulate(flipped[order][::-1])[::-1]
    reached = (largest >= t[order][:, None] * (1 - 1e-9)).sum(axis=1)
    adjusted = np.empty(len(t))
    adjusted[order] = np.maximum.accumulate((1 + reached) / (1 + flipped.shape[1]))
    return adjusted


def rank_models(
    differences: Sequence[Difference], values: Sequence[float], *, is_error: bool = False
) -> list[Standing]:
    """Rank models by the pairs that differ at .05 after adjustment; for errors, smaller is better."""
    count = len(values)
    is_better = np.zeros((count, count), dtype=bool)
    for one in differences:
        if one.p_joint < ALPHA:
            is_first = (one.estimate.value > 0) != is_error
            better, worse = (one.first, one.second) if is_first else (one.second, one.first)
            is_better[better, worse] = True
    best, worst = 1 + is_better.sum(axis=0), count - is_better.sum(axis=1)
    order = np.argsort(np.array(values) * (1 if is_error else -1), kind="stable").tolist()
    letters = _letter(is_better | is_better.T, order)
    return [Standing(*of) for of in zip(best.tolist(), worst.tolist(), letters, strict=True)]


def _least_variances(clusters: SharedClusters, means: Floats) -> Floats:
    """Compute the least variance of each model in each study; a difference of independent draws has their sum."""
    each = clusters.stack(means.reshape(-1, means.shape[-1]))
    return least_variance(each, cluster_spread(each)).reshape(means.shape[:2])


class _ClusterFlips:
    """Flips of the signs of clusters' residuals within their strata."""

    def __init__(self, clusters: SharedClusters, spread: Spread) -> None:
        self._pairs, self._models = len(clusters.pairs()), len(clusters.means)
        strata = spread.stratum[: len(clusters.weights)]
        self._order = np.argsort(strata, kind="stable")
        self._layout = _Layout(clusters.weights[self._order], np.bincount(strata))

    def count_deviating(self, differences: Floats) -> Integers:
        """Count the clusters of each pair that deviate from the mean of their stratum, as if there were one stratum.

        The deviations of a stratum add up to 0, so that of two clusters the signs are worth those of one.
        """
        deviates = (self._layout.center(differences[:, self._order]) != 0).astype(np.float64)
        clusters = self._layout.sum(deviates)
        return np.asarray((clusters.sum(axis=1) - (clusters > 0).sum(axis=1) + 1).astype(np.int64))

    def flip(self, differences: Floats) -> Floats:
        """Compute t of each difference (rows) for each flip of signs (columns), all flips if there are few."""
        residuals = self._layout.center(differences[:, self._order])
        # Signs must not depend on the number of studies.
        of_pairs = self._models * max(self._models, len(self._layout.sizes))
        drawn_at_once = _MOST_NUMBERS // max(len(self._order), of_pairs)
        at_once = max(1, _FLIPPED_AT_ONCE // len(residuals))
        found = [
            self._layout.flip(signs[begin : begin + at_once], residuals)
            for signs in _draw_signs(len(self._order), _count_flips(self._pairs), drawn_at_once)
            for begin in range(0, len(signs), at_once)
        ]
        return np.concatenate(found, axis=1)


class _LevelFlips:
    """Flips of the signs of all clusters of a level, such as all prompts with one noun."""

    def __init__(self, clusters: SharedClusters, shared: Shared, spread: Spread) -> None:
        size, self._pairs = len(clusters.weights), len(clusters.pairs())
        self._place = np.unique(shared.codes, return_inverse=True)[1], spread.stratum[:size]
        self._weights, self._total = clusters.weights, clusters.weights.sum()
        self._parts = self._sum(np.ones((1, size)))[0]
        self._of_stratum = self._parts.sum(axis=0)
        self._free = 1 - (self._parts**2 / self._of_stratum).sum(axis=1) / self._parts.sum(axis=1)
        self._least = spread.sampled.least if spread.sampled else spread.variance

    @classmethod
    def of(cls, clusters: SharedClusters, spread: Spread) -> "_LevelFlips | None":
        """Make the flips, if each cluster has one level of one factor, and levels vary."""
        shared = clusters.shared
        if shared is None or spread.sampled is None or not shared.is_nested():
            return None
        return cls(clusters, shared, spread) if np.isfinite(spread.sampled.fewest).all() else None

    def count_deviating(self, differences: Floats) -> Integers:
        """Count the levels of each pair that deviate from the means of their strata."""
        return np.asarray((np.abs(self._residuals(differences).sum(axis=2)) > ROUNDING * self._total).sum(axis=1))

    def flip(self, differences: Floats) -> Floats:
        """Compute t of each difference (rows) for each flip of signs (columns), all flips if there are few."""
        found = []
        for of_pair, least in zip(self._residuals(differences), self._least, strict=True):
            sums = of_pair.sum(axis=1)
            t = []
            for signs in _draw_signs(len(sums), _count_flips(self._pairs), _MOST_NUMBERS // len(sums)):
                means = signs @ of_pair / self._of_stratum
                squares = (signs * sums - means @ self._parts.T) ** 2 / np.maximum(self._free, LEAST_FREE)
                variance = np.maximum(squares.sum(axis=1) / self._total**2, least)
                with np.errstate(divide="ignore", invalid="ignore"):
                    t.append(np.nan_to_num(signs @ sums / self._total / np.sqrt(variance), posinf=inf, neginf=-inf))
            found.append(np.concatenate(t))
        return np.array(found)

    def _residuals(self, differences: Floats) -> Floats:
        """Sum the weighted residuals of each pair by level and stratum."""
        sums = self._sum(differences)
        return np.asarray(sums - (sums.sum(axis=1) / self._of_stratum)[:, None] * self._parts)

    def _sum(self, values: Floats) -> Floats:
        level, stratum = self._place
        sums = np.zeros((len(values), level.max() + 1, stratum.max() + 1))
        np.add.at(sums.transpose(1, 2, 0), (level, stratum), (values * self._weights).T)
        return sums


def _count_flips(pairs: int) -> int:
    return max(FLIPS, _FLIPS_PER_PAIR * pairs - 1)


def _draw_signs(clusters: int, wanted: int, at_a_time: int) -> Iterator[Floats]:
    if 2**clusters <= wanted:
        places = np.arange(2**clusters)[:, None] >> np.arange(clusters)
        yield (1 - 2 * (places & 1)).astype(np.float64)
        return
    random = np.random.default_rng(_SEED)
    for size in batches(wanted, at_a_time):
        yield (1 - 2 * random.integers(0, 2, (size, clusters), dtype=np.int8)).astype(np.float64)


class _Layout:
    """Clusters in the order of their strata, and sums of their values by stratum (over the last axis).

    The variance of a mean, as `cluster_spread` computes it, is the sum over strata of `factors` times the sum of
    squared residuals, each times `squared`.
    """

    def __init__(self, weights: Floats, sizes: Integers) -> None:
        self.weights, self.sizes = weights, sizes
        self._starts = np.r_[0, np.cumsum(sizes)[:-1]]
        self._weight = self.sum(weights)
        leverage = weights / np.repeat(self._weight, sizes)
        self.squared = weights**2 * leverage_correction(leverage, np.repeat(sizes, sizes).astype(np.float64))
        self._squared = self.sum(self.squared)
        mean_weight = self._weight / sizes
        shares = (mean_weight / weights.sum()) ** 2
        self.factors = (shares + shares.sum() / max(1, (sizes - 1).sum())) / mean_weight**2

    def sum(self, values: Floats) -> Floats:
        return np.asarray(np.add.reduceat(values, self._starts, axis=-1))

    def center(self, values: Floats) -> Floats:
        """Subtract the means of strata."""
        means = self.sum(values * self.weights) / self._weight
        residuals = values - np.repeat(means, self.sizes, axis=-1)
        residuals[np.abs(residuals) < ROUNDING] = 0.0
        return residuals

    def flip(self, signs: Floats, residuals: Floats) -> Floats:
        """Compute t of each row of residuals for each flip of their signs.

        Σ q (±r − m)², where m is the new mean of the stratum, is Σ q r² − 2 m Σ ± q r + m² Σ q.
        """
        squares = (self.sum(self.squared * residuals**2) @ self.factors)[:, None]
        total, variance = np.zeros((2, len(residuals), len(signs)))
        variance += squares
        for place, (start, size) in enumerate(zip(self._starts.tolist(), self.sizes.tolist(), strict=True)):
            own = slice(start, start + size)
            sums, weighted = ((residuals[:, own] * by[own]) @ signs[:, own].T for by in (self.weights, self.squared))
            total += sums
            mean = sums / self._weight[place]
            variance += self.factors[place] * mean * (mean * self._squared[place] - 2 * weighted)
        mean = total / self._weight.sum()
        mean[np.abs(mean) < ROUNDING] = 0.0
        variance[variance < ROUNDING * squares] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num(mean / np.sqrt(variance), posinf=inf, neginf=-inf))


@dataclass(frozen=True, slots=True)
class _PairSpread:
    """What is known of a pair: `units` are those whose signs are flipped, `levels` the fewest of a sampled factor."""

    mean: float
    variance: float
    degrees: float
    clusters: int
    observations: float
    levels: float
    units: float
    deviating: int
    layout: str
    caution: str


def _conclude(clusters: SharedClusters, pair: _PairSpread, flipped: Floats) -> tuple[Estimate, float]:
    """Put an interval around a difference and compute its p, which is NaN if there are too few levels to test."""
    caution = pair.caution
    if pair.variance <= 0:
        kind, (half, p) = "Wilson bound on the share that may differ by one more or less", _bound(pair, clusters.step)
    elif pair.variance == inf:
        kind, half, p = _FLIPPED, inf, 1.0
    elif pair.levels < _FEWEST_TESTED:
        kind, half, p = "Student's interval", _ask_student(pair)[0], nan
        caution += ": too few to test"
    elif not pair.units or (pair.units >= FEW and pair.deviating < _FEWEST_FLIPPED):
        kind, (half, p) = "Student's interval", _ask_student(pair)
    else:
        kind, error = _FLIPPED, pair.variance**0.5
        # A flip counts as large as the difference if only rounding sets them apart.
        quotient = abs(pair.mean) / error * (1 - 1e-9)
        p = (1 + int((flipped >= quotient).sum())) / (1 + len(flipped))
        half = _critical(flipped) * (1 + 1e-9) * error
    low, high = max(-clusters.most, pair.mean - half), min(clusters.most, pair.mean + half)
    method = f"difference, {kind}, over {pair.layout}"
    return Estimate(pair.mean, low, high, round(pair.observations), method, caution=caution), p


def _ask_student(pair: _PairSpread) -> tuple[float, float]:
    """Use Student's t instead: where few clusters deviate from their strata, flips have too few outcomes."""
    from scipy.special import stdtr

    error = pair.variance**0.5
    p = 2 * float(stdtr(pair.degrees, -abs(pair.mean) / error))
    return student(pair.degrees, 1 - ALPHA / 2) * error, p


def _critical(flipped: Floats) -> float:
    """Find the largest t whose p is not below .05."""
    rarer = int(np.ceil(ALPHA * (1 + len(flipped)) - ROUNDING)) - 1
    return inf if rarer < 1 else float(-np.partition(-flipped, rarer - 1)[rarer - 1])


def _bound(pair: _PairSpread, step: float) -> tuple[float, float]:
    """Bound a difference that never varies by the number of clusters that may differ by more (Wilson).

    p is one minus the confidence at which the interval would just reach 0, but no less than that of as many tosses of
    a coin.
    """
    from scipy.special import ndtr

    half = wilson_interval(0, pair.clusters).high * step
    if not pair.mean:
        return half, 1.0
    share = min(abs(pair.mean) / step, 1.0)
    z = inf if share == 1 else (pair.clusters * share / (1 - share)) ** 0.5
    p = max(2 * float(ndtr(-z)), 2.0 ** (1 - pair.clusters))
    return (max(half, abs(pair.mean)) if p >= ALPHA else half), p


def _letter(differs: NDArray[np.bool_], order: Sequence[int]) -> list[str]:
    """Assign letters so that two models share one exactly if they do not differ (Piepho 2004); the best gets an a."""
    groups = [set(order)]
    for place, one in enumerate(order):
        for other in order[place + 1 :]:
            if differs[one, other]:
                groups = _split(groups, one, other)
    ranks = {model: rank for rank, model in enumerate(order)}
    groups.sort(key=lambda group: sorted(ranks[model] for model in group))
    named = [(_name_letter(place), group) for place, group in enumerate(groups)]
    return ["".join(letter for letter, group in named if model in group) for model in range(len(order))]


def _split(groups: Sequence[set[int]], one: int, other: int) -> list[set[int]]:
    """Split groups that have both models into one without each, and drop groups that lie within another."""
    split: list[set[int]] = []
    for group in groups:
        split += [group - {one}, group - {other}] if {one, other} <= group else [group]
    distinct = [group for place, group in enumerate(split) if group not in split[:place]]
    return [group for group in distinct if not any(group < another for another in distinct)]


def _name_letter(place: int) -> str:
    letters = string.ascii_letters
    return letters[place % len(letters)] + "′" * (place // len(letters))
