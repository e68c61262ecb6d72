"""The words that prompts are made of (words.toml), and how a noun is spoken of."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from subitize.language.nouns import article, plural, singular

WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


@cache  # the same lists are drawn from hundreds of times
def split(words: str) -> tuple[str, ...]:
    """Part words between commas, however they are broken into lines."""
    return tuple(" ".join(word.split()) for word in words.split(","))


def split_each(lists: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Part the words of every list."""
    return {name: split(words) for name, words in lists.items()}


_MASS, _PLURAL = (frozenset(split(WORDS["speech"][name])) for name in ("mass", "plural"))
PLACES = split_each(WORDS["places"])
KINDS = split_each(WORDS["conditional"]["kinds"])


def are_common(nouns: tuple[str, ...]) -> bool:
    """Tell whether things are commonly seen together: in one of our places."""
    return any(set(nouns) <= set(things) for things in PLACES.values())


def a(noun: str) -> str:
    """Put a noun as one sees one of it: "an apple", "some grass", "some scissors"."""
    return f"some {noun}" if noun in _MASS or is_plural(noun) else f"{article(noun)} {noun}"


def several(noun: str) -> str:
    """Put a noun as one speaks of any number of it: "apples", "grass", "scissors"."""
    return noun if noun in _MASS or is_plural(noun) else plural(noun)


def be(noun: str) -> str:
    """Choose the verb for any number of it: "there are apples", "there is grass"."""
    return "is" if noun in _MASS else "are"


def is_plural(noun: str) -> bool:
    """Tell whether a noun stands in the plural: scissors, wheels; "sheep" is one or several and counts as one."""
    return noun in _PLURAL or (noun not in _MASS and singular(noun) != noun)
