"""Published scorers of replies and drawings, so that their scores can be computed for any run.

Replies are scored by their text, drawings by what our judges found in them. Each rule deliberately reproduces the
named program, including its mistakes, in code of our own."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from subitize.language.numbers import in_words
from subitize.records import Ask, Box, Count, Place, Question, RelationWord, Scalar, Token, as_float

_LARGEST_WORD = 20
_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class ScoredReply:
    """A model's answer, the right count, and what else a scorer may look at."""

    text: str
    expected: int
    tokens: tuple[Token, ...] = ()
    factors: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scorer:
    """A published way to score: what it credits, where it errs, and the credit from 0 to 1, or None to leave it out.

    `average` turns credits by task into one figure, if that is not their mean.
    """

    name: str
    rule: str
    defect: str
    credit: Callable[[ScoredReply], float | None]
    average: Callable[[Iterable[tuple[str, float]]], float | None] | None = None


def mean_over_tasks(credits: Iterable[tuple[str, float]]) -> float | None:
    """Average lmms-eval's accuracies of tasks for vlmsareblind: a task without any right answer is left out."""
    by_task: dict[str, list[float]] = {}
    for task, credit in credits:
        by_task.setdefault(task, []).append(credit)
    means = [sum(own) / len(own) for own in by_task.values() if any(own)]
    return sum(means) / len(means) if means else None


_WORDS = {in_words(number): number for number in range(_LARGEST_WORD + 1)}
_WORDS_AND_NONE = _WORDS | {"none": 0}
_DIGITS = re.compile(r"\d+", re.ASCII)
_DIGITS_OR_WORD = re.compile(rf"\d+|\b(?:{'|'.join(_WORDS)})\b", re.ASCII | re.IGNORECASE)
_IN_BRACES = re.compile(r"\{(.*?)\}")
_TOTAL = re.compile(r"a total of (\d+)", re.ASCII)


def _as_numeral(text: str) -> str:
    """Write a number word up to twenty in digits; any other text stays as it is."""
    number = _WORDS_AND_NONE.get(text.lower())
    return text if number is None else str(number)


def _is_whole(reply: ScoredReply) -> float:
    return float(_as_numeral(reply.text) == str(reply.expected))


def _is_whole_trimmed(reply: ScoredReply) -> float:
    return float(_as_numeral(reply.text.strip()) == str(reply.expected))


def _is_digits(reply: ScoredReply) -> float:
    return float(reply.text.strip() == str(reply.expected))


def _has_first_digits(reply: ScoredReply) -> float:
    found = _DIGITS.search(reply.text)
    return float(found is not None and found[0] == str(reply.expected))


def _contains(reply: ScoredReply) -> float:
    return float(str(reply.expected) in reply.text)


def _has_first_small(reply: ScoredReply) -> float:
    for found in _DIGITS_OR_WORD.finditer(reply.text):
        number = _WORDS.get(found[0].lower())
        number = int(found[0]) if number is None else number
        if number <= _LARGEST_WORD:
            return float(number == reply.expected)
    return 0.0


def _ends_within(reply: ScoredReply, tolerance: int) -> float:
    number = _find_last(reply.text.lower())
    return float(number is not None and abs(number - reply.expected) <= tolerance)


def _find_last(text: str) -> int | None:
    last = (text.split() or [""])[-1].strip(".")
    if _DIGITS.fullmatch(last):
        return int(last)
    total = _TOTAL.search(text)
    return _WORDS[last] if last in _WORDS else int(total[1]) if total else None


def _is_first_within(reply: ScoredReply, share: float) -> float:
    found = _DIGITS.search(reply.text)
    return float(found is not None and abs(int(found[0]) - reply.expected) <= share * reply.expected)


def _is_of_split(reply: ScoredReply) -> float | None:
    """Score complex questions (made for the data set) and simple ones; others are left out."""
    is_complex = reply.factors.get("data_source") == "amt" or reply.factors.get("split") == "complex"
    is_simple = reply.factors.get("issimple") in (True, "True", "true") or reply.factors.get("split") == "simple"
    return _is_digits(reply) if is_complex or is_simple else None


def _is_in_braces(reply: ScoredReply) -> float:
    if str(reply.factors.get("task", "")).startswith("Olympic"):
        return _contains(reply)
    found = _IN_BRACES.search(reply.text)
    return float(found is not None and found[1] == str(reply.expected))


def _first_token(reply: ScoredReply) -> float | None:
    """Sum the probabilities that the reply begins with a spelling of the count; None without tokens."""
    if not reply.tokens:
        return None
    first = reply.tokens[0]
    word = in_words(reply.expected)
    spelt = {begin + name for begin in ("", " ") for name in (word, word.capitalize(), str(reply.expected))}
    logprobs = {first.text: first.logprob} | dict(first.others)
    return min(1.0, sum(math.exp(logprob) for text, logprob in logprobs.items() if text in spelt))


