"""Gwet's coefficients are those of the formula, one unit after the other, and of published examples."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import fleiss_kappa as their_fleiss_kappa  # type: ignore[import-untyped]

from subitize.stats.agreement import fleiss_kappa, gwet_ac
from tests.cases import Case
from tests.stats.rating_matrices import tally_matrix

NONE = np.nan
PROOF = pytest.mark.proof("subitize.stats.agreement", "subitize.stats.ratings")
# Gwet, Handbook of Inter-Rater Reliability (2014), page 120; figures as his R package irrCAC 1.0 prints them.
FOUR_RATERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)
# The table of two abstractors and three diagnoses that comes with irrCAC 1.0.
TWO_RATERS = np.repeat([[0.0, 1, 1, 2, 2], [0, 1, 2, 1, 2]], [13, 20, 7, 4, 56], axis=1)


def draw_matrix(seed: int, share_missing: float) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    raters, units = random.integers(2, 7), random.integers(3, 40)
    truth = random.choice([1, 2, 3.5, 6], units)
    matrix = np.where(random.random((raters, units)) < 0.4, random.choice([1, 2, 3.5, 6], (raters, units)), truth)
    return np.where(random.random((raters, units)) < share_missing, np.nan, matrix)


def gwet_slowly(matrix: NDArray[np.float64]) -> tuple[float, float]:
    """AC1 and its standard error from the printed formulas, over units and values in plain loops."""
    units = [[value for value in unit if value == value] for unit in matrix.T.tolist()]
    units = [unit for unit in units if unit]
    values = sorted({value for unit in units for value in unit})
    n, q = len(units), len(values)
    pairs = [unit for unit in units if len(unit) > 1]

    def seen(unit: list[float]) -> float:
        total = sum(unit.count(value) * (unit.count(value) - 1) for value in values)
        return total / (len(unit) * (len(unit) - 1))

    observed = sum(seen(unit) for unit in pairs) / len(pairs)
    shares = [sum(unit.count(value) / len(unit) for unit in units) / n for value in values]
    expected = 1 / (q - 1) * sum(share * (1 - share) for share in shares)
    value = (observed - expected) / (1 - expected)
    squares = 0.0
    for unit in units:
        own = (n / len(pairs)) * (seen(unit) - expected) / (1 - expected) if len(unit) > 1 else 0.0
        chance = 1 / (q - 1) * sum((1 - shares[k]) * unit.count(values[k]) / len(unit) for k in range(q))
        squares += (own - 2 * (1 - value) * (chance - expected) / (1 - expected) - value) ** 2
    return value, (squares / n / (n - 1)) ** 0.5


def test_gwets_coefficient_is_that_of_the_printed_formula(case: Case) -> None:
    for seed, share_missing in product(range(10), (0.0, 0.3, 0.6)):
        matrix = draw_matrix(seed, share_missing)
        found = gwet_ac(tally_matrix(matrix))
        expected = gwet_slowly(matrix)
        with case(f"{share_missing} missing, seed {seed}"):
            assert found is not None
            assert (found.coefficient.value, found.standard_error) == pytest.approx(expected, abs=1e-12)
            assert found.coefficient.low <= found.coefficient.value <= found.coefficient.high


def test_coefficients_of_four_raters_are_the_published_ones() -> None:
    ac1, kappa = gwet_ac(tally_matrix(FOUR_RATERS)), fleiss_kappa(tally_matrix(FOUR_RATERS))
    assert ac1 is not None
    assert kappa is not None
    assert (round(ac1.observed, 7), round(ac1.expected, 7)) == (0.8181818, 0.1903212)
    assert (round(ac1.coefficient.value, 5), round(ac1.standard_error, 5)) == (0.77544, 0.14295)
    assert (round(ac1.coefficient.low, 3), ac1.coefficient.high, ac1.coefficient.n) == (0.461, 1.0, 12)
    assert (round(kappa.coefficient.value, 5), round(kappa.standard_error, 5)) == (0.76117, 0.15302)
    assert (round(kappa.coefficient.low, 3), round(kappa.expected, 7)) == (0.424, 0.2387153)


def test_coefficients_of_two_raters_are_the_published_ones() -> None:
    ac1, scotts_pi = gwet_ac(tally_matrix(TWO_RATERS)), fleiss_kappa(tally_matrix(TWO_RATERS))
    assert ac1 is not None
    assert scotts_pi is not None
    assert round(ac1.coefficient.value, 7) == 0.8493305
    assert round(scotts_pi.coefficient.value, 7) == 0.7962397
    # Those errors are divided by √n, not by √(n − 1) as for more raters.
    assert ac1.standard_error * np.sqrt(99 / 100) == pytest.approx(0.04321747, abs=5e-9)
    assert scotts_pi.standard_error * np.sqrt(99 / 100) == pytest.approx(0.05905473, abs=5e-9)


def test_fleiss_kappa_is_that_of_statsmodels(case: Case) -> None:
    for seed in range(30):
        matrix = draw_matrix(seed, 0.0)
        table = np.stack([(matrix == value).sum(axis=0) for value in np.unique(matrix)], axis=1)
        found = fleiss_kappa(tally_matrix(matrix))
        with case(f"seed {seed}"):
            assert found is not None
            assert found.coefficient.value == pytest.approx(their_fleiss_kappa(table), abs=1e-12)


@pytest.mark.parametrize("samples", [200, pytest.param(4000, marks=PROOF)])
def test_the_standard_error_is_the_spread_over_samples(samples: int) -> None:
    random, shape = np.random.default_rng(0), (samples, 100)
    truth = random.choice([1.0, 2, 3], shape, p=[0.7, 0.2, 0.1])
    answers = np.where(random.random((4, *shape)) < 0.25, random.choice([1.0, 2, 3], (4, *shape)), truth)
    found = [(gwet_ac(tally_matrix(one)), fleiss_kappa(tally_matrix(one))) for one in answers.swapaxes(0, 1)]
    for kind in (0, 1):
        values = [one[kind].coefficient.value for one in found if one[kind]]  # type: ignore[union-attr]
        errors = [one[kind].standard_error for one in found if one[kind]]  # type: ignore[union-attr]
        assert np.mean(errors) == pytest.approx(np.std(values), rel=0.12)


def test_raters_who_all_say_the_same_agree_by_gwet_and_say_nothing_by_fleiss() -> None:
    ratings = tally_matrix(np.ones((3, 10)), domain=np.array([0.0, 1.0]))
    found = gwet_ac(ratings)
    assert found is not None
    assert (found.coefficient.value, found.expected) == (1.0, 0.0)
    assert fleiss_kappa(ratings) is None
    assert gwet_ac(tally_matrix(np.ones((3, 10)))) is None


def test_values_nobody_used_change_chance_agreement() -> None:
    used, all_values = (gwet_ac(tally_matrix(FOUR_RATERS, domain=np.arange(1.0, top))) for top in (6, 11))
    assert used is not None
    assert all_values is not None
    assert all_values.expected < used.expected


@pytest.mark.parametrize("matrix", [[[1.0, 2.0, NONE]], [[NONE, NONE, NONE]]], ids=["one rater", "no answers"])
def test_without_two_answers_to_a_unit_there_is_no_agreement(matrix: list[list[float]]) -> None:
    assert gwet_ac(tally_matrix(np.array(matrix))) is None
    assert fleiss_kappa(tally_matrix(np.array(matrix))) is None
