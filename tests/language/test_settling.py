"""Open numbers become numbers that the quantifiers and comparisons allow, by the seed."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from subitize.language.scene import (
    Comparison,
    ComparisonWord,
    Entity,
    Portion,
    Quantifier,
    Relation,
    Scene,
    with_exact_numbers,
)
from tests.language.prompt_cases import OF_QUANTITIES, TOGETHER

SEEDS = range(60)
DOGS_AND_CATS = (Entity("dog", "some"), Entity("cat", "some"))


def settled(scene: Scene, seed: int) -> list[int]:
    return [entity.exact_number for entity in with_exact_numbers(scene, np.random.default_rng(seed)).entities]


@pytest.mark.parametrize(
    ("quantifier", "numbers"), [("some", range(2, 6)), ("few", range(3, 6)), ("many", range(12, 19))]
)
def test_a_quantifier_becomes_a_number_that_no_one_would_dispute(quantifier: Quantifier, numbers: range) -> None:
    drawn = {settled(Scene((Entity("dog", quantifier),)), seed)[0] for seed in SEEDS}
    assert drawn == set(numbers)


@pytest.mark.parametrize("word", ["fewer", "as many", "more"])
def test_compared_numbers_compare_as_told_and_plainly(word: ComparisonWord) -> None:
    for seed in SEEDS:
        dogs, cats = settled(Scene(DOGS_AND_CATS, comparisons=(Comparison(0, word, 1),)), seed)
        assert min(dogs, cats) >= 1
        assert {"fewer": cats - dogs >= 2, "as many": dogs == cats, "more": dogs - cats >= 2}[word]


def test_a_comparison_may_be_told_of_the_second_thing_first() -> None:
    for seed in SEEDS:
        dogs, cats = settled(Scene(DOGS_AND_CATS, comparisons=(Comparison(1, "more", 0),)), seed)
        assert cats - dogs >= 2


def test_the_same_seed_settles_the_same_way() -> None:
    scene = Scene((Entity("dog", "many"), *DOGS_AND_CATS), comparisons=(Comparison(1, "fewer", 2),))
    assert settled(scene, 7) == settled(scene, 7)


def test_all_but_open_numbers_stays_as_it_is() -> None:
    for _, scene in [*OF_QUANTITIES, *TOGETHER]:
        found = with_exact_numbers(scene, np.random.default_rng(1))
        for before, after in zip(scene.entities, found.entities, strict=True):
            assert replace(after, number=before.number) == before
            assert not isinstance(before.number, int) or before == after
        assert (found.relations, found.comparisons) == (scene.relations, scene.comparisons)


def test_a_scene_without_open_numbers_is_settled_already() -> None:
    half = Entity("apple", 1, form=Portion(Fraction(1, 2)))
    scene = Scene((Entity("dog", 0), half), (Relation(0, "above", 1),))
    assert with_exact_numbers(scene, np.random.default_rng(0)) == scene
