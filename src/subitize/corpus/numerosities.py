"""Finds numerosities in a caption: a number and the noun it counts (Numbersense, supplement).

Captions that cannot contain a number are skipped first, so most never reach the tagger."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import polars as pl

from subitize.errors import UnknownNameError
from subitize.io.files import read_own_toml
from subitize.language.nouns import plural, singular
from subitize.language.numbers import SCALES, SMALL, read_whole
from subitize.language.tokens import MARGIN, TextToken, is_year, word_set

DOZEN = "dozen"
NUMBER_WORDS = frozenset({*SMALL, *SCALES, DOZEN})


class Kind(IntEnum):
    """The kinds of words that part-of-speech tags distinguish."""

    OTHER = 0
    NUMBER = 1
    ADJECTIVE = 2
    NOUN = 3
    PROPER_NOUN = 4
    PARTICIPLE = 5


class NumberMention(NamedTuple):
    """A number in words[start:end]; the word at `tagged`, if any, must be tagged as a number."""

    start: int
    end: int
    value: int
    tagged: int | None


class Numerosity(NamedTuple):
    """A number of things; the noun is in the singular."""

    number: int
    noun: str


@dataclass(frozen=True)
class CaptionRule:
    """What counts as a numerosity; the defaults are the paper's."""

    adjectives: int = 1
    """How many adjectives may come between the number and the noun."""
    participles: bool = False
    """Whether participles may also come there: "two parked cars"."""
    proper_nouns: bool = False
    """Whether proper nouns count; nouns in titles are tagged as such: "12 Steel Spoons"."""
    exclude: tuple[str, ...] = ()
    """Exclusions beyond the paper's units: groups of units.toml, `years` (2019), `identifiers` (iPhone 6)."""

    def __post_init__(self) -> None:
        for name in self.exclude:
            if name not in OPTIONAL:
                raise UnknownNameError("kind of number to exclude", name, OPTIONAL)

    @cached_property
    def units(self) -> frozenset[str]:
        """Nouns that do not count."""
        return frozenset().union(*(_UNITS[name] for name in (*_IN_PAPER, *self.exclude) if name in _UNITS))

    @property
    def excludes_identifiers(self) -> bool:
        """Whether a number after a noun counts as part of its name."""
        return "identifiers" in self.exclude

    @cached_property
    def between(self) -> frozenset[Kind]:
        """Kinds of words that may come between number and noun."""
        return frozenset({Kind.ADJECTIVE, *([Kind.PARTICIPLE] if self.participles else [])})

    @cached_property
    def nouns(self) -> frozenset[Kind]:
        """Kinds of words that can be counted."""
        return frozenset({Kind.NOUN, *([Kind.PROPER_NOUN] if self.proper_nouns else [])})


def find_numbers(words: Sequence[str]) -> list[NumberMention]:
    """Find the numbers in the lower-case words of a caption."""
    found: list[NumberMention] = []
    place = 0
    while place < len(words):
        number = _read_number(words, place) if is_numeral(words[place]) else None
        if number is not None and not _ends_range(words, place):
            found.append(number)
        place = place + 1 if number is None else number.end
    return found


def is_numeral(word: str) -> bool:
    """Return whether a word is a number or part of one."""
    return word in NUMBER_WORDS or (word[0] in "0123456789" and _DIGITS.fullmatch(word) is not None)


def needed_places(numbers: Iterable[NumberMention], words: Sequence[str], rule: CaptionRule) -> Iterator[int]:
    """Yield the places of words whose tags decide what the numbers count."""
    for number in numbers:
        if _may_count(words, number, rule):
            if number.tagged is not None:
                yield number.tagged
            if rule.excludes_identifiers and number.start > 0:
                yield number.start - 1
            yield from range(number.end, min(number.end + rule.adjectives + 1, len(words)))


def find_numerosities(
    words: Sequence[str],
    numbers: Iterable[NumberMention],
    kinds: Sequence[Kind] | Mapping[int, Kind],
    rule: CaptionRule,
) -> Iterator[Numerosity]:
    """Find what the numbers count by the kinds of words, which are needed only at `needed_places`."""
    for number in numbers:
        if not _may_count(words, number, rule):
            continue
        if number.tagged is not None and kinds[number.tagged] != Kind.NUMBER:
            continue
        place = _find_noun(words, kinds, number.end, rule)
        if place is None or _is_excluded(words, number, place, rule):
            continue
        if rule.excludes_identifiers and number.start > 0 and kinds[number.start - 1] in _NAMES:
            continue
        yield Numerosity(number.value, singular(words[place]))


def _may_count(words: Sequence[str], number: NumberMention, rule: CaptionRule) -> bool:
    """Return whether the next word may be counted; a unit never is, whatever its tag."""
    return (
        number.end < len(words) and _may_be_noun(words[number.end]) and words[number.end].rstrip(".") not in rule.units
    )


