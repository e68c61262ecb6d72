"""Bootstrap over trials: counts are drawn anew, column by column, without ever going back to single trials."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate

RESAMPLES = 1000
METHOD = f"basic bootstrap of trials, {RESAMPLES} resamples"
_CELLS_AT_ONCE = 4_000_000


def resample(counts: NDArray[np.int64], times: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Draw every column of (…, row, column) anew from its own shares, into a new first axis of length `times`.

    The number of trials in a column stays as it is: the design, not chance, decides how often a number is shown.
    """
    trials = counts.sum(axis=-2)
    shares = np.moveaxis(counts / np.maximum(trials, 1)[..., None, :], -2, -1)
    drawn = random.multinomial(trials, shares, size=(times, *trials.shape))
    return np.moveaxis(drawn, -1, -2)


def replicate(
    statistic: Callable[[NDArray[np.int64]], NDArray[np.float64]], counts: NDArray[np.int64], *, seed: int = 0
) -> NDArray[np.float64]:
    """Compute a statistic of resampled counts, in pieces that fit into memory."""
    at_once = max(1, _CELLS_AT_ONCE // max(1, counts.size))
    if at_once >= RESAMPLES:
        return statistic(_resamples(counts.tobytes(), counts.shape, seed))
    random = np.random.default_rng(seed)
    sizes = [min(at_once, RESAMPLES - start) for start in range(0, RESAMPLES, at_once)]
    return np.concatenate([statistic(resample(counts, size, random)) for size in sizes])


@lru_cache(maxsize=1)  # several statistics are wanted of the same counts, one after the other
def _resamples(counts: bytes, shape: tuple[int, ...], seed: int) -> NDArray[np.int64]:
    kept = np.frombuffer(counts, dtype=np.int64).reshape(shape)
    return resample(kept, RESAMPLES, np.random.default_rng(seed))


def basic_interval(
    value: float, replicates: NDArray[np.float64], n: int, what: str, bounds: tuple[float, float]
) -> Estimate:
    """Put the basic bootstrap interval around a value: 2 × value − quantiles, within bounds, holding the value.

    A correlation of shares is the smaller, the fewer the trials, and a resample has the noise of the trials twice:
    the percentile interval of such a correlation lies below the truth (it covers that of an ideal human, 1, never;
    this one does). Where responses never vary, neither do resamples, and the interval has no width.
    """
    finite = replicates[np.isfinite(replicates)]
    low, high = (value, value) if finite.size == 0 else 2 * value - np.quantile(finite, [0.975, 0.025])
    low, high = (min(max(float(edge), bounds[0]), bounds[1]) for edge in (low, high))
    return Estimate(value, min(low, value), max(high, value), n, f"{what}, {METHOD}")
