"""Bootstrap over trials: resamples tables of counts column by column, without going back to single trials."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimate import Floats, Integers, wilson_interval

RESAMPLES = 1000
METHOD = f"basic bootstrap of trials, {RESAMPLES} resamples, widened by their shift"
LEAST_TRIALS = 10  # with fewer in a cell, resamples say too little about the spread
_CELLS_AT_ONCE = 4_000_000
_NO_SPREAD = 1e-12
_PARTS = 1_000_000  # a whole trial, where shares of trials are moved

Statistic = Callable[[Integers], Floats]


@dataclass(frozen=True, slots=True)
class BoundedStatistic:
    """A statistic's name, its bounds, and which of them is `ideal`: few trials only ever lead away from it.

    The fewer the trials, the smaller is a correlation of shares (ideal: 1) and the larger a distance (ideal: 0). Where
    a cell has fewer than `least` trials, the size of this bias is unknown, and the interval extends to the ideal.
    Variances are `design_effect` times those of independent trials.
    """

    what: str
    bounds: tuple[float, float]
    ideal: float
    least: int
    design_effect: float = 1.0


def resample(counts: Integers, times: int, random: np.random.Generator, shares: Floats | None = None) -> Integers:
    """Resample every column of (…, row, column) from its own shares, or given ones, into a new first axis.

    The number of trials in a column stays the same: the design, not chance, decides how often a number is shown.
    """
    trials = counts.sum(axis=-2)
    shares = counts / np.maximum(trials, 1)[..., None, :] if shares is None else shares
    drawn = random.multinomial(trials, np.moveaxis(shares, -2, -1), size=(times, *trials.shape))
    return np.moveaxis(drawn, -1, -2)


def replicate(statistic: Statistic, counts: Integers, *, seed: int = 0, shares: Floats | None = None) -> Floats:
    """Compute a statistic of resampled counts, in pieces that fit into memory."""
    at_once = _CELLS_AT_ONCE // max(1, counts.size)
    if at_once >= RESAMPLES and shares is None:
        return statistic(_resamples(counts.tobytes(), counts.shape, seed))
    random = np.random.default_rng(seed)
    sizes = batches(RESAMPLES, at_once)
    return np.concatenate([statistic(resample(counts, size, random, shares)) for size in sizes])


def batches(total: int, at_once: int) -> Iterator[int]:
    """Split a total into sizes of at most `at_once`, or of 1 where not even one fits."""
    at_once = max(1, at_once)
    return (min(at_once, total - start) for start in range(0, total, at_once))


@lru_cache(maxsize=1)  # several statistics are wanted of the same counts, one after the other
def _resamples(counts: bytes, shape: tuple[int, ...], seed: int) -> Integers:
    kept = np.frombuffer(counts, dtype=np.int64).reshape(shape)
    return resample(kept, RESAMPLES, np.random.default_rng(seed))


def has_spread(replicates: Floats) -> bool:
    """Return whether resamples differ: they cannot where the answers in each cell are all the same."""
    finite = replicates[np.isfinite(replicates)]
    return finite.size > 0 and float(np.ptp(finite)) > _NO_SPREAD


def small_sample_factor(trials: Integers) -> float:
    """Compute how much resamples understate the variance of shares: n / (n − 1), over cells of any size."""
    trials = trials[trials > 0]
    kept = float(((trials - 1) / trials**2).sum())
    return float((1 / trials).sum()) / kept if kept else np.inf


def widen(value: float, replicates: Floats, bounds: tuple[float, float], lost: float = 1.0) -> tuple[float, float]:
    """Put the basic bootstrap interval around a value, widened, within bounds, and containing the value.

    Resamples overshoot the estimate as the estimate overshoots the truth, so that bias is subtracted. Its size is
    itself uncertain (for a smallest correlation it is about twice what resamples show): the interval covers everything
    from no correction to twice the correction.
    """
    finite = replicates[np.isfinite(replicates)]
    centre = float(finite.mean())
    shift = (centre - value) * lost
    # The larger half on both sides: of rare errors, the basic interval has the longer half on the wrong one.
    half = float(np.abs(np.quantile(finite - centre, [0.025, 0.975])).max()) * lost**0.5
    low, high = min(value, value - 2 * shift) - half, max(value, value - 2 * shift) + half
    low, high = (min(max(edge, bounds[0]), bounds[1]) for edge in (low, high))
    return min(low, value), max(high, value)


def bootstrap_interval(statistic: Statistic, counts: Integers, of: BoundedStatistic) -> Estimate:
    """Put an interval around a statistic of counts (category, row, column), however few trials a cell has."""
    value, n = float(statistic(counts)), int(counts.sum())
    trials = counts.sum(axis=-2)
    fewest = int(trials[trials > 0].min())
    lost = small_sample_factor(trials) * of.design_effect
    if not np.isfinite(lost):
        few = "one cluster" if np.isinf(of.design_effect) else "too few trials per cell (1) for an interval"
        method = f"{of.what}, {few}: whatever is possible"
        return Estimate(value, *of.bounds, n, method)
    replicates = replicate(statistic, counts)
    if has_spread(replicates):
        low, high = widen(value, replicates, of.bounds, lost)
        method = f"{of.what}, {METHOD}"
        if of.design_effect > 1:
            method += f" and by a design effect of {of.design_effect:.2g}, as trials of a prompt hang together"
    else:
        others = [value, *(float(statistic(moved)) for moved in shift_responses(counts))]
        low, high = float(np.nanmin(others)), float(np.nanmax(others))
        method = f"{of.what}, answers never vary: Wilson bound on the share of others"
    if fewest < of.least:
        low, high = min(low, of.ideal), max(high, of.ideal)
        method += f", up to {of.ideal:g} as there are too few trials per cell ({fewest} of {of.least})"
    return Estimate(value, low, high, n, method)


def shift_responses(counts: Integers) -> Iterator[Integers]:
    """Yield perturbed matrices: the unseen share (Wilson) moved one row up, one row down, or spread evenly.

    The share is taken from the whole matrix, from one category, from one number, or from one number in one category.
    """
    rows = counts.shape[-2]
    up, down = np.roll(counts, 1, axis=-2), np.roll(counts, -1, axis=-2)
    # What would go over the edge stays where it is.
    up[..., [0, -1], :] = np.stack([np.zeros_like(counts[..., 0, :]), counts[..., -2:, :].sum(axis=-2)], axis=-2)
    down[..., [-1, 0], :] = np.stack([np.zeros_like(counts[..., 0, :]), counts[..., :2, :].sum(axis=-2)], axis=-2)
    alike = np.broadcast_to(counts.sum(axis=-2, keepdims=True) / rows, counts.shape)
    for scope in _scopes(*counts[:, 0, :].shape):
        own = int(counts.sum(axis=-2)[scope].sum())
        missed = np.where(scope, wilson_interval(0, own).high if own else 0.0, 0.0)[:, None, :]
        for other in (up, down, alike):
            yield np.rint(_PARTS * ((1 - missed) * counts + missed * other)).astype(np.int64)


def _scopes(categories: int, columns: int) -> Iterator[NDArray[np.bool_]]:
    of_categories = (np.ones(categories, dtype=bool), *np.eye(categories, dtype=bool))
    of_columns = (np.ones(columns, dtype=bool), *np.eye(columns, dtype=bool))
    return (np.outer(one, other) for one in of_categories for other in of_columns)
