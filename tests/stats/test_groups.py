"""One-way analysis of variance equals scipy's; with groups dealt out by lot it keeps its level and sees differences."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import f_oneway

from subitize.stats.significance import one_way, permuted_one_way

SIZES = (36, 15, 6)
GROUPS = np.repeat(np.arange(3), SIZES)


@pytest.mark.parametrize("shift", [0.0, 0.4])
def test_f_and_p_equal_scipys(shift: float) -> None:
    values = np.random.default_rng(2).normal(size=len(GROUPS)) + shift * GROUPS
    found = one_way(values, GROUPS)
    expected = f_oneway(*(values[group == GROUPS] for group in range(3)))
    assert found is not None
    assert (found.f, found.p) == pytest.approx(tuple(expected), rel=1e-9)


def test_by_lot_p_is_the_share_of_all_deals_that_differ_as_much() -> None:
    values, groups = np.array([0.1, 0.2, 0.35, 0.4, 0.9, 0.7, 1.0]), np.array([0, 0, 0, 1, 1, 2, 2])
    seen = f_oneway(values[:3], values[3:5], values[5:]).statistic
    dealt = np.array(list(permutations(values.tolist())))
    deals = f_oneway(dealt[:, :3], dealt[:, 3:5], dealt[:, 5:], axis=1).statistic
    found = permuted_one_way(values, groups)
    assert found is not None
    assert found.p == pytest.approx(np.mean(deals >= seen - 1e-9), abs=0.02)


def test_by_lot_it_keeps_its_level_with_few_skewed_values_in_a_group() -> None:
    random = np.random.default_rng(8)
    found = [permuted_one_way(random.exponential(size=len(GROUPS)), GROUPS, seed=one) for one in range(100)]
    assert 0 <= sum(one is not None and one.p < 0.05 for one in found) <= 11


@pytest.mark.parametrize("values", [[1.0, 1, 1, 1], [0.0, 0, 1, 1]], ids=["nothing varies", "nothing within groups"])
def test_where_nothing_varies_within_groups_there_is_no_test(values: list[float]) -> None:
    assert permuted_one_way(np.array(values), np.array([0, 0, 1, 1])) is None


def test_one_group_has_none_to_differ_from() -> None:
    assert one_way(np.array([0.0, 1, 2]), np.zeros(3, dtype=np.int64)) is None
