"""α is that of the krippendorff package at every level, in a fraction of its memory."""

import tracemalloc
from itertools import product

import krippendorff
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.agreement import LEVELS, Level, krippendorff_alpha
from subitize.stats.ratings import count_ratings
from tests.cases import Case
from tests.stats.rating_matrices import tally_matrix

NONE = np.nan
PROOF = pytest.mark.proof("subitize.stats.agreement", "subitize.stats.ratings")
# Krippendorff, Computing Krippendorff's alpha-reliability (2011), section C: four observers, twelve units.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)


def draw_matrix(seed: int) -> NDArray[np.float64]:
    """Raters who mostly see the same; values are not whole and not evenly spaced, and some are missing."""
    random = np.random.default_rng(seed)
    values = np.sort(random.choice([0, 0.5, 1, 2, 3, 3.5, 5, 8, 11, 40], random.integers(2, 11), replace=False))
    raters, units = random.integers(2, 8), random.integers(2, 60)
    truth, noise = random.choice(values, units), random.choice(values, (raters, units))
    matrix = np.where(random.random((raters, units)) < random.random(), noise, truth)
    return np.where(random.random((raters, units)) < random.choice([0, 0.2, 0.6]), np.nan, matrix)


@pytest.mark.parametrize("matrices", [50, pytest.param(400, marks=PROOF)])
def test_alpha_is_that_of_the_package(matrices: int, case: Case) -> None:
    for seed, level in product(range(matrices), LEVELS):
        matrix = draw_matrix(seed)
        found = krippendorff_alpha(tally_matrix(matrix), level)
        answers = (~np.isnan(matrix)).sum(axis=0)
        paired = matrix[:, answers > 1]
        is_defined = len(np.unique(paired[~np.isnan(paired)])) > 1
        with case(f"{level}, seed {seed}"):
            assert (found is not None) == is_defined
            if found is not None:
                assert found.value == pytest.approx(krippendorff.alpha(matrix, level_of_measurement=level), abs=1e-12)
                assert found.n == int((answers > 1).sum())


@pytest.mark.parametrize(("level", "alpha"), [*zip(LEVELS, (0.743, 0.815, 0.849, 0.797), strict=True)])
def test_alpha_of_the_published_example_is_the_published_one(level: Level, alpha: float) -> None:
    found = krippendorff_alpha(tally_matrix(PUBLISHED), level)
    assert found is not None
    assert round(found.value, 3) == alpha
    assert found.n == 11
    assert found.low < found.value < found.high


UNDEFINED = {
    "all answers equal": [[1.0, 1, 1], [1, 1, 1]],
    "no unit with two answers": [[1.0, 2, NONE], [NONE, NONE, 3]],
    "no answers": [[NONE, NONE], [NONE, NONE]],
}


def test_alpha_is_none_where_it_is_not_defined(case: Case) -> None:
    for (name, matrix), level in product(UNDEFINED.items(), LEVELS):
        with case(f"{name}, {level}"):
            assert krippendorff_alpha(tally_matrix(np.array(matrix)), level) is None


def test_a_unit_with_one_answer_changes_nothing(case: Case) -> None:
    for seed, level in product(range(5), LEVELS):
        matrix = draw_matrix(seed)
        alone = np.full((len(matrix), 1), np.nan)
        alone[0] = 7.0
        found = krippendorff_alpha(tally_matrix(np.hstack([matrix, alone])), level)
        expected = krippendorff_alpha(tally_matrix(matrix), level)
        with case(f"{level}, seed {seed}"):
            assert found is not None
            assert expected is not None
            figures = expected.value, expected.low, expected.high
            assert (found.value, found.low, found.high) == pytest.approx(figures, abs=1e-12)
            assert (found.n, found.method) == (expected.n, expected.method)


def test_ordinal_alpha_knows_the_order_of_values_only() -> None:
    stretched = np.where(np.isnan(PUBLISHED), np.nan, np.exp(PUBLISHED))
    found, expected = (krippendorff_alpha(tally_matrix(one), "ordinal") for one in (stretched, PUBLISHED))
    assert found == expected


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_is_that_of_leaving_out_clusters_with_the_package(level: Level) -> None:
    random = np.random.default_rng(3)
    clusters = np.repeat(np.arange(80), 3)
    truth = random.integers(1, 7, 80).astype(np.float64)[clusters]
    matrix = np.where(random.random((4, 240)) < 0.3, random.integers(1, 7, (4, 240)), truth)
    matrix[random.random(matrix.shape) < 0.2] = np.nan
    found = krippendorff_alpha(tally_matrix(matrix, clusters=clusters), level)
    one_by_one = (krippendorff.alpha(matrix[:, clusters != one], level_of_measurement=level) for one in range(80))
    left = np.array([*one_by_one])
    half = stats.t.ppf(0.975, 79) * np.sqrt(79 / 80 * ((left - np.mean(left)) ** 2).sum())
    assert found is not None
    apart = 1 - found.value
    low = found.value - half if level == "nominal" else 1 - apart * np.exp(half / apart)
    high = found.value + half if level == "nominal" else 1 - apart / np.exp(half / apart)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.05 * half)
    assert "over 80 prompts" in found.method


def test_nearly_equal_answers_leave_no_interval() -> None:
    matrix = np.ones((2, 100))
    matrix[0, :4] = 2.0
    for level in LEVELS:
        found = krippendorff_alpha(tally_matrix(matrix), level)
        assert found is not None
        assert (found.low, found.high) == (-1, 1)
        assert "no interval: only 4 prompts have another answer than the most frequent one" in found.method


def test_memory_stays_below_that_of_units_times_values_three_times_over() -> None:
    random = np.random.default_rng(0)
    units, values = np.tile(np.arange(15_000), 5), random.integers(0, 60, 75_000) / 2
    tracemalloc.start()
    ratings = count_ratings(units, values)
    for level in LEVELS[:3]:
        assert krippendorff_alpha(ratings, level) is not None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
