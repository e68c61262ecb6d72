"""Yes-or-no questions go from presence to number to form, and their statements say in words what is seen."""

from fractions import Fraction

import pytest

from subitize.language.clauses import read_scene
from subitize.language.questions import IMAGE_ASK, confirm_asks, setting_asks
from subitize.language.scene import Entity, Halves, Pieces, Portion, Scene, Whole
from subitize.papers.geckonum.prompts import TYPES, design, scene_of
from subitize.records import Ask, Confirm
from tests.cases import Case
from tests.language.prompt_cases import COLOURS, NOUNS, scene

TASK_3 = [prompt for prompt in design(0) if TYPES[prompt.type] == 3]


@pytest.mark.parametrize(
    ("written", "wordings"),
    [
        ("3 fork", ["Are there forks?", "Are there exactly 3 forks?"]),
        ("1 apple", ["Is there an apple?", "Is there exactly 1 apple?"]),
        ("2 orange cat", ["Are there orange cats?", "Are there exactly 2 orange cats?"]),
        (
            "1 loaf [3=]",
            [
                "Is there a loaf of bread?",
                "Is there exactly 1 loaf of bread?",
                "Is the loaf of bread in pieces?",
                "Is there 1 loaf of bread in 3 equal pieces?",
            ],
        ),
        (
            "2 fork, 1 fork [2]",
            [
                "Are there forks?",
                "Are there exactly 3 forks?",
                "Are there exactly 2 whole forks?",
                "Is there 1 fork in 2 pieces?",
            ],
        ),
        (
            "2 plate [4]",
            [
                "Are there plates?",
                "Are there exactly 2 plates?",
                "Are the plates in pieces?",
                "Are there 2 plates, each in 4 pieces?",
            ],
        ),
        (
            "1 pencil [1:2]",
            [
                "Is there a pencil?",
                "Is there exactly 1 pencil?",
                "Is the pencil in pieces?",
                "Is there 1 pencil in 2 pieces?",
                "Is one piece twice the size of the other?",
            ],
        ),
        ("1 apple [1/2]", ["Is there half of an apple?"]),
        (
            "2 apple, 1 apple [1/4]",
            ["Are there apples?", "Are there exactly 2 apples?", "Is there a quarter of an apple?"],
        ),
        (
            "1 pencil [red+blue]",
            [
                "Is there a pencil?",
                "Is there exactly 1 pencil?",
                "Is one half of the pencil red?",
                "Is one half of the pencil blue?",
            ],
        ),
    ],
)
def test_a_thing_is_there_then_counted_then_described(written: str, wordings: list[str]) -> None:
    asks = confirm_asks(scene(written))
    assert [ask.wording for ask in asks] == wordings
    assert all(ask.expects == (True,) and ask.is_relevant for ask in asks)


def test_each_question_rests_on_the_one_that_must_hold_before_it() -> None:
    presence, number, in_pieces, pieces, size = confirm_asks(scene("1 pencil [1:2]"))
    assert presence.parent is None
    assert number.parent == in_pieces.parent == presence.question.id
    assert pieces.parent == in_pieces.question.id
    assert size.parent == pieces.question.id


def test_only_what_gives_a_number_away_is_informed() -> None:
    asks = [*confirm_asks(scene("2 fork, 1 fork [2]")), *confirm_asks(scene("1 pencil [red+blue]"))]
    assert {ask.wording for ask in asks if not ask.question.is_informed} == {
        "Are there forks?",
        "Is there a pencil?",
        "Is one half of the pencil red?",
        "Is one half of the pencil blue?",
    }


def test_what_should_be_absent_is_asked_for_once_and_expected_not_to_be_there() -> None:
    (ask,) = confirm_asks(Scene((Entity("dog", 0),)))
    assert ask.question == Confirm("there are some dogs", is_informed=False)
    assert ask.expects == (False,)


def test_two_colours_of_one_noun_are_confirmed_apart() -> None:
    asks = confirm_asks(scene("1 black cat, 3 white cat"))
    assert len({ask.question.id for ask in asks}) == len(asks) == 4


def test_the_setting_and_the_medium_are_asked_for_out_of_the_score() -> None:
    there, on_it = setting_asks(scene("2 fork, 1 fork [2]"), "table")
    assert [there.wording, on_it.wording] == ["Is there a table?", "Are the forks on the table?"]
    assert on_it.parent == there.question.id
    assert not any(ask.is_relevant for ask in (there, on_it, IMAGE_ASK))


def test_geckonums_third_task_has_57_prompts_with_two_to_six_questions_each() -> None:
    assert len(TASK_3) == 57
    assert {len(confirm_asks(scene_of(prompt))) for prompt in TASK_3} == {3, 4, 5}


def test_every_statement_is_read_back_and_is_true_of_its_own_scene(case: Case) -> None:
    for prompt in TASK_3:
        with case(prompt.text):
            own = scene_of(prompt)
            for ask in confirm_asks(own):
                assert says(ask, own), ask.wording


def test_a_statement_about_another_number_or_form_is_false() -> None:
    asks = confirm_asks(scene("3 fork, 1 fork [2]"))
    assert [says(ask, scene("2 fork, 1 fork [2]")) for ask in asks] == [True, False, False, True]
    assert [says(ask, scene("4 fork")) for ask in asks] == [True, True, False, False]
    assert [says(ask, scene("4 dog")) for ask in asks] == [False, False, False, False]


def test_statements_about_settings_are_read_back() -> None:
    for prompt in TASK_3:
        for ask in setting_asks(scene_of(prompt), "table"):
            assert isinstance(ask.question, Confirm)
            assert isinstance(read_scene(ask.question.statement, NOUNS, COLOURS), Scene)


def says(ask: Ask, seen: Scene) -> bool:
    """Whether the statement of an ask is true of a scene that is seen."""
    assert isinstance(ask.question, Confirm)
    statement = read_scene(ask.question.statement, NOUNS, COLOURS)
    assert isinstance(statement, Scene), ask.question.statement
    return all(_holds(told, seen) for told in statement.entities)


def _holds(told: Entity, seen: Scene) -> bool:
    number = sum(one.exact_number for one in seen.entities if one.noun == told.noun and _fits(told, one))
    return number > 0 if told.number == "some" else number == told.number


def _fits(told: Entity, one: Entity) -> bool:
    match told.form:
        case None:
            return not isinstance(one.form, Portion) and told.colour in (None, one.colour)
        case Whole():
            return one.form is None or isinstance(one.form, Whole | Halves)
        case Pieces(number, ratio):
            return isinstance(one.form, Pieces) and one.form.number == number and ratio in ((), one.form.ratio)
        case Halves(colours):
            return isinstance(one.form, Halves) and set(colours) <= set(one.form.colours)
        case Portion(share):
            return one.form == Portion(Fraction(share))
