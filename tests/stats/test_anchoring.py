"""Answers that are returned to whatever is shown: who has them, who has not, and how often by chance."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from subitize.stats.answers import Anchoring, find_anchors
from subitize.stats.confusion import NO_COUNT, Answers
from subitize.stats.estimate import estimate
from tests.cases import Case

Numbers = NDArray[np.float64]
Law = Callable[[Numbers, np.random.Generator], Numbers]


def scatter(around: Numbers, random: np.random.Generator, weber: float = 0.15) -> Numbers:
    return np.maximum(1, np.rint(random.normal(around, weber * around)))


def see(shown: Numbers, random: np.random.Generator) -> Numbers:
    """Answer as the ideal human does."""
    return np.where(shown <= 4, shown, scatter(shown, random))


def sometimes(share: float, answer: int, law: Law) -> Law:
    return lambda shown, random: np.where(random.random(len(shown)) < share, answer, law(shown, random))


def count(shown: Numbers, random: np.random.Generator) -> Numbers:
    return shown


def guess(shown: Numbers, random: np.random.Generator) -> Numbers:
    return random.integers(1, 21, len(shown)).astype(float)


WITHOUT: dict[str, Law] = {
    "perfect counter": count,
    "ideal human": see,
    ".7 n": lambda shown, random: np.maximum(1, np.rint(0.7 * shown)),
    ".5 n": lambda shown, random: np.maximum(1, np.rint(0.5 * shown)),
    ".7 n with noise": lambda shown, random: scatter(0.7 * shown, random),
    "Weber fraction .3": lambda shown, random: scatter(shown, random, 0.3),
    "power law": lambda shown, random: scatter(shown**0.8, random),
    "random": guess,
    "90 % exact, 10 % random": lambda shown, random: np.where(
        random.random(len(shown)) < 0.1, guess(shown, random), shown
    ),
}

WITH: dict[str, tuple[Law, set[int]]] = {
    "always 5": (lambda shown, random: np.full(len(shown), 5.0), {5}),
    "8 above 4": (lambda shown, random: np.where(shown <= 4, shown, 8.0), {8}),
    "never above 6": (lambda shown, random: np.minimum(shown, 6.0), {6}),
    "5 in 40 % of trials": (sometimes(0.4, 5, count), {5}),
    "5 in 10 % of trials": (sometimes(0.1, 5, see), {5}),
    "even numbers only": (lambda shown, random: np.maximum(2, 2 * np.rint(shown / 2)), {2, 4, 8}),
    "even numbers only, with noise": (
        lambda shown, random: np.maximum(2, 2 * np.rint(see(shown, random) / 2)),
        {2, 4, 6, 8, 10, 12},
    ),
}


def reply(law: Law, seed: int = 0, *, trials: int = 50, categories: int = 5, highest: int = 10) -> Answers:
    shown = np.tile(np.repeat(np.arange(1, highest + 1), trials), categories)
    category = np.repeat(np.arange(categories), highest * trials)
    answers = law(shown.astype(float), np.random.default_rng(seed)).astype(float)
    return Answers(answers, shown, category, np.arange(len(shown)), 100 * shown + category)


def find(replies: Answers) -> Anchoring:
    found = find_anchors(replies)
    assert found is not None
    return found


def test_who_scatters_around_the_number_returns_to_nothing(case: Case) -> None:
    for name, law in WITHOUT.items():
        with case(name):
            assert sum(bool(find(reply(law, seed)).anchors) for seed in range(5)) <= 1


def test_who_returns_to_an_answer_is_found(case: Case) -> None:
    for name, (law, answers) in WITH.items():
        with case(name):
            assert {one.answer for one in find(reply(law)).anchors} == answers


def test_who_rounds_to_tens_returns_to_them() -> None:
    law: Law = lambda shown, random: np.where(shown < 10, shown, 10 * np.rint(shown / 10))  # noqa: E731
    found = find(reply(law, trials=20, categories=1, highest=50))
    assert {one.answer for one in found.anchors} == {10, 20, 30, 40, 50}


def test_a_share_is_that_of_the_counts_given_to_numbers_away_from_home() -> None:
    replies = reply(sometimes(0.4, 5, count), seed=3)
    (anchor,) = find(replies).anchors
    assert (anchor.answer, anchor.home) == (5, (5, 6))
    is_away = (replies.targets < 5) | (replies.targets > 6)
    given = (replies.numbers[is_away] == 5).astype(float)
    assert [anchor.share] == estimate(given, replies.clusters[is_away], replies.strata[is_away])
    assert anchor.share.low < 0.4 < anchor.share.high


def test_images_of_one_prompt_are_no_evidence_of_their_own() -> None:
    """A prompt for nine whose images all show five is one prompt, not a hundred images."""
    shown = np.repeat(np.tile(np.arange(1, 11), 4), 100)
    prompts = np.repeat(np.arange(40), 100)
    answers = np.where((prompts == 8), 5.0, shown)
    assert not find(Answers(answers, shown, prompts // 10, prompts, shown)).anchors


def test_answers_may_be_of_any_size() -> None:
    found = find(reply(lambda shown, random: np.where(shown == 3, 1e300, shown)))
    assert found.anchors == ()


def test_what_is_no_count_is_left_out_and_two_numbers_tell_nothing() -> None:
    replies = reply(sometimes(0.3, int(NO_COUNT), see))
    found = find(replies)
    assert (found.anchors, found.n) == ((), int((replies.numbers >= 1).sum()))
    assert find_anchors(reply(count, highest=2)) is None


PROOF = pytest.mark.proof("subitize.stats.answers", "subitize.stats.estimate")


@PROOF
@pytest.mark.parametrize("trials", [20, 50])
@pytest.mark.parametrize("name", WITHOUT)
def test_false_alarms_are_rare(name: str, trials: int) -> None:
    alarms = [bool(find(reply(WITHOUT[name], seed, trials=trials)).anchors) for seed in range(300)]
    assert np.mean(alarms) <= 0.05


@PROOF
@pytest.mark.parametrize("name", ["always 5", "8 above 4", "5 in 40 % of trials", "5 in 10 % of trials"])
def test_anchors_are_found_each_time(name: str) -> None:
    law, answers = WITH[name]
    for seed in range(100):
        assert {one.answer for one in find(reply(law, seed)).anchors} >= answers
