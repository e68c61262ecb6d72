"""The laws of the observers whose true figures are known (Testolin et al. 2025, section 2.4.3)."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from subitize.stats.response_law import Slips, human_law, uniform_law
from tests.cases import Case
from tests.models.painter_laws import painter_law

TARGETS = range(1, 11)
RESPONSES = np.arange(1, 21)


def _figures(laws: list[np.ndarray]) -> tuple[float, float]:
    """Give accuracy and NAE of a matrix with one law per target."""
    accuracy = np.mean([law[target - 1] for target, law in zip(TARGETS, laws, strict=True)])
    nae = np.mean([law @ abs(RESPONSES - target) / target for target, law in zip(TARGETS, laws, strict=True)])
    return float(accuracy), float(nae)


def test_the_ideal_humans_exact_matrix_has_the_known_accuracy_and_error() -> None:
    accuracy, nae = _figures([human_law(target) for target in TARGETS])
    assert round(accuracy, 4) == 0.6156
    assert round(nae, 4) == 0.0689


def test_random_answers_have_the_known_accuracy_and_error() -> None:
    accuracy, nae = _figures([uniform_law(1, 20)] * 10)
    assert accuracy == pytest.approx(0.05, abs=1e-12)
    assert nae == pytest.approx(2.300, abs=5e-4)


def test_the_human_law_is_the_rounded_truncated_normal(case: Case) -> None:
    for target, weber in product((1, 2, 5, 7, 10, 19, 20, 25), (0.05, 0.15, 0.4, 3.0)):
        spread = weber * target
        truncated = stats.truncnorm((1 - target) / spread, (20 - target) / spread, loc=target, scale=spread)
        expected = np.diff(truncated.cdf(np.arange(21) + 0.5))
        with case(f"{target}, Weber {weber}"):
            np.testing.assert_allclose(human_law(target, weber=weber, subitizing=0), expected, atol=1e-9)


def test_a_law_is_made_of_probabilities(case: Case) -> None:
    for highest, target, weber in product((1, 4, 20), (1, 4, 5, 20, 60), (0.0, 0.001, 0.15, 10.0)):
        law = human_law(target, weber=weber, highest=highest)
        with case(f"{target} up to {highest}, Weber {weber}"):
            assert law.shape == (highest,)
            assert law.min() >= 0
            assert law.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("target", "subitizing", "weber"), [(1, 4, 0.15), (4, 4, 0.15), (9, 9, 0.5), (9, 4, 0.0)])
def test_up_to_the_subitizing_limit_and_without_spread_the_answer_is_exact(
    target: int, subitizing: int, weber: float
) -> None:
    law = human_law(target, weber=weber, subitizing=subitizing)
    assert law.tolist() == [float(response == target) for response in RESPONSES]


def test_above_the_subitizing_limit_the_answer_is_not_exact() -> None:
    assert human_law(5)[4] < 1


def test_a_number_far_above_the_highest_is_called_the_highest() -> None:
    assert human_law(60, weber=0.001).tolist() == [0.0] * 19 + [1.0]
    assert human_law(60, subitizing=99).tolist() == [0.0] * 19 + [1.0]


@pytest.mark.parametrize(("low", "high"), [(1, 20), (0, 0), (3, 7)])
def test_the_uniform_law_has_one_equal_share_per_response(low: int, high: int) -> None:
    law = uniform_law(low, high)
    assert law.tolist() == [1 / (high - low + 1)] * (high - low + 1)


@pytest.mark.parametrize("target", [5, 8, 10])
def test_sampling_by_the_definition_gives_the_law(target: int) -> None:
    drawn = np.random.default_rng(target).normal(target, 0.15 * target, size=50_000)
    rounded = np.rint(drawn[(drawn >= 1) & (drawn <= 20)]).astype(int)
    observed = np.bincount(rounded, minlength=21)[1:]
    expected = human_law(target) * len(rounded)
    is_frequent = expected >= 5
    pooled, law = (np.append(all[is_frequent], all[~is_frequent].sum()) for all in (observed, expected))
    assert stats.chisquare(pooled, law).pvalue > 0.001


def test_without_other_slips_the_painters_law_is_the_human_law(case: Case) -> None:
    for target, weber in product((1, 5, 20), (0.0, 0.15, 0.6)):
        law = painter_law(target, Slips(weber=weber, subitizing=4, highest=30))
        expected = [0.0, *human_law(target, weber=weber, subitizing=4, highest=30)]
        with case(f"{target}, Weber {weber}"):
            np.testing.assert_allclose(law, expected, atol=1e-12)


def test_things_left_out_are_binomial(case: Case) -> None:
    for target, omit in product((1, 7, 40), (0.0, 0.2, 1.0)):
        law = painter_law(target, Slips(omit=omit))
        with case(f"{target}, {omit} left out"):
            np.testing.assert_allclose(law, stats.binom.pmf(np.arange(len(law)), target, 1 - omit), atol=1e-12)


def test_of_things_that_merge_the_first_is_always_seen(case: Case) -> None:
    for target, merge in product((1, 7, 40), (0.0, 0.2, 1.0)):
        law = painter_law(target, Slips(merge=merge))
        expected = stats.binom.pmf(np.arange(len(law)) - 1, target - 1, 1 - merge)
        with case(f"{target}, {merge} merged"):
            np.testing.assert_allclose(law, expected, atol=1e-12)


@pytest.mark.parametrize(("shift", "number"), [(0, 7), (3, 10), (-3, 4), (-7, 1), (-99, 1)])
def test_a_shift_leaves_at_least_one(shift: int, number: int) -> None:
    assert painter_law(7, Slips(shift=shift)).argmax() == number
    assert painter_law(7, Slips(shift=shift)).max() == 1


def test_the_painters_law_is_made_of_probabilities(case: Case) -> None:
    painters = (Slips(), Slips(0.3, 4, 50, 5, 0.1, 0.2), Slips(2.0, 0, 200, -10, 0.5, 0.5), Slips(highest=1))
    for slips, target in product(painters, (0, 1, 3, 60, 200)):
        law = painter_law(target, slips)
        with case(f"{target}, {slips}"):
            assert law.min() >= 0
            assert law.sum() == pytest.approx(1, abs=1e-9)


def test_zero_things_asked_for_are_always_zero() -> None:
    assert painter_law(0, Slips(weber=1.0, shift=4, omit=0.5)).tolist() == [1.0]
