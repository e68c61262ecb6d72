"""Models are compared on the prompts that both have, each prompt once."""

import gc
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from subitize.stats.pairs import Interval, compare_models


@pytest.mark.parametrize("seed", range(5))
def test_comparisons_are_those_of_scipy_on_prompt_means(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects garbage at every call
    random = np.random.default_rng(seed)
    scores = random.integers(0, 2, (3, 70, 5)) | (random.random((3, 70, 1)) < [[[0.0]], [[0.2]], [[0.5]]])
    names, prompts = np.array(["muse", "dalle", "imagen"]), np.arange(70)
    models = np.repeat(names, 350)
    found = compare_models(scores.ravel().astype(float), models, np.tile(np.repeat(prompts, 5), 3))
    means = {name: scores[i].sum(axis=1) for i, name in enumerate(names.tolist())}
    pairs = list(combinations(sorted(means), 2))
    assert [(one.first, one.second) for one in found] == pairs
    p = [stats.wilcoxon(means[a] - means[b], correction=False, method="approx").pvalue for a, b in pairs]
    assert [one.p for one in found] == pytest.approx(p, abs=1e-12)
    assert [one.p_holm for one in found] == pytest.approx(multipletests(p, method="holm")[1].tolist(), abs=1e-12)
    for one in found:
        differences = (means[one.first] - means[one.second]) / 5
        low, high = stats.t.interval(0.95, 69, differences.mean(), stats.sem(differences))
        estimate = one.difference
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((differences.mean(), low, high), abs=1e-9)
        assert estimate.n == 70


@pytest.mark.parametrize("interval", ["student", "bootstrap"])
def test_only_common_prompts_count_and_each_counts_once(interval: Interval) -> None:
    values = np.array([1.0, 1, 0, 0, 1, 0, 9])
    models = np.array(["a", "a", "a", "b", "b", "b", "a"])
    prompts = np.array([1, 1, 2, 1, 2, 3, 4])
    (found,) = compare_models(values, models, prompts, interval=interval)
    assert (found.difference.value, found.difference.n) == (0.0, 2)  # 1 − 0 on the first prompt, 0 − 1 on the second


def test_models_without_a_common_prompt_are_not_compared() -> None:
    found = compare_models(np.ones(4), np.array(["a", "b", "c", "c"]), np.array([1, 2, 1, 2]))
    assert [(one.first, one.second, one.difference.n, one.p) for one in found] == [
        ("a", "c", 1, 1.0),
        ("b", "c", 1, 1.0),
    ]


def test_one_model_alone_is_compared_with_nothing() -> None:
    assert compare_models(np.ones(2), np.array(["a", "a"]), np.array([1, 2])) == ()


def test_differences_that_are_equal_but_for_rounding_are_ties() -> None:
    first, second = np.array([0.8, 0.6, 0.4, 0.9]), np.array([0.6, 0.4, 0.6, 0.7])
    assert len(set(np.abs(first - second).tolist())) > 1
    models, prompts = np.repeat(["a", "b"], 4), np.tile(np.arange(4), 2)
    (found,) = compare_models(np.r_[first, second], models, prompts)
    assert found.p == pytest.approx(0.625)  # three of four coins the same way: 2 · 5 / 16


def test_the_bootstrap_interval_is_near_students_for_many_prompts() -> None:
    random = np.random.default_rng(1)
    values, models = random.normal(0, 1, 1_000), np.repeat(["a", "b"], 500)
    (student,) = compare_models(values, models, np.tile(np.arange(500), 2))
    (bootstrap,) = compare_models(values, models, np.tile(np.arange(500), 2), interval="bootstrap")
    assert bootstrap.difference.low == pytest.approx(student.difference.low, abs=0.01)
    assert bootstrap.difference.high == pytest.approx(student.difference.high, abs=0.01)


def test_differences_that_never_vary_may_still_be_others() -> None:
    values, models = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 0.0]), np.repeat(["one", "other"], 3)
    (pair,) = compare_models(values, models, np.tile(["a", "b", "c"], 2))
    assert pair.difference.value == 0
    assert pair.difference.low < 0 < pair.difference.high
    assert "never vary" in pair.difference.method
