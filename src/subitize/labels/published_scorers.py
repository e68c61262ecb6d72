"""How others score replies to counting questions, so that their score can be had of any run.

Each rule is what the named program does, in our own words, with its mistakes: that is what it is for.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from subitize.language.numbers import in_words
from subitize.records import Scalar, Token

_LARGEST_WORD = 20
_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote, the count that is right, and what else a scorer may look at."""

    text: str
    expected: int
    tokens: tuple[Token, ...] = ()
    factors: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scorer:
    """A published way to score: what it credits, where it errs, and the credit from 0 to 1; None: it leaves that out.

    `average` makes one figure of credits by task, where that is not their mean.
    """

    name: str
    rule: str
    defect: str
    credit: Callable[[Reply], float | None]
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


def _is_whole(reply: Reply) -> float:
    return float(_as_numeral(reply.text) == str(reply.expected))


def _is_whole_trimmed(reply: Reply) -> float:
    return float(_as_numeral(reply.text.strip()) == str(reply.expected))


def _is_digits(reply: Reply) -> float:
    return float(reply.text.strip() == str(reply.expected))


def _has_first_digits(reply: Reply) -> float:
    found = _DIGITS.search(reply.text)
    return float(found is not None and found[0] == str(reply.expected))


def _contains(reply: Reply) -> float:
    return float(str(reply.expected) in reply.text)


def _has_first_small(reply: Reply) -> float:
    for found in _DIGITS_OR_WORD.finditer(reply.text):
        number = _WORDS.get(found[0].lower())
        number = int(found[0]) if number is None else number
        if number <= _LARGEST_WORD:
            return float(number == reply.expected)
    return 0.0


def _ends_within(reply: Reply, tolerance: int) -> float:
    number = _find_last(reply.text.lower())
    return float(number is not None and abs(number - reply.expected) <= tolerance)


def _find_last(text: str) -> int | None:
    last = (text.split() or [""])[-1].strip(".")
    if _DIGITS.fullmatch(last):
        return int(last)
    total = _TOTAL.search(text)
    return _WORDS[last] if last in _WORDS else int(total[1]) if total else None


def _is_first_within(reply: Reply, share: float) -> float:
    found = _DIGITS.search(reply.text)
    return float(found is not None and abs(int(found[0]) - reply.expected) <= share * reply.expected)


def _is_of_split(reply: Reply) -> float | None:
    """Score complex questions, those made for the data set, and simple ones; what is neither is left out."""
    is_complex = reply.factors.get("data_source") == "amt" or reply.factors.get("split") == "complex"
    is_simple = reply.factors.get("issimple") in (True, "True", "true") or reply.factors.get("split") == "simple"
    return _is_digits(reply) if is_complex or is_simple else None


def _is_in_braces(reply: Reply) -> float:
    if str(reply.factors.get("task", "")).startswith("Olympic"):
        return _contains(reply)
    found = _IN_BRACES.search(reply.text)
    return float(found is not None and found[1] == str(reply.expected))


def _first_token(reply: Reply) -> float | None:
    """Sum the probabilities that the reply begins with a spelling of the count; without tokens nothing is known."""
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
        Scorer(
            "molmo:count",
            "the count is 1",
            "every reply is read as 1",
            lambda reply: float(reply.expected == 1),
        ),
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
