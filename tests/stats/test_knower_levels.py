"""The criteria of knowing a number, at their edges and against a count by hand; how far the level is known."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.answers import KnowerLevel, knower_level
from subitize.stats.confusion import NO_COUNT, Answers
from subitize.stats.response_law import uniform_law

Pairs = list[tuple[int, int]]  # target, response


def judge(*categories: Pairs) -> KnowerLevel:
    rows = np.array([(*answer, place) for place, answers in enumerate(categories) for answer in answers])
    targets, numbers, category = rows.T
    return knower_level(reply(targets, numbers, category))


def reply(targets: NDArray[np.int64], numbers: NDArray[np.int64], categories: NDArray[np.int64]) -> Answers:
    """Take every trial for a cluster, and every number in a category for a stratum."""
    return Answers(numbers.astype(float), targets, categories, np.arange(len(targets)), 100 * targets + categories)


def exact(trials: int, targets: tuple[int, ...] = (1, 2, 3)) -> Pairs:
    return [(target, target) for target in targets for _ in range(trials)]


def with_hits(hits: int, wrong: int = 9) -> Pairs:
    """Answer 1 and 3 rightly, and 2 in `hits` of 100 trials."""
    return [*exact(100, (1, 3)), *[(2, 2)] * hits, *[(2, wrong)] * (100 - hits)]


@pytest.mark.parametrize(("hits", "level"), [(100, 3), (67, 3), (66, 1)])
def test_a_number_is_known_from_67_percent_on(hits: int, level: int) -> None:
    assert judge(with_hits(hits)).level == level


@pytest.mark.parametrize(("alarms", "is_known"), [(0, True), (49, True), (50, False)])
def test_a_number_is_not_known_if_half_of_the_others_are_answered_with_it(alarms: int, is_known: bool) -> None:
    # 2 and 3 are shown 100 times in all; 3 is only ever mistaken for 1.
    answers = [*[(1, 1)] * 10, *[(2, 2)] * 10, *[(3, 1)] * alarms, *[(3, 3)] * (90 - alarms)]
    first = judge(answers).numbers[0]
    assert first.false_alarms is not None
    assert first.false_alarms.value == alarms / 100
    assert first.is_known is is_known


def test_shares_are_averaged_over_categories_whatever_their_size() -> None:
    sure, unsure = exact(10), [*exact(90, (1, 3)), *[(2, 2)] * 30, *[(2, 9)] * 60]
    two = judge(sure, unsure).numbers[1]
    assert two.hits.value == pytest.approx((1 + 1 / 3) / 2, abs=1e-12)
    assert two.hits.n == 100
    assert two.hit_margin == pytest.approx(2 / 3 - 0.67, abs=1e-12)
    assert not two.is_known


def test_the_shares_are_those_of_a_count_by_hand() -> None:
    random = np.random.default_rng(3)
    categories = [
        [(int(target), int(random.choice([target, 1, 2, 7]))) for target in random.integers(1, 6, size)]
        for size in (80, 200, 33)
    ]
    found = judge(*categories)
    for number in found.numbers:
        hits = [np.mean([r == number.number for t, r in one if t == number.number]) for one in categories]
        alarms = [np.mean([r == number.number for t, r in one if t != number.number]) for one in categories]
        assert number.hits.value == pytest.approx(np.mean(hits), abs=1e-12)
        assert number.false_alarms is not None
        assert number.false_alarms.value == pytest.approx(np.mean(alarms), abs=1e-12)
        assert number.hit_margin == pytest.approx(np.mean(hits) - 0.67, abs=1e-12)
        assert number.false_alarm_margin == pytest.approx(0.5 - np.mean(alarms), abs=1e-12)


def test_the_trials_of_one_number_have_wilsons_interval_but_for_students_t() -> None:
    found = judge(with_hits(60)).numbers[1].hits
    # The variance within a stratum has a pseudo-value of itself: (100 + 1) / 100 of the usual one at 99 degrees.
    independent = 100 * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 99)) ** 2 * (0.24 / (0.24 + 0.24 / 99))
    z2 = stats.norm.ppf(0.975) ** 2 / independent
    half = np.sqrt(z2) / (1 + z2) * np.sqrt(0.24 + z2 / 4)
    assert (found.low, found.high) == pytest.approx(
        ((0.6 + z2 / 2) / (1 + z2) - half, (0.6 + z2 / 2) / (1 + z2) + half), abs=1e-3
    )


def test_images_of_one_prompt_leave_a_number_open() -> None:
    targets = np.repeat([1, 2, 3], 100)
    prompts = np.repeat(np.arange(12), 25)
    clustered = knower_level(Answers(targets.astype(float), targets, 0 * targets, prompts, targets))
    assert (clustered.low, clustered.level, clustered.high) == (0, 3, 3)
    assert {one.standing for one in clustered.numbers} == {"open"}
    single = knower_level(reply(targets, targets, 0 * targets))
    assert (single.low, single.level, single.high) == (3, 3, 3)


def test_the_level_ends_before_the_first_number_that_is_not_known() -> None:
    assert judge([*exact(10, (1, 3)), *[(2, 3)] * 4, *[(2, 2)] * 6]).level == 1
    assert judge([*exact(10, (2, 3)), *[(1, 2)] * 10]).level == 0
    assert judge(exact(10, (1, 2, 4))).level == 2


def test_none_shown_is_no_number_to_be_known() -> None:
    assert judge([*exact(20, (1, 2)), *[(0, 0)] * 20]).level == 2


def test_without_trials_on_1_there_is_no_level() -> None:
    found = judge(exact(10, (2, 3)))
    assert (found.level, found.low, found.high) == (None, None, None)
    assert [number.is_known for number in found.numbers] == [True, True]


def test_a_number_shown_alone_cannot_be_known_and_there_is_no_level() -> None:
    found = judge(exact(10, (1,)))
    assert found.level is None
    (one,) = found.numbers
    assert (one.false_alarms, one.false_alarm_margin, one.is_known) == (None, None, False)


def test_what_is_no_count_is_a_miss() -> None:
    numbers = np.array([1.0] * 6 + [NO_COUNT] * 4 + [2.0] * 10)
    found = knower_level(reply(np.repeat([1, 2], 10), numbers, np.zeros(20, dtype=np.int64)))
    assert found.numbers[0].hits.value == 0.6


@pytest.mark.parametrize(("law", "level"), [(np.eye(20)[:, :10], 10), (np.tile(uniform_law(1, 20), (10, 1)).T, 0)])
def test_who_counts_knows_all_and_who_guesses_none(law: NDArray[np.float64], level: int) -> None:
    targets = np.repeat(np.arange(1, 11), 50)
    random = np.random.default_rng(0)
    numbers = np.array([1 + random.choice(20, p=law[:, target - 1]) for target in targets])
    found = knower_level(reply(targets, numbers, 0 * targets))
    assert (found.low, found.level, found.high) == (level, level, level)


def simulate(hits: list[float], categories: int, samples: int) -> NDArray[np.int64]:
    """Give the lowest and the highest level of models with these hits at 1 to 10, 50 trials of each per category."""
    targets = np.tile(np.repeat(np.arange(1, 11), 50), categories)
    category = np.repeat(np.arange(categories), 500)
    found = []
    for seed in range(samples):
        random = np.random.default_rng(seed)
        is_hit = random.random(len(targets)) < np.array(hits)[targets - 1]
        numbers = np.where(is_hit, targets, (targets + random.integers(1, 20, len(targets)) - 1) % 20 + 1)
        level = knower_level(reply(targets, numbers, category))
        found.append((level.low, level.high))
    return np.array(found)


TRUTHS = {  # hits, and the level that these are
    "all .72": ([0.72] * 10, 10),
    "all .67": ([0.67] * 10, 10),
    "all .95": ([0.95] * 10, 10),
    "four, clearly": ([0.95] * 4 + [0.3] * 6, 4),
    "four, barely": ([0.9] * 4 + [0.66] * 6, 4),
    "none": ([0.2] * 10, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUTHS)
def test_the_true_level_is_possible(name: str) -> None:
    hits, level = TRUTHS[name]
    low, high = simulate(hits, 1, 20).T
    assert np.mean((low <= level) & (level <= high)) >= 0.9


@pytest.mark.proof("subitize.stats.answers", "subitize.stats.estimate")
@pytest.mark.parametrize("categories", [1, 5])
@pytest.mark.parametrize("name", TRUTHS)
def test_the_true_level_is_possible_in_93_percent_and_others_are_not_where_margins_are_clear(
    name: str, categories: int
) -> None:
    hits, level = TRUTHS[name]
    low, high = simulate(hits, categories, 1000 if categories == 1 else 200).T
    assert np.mean((low <= level) & (level <= high)) >= 0.93
    if name in ("all .95", "four, clearly", "none"):
        assert np.mean(high - low) < 0.05
