"""The words that the prompts of GeckoNum are made of (vocabulary.toml)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from subitize.language.scene import HoldingWord


@dataclass(frozen=True, slots=True)
class Held:
    """Things that a place holds: flowers in a vase."""

    thing: str
    word: HoldingWord
    place: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A thing that is cut, what another one of it is called, and what it is cut into."""

    noun: str
    another: str
    into: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A thing in two pieces of different sizes, and how that is said: "broken", "is cut"."""

    noun: str
    how: Literal["broken", "is cut"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The nouns (and whether they are frequent), pairs, colours and numbers of one set of prompts."""

    nouns: Mapping[str, bool]
    sentence_nouns: tuple[str, ...]
    compared: tuple[tuple[str, str], ...]
    held: tuple[Held, ...]
    cut: tuple[Cut, ...]
    broken: tuple[str, ...]
    split: tuple[Split, ...]
    halves: tuple[tuple[str, str], ...]
    coloured_nouns: tuple[str, ...]
    colours: tuple[str, ...]
    numbers: tuple[int, ...] = tuple(range(1, 11))

    @property
    def small_numbers(self) -> tuple[int, ...]:
        """The lower half of the numbers, which are also written in words and stand with others in one prompt."""
        return self.numbers[: -(-len(self.numbers) // 2)]

    @property
    def smallest_numbers(self) -> tuple[int, ...]:
        """The lowest two fifths, which stand with colours."""
        return self.numbers[: max(1, 2 * len(self.numbers) // 5)]


def with_frequency(nouns: str) -> dict[str, bool]:
    """Nouns between commas, each with whether it is frequent; a rare one is marked by a star."""
    return {noun.strip().lstrip("*"): not noun.strip().startswith("*") for noun in nouns.split(",")}


WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))


def _read_official(words: Mapping[str, Any]) -> Vocabulary:
    lists = ("sentence_nouns", "broken", "coloured_nouns", "colours")
    return Vocabulary(
        with_frequency(words["nouns"]),
        compared=tuple((one, other) for one, other in words["compared"]),
        held=tuple(Held(*one) for one in words["held"]),
        cut=tuple(Cut(noun, another, tuple(into)) for noun, another, into in words["cut"]),
        split=tuple(Split(*one) for one in words["split"]),
        halves=tuple((one, other) for one, other in words["halves"]),
        **{name: tuple(words[name]) for name in lists},
    )


OFFICIAL = _read_official(WORDS["official"])

ZIPF: Mapping[str, float] = dict(zip(OFFICIAL.nouns, map(float, WORDS["official"]["zipf"].split()), strict=True))
"""How frequent the official nouns are in English text, as `nouns.look_up` has it of others."""