_FIRST_INTEGER = "reads the first number of 'row 1 has 3'"
SCORERS = {
    one.name: one
    for one in (
        Scorer(
            "big-vision:tallyqa",
            "the whole reply is the count, in digits or a word up to twenty",
            "no trimming: '4.' and ' 4' are wrong",
            _is_whole,
        ),
        Scorer(
            "lmms-eval:countbench",
            "the trimmed reply is the count, in digits or a word up to twenty",
            "'4.' and sentences are wrong",
            _is_whole_trimmed,
        ),
        Scorer("lmms-eval:countbenchqa", "the trimmed reply is the count in digits", "words are wrong", _is_digits),
        Scorer(
            "lmms-eval:pixmo_count",
            "the first digits of the reply are the count",
            f"{_FIRST_INTEGER}; words are wrong",
            _has_first_digits,
        ),
        Scorer(
            "lmms-eval:vlmsareblind",
            "the first digits of the reply are the count; accuracies of tasks are averaged",
            f"{_FIRST_INTEGER}; words are wrong; a task with nothing right is not averaged",
            _has_first_digits,
            mean_over_tasks,
        ),
        Scorer("vlmevalkit:countbenchqa", "the reply contains the count's digits", "2 is in '12'", _contains),
        Scorer(
            "vlmevalkit:tallyqa",
            "the first number up to 20 in the reply, in digits or as a word, is the count",
            f"{_FIRST_INTEGER}; larger numbers are passed over",
            _has_first_small,
        ),
        Scorer(
            "vlmevalkit:vlmblind",
            "what stands in the first braces is the count; of tasks named Olympic, the reply contains its digits",
            "'4' and '{ 4 }' are wrong; of Olympic tasks 5 is in '15'",
            _is_in_braces,
        ),
        Scorer("molmo:count", "the count is 1", "every reply is read as 1", lambda reply: float(reply.expected == 1)),
        Scorer(
            "molmo:point-count",
            "the last word of the reply is the count, else N of 'a total of N'",
            "'4 dogs' and 'none' are wrong",
            lambda reply: _ends_within(reply, 0),
        ),
        Scorer(
            "molmo:point-count-within-1",
            "as molmo:point-count, or off by one",
            "near misses are right",
            lambda reply: _ends_within(reply, 1),
        ),
        Scorer(
            "evalscope:count_qa",
            "the first digits of the reply are the count",
            f"{_FIRST_INTEGER}; words are wrong",
            lambda reply: _is_first_within(reply, 0.0),
        ),
        Scorer(
            "evalscope:count_qa-relaxed",
            "the first digits of the reply are within 5 % of the count",
            f"{_FIRST_INTEGER}; near misses are right",
            lambda reply: _is_first_within(reply, _TOLERANCE),
        ),
        Scorer(
            "tallyqacode",
            "the reply is the count in digits; complex: data_source amt; simple: others with issimple",
            "questions that are neither are left out",
            _is_of_split,
        ),
        Scorer(
            "geneval2:first-token",
            "summed probability of the spellings of the count as the first token",
            "'two hundred' begins with 'two'; needs the tokens' probabilities",
            _first_token,
        ),
    )
}

_THRESHOLD, _COUNTING_THRESHOLD = 0.3, 0.9
_MOST_BOXES = 16
_MARGIN = 0.1  # the share of the widths of two things by which their centres must be apart for a relation
_ALONG = 0.5  # the share of the distance of two centres that must lie along the axis of the relation


@dataclass(frozen=True, slots=True)
class JudgedDrawing:
    """A drawing as one judge sees it: the asks, the judge's values by question, and its boxes, if any."""

    asks: Sequence[Ask]
    values: Mapping[str, Scalar]
    boxes: Sequence[Box] | None = None
    tag: str = ""

    def count(self, question: Question) -> float:
        """Return the number that was read."""
        return as_float(self.values[question.id])


@dataclass(frozen=True, slots=True)
class DrawingScorer:
    """A published way to score drawings, with credit from 0 to 1: what it credits, where it errs, what it asks about.

    `suite` is the only one it is for, if it is limited to one.
    """

    name: str
    rule: str
    defect: str
    credit: Callable[[JudgedDrawing], float]
    is_about: Callable[[Ask], bool] = lambda _: True
    suite: str = ""
    averages_tags: bool = False


def credit_geneval(drawing: JudgedDrawing) -> float:
    """Return 1 if there are enough of each thing, with its colour and in its place, and not too many.

    Too many are a mistake only if the tag is counting. The best boxes count: those above .3, or for counting above .9.
    """
    return float(all(_is_met(drawing, ask) for ask in drawing.asks))


def _is_met(drawing: JudgedDrawing, ask: Ask) -> bool:
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


def _stand(best: Sequence[Box], place: Place, drawing: JudgedDrawing) -> bool:
    """Return whether each of the best boxes has the relation to each of the landmark's."""
    number = next((int(a.expects[0]) for a in drawing.asks if a.question == Count(place.landmark)), 1)
    landmarks = _find_best(drawing.boxes or (), place.landmark, _THRESHOLD)[:number]
    return len(landmarks) == number and all(stands(a, place.relation, b) for a in best for b in landmarks)


def stands(box: Box, relation: RelationWord, landmark: Box) -> bool:
    """Return whether a box has a relation to another by GenEval's measure: by centres, less a tenth of both widths."""
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


def credit_presence(drawing: JudgedDrawing) -> float:
    """Give each thing half of the credit for being there, and half for its exact number (T2I-CompBench's numeracy)."""
    numbers = [(drawing.count(ask.question), ask.expects) for ask in drawing.asks]
    return sum(0.5 * (number > 0) + 0.5 * (number in expected) for number, expected in numbers) / len(numbers)


def credit_arithmetic(drawing: JudgedDrawing) -> float:
    """Average right (1) and wrong (0) over the questions of a prompt."""
    rates = _rate_questions(drawing)
    return sum(rates) / len(rates)


def credit_geometric(drawing: JudgedDrawing) -> float:
    """Take the geometric mean over the questions of a prompt: 1 if all are right, else 0."""
    return math.prod(_rate_questions(drawing))


def _rate_questions(drawing: JudgedDrawing) -> list[float]:
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
