"""How others score drawings by what was found in them, so that their score can be had of our judges' evidence.

Each rule is what the named program does, in our own words, with its mistakes: that is what it is for.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from subitize.records import Ask, Box, Count, Place, Question, RelationWord, Scalar, as_float

_THRESHOLD, _COUNTING_THRESHOLD = 0.3, 0.9
_MOST_BOXES = 16
_MARGIN = 0.1  # of the widths of two things, by which they must be apart to stand somewhere to each other
_ALONG = 0.5  # of the distance of two centres, that must lie along the axis of the relation


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing as one judge sees it: what was asked, the values it read, by question, and the boxes if it gave any."""

    asks: Sequence[Ask]
    values: Mapping[str, Scalar]
    boxes: Sequence[Box] | None = None
    tag: str = ""

    def count(self, question: Question) -> float:
        """Give the number that was read."""
        return as_float(self.values[question.id])


@dataclass(frozen=True, slots=True)
class DrawingScorer:
    """A published way to score drawings, with credit from 0 to 1: what it credits, where it errs, what it asks about.

    `suite` is the one it is for, if only one.
    """

    name: str
    rule: str
    defect: str
    credit: Callable[[Drawing], float]
    is_about: Callable[[Ask], bool] = lambda _: True
    suite: str = ""
    averages_tags: bool = False


def credit_geneval(drawing: Drawing) -> float:
    """Give 1 if there are at least so many of each thing, of its colour and in its place, and never too many.

    Too many is only a mistake where the tag is counting. Of boxes, the best count: above .3, of counting above .9.
    """
    return float(all(_is_met(drawing, ask) for ask in drawing.asks))


def _is_met(drawing: Drawing, ask: Ask) -> bool:
    question, least, most = ask.question, int(ask.expects[0]), int(ask.expects[-1])
    assert isinstance(question, Count)
    is_counting = drawing.tag == "counting"
    if drawing.boxes is None:  # the judge gives numbers only
        return least <= drawing.count(question) and (not is_counting or drawing.count(question) <= most)
    found = _find_best(drawing.boxes, question.noun, _COUNTING_THRESHOLD if is_counting else _THRESHOLD)
    if len(found) < least or (is_counting and len(found) > most):
        return False
    best = found[:least]
    if question.colour and sum(box.colour == question.colour for box in best) < least:
        return False
    return question.place is None or _stand(best, question.place, drawing)


def _find_best(boxes: Iterable[Box], noun: str, threshold: float) -> list[Box]:
    found = sorted((box for box in boxes if box.label == noun and box.score > threshold), key=lambda box: -box.score)
    return found[:_MOST_BOXES]


def _stand(best: Sequence[Box], place: Place, drawing: Drawing) -> bool:
    """Tell whether each of the best boxes stands so to each of the landmark's."""
    number = next((int(a.expects[0]) for a in drawing.asks if a.question == Count(place.landmark)), 1)
    landmarks = _find_best(drawing.boxes or (), place.landmark, _THRESHOLD)[:number]
    return len(landmarks) == number and all(stands(a, place.relation, b) for a in best for b in landmarks)


def stands(box: Box, relation: RelationWord, landmark: Box) -> bool:
    """Tell whether a box stands so to another, as GenEval measures it: by centres, less a tenth of both widths."""
    offsets, apart = [], []
    for axis in (0, 1):
        (low, high), (other_low, other_high) = _span(box, axis), _span(landmark, axis)
        offset = (low + high - other_low - other_high) / 2
        margin = _MARGIN * (high - low + other_high - other_low)
        offsets.append(offset)
        apart.append(math.copysign(max(abs(offset) - margin, 0.0), offset))
    distance = math.hypot(*offsets)
    if distance == 0:
        return False
    along = apart[0 if relation in ("left of", "right of") else 1] / distance
    return along < -_ALONG if relation in ("left of", "above") else along > _ALONG


def _span(box: Box, axis: int) -> tuple[float, float]:
    return box.xyxy[axis], box.xyxy[axis + 2]


def credit_presence(drawing: Drawing) -> float:
    """Give each thing half the credit for being there, and half for its exact number (T2I-CompBench's numeracy)."""
    numbers = [(drawing.count(ask.question), ask.expects) for ask in drawing.asks]
    return sum(0.5 * (number > 0) + 0.5 * (number in expected) for number, expected in numbers) / len(numbers)


def credit_arithmetic(drawing: Drawing) -> float:
    """Average right and wrong over the questions of a prompt."""
    rates = _rate_questions(drawing)
    return sum(rates) / len(rates)


def credit_geometric(drawing: Drawing) -> float:
    """Take the geometric mean over the questions of a prompt: of right and wrong, 1 if all are right."""
    return math.prod(_rate_questions(drawing))


def _rate_questions(drawing: Drawing) -> list[float]:
    return [float(drawing.values[ask.question.id] in ask.expects) for ask in drawing.asks]


def _is_plain_count(ask: Ask) -> bool:
    question = ask.question
    return isinstance(question, Count) and question.colour is None and question.place is None


_HARD = "questions are right or wrong here; the authors sum up probabilities of first tokens"
DRAWING_SCORERS = {
    one.name: one
    for one in (
        DrawingScorer(
            "geneval",
            "at least so many boxes of each class, colour and place; for the tag counting, no more; tags averaged",
            "a surplus is ignored but for counting; overlapping boxes are counted twice",
            credit_geneval,
            suite="geneval",
            averages_tags=True,
        ),
        DrawingScorer("geneval2:hard-am", "mean over a prompt's questions", _HARD, credit_arithmetic, suite="geneval2"),
        DrawingScorer("geneval2:hard-gm", "geometric mean over them", _HARD, credit_geometric, suite="geneval2"),
        DrawingScorer(
            "t2i-compbench:numeracy",
            "half for each thing that is there, half for its exact number",
            "a wrong number has half the credit",
            credit_presence,
            _is_plain_count,
        ),
    )
}
