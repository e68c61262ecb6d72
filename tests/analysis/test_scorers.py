"""Published scorers credit what they are known to credit, their mistakes among it."""

import math

import pytest

from subitize.analysis.scorers import (
    DRAWING_SCORERS,
    SCORERS,
    JudgedDrawing,
    ScoredReply,
    credit_geneval,
    credit_presence,
    mean_over_tasks,
    stands,
)
from subitize.records import Ask, Box, Count, Place, RelationWord, Token
from tests.cases import Case

# Planted replies: scorer, reply, right count, credit.
PLANTED = [
    ("big-vision:tallyqa", "4", 4, 1),
    ("big-vision:tallyqa", "Four", 4, 1),
    ("big-vision:tallyqa", "none", 0, 1),
    ("big-vision:tallyqa", "4.", 4, 0),
    ("big-vision:tallyqa", " 4", 4, 0),
    ("big-vision:tallyqa", "twenty-one", 21, 0),
    ("lmms-eval:countbench", " Four\n", 4, 1),
    ("lmms-eval:countbench", "4.", 4, 0),
    ("lmms-eval:countbench", "There are 4.", 4, 0),
    ("lmms-eval:countbenchqa", " 4 ", 4, 1),
    ("lmms-eval:countbenchqa", "four", 4, 0),
    ("lmms-eval:pixmo_count", "There are 4 ducks.", 4, 1),
    ("lmms-eval:pixmo_count", "row 1 has 3", 3, 0),
    ("lmms-eval:pixmo_count", "row 1 has 3", 1, 1),
    ("lmms-eval:pixmo_count", "four", 4, 0),
    ("lmms-eval:vlmsareblind", "The answer is {4}", 4, 1),
    ("lmms-eval:vlmsareblind", "2 lines cross 4 times", 4, 0),
    ("vlmevalkit:countbenchqa", "12", 2, 1),
    ("vlmevalkit:countbenchqa", "4 cats, not 3", 3, 1),
    ("vlmevalkit:countbenchqa", "four", 4, 0),
    ("vlmevalkit:tallyqa", "three dogs", 3, 1),
    ("vlmevalkit:tallyqa", "1 dog and 3 cats", 3, 0),
    ("vlmevalkit:tallyqa", "25", 25, 0),
    ("vlmevalkit:tallyqa", "25 of 30, so 5", 5, 1),
    ("vlmevalkit:vlmblind", "Both lines: {4}, or {5}", 4, 1),
    ("vlmevalkit:vlmblind", "Both lines: {4}, or {5}", 5, 0),
    ("vlmevalkit:vlmblind", "4", 4, 0),
    ("vlmevalkit:vlmblind", "{ 4 }", 4, 0),
    ("molmo:count", "4", 4, 0),
    ("molmo:count", "4", 1, 1),
    ("molmo:point-count", "Counting shows a total of 4", 4, 1),
    ("molmo:point-count", "a total of 4 ducks", 4, 1),
    ("molmo:point-count", "there are four.", 4, 1),
    ("molmo:point-count", "4 ducks", 4, 0),
    ("molmo:point-count", "none", 0, 0),
    ("molmo:point-count", "", 0, 0),
    ("molmo:point-count", "5", 4, 0),
    ("molmo:point-count-within-1", "5", 4, 1),
    ("molmo:point-count-within-1", "6", 4, 0),
    ("evalscope:count_qa", "**12**", 12, 1),
    ("evalscope:count_qa", "row 1 has 3", 3, 0),
    ("evalscope:count_qa", "no digits", 0, 0),
    ("evalscope:count_qa", "98", 100, 0),
    ("evalscope:count_qa-relaxed", "95", 100, 1),
    ("evalscope:count_qa-relaxed", "94", 100, 0),
    ("evalscope:count_qa-relaxed", "1", 0, 0),
    ("evalscope:count_qa-relaxed", "0", 0, 1),
]


def test_planted_replies_have_the_credit_that_each_rule_gives(case: Case) -> None:
    for name, text, expected, credit in PLANTED:
        with case(f"{name} {text!r} {expected}"):
            assert SCORERS[name].credit(ScoredReply(text, expected)) == credit


def test_vlmevalkit_takes_any_digits_of_a_reply_about_olympic_rings() -> None:
    credit = SCORERS["vlmevalkit:vlmblind"].credit
    olympic = {"task": "Olympic Counting - Circles"}
    assert credit(ScoredReply("15", 5, factors=olympic)) == 1
    assert credit(ScoredReply("five", 5, factors=olympic)) == 0


def test_tallyqacode_leaves_out_questions_that_are_neither_simple_nor_complex() -> None:
    credit = SCORERS["tallyqacode"].credit
    assert credit(ScoredReply("3", 3, factors={"data_source": "amt", "issimple": False})) == 1
    assert credit(ScoredReply("4", 3, factors={"data_source": "imported_genome", "issimple": True})) == 0
    assert credit(ScoredReply("3", 3, factors={"data_source": "imported_genome", "issimple": False})) is None


def test_the_first_token_of_another_number_has_credit() -> None:
    credit = SCORERS["geneval2:first-token"].credit
    hundred = Token("two", math.log(0.9), {"2": math.log(0.05), "three": math.log(0.03)})
    assert credit(ScoredReply("two hundred", 2, tokens=(hundred, Token(" hundred", -0.1)))) == pytest.approx(0.95)
    assert credit(ScoredReply("two hundred", 3, tokens=(hundred,))) == pytest.approx(0.03)
    assert credit(ScoredReply("two", 2)) is None


