"""Means and shares with their intervals."""

import math
from collections.abc import Sequence

from subitize.records import Estimate


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> Estimate:
    """Estimate a share, with Wilson's score interval: it never leaves 0..1 and keeps its width at 0 and at 1."""
    from scipy.special import ndtri

    share = successes / n
    z = float(ndtri((1 + confidence) / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Estimate(share, low, high, n, "share, Wilson interval", confidence)


def mean_interval(values: Sequence[float], confidence: float = 0.95, *, at_least: float = -math.inf) -> Estimate:
    """Estimate a mean, with Student's interval; one observation alone has an unbounded one.

    `at_least` is a bound the mean cannot go below, as 0 for an absolute error.
    """
    from scipy.special import stdtrit

    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, at_least, math.inf, n, "mean, Student's interval", confidence)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * math.sqrt(variance / n)
    return Estimate(mean, max(at_least, mean - half), mean + half, n, "mean, Student's interval", confidence)
