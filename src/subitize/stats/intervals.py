"""Means and shares with their intervals."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> Estimate:
    """Estimate a share, with Wilson's score interval: it never leaves 0..1 and keeps its width at 0 and at 1."""
    return share_interval(successes / n, n, n=n, confidence=confidence)


def share_interval(
    share: float, effective_n: float, *, n: int, what: str = "share", confidence: float = 0.95
) -> Estimate:
    """Put Wilson's interval around a share of `n` observations that is as exact as one of `effective_n`."""
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    share = min(max(share, 0.0), 1.0)  # sums of shares may be rounded to more
    low, high = wilson_bounds(np.array([share]), np.array([effective_n]), z)
    return Estimate(share, float(low[0]), float(high[0]), n, f"{what}, Wilson interval", confidence)


def wilson_bounds(
    shares: NDArray[np.float64], n: NDArray[np.float64], z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the ends of Wilson's intervals of many shares of `n` observations each; of none they are 0 and 1."""
    z2 = z**2 / np.maximum(n, 1e-300)
    centre = (shares + z2 / 2) / (1 + z2)
    half = np.sqrt(z2) / (1 + z2) * np.sqrt(shares * (1 - shares) + z2 / 4)
    low = np.where(shares == 0, 0.0, np.maximum(0.0, centre - half))
    high = np.where(shares == 1, 1.0, np.minimum(1.0, centre + half))
    return low, high


def subtract_independent(first: Estimate, second: Estimate) -> Estimate:
    """Subtract figures that share no observations, with the interval that theirs leave.

    The square root of the summed squares of their halves, end by end (Zou and Donner 2008, Statistics in Medicine 27).
    """
    value = first.value - second.value
    low = value - math.hypot(first.value - first.low, second.high - second.value)
    high = value + math.hypot(first.high - first.value, second.value - second.low)
    method = "difference of independent figures, interval from theirs (Zou and Donner)"
    caution = "; ".join(dict.fromkeys(filter(None, (first.caution, second.caution))))
    return Estimate(value, low, high, first.n + second.n, method, first.confidence, caution)


def p_of_interval(estimate: Estimate) -> float:
    """Compute the two-sided p of 0 that goes with an interval: below 1 − confidence exactly where it is without 0.

    Normal, by the half of the interval that faces 0 (Altman and Bland 2011, BMJ 343, d2304).
    """
    from scipy.special import ndtr, ndtri

    half = estimate.value - estimate.low if estimate.value > 0 else estimate.high - estimate.value
    if not estimate.value or math.isinf(half):
        return 1.0
    z = float(ndtri((1 + estimate.confidence) / 2)) * abs(estimate.value) / half if half else math.inf
    return 2 * float(ndtr(-z))


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
