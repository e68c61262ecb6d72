"""Splits text into words, digit chunks and marks, and looks up phrases among the tokens."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from subitize.io.files import read_own_toml

LONGEST_TEXT = 10_000
"""The most characters that are read; the rest is ignored."""

MARGIN = 8
"""The farthest that any function looks left or right of a token, so that none needs a bounds check."""

SENTENCE_ENDS = frozenset(".!?;\n")


class TextToken(NamedTuple):
    """A word, digit chunk, vulgar fraction or mark, and its position in the text."""

    text: str  # in lower case
    start: int
    end: int
    kind: str = "mark"  # or word, number, vulgar; code is a digit chunk without a number
    values: tuple[float, ...] = ()  # of a digit chunk: one number, or the two ends of a range
    is_capital: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is made of letters."""
        return self.kind == "word"


def tokenise(text: str) -> list[TextToken]:
    """The tokens of the first LONGEST_TEXT characters, with a margin on both sides."""
    tokens = _MARGIN_TOKENS.copy()
    uniform = text[:LONGEST_TEXT].replace("’", "'").replace("‐", "-").replace("‑", "-")  # of the same length
    for match in _TOKEN.finditer(uniform):
        kind = match.lastgroup
        written = match[0]
        start, end = match.span()
        if kind == "word":
            tokens.append(TextToken(written.lower(), start, end, "word", (), written[0].isupper()))
        elif kind == "mark":
            tokens.append(TextToken(written, start, end))
        elif kind == "number":
            tokens.extend(_number_tokens(written, start))
        elif kind == "thousands":
            tokens.append(_thousands_token(written, start, end))
        elif kind == "vulgar":
            tokens.append(TextToken(written, start, end, "vulgar", (_VULGAR[written],)))
    tokens += _MARGIN_TOKENS
    return tokens


def is_glued(tokens: list[TextToken], i: int) -> bool:
    """Whether token i directly follows the one before it."""
    return tokens[i].start == tokens[i - 1].end


def is_year(digits: str) -> bool:
    """Whether digits are more likely a year than a count: four of them, from 1900 to 2099."""
    return len(digits) == 4 and digits.isdecimal() and 1900 <= int(digits) <= 2099


_MARGIN_TOKENS = [TextToken("\n", -1, -2)] * MARGIN
_VULGAR = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅛": 1 / 8}
# A plain space separates two numbers ("12 500") unless a group begins with 0 and so is not a number by itself.
_TOKEN = re.compile(
    r"""(?=\S|\n)
    (?:  (?P<word> (?!(?i:https?://|www\.)) [^\W\d_½⅓⅔¼¾⅕⅛]++ (?:'[^\W\d_½⅓⅔¼¾⅕⅛]++)*+ )
      | (?P<thousands> [1-9]\d{0,2}+
            (?: (?:[\u00a0\u2009\u202f]\d{3}){1,4}+ | (?:[ ]\d{3}){0,3}?[ ]0\d\d (?:[ ]\d{3}){0,3}+ )
            (?![\u00a0\u2009\u202f ]?\d) (?:\.\d++)?+ )
      | (?P<number> \d++ (?:[.,:/xX×–-]\d++)*+ (?:[eE]\+?\d++)?+ )
      | (?P<vulgar> [½⅓⅔¼¾⅕⅛] )
      | (?P<skip> (?i:https?://|www\.)\S++ | </?[a-zA-Z][^<>\n]{0,80}+> | [*`] | (?<![^\W_])_ | _(?![^\W_]) )
      | (?P<mark> \n | \S )
    )""",
    re.VERBOSE,
)
_NUMERAL = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SCIENTIFIC = re.compile(r"\d{1,15}(?:\.\d{1,15})?e\+?\d{1,2}", re.IGNORECASE)
_RANGE_DASH = re.compile("[-–]")
_MOST_DIGITS = 15  # beyond 2**53 a float is not the number as written; longer runs are not numbers


def _thousands_token(written: str, start: int, end: int) -> TextToken:
    """A number with spaces between its thousands: "1 000"."""
    number = _numeral("".join(written.split()))
    return TextToken(written, start, end, "code" if number is None else "number", () if number is None else (number,))


