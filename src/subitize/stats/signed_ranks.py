"""Do responses lie systematically above or below the target? Wilcoxon's signed-rank test and its effect size."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.intervals import wilson_interval
from subitize.stats.resampling import LEAST_TRIALS, METHOD, has_spread, lost_spread, replicate, widened_interval

Direction = Literal["over", "under", "none"]

# Testolin et al. 2025, section 2.4.4.
ALPHA = 0.05
LEAST_EFFECT = 0.3


@dataclass(frozen=True, slots=True)
class SignedRanks:
    """The test on n errors: z is above 0 where the larger errors are upwards, r = |z| / √n."""

    direction: Direction
    r: Estimate
    z: float
    p: float
    n: int


def signed_rank_test(errors: NDArray[np.float64], strata: NDArray[np.int64] | None = None) -> SignedRanks | None:
    """Test, two-sided, whether errors deviate from 0: normal approximation, corrected for ties, not for continuity.

    Errors of 0 have no rank, as Wilcoxon has it; but they count in the n of r. Without them, r would be .87 (1 if all
    errors are of one size) as soon as all go to one side, be they one in a hundred. Where there is no error at all, z
    is 0 and p is 1.
    `strata` number the design cells (a number in a category) that resamples keep the size of.
    """
    n = len(errors)
    if n == 0:
        return None
    strata = np.zeros(n, dtype=np.int64) if strata is None else strata
    sizes, counts = _count(errors, strata)
    signed_effect = float(_signed_z(sizes, counts[None])[0]) / math.sqrt(n)
    z = signed_effect * math.sqrt(n)
    p = _p(z)
    is_bias = p < ALPHA and abs(signed_effect) >= LEAST_EFFECT
    direction: Direction = "none" if not is_bias else "over" if z > 0 else "under"
    return SignedRanks(direction, _effect(signed_effect, sizes, counts), z, p, n)


def _count(errors: NDArray[np.float64], strata: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Count the errors of each size in each stratum."""
    sizes, row = np.unique(errors, return_inverse=True)
    _, column = np.unique(strata, return_inverse=True)
    counts = np.zeros((len(sizes), int(column.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(counts, (row, column), 1)
    return sizes, counts


def _signed_z(sizes: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute z of each of several counts (…, size, stratum); 0 where there is no error."""
    upwards, ties, ranks = _rank(sizes, counts.sum(axis=-1))
    variance = _variance(ties, ranks)
    return np.where(variance > 0, _excess(upwards, ties, ranks) / np.sqrt(np.where(variance > 0, variance, 1)), 0.0)


def _rank(
    sizes: NDArray[np.float64], totals: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Give, per magnitude above 0, how many errors are upwards, how many there are, and the rank of each."""
    magnitudes, group = np.unique(np.abs(sizes[sizes != 0]), return_inverse=True)
    upwards = np.zeros((*totals.shape[:-1], len(magnitudes)))
    ties = np.zeros_like(upwards)
    for column, (index, size) in zip(group, ((i, s) for i, s in enumerate(sizes) if s != 0), strict=True):
        ties[..., column] += totals[..., index]
        if size > 0:
            upwards[..., column] += totals[..., index]
    return upwards, ties, np.cumsum(ties, axis=-1) - (ties - 1) / 2


def _excess(upwards: NDArray[np.float64], ties: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Say by how much the ranks of errors upwards exceed half of all."""
    return np.asarray(((upwards - ties / 2) * ranks).sum(axis=-1))


def _variance(ties: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the variance of the excess where every error is up or down by the toss of a coin; ties are in it."""
    return np.asarray((ties * ranks**2).sum(axis=-1) / 4)


def _p(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


def _effect(signed_effect: float, sizes: NDArray[np.float64], counts: NDArray[np.int64]) -> Estimate:
    """Put an interval around r: that of the signed effect, folded at 0.

    Strata of few trials, or that are always answered alike, have no spread of their own to resample: then all errors
    are resampled together, which adds the differences between strata and so makes the interval wider, never narrower.
    """
    n = int(counts.sum())
    if len(sizes) == 1:
        return _effect_without_spread(float(sizes[0]), n)
    what = "r = |z| / √n, signed-rank"

    def statistic(resampled: NDArray[np.int64]) -> NDArray[np.float64]:
        return _signed_z(sizes, resampled) / math.sqrt(n)

    replicates = replicate(statistic, counts)
    if counts.sum(axis=0).min() < LEAST_TRIALS or not has_spread(replicates):
        counts = counts.sum(axis=1, keepdims=True)
        replicates = replicate(statistic, counts)
        what += ", strata together"
    lost = lost_spread(counts.sum(axis=0))
    low, high = widened_interval(signed_effect, replicates, (-1.0, 1.0), lost)
    edges = sorted((abs(low), abs(high)))
    # What the test cannot tell from 0 may be 0; with few errors, resamples would say so too rarely.
    may_be_none = low <= 0 <= high or _p(signed_effect * math.sqrt(n)) >= ALPHA
    folded = 0.0 if may_be_none else edges[0]
    return Estimate(abs(signed_effect), folded, edges[1], n, f"{what}, {METHOD}")


def _effect_without_spread(size: float, n: int) -> Estimate:
    """Bound r by as many errors of another kind, all alike, as may still have been missed."""
    missed = wilson_interval(0, n).high
    if size == 0:
        return Estimate(0.0, 0.0, math.sqrt(missed), n, "r = |z| / √n; no error, Wilson bound on their share")
    method = "r = |z| / √n; all errors alike, Wilson bound on the share of opposite ones"
    return Estimate(1.0, max(0.0, 1 - 2 * missed), 1.0, n, method)
