"""How closely two measures go together."""

import math
from collections.abc import Sequence

from subitize.records import Estimate


def pearson_interval(first: Sequence[float], second: Sequence[float], confidence: float = 0.95) -> Estimate | None:
    """Estimate Pearson's correlation, with Fisher's interval; None where one of the two hardly varies, or n < 2.

    With three pairs or fewer nothing bounds it.
    """
    import numpy as np
    from scipy.special import ndtri

    n = len(first)
    pair = np.array([first, second], dtype=np.float64)
    if n < 2 or (np.ptp(pair, axis=1) <= _CONSTANT * np.abs(pair).max(axis=1)).any():
        return None
    one, other = pair - pair.mean(axis=1, keepdims=True)
    r = float(one @ other / math.sqrt(one @ one) / math.sqrt(other @ other))
    if n <= 3:
        return Estimate(r, -1.0, 1.0, n, _METHOD, confidence)
    if abs(r) >= 1 - _CONSTANT:
        return Estimate(r, r, r, n, _METHOD, confidence)
    half = float(ndtri((1 + confidence) / 2)) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(r) + sign * half) for sign in (-1, 1))
    return Estimate(r, low, high, n, _METHOD, confidence)


_METHOD = "Pearson correlation, Fisher's interval"
_CONSTANT = 1e-12  # what varies less than this, relative to its size, varies by rounding only
