"""A mention: what one quantity in the text says, and with how much weight.

Weights, from strong to weak: numerals; vague phrases ("several"); absence and oneness in words ("no apples", "a
single"); loose quantifiers ("some", "both"); articles ("there is an apple"); additions ("and another one"). A weaker
mention counts only where no stronger one stands ("3 apples, none of them red" is 3), and an addition never counts
alone. But what is joined to a numeral by "and" counts things that the numeral leaves out ("3 red and a few green
ones"), so then no one number is the whole.
"""

from typing import NamedTuple

from subitize.numerals.amounts import AtLeast, Exact, Range, Vague
from subitize.numerals.phrases import word_set
from subitize.numerals.tokens import Token

NUMERAL_WEIGHT, VAGUE_WEIGHT, ABSENCE_WEIGHT, LOOSE_WEIGHT, ARTICLE_WEIGHT, ADDITION_WEIGHT = 4, 3, 2, 1, 0, -1
JOINTS = word_set("and plus &")


class Mention(NamedTuple):
    """What the tokens from start to end say."""

    amount: Exact | Range | AtLeast | Vague
    numbers: tuple[float, ...]  # as written: 10 in "more than 10"
    start: int
    end: int
    weight: int = NUMERAL_WEIGHT


def is_negation(word: str) -> bool:
    """Whether the word denies what follows it: "not", "isn't"."""
    return word in _NEGATIONS or word.endswith("n't")


def is_negated(tokens: list[Token], i: int, *, reach: int = 6) -> bool:
    """Whether a negation stands among the words before i, without a mark between."""
    for k in range(i - 1, i - 1 - reach, -1):
        if is_negation(tokens[k].text):
            return True
        if not tokens[k].is_word:
            return False
    return False


_NEGATIONS = word_set("not cannot without never")
