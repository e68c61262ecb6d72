"""Adjusted p-values are those of statsmodels."""

import gc
from itertools import product

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from cases import Case
from subitize.stats.multiplicity import adjust_benjamini_hochberg, adjust_holm

METHODS = {"holm": adjust_holm, "fdr_bh": adjust_benjamini_hochberg}


def test_adjusted_values_are_those_of_statsmodels(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects garbage at every call
    for seed, method in product(range(20), METHODS):
        random = np.random.default_rng(seed)
        p = random.random(random.integers(1, 40)) ** random.integers(1, 6)
        p = np.round(p, 2) if seed % 2 else p  # with ties
        with case(f"{method}, seed {seed}"):
            np.testing.assert_allclose(METHODS[method](p), multipletests(p, method=method)[1], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_what_was_not_tested_is_not_counted(method: str) -> None:
    found = METHODS[method](np.array([0.01, np.nan, 0.04]))
    assert np.isnan(found[1])
    assert found[[0, 2]].tolist() == METHODS[method](np.array([0.01, 0.04])).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_without_tests_nothing_is_adjusted(method: str) -> None:
    assert METHODS[method](np.array([])).tolist() == []
