"""The closed lists of words for open numbers, comparisons and parts (words.toml)."""

from collections.abc import Mapping
from itertools import product

from subitize.numerals import in_words
from subitize.numerals.phrases import Phrases, list_phrases
from subitize.scenes import words

_PARTS = words.LISTS["parts"]
_SHARES = list_phrases(_PARTS["shares"])
_SIZES = list_phrases(_PARTS["sizes"])
_EQUAL_PARTS: Mapping[str, int] = _PARTS["in_equal_parts"]
_PIECES, _EQUAL, _WAYS_TO_CUT, _ONE_PIECE, _THE_OTHER = (
    tuple(list_phrases({"": _PARTS[name]})) for name in ("pieces", "equal", "ways_to_cut", "one_piece", "the_other")
)
HOLDS: Mapping[str, str] = words.LISTS["holds"]
OWN_PARTS: Mapping[str, str] = words.LISTS["own_parts"]


def _phrases() -> dict[str, str]:
    phrases = list_phrases(words.LISTS["quantities"]) | dict.fromkeys(_THE_OTHER, "other")
    for share, name in _SHARES.items():
        phrases |= dict.fromkeys((share, f"{share} of it"), f"share {name}")
        phrases |= {f"{share} of {of}": f"portion {name} {of}" for of in ("a", "an", "one", "another", "the")}
    phrases |= {f"half {a}": "portion 1/2 a" for a in ("a", "an")}
    phrases |= dict.fromkeys(_PIECES, "pieces")
    phrases |= {pattern.format(piece): "pieces equal" for pattern, piece in product(_EQUAL, _PIECES)}
    for parts, number in _EQUAL_PARTS.items():
        phrases |= dict.fromkeys((parts, f"equal {parts}", f"{in_words(number)} {parts}"), f"shares {number}")
    phrases |= {f"{way} {into}": "cut" for way, into in product(_WAYS_TO_CUT, ("into", "in"))}
    return phrases | _size_phrases()


def _size_phrases() -> dict[str, str]:
    return {
        " ".join(f"{one} {be} {size} {other}".split()): f"size {ratio}"
        for one, be, (size, ratio), other in product(_ONE_PIECE, ("", "is", "being"), _SIZES.items(), _THE_OTHER)
    }


QUANTITY_PHRASES = Phrases(_phrases())
SPECIAL = frozenset(
    {"quantity", "compare", "portion", "share", "cut", "size", "hold", "without", "with", "pieces", "whole"}
)
"""A prompt with none of these and no number such as "one and a half" is no business of this grammar's."""
