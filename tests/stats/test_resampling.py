"""Resampled counts keep the design, and have the mean and spread of trials drawn anew one by one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from subitize.stats.resampling import RESAMPLES, basic_interval, replicate, resample

COUNTS = np.array([[[10, 0, 3], [30, 0, 3]], [[5, 2, 0], [5, 8, 1]]])


def test_every_column_keeps_its_number_of_trials() -> None:
    drawn = resample(COUNTS, 50, np.random.default_rng(1))
    assert drawn.shape == (50, *COUNTS.shape)
    assert (drawn.sum(axis=-2) == COUNTS.sum(axis=-2)).all()


def test_resampled_counts_are_those_of_trials_drawn_one_by_one() -> None:
    drawn = resample(COUNTS, 4000, np.random.default_rng(2))[:, 0, 0, 0]
    random = np.random.default_rng(3)
    trials = np.repeat([1, 0], [10, 30])
    one_by_one = [random.choice(trials, 40).sum() for _ in range(4000)]
    assert drawn.mean() == pytest.approx(np.mean(one_by_one), abs=0.25)
    assert drawn.std() == pytest.approx(np.std(one_by_one), abs=0.15)


def test_a_large_matrix_is_resampled_in_pieces() -> None:
    sizes: list[int] = []

    def statistic(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        sizes.append(len(counts))
        return counts[:, 0, 0].astype(np.float64)

    counts = np.zeros((200, 100), dtype=np.int64)
    counts[:2] = 5
    assert replicate(statistic, counts).shape == (RESAMPLES,)
    assert len(sizes) > 1


def test_the_basic_interval_mirrors_the_quantiles_within_its_bounds() -> None:
    replicates = np.linspace(0.5, 0.7, 1001)
    found = basic_interval(0.65, replicates, 10, "x", (-1.0, 1.0))
    assert (found.low, found.high) == pytest.approx((1.3 - 0.695, 1.3 - 0.505), abs=1e-9)
    assert basic_interval(0.9, replicates, 10, "x", (-1.0, 1.0)).high == 1.0


def test_the_interval_holds_the_value() -> None:
    found = basic_interval(0.9, np.linspace(0.5, 0.7, 1001), 10, "x", (-1.0, 1.0))
    assert found.low == 0.9


def test_undefined_replicates_are_left_out() -> None:
    found = basic_interval(0.5, np.array([np.nan, 0.4, 0.6, np.inf]), 10, "x", (-1.0, 1.0))
    assert found.low < 0.5 < found.high
    alone = basic_interval(0.5, np.array([np.nan]), 10, "x", (-1.0, 1.0))
    assert (alone.low, alone.high) == (0.5, 0.5)
