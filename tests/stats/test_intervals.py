"""Intervals are those of scipy, and cover the truth as often as they say."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from subitize.records import Estimate
from subitize.stats.estimate import MEAN, Scale, estimate, p_of_interval, subtract_independent, wilson_interval
from tests.cases import Case

BOUNDED = Scale("mean", low=0.0)

SIZES = (1, 2, 3, 10, 47, 1000)


def test_wilsons_interval_is_that_of_scipy(case: Case) -> None:
    for n, confidence in product(SIZES, (0.5, 0.9, 0.95, 0.999)):
        for successes in sorted({0, 1, n // 3, n // 2, n - 1, n}):
            ours = wilson_interval(successes, n, confidence)
            theirs = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
            with case(f"{successes} of {n}, {confidence}"):
                assert ours.low == pytest.approx(theirs.low, abs=1e-9)
                assert ours.high == pytest.approx(theirs.high, abs=1e-9)
                assert (ours.value, ours.n, ours.confidence) == (successes / n, n, confidence)
                assert 0 <= ours.low <= ours.value <= ours.high <= 1


@pytest.mark.parametrize("n", SIZES)
def test_a_share_of_none_or_all_keeps_a_width_and_touches_its_bound(n: int) -> None:
    none, everything = wilson_interval(0, n), wilson_interval(n, n)
    assert none.low == 0.0 < none.high
    assert everything.low < everything.high == 1.0


SAMPLES: dict[str, list[float]] = {
    "two": [1, 2],
    "zeros": [0, 0, 7],
    "wide": [-3.5, 2.25, 8, 1e6],
    "many": list(range(100)),
    "far from 0": [1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.3],
}


def test_the_interval_of_a_mean_is_that_of_scipy(case: Case) -> None:
    for (name, values), confidence in product(SAMPLES.items(), (0.5, 0.95, 0.999)):
        (ours,) = estimate(values, scale=MEAN, confidence=confidence)
        low, high = stats.t.interval(confidence, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
        with case(f"{name}, {confidence}"):
            assert ours.value == pytest.approx(np.mean(values), rel=1e-12)
            assert ours.low == pytest.approx(low, rel=1e-9, abs=1e-9)
            assert ours.high == pytest.approx(high, rel=1e-9, abs=1e-9)
            assert (ours.n, ours.confidence) == (len(values), confidence)


@pytest.mark.parametrize(
    ("values", "scale", "expected"),
    [
        ([3.0], MEAN, (3.0, -math.inf, math.inf)),
        ([3.0], BOUNDED, (3.0, 0.0, math.inf)),
        ([2, 2, 2], MEAN, (2.0, 2.0, 2.0)),
    ],
    ids=["one alone", "one alone, bounded", "equal ones"],
)
def test_one_observation_says_nothing_about_its_spread(
    values: list[float], scale: Scale, expected: tuple[float, float, float]
) -> None:
    (given,) = estimate(values, scale=scale)
    assert (given.value, given.low, given.high) == expected


def test_a_bound_cuts_the_interval_below_and_nowhere_else() -> None:
    (free,), (bounded,) = (estimate([0, 0, 0, 5], scale=scale) for scale in (MEAN, BOUNDED))
    assert free.low < 0 == bounded.low
    assert (bounded.value, bounded.high) == (free.value, free.high)
    assert estimate([10, 11, 12], scale=BOUNDED) == estimate([10, 11, 12], scale=MEAN)


@pytest.mark.parametrize(("share", "n"), [(0.05, 40), (0.5, 25), (0.93, 60)])
def test_wilsons_interval_covers_the_true_share_about_as_often_as_it_says(share: float, n: int) -> None:
    drawn = np.random.default_rng(1).binomial(n, share, size=20_000)
    is_covered = [(found := wilson_interval(k, n)).low <= share <= found.high for k in range(n + 1)]
    assert np.mean(np.take(is_covered, drawn)) == pytest.approx(0.95, abs=0.025)


def test_students_interval_covers_the_true_mean_as_often_as_it_says() -> None:
    samples = np.random.default_rng(2).normal(4.0, 2.0, size=(4_000, 6))
    found = [estimate(sample, scale=MEAN)[0] for sample in samples]
    covered = sum(one.low <= 4.0 <= one.high for one in found)
    assert stats.binomtest(covered, len(found), 0.95).pvalue > 0.001


@pytest.mark.parametrize("value", [-3.0, -1.0, 0.2, 1.96, 5.0])
def test_of_a_normal_interval_it_is_the_normal_p(value: float) -> None:
    half = stats.norm.ppf(0.975) * 0.7
    found = p_of_interval(Estimate(value, value - half, value + half, 9, ""))
    assert found == pytest.approx(2 * stats.norm.sf(abs(value) / 0.7), rel=1e-9)


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
