"""Correlations and their intervals, against scipy."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from subitize.stats.regression import fit_line, pearson_interval, spearman_interval
from tests.cases import Case


def test_the_correlation_and_its_interval_are_scipys(case: Case) -> None:
    for n, seed in product((4, 5, 40, 1000), range(6)):
        random = np.random.default_rng(seed)
        first = random.normal(size=n) * 1e3 + 500
        second = first * random.normal() + random.normal(size=n) * 900
        found = pearson_interval(first.tolist(), second.tolist())
        expected = stats.pearsonr(first, second)
        interval = expected.confidence_interval(0.95)
        with case(f"n {n}, seed {seed}"):
            assert found is not None
            assert found.n == n
            assert (found.value, found.low, found.high) == pytest.approx(
                (expected.statistic, interval.low, interval.high), abs=1e-9
            )


@pytest.mark.parametrize(
    ("first", "second"),
    [([1.0], [2.0]), ([], []), ([3.0, 3.0, 3.0], [1.0, 2.0, 3.0]), ([0.1 * 3] * 4, [1.0, 2.0, 4.0, 3.0])],
)
def test_what_does_not_vary_correlates_with_nothing(first: list[float], second: list[float]) -> None:
    assert pearson_interval(first, second) is None


def test_nothing_bounds_a_perfect_correlation_nor_that_of_three_pairs(case: Case) -> None:
    tenths = [place / 10 for place in range(1, 41)]
    pairs = {
        "three": ([1.0, 2.0, 3.0], [2.0, 4.0, 5.0]),
        "four on a line": ([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0]),
        "forty on a line": (tenths, [3 * one + 0.1 for one in tenths]),
        "forty on a falling line": (tenths, [-one / 3 for one in tenths]),
    }
    for name, (first, second) in pairs.items():
        with case(name):
            for found in (pearson_interval(first, second), spearman_interval(first, second)):
                assert found is not None
                assert (found.low, found.high) == (-1, 1)
                assert -1 <= found.value <= 1


def test_the_rank_correlation_is_scipys_and_its_interval_bonett_and_wrights() -> None:
    random = np.random.default_rng(3)
    first = random.normal(size=30).round(1)  # with ties
    second = first + random.normal(size=30).round(1)
    found = spearman_interval(first.tolist(), second.tolist())
    assert found is not None
    rho = stats.spearmanr(first, second).statistic
    half = stats.norm.ppf(0.975) * np.sqrt((1 + rho**2 / 2) / 27)
    assert found.value == pytest.approx(rho, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((np.tanh(np.arctanh(rho) - half), np.tanh(np.arctanh(rho) + half)))
    grouped = spearman_interval(first.tolist(), second.tolist(), groups=10)
    assert grouped is not None
    assert grouped.low < found.low < found.high < grouped.high


def test_intervals_of_rank_correlations_hold_the_truth() -> None:
    random = np.random.default_rng(4)
    truth = 6 / np.pi * np.arcsin(0.5 / 2)  # of a normal pair with Pearson's correlation 0.5
    pairs = random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=(300, 25))
    found = [spearman_interval(*pair.T.tolist()) for pair in pairs]
    assert 0.92 <= np.mean([one is not None and one.low <= truth <= one.high for one in found]) <= 0.98


def test_ranks_that_do_not_vary_or_are_too_few_tell_nothing() -> None:
    assert spearman_interval([1, 1, 1], [1, 2, 3]) is None
    assert spearman_interval([1], [2]) is None
    few = spearman_interval([1, 2, 3], [1, 3, 2])
    assert few is not None
    assert (few.low, few.high) == (-1, 1)


def test_a_line_is_scipys() -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=12), random.normal(size=12)
    found = fit_line(x.tolist(), y.tolist())
    assert found is not None
    expected = stats.linregress(x, y)
    half = stats.t.ppf(0.975, 10) * expected.stderr
    intercept, slope = found
    assert intercept == pytest.approx(expected.intercept)
    assert (slope.value, slope.low, slope.high) == pytest.approx(
        (expected.slope, expected.slope - half, expected.slope + half)
    )
    assert fit_line([1, 1, 1], [1, 2, 3]) is None
    assert fit_line([1, 2], [1, 2]) is None


def test_the_means_of_groups_cost_degrees_of_freedom() -> None:
    """A line through what is left of groups is that of a regression with a constant for each group."""
    random = np.random.default_rng(6)
    x, y, groups = random.normal(size=20), random.normal(size=20), np.repeat(np.arange(5), 4)
    design = np.column_stack([x, np.eye(5)[groups]])
    coefficients, left, *_ = np.linalg.lstsq(design, y, rcond=None)
    error = np.sqrt(left[0] / (20 - 6) * np.linalg.inv(design.T @ design)[0, 0])
    own_x, own_y = (values - np.bincount(groups, values)[groups] / 4 for values in (x, y))
    found = fit_line(own_x.tolist(), own_y.tolist(), groups=5)
    assert found is not None
    assert found[1].value == pytest.approx(coefficients[0])
    assert found[1].high - found[1].value == pytest.approx(stats.t.ppf(0.975, 14) * error)
