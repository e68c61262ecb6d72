"""Bootstrap over trials: resamples tables of counts column by column, without going back to single trials."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimate import wilson_interval

RESAMPLES = 1000
METHOD = f"basic bootstrap of trials, {RESAMPLES} resamples, widened by their shift"
LEAST_TRIALS = 10  # with fewer in a cell, resamples tell too little of the spread
_CELLS_AT_ONCE = 4_000_000
_NO_SPREAD = 1e-12
_PARTS = 1_000_000  # a whole trial, where shares of trials are moved

Statistic = Callable[[NDArray[np.int64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Scale:
    """What a statistic is called, its bounds, and which of them is `ideal`: few trials only ever lead away from it.

    A correlation of shares gets the smaller, the fewer the trials (ideal: 1), a distance the larger (ideal: 0). Where
    a cell has fewer than `least` trials, nobody can tell how much, and the interval reaches up to the ideal. Variances
    are `design_effect` times those of independent trials.
    """

    what: str
    bounds: tuple[float, float]
    ideal: float
    least: int
    design_effect: float = 1.0


def resample(
    counts: NDArray[np.int64], times: int, random: np.random.Generator, shares: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Draw every column of (…, row, column) anew, from its own shares or others, into a new first axis.

    The number of trials in a column stays as it is: the design, not chance, decides how often a number is shown.
    """
    trials = counts.sum(axis=-2)
    shares = counts / np.maximum(trials, 1)[..., None, :] if shares is None else shares
    drawn = random.multinomial(trials, np.moveaxis(shares, -2, -1), size=(times, *trials.shape))
    return np.moveaxis(drawn, -1, -2)


def replicate(
    statistic: Statistic, counts: NDArray[np.int64], *, seed: int = 0, shares: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Compute a statistic of resampled counts, in pieces that fit into memory."""
    at_once = max(1, _CELLS_AT_ONCE // max(1, counts.size))
    if at_once >= RESAMPLES and shares is None:
        return statistic(_resamples(counts.tobytes(), counts.shape, seed))
    random = np.random.default_rng(seed)
    sizes = [min(at_once, RESAMPLES - start) for start in range(0, RESAMPLES, at_once)]
    return np.concatenate([statistic(resample(counts, size, random, shares)) for size in sizes])


@lru_cache(maxsize=1)  # several statistics are wanted of the same counts, one after the other
def _resamples(counts: bytes, shape: tuple[int, ...], seed: int) -> NDArray[np.int64]:
    kept = np.frombuffer(counts, dtype=np.int64).reshape(shape)
    return resample(kept, RESAMPLES, np.random.default_rng(seed))


def has_spread(replicates: NDArray[np.float64]) -> bool:
    """Tell whether resamples differ: they cannot where each cell is always answered alike, or has one trial."""
    finite = replicates[np.isfinite(replicates)]
    return finite.size > 0 and float(np.ptp(finite)) > _NO_SPREAD


def small_sample_factor(trials: NDArray[np.int64]) -> float:
    """Tell how many times larger the variance of shares is than in resamples: n / (n − 1), over cells of any size."""
    trials = trials[trials > 0]
    kept = float(((trials - 1) / trials**2).sum())
    return float((1 / trials).sum()) / kept if kept else np.inf


def widen(
    value: float, replicates: NDArray[np.float64], bounds: tuple[float, float], lost: float = 1.0
) -> tuple[float, float]:
    """Put the basic bootstrap interval around a value, widened, within bounds, holding the value.

    A resample has the noise of the trials twice, so it is off from the value as the value is from the truth. How far
    this shift must be taken back is uncertain itself (that of a smallest correlation is about twice as large as
    resamples show): the interval reaches from where it is not taken back to where it is taken back twice.
    """
    finite = replicates[np.isfinite(replicates)]
    centre = float(finite.mean())
    shift = (centre - value) * lost
    # The larger half on both sides: of rare errors, the basic interval has the longer half on the wrong one.
    half = float(np.abs(np.quantile(finite - centre, [0.025, 0.975])).max()) * lost**0.5
    low, high = min(value, value - 2 * shift) - half, max(value, value - 2 * shift) + half
    low, high = (min(max(edge, bounds[0]), bounds[1]) for edge in (low, high))
    return min(low, value), max(high, value)


def bootstrap_interval(statistic: Statistic, counts: NDArray[np.int64], scale: Scale) -> Estimate:
    """Put an interval around a statistic of counts (category, row, column), however few the trials in a cell are."""
    value, n = float(statistic(counts)), int(counts.sum())
    trials = counts.sum(axis=-2)
    fewest = int(trials[trials > 0].min())
    lost = small_sample_factor(trials) * scale.design_effect
    if not np.isfinite(lost):
        few = "one cluster" if np.isinf(scale.design_effect) else "too few trials per cell (1) for an interval"
        method = f"{scale.what}, {few}: whatever is possible"
        return Estimate(value, *scale.bounds, n, method)
    replicates = replicate(statistic, counts)
    if has_spread(replicates):
        low, high = widen(value, replicates, scale.bounds, lost)
        method = f"{scale.what}, {METHOD}"
        if scale.design_effect > 1:
            method += f" and by a design effect of {scale.design_effect:.2g}, as trials of a prompt hang together"
    else:
        others = [value, *(float(statistic(moved)) for moved in shift_responses(counts))]
        low, high = float(np.nanmin(others)), float(np.nanmax(others))
        method = f"{scale.what}, answers never vary: Wilson bound on the share of others"
    if fewest < scale.least:
        low, high = min(low, scale.ideal), max(high, scale.ideal)
        method += f", up to {scale.ideal:g} as there are too few trials per cell ({fewest} of {scale.least})"
    return Estimate(value, low, high, n, method)


def shift_responses(counts: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Move as many trials as may still have been missed to the next row, the one before, or all rows alike.

    They may be of the whole matrix, or all of one category, of one number, or of one number in one category.
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
