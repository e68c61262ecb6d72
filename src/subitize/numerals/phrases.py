"""Tables of words and phrases, and how a phrase is found at a place in the text."""

from dataclasses import dataclass, field

from subitize.numerals.tokens import Token


class Phrases:
    """Phrases, each with a meaning, to be looked up at a place in the text; the longest wins."""

    def __init__(self, meanings: dict[str, str]) -> None:
        self._root = _Node()
        for phrase, meaning in meanings.items():
            node = self._root
            for word in phrase.split():
                node = node.after.setdefault(word, _Node())
            node.meaning = meaning
        self.openers = frozenset(self._root.after)

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


@dataclass(slots=True)
class _Node:
    """What the words so far mean, if they are a phrase, and where each next word leads."""

    meaning: str | None = None
    after: dict[str, "_Node"] = field(default_factory=dict)


def same_meaning(meaning: str, phrases: str) -> dict[str, str]:
    """A meaning for each of the phrases, which stand between commas."""
    return dict.fromkeys((phrase.strip() for phrase in phrases.split(",")), meaning)


def word_list(words: str) -> tuple[str, ...]:
    """The words of a table, in order."""
    return tuple(words.split())


def word_set(words: str) -> frozenset[str]:
    """The words of a table, to look words up in."""
    return frozenset(words.split())
