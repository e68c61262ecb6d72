"""The questions that follow from a scene are those that GeckoNum put."""

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest

from subitize.language.questions import count_asks
from subitize.language.scene import Entity, Relation, Scene
from subitize.records import Count, Place, RelationWord
from tests.language.geckonum_prompts import PROMPTS, read_rows, scene_of

# The release garbled one of the two relations of "cinnamon stick", the one noun of two words ("How many
# pizzas are below sticks?"), and put the other not at all; ours ask both.
GARBLED = {"01294", "01302", "01334", "01345", "01351", "01353", "01379", "01382"}


@pytest.mark.parametrize(
    ("scene", "questions"),
    [
        (Scene((Entity("fly", 2),)), {"How many flies are in the image?": 2}),
        (
            Scene((Entity("parsnip", 2), Entity("fish", 3))),
            {"How many parsnips are in the image?": 2, "How many fish are in the image?": 3},
        ),
        (
            Scene((Entity("cat", 1, "black"), Entity("apple", 4, "red"))),
            {
                "How many cats are in the image?": 1,
                "How many black cats are in the image?": 1,
                "How many apples are in the image?": 4,
                "How many red apples are in the image?": 4,
            },
        ),
        (
            Scene((Entity("cat", 1, "black"), Entity("cat", 3, "white"))),
            {
                "How many cats are in the image?": 4,
                "How many black cats are in the image?": 1,
                "How many white cats are in the image?": 3,
            },
        ),
        (
            Scene((Entity("cat", 1, "black"), Entity("dog", 2), Entity("cat", 3, "black"), Entity("cat", 5))),
            {
                "How many cats are in the image?": 9,
                "How many black cats are in the image?": 4,
                "How many dogs are in the image?": 2,
            },
        ),
        (Scene(()), {}),
    ],
    ids=["one noun", "two nouns", "two colours", "two colours of one noun", "the same twice", "nothing"],
)
def test_each_noun_is_asked_for_and_then_its_colours(scene: Scene, questions: dict[str, int]) -> None:
    assert [(ask.wording, *ask.expects) for ask in count_asks(scene)] == list(questions.items())


@pytest.mark.parametrize(
    ("word", "wordings"),
    [
        ("above", ("How many dogs are above leaves?", "How many leaves are below dogs?")),
        ("below", ("How many dogs are below leaves?", "How many leaves are above dogs?")),
        ("left of", ("How many dogs are to the left of leaves?", "How many leaves are to the right of dogs?")),
        ("right of", ("How many dogs are to the right of leaves?", "How many leaves are to the left of dogs?")),
    ],
)
def test_a_relation_is_asked_for_from_both_sides(word: RelationWord, wordings: tuple[str, str]) -> None:
    asks = count_asks(Scene((Entity("dog", 3), Entity("leaf", 5)), (Relation(0, word, 1),)))
    assert [ask.wording for ask in asks[2:]] == list(wordings)
    assert [ask.expects for ask in asks] == [(3,), (5,), (3,), (5,)]
    assert asks[2].question == Count("dog", place=Place(word, "leaf"))


def test_the_questions_of_a_scene_are_all_different_and_blind() -> None:
    scene = Scene((Entity("dog", 1, "red"), Entity("dog", 2, "blue"), Entity("cat", 3)), (Relation(0, "above", 2),))
    asks = count_asks(scene)
    assert len({ask.question.id for ask in asks}) == len(asks) == 6
    assert not any(ask.question.is_informed for ask in asks)


def test_a_place_that_holds_things_is_asked_for_by_its_number_alone() -> None:
    asks = count_asks(Scene((Entity("flower", 3), Entity("vase", 1)), (Relation(0, "in", 1),)))
    assert [ask.wording for ask in asks] == ["How many flowers are in the image?", "How many vases are in the image?"]


def test_relations_are_asked_for_in_the_order_they_are_told() -> None:
    relations = (Relation(0, "right of", 1), Relation(1, "above", 2))
    asks = count_asks(Scene((Entity("dog", 1), Entity("cat", 2), Entity("cup", 3)), relations))
    assert [ask.question.id for ask in asks[3::2]] == ["count:dog right of cat", "count:cat above cup"]


def test_an_open_number_cannot_be_counted() -> None:
    with pytest.raises(TypeError, match="the number of 'dog' is left open: many"):
        count_asks(Scene((Entity("dog", "many"),)))


def test_the_questions_are_those_of_the_release_for_1252_of_1260_prompts(shared_data: Path) -> None:
    released = _released_questions(shared_data / "geckonum" / "task_1_dalle_3.csv")
    prompts = [row for row in read_rows(shared_data) if row["prompt_type"] in PROMPTS]
    seen: dict[str, int] = defaultdict(int)
    different = set()
    for row in prompts:
        asked = [ask.wording for ask in count_asks(scene_of(row))]
        seen[row["prompt_type"]] += 1
        if asked != released[row["dataset_id"]]:
            different.add(row["dataset_id"].removeprefix("geckonum_"))
    assert seen == PROMPTS
    assert different == GARBLED


def test_the_prompts_whose_questions_differ_are_garbled_in_the_release(shared_data: Path) -> None:
    released = _released_questions(shared_data / "geckonum" / "task_1_dalle_3.csv")
    for key in GARBLED:
        nouns, relation = released[f"geckonum_{key}"][:-1], released[f"geckonum_{key}"][-1]
        assert any("cinnamon sticks" in question for question in nouns)
        assert re.fullmatch(r"How many [a-z ]+ are (above|below|to the (left|right) of) sticks\?", relation)


def _released_questions(path: Path) -> dict[str, list[str]]:
    questions: dict[str, dict[int, str]] = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            prompt = row["image_id"].rpartition("_")[0]
            questions[prompt][int(row["question_id"])] = row["question"]
    return {prompt: [by_id[id] for id in sorted(by_id)] for prompt, by_id in questions.items()}
