"""How drawn numbers scatter, images of a prompt taken together."""

import math

import numpy as np
import pytest

from subitize.stats.estimate import MEAN, Scale, estimate, estimate_sd

COUNTS = Scale("mean", step=1.0)


def test_the_mean_is_that_of_clusters_and_the_spread_numpys() -> None:
    random = np.random.default_rng(0)
    values, clusters = random.integers(1, 9, 80).astype(float), np.repeat(np.arange(20), 4)
    assert estimate(values, clusters, scale=COUNTS) == estimate(values, clusters, scale=MEAN)
    found = estimate_sd(values, clusters)
    assert found is not None
    assert found.value == pytest.approx(np.std(values, ddof=1))
    assert found.low < found.value < found.high


def test_numbers_that_never_vary_may_still_be_off() -> None:
    values, clusters = np.full(12, 3.0), np.repeat(np.arange(3), 4)
    (mean,), spread = estimate(values, clusters, scale=COUNTS), estimate_sd(values, clusters)
    assert mean.low < 3 < mean.high
    assert spread is not None
    assert (spread.value, spread.low) == (0, 0)
    assert spread.high > 0


def test_two_prompts_tell_nothing_of_others_and_one_image_nothing_of_the_spread() -> None:
    for clusters in (np.zeros(4), np.array([0, 0, 1, 1])):
        found = estimate_sd(np.array([1.0, 2.0, 4.0, 4.0]), clusters)
        assert found is not None
        assert (found.low, found.high) == (0, math.inf)
    assert estimate_sd(np.array([1.0]), np.zeros(1)) is None


def test_where_one_prompt_alone_varies_the_interval_reaches_down_to_0() -> None:
    values = np.array([3.0] * 16 + [3.0, 4.0, 5.0, 3.0])
    found = estimate_sd(values, np.repeat(np.arange(5), 4))
    assert found is not None
    assert found.low == 0
    assert found.value < found.high < math.inf


@pytest.mark.parametrize("runs", [50, pytest.param(500, marks=pytest.mark.proof("subitize.stats.estimate"))])
@pytest.mark.parametrize("icc", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("prompts", [7, 35])
def test_the_interval_of_the_spread_covers_the_truth(prompts: int, icc: float, runs: int) -> None:
    random, inside = np.random.default_rng(2), 0
    clusters = np.repeat(np.arange(prompts), 4)
    for _ in range(runs):
        common = random.normal(0, math.sqrt(icc), prompts)
        found = estimate_sd(common[clusters] + random.normal(0, math.sqrt(1 - icc), len(clusters)), clusters)
        assert found is not None
        inside += found.low <= 1 <= found.high
    assert inside >= 0.9 * runs
