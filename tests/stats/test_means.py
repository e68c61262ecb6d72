"""Means of cells are scipy's, and their intervals those of drawing observations one by one."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cases import Case
from subitize.stats.means import average_cells

SEEDS = range(5)
PROOF = pytest.mark.proof("subitize.stats.means", "subitize.stats.draws")


def draw_cells(seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Shares, means of few values and means of many, in cells of 2 to 400 observations, all mixed."""
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 400, 12)
    shares = [random.choice([0.0, 1.0], size, p=[0.3, 0.7]) for size in sizes[0::3]]
    fifths = [random.choice([0, 0.2, 0.4, 0.6, 0.8, 1], size) for size in sizes[1::3]]
    any_values = [random.normal(3, 2, size) for size in sizes[2::3]]
    values = np.concatenate([own for three in zip(shares, fifths, any_values, strict=True) for own in three])
    order = random.permutation(len(values))
    return values[order], np.repeat(np.arange(12), sizes)[order]


@pytest.mark.parametrize("seed", SEEDS)
def test_means_and_standard_errors_are_those_of_scipy(seed: int) -> None:
    values, cells = draw_cells(seed)
    found = average_cells(values, cells, resamples=10)
    own = [values[cells == cell] for cell in range(12)]
    np.testing.assert_allclose(found.mean, [one.mean() for one in own], atol=1e-12)
    np.testing.assert_allclose(found.sem, [stats.sem(one) for one in own], atol=1e-12)
    assert found.n.tolist() == [len(one) for one in own]


@pytest.mark.parametrize(("seed", "draws"), [(0, 2_000), *(pytest.param(seed, 10_000, marks=PROOF) for seed in SEEDS)])
def test_intervals_are_those_of_drawing_observations_one_by_one(seed: int, draws: int) -> None:
    values, cells = draw_cells(seed)
    found = average_cells(values, cells)
    random = np.random.default_rng(99)
    for cell in range(12):
        own = values[cells == cell]
        drawn = own[random.integers(0, len(own), (draws, len(own)))].mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        step = 0.0 if cell % 3 == 2 else np.diff(np.unique(own)).max(initial=0.0) / len(own)
        noise = 0.15 * drawn.std() + step
        assert found.low[cell] == pytest.approx(low, abs=noise + 1e-12)
        assert found.high[cell] == pytest.approx(high, abs=noise + 1e-12)


def test_the_interval_of_a_share_has_the_exact_quantiles_of_the_binomial_law(case: Case) -> None:
    shares = [(1, 2), (1, 40), (20, 40), (399, 400), (9_000, 30_000)]
    for (right, n), confidence in product(shares, (0.5, 0.9, 0.95, 0.99)):
        values = np.repeat([1.0, 0.0], [right, n - right])
        found = average_cells(values, np.zeros(n, dtype=np.int64), confidence=confidence)
        low, high = (stats.binom.ppf(edge, n, right / n) / n for edge in ((1 - confidence) / 2, (1 + confidence) / 2))
        with case(f"{right} of {n}, {confidence}"):
            assert (found.low[0], found.high[0]) == pytest.approx((low, high), abs=1e-12)


def test_a_cells_interval_does_not_depend_on_other_cells() -> None:
    values, cells = draw_cells(1)
    found = average_cells(values, cells, resamples=100)
    alone = average_cells(values[cells == 2], np.zeros(int((cells == 2).sum()), dtype=np.int64), resamples=100)
    assert (found.low[2], found.high[2]) == (alone.low[0], alone.high[0])


def test_an_empty_cell_has_no_estimate_and_one_observation_no_standard_error() -> None:
    found = average_cells(np.array([1.0, 1.0, 5.0]), np.array([0, 0, 2]))
    assert found.n.tolist() == [2, 0, 1]
    assert found.estimate(1) is None
    assert np.isnan([found.mean[1], found.sem[1], found.low[1], found.sem[2]]).all()
    alone = found.estimate(2)
    assert alone is not None
    assert (alone.value, alone.low, alone.high, alone.n) == (5.0, 5.0, 5.0, 1)


@pytest.mark.parametrize(("cells", "within"), [(100, 0.05), pytest.param(4000, 0.01, marks=PROOF)])
def test_intervals_cover_the_true_mean_about_as_often_as_they_say(cells: int, within: float) -> None:
    values = np.random.default_rng(3).normal(1.0, 1.0, cells * 100)
    found = average_cells(values, np.repeat(np.arange(cells), 100), resamples=1000)
    covered = float(((found.low <= 1) & (found.high >= 1)).mean())
    assert covered == pytest.approx(0.945, abs=within)  # percentile intervals are a little narrow
