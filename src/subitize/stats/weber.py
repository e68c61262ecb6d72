"""The Weber fraction behind a set of responses, its interval, how well its law fits, and scalar variability.

The fraction is the spread of the responses to one number as a share of their mean, averaged over categories. The law,
its edges, gains and lapses are those of response_law. Categories are a sample of those that could be asked about, so
the interval is Student's over them, on the scale of ratios. With fewer than three categories the fraction refers to
exactly these; if they have too few responses each, one fraction is fitted to all, and its error is that between
categories if this is larger.
Scalar variability: does the spread of responses grow in proportion to their mean? Rounding, edges and lapses bend the
line of log sd on log mean, so Weber's law itself does not predict a slope of 1 for whole numbers. The verdict compares
the slope with the one that the fitted law predicts; the test against 1 is Numbersense's own."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimate import Floats, Integers, share_interval, student, wilson_interval
from subitize.stats.response_law import (
    LEAST_CATEGORIES,
    ResponseLaw,
    ResponseLawFit,
    Tallies,
    Unfitted,
    human_law,
    predict_responses,
)

_LARGEST = 10.0
_NO_LAPSE = 1e-5  # smaller shares count as 0
_LEAST_EXPECTED = 5.0  # responses in a cell of the test of fit


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Responses to one number: as observed, and as predicted by the law with one gain per category."""

    number: int
    exact: Estimate
    mean: float
    sd: float | None
    predicted_exact: float
    predicted_mean: float
    predicted_sd: float


@dataclass(frozen=True, slots=True)
class GoodnessOfFit:
    """Pearson's test of the law with one gain per category: a small p means that responses follow another law."""

    chi_square: float
    degrees: int
    p: float


@dataclass(frozen=True, slots=True)
class Weber:
    """A Weber fraction from the numbers above `subitizing`; for the others the curve predicts exact answers.

    The `gain` is the mean response as a share of the number, `lapse` the share of responses unrelated to it. The
    goodness of fit is None if responses are too few, or vary too little, to test it.
    """

    estimate: Estimate
    subitizing: int
    highest: int
    curve: tuple[CurvePoint, ...]
    gain: Estimate
    lapse: Estimate
    goodness_of_fit: GoodnessOfFit | None


@dataclass(frozen=True, slots=True)
class NoWeber:
    """Why there is no Weber fraction of the numbers above `subitizing`."""

    reason: str
    subitizing: int
    estimate: None = None


def describe_weber(
    tallies: Tallies,
    fit: ResponseLawFit | Unfitted,
    *,
    subitizing: int = 0,
    exact: Mapping[int, Estimate] | None = None,
) -> Weber | NoWeber | None:
    """Put intervals around the parameters fitted to the numbers above `subitizing`.

    `exact` are the shares of exact answers by number; without them all trials are taken for independent.
    Where no response varies, W is 0 and the interval is one-sided: it ends at the W with which all responses would be
    as they are once in 20 times.
    """
    if not tallies.counts[tallies.numbers > subitizing].any():
        return None
    if isinstance(fit, Unfitted):
        return NoWeber(fit.reason, subitizing)
    numbers = [number for number in np.unique(tallies.numbers) if tallies.counts[tallies.numbers == number].any()]
    return Weber(
        _estimate(fit),
        subitizing,
        tallies.highest,
        tuple(_point(tallies, one, fit.shared, subitizing, (exact or {}).get(one)) for one in map(int, numbers)),
        _gain(fit),
        _lapse(fit),
        _goodness_of_fit(fit.shared),
    )


def _estimate(fit: ResponseLawFit) -> Estimate:
    weber = fit.own.weber
    if not weber.any():
        return _bound(fit)
    if fit.tells_categories_apart:
        return _mean_of_categories(weber, fit.n)
    error, degrees = _log_error(fit)
    return _on_ratio_scale(float(weber[0]), error, degrees, fit.n)


def _mean_of_categories(values: Floats, n: int) -> Estimate:
    count, mean = len(values), float(values.mean())
    error = float(values.std(ddof=1)) / math.sqrt(count) / mean
    what = f"mean of {count} categories, Student's interval over them"
    return _on_ratio_scale(mean, error, count - 1, n, what)


def _on_ratio_scale(value: float, error: float, degrees: float, n: int, what: str = "interval") -> Estimate:
    factor = math.exp(min(student(degrees) * error, 700.0))
    return Estimate(value, value / factor, value * factor, n, f"maximum likelihood, {what} on the scale of ratios")


def _log_error(fit: ResponseLawFit) -> tuple[float, float]:
    """Return the standard error of the log fraction of all categories together, and its degrees of freedom.

    It is that of the likelihood, or that between categories (or pictures, if there are too few categories) if larger.
    """
    law, tallies = fit.own, fit.tallies
    influence = (law.covariance[0][law.places][:, :, None] * law.chances.slopes).sum(axis=0)
    of_clusters = (tallies.counts[:, 1:-1] * influence[tallies.groups]).sum(axis=1)
    likely = float(law.covariance[0, 0])
    categories = int(tallies.categories.max()) + 1
    if categories >= LEAST_CATEGORIES:
        units = np.bincount(tallies.categories, of_clusters)
        between = float(units @ units) * categories / (categories - 1)
        return math.sqrt(max(likely, between)), categories - 1
    sizes = np.bincount(tallies.groups)
    off = of_clusters - (np.bincount(tallies.groups, of_clusters) / sizes)[tallies.groups]
    between = float((off**2 * (sizes / np.maximum(sizes - 1, 1))[tallies.groups]).sum())
    return math.sqrt(max(likely, between)), max(fit.n - 1, 1)


