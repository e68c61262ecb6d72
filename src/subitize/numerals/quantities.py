"""Numerals with what makes them more than one number: bounds and ranges."""

import math

from subitize.numerals.amounts import AtLeast, Exact, Range
from subitize.numerals.mentions import Mention, is_negated
from subitize.numerals.number_words import GROUPS, NUMBER_OPENERS, SCALES, Number, read_number
from subitize.numerals.phrases import WORDS, find_phrases, word_set
from subitize.numerals.tokens import Token, is_glued

_BOUNDS_BEFORE = find_phrases("bounds_before")
_BOUNDS_AFTER = find_phrases("bounds_after")
BOUND_OPENERS = _BOUNDS_BEFORE.openers
QUANTITY_OPENERS = NUMBER_OPENERS | {"between"}
_PLACES = word_set("over above under below > <")
_BEFORE_BOUND = WORDS["before_bound"]
SUMMING = word_set("add adds adding added counting")  # "adds up to 5" bounds nothing
_SHARED_SCALES = SCALES | GROUPS
_RANGE_JOINERS = word_set("to or - – — ~ through")
_HEDGES = word_set("about approximately around circa even exactly just maybe perhaps possibly probably roughly")


def read_bounded(tokens: list[Token], i: int) -> Mention | None:
    """A bound with its number: "at least 10", "more than a dozen", "fewer than 5"."""
    bound = _BOUNDS_BEFORE.match(tokens, i)
    if bound is None:
        return None
    before = tokens[i - 1]
    if tokens[i].text in _PLACES and (before.kind == "number" or (before.is_word and before.text not in _BEFORE_BOUND)):
        return None
    if tokens[i].text == "up" and before.text in SUMMING:
        return None
    if tokens[i].text == ">" and before.text == "\n" and not is_glued(tokens, i + 1):  # a quotation in Markdown
        return None
    number = read_number(tokens, _skip_hedges(tokens, bound[1]))
    if number is None:
        return None
    meaning = bound[0]
    if is_negated(tokens, i, reach=2):  # "there can't be more than 5"
        meaning = {"above": "to", "below": "from"}.get(meaning, meaning)
    return Mention(_bound(meaning, number[0]), number[:1], i, number[1])


def read_quantity(tokens: list[Token], i: int) -> Mention | None:
    """A number, or two that make a range, with a bound that may stand after it."""
    joined = _skip_hedges(tokens, i + 1) if tokens[i].text == "between" else i
    first = read_number(tokens, joined)
    if first is None:
        return _digit_range(tokens, i)
    number, end = first
    joint = _range_joint(tokens, end, is_between=joined > i)
    second = read_number(tokens, joint) if joint else None
    if second is not None:
        number = _with_shared_scale(tokens, first, second)
        return Mention(_between(number, second[0]), (number, second[0]), i, second[1])
    return _with_bound_after(tokens, Mention(Exact(number), (number,), joined, end))


def opens_bound(tokens: list[Token], i: int) -> bool:
    """Whether a bound stands at i: "more than"."""
    return _BOUNDS_BEFORE.match(tokens, i) is not None


def _bound(meaning: str, number: float) -> Range | AtLeast | Exact:
    match meaning:
        case "from":
            return AtLeast(number)
        case "above":
            return AtLeast(math.floor(number) + 1.0)
        case "to":
            return _between(0.0, number)
        case _:
            return _between(0.0, max(math.ceil(number) - 1.0, 0.0))


def _between(one: float, other: float) -> Range | Exact:
    return Exact(one) if one == other else Range(min(one, other), max(one, other))


def _skip_hedges(tokens: list[Token], i: int) -> int:
    return i + 1 if tokens[i].text in _HEDGES else i


def _with_shared_scale(tokens: list[Token], first: Number, second: Number) -> float:
    """The first number of "two or three hundred" is 200."""
    scale = _SHARED_SCALES.get(tokens[second[1] - 1].text, 1)
    is_shared = tokens[first[1] - 1].text not in _SHARED_SCALES and first[0] * scale < second[0]
    return first[0] * scale if is_shared else first[0]


def _digit_range(tokens: list[Token], i: int) -> Mention | None:
    if len(tokens[i].values) != 2:
        return None
    low, high = tokens[i].values
    return Mention(_between(low, high), (low, high), i, i + 1)


def _range_joint(tokens: list[Token], i: int, *, is_between: bool) -> int | None:
    """Where the second number of a range would begin, if a range goes on at i."""
    word = tokens[i].text
    if is_between and word in ("and", "&"):
        return _skip_hedges(tokens, i + 1)
    if word not in _RANGE_JOINERS:
        return None
    if word == "—" and not is_glued(tokens, i):  # between spaces it parts two sentences
        return None
    if word == "-" and tokens[i + 1].text == "to" and tokens[i + 2].text == "-":
        return i + 3
    return _skip_hedges(tokens, i + 1)


def _with_bound_after(tokens: list[Token], mention: Mention) -> Mention:
    """The mention with the bound that may follow it: "10+", "10 apples or more", "5 at most"."""
    end, number = mention.end, mention.numbers[0]
    if tokens[end].text == "+" and is_glued(tokens, end) and tokens[end + 1].kind != "number":
        return mention._replace(amount=AtLeast(number), end=end + 1)
    bound = _BOUNDS_AFTER.match(tokens, end)
    if bound is None and tokens[end].is_word:
        bound = _BOUNDS_AFTER.match(tokens, end + 1)
    if bound is None or read_number(tokens, bound[1]) is not None:  # "at least" may open the next quantity
        return mention
    return mention._replace(amount=_bound(bound[0], number), end=bound[1])
