"""The lines to choose from are those that GeckoNum's annotators had, with the numbers that it gave them."""

import csv
from pathlib import Path

import pytest

from subitize.language.clauses import read_scene
from subitize.language.questions import line_asks, line_codes
from subitize.language.scene import Comparison, Entity, NotUnderstood, Quantifier, Relation, Scene
from subitize.records import Choose, Count
from tests.language.prompt_cases import COLOURS, NOUNS

FLOWERS = Scene((Entity("flower", "few"), Entity("vase", 1)), (Relation(0, "in", 1),))
CATS = Scene((Entity("cat", "some"), Entity("dog", "some")), comparisons=(Comparison(0, "as many", 1),))


def lines_of(scene: Scene) -> tuple[str, ...]:
    question = line_asks(scene)[0].question
    assert isinstance(question, Choose)
    return question.lines


def test_things_that_a_place_holds_are_none_a_few_or_many() -> None:
    assert lines_of(FLOWERS) == (
        "An image of a vase. There are no flowers in the vase.",
        "An image of a vase. There are only a few flowers in the vase.",
        "An image of a vase. There are many flowers in the vase.",
    )


def test_two_kinds_are_both_absent_not_both_there_or_compared() -> None:
    assert lines_of(CATS) == (
        "An image with no cats and with no dogs.",
        "An image with some cats or some dogs, but not with both cats and dogs.",
        "An image with some cats and some dogs. There are fewer cats than dogs.",
        "An image with some cats and some dogs. There are as many cats as dogs.",
        "An image with some cats and some dogs. There are more cats than dogs.",
    )


@pytest.mark.parametrize("scene", [FLOWERS, CATS], ids=["held", "compared"])
def test_the_right_line_is_the_one_that_says_the_scene(scene: Scene) -> None:
    ask = line_asks(scene)[0]
    read = [read_scene(line, NOUNS, COLOURS) for line in lines_of(scene)]
    assert [place for place, found in enumerate(read) if found == scene] == list(ask.expects)


def test_all_lines_can_be_read_but_the_one_that_says_or() -> None:
    read = [read_scene(line, NOUNS, COLOURS) for line in (*lines_of(FLOWERS), *lines_of(CATS))]
    assert [place for place, found in enumerate(read) if isinstance(found, NotUnderstood)] == [4]


@pytest.mark.parametrize(
    ("number", "expects"), [(0, (0,)), ("few", tuple(range(1, 11))), ("many", tuple(range(11, 201)))]
)
def test_held_things_are_counted_too_but_out_of_the_score(number: int | Quantifier, expects: tuple[int, ...]) -> None:
    scene = Scene((Entity("rice grain", number), Entity("table", 1)), (Relation(0, "on", 1),))
    choose, count = line_asks(scene)
    assert choose.is_relevant
    assert count.question == Count("rice grain")
    assert (count.wording, count.expects) == ("How many grains of rice are in the image?", expects)
    assert not count.is_relevant


def test_a_scene_with_nothing_open_has_no_lines() -> None:
    with pytest.raises(ValueError, match="no lines to choose from"):
        line_asks(Scene((Entity("dog", 2),)))


def test_lines_and_their_numbers_are_those_of_the_release(shared_data: Path) -> None:
    rows = [row for path in sorted((shared_data / "geckonum").glob("task_2_*.csv")) for row in _rows(path)]
    assert len(rows) == 5160
    for prompt in {row["prompt"] for row in rows}:
        scene = read_scene(prompt, NOUNS, COLOURS)
        assert isinstance(scene, Scene)
        ask = line_asks(scene)[0]
        assert isinstance(ask.question, Choose)
        codes = dict(zip(ask.question.lines, line_codes(ask.question), strict=True))
        own = [row for row in rows if row["prompt"] == prompt]
        assert {row["answer_text"]: int(row["answer_num"]) for row in own}.items() <= codes.items()
        assert {int(row["gt_num"]) for row in own} == {line_codes(ask.question)[int(ask.expects[0])]}
        assert ask.wording == "Which line describes the image the best?"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