def _number_tokens(chunk: str, start: int) -> Iterator[TextToken]:
    is_one = "," not in chunk or _chunk_values(chunk)  # "1,2" is two numbers, not 12
    items = [chunk] if is_one else chunk.split(",")
    for item in items:
        values = _chunk_values(item)
        yield TextToken(item, start, start + len(item), "number" if values else "code", values)
        start += len(item) + 1


def _chunk_values(chunk: str) -> tuple[float, ...]:
    """The numbers in a run of digits and separators; none for a time, date, size, version or telephone number."""
    single = _numeral(chunk)
    if single is not None:
        return (single,)
    if _SCIENTIFIC.fullmatch(chunk):
        return (float(chunk),) if float(chunk) < 10**_MOST_DIGITS else ()
    parts = _RANGE_DASH.split(chunk)
    if len(parts) == 2 and [len(part) for part in parts] != [3, 4]:
        low, high = (_numeral(part) for part in parts)
        if low is None or high is None or (is_year(parts[0]) and is_year(parts[1])):
            return ()
        return (min(low, high), max(low, high))
    above, slash, below = chunk.partition("/")
    return _fraction(above, below) if slash else ()


def _numeral(chunk: str) -> float | None:
    if chunk.isdecimal():
        return float(chunk) if len(chunk) <= _MOST_DIGITS else None
    if not _NUMERAL.fullmatch(chunk):
        return None
    whole, _, decimals = chunk.replace(",", "").partition(".")
    if len(whole) > _MOST_DIGITS or len(decimals) > _MOST_DIGITS:
        return None
    return float(f"{whole}.{decimals}")


def _fraction(above: str, below: str) -> tuple[float, ...]:
    """A fraction of things; anything else with a slash (24/7, 12/25, 10/10) is a date or a score."""
    if not (above.isdecimal() and below.isdecimal() and len(above) <= 2 and len(below) <= 2):
        return ()
    numerator, denominator = int(above), int(below)
    is_proper = 0 < numerator < denominator <= 10
    return (numerator / denominator,) if is_proper or (numerator and denominator in (2, 3, 4)) else ()


class Phrases:
    """Phrases with meanings, looked up at a position in the text; the longest wins."""

    def __init__(self, meanings: dict[str, str]) -> None:
        self._meanings = meanings

    @cached_property
    def openers(self) -> frozenset[str]:
        """The words that phrases begin with."""
        return frozenset(self._root)

    def match(self, tokens: list[TextToken], i: int) -> tuple[str, int] | None:
        """The meaning and end of the phrase at i."""
        longest, node = None, self._root.get(tokens[i].text)
        while node is not None:
            i += 1
            if "" in node:
                longest = node[""], i
            node = node.get(tokens[i].text)
        return longest

    @cached_property
    def _root(self) -> dict[str, Any]:
        """A trie: by each next word what may follow it, and by "" the meaning of the words so far."""
        root: dict[str, Any] = {}
        for phrase, meaning in self._meanings.items():
            node = root
            for word in phrase.split():
                node = node.setdefault(word, {})
            node[""] = meaning
        return root


def list_phrases(by_meaning: Mapping[str, str]) -> dict[str, str]:
    """The meaning of each phrase; phrases are separated by commas, and " , " is a comma within one."""
    listed = {meaning: " ".join(text.split()).replace(" , ", " \0 ").split(",") for meaning, text in by_meaning.items()}
    return {phrase.strip().replace("\0", ","): meaning for meaning, own in listed.items() for phrase in own}


def word_list(words: str) -> tuple[str, ...]:
    """The words of a table, in order."""
    return tuple(words.split())


def word_set(words: str) -> frozenset[str]:
    """The words of a table, as a set."""
    return frozenset(words.split())


_LISTS = read_own_toml(__file__, "answer_words.toml")
WORDS: Mapping[str, frozenset[str]] = {name: word_set(words) for name, words in _LISTS["words"].items()}
"""The longer tables of words (answer_words.toml), by name."""


def find_phrases(name: str) -> Phrases:
    """The phrases of a table of answer_words.toml."""
    return Phrases(list_phrases(_LISTS["phrases"][name]))
