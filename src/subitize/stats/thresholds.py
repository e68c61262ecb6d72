"""Search for the score threshold at which counts best match the truth, with an honest test by cross-validation.

A setting is a column: a threshold, or a threshold together with another parameter."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimate import SHARE, Floats, Integers, error_scale, estimate, sum_clusters

Metric = Literal["nae", "accuracy"]
METRICS: tuple[Metric, ...] = ("nae", "accuracy")
# The grid of Numbersense (section "Automatic annotation of generated images").
GRID: tuple[float, ...] = tuple(step / 100 for step in range(1, 100))
FOLDS = 10
_ALIKE = 1e-12


def count_above(scores: Sequence[Sequence[float]], thresholds: Sequence[float]) -> Integers:
    """Count, for each picture and threshold, the scores that are at least as high."""
    found = [len(own) - np.searchsorted(np.sort(np.asarray(own, dtype=float)), thresholds) for own in scores]
    return np.array(found, dtype=np.int64).reshape(len(scores), len(thresholds))


@dataclass(frozen=True, slots=True)
class CountErrors:
    """How far counts (picture, setting) are from the truth; pictures of one cluster are correlated.

    The relative error of a true count of 0 is undefined (NaN).
    """

    relative: Floats
    exact: Floats
    truth: Floats
    clusters: NDArray[Any]

    @property
    def has_nae(self) -> bool:
        """Return whether any true count is above 0, so that errors can be divided by it."""
        return bool((self.truth > 0).any())

    def take(self, rows: NDArray[np.bool_]) -> "CountErrors":
        """Keep some pictures."""
        return CountErrors(self.relative[rows], self.exact[rows], self.truth[rows], self.clusters[rows])

    def of(self, metric: Metric) -> tuple[Floats, NDArray[Any], float]:
        """Return the values that a metric averages, their clusters, and its mean change if all counts were off by 1."""
        if metric == "accuracy":
            return self.exact, self.clusters, 1.0
        is_defined = self.truth > 0
        steps = 1 / self.truth[is_defined]
        return self.relative[is_defined], self.clusters[is_defined], float(steps.sum() / max(1, len(steps)))


def find_errors(counts: Integers, truth: Sequence[float], clusters: Sequence[object]) -> CountErrors:
    """Compare counts (picture, setting) with the true ones."""
    true = np.asarray(truth, dtype=np.float64)
    divisor = np.where(true > 0, true, np.nan)[:, None]
    relative = np.abs(counts - true[:, None]) / divisor
    _, index = np.unique([str(cluster) for cluster in clusters], return_inverse=True)
    return CountErrors(relative, (counts == true[:, None]).astype(np.float64), true, index)


def average(errors: CountErrors, metric: Metric) -> Floats:
    """Average a metric by setting over the pictures it is defined for; NaN if there are none."""
    values = errors.of(metric)[0]
    return values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan)


def estimate_settings(errors: CountErrors, metric: Metric) -> list[Estimate]:
    """Estimate a metric at every setting, over clusters."""
    values, clusters, step = errors.of(metric)
    scale = SHARE if metric == "accuracy" else error_scale(step)
    return estimate(values.T, clusters, scale=scale)


def choose(values: Floats, metric: Metric) -> tuple[int, ...]:
    """Find the best setting of values (threshold) or (other, threshold): smallest NAE, largest accuracy.

    Of thresholds that do equally well, it is the middle of the widest run of neighbours: the furthest from where things
    get worse. Of an even number it is the lower middle; of equally wide runs, the first in the last row.
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
    """How a search does on pictures it has not seen: both metrics, and the setting chosen without each fold."""

    nae: Estimate | None
    accuracy: Estimate
    chosen: tuple[tuple[int, ...], ...]


def cross_validate(
    errors: CountErrors, metric: Metric, shape: tuple[int, ...], *, folds: int = FOLDS, seed: int = 0
) -> Validation:
    """Choose on all folds but one and measure on that one, in turn; a cluster is never on both sides.

    `shape` is that of the settings, (threshold,) or (other, threshold). The interval reflects the sampling of pictures,
    not of folds.
    """
    fold_of = assign_folds(errors, folds, seed)
    chosen: list[tuple[int, ...]] = []
    held_out = np.zeros(len(errors.truth), dtype=np.int64)
    for fold in range(fold_of.max() + 1):
        is_out = fold_of == fold
        setting = choose(average(errors.take(~is_out), metric).reshape(shape), metric)
        chosen.append(setting)
        held_out[is_out] = np.ravel_multi_index(setting, shape)
    rows = np.arange(len(held_out))
    seen = CountErrors(
        errors.relative[rows, held_out][:, None], errors.exact[rows, held_out][:, None], errors.truth, errors.clusters
    )
    nae = estimate_settings(seen, "nae")[0] if errors.has_nae else None
    return Validation(nae, estimate_settings(seen, "accuracy")[0], tuple(chosen))


def assign_folds(errors: CountErrors, folds: int, seed: int) -> Integers:
    """Deal clusters out at random, those with a true count above 0 first, so that each fold gets its share of them."""
    has_some = sum_clusters(errors.truth, errors.clusters) > 0
    order = np.random.default_rng(seed).permutation(len(has_some))
    order = order[np.argsort(~has_some[order], kind="stable")]
    fold_of = np.empty(len(order), dtype=np.int64)
    fold_of[order] = np.arange(len(order)) % folds
    return np.asarray(fold_of[errors.clusters])


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Find runs of true values: the start, and one after the end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return ((int(start), int(stop)) for start, stop in edges.reshape(-1, 2))
