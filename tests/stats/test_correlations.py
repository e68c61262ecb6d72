"""Correlations and their intervals, against scipy."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from cases import Case
from subitize.stats.correlations import pearson_interval


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


def test_a_perfect_correlation_has_an_interval_without_width_and_three_pairs_one_without_bounds() -> None:
    perfect = pearson_interval([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0])
    few = pearson_interval([1.0, 2.0, 3.0], [2.0, 4.0, 5.0])
    assert perfect is not None
    assert few is not None
    assert (perfect.low, perfect.high) == pytest.approx((1, 1))
    assert (few.low, few.high) == (-1, 1)
    assert math.isfinite(few.value)
