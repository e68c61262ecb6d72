"""Reads mentions of quantities: exact numbers, bounds, ranges, vague phrases, absence.

Weights, from strong to weak: numerals; vague phrases ("several"); absence and oneness in words ("no apples", "a
single"); loose quantifiers ("some", "both"); articles ("there is an apple"); additions ("and another one"). A weaker
mention counts only if there is no stronger one. The exception: a vague phrase joined to a numeral by "and" counts
further things ("3 red and a few green ones"), so no single number is the whole."""

import math
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import NamedTuple

from subitize.language.numbers import GROUPS, NUMBER_OPENERS, SCALES, SMALL, Number, parse_number
from subitize.language.tokens import WORDS, TextToken, find_phrases, is_glued, word_set


@dataclass(frozen=True, slots=True)
class Exact:
    """One number, perhaps hedged ("about ten") or said twice ("3 (three)")."""

    value: float


@dataclass(frozen=True, slots=True)
class Range:
    """From low to high, both included: "2-5", "3 or 4", "up to 5"."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AtLeast:
    """This many or more: "10+", "more than 9"."""

    low: float


@dataclass(frozen=True, slots=True)
class Vague:
    """A quantity without a number: "a few", "dozens"."""

    phrase: str


@dataclass(frozen=True, slots=True)
class Several:
    """Different numbers, each once, in order of appearance; or one that counts twice ("2 red and 2 green")."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class NoNumber:
    """No number that counts anything."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The text declines to answer."""

    phrase: str


Amount = Exact | Range | AtLeast | Vague | Several | NoNumber | Refusal


@dataclass(frozen=True, slots=True)
class NoValue:
    """Why a policy discards a text."""

    reason: str


def describe(amount: Amount) -> str:
    """Explain why no number is taken."""
    match amount:
        case Several((twice,)):
            return f"two counts of {_digits(twice)}"
        case Several(values):
            return f"several different numbers: {', '.join(map(_digits, values))}"
        case Range(low, high):
            return f"a range: {_digits(low)} to {_digits(high)}"
        case AtLeast(low):
            return f"at least {_digits(low)}"
        case Exact(negative):
            return f"less than nothing: {_digits(negative)}"
        case Vague(phrase):
            return f"vague: {phrase!r}"
        case Refusal(phrase):
            return f"refusal: {phrase!r}"
        case _:
            return "no number"