def _ends_range(words: Sequence[str], place: int) -> bool:
    """Return whether a number is the second of a range or a score: "5-6 kids", "a 3-2 win"."""
    return place >= 2 and words[place - 1] in _DASHES and is_numeral(words[place - 2])


def _read_number(words: Sequence[str], place: int) -> NumberMention | None:
    word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
    if word == DOZEN:
        dozens = None if _is_vague(words, place) else 0.5 if _is_half(words, place) else 1.0
        return None if dozens is None else NumberMention(place, place + 1, int(12 * dozens), None)
    if after not in _CONTINUING and word not in SCALES:
        value, end = _value(word), place + 1
    else:
        found = read_whole(_as_tokens(words[place : place + _LONGEST]), 0)
        if found is None or (word in SCALES and _is_vague(words, place)):
            return None
        value, end = found[0], place + found[1]
    tagged: int | None = end - 1
    if end < len(words) and words[end] == DOZEN:
        value, end, tagged = value * 12, end + 1, None
    return NumberMention(place, end, int(value), tagged) if value >= 1 and value == int(value) else None


def _is_vague(words: Sequence[str], place: int) -> bool:
    return place > 0 and words[place - 1] in _VAGUE


def _is_half(words: Sequence[str], place: int) -> bool:
    before = words[max(0, place - 2) : place]
    return bool(before) and (before[-1] == "half" or list(before) == ["half", "a"])


def _value(word: str) -> float:
    if word in SMALL:
        return SMALL[word]
    return float(word.replace(",", "")) if len(word) <= _MOST_DIGITS else 0.0


def _as_tokens(words: Sequence[str]) -> list[TextToken]:
    """Convert words to tokens of the number reader, which looks a few further on both sides."""
    tokens = [
        TextToken(word, place, place + 1, "number", (_value(word),))
        if is_numeral(word) and word not in NUMBER_WORDS
        else TextToken(word, place, place + 1, "word" if word[0].isalpha() else "mark")
        for place, word in enumerate(words)
    ]
    return [*tokens, *[TextToken("\n", -1, -2)] * MARGIN]


def _find_noun(
    words: Sequence[str], kinds: Sequence[Kind] | Mapping[int, Kind], start: int, rule: CaptionRule
) -> int | None:
    for place in range(start, min(start + rule.adjectives + 1, len(words))):
        if not _may_be_noun(words[place]):
            return None
        if kinds[place] in rule.nouns:
            return place
        if kinds[place] not in rule.between:
            return None
    return None


def _may_be_noun(word: str) -> bool:
    return word[0].isalpha() or word == "%"


def _is_excluded(words: Sequence[str], number: NumberMention, noun: int, rule: CaptionRule) -> bool:
    if words[noun].rstrip(".") in rule.units:
        return True
    is_money = "money" in rule.exclude and number.start > 0 and words[number.start - 1] in _CURRENCIES
    return is_money or ("years" in rule.exclude and is_year(words[number.start]))


_DIGITS = re.compile(r"(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?")
_MOST_DIGITS = 15  # as in the reader of numbers
_LONGEST = 16  # words of a number
_CONTINUING = frozenset({"-", "and", *SMALL, *SCALES})
_VAGUE = word_set("few several many some")
_DASHES = word_set("- – —")
_CURRENCIES = word_set("$ € £ ¥ ₹ us$")
_NAMES = frozenset({Kind.NOUN, Kind.PROPER_NOUN})
_IN_PAPER = ("measures", "time", "temperature")


def _read_units() -> dict[str, frozenset[str]]:
    tables = read_own_toml(__file__, "units.toml")
    return {name: frozenset(_unit_names(table)) for name, table in tables.items()}


def _unit_names(table: Mapping[str, str]) -> Iterator[str]:
    yield from table["abbreviations"].split()
    for prefix in ("", *table.get("prefixes", "").split()):
        for unit in table["units"].split():
            yield prefix + unit
            yield plural(prefix + unit)


_UNITS = _read_units()
OPTIONAL = (*(name for name in _UNITS if name not in _IN_PAPER), "years", "identifiers")


# A digit, or a number word not adjacent to an ASCII letter. Other letters, digits and "_" may be adjacent, since the
# tokenizer may split them off. A false positive costs time; a false negative loses a caption.
_WORDS = "|".join(sorted(NUMBER_WORDS))
PATTERN = rf"[0-9]|(?i:(?:^|[^a-zA-Z])(?:{_WORDS})(?:$|[^a-zA-Z]))"


def may_have_number(captions: pl.Series) -> pl.Series:
    """Return which captions can contain a number; missing ones cannot."""
    return captions.str.contains(PATTERN).fill_null(value=False)
