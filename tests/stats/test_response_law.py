"""The law behind responses: its likelihood, slopes and fit are those of scipy's normal law."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from subitize.stats.response_law import ResponseLawFit, Tallies, Trials, fit_law, predict_responses, tally
from tests.stats.responses_by_law import Observer

NUMBERS = tuple(range(5, 11))


def fit(tallies: Tallies) -> ResponseLawFit:
    found = fit_law(tallies)
    assert isinstance(found, ResponseLawFit)
    return found


def log_likelihood(tallies: Tallies, weber: float, gain: float, lapse: float) -> float:
    """Add up the log probabilities of responses, given that they are neither 1 nor the highest."""
    total = 0.0
    for counts, number in zip(tallies.counts, tallies.numbers, strict=True):
        mass = np.diff(stats.norm.cdf(np.arange(1.5, tallies.highest), gain * number, weber * gain * number))
        likely = (1 - lapse) * mass + lapse / tallies.highest
        total += float(counts[1:-1] @ np.log(likely / likely.sum()))
    return total


@pytest.mark.parametrize(("weber", "gain", "lapse"), [(0.1, 1.0, 0.05), (0.2, 0.7, 0.1), (0.4, 1.1, 0.02)])
def test_the_fit_is_where_scipy_finds_the_greatest_likelihood(weber: float, gain: float, lapse: float) -> None:
    tallies = Observer(weber, gain, lapse).respond(1, categories=1, trials=100, numbers=NUMBERS)
    law = fit(tallies).shared

    def cost(at: NDArray[np.float64]) -> float:
        return -log_likelihood(tallies, *at.tolist())

    best = optimize.minimize(
        cost,
        (weber, gain, lapse),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 10_000, "maxfev": 10_000},
    )
    assert (law.weber[0], math.exp(law.log_gain[0]), law.lapse) == pytest.approx(best.x, rel=1e-4)
    assert law.objective == pytest.approx(-best.fun, abs=1e-8)


def test_gradient_and_information_are_those_of_the_likelihood() -> None:
    tallies = Observer(0.2, 0.9, 0.05, prompt_sd=0.1).respond(2, categories=3, trials=40, numbers=NUMBERS)
    law = fit(tallies).own
    law = law.with_parameters(law.parameters + np.linspace(-0.05, 0.05, len(law.parameters)))
    steps = 1e-5 * np.eye(len(law.parameters))
    above, below = (
        np.array([law.with_parameters(law.parameters + sign * step).objective for step in steps]) for sign in (1, -1)
    )
    np.testing.assert_allclose(law.gradient, (above - below) / 2e-5, atol=1e-4)
    # Fisher's information is the mean of squared scores: here, of each response as often as the law expects it.
    trials = law.tallies.counts.sum(axis=1)
    expected = np.zeros((len(law.parameters),) * 2)
    for group, response in np.ndindex(law.chances.shares.shape):
        score = np.zeros(len(law.parameters))
        np.add.at(score, law.places[:, group], law.chances.slopes[:, group, response])
        expected += trials[group] * law.chances.shares[group, response] * np.outer(score, score)
    np.testing.assert_allclose(law.information, expected, atol=1e-9)


@pytest.mark.parametrize("lapse", [0.0, 0.05])
def test_prompts_have_gains_of_their_own_as_far_as_responses_say(lapse: float) -> None:
    biased, alike = (Observer(lapse=lapse, prompt_sd=sd).respond(3, numbers=NUMBERS) for sd in (0.1, 0.0))
    spread = [np.std(fit(tallies).own.log_gain[fit(tallies).own.gain_of]) for tallies in (biased, alike)]
    assert 0.06 < spread[0] < 0.14
    assert spread[1] < 0.02
    assert np.mean(fit(biased).own.weber) == pytest.approx(0.15, abs=0.015)
    assert np.mean(fit(biased).shared.weber) > 0.165


def test_predicted_responses_are_cut_off_at_the_edges() -> None:
    edges = np.clip(np.arange(21) + 0.5, 1, 20)
    mass = np.diff(stats.norm.cdf(edges, 7.5, 3.0))
    np.testing.assert_allclose(predict_responses(7.5, 3.0, 0.1, 20), 0.9 * mass / mass.sum() + 0.005, atol=1e-12)
    for mean, place in ((-50.0, 0), (90.0, 19)):
        assert predict_responses(mean, 1.0, 0.0, 20)[place] == 1


def trials(*rows: tuple[float, int, int, int]) -> Trials:
    responses, *codes = np.array(rows).T
    numbers, categories, clusters = (code.astype(np.int64) for code in codes)
    return Trials(responses, numbers, categories, clusters)


def row(*responses: int) -> NDArray[np.int64]:
    return np.bincount(np.array(responses) - 1, minlength=20)


def test_responses_are_tallied_by_cluster() -> None:
    given = trials((6, 5, 1, 7), (5, 5, 1, 7), (30, 5, 1, 8), (0, 5, 1, 8), (4, 5, 2, 7), (9, 9, 1, 7))
    pictures, prompts = (tally(given, 20, has_gain_by_cluster=has) for has in (False, True))
    np.testing.assert_array_equal(pictures.counts, [row(5, 6), row(20), row(9), row(4)])
    np.testing.assert_array_equal(pictures.numbers, [5, 5, 9, 5])
    np.testing.assert_array_equal(pictures.categories, [0, 0, 0, 1])
    np.testing.assert_array_equal(pictures.groups, [0, 0, 1, 2])
    np.testing.assert_array_equal(prompts.groups, [0, 1, 2, 3])
    np.testing.assert_array_equal(pictures.by_group().counts, [row(5, 6, 20), row(9), row(4)])


def test_the_order_of_categories_does_not_matter() -> None:
    tallies = Observer(category_sd=0.4, prompt_sd=0.1).respond(5, numbers=NUMBERS)
    turned = replace(tallies, categories=4 - tallies.categories)
    np.testing.assert_allclose(fit(tallies).own.weber, fit(turned).own.weber[::-1], rtol=1e-4)
