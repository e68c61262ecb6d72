"""Tables of words and phrases, and how a phrase is found at a place in the text."""

from subitize.numerals.tokens import Token


class Phrases:
    """Phrases, each with a meaning, to be looked up at a place in the text; the longest wins."""

    def __init__(self, meanings: dict[str, str]) -> None:
        self._by_opener: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for phrase in sorted(meanings, key=len, reverse=True):
            words = word_list(phrase)
            self._by_opener.setdefault(words[0], []).append((words, meanings[phrase]))
        self.openers = frozenset(self._by_opener)

    def match(self, tokens: list[Token], i: int) -> tuple[str, int] | None:
        """The meaning of the phrase at i, and where the phrase ends."""
        for words, meaning in self._by_opener.get(tokens[i].text, ()):
            if all(tokens[i + k].text == words[k] for k in range(1, len(words))):
                return meaning, i + len(words)
        return None


def same_meaning(meaning: str, phrases: str) -> dict[str, str]:
    """A meaning for each of the phrases, which stand between commas."""
    return dict.fromkeys((phrase.strip() for phrase in phrases.split(",")), meaning)


def word_list(words: str) -> tuple[str, ...]:
    """The words of a table, in order."""
    return tuple(words.split())


def word_set(words: str) -> frozenset[str]:
    """The words of a table, to look words up in."""
    return frozenset(words.split())
