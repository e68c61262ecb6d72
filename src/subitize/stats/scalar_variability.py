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

    found = _measure_moments(law)
    if found.is_tested.sum() < LEAST_POINTS:
        return None
    slope, predicted = (
        _slope(np.log(mean[found.is_tested]), np.log(variance[found.is_tested]) / 2)
        for mean, variance in ((found.mean, found.variance), (found.predicted_mean, found.predicted_variance))
    )
    influence = _find_influence(found, predicted)
    trials, shares = law.tallies.counts.sum(axis=1), law.chances.shares

    def error(effects: NDArray[np.float64]) -> float:
        return math.sqrt(float(trials @ (shares * effects**2).sum(axis=1)))

    half, n = 1.96 * error(influence), int(found.is_tested.sum())
    method = "slope of log sd on log mean, delta method under the law"
    p = float(2 * ndtr(-abs(slope - predicted) / error(influence - _take_up(law, influence))))
    numbers = tuple(found.numbers[found.is_tested].tolist())
    return LawSlope(Estimate(slope, slope - half, slope + half, n, method), predicted, p, numbers)


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """By number: means of responses and variances around the fitted means of groups, as seen and as predicted.

    `off` is how far each response is off its group's mean, by group, `own` the variance that the law predicts for the
    group, and `place` where its number is.
    """

    numbers: NDArray[np.int64]
    trials: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    predicted_mean: NDArray[np.float64]
    predicted_variance: NDArray[np.float64]
    is_tested: NDArray[np.bool_]
    place: NDArray[np.intp]
    off: NDArray[np.float64]
    own: NDArray[np.float64]


def _measure_moments(law: ResponseLaw) -> _Moments:
    counts, shares = law.tallies.counts[:, 1:-1], law.chances.shares
    responses, trials = np.arange(2, law.tallies.highest), counts.sum(axis=1)
    means = shares @ responses
    off = responses - means[:, None]
    own = (shares * off**2).sum(axis=1)
    numbers, place = np.unique(law.tallies.numbers, return_inverse=True)
    by_number = np.bincount(place, trials).astype(np.int64)
    of_groups = (counts @ responses, (counts * off**2).sum(axis=1), trials * means, trials * own)
    mean, variance, predicted_mean, predicted_variance = (np.bincount(place, one) / by_number for one in of_groups)
    others = np.bincount(place, trials * (1 - shares.max(axis=1)))
    is_tested = (others >= _LEAST_OTHER) & (variance > 0)
    return _Moments(numbers, by_number, mean, variance, predicted_mean, predicted_variance, is_tested, place, off, own)


def _find_influence(found: _Moments, slope: float) -> NDArray[np.float64]:
    """Tell how much a response moves the slope, by group: through the sd of its number and through the mean."""
    x, y = np.log(found.predicted_mean[found.is_tested]), np.log(found.predicted_variance[found.is_tested]) / 2
    x, y = x - x.mean(), y - y.mean()
    by_sd, by_mean = np.zeros(len(found.numbers)), np.zeros(len(found.numbers))
    by_sd[found.is_tested] = x / (x @ x)
    by_mean[found.is_tested] = (y - 2 * slope * x) / (x @ x)
    by_sd /= 2 * found.predicted_variance * found.trials
    by_mean /= found.predicted_mean * found.trials
    squares = found.off**2 - found.own[:, None]
    return np.asarray(by_sd[found.place, None] * squares + by_mean[found.place, None] * found.off, dtype=np.float64)


def _take_up(law: ResponseLaw, influence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tell how much a response moves the predicted slope, through the parameters that are fitted to it."""
    slopes, trials = law.chances.slopes, law.tallies.counts.sum(axis=1)
    moved = (influence * law.chances.shares * slopes).sum(axis=2) * trials
    steps = np.bincount(law.places.ravel(), moved.ravel(), len(law.parameters)) @ law.covariance
    return np.asarray((steps[law.places][:, :, None] * slopes).sum(axis=0), dtype=np.float64)
