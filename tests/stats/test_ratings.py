"""Answers are counted alike from a matrix and one by one."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from subitize.stats.ratings import count_ratings
from tests.cases import Case
from tests.stats.rating_matrices import tally_matrix


def draw_matrix(seed: int) -> NDArray[np.float64]:
    """Up to 6 raters, 40 units, some answers missing, some units without any; values are no whole numbers."""
    random = np.random.default_rng(seed)
    matrix = random.choice([0, 1, 2, 3.5, 11], (random.integers(1, 7), random.integers(1, 41)))
    matrix[random.random(matrix.shape) < random.choice([0, 0.3, 0.7])] = np.nan
    return np.asarray(matrix)


def test_every_unit_is_counted_once_with_its_answers(case: Case) -> None:
    for seed in range(20):
        matrix = draw_matrix(seed)
        found = tally_matrix(matrix)
        expected = Counter(
            tuple(int((unit == value).sum()) for value in found.values.tolist())
            for unit in matrix.T
            if not np.isnan(unit).all()
        )
        counted = {tuple(map(int, row)): units for row, units in zip(found.counts, found.units.tolist(), strict=True)}
        with case(f"seed {seed}"):
            assert counted == expected
            assert found.values.tolist() == sorted(set(matrix[~np.isnan(matrix)].tolist()))


def test_the_order_of_answers_does_not_matter(case: Case) -> None:
    for seed in range(10):
        matrix = draw_matrix(seed)
        units = np.tile(np.arange(matrix.shape[1]), len(matrix))
        order = np.random.default_rng(seed).permutation(matrix.size)
        found, expected = count_ratings(units[order], matrix.ravel()[order]), tally_matrix(matrix)
        with case(f"seed {seed}"):
            np.testing.assert_array_equal(found.values, expected.values)
            np.testing.assert_array_equal(found.counts, expected.counts)
            np.testing.assert_array_equal(found.units, expected.units)


@pytest.mark.parametrize("numbering", [[0, 1, 2], [-3, -1, 7], [2**40, 5, -(2**40)]], ids=str)
def test_it_does_not_matter_how_units_are_numbered(numbering: list[int]) -> None:
    found = count_ratings(np.repeat(numbering, 2), np.array([1, 1, 1, 2, 2, 2]))
    assert found.counts.tolist() == [[2, 0], [1, 1], [0, 2]]
    assert found.units.tolist() == [1, 1, 1]


def test_values_that_nobody_gave_have_a_column_if_they_could_have_been_given() -> None:
    found = count_ratings(np.array([0, 0, 1]), np.array([3.0, 1, 1]), domain=np.array([1.0, 2, 3]))
    assert found.values.tolist() == [1, 2, 3]
    assert found.counts.sum(axis=0).tolist() == [2, 0, 1]


def test_a_value_outside_the_domain_is_refused() -> None:
    with pytest.raises(ValueError, match=r"value 4 was given but is not in the domain \[1\.0, 2\.0\]"):
        count_ratings(np.array([0]), np.array([4.0]), domain=np.array([1.0, 2.0]))


def test_without_answers_there_are_no_units() -> None:
    assert len(tally_matrix(np.full((3, 4), np.nan)).units) == 0
