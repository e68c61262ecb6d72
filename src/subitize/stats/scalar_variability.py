"""Does the spread of responses grow in proportion to their mean?

Rounding, edges and lapses bend the line of log sd on log mean, so that Weber's law itself does not predict a slope of 1
for whole numbers. The verdict is against the slope that the fitted law predicts; that against 1 is the paper's own.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.response_law import Fit, ResponseLaw, Unfitted

LEAST_POINTS = 4
"""With fewer, a line fits by chance, and there is no verdict."""
_LEAST_OTHER = 5.0  # responses other than the commonest one that must be expected of a number, or its sd is chance


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation (n − 1) of the responses to one number."""

    number: int
    mean: float
    sd: float
    n: int


@dataclass(frozen=True, slots=True)
class LawSlope:
    """The slope beside the one that the fitted law predicts, over the same `numbers` and between the edges.

    A small `p` says that the spread does not grow as Weber's law has it.
    """

    slope: Estimate
    predicted: float
    p: float
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScalarVariability:
    """The slope of log sd on log mean over numbers, the paper's own test of it against 1, and the verdict of the law.

    `points` are the numbers it rests on: those with some spread. `constant` are those whose responses never vary.
    """

    slope: Estimate
    p_value_against_1: float | None
    points: tuple[Spread, ...]
    constant: tuple[int, ...]
    law: LawSlope | None


def scalar_variability(
    responses: NDArray[np.float64], targets: NDArray[np.int64], fit: Fit | Unfitted | None = None
) -> ScalarVariability | None:
    """Regress log sd on log mean over the numbers shown; test the slope against 1 (Student) and against the law's.

    None with fewer than three numbers that have a spread and a mean above 0, or if their means are all the same. With
    three there is a slope, but no test.
    """
    from scipy.special import stdtr, stdtrit

    shown = [_spread(int(number), responses[targets == number]) for number in np.unique(targets)]
    points = [point for point in shown if point.sd > 0 and point.mean > 0]
    x = np.log([point.mean for point in points])
    y = np.log([point.sd for point in points])
    n = len(points)
    if n < 3 or np.ptp(x) < 1e-12:
        return None
    slope = _slope(x, y)
    x, y = x - x.mean(), y - y.mean()
    residual = float(((y - slope * x) ** 2).sum()) / (n - 2)
    error = math.sqrt(residual / float(x @ x))
    half = float(stdtrit(n - 2, 0.975)) * error
    p = float(2 * stdtr(n - 2, -abs(slope - 1) / error)) if error > 0 else float(slope == 1)
    return ScalarVariability(
        Estimate(slope, slope - half, slope + half, n, "slope of log sd on log mean, Student's interval"),
        p if n >= LEAST_POINTS else None,
        tuple(points),
        tuple(point.number for point in shown if point.sd == 0 and point.n > 1),
        _compare_with_law(fit.own) if isinstance(fit, Fit) else None,
    )


def _spread(number: int, responses: NDArray[np.float64]) -> Spread:
    sd = float(responses.std(ddof=1)) if len(responses) > 1 else 0.0
    return Spread(number, float(responses.mean()), sd, len(responses))


def _slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    x = x - x.mean()
    return float(x @ y) / float(x @ x)


def _compare_with_law(law: ResponseLaw) -> LawSlope | None:
    """Test the slope of the spread around each group's fitted mean, by the delta method.

    The error is that of sds and means under the law, less what its parameters take up, which are fitted to the same
    responses.
    """
    from scipy.special import ndtr

    counts, shares = law.tallies.counts[:, 1:-1], law.chances.shares
    responses = np.arange(2, law.tallies.highest)
    trials = counts.sum(axis=1)
    means = shares @ responses
    off = responses - means[:, None]
    numbers, place = np.unique(law.tallies.numbers, return_inverse=True)

    def by_number(of_groups: NDArray[np.floating | np.integer]) -> NDArray[np.float64]:
        return np.bincount(place, of_groups) / np.bincount(place, trials)

    variance, seen = by_number((counts * off**2).sum(axis=1)), by_number(counts @ responses)
    own = (shares * off**2).sum(axis=1)
    predicted_variance, predicted_mean = by_number(trials * own), by_number(trials * means)
    is_tested = (by_number(trials * (1 - shares.max(axis=1))) * np.bincount(place, trials) >= _LEAST_OTHER) & (
        variance > 0
    )
    if is_tested.sum() < LEAST_POINTS:
        return None
    x, y = np.log(predicted_mean[is_tested]), np.log(predicted_variance[is_tested]) / 2
    slope = _slope(np.log(seen[is_tested]), np.log(variance[is_tested]) / 2)
    predicted = _slope(x, y)
    # How much a response moves the slope, by group: through its number's sd and through its mean.
    x, y = x - x.mean(), y - y.mean()
    of_sd, of_mean = np.zeros(len(numbers)), np.zeros(len(numbers))
    of_sd[is_tested] = x / (x @ x)
    of_mean[is_tested] = (y - 2 * predicted * x) / (x @ x)
    weight = 1 / np.bincount(place, trials)
    by_sd, by_mean = weight * of_sd / (2 * predicted_variance), weight * of_mean / predicted_mean
    influence = by_sd[place, None] * (off**2 - own[:, None]) + by_mean[place, None] * off
    # The parameters move the prediction as much as the responses that they stand for.
    moved = (influence * shares * law.chances.slopes).sum(axis=2) * trials
    steps = np.bincount(law.places.ravel(), moved.ravel(), len(law.parameters)) @ law.covariance
    taken_up = (steps[law.places][:, :, None] * law.chances.slopes).sum(axis=0)

    def error(effects: NDArray[np.float64]) -> float:
        return math.sqrt(float(trials @ (shares * effects**2).sum(axis=1)))

    half = 1.96 * error(influence)
    estimate = Estimate(
        slope, slope - half, slope + half, len(x), "slope of log sd on log mean, delta method under the law"
    )
    p = float(2 * ndtr(-abs(slope - predicted) / error(influence - taken_up)))
    return LawSlope(estimate, predicted, p, tuple(numbers[is_tested].tolist()))
