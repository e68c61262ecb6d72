"""The correlation of replies with a law: against scipy, and whether its interval holds the truth."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.confusion import (
    NO_COUNT,
    Answers,
    confusion_matrix,
    correlate_with_law,
    design_effect,
    distance,
    human_matrix,
    pearson,
    random_matrix,
)
from tests.cases import Case

TARGETS = tuple(range(1, 11))
HUMAN = human_matrix(TARGETS)
Floats = NDArray[np.float64]
Generator = np.random.Generator


def weber_matrix(weber: float, gain: float = 1.0) -> Floats:
    """Spread around gain × n, cut to 1 to 20."""
    edges = np.arange(0.5, 21)
    cumulative = stats.norm.cdf((edges[:, None] - gain * np.array(TARGETS)) / (weber * gain * np.array(TARGETS)))
    cumulative[0], cumulative[-1] = 0, 1
    return np.asarray(np.diff(cumulative, axis=0))


def name(laws: list[Floats], trials: int, random: Generator) -> Answers:
    """Show every number in every category, a picture each time."""
    drawn = [1 + random.choice(20, trials, p=law[:, column]) for law in laws for column in range(10)]
    targets = np.tile(np.repeat(TARGETS, trials), len(laws))
    categories = np.repeat(np.arange(len(laws)), 10 * trials)
    return Answers(
        np.concatenate(drawn).astype(float), targets, categories, np.arange(len(targets)), targets + 100 * categories
    )


STEPS = np.linspace(-3, 3, 25)
ODDS = stats.norm.pdf(STEPS) / stats.norm.pdf(STEPS).sum()


def draw(laws: list[Floats], categories: int, trials: int, random: Generator) -> Answers:
    """Ask for every number in every category by a prompt of its own, whose law is one of those given."""
    chosen = random.choice(len(laws), (categories, 10), p=ODDS)
    drawn = [
        1 + random.choice(20, trials, p=laws[chosen[category, column]][:, column])
        for category in range(categories)
        for column in range(10)
    ]
    targets = np.tile(np.repeat(TARGETS, trials), categories)
    prompts = np.repeat(np.arange(10 * categories), trials)
    return Answers(np.concatenate(drawn).astype(float), targets, prompts // 10, prompts, targets)


def test_shares_are_averaged_over_the_categories_that_have_a_number() -> None:
    replies = name([weber_matrix(0.2), weber_matrix(0.4)], 30, np.random.default_rng(1))
    is_in = ((replies.targets != 4) | (replies.categories == 1)) & (replies.targets != 8)
    kept = Answers(*(getattr(replies, field)[is_in] for field in Answers.__slots__[:5]))
    shares = []
    for target in (1, 2, 3, 4, 5, 6, 7, 9, 10):
        categories = (1,) if target == 4 else (0, 1)
        given = [replies.numbers[(replies.targets == target) & (replies.categories == one)] for one in categories]
        shares.append(np.mean([[np.mean(one == answer) for answer in range(1, 21)] for one in given], axis=0))
    found = correlate_with_law(kept, TARGETS, HUMAN)
    assert found is not None
    expected = stats.pearsonr(np.ravel(shares), np.delete(HUMAN, 7, axis=1).T.ravel()).statistic
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert found.n == is_in.sum()
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_what_is_constant_correlates_with_nothing() -> None:
    replies = name([weber_matrix(0.2)], 30, np.random.default_rng(1))
    assert correlate_with_law(replies, TARGETS, random_matrix(TARGETS)) is None
    none = Answers(*(getattr(replies, field)[:0] for field in Answers.__slots__[:5]))
    assert correlate_with_law(none, TARGETS, HUMAN) is None


def refuse_above(most: int) -> Answers:
    targets = np.tile(np.repeat(TARGETS, 50), 5)
    numbers = np.where(targets <= most, targets, NO_COUNT)
    return Answers(numbers, targets, np.repeat(np.arange(5), 500), np.arange(2500), targets)


def test_who_refuses_is_not_like_people() -> None:
    answered = correlate_with_law(refuse_above(4), TARGETS, HUMAN)
    of_all = correlate_with_law(refuse_above(4), TARGETS, HUMAN, with_no_count=True)
    perfect = correlate_with_law(refuse_above(10), TARGETS, HUMAN, with_no_count=True)
    assert answered is not None
    assert of_all is not None
    assert perfect is not None
    assert (round(answered.value, 3), round(of_all.value, 3), round(perfect.value, 3)) == (1.0, 0.508, 0.818)
    shares = np.concatenate([np.eye(20, 10) * (np.arange(10) < 4), np.arange(10)[None] >= 4])
    law = np.concatenate([HUMAN, np.zeros((1, 10))])
    assert of_all.value == pytest.approx(stats.pearsonr(shares.ravel(), law.ravel()).statistic, abs=1e-9)


@pytest.mark.parametrize("trials", [2, 5, 50])
def test_a_model_that_never_errs_might_still(trials: int) -> None:
    found = correlate_with_law(name([np.eye(20)[:, :10]] * 3, trials, np.random.default_rng(0)), TARGETS, HUMAN)
    assert found is not None
    assert found.high - found.low > 1e-4
    assert found.low <= found.value <= found.high
    assert "never vary" in found.method


def test_one_reply_to_each_number_leaves_everything_possible() -> None:
    found = correlate_with_law(name([weber_matrix(0.4)], 1, np.random.default_rng(3)), TARGETS, HUMAN)
    assert found is not None
    assert (found.low, found.high) == (-1, 1)
    assert "whatever is possible" in found.method


def by_prompt(spread: float, weber: float = 0.15) -> list[Floats]:
    return [weber_matrix(weber, float(np.exp(spread * step))) for step in STEPS]


def average(laws: list[Floats]) -> Floats:
    return np.tensordot(ODDS, np.stack(laws), axes=1)


DESIGNS: dict[str, tuple[Floats, Callable[[Generator], Answers]]] = {
    "ideal human, 5 categories × 50": (HUMAN, lambda random: name([HUMAN] * 5, 50, random)),
    "one category × 100": (weber_matrix(0.15), lambda random: name([weber_matrix(0.15)], 100, random)),
    "one category × 20": (weber_matrix(0.3), lambda random: name([weber_matrix(0.3)], 20, random)),
    "categories differ": (
        np.mean([weber_matrix(weber) for weber in (0.1, 0.15, 0.2, 0.3, 0.4)], axis=0),
        lambda random: name([weber_matrix(weber) for weber in (0.1, 0.15, 0.2, 0.3, 0.4)], 50, random),
    ),
    "2 % lapses": (
        0.98 * np.eye(20)[:, :10] + 0.001,
        lambda random: name([0.98 * np.eye(20)[:, :10] + 0.001] * 5, 50, random),
    ),
    "prompts with a bias of .1": (average(by_prompt(0.1)), lambda random: draw(by_prompt(0.1), 4, 100, random)),
    "prompts with a bias of .3": (average(by_prompt(0.3)), lambda random: draw(by_prompt(0.3), 4, 100, random)),
    "many prompts with a bias": (average(by_prompt(0.2)), lambda random: draw(by_prompt(0.2), 40, 10, random)),
}


def coverage(design: str, samples: int) -> float:
    law, sample = DESIGNS[design]
    truth = float(pearson(law, HUMAN))
    found = [correlate_with_law(sample(np.random.default_rng(seed)), TARGETS, HUMAN) for seed in range(samples)]
    return float(np.mean([one is not None and one.low - 1e-9 <= truth <= one.high + 1e-9 for one in found]))


@pytest.mark.slow
def test_the_interval_holds_the_likeness_of_the_law_behind_the_replies(case: Case) -> None:
    for design in DESIGNS:
        with case(design):
            assert coverage(design, 6) >= 4 / 6


@pytest.mark.proof("subitize.stats.confusion", "subitize.stats.estimate")
@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_cover_within_narrow_bounds(design: str) -> None:
    # Nobody is more alike than the same: intervals end at 1, and hold it more often.
    assert 0.93 <= coverage(design, 600) <= (1.0 if design.startswith("ideal") else 0.98)


def count(replies: Answers) -> NDArray[np.int64]:
    """Make a matrix of each category."""
    return np.stack(
        [
            confusion_matrix(
                replies.numbers[replies.categories == one], replies.targets[replies.categories == one], TARGETS
            )
            for one in range(int(replies.categories.max()) + 1)
        ]
    )


def distance_coverage(design: str, samples: int) -> float:
    """Tell how often the distance from chance of the law behind the replies is in its interval."""
    law, sample = DESIGNS[design]
    truth = float(np.abs(law - random_matrix(TARGETS)).sum(axis=0).mean() / 2)
    held = []
    for seed in range(samples):
        replies = sample(np.random.default_rng(seed))
        found = distance(count(replies), random_matrix(TARGETS), design_effect(replies, TARGETS, 20))
        assert found is not None
        held.append(found.low <= truth <= found.high)
    return float(np.mean(held))


BIASED = [design for design in DESIGNS if "bias" in design]


@pytest.mark.slow
def test_a_distance_is_about_prompts_like_these(case: Case) -> None:
    for design in BIASED:
        with case(design):
            assert distance_coverage(design, 6) >= 5 / 6


@pytest.mark.proof("subitize.stats.confusion", "subitize.stats.bootstrap", "subitize.stats.estimate")
@pytest.mark.parametrize("design", BIASED)
def test_distances_of_biased_prompts_are_covered(design: str) -> None:
    """With trials resampled as if they were independent, these cover much less."""
    assert distance_coverage(design, 300) >= 0.92


def take(replies: Answers, which: NDArray[np.int64]) -> Answers:
    targets, categories = replies.targets[which], replies.categories[which]
    return Answers(replies.numbers[which], targets, categories, replies.clusters[which], replies.strata[which])


def test_the_design_effect_is_how_often_each_independent_reply_is_repeated() -> None:
    alone = name([weber_matrix(0.3)] * 3, 60, np.random.default_rng(5))
    assert design_effect(alone, TARGETS, 20) == 1
    for times in (2, 5):
        repeated = take(alone, np.repeat(np.arange(len(alone.numbers)), times))
        assert design_effect(repeated, TARGETS, 20) == pytest.approx(times, rel=0.02)
    one = take(alone, np.zeros(9, dtype=np.int64))
    assert design_effect(one, TARGETS, 20) == np.inf
    found = distance(count(one), random_matrix(TARGETS), np.inf)
    assert found is not None
    assert (found.low, found.high) == (0, 1)
    assert "one cluster" in found.method
