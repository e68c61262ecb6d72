"""The observer as a judge: one look, and counts of any glyph, in any colour, on any side of a landmark."""

import io

import pytest

from subitize.drawing.glyphs import GLYPHS
from subitize.drawing.stimuli import Layout, Placed, paint
from subitize.interfaces import Exhibit, Inquiry
from subitize.judges.observer import Observer
from subitize.labels import interpret, parse_rule
from subitize.records import Choose, Count, Drawn, Known, Place, Question, Said, Stored

PICTURE = Drawn(Stored("0" * 64, "png"))
SCENE = Layout(
    512,
    (
        Placed("dog", 0, "brown", 20, 60, 90),
        Placed("dog", 0, "black", 20, 300, 90),
        Placed("cat", 0, "orange", 220, 200, 100),
        Placed("cat", 1, "grey", 330, 100, 100),
        Placed("dog", 1, "brown", 400, 390, 90),
    ),
)


def readings(*questions: Question) -> list[object]:
    written = io.BytesIO()
    paint(SCENE).save(written, "PNG")
    inquiries = tuple(Inquiry(question, question.id) for question in questions)
    evidence = Observer().compute(Exhibit((PICTURE,), inquiries, lambda _: written.getvalue()))
    rule = parse_rule(Observer.rule)
    return [interpret(found, question, rule) for found, question in zip(evidence, questions, strict=True)]


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
        assert Observer().can_answer(question, [PICTURE])


@pytest.mark.parametrize(
    "question",
    [
        Count("unicorn"),
        Count("dog", "mauve"),
        Count("dog", place=Place("above", "unicorn")),
        Count("unknown"),
        Choose(("one", "two")),
    ],
    ids=lambda question: question.id,
)
def test_what_it_does_not_know_it_cannot_answer(question: Question) -> None:
    assert not Observer().can_answer(question, [PICTURE])


def test_it_looks_at_one_picture_only() -> None:
    assert not Observer().can_answer(Count("dog"), [Said("3")])
    assert not Observer().can_answer(Count("dog"), [PICTURE, PICTURE])
