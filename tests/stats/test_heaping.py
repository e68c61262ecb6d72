"""Round numbers that stand out, against statsmodels and by simulation."""

import numpy as np
import pytest

from subitize.stats.frequencies import NEIGHBOURS, measure_heaping
from tests.cases import Case

DECADES = range(10, 101, 10)


def draw(n: int, seed: int, heaped: float = 1.0) -> dict[int, int]:
    """Draw numbers of a power law in which decades are so many times as frequent."""
    numbers = np.arange(1, 201)
    chances = numbers**-1.8 * np.where(numbers % 10 == 0, heaped, 1.0)
    counts = np.random.default_rng(seed).multinomial(n, chances / chances.sum())
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def test_planted_decades_are_flagged() -> None:
    found = measure_heaping(draw(200_000, seed=1, heaped=3.0), DECADES)
    assert [one.number for one in found] == list(DECADES)
    assert all(one.is_flagged for one in found[:6])
    assert all(one.ratio.low <= 3 <= one.ratio.high for one in found)


def test_decades_that_do_not_stand_out_are_not_flagged(case: Case) -> None:
    for n in (5_000, 200_000, 50_000_000):
        with case(n):
            flagged = [one for seed in range(10) for one in measure_heaping(draw(n, seed), DECADES) if one.is_flagged]
            assert len(flagged) <= 3  # of 10 corpora, each with a chance of 5 %


@pytest.mark.slow  # statsmodels takes seconds to import
def test_the_expected_count_is_that_of_a_poisson_regression() -> None:
    import statsmodels.api as sm  # type: ignore[import-untyped]

    counts = draw(20_000, seed=2)
    around = np.array([20 + step for step in NEIGHBOURS])
    design = np.stack([np.ones(8), np.log(around / 20)], axis=1)
    seen = np.array([counts[one] for one in around])
    model = sm.GLM(seen, design, family=sm.families.Poisson()).fit(tol=1e-12)
    (found,) = measure_heaping(counts, [20])
    assert found.ratio.value == pytest.approx(counts[20] / np.exp(model.params[0]), rel=1e-8)
    dispersion = max(1.0, model.pearson_chi2 / 6)
    error = np.sqrt(dispersion * (model.cov_params()[0, 0] + 1 / counts[20]))
    assert np.log(found.ratio.high / found.ratio.value) == pytest.approx(2.446911851 * error, rel=1e-6)


@pytest.mark.parametrize(
    "counts",
    [
        {10: 500, 11: 3},
        {10: 5, 6: 20},
        {10: 50, 14: 12},
        {10: 50, 6: 3, 7: 3, 8: 3, 9: 3},
        {10: 50, 6: 3, 7: 3, 8: 3, 11: 9, 12: 9},
    ],
    ids=["few", "one below", "one above", "below alone", "two above"],
)
def test_numbers_without_neighbours_on_both_sides_are_left_out(counts: dict[int, int]) -> None:
    assert measure_heaping(counts, DECADES) == []


def test_a_number_that_does_not_occur_has_a_ratio_of_0() -> None:
    (found,) = measure_heaping(draw(20_000, seed=3) | {20: 0}, [20])
    assert (found.ratio.value, found.ratio.low, found.is_flagged) == (0, 0, False)
    assert found.ratio.high < 1
