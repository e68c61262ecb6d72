"""Heaping: how much more often round numbers occur than the numbers around them lead to expect."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate

NEIGHBOURS = (-4, -3, -2, -1, 1, 2, 3, 4)
_LEAST_COUNTED = 10
_ITERATIONS = 100


@dataclass(frozen=True, slots=True)
class Heap:
    """A number, how often it occurs, and how many times as often as expected."""

    number: int
    count: int
    ratio: Estimate
    is_flagged: bool
    """Whether it is above 1 with all numbers tested together (Bonferroni)."""


def measure_heaping(counts: Mapping[int, int], numbers: Sequence[int], *, alpha: float = 0.05) -> list[Heap]:
    """Compare numbers with the power law through their neighbours, four on each side.

    Neighbours that scatter more than chance has it widen the interval. Numbers with too few neighbours are left out.
    """
    from scipy.special import stdtrit

    tested = [
        number for number in numbers if sum(counts.get(number + step, 0) for step in NEIGHBOURS) >= _LEAST_COUNTED
    ]
    degrees = len(NEIGHBOURS) - 2
    heaps = []
    for number in tested:
        own = counts.get(number, 0)
        expected, variance = _expect(counts, number)
        log_ratio = math.log(max(own, 0.5)) - expected
        error = math.sqrt(variance)
        half = float(stdtrit(degrees, 1 - alpha / 2)) * error
        bound = float(stdtrit(degrees, 1 - alpha / 2 / len(tested))) * error
        low, high = (math.exp(min(log_ratio + end, 700.0)) for end in (-half, half))
        ratio = Estimate(own / math.exp(expected), low if own else 0.0, high, own, _METHOD, 1 - alpha)
        heaps.append(Heap(number, own, ratio, log_ratio > bound))
    return heaps


_METHOD = "observed over expected by a quasi-Poisson regression on log number through 8 neighbours"


def _has_neighbours(counts: Mapping[int, int], number: int) -> bool:
    around = [counts.get(number + step, 0) for step in NEIGHBOURS]
    middle = len(around) // 2
    sides = (around[:middle], around[middle:])
    return sum(around) >= _LEAST_COUNTED and all(sum(count > 0 for count in side) > 2 for side in sides)


def _expect(counts: Mapping[int, int], number: int) -> tuple[float, float]:
    """Give the logarithm of the count that the neighbours lead to expect, and the variance of the log ratio."""
    around = np.array([number + step for step in NEIGHBOURS], dtype=np.float64)
    seen = np.array([counts.get(int(one), 0) for one in around], dtype=np.float64)
    design = np.stack([np.ones_like(around), np.log(around / number)], axis=1)
    fitted, covariance = _fit_poisson(design, seen)
    means = np.exp(design @ fitted)
    dispersion = max(1.0, float(((seen - means) ** 2 / means).sum()) / (len(NEIGHBOURS) - 2))
    own = max(counts.get(number, 0), 0.5)
    return float(fitted[0]), dispersion * (float(covariance[0, 0]) + 1 / own)


def _fit_poisson(
    design: NDArray[np.float64], seen: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit a log-linear regression of counts by iterated weighted least squares."""
    fitted = np.asarray(np.linalg.lstsq(design, np.log(seen + 0.5), rcond=None)[0], dtype=np.float64)
    for _ in range(_ITERATIONS):
        means = np.exp(np.clip(design @ fitted, -50, 50))
        information = design.T @ (means[:, None] * design)
        step = np.linalg.solve(information, design.T @ (seen - means))
        fitted = fitted + step * min(1.0, 2 / max(1e-300, float(np.abs(step).max())))  # no leaps far from the optimum
        if np.abs(step).max() < 1e-12:
            break
    means = np.exp(design @ fitted)
    return fitted, np.asarray(np.linalg.inv(design.T @ (means[:, None] * design)), dtype=np.float64)
