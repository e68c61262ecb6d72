"""Adjusted p-values are those of statsmodels."""

import gc

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from subitize.stats.significance import adjust_holm
from tests.cases import Case


def test_adjusted_values_are_those_of_statsmodels(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects garbage at every call
    for seed in range(20):
        random = np.random.default_rng(seed)
        p = random.random(random.integers(1, 40)) ** random.integers(1, 6)
        p = np.round(p, 2) if seed % 2 else p  # with ties
        with case(f"seed {seed}"):
            np.testing.assert_allclose(adjust_holm(p), multipletests(p, method="holm")[1], atol=1e-12)


def test_what_was_not_tested_is_not_counted() -> None:
    found = adjust_holm(np.array([0.01, np.nan, 0.04]))
    assert np.isnan(found[1])
    assert found[[0, 2]].tolist() == adjust_holm(np.array([0.01, 0.04])).tolist()


def test_without_tests_nothing_is_adjusted() -> None:
    assert adjust_holm(np.array([])).tolist() == []
