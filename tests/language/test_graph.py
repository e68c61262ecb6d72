"""Scene graphs: what is asked about a prompt, in which order, and what rests on what."""

import pytest

from subitize.language.clauses import read_graph
from subitize.language.counted import quoted_texts
from subitize.language.questions import Node, confirm_asks, make_graph
from subitize.language.scene import Entity, Pieces, Scene
from subitize.records import Confirm, Draw
from subitize.registry import make_suite
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS

NOUNS, COLOURS = tuple(GLYPHS), tuple(PALETTE)


def graph(prompt: str) -> tuple[Node, ...]:
    return read_graph(prompt, NOUNS, COLOURS)


def statements(prompt: str) -> dict[str, tuple[str, ...]]:
    """What is asked, with what each rests on."""
    return {
        node.ask.question.id.removeprefix("confirm:"): tuple(one.removeprefix("confirm:") for one in node.parents)
        for node in graph(prompt)
    }


def test_presence_comes_first_and_the_number_rests_on_it() -> None:
    assert statements("Three dogs and a cat.") == {
        "there are some dogs": (),
        "there are 3 dogs": ("there are some dogs",),
        "there are some cats": (),
        "there is 1 cat": ("there are some cats",),
    }


def test_a_colour_rests_on_there_being_such_things_at_all() -> None:
    assert statements("2 red apples and 3 green apples.") == {
        "there are some apples": (),
        "there are some red apples": ("there are some apples",),
        "there are 2 red apples": ("there are some red apples",),
        "there are some green apples": ("there are some apples",),
        "there are 3 green apples": ("there are some green apples",),
    }


def test_things_of_no_told_colour_are_counted_with_the_coloured_ones() -> None:
    asked = statements("3 red apples and 2 apples")
    assert asked["there are 5 apples"] == ("there are some apples",)
    assert "there are 2 apples" not in asked


@pytest.mark.parametrize(
    ("prompt", "statement", "wording"),
    [
        ("2 dogs above a cat.", "there are some dogs above some cats", "Are the dogs above the cat?"),
        ("A dog left of 2 cats.", "there are some dogs left of some cats", "Is the dog to the left of the cats?"),
        (
            "An image of a vase. There are many flowers in the vase.",
            "there are some flowers in a vase",
            "Are the flowers in the vase?",
        ),
    ],
    ids=["above", "left of", "in"],
)
def test_a_place_rests_on_both_things(prompt: str, statement: str, wording: str) -> None:
    (node,) = [one for one in graph(prompt) if one.ask.question.id == f"confirm:{statement}"]
    assert node.ask.wording == wording
    assert node.ask.expects == (True,)
    assert len(node.parents) == 2
    assert node.ask.parent == node.parents[0]
    assert not node.ask.question.is_informed


@pytest.mark.parametrize("word", ["fewer", "as many", "more"])
def test_a_comparison_rests_on_both_things(word: str) -> None:
    joint = "as" if word == "as many" else "than"
    prompt = f"An image with some dogs and some cats. There are {word} dogs {joint} cats."
    assert statements(prompt) == {
        "there are some dogs": (),
        "there are some cats": (),
        f"there are {word} dogs {joint} cats": ("there are some dogs", "there are some cats"),
    }


def test_open_numbers_are_asked_as_they_are_told() -> None:
    few = statements("An image of a vase. There are only a few flowers in the vase.")
    assert few["there are only a few flowers"] == ("there are some flowers",)
    many = statements("An image of a vase. There are many flowers in the vase.")
    assert many["there are many flowers"] == ("there are some flowers",)


def test_what_must_not_be_there_is_asked_about_and_nothing_rests_on_it() -> None:
    nodes = graph("A watermelon with no seeds")
    expected = {node.ask.question.id: node.ask.expects for node in nodes}
    assert expected["confirm:there are some seeds"] == (False,)
    assert not any("confirm:there are some seeds" in node.parents for node in nodes)
    assert not any(" in a " in id for id in expected)


@pytest.mark.parametrize("prompt", ["", "A sign that says hello", "Seven unicorns", "apples apples"])
def test_nothing_is_asked_about_what_is_not_understood(prompt: str) -> None:
    assert read_graph(prompt, NOUNS, COLOURS) == ()


def test_nothing_is_asked_where_questions_would_not_tell_things_apart() -> None:
    scene = Scene((Entity("apple", 2, "red"), Entity("apple", 1, None, Pieces(2))))
    assert make_graph(scene) == ()


@pytest.mark.slow
def test_every_prompt_of_geckonum_has_a_graph_whose_parents_come_first() -> None:
    for item in make_suite("geckonum").obj.items(0):
        assert isinstance(item.task, Draw)
        nodes = graph(item.task.prompt)
        ids = [node.ask.question.id for node in nodes]
        assert len(nodes) >= 2, item.task.prompt
        assert len(set(ids)) == len(ids)
        for place, node in enumerate(nodes):
            assert set(node.parents) <= set(ids[:place])
            assert node.ask.parent == (node.parents[0] if node.parents else None)
            assert node.ask.wording.endswith("?")
            assert node.ask.is_relevant


def test_what_geckonum_asks_of_parts_is_what_the_graph_asks() -> None:
    """So that readings of people, of detectors and of models on the same prompts join."""
    for item in make_suite("geckonum:types=part-whole+fractional-simple").obj.items(0):
        assert isinstance(item.task, Draw)
        own = {ask.question.id for ask in item.asks if ask.is_relevant and isinstance(ask.question, Confirm)}
        assert {node.ask.question.id for node in graph(item.task.prompt)} == own


def test_one_kind_of_things_is_asked_about_as_elsewhere() -> None:
    scene = Scene((Entity("fork", 2), Entity("fork", 1, None, Pieces(2))))
    assert tuple(node.ask for node in make_graph(scene)) == confirm_asks(scene)


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [
        ('A sign that says "Hello World"', ("Hello World",)),
        ("A cup with “Good morning” and a hat with ‘don’t panic’", ("Good morning", "don’t panic")),
        ("a shop called 'it's open'", ("it's open",)),
        ("«Bonjour» on a poster", ("Bonjour",)),
        ("the dogs' bowl and the cats' bowl", ()),
        ('a 5" pipe and a 6" pipe', ()),
        ('a sign that says ""', ()),
        ("three apples", ()),
    ],
    ids=["straight", "curly", "apostrophe", "angled", "possessive", "inches", "empty", "none"],
)
def test_quoted_texts_are_found(prompt: str, texts: tuple[str, ...]) -> None:
    assert quoted_texts(prompt) == texts
