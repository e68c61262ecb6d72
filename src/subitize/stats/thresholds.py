"""Searches the score threshold at which counts match the truth best, with an honest test by cross-validation.

A setting is a column: a threshold, or a threshold together with something else that was tried."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimate import sum_clusters, wilson_interval

_CELLS_AT_ONCE = 500_000
_DRAW_OF_A_KIND = 10  # how many times longer it takes to draw the number of a kind than to draw one observation


def draw_counts(counts: NDArray[np.int64], resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Draw as many observations as there are, with replacement: counts (resample, kind), in pieces that fit in memory.

    Few kinds are drawn as what they are together, a multinomial; of many, observations are drawn and counted.
    """
    random = np.random.default_rng(seed)
    n, kinds = int(counts.sum()), len(counts)
    kind_of = np.repeat(np.arange(kinds), counts)
    is_few = kinds * _DRAW_OF_A_KIND < n
    at_once = max(1, _CELLS_AT_ONCE // max(1, kinds if is_few else n))
    for start in range(0, resamples, at_once):
        times = min(at_once, resamples - start)
        if is_few:
            yield random.multinomial(n, counts / n, size=times).astype(np.float64)
        else:
            drawn = kind_of[random.integers(0, n, (times, n), dtype=np.int32)]
            drawn += np.arange(0, times * kinds, kinds)[:, None]
            yield np.bincount(drawn.ravel(), minlength=times * kinds).reshape(times, kinds).astype(np.float64)


Metric = Literal["nae", "accuracy"]
METRICS: tuple[Metric, ...] = ("nae", "accuracy")
# That of Numbersense (section "Automatic annotation of generated images").
GRID: tuple[float, ...] = tuple(step / 100 for step in range(1, 100))
FOLDS = 10
RESAMPLES = 2_000
_ALIKE = 1e-12

Floats = NDArray[np.float64]


def count_above(scores: Sequence[Sequence[float]], thresholds: Sequence[float]) -> NDArray[np.int64]:
    """Count, for each picture and threshold, the scores that are at least as large."""
    found = [len(own) - np.searchsorted(np.sort(np.asarray(own, dtype=float)), thresholds) for own in scores]
    return np.array(found, dtype=np.int64).reshape(len(scores), len(thresholds))


@dataclass(frozen=True, slots=True)
class CountErrors:
    """How far counts (picture, setting) are from the truth, and which pictures hang together: those of one cluster.

    Of a true count of 0 the relative error is not defined: NaN.
    """

    relative: Floats
    exact: Floats
    truth: Floats
    clusters: NDArray[Any]

    @property
    def has_nae(self) -> bool:
        """Tell whether any true count can be divided by."""
        return bool((self.truth > 0).any())

    def of(self, metric: Metric) -> Floats:
        """Give what a metric is the mean of."""
        return self.relative if metric == "nae" else self.exact


def find_errors(counts: NDArray[np.int64], truth: Sequence[float], clusters: Sequence[object]) -> CountErrors:
    """Compare counts (picture, setting) with the true ones."""
    true = np.asarray(truth, dtype=np.float64)
    divisor = np.where(true > 0, true, np.nan)[:, None]
    relative = np.abs(counts - true[:, None]) / divisor
    _, index = np.unique([str(cluster) for cluster in clusters], return_inverse=True)
    return CountErrors(relative, (counts == true[:, None]).astype(np.float64), true, index)


def average(errors: CountErrors, metric: Metric) -> Floats:
    """Average a metric over the pictures it is defined for, by setting; NaN where there is none."""
    return _mean(errors.of(metric)[_is_defined(errors, metric)])


def estimate(errors: CountErrors, metric: Metric, *, seed: int = 0) -> list[Estimate]:
    """Estimate a metric at every setting, with a percentile bootstrap of clusters.

    Where resamples cannot differ, as where every count is right, Wilson's bound on the share of clusters says how many
    may still be off by 1 more. A single cluster tells nothing of the spread: whatever is possible.
    """
    rows = _is_defined(errors, metric)
    values, clusters = errors.of(metric)[rows], errors.clusters[rows]
    means, n, groups = _mean(values), len(values), len(np.unique(clusters))
    most = np.inf if metric == "nae" else 1.0
    if groups == 1:
        method = "mean, one cluster alone: whatever is possible"
        return [Estimate(float(mean), 0.0, most, n, method) for mean in means]
    low, high = np.quantile(_replicate(values, clusters, seed), [0.025, 0.975], axis=0)
    is_flat = high - low < _ALIKE
    step = float((1 / errors.truth[rows]).mean()) if metric == "nae" else 1.0
    half = wilson_interval(0, groups).high * step
    low = np.where(is_flat, np.maximum(0.0, means - half), np.minimum(low, means))
    high = np.where(is_flat, np.minimum(most, means + half), np.maximum(high, means))
    drawn = f"mean, percentile bootstrap of {groups} clusters, {RESAMPLES} resamples"
    bound = f"mean, nothing varies: Wilson bound on the share of {groups} clusters off by 1"
    return [
        Estimate(float(mean), float(lowest), float(highest), n, bound if flat else drawn)
        for mean, lowest, highest, flat in zip(means, low, high, is_flat, strict=True)
    ]


def choose(values: Floats, metric: Metric) -> tuple[int, ...]:
    """Find the best setting of values (threshold) or (other, threshold): smallest NAE, largest accuracy.

    Of thresholds that do equally well, it is the middle of the widest run of neighbours: the furthest from where things
    get worse. Of an even number the lower middle; of runs as wide the first, in the last of the others.
    """
    lines = values.reshape(-1, values.shape[-1])
    best = np.nanmin(lines) if metric == "nae" else np.nanmax(lines)
    runs = [
        (stop - start, place, -start)
        for place, line in enumerate(np.abs(lines - best) < _ALIKE)
        for start, stop in _runs(line)
    ]
    width, place, before = max(runs)
    where = np.unravel_index(place * values.shape[-1] - before + (width - 1) // 2, values.shape)
    return tuple(int(axis) for axis in where)


@dataclass(frozen=True, slots=True)
class Validation:
    """What a search is worth on pictures it has not seen: both metrics, and the setting chosen without each fold."""

    nae: Estimate | None
    accuracy: Estimate
    chosen: tuple[tuple[int, ...], ...]


def cross_validate(
    errors: CountErrors, metric: Metric, shape: tuple[int, ...], *, folds: int = FOLDS, seed: int = 0
) -> Validation:
    """Choose on all folds but one, measure on that one, in turn; a cluster is never on both sides.

    `shape` is that of the settings, (threshold,) or (other, threshold). The interval is of the pictures, given the
    folds.
    """
    fold_of = assign_folds(errors, folds, seed)
    chosen: list[tuple[int, ...]] = []
    held_out = np.zeros(len(errors.truth), dtype=np.int64)
    for fold in range(fold_of.max() + 1):
        is_out = fold_of == fold
        setting = choose(average(_take(errors, ~is_out), metric).reshape(shape), metric)
        chosen.append(setting)
        held_out[is_out] = np.ravel_multi_index(setting, shape)
    rows = np.arange(len(held_out))
    seen = CountErrors(
        errors.relative[rows, held_out][:, None], errors.exact[rows, held_out][:, None], errors.truth, errors.clusters
    )
    nae = estimate(seen, "nae", seed=seed)[0] if errors.has_nae else None
    return Validation(nae, estimate(seen, "accuracy", seed=seed)[0], tuple(chosen))


def assign_folds(errors: CountErrors, folds: int, seed: int) -> NDArray[np.int64]:
    """Deal the clusters out at random, those with a true count above 0 first: each fold gets its share of them."""
    has_some = sum_clusters(errors.truth, errors.clusters) > 0
    order = np.random.default_rng(seed).permutation(len(has_some))
    order = order[np.argsort(~has_some[order], kind="stable")]
    fold_of = np.empty(len(order), dtype=np.int64)
    fold_of[order] = np.arange(len(order)) % folds
    dealt: NDArray[np.int64] = fold_of[errors.clusters]
    return dealt


def _is_defined(errors: CountErrors, metric: Metric) -> NDArray[np.bool_]:
    return errors.truth > 0 if metric == "nae" else np.ones(len(errors.truth), dtype=bool)


def _mean(values: Floats) -> Floats:
    return values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan)


def _take(errors: CountErrors, rows: NDArray[np.bool_]) -> CountErrors:
    return CountErrors(errors.relative[rows], errors.exact[rows], errors.truth[rows], errors.clusters[rows])


def _replicate(values: Floats, clusters: NDArray[Any], seed: int) -> Floats:
    """Average over clusters drawn anew, at all settings with the same draws."""
    sums, sizes = sum_clusters(values, clusters), sum_clusters(np.ones(len(values)), clusters)
    drawn = draw_counts(np.ones(len(sizes), dtype=np.int64), RESAMPLES, seed)
    return np.concatenate([(times @ sums) / (times @ sizes)[:, None] for times in drawn])


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Find where neighbours are true: start, and one after the end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return ((int(start), int(stop)) for start, stop in edges.reshape(-1, 2))
