"""Resampled counts keep the design, and have the mean and spread of trials drawn anew one by one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from subitize.stats.bootstrap import RESAMPLES, has_spread, replicate, resample, small_sample_factor, widen

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


def test_other_shares_may_be_drawn_with_the_same_design() -> None:
    drawn = resample(COUNTS, 50, np.random.default_rng(1), np.array([[1.0] * 3, [0.0] * 3]))
    assert (drawn[..., 0, :] == COUNTS.sum(axis=-2)).all()


def test_the_interval_takes_the_shift_back_not_at_all_up_to_twice() -> None:
    replicates = np.linspace(0.5, 0.7, 1001)  # on average .05 below the value, 95 % within .095 of that
    low, high = widen(0.65, replicates, (-1.0, 1.0))
    assert (low, high) == pytest.approx((0.65 - 0.095, 0.65 + 0.1 + 0.095), abs=1e-9)
    assert widen(0.9, replicates, (-1.0, 1.0))[1] == 1.0


def test_spread_that_resamples_have_lost_is_given_back() -> None:
    replicates = np.linspace(0.4, 0.6, 1001)
    low, high = widen(0.5, replicates, (-1.0, 1.0), lost=4.0)
    assert (low, high) == pytest.approx((0.5 - 0.19, 0.5 + 0.19), abs=1e-9)


@pytest.mark.parametrize(
    ("trials", "lost"), [([2, 2], 2.0), ([5, 5, 0], 1.25), ([1, 1], np.inf), ([1, 2], (1 + 1 / 2) / (1 / 4))]
)
def test_the_lost_spread_is_that_of_cells_of_any_size(trials: list[int], lost: float) -> None:
    assert small_sample_factor(np.array(trials)) == pytest.approx(lost)


def test_undefined_replicates_are_left_out() -> None:
    low, high = widen(0.5, np.array([np.nan, 0.4, 0.6, np.inf]), (-1.0, 1.0))
    assert low < 0.5 < high
    assert not has_spread(np.array([np.nan, 0.4, 0.4, np.inf]))
    assert not has_spread(np.array([np.nan]))
