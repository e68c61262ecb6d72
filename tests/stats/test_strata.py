"""Means over categories that weigh the same: their intervals are Wilson's, and cover."""

import numpy as np
import pytest

from subitize.stats import wilson_interval
from subitize.stats.passes import average_passes
from subitize.stats.strata import mean_of_strata


def test_one_stratum_alone_is_itself() -> None:
    assert mean_of_strata([[1.0] * 3 + [0.0] * 6]) == wilson_interval(3, 9)


def test_strata_weigh_the_same_however_large() -> None:
    found = mean_of_strata([[1.0] * 10 + [0.0] * 90, [1.0, 0.0]])
    assert found.value == pytest.approx(0.3)
    assert found.n == 102


def test_one_stratum_is_as_exact_as_its_choices_of_images() -> None:
    rates = [0.5, 0.5, 0.6, 0.4]
    assert mean_of_strata([rates], [8.0]) == average_passes(rates, 8.0)


def test_no_stratum_is_more_exact_than_a_share_of_its_choices_of_images() -> None:
    strata = [[0.5, 0.5, 0.6, 0.4] * 5] * 2
    few, many = mean_of_strata(strata, [40.0, 40.0]), mean_of_strata(strata)
    assert many.low > few.low
    assert (few.low, few.high) == pytest.approx((wilson_interval(40, 80).low, wilson_interval(40, 80).high))


def test_values_of_0_and_1_have_no_more_choices_than_they_are() -> None:
    strata = [[1.0] * 3 + [0.0] * 6, [1.0] * 2 + [0.0] * 7]
    assert mean_of_strata(strata, [9.0, 9.0]) == mean_of_strata(strata)


def test_more_confidence_makes_it_wider() -> None:
    strata = [[1.0] * 3 + [0.0] * 6, [1.0] * 2 + [0.0] * 7]
    wide, narrow = mean_of_strata(strata, confidence=0.99), mean_of_strata(strata)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert wide.confidence == 0.99


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_strata_that_are_all_right_or_all_wrong_are_wilsons_interval_of_all(value: float) -> None:
    found, share = mean_of_strata([[value] * 10] * 3), wilson_interval(30 * int(value), 30)
    assert (found.low, found.high) == (share.low, share.high)


@pytest.mark.parametrize(
    "runs", [100, pytest.param(1000, marks=pytest.mark.proof("subitize.stats.strata", "subitize.stats.passes"))]
)
@pytest.mark.parametrize(
    "rates",
    [(0.2, 0.3, 0.5, 0.6, 0.1, 0.4), (0.0, 1.0, 0.5, 0.95, 0.02, 1.0), (0.02,) * 6, (0.99,) * 6],
    ids=["mixed", "extreme", "hardly any", "nearly all"],
)
@pytest.mark.parametrize("n", [5, 75])
def test_the_interval_of_a_mean_of_strata_covers_the_truth(rates: tuple[float, ...], n: int, runs: int) -> None:
    random, inside = np.random.default_rng(3), 0
    for _ in range(runs):
        found = mean_of_strata([[1.0] * right + [0.0] * (n - right) for right in random.binomial(n, rates).tolist()])
        inside += found.low <= sum(rates) / len(rates) <= found.high
    assert inside >= 0.93 * runs
