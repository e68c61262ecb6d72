"""Refined and original prompts, in pairs: differences are of the same prompts, and p and interval agree."""

import gc
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from subitize.analysis.claims import pair
from subitize.analysis.compare import RefinementEffect, compare, default_k
from subitize.analysis.score import PromptResult, rate_passes
from subitize.frame import NO_JUDGE
from subitize.records import Design
from tests.cases import Case
from tests.papers.t2icountbench.attempts import attempt_all, design


@pytest.fixture(scope="module")
def attempts() -> list[PromptResult]:
    made: list[PromptResult] = []
    for seed, model in enumerate(("one", "two")):
        made += attempt_all(model, design(), lambda _: 0.4, seed=seed)
        made += attempt_all(model, design("grid"), lambda _: 0.3, seed=10 + seed)
        made += attempt_all(model, design("additive"), lambda _: 0.4, seed=20 + seed)
    return made


def row(rows: list[RefinementEffect], model: str, refinement: str, measure: str) -> RefinementEffect:
    return next(one for one in rows if (one.model, one.refinement, one.measure) == (model, refinement, measure))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["success", "accuracy"])
def test_differences_are_those_of_the_same_prompts(attempts: list[PromptResult], measure: str) -> None:
    found = row(compare(attempts), "one", "grid", measure)
    value = {
        (one.item.suite, one.item.base or one.item.id): float(one.right > 0) if measure == "success" else one.right / 4
        for one in attempts
        if one.model == "one"
    }
    bases = [base for suite, base in value if suite == "t2icountbench"]
    after, before = (
        np.array([value[suite, base] for base in bases]) for suite in ("t2icountbench~grid", "t2icountbench")
    )
    differences = after - before
    assert found.pairing.difference.value == pytest.approx(differences.mean())
    assert (found.pairing.first.value, found.pairing.second.value) == pytest.approx((after.mean(), before.mean()))
    low, high = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (found.pairing.difference.low, found.pairing.difference.high) == pytest.approx((low, high), abs=0.006)
    assert found.pairing.p == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=0.03)
    assert (found.k, found.pairing.difference.n, found.fallbacks, found.unpaired) == (4, 525, 35, 0)
    assert found.applied is not None
    assert found.applied.difference.n == 490


def test_p_is_adjusted_over_models_and_refinements(
    attempts: list[PromptResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects garbage at every call
    rows = [one for one in compare(attempts) if one.measure == "success"]
    assert len(rows) == 4
    expected = multipletests([one.pairing.p for one in rows], method="holm")[1]
    assert [one.pairing.p_holm for one in rows] == pytest.approx(expected)


def test_p_is_below_05_exactly_where_0_lies_outside_the_interval(case: Case) -> None:
    for seed, n in product(range(5), (5, 90, 600)):
        random = np.random.default_rng(seed)
        first, second = (random.random(n) < 0.4).astype(float), (random.random(n) < 0.5).astype(float)
        names = [str(place) for place in range(n)]
        found = pair(dict(zip(names, first.tolist(), strict=True)), dict(zip(names, second.tolist(), strict=True)))
        with case(f"n {n}, seed {seed}"):
            assert found is not None
            assert (found.p < 0.05) == (not found.difference.low <= 0 <= found.difference.high)
            assert -1 <= found.difference.low <= found.difference.high <= 1


@pytest.mark.slow
def test_prompts_are_compared_within_the_strata_of_the_design(attempts: list[PromptResult]) -> None:
    strata = ("number",)
    own = row(compare(attempts, designs={"t2icountbench": Design(strata=strata)}), "one", "grid", "accuracy")
    plain = row(compare(attempts), "one", "grid", "accuracy")
    assert own.pairing.difference.value == pytest.approx(plain.pairing.difference.value, abs=1e-12)
    numbers = {one.item.factors["number"] for one in attempts if one.item.base is None}
    assert f"in {len(numbers)} strata" in own.pairing.difference.method
    assert "strata" not in plain.pairing.difference.method


def test_prompts_without_a_partner_are_counted_and_left_out(attempts: list[PromptResult]) -> None:
    some = [one for one in attempts if "~" in one.item.suite or one.item.factors["scene"] == "home"]
    found = row(compare(some), "two", "grid", "success")
    assert (found.pairing.difference.n, found.unpaired) == (315, 210)


def test_without_refined_prompts_there_is_nothing_to_compare(attempts: list[PromptResult]) -> None:
    assert compare([one for one in attempts if "~" not in one.item.suite]) == []


def test_models_that_never_differ_have_p_1_and_an_interval() -> None:
    found = pair({"a": 1.0, "b": 0.0}, {"a": 1.0, "b": 0.0})
    assert found is not None
    assert found.p == 1
    assert found.difference.low < 0 < found.difference.high


def test_k_is_what_most_prompts_have() -> None:
    made = attempt_all("one", design(numbers=[2, 3]), lambda _: 0.5)
    broken = [replace(made[0], images=3, right=0), *made[1:]]
    assert (default_k(made), default_k(broken), default_k(made, 2)) == (4, 4, 2)


@pytest.mark.parametrize("k", [4, 8])
def test_means_have_the_intervals_of_pass_at_k(k: int) -> None:
    made = [*attempt_all("one", design(), lambda _: 0.1, images=8)]
    made += attempt_all("one", design("grid"), lambda _: 0.05, images=8, seed=1)
    rates = {one.suite: one.estimate for one in rate_passes(made) if one.k == k}
    found = row(compare(made, k), "one", "grid", "success")
    assert found.pairing.second == rates["t2icountbench"]
    assert found.pairing.first == rates["t2icountbench~grid"]


def test_a_refinement_that_was_only_ever_refused_is_compared_by_the_judge_of_the_original() -> None:
    own = attempt_all("one", design(numbers=[2, 3]), lambda _: 0.9)
    refused = [replace(one, judge=NO_JUDGE, right=0, numbers=()) for one in _grid()]
    found = row(compare([*own, *refused]), "one", "grid", "success")
    assert (found.judge, found.pairing.first.value, found.pairing.difference.n, found.unpaired) == (
        "observer",
        0.0,
        70,
        0,
    )
    two = [*own, *(replace(one, judge="other") for one in own), *refused]
    assert {one.judge for one in compare(two)} == {"observer", "other"}


def _grid() -> list[PromptResult]:
    return attempt_all("one", design("grid", numbers=[2, 3]), lambda _: 0.0)
