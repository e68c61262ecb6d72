"""Columns have names, references are stated, and what follows from other columns is left out by name."""

import numpy as np
import pytest

from subitize.stats.regression import build_design
from tests.cases import Case

NUMBER = np.array([1, 2, 3, 4, 5, 6])
KIND = np.array(["word", "digit", "digit", "word", "digit", "none"])


def test_terms_stand_in_order_with_levels_against_the_most_frequent() -> None:
    found = build_design({"number": NUMBER}, {"kind": KIND})
    assert found.terms == ("intercept", "number", "kind=none", "kind=word")
    assert found.references == {"kind": "digit"}
    expected = [np.ones(6), NUMBER, KIND == "none", KIND == "word"]
    np.testing.assert_array_equal(found.matrix, np.stack(expected, axis=1).astype(float))
    assert found.dropped == ()


def test_a_reference_can_be_chosen() -> None:
    found = build_design({}, {"kind": KIND}, {"kind": "word"})
    assert found.terms == ("intercept", "kind=digit", "kind=none")
    assert found.references == {"kind": "word"}


def test_of_equally_frequent_levels_the_first_is_the_reference() -> None:
    assert build_design({}, {"kind": np.array(["b", "a", "b", "a"])}).references == {"kind": "a"}


def test_levels_need_not_be_text() -> None:
    assert build_design({}, {"frequent": np.array([True, False, True])}).terms == ("intercept", "frequent=False")


def test_a_reference_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="factor 'kind' has no level 'roman'; its levels: digit, none, word"):
        build_design({}, {"kind": KIND}, {"kind": "roman"})


def test_what_follows_from_other_columns_is_dropped_and_named() -> None:
    numbers = {"number": NUMBER, "twice": 2.0 * NUMBER + 1, "constant": np.full(6, 3), "zero": np.zeros(6)}
    found = build_design(numbers, {"kind": KIND, "again": KIND})
    assert found.terms == ("intercept", "number", "kind=none", "kind=word")
    assert found.dropped == ("twice", "constant", "zero", "again=none", "again=word")


def test_the_columns_kept_have_full_rank_and_span_all(case: Case) -> None:
    for seed in range(10):
        random = np.random.default_rng(seed)
        levels = random.integers(0, 5, 200)
        factors = {"a": levels, "b": levels // 2, "c": random.integers(0, 3, 200), "d": np.where(levels == 4, "x", "y")}
        found = build_design({"number": 1e6 + random.random(200), "sum": levels * 1.0}, factors)
        columns = [np.ones(200), found.matrix, levels[:, None] == np.arange(5), (levels // 2)[:, None] == np.arange(3)]
        with case(f"seed {seed}"):
            assert np.linalg.matrix_rank(found.matrix) == found.matrix.shape[1]
            assert np.linalg.matrix_rank(np.column_stack(columns)) == found.matrix.shape[1]
