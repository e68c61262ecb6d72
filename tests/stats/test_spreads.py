"""How drawn numbers scatter, images of a prompt taken together."""

import math

import numpy as np
import pytest

from subitize.stats.clusters import cluster_mean
from subitize.stats.spreads import clustered_mean, clustered_spread


def test_the_mean_is_that_of_clusters_and_the_spread_numpys() -> None:
    random = np.random.default_rng(0)
    values, clusters = random.integers(1, 9, 80).astype(float), np.repeat(np.arange(20), 4)
    assert clustered_mean(values, clusters) == cluster_mean(values, clusters).mean
    found = clustered_spread(values, clusters)
    assert found is not None
    assert found.value == pytest.approx(np.std(values, ddof=1))
    assert found.low < found.value < found.high


def test_numbers_that_never_vary_may_still_be_off() -> None:
    values, clusters = np.full(12, 3.0), np.repeat(np.arange(3), 4)
    mean, spread = clustered_mean(values, clusters), clustered_spread(values, clusters)
    assert mean.low < 3 < mean.high
    assert spread is not None
    assert (spread.value, spread.low) == (0, 0)
    assert spread.high > 0


def test_one_prompt_tells_nothing_of_others_and_one_image_nothing_of_the_spread() -> None:
    found = clustered_spread(np.array([1.0, 2.0]), np.zeros(2))
    assert found is not None
    assert (found.low, found.high) == (0, math.inf)
    assert clustered_spread(np.array([1.0]), np.zeros(1)) is None


def test_the_interval_of_the_spread_covers_the_truth() -> None:
    random, inside, runs = np.random.default_rng(2), 0, 200
    clusters = np.repeat(np.arange(35), 4)
    for seed in range(runs):
        values = random.normal(0, 1, 35)[clusters] + random.normal(0, 1, 140)
        found = clustered_spread(values, clusters, seed=seed)
        assert found is not None
        inside += found.low <= math.sqrt(2) <= found.high
    assert inside >= 0.88 * runs  # a percentile bootstrap of 35 clusters falls a little short of 95 %
