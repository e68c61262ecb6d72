"""How closely two measures go together."""

import math
from collections.abc import Sequence

from subitize.records import Estimate


def pearson_interval(first: Sequence[float], second: Sequence[float], confidence: float = 0.95) -> Estimate | None:
    """Estimate Pearson's correlation, with Fisher's interval; None where one of the two hardly varies, or n < 2.

    With three pairs or fewer, or where all lie on a line, nothing bounds it.
    """
    import numpy as np
    from scipy.special import ndtri

    n = len(first)
    pair = np.array([first, second], dtype=np.float64)
    if n < 2 or (np.ptp(pair, axis=1) <= _CONSTANT * np.abs(pair).max(axis=1)).any():
        return None
    one, other = pair - pair.mean(axis=1, keepdims=True)
    r = float(np.clip(one @ other / math.sqrt(one @ one) / math.sqrt(other @ other), -1, 1))
    if n <= 3 or abs(r) >= 1 - _CONSTANT:
        return Estimate(r, -1.0, 1.0, n, _METHOD, confidence)
    half = float(ndtri((1 + confidence) / 2)) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(r) + sign * half) for sign in (-1, 1))
    return Estimate(r, low, high, n, _METHOD, confidence)


_METHOD = "Pearson correlation, Fisher's interval"
_CONSTANT = 1e-12  # what varies less than this, relative to its size, varies by rounding only


def spearman_interval(
    first: Sequence[float], second: Sequence[float], confidence: float = 0.95, *, groups: int = 1
) -> Estimate | None:
    """Estimate Spearman's rank correlation; None where one of the two does not vary, or n < 2.

    Fisher's interval with the variance of ranks (Bonett and Wright 2000, Psychometrika 65, 23-28). The means of groups
    that were taken off before cost degrees of freedom.
    """
    import numpy as np
    from scipy.special import ndtri
    from scipy.stats import rankdata

    n = len(first)
    if n < 2 or np.ptp(np.asarray(first)) == 0 or np.ptp(np.asarray(second)) == 0:
        return None
    rho = float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])
    method = "Spearman correlation, Bonett and Wright's interval"
    degrees = n - (groups - 1) - 3
    if degrees <= 0 or abs(rho) >= 1 - _CONSTANT:
        return Estimate(rho, -1.0, 1.0, n, method, confidence)
    half = float(ndtri((1 + confidence) / 2)) * math.sqrt((1 + rho**2 / 2) / degrees)
    low, high = (math.tanh(math.atanh(rho) + sign * half) for sign in (-1, 1))
    return Estimate(rho, low, high, n, method, confidence)


def fit_line(
    x: Sequence[float], y: Sequence[float], confidence: float = 0.95, *, groups: int = 1
) -> tuple[float, Estimate] | None:
    """Fit y = a + b x by least squares: a, and b with Student's interval; None where x does not vary, or for too few.

    The means of groups that were taken off before cost degrees of freedom.
    """
    import numpy as np
    from scipy.special import stdtrit

    n, degrees = len(x), len(x) - groups - 1
    if degrees < 1 or np.ptp(np.asarray(x)) == 0:
        return None
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    centred = xs - xs.mean()
    slope = float(centred @ ys / (centred @ centred))
    intercept = float(ys.mean() - slope * xs.mean())
    left = ys - intercept - slope * xs
    error = math.sqrt(float(left @ left) / degrees / float(centred @ centred))
    half = float(stdtrit(degrees, (1 + confidence) / 2)) * error
    return intercept, Estimate(
        slope, slope - half, slope + half, n, "slope by least squares, Student's interval", confidence
    )
