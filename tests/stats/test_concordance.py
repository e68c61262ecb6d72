"""Kendall's W is what scipy's Friedman statistic makes of it, ties and all, and its interval covers."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from subitize.stats.significance import average_ranks, kendall_w, resampled_w
from tests.cases import Case


def test_w_times_its_scale_is_friedmans_statistic(case: Case) -> None:
    for (ties, levels), seed in product({"many ties": 3, "some ties": 6, "hardly any": 1000}.items(), range(10)):
        random = np.random.default_rng(seed)
        raters, things = int(random.integers(2, 8)), int(random.integers(3, 16))
        values = (random.integers(0, levels, (raters, things)) + np.arange(things) * levels / 20).round(1)
        found = kendall_w(values)
        expected = stats.friedmanchisquare(*values.T)
        with case(f"{ties}, seed {seed}"):
            assert found is not None
            assert found.chi_squared == pytest.approx(expected.statistic, rel=1e-9)
            assert found.w == pytest.approx(expected.statistic / (raters * (things - 1)), rel=1e-9)
            assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
            assert (found.raters, found.things) == (raters, things)


def test_ranks_are_scipys_average_ranks(case: Case) -> None:
    for seed in range(5):
        values = np.random.default_rng(seed).integers(0, 5, (4, 9)).astype(float)
        with case(f"seed {seed}"):
            assert average_ranks(values).tolist() == stats.rankdata(values, axis=1).tolist()


def test_one_order_is_1_and_opposite_orders_are_0() -> None:
    order = np.arange(5.0)
    same, opposite = kendall_w(np.stack([order, order * 7])), kendall_w(np.stack([order, -order]))
    assert same is not None
    assert opposite is not None
    assert (same.w, opposite.w) == pytest.approx((1, 0))


@pytest.mark.parametrize("values", [np.ones((3, 4)), np.ones((1, 4)), np.ones((3, 1))], ids=["tied", "rater", "thing"])
def test_where_nothing_is_ranked_there_is_no_w(values: np.ndarray) -> None:
    assert kendall_w(values) is None
    assert resampled_w(values[None]) is None


def test_values_that_differ_by_rounding_only_are_tied() -> None:
    values = np.array([[0.1 + 0.2, 0.3, 0.5], [0.3, 0.3, 0.5]])
    assert average_ranks(values)[0].tolist() == [1.5, 1.5, 3]


@pytest.mark.parametrize(
    "runs", [10, pytest.param(500, marks=pytest.mark.proof("subitize.stats.significance", "subitize.stats.bootstrap"))]
)
def test_the_interval_covers_the_w_of_the_true_means(runs: int) -> None:
    """Three scenes, five models with known success rates, 105 prompts: how often is the true W inside?"""
    rates = np.array([[0.2, 0.3, 0.4, 0.5, 0.6], [0.2, 0.45, 0.3, 0.5, 0.6], [0.6, 0.5, 0.2, 0.3, 0.4]])
    truth = kendall_w(rates)
    assert truth is not None
    random, inside = np.random.default_rng(1), 0
    for seed in range(runs):
        found = resampled_w((random.random((105, *rates.shape)) < rates).astype(float), seed=seed)
        assert found is not None
        inside += found.low <= truth.w <= found.high
    assert inside >= 0.9 * runs


def test_one_item_leaves_anything_possible() -> None:
    found = resampled_w(np.random.default_rng(0).random((1, 3, 4)))
    assert found is not None
    assert (found.low, found.high, found.n) == (0, 1, 1)
