"""The observer as a model: it answers in words, about everything we can draw."""

import io
from functools import lru_cache

import pytest

from subitize.interfaces import Request
from subitize.language.nouns import plural
from subitize.models.stand_ins import ObserverModel
from subitize.records import Answer, Refused, Said, Stimulus
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.recipes import Layout, PlacedThing, paint
from tests.cases import Case

SCENE = (
    PlacedThing("apple", 0, "red", 20, 20, 90),
    PlacedThing("apple", 1, "green", 20, 150, 90),
    PlacedThing("apple", 0, "red", 220, 390, 90),
    PlacedThing("tree", 0, "green", 200, 180, 100),
    PlacedThing("person", 0, "blue", 380, 20, 100),
    PlacedThing("person", 1, "red", 380, 300, 100),
)


@lru_cache(maxsize=2)
def png(things: tuple[PlacedThing, ...]) -> bytes:
    written = io.BytesIO()
    paint(Layout(512, things)).save(written, "PNG")
    return written.getvalue()


def answer(question: str, things: tuple[PlacedThing, ...] = SCENE) -> Said | Refused:
    request = Request("i", Answer(Stimulus("dots", 1, 0), question), 0, 0, 0, lambda _: png(things))
    content = ObserverModel().compute(request).content
    assert isinstance(content, Said | Refused)
    return content


NUMBERS = {
    "How many apples are there in the picture?": 3,
    "How many apple are there in the picture?": 3,
    "How many red apples are there in the picture?": 2,
    "How many blue apples are there in the picture?": 0,
    "How many people are there in the picture?": 2,
    "How many persons do you see?": 2,
    "How many trees can you see?": 1,
    "How many axolotls are in the image?": 0,
    "How many shapes are there in the picture?": 6,
    "How many objects are there?": 6,
    "How many red things are there?": 3,
    "How many apples are to the left of trees?": 2,
    "How many people are to the right of the tree?": 2,
    "How many apples are below the trees?": 1,
    "How many red apples are above trees?": 1,
    "How many apples?": 3,
    "How many red apples?": 2,
    "Count the people.": 2,
    "Count the trees in the picture. Reply with a number.": 1,
}


def test_it_counts_by_kind_by_colour_and_by_place(case: Case) -> None:
    for question, number in NUMBERS.items():
        with case(question):
            assert answer(question) == Said(str(number))


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("How many unicorns are there?", "'unicorn' is none of the"),
        ("How many apples are to the left of unicorns?", "'unicorn' is none of the"),
        ("How many things are above the trees?", "'thing' is none of the"),
        ("Draw a tree", "'Draw a tree'"),
        ("How many apples and trees?", "'How many apples and trees?'"),
    ],
)
def test_what_it_does_not_understand_it_says(question: str, what: str) -> None:
    content = answer(question)
    assert isinstance(content, Refused)
    assert what in content.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "nouns",
    [
        pytest.param(list(GLYPHS)[::9], id="some"),
        pytest.param(list(GLYPHS), id="all", marks=pytest.mark.proof("subitize.stimuli")),
    ],
)
def test_it_names_everything_we_can_draw(nouns: list[str], case: Case) -> None:
    for noun in nouns:
        with case(noun):
            colour = GLYPHS[noun].colours[0]
            things = tuple(PlacedThing(noun, variant % 2, colour, 10 + 160 * variant, 100, 140) for variant in range(3))
            assert answer("What does the image represent?", things) == Said(f"3 {plural(noun)}")
            assert answer(f"How many {plural(noun)} are there in the picture?", things) == Said("3")


def test_an_orange_is_a_colour_only_before_a_noun() -> None:
    assert answer("How many orange apples are there?") == Said("0")
    assert isinstance(answer("How many purples are there?"), Refused)
