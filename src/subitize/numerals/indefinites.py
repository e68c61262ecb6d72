"""Quantities without a numeral: vague phrases, absence, oneness, both, another."""

from subitize.numerals.amounts import Exact, Vague
from subitize.numerals.mentions import (
    ABSENCE_WEIGHT,
    ADDITION_WEIGHT,
    ARTICLE_WEIGHT,
    JOINTS,
    LOOSE_WEIGHT,
    NUMERAL_WEIGHT,
    VAGUE_WEIGHT,
    Mention,
    is_negated,
)
from subitize.numerals.number_words import GROUPS, SCALES, SMALL, read_number
from subitize.numerals.phrases import WORDS, find_phrases, word_set
from subitize.numerals.tokens import Token, is_glued

_VAGUE = find_phrases("vague")
VAGUE_OPENERS = _VAGUE.openers
_NOT_VAGUE_BEFORE = word_set("how as at")
_NOT_VAGUE_AFTER = word_set("likely probably importantly notably kind sort")


def read_vague(tokens: list[Token], i: int) -> Mention | None:
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
ABSENCE_OPENERS = _ABSENCE.openers | _ABSENCE_WORDS | {"no", "any", "one", "nobody"}


def read_absence(tokens: list[Token], i: int) -> Mention | None:
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


def _is_counted(tokens: list[Token], i: int) -> bool:
    """Whether "no" or "any" at i speaks of things, not of an image that was never sent."""
    after, then = tokens[i + 1].text, tokens[i + 2].text
    return after not in _NOT_COUNTED and then not in _NOT_SENT


def _end_of_nobody(tokens: list[Token], i: int) -> int:
    """Where "nobody" or "no-one" at i ends; 0 if neither stands there, or in a figure of speech ("nobody knows")."""
    is_hyphened = [token.text for token in tokens[i : i + 3]] == ["no", "-", "one"] and is_glued(tokens, i + 2)
    end = i + 3 if is_hyphened else i + 1
    is_nobody = tokens[i].text == "nobody" or is_hyphened
    return end if is_nobody and tokens[end].text not in _AFTER_NO_PERSON else 0


_ONENESS = word_set("single lone sole solitary")
ONE_OPENERS = _ONENESS | {"a", "an"}
_BEFORE_ARTICLE = word_set("just only exactly merely simply")
_EXISTENCE = word_set("is was isn't wasn't")
_HOLDERS = word_set("of with containing holding full filled that which where displaying showing")
_NOT_THINGS = _ONENESS | WORDS["not_things"]


def read_one(tokens: list[Token], i: int) -> Mention | None:
    """One thing said without a numeral: "a single apple", "there is an apple"."""
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
    if any(tokens[k].text in _HOLDERS for k in range(i + 2, i + 5)):  # a bowl of apples: who knows how many
        return None
    return Mention(Exact(n), (n,), i, i + 1, ARTICLE_WEIGHT)


BOTH_OPENERS = frozenset({"both"})
_BEFORE_BOTH = word_set("on in at from for with to by of not")
_NOT_BOTH_THINGS = word_set("times sides ends ways hands directions cases images pictures photos photographs panels")
_AFTER_SUBJECT = word_set("is are was were has have had look looks seem seems appear show can")
_BOTH_REACH = 6


def read_both(tokens: list[Token], i: int) -> Mention | None:
    """Two known things: "both apples are red"; but "both red and green" and "on both sides" count nothing."""
    if tokens[i - 1].text in _BEFORE_BOTH or tokens[i + 1].text in _NOT_BOTH_THINGS:
        return None
    for token in tokens[i + 1 : i + 1 + _BOTH_REACH]:
        if token.text in JOINTS:
            return None
        if not token.is_word or token.text in _AFTER_SUBJECT:
            break
    return Mention(Exact(2.0), (2.0,), i, i + 1, LOOSE_WEIGHT)


ADDITION_OPENERS = frozenset({"another"})


def read_addition(tokens: list[Token], i: int) -> Mention | None:
    """What "another" adds to a count: "one apple and another one", "12 eggs and another dozen"."""
    if tokens[i - 1].text not in JOINTS and tokens[i - 1].text != ",":
        return None
    number = read_number(tokens, i + 1)
    if (number is not None and number != (1.0, i + 2)) or read_vague(tokens, i + 1) is not None:
        return None  # "another 4", "another few" are mentions of their own
    n = float(GROUPS.get(tokens[i + 1].text, 1))
    return Mention(Exact(n), (n,), i, i + 1, ADDITION_WEIGHT)