def _bound(fit: ResponseLawFit) -> Estimate:
    from scipy.optimize import brentq

    law = fit.own

    def objective(log_weber: float) -> float:
        return replace(law, log_weber=np.full_like(law.log_weber, log_weber)).objective

    least, largest = float(law.log_weber[0]), math.log(_LARGEST)
    level = law.objective + math.log(0.05)
    high = (
        math.inf
        if objective(largest) >= level
        else math.exp(brentq(lambda at: objective(at) - level, least, largest, xtol=1e-12, rtol=1e-12))
    )
    what = "no response is wrong" if law.is_right else "responses do not vary but by lapses"
    return Estimate(0.0, 0.0, high, fit.n, f"maximum likelihood, one-sided exact bound: {what}")


def _gain(fit: ResponseLawFit) -> Estimate:
    law = fit.own
    categories = np.zeros(len(law.log_gain), dtype=np.int64)
    categories[law.gain_of] = law.tallies.categories
    logs = np.bincount(categories, law.log_gain) / np.bincount(categories)
    if law.is_noiseless.all():
        value, half = float(np.exp(logs).mean()), 0.5 / int(law.tallies.numbers.max())
        return Estimate(value, value - half, value + half, fit.n, "maximum likelihood, as far as rounding tells")
    if fit.tells_categories_apart:
        return _mean_of_categories(np.exp(logs), fit.n)
    gains = slice(1, -1)
    error = math.sqrt(float(law.covariance[gains, gains].mean()))
    return _on_ratio_scale(math.exp(float(logs[0])), error, max(fit.n - 1, 1), fit.n)


def _lapse(fit: ResponseLawFit) -> Estimate:
    law = fit.own
    information = float(law.information[-1, -1])
    variance = float(law.covariance[-1, -1]) or (1 / information if information > 0 else math.inf)
    effective = min(1 / (law.lapse * (1 - law.lapse) * variance), fit.n)
    return share_interval(law.lapse if law.lapse > _NO_LAPSE else 0.0, effective, n=fit.n, what="maximum likelihood")


def _goodness_of_fit(law: ResponseLaw) -> GoodnessOfFit | None:
    from scipy.special import chdtrc

    counts = law.tallies.counts[:, 1:-1]
    likely = law.chances.shares * counts.sum(axis=1)[:, None]
    chi_square, degrees = 0.0, 0
    for number in np.unique(law.tallies.numbers):
        is_shown = law.tallies.numbers == number
        expected, starts = _join_cells(likely[is_shown].sum(axis=0))
        observed = np.add.reduceat(counts[is_shown].sum(axis=0), starts)
        chi_square += float(((observed - expected) ** 2 / expected).sum())
        degrees += len(starts) - 1
    degrees -= 2 - int(law.is_noiseless.all())  # W and gain; lapses are fitted to what the joined cells do not show
    return GoodnessOfFit(chi_square, degrees, float(chdtrc(degrees, chi_square))) if degrees > 0 else None


def _join_cells(expected: Floats) -> tuple[Floats, list[int]]:
    """Merge neighbouring responses until enough are expected in each cell; also return where cells start."""
    starts, inside = [0], 0.0
    for place, one in enumerate(expected.tolist()):
        if inside >= _LEAST_EXPECTED and float(expected[place:].sum()) >= _LEAST_EXPECTED:
            starts.append(place)
            inside = 0.0
        inside += one
    return np.add.reduceat(expected, starts), starts


def _point(tallies: Tallies, number: int, law: ResponseLaw, subitizing: int, exact: Estimate | None) -> CurvePoint:
    counts = tallies.counts[tallies.numbers == number].sum(axis=0)
    responses = np.arange(1, len(counts) + 1)
    n = int(counts.sum())
    mean = float(counts @ responses) / n
    shares = (
        _predict(law, number, len(counts)) if number > subitizing else human_law(number, highest=len(counts), weber=0)
    )
    predicted_mean = float(shares @ responses)
    is_right = responses == number
    return CurvePoint(
        number,
        exact or wilson_interval(int(counts @ is_right), n),
        mean,
        math.sqrt(float(counts @ (responses - mean) ** 2) / (n - 1)) if n > 1 else None,
        float(shares @ is_right),
        predicted_mean,
        math.sqrt(float(shares @ (responses - predicted_mean) ** 2)),
    )


def _predict(law: ResponseLaw, number: int, highest: int) -> Floats:
    """Mix the laws of the categories, weighted by their numbers of responses."""
    trials = np.bincount(law.tallies.categories, law.tallies.counts.sum(axis=1))
    means = number * np.exp(law.log_gain)
    laws: Sequence[Floats] = [
        predict_responses(mean, mean * weber, law.lapse, highest) for mean, weber in zip(means, law.weber, strict=True)
    ]
    return np.asarray(trials / trials.sum() @ np.stack(laws), dtype=np.float64)


