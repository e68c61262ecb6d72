"""The rank-sum test is scipy's, and the interval of its effect covers the truth."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from cases import Case
from subitize.stats.rank_sums import rank_sum_test


def test_u_and_p_are_those_of_scipys_approximation(case: Case) -> None:
    for (ties, spread), seed in product({"many ties": 3, "some ties": 30, "few ties": 10_000}.items(), range(20)):
        random = np.random.default_rng(seed)
        first = random.integers(0, spread, random.integers(2, 80)).astype(float)
        second = random.integers(0, spread + seed % 3, random.integers(2, 80)).astype(float)
        found = rank_sum_test(first, second, method="normal")
        expected = stats.mannwhitneyu(first, second, method="asymptotic")
        above = np.mean(np.sign(first[:, None] - second))
        with case(f"{ties}, seed {seed}"):
            assert found is not None
            assert found.u == pytest.approx(expected.statistic, abs=1e-9)
            assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
            assert found.superiority.value == pytest.approx(above / 2 + 0.5, abs=1e-12)
            assert found.rank_biserial == pytest.approx(above, abs=1e-12)
            assert found.superiority.low <= found.superiority.value <= found.superiority.high


@pytest.mark.parametrize("sizes", [(3, 4), (8, 30), (30, 8), (9, 9), (20, 25)])
def test_by_itself_the_method_is_scipys_choice(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(sizes[0])
    first, second = random.normal(0.5, 1, sizes[0]), random.normal(0, 1, sizes[1])
    found = rank_sum_test(first, second)
    assert found is not None
    assert found.p == pytest.approx(stats.mannwhitneyu(first, second, method="auto").pvalue, abs=1e-12)
    assert (found.z is None) == (min(sizes) <= 8)


def test_ties_have_no_exact_law() -> None:
    with pytest.raises(ValueError, match="3 observations have 2 distinct values"):
        rank_sum_test(np.array([1.0]), np.array([1.0, 2.0]), method="exact")


def test_groups_that_are_all_alike_do_not_differ() -> None:
    found = rank_sum_test(np.ones(5), np.ones(7))
    assert found is not None
    assert (found.z, found.p, found.superiority.value) == (0.0, 1.0, 0.5)


def test_an_empty_group_cannot_be_compared() -> None:
    assert rank_sum_test(np.array([]), np.ones(3)) is None


def test_groups_that_do_not_overlap_leave_room_for_some_overlap() -> None:
    found = rank_sum_test(np.arange(10.0, 20), np.arange(10.0))
    assert found is not None
    assert found.superiority.high == found.superiority.value == 1.0
    assert 0.5 < found.superiority.low < 0.9


@pytest.mark.parametrize(
    ("samples", "most"), [(100, 1.0), pytest.param(1_000, 0.98, marks=pytest.mark.proof("subitize.stats.rank_sums"))]
)
@pytest.mark.parametrize("shift", [0.0, 1.0, 2.0])
def test_the_interval_covers_the_superiority_about_as_often_as_it_says(shift: float, samples: int, most: float) -> None:
    random = np.random.default_rng(6)
    truth = stats.norm.cdf(shift / np.sqrt(2))
    found = [rank_sum_test(random.normal(shift, 1, 20), random.normal(0, 1, 25)) for _ in range(samples)]
    covered = np.mean([one is not None and one.superiority.low <= truth <= one.superiority.high for one in found])
    assert 0.93 <= covered <= most
