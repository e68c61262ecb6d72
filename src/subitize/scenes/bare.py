"""Prompts that are no sentences: bare nouns between commas; and numbers that follow from others: "twice as many"."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from subitize.numerals.phrases import list_phrases
from subitize.scenes.scene import Entity, NotUnderstood, Scene
from subitize.scenes.terms import Term
from subitize.scenes.words import LISTS


def read_bare(terms: list[Term]) -> Scene | None:
    """Read nouns in the singular, with nothing but commas between: one of each; None where there is more."""
    nouns, commas = terms[::2], terms[1::2]
    are_nouns = all(term.kind == "noun" and not term.is_plural for term in nouns)
    if len(terms) % 2 == 0 or not are_nouns or any(term.kind != "comma" for term in commas):
        return None
    names = [term.name for term in nouns]
    return Scene(tuple(Entity(name, 1) for name in names)) if len(set(names)) == len(names) else None


_MULTIPLES = list_phrases(LISTS["multiples"])
_MULTIPLE = re.compile(
    rf"(?P<first>.+?),? and (?P<times>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))}) as many (?P<things>.+)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Multiple:
    """The texts of some things and of others of which there are so many times as many, told as if there were two."""

    texts: tuple[str, str]
    times: Fraction


def part_multiple(prompt: str) -> Multiple | None:
    """Part "three cats and twice as many dogs"; None where nothing of the kind is said."""
    found = _MULTIPLE.fullmatch(prompt.strip().removesuffix("."))
    if found is None or re.search(r"\bas\b", found["things"]):  # "as many dogs as cats" compares
        return None
    times = Fraction(_MULTIPLES[found["times"].lower()])
    return Multiple((found["first"], f"two {found['things']}"), times)


def multiply(first: Scene | NotUnderstood, told: Multiple, second: Scene | NotUnderstood) -> Scene | NotUnderstood:
    """Work out the second number; of a whole number of things there must be one kind, and a whole number again."""
    for scene in (first, second):
        if isinstance(scene, NotUnderstood):
            return scene
        if len(scene.entities) != 1 or scene.relations or scene.grid:
            return NotUnderstood(f"so many times as many as of what? {told.texts[0]!r}")
    assert isinstance(first, Scene)
    assert isinstance(second, Scene)
    (thing,), (other,) = first.entities, second.entities
    if thing.noun == other.noun:
        return NotUnderstood(f"{thing.noun!r} is counted twice")
    number = thing.number * told.times if isinstance(thing.number, int) else Fraction(0)
    if number < 1 or number.denominator != 1:
        return NotUnderstood(f"{told.times} times {thing.number} is no whole number of things")
    return Scene((thing, replace(other, number=int(number))))
