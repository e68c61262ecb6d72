"""The regression is that of statsmodels; where right and wrong are told apart, it says so."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.discrete.discrete_model import Logit  # type: ignore[import-untyped]
from statsmodels.genmod.families import Binomial  # type: ignore[import-untyped]
from statsmodels.genmod.generalized_linear_model import GLM  # type: ignore[import-untyped]
from statsmodels.tools import add_constant  # type: ignore[import-untyped]

from subitize.stats.regression import DesignMatrix, LogisticFit, Separated, build_design, fit_logistic
from tests.cases import Case


@dataclass(frozen=True)
class Answers:
    """Prompts with a number and two factors, five images each, some prompts easier than others."""

    number: NDArray[np.int64]
    form: NDArray[np.str_]
    kind: NDArray[np.str_]
    correct: NDArray[np.float64]
    prompts: NDArray[np.int64]

    @property
    def design(self) -> DesignMatrix:
        return build_design({"number": self.number}, {"form": self.form, "kind": self.kind}, {"kind": "simple"})


def draw_answers(seed: int) -> Answers:
    random = np.random.default_rng(seed)
    prompts = np.repeat(np.arange(120), 5)
    number = random.integers(1, 11, 120)[prompts]
    form = random.choice(["digit", "word"], 120)[prompts]
    kind = random.choice(["simple", "additive", "colour", "spatial"], 120)[prompts]
    ease = random.normal(0, 0.8, 120)[prompts]
    odds = 2 - 0.5 * number + 0.4 * (form == "word") - 0.7 * (kind == "spatial") + ease
    correct = (random.random(600) < 1 / (1 + np.exp(-odds))).astype(np.float64)
    return Answers(number, form, kind, correct, prompts)


def fit(design: DesignMatrix, correct: NDArray[np.float64], clusters: NDArray[np.int64]) -> LogisticFit:
    found = fit_logistic(design, correct, clusters)
    assert isinstance(found, LogisticFit)
    return found


def test_coefficients_errors_and_p_are_those_of_statsmodels(case: Case) -> None:
    for seed in range(10):
        drawn = draw_answers(seed)
        design, correct, prompts = drawn.design, drawn.correct, drawn.prompts
        found = fit(design, correct, prompts)
        options = {"cov_type": "cluster", "cov_kwds": {"groups": prompts}, "use_t": True, "disp": False}
        expected = Logit(correct, design.matrix).fit(method="newton", tol=1e-12, maxiter=100, **options)
        with case(f"seed {seed}"):
            assert [term.name for term in found.terms] == list(design.terms)
            np.testing.assert_allclose([term.coefficient for term in found.terms], expected.params, atol=1e-8)
            np.testing.assert_allclose([term.standard_error for term in found.terms], expected.bse, atol=1e-8)
            np.testing.assert_allclose([term.p for term in found.terms], expected.pvalues, atol=1e-8)
            edges = [(math.log(term.odds_ratio.low), math.log(term.odds_ratio.high)) for term in found.terms]
            np.testing.assert_allclose(edges, expected.conf_int(), atol=1e-8)
            assert [term.odds_ratio.value for term in found.terms] == pytest.approx(np.exp(expected.params), rel=1e-8)
            assert (found.n, found.clusters) == (600, 120)


def test_the_fit_is_that_of_a_general_linear_model(case: Case) -> None:
    for seed in range(5):
        drawn = draw_answers(seed)
        design, correct, prompts = drawn.design, drawn.correct, drawn.prompts
        family = Binomial()
        options = {"cov_type": "cluster", "cov_kwds": {"groups": prompts}}
        expected = GLM(correct, design.matrix, family=family).fit(tol=1e-13, **options)
        found = fit(design, correct, prompts)
        with case(f"seed {seed}"):
            np.testing.assert_allclose([term.coefficient for term in found.terms], expected.params, atol=1e-8)
            np.testing.assert_allclose([term.standard_error for term in found.terms], expected.bse, atol=1e-8)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_scale_of_a_number_changes_its_coefficient_alone(scale: float) -> None:
    drawn = draw_answers(1)
    design, correct, prompts = drawn.design, drawn.correct, drawn.prompts
    factors = np.where(np.array(design.terms) == "number", scale, 1.0)
    found = fit(DesignMatrix(design.terms, design.matrix * factors), correct, prompts)
    expected = fit(design, correct, prompts)
    for one, other, factor in zip(found.terms, expected.terms, factors.tolist(), strict=True):
        assert one.coefficient * factor == pytest.approx(other.coefficient, rel=1e-8)
        assert one.p == pytest.approx(other.p, rel=1e-6)


def test_a_rare_but_possible_answer_is_no_separation() -> None:
    number = np.repeat([0.0, 40.0], [3_000, 3_000])
    correct = np.r_[np.zeros(2_999), 1, np.ones(2_999), 0]
    found = fit(build_design({"number": number}, {}), correct, np.arange(6_000))
    assert found.terms[1].coefficient == pytest.approx(2 * math.log(2_999) / 40, rel=1e-8)


def test_far_numbers_with_chances_near_certainty_still_fit() -> None:
    number = np.r_[np.linspace(-1, 1, 200), 100.0]
    correct = np.r_[np.random.default_rng(1).random(200) < 0.5 + 0.3 * number[:200], True].astype(np.float64)
    found = fit(build_design({"number": number}, {}), correct, np.arange(201))
    expected = Logit(correct, add_constant(number)).fit(disp=False, tol=1e-12, maxiter=100)
    np.testing.assert_allclose([term.coefficient for term in found.terms], expected.params, atol=1e-8)


SEPARATED: dict[str, tuple[str, Callable[[Answers], NDArray[Any]]]] = {
    "a level always right": ("kind=spatial", lambda drawn: np.where(drawn.kind == "spatial", 1, drawn.correct)),
    "a level never right": ("kind=colour", lambda drawn: np.where(drawn.kind == "colour", 0, drawn.correct)),
    "right up to a number": ("number", lambda drawn: drawn.number <= 4),
    "always right": ("intercept", lambda drawn: np.ones(600)),
}


def test_separation_is_found_and_named(case: Case) -> None:
    for (name, (term, answer)), seed in product(SEPARATED.items(), range(3)):
        drawn = draw_answers(seed)
        found = fit_logistic(drawn.design, answer(drawn), drawn.prompts)
        with case(f"{name}, seed {seed}"):
            assert isinstance(found, Separated)
            assert term in found.terms
            assert found.n == 600


def test_one_cluster_is_refused() -> None:
    drawn = draw_answers(1)
    with pytest.raises(ValueError, match="all 600 observations are in one cluster"):
        fit_logistic(drawn.design, drawn.correct, np.zeros(600))


@pytest.mark.parametrize(
    ("samples", "least", "most"),
    [(40, 36, 40), pytest.param(1000, 935, 970, marks=pytest.mark.proof("subitize.stats.regression"))],
)
def test_intervals_cover_the_true_odds_ratio_about_as_often_as_they_say(samples: int, least: int, most: int) -> None:
    covered = 0
    for seed in range(samples):
        random = np.random.default_rng(seed)
        treated = np.repeat(random.integers(0, 2, 80), 5)
        # Images of a prompt are all alike: without clusters the interval would be √5 times too narrow.
        chance = 1 / (1 + np.exp(-(-0.5 + 0.8 * treated)))
        correct = (np.repeat(random.random(80), 5) < chance).astype(np.float64)
        found = fit(build_design({"treated": treated}, {}), correct, np.repeat(np.arange(80), 5))
        covered += found.terms[1].odds_ratio.low <= math.exp(0.8) <= found.terms[1].odds_ratio.high
    assert least <= covered <= most
