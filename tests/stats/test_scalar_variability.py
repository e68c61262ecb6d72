"""The slope of log sd on log mean is scipy's, and that of the law where Weber's law holds."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.response_law import ResponseLawFit, fit_law
from subitize.stats.weber import LawSlope, scalar_variability
from tests.stats.responses_by_law import Observer, list_responses

PROOF = pytest.mark.proof("subitize.stats.weber", "subitize.stats.response_law")
TARGETS = np.repeat(np.arange(1, 11), 60)


def noisy(power: float, seed: int = 1) -> NDArray[np.float64]:
    """Respond with a spread that grows with the number's `power`."""
    return np.random.default_rng(seed).normal(TARGETS, 0.1 * TARGETS**power) + 5


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_slope_interval_and_p_are_those_of_scipy(power: float) -> None:
    responses = noisy(power)
    groups = [responses[number == TARGETS] for number in range(1, 11)]
    expected = stats.linregress(np.log([g.mean() for g in groups]), np.log([g.std(ddof=1) for g in groups]))
    half = stats.t.ppf(0.975, 8) * expected.stderr
    found = scalar_variability(responses, TARGETS)
    assert found is not None
    assert found.slope.value == pytest.approx(expected.slope, abs=1e-9)
    assert (found.slope.low, found.slope.high) == pytest.approx(
        (expected.slope - half, expected.slope + half), abs=1e-9
    )
    p = 2 * stats.t.sf(abs(expected.slope - 1) / expected.stderr, 8)
    assert found.p_value_against_1 == pytest.approx(p, abs=1e-9)
    assert (found.constant, found.law) == ((), None)
    assert found.slope.n == len(found.points) == 10


def test_numbers_without_spread_do_not_count() -> None:
    responses = np.where(TARGETS <= 4, TARGETS, noisy(1.0))
    found = scalar_variability(responses, TARGETS)
    assert found is not None
    assert [point.number for point in found.points] == [5, 6, 7, 8, 9, 10]
    assert found.constant == (1, 2, 3, 4)


@pytest.mark.parametrize("samples", [50, pytest.param(1000, marks=pytest.mark.proof("subitize.stats.weber"))])
def test_where_webers_law_holds_the_slope_is_1_as_often_as_not_rejected(samples: int) -> None:
    random = np.random.default_rng(7)
    targets = np.repeat(np.arange(5, 50), 40)
    found = [scalar_variability(random.normal(targets, 0.15 * targets), targets) for _ in range(samples)]
    rejected = sum((one.p_value_against_1 or 0) < 0.05 for one in found if one is not None)
    assert stats.binomtest(rejected, samples, 0.05).pvalue > 0.001


@pytest.mark.parametrize(
    ("responses", "targets"),
    [
        ([], []),
        ([1, 2, 3], [1, 2, 3]),
        ([3, 3, 3, 3], [1, 1, 2, 2]),
        ([1, 3, 2, 5], [1, 1, 2, 2]),
        ([1, 3, 1, 3, 1, 3], [1, 1, 2, 2, 3, 3]),
        ([0, 0, 0, 0], [1, 1, 2, 2]),
    ],
    ids=["nothing", "one each", "no spread", "two numbers", "equal means", "noughts"],
)
def test_where_a_slope_makes_no_sense_there_is_none(responses: list[float], targets: list[int]) -> None:
    assert scalar_variability(np.array(responses, dtype=float), np.array(targets, dtype=int)) is None


def test_points_on_a_line_have_an_exact_slope() -> None:
    responses = np.array([9.0, 11, 18, 22, 36, 44])
    found = scalar_variability(responses, np.array([1, 1, 2, 2, 3, 3]))
    assert found is not None
    assert found.slope.value == pytest.approx(1, abs=1e-9)
    assert found.p_value_against_1 is None  # three points lie on a line by chance


def compare(
    observer: Observer, seed: int, *, categories: int = 5, trials: int = 50
) -> tuple[LawSlope | None, ResponseLawFit]:
    tallies = observer.respond(seed, categories=categories, trials=trials)
    responses, rows = list_responses(tallies)
    fit = fit_law(tallies.select(tallies.numbers > 4))
    found = scalar_variability(responses, tallies.numbers[rows], fit)
    assert found is not None
    assert isinstance(fit, ResponseLawFit)
    return found.law, fit


def test_both_slopes_are_of_the_spread_around_the_means_of_prompts() -> None:
    found, fit = compare(Observer(0.2, lapse=0.05, category_sd=0.3, prompt_sd=0.1), 4)
    law, responses = fit.own, np.arange(2, 20)
    points = []
    for number in range(5, 11):
        groups = law.tallies.numbers == number
        trials = law.tallies.counts[groups].sum(axis=1, keepdims=True)
        squares = (responses - (law.chances.shares[groups] @ responses)[:, None]) ** 2
        for counts in (law.tallies.counts[groups, 1:-1], trials * law.chances.shares[groups]):
            points.append(
                ((counts @ responses).sum() / counts.sum(), math.sqrt((counts * squares).sum() / counts.sum()))
            )
    x, y = np.log(points).T
    assert found is not None
    assert found.slope.value == pytest.approx(stats.linregress(x[::2], y[::2]).slope, abs=1e-9)
    assert found.predicted == pytest.approx(stats.linregress(x[1::2], y[1::2]).slope, abs=1e-9)
    assert found.numbers == (5, 6, 7, 8, 9, 10)
    assert found.slope.n == 6


def share_rejected(observer: Observer, samples: int, categories: int = 5) -> float:
    found = [compare(observer, seed, categories=categories, trials=250 // categories)[0] for seed in range(samples)]
    assert all(found)
    return sum(one is not None and one.p < 0.05 for one in found) / samples


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weber", "categories", "samples"),
    [
        (0.05, 5, 40),
        (0.15, 1, 40),
        *(pytest.param(*one, 2000, marks=PROOF) for one in product([0.05, 0.15, 0.4], [1, 5])),
    ],
)
def test_ideal_observers_are_not_rejected_for_rounding(weber: float, categories: int, samples: int) -> None:
    assert share_rejected(Observer(weber), samples, categories) <= (0.07 if samples == 2000 else 0.2)


OTHERS = (Observer(gain=0.7), Observer(prompt_sd=0.1), Observer(category_sd=0.4), Observer(lapse=0.02))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("observer", "samples"),
    [*(pytest.param(one, 1000, marks=PROOF) for one in OTHERS), (OTHERS[0], 20), (OTHERS[1], 20)],
)
def test_gain_biased_prompts_categories_and_lapses_are_no_other_law(observer: Observer, samples: int) -> None:
    assert share_rejected(observer, samples) <= (0.1 if samples == 1000 else 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("sd", [0.7, 1.0, 1.5])
def test_who_spreads_alike_at_all_numbers_is_rejected(sd: float) -> None:
    assert share_rejected(Observer(sd=sd), 10) == 1


def test_three_numbers_leave_no_verdict() -> None:
    tallies = Observer().respond(1, numbers=(6, 8, 10))
    responses, rows = list_responses(tallies)
    found = scalar_variability(responses, tallies.numbers[rows], fit_law(tallies))
    assert found is not None
    assert (found.p_value_against_1, found.law) == (None, None)


def test_numbers_that_hardly_vary_are_left_out_of_the_verdict() -> None:
    found, _ = compare(Observer(0.03), 2)
    assert found is None or 5 not in found.numbers
