"""The p that goes with an interval: that of the normal law, and on the same side of .05 as the interval of 0."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from subitize.records import Estimate
from subitize.stats.intervals import p_of_interval, subtract_independent, wilson_interval


@pytest.mark.parametrize("value", [-3.0, -1.0, 0.2, 1.96, 5.0])
def test_of_a_normal_interval_it_is_the_normal_p(value: float) -> None:
    half = norm.ppf(0.975) * 0.7
    found = p_of_interval(Estimate(value, value - half, value + half, 9, ""))
    assert found == pytest.approx(2 * norm.sf(abs(value) / 0.7), rel=1e-9)


def test_it_is_below_five_percent_exactly_where_the_interval_is_without_0() -> None:
    random = np.random.default_rng(3)
    for _ in range(300):
        first, second = (wilson_interval(int(random.integers(0, 31)), 30) for _ in range(2))
        difference = subtract_independent(first, second)
        is_without = difference.low > 0 or difference.high < 0
        assert (p_of_interval(difference) < 0.05) == is_without


def test_of_no_difference_and_of_an_unbounded_interval_it_is_1() -> None:
    assert p_of_interval(Estimate(0.0, -1.0, 1.0, 2, "")) == 1
    assert p_of_interval(Estimate(0.5, -math.inf, math.inf, 2, "")) == 1
