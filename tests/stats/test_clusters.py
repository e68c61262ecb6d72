"""Means with clustered errors are those of statsmodels, and cover the truth where plain ones do not."""

import math
from itertools import product

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]

from subitize.stats.estimate import MEAN, estimate, standard_error
from tests.cases import Case


def test_error_and_interval_are_those_of_statsmodels(case: Case) -> None:
    for seed, confidence in product(range(10), (0.9, 0.95)):
        random = np.random.default_rng(seed)
        clusters = random.integers(0, 3 + 4 * seed, 200)
        values = random.normal(0, 1, 300)[clusters] + random.normal(0, 1, 200)
        fit = OLS(values, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
        prompts = np.array([f"prompt {one}" for one in clusters])
        (found,) = estimate(values, prompts, scale=MEAN, confidence=confidence)
        low, high = fit.conf_int(1 - confidence)[0]
        with case(f"seed {seed}, {confidence}"):
            assert standard_error(values, prompts) == pytest.approx(fit.bse[0], rel=1e-10)
            assert (found.value, found.low, found.high) == pytest.approx((values.mean(), low, high), rel=1e-9)
            assert found.n == 200
            assert found.method == f"mean, Student's interval over {len(set(clusters.tolist()))} clusters"


def test_clusters_of_one_are_students_interval(case: Case) -> None:
    for seed in range(5):
        values = np.random.default_rng(seed).normal(0, 1, 30)
        (found,), (plain,) = estimate(values, np.arange(30), scale=MEAN), estimate(values, scale=MEAN)
        with case(f"seed {seed}"):
            edges = (plain.value, plain.low, plain.high)
            assert (found.value, found.low, found.high) == pytest.approx(edges, rel=1e-10)


def test_one_cluster_bounds_nothing() -> None:
    values, clusters = np.array([1.0, 0.0, 1.0]), np.zeros(3)
    (found,) = estimate(values, clusters, scale=MEAN)
    assert (found.low, found.high, standard_error(values, clusters)) == (-math.inf, math.inf, math.inf)


def test_the_interval_covers_the_truth_where_images_of_a_prompt_hang_together() -> None:
    random = np.random.default_rng(1)
    prompts = np.repeat(np.arange(60), 5)
    clustered = plain = 0
    for _ in range(500):
        chances = random.beta(0.5, 0.5, 60)
        values = (random.random(300) < chances[prompts]).astype(np.float64)
        (found,), (naive,) = estimate(values, prompts, scale=MEAN), estimate(values, scale=MEAN)
        clustered += found.low <= 0.5 <= found.high
        plain += naive.low <= 0.5 <= naive.high
    assert 460 <= clustered <= 490
    assert plain < 420