LEAST_POINTS = 4
"""Fewer points fit a line by chance, so there is no verdict."""
_LEAST_OTHER = 5.0  # expected responses to a number other than the commonest; with fewer, its sd is due to chance


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and standard deviation (n − 1) of the responses to one number."""

    number: int
    mean: float
    sd: float
    n: int


@dataclass(frozen=True, slots=True)
class LawSlope:
    """The slope beside the one that the fitted law predicts, over the same `numbers` and between the edges.

    A small `p` means that the spread does not grow as Weber's law predicts.
    """

    slope: Estimate
    predicted: float
    p: float
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScalarVariability:
    """The slope of log sd on log mean over numbers, the paper's own test of it against 1, and the verdict of the law.

    `points` are the numbers it is based on: those with some spread. `constant` are those whose responses never vary.
    """

    slope: Estimate
    p_value_against_1: float | None
    points: tuple[Moments, ...]
    constant: tuple[int, ...]
    law: LawSlope | None


def scalar_variability(
    responses: Floats, targets: Integers, fit: ResponseLawFit | Unfitted | None = None
) -> ScalarVariability | None:
    """Regress log sd on log mean over the numbers shown; test the slope against 1 (Student) and against the law's.

    None with fewer than three numbers that have a spread and a mean above 0, or if their means are all the same. Three
    give a slope but no test.
    """
    from scipy.special import stdtr

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
    half = student(n - 2) * error
    p = float(2 * stdtr(n - 2, -abs(slope - 1) / error)) if error > 0 else float(slope == 1)
    return ScalarVariability(
        Estimate(slope, slope - half, slope + half, n, "slope of log sd on log mean, Student's interval"),
        p if n >= LEAST_POINTS else None,
        tuple(points),
        tuple(point.number for point in shown if point.sd == 0 and point.n > 1),
        _compare_with_law(fit.own) if isinstance(fit, ResponseLawFit) else None,
    )


def _spread(number: int, responses: Floats) -> Moments:
    sd = float(responses.std(ddof=1)) if len(responses) > 1 else 0.0
    return Moments(number, float(responses.mean()), sd, len(responses))


def _slope(x: Floats, y: Floats) -> float:
    x = x - x.mean()
    return float(x @ y) / float(x @ x)


def _compare_with_law(law: ResponseLaw) -> LawSlope | None:
    """Test the slope of the spread around each group's fitted mean, by the delta method.

    The error is that of sds and means under the law, less the part taken up by its parameters, which are fitted to the
    same responses.
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

    def error(effects: Floats) -> float:
        return math.sqrt(float(trials @ (shares * effects**2).sum(axis=1)))

    half, n = 1.96 * error(influence), int(found.is_tested.sum())
    method = "slope of log sd on log mean, delta method under the law"
    p = float(2 * ndtr(-abs(slope - predicted) / error(influence - _take_up(law, influence))))
    numbers = tuple(found.numbers[found.is_tested].tolist())
    return LawSlope(Estimate(slope, slope - half, slope + half, n, method), predicted, p, numbers)


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """By number: means of responses and variances around the fitted means of groups, observed and predicted.

    By group, `off` is each response's distance from the group's mean, `own` the variance that the law predicts, and
    `place` the index of its number.
    """

    numbers: Integers
    trials: Integers
    mean: Floats
    variance: Floats
    predicted_mean: Floats
    predicted_variance: Floats
    is_tested: NDArray[np.bool_]
    place: NDArray[np.intp]
    off: Floats
    own: Floats


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


def _find_influence(found: _Moments, slope: float) -> Floats:
    """Return how much a response moves the slope, by group: through the sd of its number and through the mean."""
    x, y = np.log(found.predicted_mean[found.is_tested]), np.log(found.predicted_variance[found.is_tested]) / 2
    x, y = x - x.mean(), y - y.mean()
    by_sd, by_mean = np.zeros(len(found.numbers)), np.zeros(len(found.numbers))
    by_sd[found.is_tested] = x / (x @ x)
    by_mean[found.is_tested] = (y - 2 * slope * x) / (x @ x)
    by_sd /= 2 * found.predicted_variance * found.trials
    by_mean /= found.predicted_mean * found.trials
    squares = found.off**2 - found.own[:, None]
    return np.asarray(by_sd[found.place, None] * squares + by_mean[found.place, None] * found.off, dtype=np.float64)


def _take_up(law: ResponseLaw, influence: Floats) -> Floats:
    """Return how much a response moves the predicted slope, through the parameters that are fitted to it."""
    slopes, trials = law.chances.slopes, law.tallies.counts.sum(axis=1)
    moved = (influence * law.chances.shares * slopes).sum(axis=2) * trials
    steps = np.bincount(law.places.ravel(), moved.ravel(), len(law.parameters)) @ law.covariance
    return np.asarray((steps[law.places][:, :, None] * slopes).sum(axis=0), dtype=np.float64)
