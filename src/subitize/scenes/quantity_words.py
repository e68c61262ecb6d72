"""The closed lists of words for open numbers, comparisons and parts."""

from itertools import product

from subitize.numerals import in_words
from subitize.numerals.phrases import Phrases
from subitize.scenes import words

_SHARES = {
    "1/2": ("half", "a half", "one half"),
    "1/3": ("a third", "one third"),
    "2/3": ("two thirds",),
    "1/4": ("quarter", "a quarter", "one quarter", "a fourth", "one fourth"),
    "3/4": ("three quarters", "three fourths"),
}
_EQUAL_PARTS = {"halves": 2, "thirds": 3, "quarters": 4, "fourths": 4, "fifths": 5, "sixths": 6, "eighths": 8}
_PIECES = ("pieces", "parts", "slices", "segments", "chunks", "portions", "fragments", "wedges")
_EQUAL = ("equal {}", "equally sized {}", "equally large {}", "same sized {}", "{} of equal size",
          "{} of the same size", "identical {}")  # fmt: skip
_WAYS_TO_CUT = ("cut", "cut up", "sliced", "divided", "split", "chopped", "broken", "broken up", "snapped", "separated")
_ONE_PIECE = ("one", "one piece", "one part", "one half", "one slice", "one of them", "one of which",
              "one of the pieces", "one of the parts", "one of the two")  # fmt: skip
_SIZES = {
    "2": ("twice the size of", "double the size of", "two times the size of", "half the size of", "half as big as",
          "half as large as", "half as long as", "twice the length of", "double the length of"),
    "3": ("three times the size of", "three times as big as", "three times as large as", "three times as long as",
          "a third of the size of"),
}  # fmt: skip
_TWICE_AS = ("big", "large", "long")
_THE_OTHER = ("the other", "the other one", "the other piece", "the other part", "the other half", "the other slice")

# What a place holds is in it or on it; of other places it must be said beforehand that they are there.
HOLDS = {
    "vase": "in", "book": "in", "watermelon": "in", "cake": "on", "table": "on", "shelf": "on", "plate": "on",
}  # fmt: skip


def _phrases() -> dict[str, str]:
    phrases = words.QUANTITIES | dict.fromkeys(_THE_OTHER, "other")
    phrases |= {share: f"share {name}" for name, shares in _SHARES.items() for share in shares}
    phrases |= {f"{share} of it": f"share {name}" for name, shares in _SHARES.items() for share in shares}
    for (name, shares), of in product(_SHARES.items(), ("a", "an", "one", "another", "the")):
        phrases |= {f"{share} of {of}": f"portion {name} {of}" for share in shares}
    phrases |= {f"half {a}": "portion 1/2 a" for a in ("a", "an")}
    phrases |= dict.fromkeys(_PIECES, "pieces")
    phrases |= {pattern.format(piece): "pieces equal" for pattern, piece in product(_EQUAL, _PIECES)}
    phrases |= {parts: f"shares {number}" for parts, number in _EQUAL_PARTS.items()}
    phrases |= {f"equal {parts}": f"shares {number}" for parts, number in _EQUAL_PARTS.items()}
    phrases |= {f"{in_words(number)} {parts}": f"shares {number}" for parts, number in _EQUAL_PARTS.items()}
    phrases |= {f"{way} {into}": "cut" for way, into in product(_WAYS_TO_CUT, ("into", "in"))}
    return phrases | _size_phrases()


def _size_phrases() -> dict[str, str]:
    sizes = [(size, ratio) for ratio, own in _SIZES.items() for size in own]
    sizes += [(f"twice as {big} as", "2") for big in _TWICE_AS]
    return {
        " ".join(f"{one} {be} {size} {other}".split()): f"size {ratio}"
        for one, be, (size, ratio), other in product(_ONE_PIECE, ("", "is", "being"), sizes, _THE_OTHER)
    }


QUANTITY_PHRASES = Phrases(_phrases())
SPECIAL = frozenset(
    {"quantity", "compare", "portion", "share", "cut", "size", "hold", "without", "with", "pieces", "whole"}
)
"""A prompt with none of these and no number such as "one and a half" is no business of this grammar's."""