def _digits(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


NUMERAL_WEIGHT, VAGUE_WEIGHT, ABSENCE_WEIGHT, LOOSE_WEIGHT, ARTICLE_WEIGHT, ADDITION_WEIGHT = 4, 3, 2, 1, 0, -1
JOINTS = word_set("and plus &")


class Mention(NamedTuple):
    """The amount stated by the tokens from start to end."""

    amount: Exact | Range | AtLeast | Vague
    numbers: tuple[float, ...]  # as written: 10 in "more than 10"
    start: int
    end: int
    weight: int = NUMERAL_WEIGHT


def is_negation(word: str) -> bool:
    """Whether the word denies what follows it: "not", "isn't"."""
    return word in _NEGATIONS or word.endswith("n't")


def is_negated(tokens: list[TextToken], i: int, *, reach: int = 6) -> bool:
    """Whether there is a negation among the words before i, without a mark between."""
    for k in range(i - 1, i - 1 - reach, -1):
        if is_negation(tokens[k].text):
            return True
        if not tokens[k].is_word:
            return False
    return False


_NEGATIONS = word_set("not cannot without never")

_BOUNDS_BEFORE = find_phrases("bounds_before")
_BOUNDS_AFTER = find_phrases("bounds_after")
_PLACES = word_set("over above under below > <")
_BEFORE_BOUND = WORDS["before_bound"]
SUMMING = word_set("add adds adding added counting")  # "adds up to 5" bounds nothing
_SHARED_SCALES = SCALES | GROUPS
_RANGE_JOINERS = word_set("to or - – — ~ through")
_HEDGES = word_set("about approximately around circa even exactly just maybe perhaps possibly probably roughly")


def read_bounded(tokens: list[TextToken], i: int) -> Mention | None:
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
    number = parse_number(tokens, _skip_hedges(tokens, bound[1]))
    if number is None:
        return None
    meaning = bound[0]
    if is_negated(tokens, i, reach=2):  # "there can't be more than 5"
        meaning = {"above": "to", "below": "from"}.get(meaning, meaning)
    return Mention(_bound(meaning, number[0]), number[:1], i, number[1])


def read_quantity(tokens: list[TextToken], i: int) -> Mention | None:
    """A number, or two that make a range, perhaps followed by a bound."""
    joined = _skip_hedges(tokens, i + 1) if tokens[i].text == "between" else i
    first = parse_number(tokens, joined)
    if first is None:
        return _digit_range(tokens, i)
    number, end = first
    joint = _range_joint(tokens, end, is_between=joined > i)
    second = parse_number(tokens, joint) if joint else None
    if second is not None:
        number = _with_shared_scale(tokens, first, second)
        return Mention(_between(number, second[0]), (number, second[0]), i, second[1])
    return _with_bound_after(tokens, Mention(Exact(number), (number,), joined, end))


def opens_bound(tokens: list[TextToken], i: int) -> bool:
    """Whether a bound begins at i: "more than"."""
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


def _skip_hedges(tokens: list[TextToken], i: int) -> int:
    return i + 1 if tokens[i].text in _HEDGES else i


def _with_shared_scale(tokens: list[TextToken], first: Number, second: Number) -> float:
    """The first number with a shared scale: 200 in "two or three hundred"."""
    scale = _SHARED_SCALES.get(tokens[second[1] - 1].text, 1)
    is_shared = tokens[first[1] - 1].text not in _SHARED_SCALES and first[0] * scale < second[0]
    return first[0] * scale if is_shared else first[0]


def _digit_range(tokens: list[TextToken], i: int) -> Mention | None:
    if len(tokens[i].values) != 2:
        return None
    low, high = tokens[i].values
    return Mention(_between(low, high), (low, high), i, i + 1)


def _range_joint(tokens: list[TextToken], i: int, *, is_between: bool) -> int | None:
    """Where the second number of a range begins, if a range continues at i."""
    word = tokens[i].text
    if is_between and word in ("and", "&"):
        return _skip_hedges(tokens, i + 1)
    if word not in _RANGE_JOINERS:
        return None
    if word == "—" and not is_glued(tokens, i):  # between spaces it separates sentences
        return None
    if word == "-" and tokens[i + 1].text == "to" and tokens[i + 2].text == "-":
        return i + 3
    return _skip_hedges(tokens, i + 1)


def _with_bound_after(tokens: list[TextToken], mention: Mention) -> Mention:
    """Extend the mention by a bound after it: "10+", "10 apples or more", "5 at most"."""
    end, number = mention.end, mention.numbers[0]
    if tokens[end].text == "+" and is_glued(tokens, end) and tokens[end + 1].kind != "number":
        return mention._replace(amount=AtLeast(number), end=end + 1)
    bound = _BOUNDS_AFTER.match(tokens, end)
    if bound is None and tokens[end].is_word:
        bound = _BOUNDS_AFTER.match(tokens, end + 1)
    if bound is None or parse_number(tokens, bound[1]) is not None:  # "at least" may open the next quantity
        return mention
    return mention._replace(amount=_bound(bound[0], number), end=bound[1])


_VAGUE = find_phrases("vague")
_NOT_VAGUE_BEFORE = word_set("how as at")
_NOT_VAGUE_AFTER = word_set("likely probably importantly notably kind sort")


def read_vague(tokens: list[TextToken], i: int) -> Mention | None:
    """A vague phrase: "several", "a few dozen"."""
    phrase = _VAGUE.match(tokens, i)
    if phrase is None or tokens[i - 1].text in _NOT_VAGUE_BEFORE or tokens[phrase[1]].text in _NOT_VAGUE_AFTER:
        return None
    meaning, end = phrase
    words = " ".join(token.text for token in tokens[i:end])
    while tokens[end].text in SCALES or tokens[end].text in GROUPS:  # "a few dozen" holds no number of its own
        end += 1
    if tokens[end].values or tokens[end].text in SMALL:  # "a group of 4", "some 20 apples"
        return None
    return Mention(Vague(words), (), i, end, VAGUE_WEIGHT if meaning == "vague" else LOOSE_WEIGHT)


_NOT_COUNTED = WORDS["not_counted"]
_NOT_SENT = word_set("image images picture photo attachment file answer information")
_ABSENCE_WORDS = word_set("none nothing nil zilch nought naught")
_ABSENCE = find_phrases("absence")
_AFTER_NO_PERSON = word_set("knows knew can could would will should may might else but other")


def read_absence(tokens: list[TextToken], i: int) -> Mention | None:
    """Zero in words: "no apples", "none", "there aren't any", "not a single one"."""
    phrase = _ABSENCE.match(tokens, i)
    if phrase is not None:
        return Mention(Exact(0.0), (0.0,), i, phrase[1], ABSENCE_WEIGHT)
    word, after = tokens[i].text, tokens[i + 1].text
    is_absence = (
        (word in _ABSENCE_WORDS and after not in ("else", "but", "other"))
        or (word == "no" and tokens[i + 1].is_word and _is_counted(tokens, i))
        or (word == "any" and is_negated(tokens, i) and _is_counted(tokens, i))
        or (word == "one" and tokens[i - 1].text.endswith("n't"))
    )
    end = i + 1 if is_absence else _end_of_nobody(tokens, i)
    return Mention(Exact(0.0), (0.0,), i, end, ABSENCE_WEIGHT) if end else None


def _is_counted(tokens: list[TextToken], i: int) -> bool:
    """Whether "no" or "any" at i refers to things, not to an image that was never sent."""
    after, then = tokens[i + 1].text, tokens[i + 2].text
    return after not in _NOT_COUNTED and then not in _NOT_SENT


def _end_of_nobody(tokens: list[TextToken], i: int) -> int:
    """The end of "nobody" or "no-one" at i; 0 if there is neither, or only in an idiom ("nobody knows")."""
    is_hyphened = [token.text for token in tokens[i : i + 3]] == ["no", "-", "one"] and is_glued(tokens, i + 2)
    end = i + 3 if is_hyphened else i + 1
    is_nobody = tokens[i].text == "nobody" or is_hyphened
    return end if is_nobody and tokens[end].text not in _AFTER_NO_PERSON else 0


_ONENESS = word_set("single lone sole solitary")
_BEFORE_ARTICLE = word_set("just only exactly merely simply")
_EXISTENCE = word_set("is was isn't wasn't")
_HOLDERS = word_set("of with containing holding full filled that which where displaying showing")
_NOT_THINGS = _ONENESS | WORDS["not_things"]


def read_one(tokens: list[TextToken], i: int) -> Mention | None:
    """One thing without a numeral: "a single apple", "there is an apple"."""
    word, before, earlier = tokens[i].text, tokens[i - 1].text, tokens[i - 2].text
    n = 0.0 if is_negated(tokens, i) else 1.0
    if word in _ONENESS and before != "every" and tokens[i + 1].is_word:
        is_joined = before == "a" and earlier in JOINTS  # "3 red apples and a single green one"
        return Mention(Exact(n), (n,), i, i + 1, NUMERAL_WEIGHT if is_joined else ABSENCE_WEIGHT)
    if word not in ("a", "an") or not tokens[i + 1].is_word or tokens[i + 1].text in _NOT_THINGS:
        return None
    exists = before == "there's" or (before in _EXISTENCE and earlier == "there")
    if not exists and before not in _BEFORE_ARTICLE:
        return None
    if any(tokens[k].text in _HOLDERS for k in range(i + 2, i + 5)):  # a bowl of apples: the number is unknown
        return None
    return Mention(Exact(n), (n,), i, i + 1, ARTICLE_WEIGHT)


_BEFORE_BOTH = word_set("on in at from for with to by of not")
_NOT_BOTH_THINGS = word_set("times sides ends ways hands directions cases images pictures photos photographs panels")
_AFTER_SUBJECT = word_set("is are was were has have had look looks seem seems appear show can")
_BOTH_REACH = 6


def read_both(tokens: list[TextToken], i: int) -> Mention | None:
    """Two known things: "both apples are red"; but "both red and green" and "on both sides" count nothing."""
    if tokens[i - 1].text in _BEFORE_BOTH or tokens[i + 1].text in _NOT_BOTH_THINGS:
        return None
    for token in tokens[i + 1 : i + 1 + _BOTH_REACH]:
        if token.text in JOINTS:
            return None
        if not token.is_word or token.text in _AFTER_SUBJECT:
            break
    return Mention(Exact(2.0), (2.0,), i, i + 1, LOOSE_WEIGHT)


def read_addition(tokens: list[TextToken], i: int) -> Mention | None:
    """What "another" adds to a count: "one apple and another one", "12 eggs and another dozen"."""
    if tokens[i - 1].text not in JOINTS and tokens[i - 1].text != ",":
        return None
    number = parse_number(tokens, i + 1)
    if (number is not None and number != (1.0, i + 2)) or read_vague(tokens, i + 1) is not None:
        return None  # "another 4", "another few" are separate mentions
    n = float(GROUPS.get(tokens[i + 1].text, 1))
    return Mention(Exact(n), (n,), i, i + 1, ADDITION_WEIGHT)


_Reader = Callable[[list[TextToken], int], Mention | None]
_READERS: tuple[tuple[Set[str], _Reader], ...] = (
    (_BOUNDS_BEFORE.openers, read_bounded),
    (_VAGUE.openers, read_vague),
    (_ABSENCE.openers | _ABSENCE_WORDS | {"no", "any", "one", "nobody"}, read_absence),
    (NUMBER_OPENERS | {"between"}, read_quantity),
    (_ONENESS | {"a", "an"}, read_one),
    ({"both"}, read_both),
    ({"another"}, read_addition),
)
# Most words open no mention, so one lookup is enough.
_READERS_BY_OPENER: dict[str, tuple[_Reader, ...]] = {
    word: tuple(reader for openers, reader in _READERS if word in openers)
    for word in frozenset[str]().union(*(openers for openers, _ in _READERS))
}


def opens_mention(token: TextToken) -> bool:
    """Whether a mention may begin with this token."""
    return bool(token.values) or token.text in _READERS_BY_OPENER


def read_mention(tokens: list[TextToken], i: int) -> Mention | None:
    """The mention that begins at i, where one may."""
    readers = (read_quantity,) if tokens[i].values else _READERS_BY_OPENER[tokens[i].text]
    return next((mention for reader in readers if (mention := reader(tokens, i))), None)
