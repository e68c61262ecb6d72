"""Means and shares with their intervals."""

import math
from collections.abc import Sequence

from subitize.records import Estimate


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> Estimate:
    """Estimate a share, with Wilson's score interval: it never leaves 0..1 and keeps its width at 0 and at 1."""
    return share_interval(successes / n, n, n=n, confidence=confidence)


def share_interval(
    share: float, effective_n: float, *, n: int, what: str = "share", confidence: float = 0.95
) -> Estimate:
    """Put Wilson's interval around a share of `n` observations that is as exact as one of `effective_n`."""
    from scipy.special import ndtri

    z2 = float(ndtri((1 + confidence) / 2)) ** 2 / effective_n
    centre = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(z2) / (1 + z2) * math.sqrt(share * (1 - share) + z2 / 4)
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return Estimate(share, low, high, n, f"{what}, Wilson interval", confidence)


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
