"""The questions that follow from a prompt where nobody says what to ask."""

from subitize.language.clauses import read_scene
from subitize.language.questions import scene_asks
from subitize.language.scene import NotUnderstood
from subitize.stimuli.clipart import GLYPHS, PALETTE
from tests.cases import Case

FOLLOW = {
    "3 cats": ["count:cat = 3"],
    "no cats": ["count:cat = 0"],
    "two cats above a dog": ["count:cat = 2", "count:dog = 1", "count:cat above dog = 2", "count:dog below cat = 1"],
    "a table with no apples": ["count:apple = 0", "count:table = 1"],
    "many cats": ["confirm:there are some cats = True", "confirm:there are many cats = True"],
    "a pizza cut into quarters": [
        "confirm:there are some pizzas = True",
        "confirm:there is 1 pizza = True",
        "confirm:there are no whole pizzas = True",
        "confirm:there is 1 pizza in 4 equal pieces = True",
    ],
    "half an apple": ["confirm:there is half of an apple = True"],
    "as many cats as dogs": ["choose = 3"],
    "more cats than dogs above a tree": [
        "confirm:there are some cats = True",
        "confirm:there are some dogs = True",
        "confirm:there are some trees = True",
        "confirm:there is 1 tree = True",
        "confirm:there are some cats above some trees = True",
        "confirm:there are some dogs above some trees = True",
        "confirm:there are more cats than dogs = True",
    ],
    "only a few apples on a table": ["choose = 1", "count:apple = 1"],
}


def test_numbers_are_counted_quantities_chosen_and_parts_confirmed(case: Case) -> None:
    for prompt, asked in FOLLOW.items():
        with case(prompt):
            scene = read_scene(prompt, GLYPHS, PALETTE)
            assert not isinstance(scene, NotUnderstood)
            told = [(ask.question.id.partition(":[")[0], ask.expects[0]) for ask in scene_asks(scene)]
            assert [f"{id} = {right}" for id, right in told] == asked


def test_what_no_question_tells_apart_is_not_asked_about() -> None:
    scene = read_scene("many red apples and a green apple cut in half", GLYPHS, PALETTE)
    assert not isinstance(scene, NotUnderstood)
    assert scene_asks(scene) == ()
