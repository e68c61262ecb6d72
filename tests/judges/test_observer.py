"""The observer as a judge: one look, and counts of any glyph, in any colour and place, and what holds of a picture."""

import io

import numpy as np
import pytest
from PIL import Image

from subitize.errors import UnusableModelError
from subitize.interfaces import JudgeQuestion, JudgeRequest
from subitize.judges.observer import ObserverJudge
from subitize.labels import interpret, parse_rule
from subitize.records import Choose, Confirm, Count, Discarded, Drawn, Known, Place, Question, Said, Stored
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.recipes import Layout, PlacedThing, paint

PICTURE = Drawn(Stored("0" * 64, "png"))
SCENE = Layout(
    512,
    (
        PlacedThing("dog", 0, "brown", 20, 60, 90),
        PlacedThing("dog", 0, "black", 20, 300, 90),
        PlacedThing("cat", 0, "orange", 220, 200, 100),
        PlacedThing("cat", 1, "grey", 330, 100, 100),
        PlacedThing("dog", 1, "brown", 400, 390, 90),
    ),
)


def readings(*questions: Question, picture: Image.Image | None = None) -> list[object]:
    written = io.BytesIO()
    (picture or paint(SCENE)).save(written, "PNG")
    inquiries = tuple(JudgeQuestion(question, question.id) for question in questions)
    findings = ObserverJudge().compute(JudgeRequest((PICTURE,), inquiries, lambda _: written.getvalue()))
    rule = parse_rule(ObserverJudge.rule)
    return [interpret(found.evidence, question, rule) for found, question in zip(findings, questions, strict=True)]


def test_one_look_answers_for_kind_colour_and_place() -> None:
    questions = {
        Count("dog"): 3,
        Count("cat"): 2,
        Count("axolotl"): 0,
        Count("dog", "brown"): 2,
        Count("cat", "grey"): 1,
        Count("dog", place=Place("left of", "cat")): 2,
        Count("dog", "black", Place("left of", "cat")): 1,
        Count("dog", place=Place("right of", "cat")): 1,
        Count("dog", place=Place("below", "cat")): 2,
        Count("dog", place=Place("above", "cat")): 1,
        Count("cat", place=Place("right of", "dog")): 0,
    }
    assert readings(*questions) == [Known(number) for number in questions.values()]


@pytest.mark.parametrize("noun", GLYPHS)
def test_it_can_count_everything_we_can_draw(noun: str) -> None:
    for question in (Count(noun), Count(noun, "red"), Count(noun, place=Place("above", "dot"))):
        assert ObserverJudge().can_answer(question, [PICTURE])


@pytest.mark.parametrize(
    "question",
    [
        Count("unicorn"),
        Count("dog", "mauve"),
        Count("dog", place=Place("above", "unicorn")),
        Count("unknown"),
        Choose(("one", "two")),
        Choose(("An image with no cats.", "An image with some unicorns.")),
        Confirm("this is an image", is_informed=False),
        Confirm("there are 3 unicorns", is_informed=True),
    ],
    ids=lambda question: question.id,
)
def test_what_it_does_not_know_it_cannot_answer(question: Question) -> None:
    assert not ObserverJudge().can_answer(question, [PICTURE])


def test_it_looks_at_one_picture_only() -> None:
    assert not ObserverJudge().can_answer(Count("dog"), [Said("3")])
    assert not ObserverJudge().can_answer(Count("dog"), [PICTURE, PICTURE])


LINES = (
    "An image with no dogs and with no cats.",
    "An image with some dogs or some cats, but not with both dogs and cats.",
    "An image with some dogs and some cats. There are fewer dogs than cats.",
    "An image with some dogs and some cats. There are as many dogs as cats.",
    "An image with some dogs and some cats. There are more dogs than cats.",
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (Choose(LINES), 4),
        (Choose(tuple(line.replace("dogs", "flies").replace("cats", "ants") for line in LINES)), 0),
        (Choose(tuple(line.replace("dogs", "flies") for line in LINES)), 1),
        (Choose(tuple(line.replace("cats", "flies") for line in LINES)), 1),
        (Confirm("there are some dogs", is_informed=False), True),
        (Confirm("there are 3 dogs", is_informed=True), True),
        (Confirm("there are 2 dogs", is_informed=True), False),
        (Confirm("there are no whole dogs", is_informed=False), False),
    ],
    ids=lambda value: getattr(value, "id", str(value)),
)
def test_it_tells_which_line_and_which_statement_holds(question: Question, value: object) -> None:
    assert ObserverJudge().can_answer(question, [PICTURE])
    assert readings(question) == [Known(value)]  # type: ignore[arg-type]


def test_where_no_line_holds_none_is_chosen() -> None:
    (value,) = readings(Choose(LINES[:4]))
    assert isinstance(value, Discarded)


def test_it_passes_its_self_test_and_a_blind_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ObserverJudge().self_test().is_passed
    monkeypatch.setattr("subitize.judges.observer._count_known", lambda: ([0, 0, 0, 0], [1, 3, 5, 7]))
    with pytest.raises(UnusableModelError, match="counted 0, 0, 0, 0 things in pictures of 1, 3, 5, 7"):
        ObserverJudge().self_test()


def test_of_a_picture_with_something_unknown_in_it_it_tells_nothing() -> None:
    pixels = np.asarray(paint(SCENE)).copy()
    # Too small for a part of a thing, which takes long to learn.
    pixels[440:456, 20:36] = np.random.default_rng(1).integers(0, 200, (16, 16, 3))
    questions = (Count("dog"), Count("apple"), Choose(LINES), Confirm("there are no dogs", is_informed=True))
    for value in readings(*questions, picture=Image.fromarray(pixels)):
        assert isinstance(value, Discarded)
        assert value.is_refusal
        assert "unknown to the observer" in value.reason


def test_of_an_empty_picture_it_tells_that_nothing_is_there() -> None:
    blank = Image.new("RGB", (512, 512), "white")
    assert readings(Count("dog"), Confirm("there are no dogs", is_informed=True), picture=blank) == [
        Known(0),
        Known(True),
    ]
