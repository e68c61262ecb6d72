"""What a question or a caption counts, and the question for it."""

import re
from functools import lru_cache
from itertools import islice

from subitize.numerals import in_words, plural, singular
from subitize.records import Ask, Count
from subitize.vision.colours import COLOUR_NAMES

_MOST_WORDS = 5
_HOW_MANY = re.compile(r"\bhow many\b(?:\s+of)?(?:\s+(?:the|these|those))?\b(.*)", re.IGNORECASE | re.DOTALL)
_VERBS = frozenset({"are", "is", "was", "were", "do", "does", "did", "can", "have", "has"})
_WORD = re.compile(r"[^\W\d_](?:[\w'-]*\w)?")


@lru_cache(maxsize=4096)
def find_counted(question: str) -> str | None:
    """Find what a question asks to be counted, in the plural: "How many yellow cars have …?" asks for yellow cars."""
    asked = _HOW_MANY.search(question)
    return _first_things(asked[1]) if asked else None


def find_captioned(caption: str, number: int) -> str | None:
    """Find of what a caption says that there are so many, in the plural."""
    said = re.search(rf"\b(?:{number}|{in_words(number)})\b(?!-)(.*)", caption, re.IGNORECASE | re.DOTALL)
    return _first_things(said[1]) if said else None


def ask_for(things: str) -> str:
    """Word the question for things in the plural."""
    return f"How many {things} are there in the image?"


@lru_cache(maxsize=4096)
def make_count(thing: str) -> Count:
    """Make the question for a thing, in the singular or plural; a colour before it is one: "red apples"."""
    first, _, rest = thing.strip().lower().replace("gray", "grey").partition(" ")
    is_coloured = bool(rest) and first in COLOUR_NAMES
    return Count(singular(rest if is_coloured else thing.strip().lower()), first if is_coloured else None)


def ask_count(thing: str, number: int) -> Ask:
    """Ask how many there are in a drawing."""
    count = make_count(thing)
    things = plural(f"{count.colour} {count.noun}" if count.colour else count.noun)
    return Ask(count, f"How many {things} are in the image?", (number,))


def _first_things(text: str) -> str | None:
    """Take the words up to the first that is a plural, or before the verb, if either comes soon."""
    taken: list[str] = []
    for found in islice(_WORD.finditer(text), _MOST_WORDS):
        if found[0].lower() in _VERBS:
            return " ".join(taken) or None
        taken.append(found[0])
        if singular(found[0].lower()) != found[0].lower():
            return " ".join(taken)
    return None
