"""Two-by-two tables are tested as scipy tests them, and shuffled as labels are."""

import numpy as np
import pytest
from scipy import stats

from subitize.stats.significance import chi_squared, significant_shuffles
from tests.cases import Case


def test_chi_squared_and_p_are_those_of_scipy(case: Case) -> None:
    for digits in range(1, 6):
        tables = np.random.default_rng(digits).integers(1, 10**digits, (50, 2, 2))
        found = chi_squared(tables)
        expected = [stats.chi2_contingency(table) for table in tables]
        with case(f"counts of up to {digits} digits"):
            np.testing.assert_allclose(found.statistic, [one.statistic for one in expected], rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(found.p, [one.pvalue for one in expected], rtol=1e-12, atol=1e-12)
            assert found.n.tolist() == tables.sum(axis=(1, 2)).tolist()


def test_one_table_gives_one_value() -> None:
    found = chi_squared(np.array([[30, 70], [50, 50]]))
    assert float(found.statistic) == pytest.approx(
        7.520833333333333
    )  # 200 · (|30·50 − 70·50| − 100)² / (80·120·100·100)


@pytest.mark.parametrize("table", [[[0, 0], [3, 4]], [[0, 5], [0, 6]], [[5, 0], [6, 0]], [[0, 0], [0, 0]]], ids=str)
def test_where_nothing_can_be_compared_nothing_is_said(table: list[list[int]]) -> None:
    found = chi_squared(np.array([table, [[1, 2], [3, 4]]]))
    assert np.isnan([found.statistic[0], found.p[0]]).all()
    assert not np.isnan(found.p[1])
    assert significant_shuffles(np.array(table)) is None


TABLES = {
    "no difference": [[40, 60], [45, 55]],
    "large difference": [[90, 10], [20, 80]],
    "small": [[3, 5], [6, 2]],
    "rare": [[2, 398], [9, 391]],
    "unequal": [[7, 3], [300, 500]],
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_the_exact_share_is_that_of_the_hypergeometric_law(table: list[list[int]]) -> None:
    (a, b), (c, d) = table
    law = stats.hypergeom(a + b + c + d, a + c, a + b)
    expected = 0.0
    for right in range(max(0, a - d), min(a + b, a + c) + 1):
        shuffled = [[right, a + b - right], [a + c - right, d - a + right]]
        expected += float(law.pmf(right)) * (stats.chi2_contingency(shuffled).pvalue < 0.05)
    found = significant_shuffles(np.array(table))
    assert found is not None
    assert found.value == pytest.approx(expected, abs=1e-11)
    assert (found.low, found.high, found.n) == (found.value, found.value, a + b + c + d)
    assert found.value < 0.06


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_the_exact_share_is_that_of_shuffled_labels(table: list[list[int]]) -> None:
    exact = significant_shuffles(np.array(table))
    assert exact is not None
    random, (first, second) = np.random.default_rng(5), np.sum(table, axis=1)
    labels = np.repeat([1, 0, 1, 0], np.ravel(table))
    rights = np.array([random.permutation(labels)[:first].sum() for _ in range(2_000)])
    others = labels.sum() - rights
    shuffled = np.stack([rights, first - rights, others, second - others], axis=1).reshape(-1, 2, 2)
    significant = int((chi_squared(shuffled).p < 0.05).sum())
    assert stats.binomtest(significant, 2_000, exact.value).pvalue > 0.001
