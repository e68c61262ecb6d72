"""The signed-rank test is scipy's, and its effect size counts exact answers."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.answers import signed_rank_test
from subitize.stats.estimate import Floats, Integers
from tests.cases import Case

PROOF = pytest.mark.proof("subitize.stats.answers", "subitize.stats.bootstrap")
CASES = {
    "many ties": np.random.default_rng(1).integers(-3, 5, 400).astype(float),
    "few": np.array([1.0, -2, 3, 0, 5]),
    "one": np.array([2.0]),
    "all up": np.arange(1.0, 30),
    "all down": -np.arange(1.0, 30),
    "mostly exact": np.array([0.0] * 90 + [1.0] * 8 + [-1.0] * 2),
    "balanced": np.array([1.0, -1, 2, -2, 0, 0]),
    "halves": np.array([0.5, -1.5, 2.5, 2.5, -0.5, 0, 3]),
    "no ties": np.random.default_rng(2).normal(0.3, 1, 60),
}


@pytest.mark.filterwarnings("ignore:Sample size too small")  # of older versions of scipy
def test_z_and_p_are_those_of_scipy(case: Case) -> None:
    for name, errors in CASES.items():
        expected = stats.wilcoxon(errors, zero_method="wilcox", correction=False, method="approx")
        z = abs(getattr(expected, "zstatistic"))  # noqa: B009 (the stubs do not know it)
        found = signed_rank_test(errors)
        with case(name):
            assert found is not None
            assert abs(found.z) == pytest.approx(z, abs=1e-9)
            assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
            assert found.n == len(errors)
            assert found.r.value == pytest.approx(z / math.sqrt(len(errors)), abs=1e-9)
            assert 0 <= found.r.low <= found.r.value <= found.r.high <= 1


@pytest.mark.parametrize(
    ("errors", "direction"),
    [
        ([1.0] * 40 + [0.0] * 60, "over"),
        ([-1.0] * 40 + [0.0] * 60, "under"),
        ([1.0] * 5 + [0.0] * 95, "none"),  # significant, but r is .22
        ([1.0] * 3, "none"),  # r is 1, but p is .08
        ([1.0, -1.0] * 50, "none"),
    ],
    ids=["over", "under", "small effect", "not significant", "balanced"],
)
def test_a_bias_must_be_significant_and_of_some_size(errors: list[float], direction: str) -> None:
    found = signed_rank_test(np.array(errors))
    assert found is not None
    assert found.direction == direction


def test_exact_answers_make_the_effect_smaller() -> None:
    alone, among_exact = signed_rank_test(np.ones(100)), signed_rank_test(np.repeat([1.0, 0.0], [100, 300]))
    assert alone is not None
    assert among_exact is not None
    assert among_exact.z == pytest.approx(alone.z, abs=1e-12)
    assert among_exact.r.value == pytest.approx(alone.r.value / 2, abs=1e-12)


def test_without_any_error_there_is_no_bias_but_some_room_for_one() -> None:
    found = signed_rank_test(np.zeros(500))
    assert found is not None
    assert (found.direction, found.z, found.p, found.r.value, found.r.low) == ("none", 0.0, 1.0, 0.0, 0.0)
    assert 0.05 < found.r.high < 0.1


def test_nothing_has_no_bias() -> None:
    assert signed_rank_test(np.array([])) is None


def test_strata_change_the_interval_alone() -> None:
    errors = np.repeat([0.0, 1.0, 2.0, 3.0], 25)
    free, fixed = signed_rank_test(errors), signed_rank_test(errors, np.repeat([0, 1], 50))
    assert free is not None
    assert fixed is not None
    assert (free.z, free.p, free.r.value) == (fixed.z, fixed.p, fixed.r.value)
    assert fixed.r.high - fixed.r.low < free.r.high - free.r.low


@pytest.mark.parametrize(
    ("errors", "strata"),
    [(np.repeat([0.0, 2.0], 50), np.repeat([0, 1], 50)), (np.tile([0.0, 1.0, -1.0], 20), np.arange(60))],
    ids=["strata answered alike", "strata of one trial"],
)
def test_strata_without_spread_are_resampled_together(errors: NDArray[np.float64], strata: NDArray[np.int64]) -> None:
    found, free = signed_rank_test(errors, strata), signed_rank_test(errors)
    assert found is not None
    assert free is not None
    assert (found.r.low, found.r.high) == (free.r.low, free.r.high)
    assert found.r.low < found.r.high
    assert "strata together" in found.r.method


@pytest.mark.parametrize("error", [1.0, -3.0])
def test_errors_all_alike_leave_room_for_opposite_ones(error: float) -> None:
    few, many = signed_rank_test(np.full(3, error)), signed_rank_test(np.full(500, error))
    assert few is not None
    assert many is not None
    assert (few.r.value, few.r.low, few.r.high) == pytest.approx((1, 0, 1))
    assert 0.95 < many.r.low < many.r.value
    # As many opposite errors as Wilson's bound allows have the effect at the lower edge.
    opposite = round(500 * (1 - many.r.low) / 2)
    edge = signed_rank_test(np.repeat([error, -error], [500 - opposite, opposite]))
    assert edge is not None
    assert edge.r.value == pytest.approx(many.r.low, abs=2 / 500)


def test_what_is_not_significant_may_be_no_effect(case: Case) -> None:
    for seed in range(20):
        found = signed_rank_test(np.rint(np.random.default_rng(seed).normal(0.2, 1, 40)))
        with case(f"seed {seed}"):
            assert found is not None
            assert found.p < 0.05 or found.r.low == 0


@pytest.mark.parametrize("samples", [10, pytest.param(100, marks=PROOF)])
@pytest.mark.parametrize("trials", [1, 2, 5])
def test_the_interval_covers_the_effect_with_few_trials_in_a_stratum(trials: int, samples: int) -> None:
    random = np.random.default_rng(trials)
    centres = np.tile(np.linspace(-0.5, 1, 50), trials)  # strata differ
    truth = signed_rank_test(np.rint(random.normal(np.tile(np.linspace(-0.5, 1, 50), 4000), 1)))
    assert truth is not None
    strata = np.tile(np.arange(50), trials)
    found = [signed_rank_test(np.rint(random.normal(centres, 1)), strata) for _ in range(samples)]
    covered = sum(one is not None and one.r.low <= truth.r.value <= one.r.high for one in found)
    assert covered >= 0.9 * samples


@pytest.mark.parametrize("samples", [20, pytest.param(150, marks=PROOF)])
@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_the_interval_covers_the_effect_in_many_trials(shift: float, samples: int) -> None:
    random = np.random.default_rng(4)

    def sample(n: int) -> NDArray[np.float64]:
        return np.rint(random.normal(shift, 1, n))

    truth = signed_rank_test(sample(400_000))
    assert truth is not None
    found = [signed_rank_test(sample(150)) for _ in range(samples)]
    covered = sum(one is not None and one.r.low <= truth.r.value <= one.r.high for one in found)
    assert covered >= 0.9 * samples


def biased(random: np.random.Generator, shift: float, images: int) -> tuple[Floats, Integers, Integers]:
    """Draw ten numbers in five categories, where each prompt has a gain of its own; return errors, numbers, prompts."""
    numbers = np.repeat(np.tile(np.arange(1, 11), 5), images)
    prompts = np.repeat(np.arange(50), images)
    gains = np.exp(shift + 0.15 * random.normal(size=50))[prompts]
    drawn = np.maximum(1, np.rint(random.normal(gains * numbers, 0.15 * numbers)))
    return drawn - numbers, numbers, prompts


def among_prompts(shift: float, replicates: int, seed: int) -> tuple[float, float, float]:
    """Return how often intervals over prompts hold the effect, and how often p is below .05, theirs and by trial."""
    random = np.random.default_rng(seed)
    whole = [signed_rank_test(biased(random, shift, 1)[0]) for _ in range(2000)]
    truth = abs(float(np.mean([one.z / math.sqrt(one.n) for one in whole if one])))
    found = [signed_rank_test(*biased(random, shift, 10)) for _ in range(replicates)]
    held = [one.r.low <= truth <= one.r.high for one in found if one]
    below, by_trial = np.mean([(one.p < 0.05, one.p_by_trial < 0.05) for one in found if one], axis=0)
    return float(np.mean(held)), float(below), float(by_trial)


def test_prompts_with_gains_of_their_own_are_no_bias() -> None:
    held, below, by_trial = among_prompts(-0.011, 60, seed=1)
    assert held >= 0.93 - 3 * math.sqrt(0.05 * 0.95 / 60)
    assert below <= 0.07 + 3 * math.sqrt(0.05 * 0.95 / 60)
    assert by_trial > 0.1  # the paper's own p takes the trials of a prompt for independent


@PROOF
@pytest.mark.parametrize("shift", [-0.011, 0.05, 0.15])
def test_effects_over_prompts_are_covered(shift: float) -> None:
    held, below, _ = among_prompts(shift, 2000, seed=2)
    assert held >= 0.915
    assert shift > 0 or below <= 0.07


def test_one_prompt_or_errors_all_alike_say_little_over_prompts() -> None:
    alone = signed_rank_test(np.array([1.0, 2.0, 0.0]), None, np.zeros(3))
    assert alone is not None
    assert (alone.p, alone.r.low, alone.r.high) == (1.0, 0.0, 1.0)
    alike = signed_rank_test(np.ones(40), None, np.repeat(np.arange(4), 10))
    assert alike is not None
    assert alike.p == 2.0**-3
    assert alike.direction == "over"  # as in the paper, whose p is by trial
    assert signed_rank_test(np.ones(40), None, np.arange(40)).p < 1e-9  # type: ignore[union-attr]