def test_the_mean_over_tasks_leaves_out_tasks_with_nothing_right() -> None:
    assert mean_over_tasks([("squares", 1.0), ("squares", 0.0), ("lines", 0.0)]) == 0.5
    assert mean_over_tasks([("lines", 0.0)]) is None


def test_every_scorer_of_replies_has_a_planted_one() -> None:
    others = {"tallyqacode", "geneval2:first-token"}  # they look at more than the text
    assert {name for name, *_ in PLANTED} | others == set(SCORERS)


APPLES, CATS = Count("apple"), Count("cat")


def boxes(label: str, *scores: float, colour: str | None = None, left: float = 0) -> tuple[Box, ...]:
    places = [(left + 20 * place, 0, left + 20 * place + 10, 10) for place in range(len(scores))]
    return tuple(Box(label, score, xyxy, colour) for score, xyxy in zip(scores, places, strict=True))


def draw(tag: str, found: tuple[Box, ...] | None, *asks: Ask, **values: int) -> JudgedDrawing:
    return JudgedDrawing(asks, {f"count:{noun}": number for noun, number in values.items()}, found, tag)


def test_geneval_ignores_a_surplus_unless_the_tag_is_counting() -> None:
    two, three = Ask(APPLES, "", (2,)), Ask(APPLES, "", (3,))
    surplus = boxes("apple", 0.95, 0.95, 0.95)
    assert credit_geneval(draw("two_object", surplus, two)) == 1
    assert credit_geneval(draw("counting", surplus, two)) == 0
    assert credit_geneval(draw("counting", surplus, three)) == 1
    assert credit_geneval(draw("counting", boxes("apple", 0.95, 0.95, 0.5), three)) == 0  # .9 is for counting
    assert credit_geneval(draw("two_object", boxes("apple", 0.31, 0.31, 0.3), two)) == 1
    assert credit_geneval(draw("two_object", boxes("apple", 0.31, 0.3), two)) == 0
    assert credit_geneval(draw("counting", boxes("apple", *[0.99] * 20), Ask(APPLES, "", (16,)))) == 1  # at most 16


def test_geneval_looks_at_the_colours_and_places_of_the_best_boxes() -> None:
    red = (Ask(APPLES, "", (1,)), Ask(Count("apple", "red"), "", (1,)))
    best_is_red = (*boxes("apple", 0.9, colour="red"), *boxes("apple", 0.8, colour="green"))
    best_is_green = (*boxes("apple", 0.9, colour="green"), *boxes("apple", 0.8, colour="red"))
    assert credit_geneval(draw("colors", best_is_red, *red)) == 1
    assert credit_geneval(draw("colors", best_is_green, *red)) == 0
    left = Ask(Count("apple", place=Place("left of", "cat")), "", (1,))
    asks = (Ask(CATS, "", (1,)), Ask(APPLES, "", (1,)), left)
    beside = (*boxes("apple", 0.9), *boxes("cat", 0.9, left=50))
    assert credit_geneval(draw("position", beside, *asks)) == 1
    assert credit_geneval(draw("position", (*boxes("apple", 0.9, left=50), *boxes("cat", 0.9)), *asks)) == 0
    assert credit_geneval(draw("position", boxes("apple", 0.9), *asks)) == 0


def test_places_are_measured_between_centres_less_a_margin(case: Case) -> None:
    landmark = Box("cat", 1, (40, 40, 60, 60))
    planted: list[tuple[tuple[float, float, float, float], set[RelationWord]]] = [
        ((0, 40, 20, 60), {"left of"}),
        ((80, 40, 100, 60), {"right of"}),
        ((40, 0, 60, 20), {"above"}),
        ((40, 80, 60, 100), {"below"}),
        ((0, 0, 20, 20), {"left of", "above"}),
        ((37, 40, 57, 60), set()),  # its centre is 3 off, less than a tenth of both widths
        ((40, 40, 60, 60), set()),
    ]
    words: tuple[RelationWord, ...] = ("above", "below", "left of", "right of")
    for xyxy, expected in planted:
        with case(xyxy):
            assert {word for word in words if stands(Box("apple", 1, xyxy), word, landmark)} == expected


def test_a_judge_that_only_counts_is_scored_by_its_counts() -> None:
    two = Ask(APPLES, "", (2,))
    assert credit_geneval(draw("two_object", None, two, apple=3)) == 1
    assert credit_geneval(draw("counting", None, two, apple=3)) == 0
    assert credit_geneval(draw("counting", None, two, apple=2)) == 1


def test_presence_has_half_the_credit() -> None:
    asks = (Ask(APPLES, "", (2,)), Ask(CATS, "", (3,)))
    assert credit_presence(draw("", None, *asks, apple=5, cat=3)) == 0.75
    assert credit_presence(draw("", None, *asks, apple=5, cat=0)) == 0.25


def test_the_hard_means_of_questions_are_of_right_and_wrong() -> None:
    asks = (Ask(APPLES, "", (2,)), Ask(CATS, "", (3,)))
    drawing = draw("", None, *asks, apple=2, cat=4)
    assert DRAWING_SCORERS["geneval2:hard-am"].credit(drawing) == 0.5
    assert DRAWING_SCORERS["geneval2:hard-gm"].credit(drawing) == 0
