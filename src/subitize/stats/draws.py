"""Counts of each kind in a resample."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

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
