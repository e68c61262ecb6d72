"""Texts with gaps for the words of lists: {noun}, {nouns}, {noun(s)}, {a noun}, {number}, {number in words}."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from subitize.language.nouns import article, plural
from subitize.language.numbers import LARGEST_IN_WORDS, in_words
from subitize.suites.files.nodes import Text

Word = str | int
"""A word of a list, or a number of one that has nothing but whole numbers."""
LONGEST_TEXT = 2_000

Form = Literal["plain", "plural", "agreeing", "with a", "with A", "in words"]
_FORMS: Mapping[str, Form] = {
    r"(.+)s": "plural",
    r"(.+)\(s\)": "agreeing",
    r"an? (.+)": "with a",
    r"An? (.+)": "with A",
    r"(.+) in words": "in words",
}
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


@dataclass(frozen=True, slots=True)
class Gap:
    """A place for the word of a list, in a form; an agreeing noun is in the singular after the number 1."""

    list: str
    form: Form = "plain"
    number: str = ""
    """The list whose number an agreeing noun follows."""

    def fill(self, words: Mapping[str, Word]) -> str:
        """Put the word there."""
        return _WRITE[self.form](words[self.list], words.get(self.number, 0))


@dataclass(frozen=True, slots=True)
class Template:
    """A text as it is in the file, and its pieces."""

    text: Text
    pieces: tuple[str | Gap, ...] = field(repr=False)

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists that it has gaps for."""
        return tuple(dict.fromkeys(piece.list for piece in self.pieces if isinstance(piece, Gap)))

    def fill(self, words: Mapping[str, Word]) -> str:
        """Put words into the gaps."""
        filled = "".join(piece.fill(words) if isinstance(piece, Gap) else piece for piece in self.pieces)
        if len(filled) > LONGEST_TEXT:
            raise self.text.place.error(f"a text of {len(filled):,} characters; at most {LONGEST_TEXT:,}")
        return filled


def read_template(text: Text, lists: Mapping[str, Sequence[Word]]) -> Template:
    """Find the gaps of a text, each for one of the lists."""
    pieces: list[str | Gap] = []
    number, end = "", 0
    for found in _PIECE.finditer(text.value):
        pieces.append(text.value[end : found.start()])
        end = found.end()
        if found[0] in ("{{", "}}"):
            pieces.append(found[0][0])
        elif found[1] is None:
            raise text.place.error(f"{text}: a single {found[0]}; write {found[0] * 2} for the character itself")
        else:
            gap = _read_gap(text, found[1], lists, number)
            pieces.append(gap)
            number = gap.list if _is_number(lists[gap.list]) else number
    return Template(text, tuple(piece for piece in (*pieces, text.value[end:]) if piece))


def _read_gap(text: Text, written: str, lists: Mapping[str, Sequence[Word]], number: str) -> Gap:
    gap = _find_list(written, lists)
    if gap is None:
        near = get_close_matches(written, _possible(lists), n=1)
        hint = f"did you mean {{{near[0]}}}?" if near else f"lists: {', '.join(lists) or 'none'}"
        raise text.place.error(f"{text}: no list of words for {{{written}}}; {hint}")
    if _is_number(lists[gap.list]) != (gap.form == "in words") and gap.form != "plain":
        kind = "numbers" if gap.form != "in words" else "words"
        raise text.place.error(f"{text}: {{{written}}} does not suit {gap.list!r}, a list of {kind}")
    if gap.form == "in words" and any(one > LARGEST_IN_WORDS for one in lists[gap.list] if isinstance(one, int)):
        raise text.place.error(f"{text}: {{{written}}}: numbers up to {LARGEST_IN_WORDS:,} are written in words")
    if gap.form != "agreeing":
        return gap
    if not number:
        raise text.place.error(f"{text}: {{{written}}} follows a number; write one before it, or {{{gap.list}s}}")
    return Gap(gap.list, gap.form, number)


def _find_list(written: str, lists: Collection[str]) -> Gap | None:
    if written in lists:
        return Gap(written)
    for pattern, form in _FORMS.items():
        found = re.fullmatch(pattern, written)
        if found and found[1] in lists:
            return Gap(found[1], form)
    return None


def _possible(lists: Collection[str]) -> list[str]:
    return [one for name in lists for one in (name, f"{name}s", f"{name}(s)", f"a {name}", f"{name} in words")]


def _is_number(words: Sequence[Word]) -> bool:
    return isinstance(words[0], int)


def _with_a(word: Word, _: Word) -> str:
    return f"{article(str(word))} {word}"


_WRITE: Mapping[Form, Callable[[Word, Word], str]] = {
    "plain": lambda word, _: str(word),
    "plural": lambda word, _: plural(str(word)),
    "agreeing": lambda word, number: str(word) if number == 1 else plural(str(word)),
    "with a": _with_a,
    "with A": lambda word, number: "A" + _with_a(word, number)[1:],
    "in words": lambda word, _: in_words(int(word)),
}
