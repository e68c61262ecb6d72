"""Edit distance between texts, in characters or words."""

import re
import unicodedata
from collections.abc import Sequence

_QUOTES = str.maketrans({**dict.fromkeys("“”„‟«»″＂", '"'), **dict.fromkeys("‘’‚‛‹›′´`＇", "'")})


def normalise(text: str) -> str:
    """Remove irrelevant differences: case, variants of letters (NFKC), of quotes and of blanks."""
    # Quotes are replaced first, as NFKC splits some (″ is two of ′), and last, as it produces others.
    composed = unicodedata.normalize("NFKC", text.translate(_QUOTES)).casefold()
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", composed).translate(_QUOTES)).strip()


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the fewest letters (or words, for lists) to insert, delete or change (Levenshtein 1966)."""
    short, long = sorted((one, other), key=len)
    row = list(range(len(short) + 1))
    for above, letter in enumerate(long, start=1):
        diagonal, row[0] = row[0], above
        for place, own in enumerate(short, start=1):
            changed = diagonal + (own != letter)
            diagonal = row[place]
            row[place] = min(changed, row[place] + 1, row[place - 1] + 1)
    return row[-1]


def normalised_edit_distance(one: str, other: str) -> float:
    """The edit distance of two normalised texts, divided by the longer's length: from 0 (equal) to 1."""
    return _share(normalise(one), normalise(other))


def normalised_word_distance(one: str, other: str) -> float:
    """The edit distance in words of two normalised texts, divided by the longer's number of words."""
    return _share(normalise(one).split(), normalise(other).split())


def _share(first: Sequence[str], second: Sequence[str]) -> float:
    longer = max(len(first), len(second))
    return edit_distance(first, second) / longer if longer else 0.0
