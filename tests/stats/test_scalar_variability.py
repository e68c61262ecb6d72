"""The slope of log sd on log mean is scipy's, and 1 where Weber's law holds."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.scalar_variability import scalar_variability

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
    assert found.slope.n == len(found.points) == 10


def test_numbers_without_spread_do_not_count() -> None:
    responses = np.where(TARGETS <= 4, TARGETS, noisy(1.0))
    found = scalar_variability(responses, TARGETS)
    assert found is not None
    assert [point.number for point in found.points] == [5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(
    "samples", [50, pytest.param(1000, marks=pytest.mark.proof("subitize.stats.scalar_variability"))]
)
def test_where_webers_law_holds_the_slope_is_1_as_often_as_not_rejected(samples: int) -> None:
    random = np.random.default_rng(7)
    targets = np.repeat(np.arange(5, 50), 40)
    found = [scalar_variability(random.normal(targets, 0.15 * targets), targets) for _ in range(samples)]
    rejected = sum(one is not None and one.p_value_against_1 < 0.05 for one in found)
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
