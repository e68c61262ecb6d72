"""The criteria of knowing a number, at their edges and against a count by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats import uniform_law
from subitize.stats.confusion import confusion_matrix
from subitize.stats.knower_levels import KnowerLevel, knower_level

Answers = list[tuple[int, int]]  # target, response


def judge(*categories: Answers, targets: tuple[int, ...] = (1, 2, 3)) -> KnowerLevel:
    counts = []
    for answers in categories:
        shown, given = np.array(answers).T
        counts.append(confusion_matrix(given.astype(float), shown, targets))
    return knower_level(np.stack(counts), targets)


def exact(trials: int, targets: tuple[int, ...] = (1, 2, 3)) -> Answers:
    return [(target, target) for target in targets for _ in range(trials)]


def with_hits(hits: int, wrong: int = 9) -> Answers:
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
    found = judge(*categories, targets=(1, 2, 3, 4, 5))
    for number in found.numbers:
        hits = [np.mean([r == number.number for t, r in one if t == number.number]) for one in categories]
        alarms = [np.mean([r == number.number for t, r in one if t != number.number]) for one in categories]
        assert number.hits.value == pytest.approx(np.mean(hits), abs=1e-12)
        assert number.false_alarms is not None
        assert number.false_alarms.value == pytest.approx(np.mean(alarms), abs=1e-12)
        assert number.hit_margin == pytest.approx(np.mean(hits) - 0.67, abs=1e-12)
        assert number.false_alarm_margin == pytest.approx(0.5 - np.mean(alarms), abs=1e-12)


def test_categories_of_equal_size_have_wilsons_interval_of_all_trials() -> None:
    found = judge(with_hits(60), with_hits(90)).numbers[1].hits
    expected = stats.binomtest(150, 200).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_level_ends_before_the_first_number_that_is_not_known() -> None:
    assert judge([*exact(10, (1, 3)), *[(2, 3)] * 4, *[(2, 2)] * 6]).level == 1
    assert judge([*exact(10, (2, 3)), *[(1, 2)] * 10]).level == 0
    assert judge(exact(10, (1, 2, 4)), targets=(1, 2, 4)).level == 2


def test_without_trials_on_1_there_is_no_level() -> None:
    found = judge(exact(10, (2, 3)), targets=(2, 3))
    assert found.level is None
    assert [number.is_known for number in found.numbers] == [True, True]


@pytest.mark.parametrize("targets", [(1,), (1, 2, 3)])
def test_a_number_shown_alone_cannot_be_known_and_there_is_no_level(targets: tuple[int, ...]) -> None:
    found = judge(exact(10, (1,)), targets=targets)
    assert found.level is None
    (one,) = found.numbers
    assert (one.false_alarms, one.false_alarm_margin, one.is_known) == (None, None, False)


def test_a_number_never_shown_is_not_judged() -> None:
    found = judge(exact(10, (1, 2)), targets=(1, 2, 3))
    assert [number.number for number in found.numbers] == [1, 2]
    assert found.level == 2


def test_answers_without_a_row_are_misses() -> None:
    counts = confusion_matrix(np.ones(6), np.array([1, 1, 1, 1, 1, 1]), (1, 2))[None]
    trials = np.array([[10, 10]])
    assert knower_level(counts, (1, 2), trials).numbers[0].hits.value == 0.6


@pytest.mark.parametrize(("law", "level"), [(np.eye(20)[:, :10], 10), (np.tile(uniform_law(1, 20), (10, 1)).T, 0)])
def test_who_counts_knows_all_and_who_guesses_none(law: NDArray[np.float64], level: int) -> None:
    counts = np.random.default_rng(0).multinomial(np.full(10, 50), law.T).T[None]
    assert knower_level(counts, tuple(range(1, 11))).level == level
