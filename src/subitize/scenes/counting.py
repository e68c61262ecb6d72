"""What a question asks to be counted: "How many red apples are there?", "Count the apples."."""

import re
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from subitize.numerals import singular
from subitize.numerals.phrases import word_set
from subitize.records import Count

_MOST_WORDS = 5
_ASKED = re.compile(
    r"(?:\bhow many\b|^\W*(?:please\s+)?count\b|^\W*what is the (?:total )?number of\b)"
    r"(?:\s+(?:all|of|the|these|those|number of))*\b(.*)",
    re.IGNORECASE | re.DOTALL,
)
_VERBS = word_set("are is was were do does did can have has")
_WORD = re.compile(r"[^\W\d_](?:[\w'-]*\w)?")
_WITH_VERB = re.compile(r"how many ([a-z -]{1,60}?) (?:are|is|do|can)\b(.*)", re.IGNORECASE | re.DOTALL)
_WITHOUT_VERB = re.compile(
    r"(?:how many|(?:please )?count|what is the (?:total )?number of)(?: (?:all|of|the|number of))*"
    r" (?P<things>[a-z -]{1,60}?)(?: in (?:the|this) (?:image|photo|photograph|picture))?\s*"
    r"(?:[.?!:]\s*(?:(?:please )?(?:answer|give|reply|respond|return|say|write)\b.*)?)?",
    re.IGNORECASE | re.DOTALL,
)
_NO_NOUNS = _VERBS | word_set(
    "above all and any below by each every for from here in it more of on or that the them there these they this those"
    " to up which with without you"
)


class Asked(NamedTuple):
    """What is to be counted, as it is written, and what follows: "red apples", " to the left of the trees?"."""

    things: str
    rest: str


def is_count(question: str) -> bool:
    """Tell whether a question asks for a number."""
    return _ASKED.search(question) is not None


def read_counted(question: str) -> Asked | None:
    """Read what a plain question counts: with a verb, "How many apples are …?", or with nothing but the things."""
    if found := _WITH_VERB.search(question):
        return Asked(*found.groups())
    bare = _WITHOUT_VERB.fullmatch(" ".join(question.split()))
    return Asked(bare["things"], "") if bare and _is_noun(bare["things"].lower().split()) else None


def _is_noun(words: list[str]) -> bool:
    """Tell a noun from anything longer, "apples on tables": only its last word is a plural, if it has several."""
    is_plural = [singular(word) != word for word in words]
    return _NO_NOUNS.isdisjoint(words) and not any(is_plural[:-1]) and (len(words) == 1 or is_plural[-1])


@lru_cache(maxsize=4096)
def find_counted(question: str) -> str | None:
    """Find what any question asks to be counted, in the plural: "How many yellow cars have …?" asks for yellow cars."""
    asked = _ASKED.search(question)
    if asked is None:
        return None
    plain = read_counted(question)
    return find_first_things(asked[1]) or (plain.things if plain else None)


def find_first_things(text: str) -> str | None:
    """Take the words up to the first that is a plural, or before the verb, if either comes soon."""
    taken: list[str] = []
    for found in islice(_WORD.finditer(text), _MOST_WORDS):
        if found[0].lower() in _VERBS:
            return " ".join(taken) or None
        taken.append(found[0])
        if singular(found[0].lower()) != found[0].lower():
            return " ".join(taken)
    return None


@lru_cache(maxsize=4096)
def make_count(thing: str, colours: tuple[str, ...]) -> Count:
    """Make the question for a thing, in the singular or plural; a colour before it is one: "red apples"."""
    whole = thing.strip().lower()
    first, _, rest = whole.partition(" ")
    colour = "grey" if first == "gray" else first
    return Count(singular(rest), colour) if rest and colour in colours else Count(singular(whole))
