"""Does the spread of responses grow in proportion to their mean?"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation (n − 1) of the responses to one number."""

    number: int
    mean: float
    sd: float
    n: int


@dataclass(frozen=True, slots=True)
class ScalarVariability:
    """The slope of log sd on log mean over numbers; 1 is scalar variability, as Weber's law has it.

    `points` are the numbers it rests on: those with some spread.
    """

    slope: Estimate
    p_value_against_1: float
    points: tuple[Spread, ...]


def scalar_variability(responses: NDArray[np.float64], targets: NDArray[np.int64]) -> ScalarVariability | None:
    """Regress log sd on log mean over the numbers shown, and test the slope against 1 (Student, two-sided).

    None with fewer than three numbers that have a spread and a mean above 0, or if their means are all the same.
    """
    from scipy.special import stdtr, stdtrit

    points = [_spread(int(number), responses[targets == number]) for number in np.unique(targets)]
    points = [point for point in points if point.sd > 0 and point.mean > 0]
    x = np.log([point.mean for point in points])
    y = np.log([point.sd for point in points])
    n = len(points)
    if n < 3 or np.ptp(x) < 1e-12:
        return None
    x, y = x - x.mean(), y - y.mean()
    sum_of_squares = float(x @ x)
    slope = float(x @ y) / sum_of_squares
    residual = float(((y - slope * x) ** 2).sum()) / (n - 2)
    error = math.sqrt(residual / sum_of_squares)
    half = float(stdtrit(n - 2, 0.975)) * error
    p = float(2 * stdtr(n - 2, -abs(slope - 1) / error)) if error > 0 else float(slope == 1)
    estimate = Estimate(slope, slope - half, slope + half, n, "slope of log sd on log mean, Student's interval")
    return ScalarVariability(estimate, p, tuple(points))


def _spread(number: int, responses: NDArray[np.float64]) -> Spread:
    sd = float(responses.std(ddof=1)) if len(responses) > 1 else 0.0
    return Spread(number, float(responses.mean()), sd, len(responses))
