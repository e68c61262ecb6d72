"""Tables of words and phrases, and how a phrase is found at a place in the text."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from subitize.numerals.tokens import Token


class Phrases:
    """Phrases, each with a meaning, to be looked up at a place in the text; the longest wins."""

    def __init__(self, meanings: dict[str, str]) -> None:
        self._meanings = meanings

    @cached_property
    def openers(self) -> frozenset[str]:
        """The words that phrases begin with."""
        return frozenset(self._root.after)

    def match(self, tokens: list[Token], i: int) -> tuple[str, int] | None:
        """The meaning of the phrase at i, and where the phrase ends."""
        longest = None
        node = self._root.after.get(tokens[i].text)
        while node is not None:
            i += 1
            if node.meaning is not None:
                longest = node.meaning, i
            node = node.after.get(tokens[i].text)
        return longest

    @cached_property
    def _root(self) -> "_Node":
        root = _Node()
        for phrase, meaning in self._meanings.items():
            node = root
            for word in phrase.split():
                if word not in node.after:
                    node.after[word] = _Node()
                node = node.after[word]
            node.meaning = meaning
        return root


@dataclass(slots=True)
class _Node:
    """What the words so far mean, if they are a phrase, and where each next word leads."""

    meaning: str | None = None
    after: dict[str, "_Node"] = field(default_factory=dict)


def list_phrases(by_meaning: Mapping[str, str]) -> dict[str, str]:
    """A meaning for each of the phrases, which stand between commas; " , " is a comma of the phrase itself."""
    listed = {meaning: " ".join(text.split()).replace(" , ", " \0 ").split(",") for meaning, text in by_meaning.items()}
    return {phrase.strip().replace("\0", ","): meaning for meaning, own in listed.items() for phrase in own}


def word_list(words: str) -> tuple[str, ...]:
    """The words of a table, in order."""
    return tuple(words.split())


def word_set(words: str) -> frozenset[str]:
    """The words of a table, to look words up in."""
    return frozenset(words.split())


_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
WORDS: Mapping[str, frozenset[str]] = {name: word_set(words) for name, words in _LISTS["words"].items()}
"""The longer tables of words (words.toml), by name."""


def find_phrases(name: str) -> Phrases:
    """The phrases of a table of words.toml."""
    return Phrases(list_phrases(_LISTS["phrases"][name]))
