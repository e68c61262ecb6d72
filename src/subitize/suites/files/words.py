"""Word lists and templates of a suite file, and the combinations that fill a template's gaps.

Gaps are {noun}, {nouns}, {noun(s)}, {a noun}, {number} and {number in words}. A template gives every combination of
the words it names, or a balanced sample of them."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from random import Random
from typing import Literal, TypeVar

from subitize.language.nouns import plural, singular, with_article
from subitize.language.numbers import LARGEST_IN_WORDS, in_words
from subitize.suites.files.yaml import FilePosition, Listed, Node, Text, YamlTable, want_text

Word = str | int
"""A word of a list, or a number if the list contains only whole numbers."""
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
    """A gap for a list's word, in some form; an agreeing noun is singular after the number 1."""

    list: str
    form: Form = "plain"
    number: str = ""
    """The list whose number an agreeing noun agrees with."""

    def fill(self, words: Mapping[str, Word]) -> str:
        """Write the word in the gap's form."""
        return _WRITE[self.form](words[self.list], words.get(self.number, 0))


@dataclass(frozen=True, slots=True)
class Template:
    """A text of the file, split into pieces."""

    text: Text
    pieces: tuple[str | Gap, ...] = field(repr=False)

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists of its gaps."""
        return tuple(dict.fromkeys(piece.list for piece in self.pieces if isinstance(piece, Gap)))

    def fill(self, words: Mapping[str, Word]) -> str:
        """Fill the gaps with words."""
        filled = "".join(piece.fill(words) if isinstance(piece, Gap) else piece for piece in self.pieces)
        if len(filled) > LONGEST_TEXT:
            raise self.text.place.error(f"a text of {len(filled):,} characters; at most {LONGEST_TEXT:,}")
        return filled


def read_template(text: Text, lists: Mapping[str, Sequence[Word]]) -> Template:
    """Find the gaps of a text; each names one of the lists."""
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


_WRITE: Mapping[Form, Callable[[Word, Word], str]] = {
    "plain": lambda word, _: str(word),
    "plural": lambda word, _: plural(str(word)),
    "agreeing": lambda word, number: str(word) if number == 1 else plural(str(word)),
    "with a": lambda word, _: with_article(str(word)),
    "with A": lambda word, _: "A" + with_article(str(word))[1:],
    "in words": lambda word, _: in_words(int(word)),
}

NUMBER = "number"
"""The list with the right number for counts that do not set their own."""
OUR_FACTORS = ("template", "task", "category", "linked", "refinement", "is_refined")
"""Factors that are set automatically."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_WHOLE = re.compile(r"0|[1-9][0-9]{0,5}")
_MOST_WORDS = 100_000
_LONGEST_WORD = 200


@dataclass(frozen=True, slots=True)
class WordList:
    """A list of words, or several lists combined row by row."""

    names: tuple[str, ...]
    rows: tuple[tuple[Word, ...], ...]
    place: FilePosition = field(repr=False, compare=False)

    def __repr__(self) -> str:
        """Keep the class's former name: a suite's identity is a hash of this text."""
        return f"Words(names={self.names!r}, rows={self.rows!r})"

    def column(self, name: str) -> tuple[Word, ...]:
        """Return the words of one list, without duplicates."""
        where = self.names.index(name)
        return tuple(dict.fromkeys(row[where] for row in self.rows))


def read_words(key: Text, node: Node) -> WordList:
    """Read one list, `noun: [cat, dog]` or `number: 1-10`, or lists combined by row, `noun, part: …`."""
    names = tuple(name.strip() for name in key.value.split(","))
    for place, name in enumerate(names):
        check_name(key, name)
        if name in names[:place]:
            raise key.place.error(f"{key}: {name!r} stands there twice")
        if (one := singular(name)) != name:
            raise key.place.error(f"list {name!r}: name it {one!r}; {{{name}}} is then the plural of its words")
    rows = [(word,) for word in _read_list(node, names[0])] if len(names) == 1 else list(_read_rows(node, names))
    _check_rows(node, key.value, rows)
    columns = [_type([row[place].value for row in rows]) for place in range(len(names))]
    return WordList(names, tuple(zip(*columns, strict=True)), key.place)


def check_name(key: Text, name: str) -> None:
    """Refuse an invalid name for a list or factor."""
    if not _NAME.fullmatch(name):
        raise key.place.error(f"name {name!r}: should be 1 to 40 of a–z, 0–9 and _, a letter first")
    if name in OUR_FACTORS:
        raise key.place.error(f"name {name!r}: it is taken; give it another")


def read_numbers(text: Text, what: str) -> list[int]:
    """Read `3` or `1-10`."""
    low, dash, high = text.value.partition("-")
    if not all(_WHOLE.fullmatch(one.strip()) for one in ((low, high) if dash else (low,))):
        raise text.place.error(f"{what} {text}: write a range like 1-10 or a list like [1, 2, 5]")
    numbers = range(int(low), int(high or low) + 1)
    if not 1 <= len(numbers) <= _MOST_WORDS:
        raise text.place.error(f"{what} {text}: should go up, and be at most {_MOST_WORDS:,} numbers")
    return list(numbers)


def _read_list(node: Node, name: str) -> Iterator[Text]:
    """Read words, and numbers with ranges among them."""
    if isinstance(node, Text) and node.value[:1].isdecimal():
        yield from _read_range(node, name)
    elif isinstance(node, Listed) and node.entries:
        for entry in node.entries:
            text = want_text(entry, name)
            is_range = re.fullmatch(r"[0-9]+-[0-9]+", text.value)
            yield from _read_range(text, name) if is_range else [_read_word(text, name)]
    else:
        shown = f" {node}" if isinstance(node, Text) else ""
        raise node.place.error(f"{name}{shown}: write a list like [cat, dog], or of numbers a range like 1-10")


def _read_range(text: Text, name: str) -> Iterator[Text]:
    return (Text(str(number), text.place) for number in read_numbers(text, name))


def _read_rows(node: Node, names: Sequence[str]) -> Iterator[tuple[Text, ...]]:
    """Read rows, `- [cat, tail]`, or of two lists a table, `cat: [tail, ear]`."""
    if isinstance(node, YamlTable) and node.pairs and len(names) == 2:
        for key, entry in node.pairs:
            yield from ((_read_word(key, names[0]), word) for word in _read_list(entry, names[1]))
    elif isinstance(node, Listed) and node.entries:
        for entry in node.entries:
            if not isinstance(entry, Listed) or len(entry.entries) != len(names):
                raise entry.place.error(f"a row should be {len(names)} words: [{', '.join(names)}]")
            words = zip(entry.entries, names, strict=True)
            yield tuple(_read_word(want_text(one, name), name) for one, name in words)
    else:
        table = " or, of two lists, a table like cat: [tail, ear]" * (len(names) == 2)
        raise node.place.error(f"{', '.join(names)}: write rows like - [{', '.join(names)}]{table}")


def _read_word(text: Text, name: str) -> Text:
    word = text.value.strip()
    if name == NUMBER and not _WHOLE.fullmatch(word):
        raise text.place.error(f"{name} {text}: should be a whole number in digits; call a list of words otherwise")
    if not word or not word.isprintable() or len(word) > _LONGEST_WORD:
        raise text.place.error(f"{name} {text}: should be a text of 1 to {_LONGEST_WORD} characters in one line")
    return Text(word, text.place)


def _check_rows(node: Node, name: str, rows: Sequence[tuple[Text, ...]]) -> None:
    if len(rows) > _MOST_WORDS:
        raise node.place.error(f"{name}: {len(rows):,} words; at most {_MOST_WORDS:,}")
    seen: set[tuple[Text, ...]] = set()
    for row in rows:
        if row in seen:
            words = ", ".join(one.value for one in row)
            raise row[-1].place.error(f"{name}: {words!r} stands there twice; once is enough")
        seen.add(row)


def _type(words: Sequence[str]) -> Sequence[Word]:
    """Convert a list of nothing but numbers."""
    return [int(word) for word in words] if all(map(_WHOLE.fullmatch, words)) else words


Combination = Mapping[str, Word]
T = TypeVar("T")
MOST_ITEMS = 100_000
MOST_COMBINATIONS = 10**15
"""The most combinations that a sample can be drawn from."""


def count_combinations(words: Sequence[WordList]) -> int:
    """Count the combinations without making them."""
    return math.prod(len(one.rows) for one in words)


def combine(words: Sequence[WordList]) -> Iterator[Combination]:
    """Make all combinations, the last list varying fastest."""
    return (_merge(words, rows) for rows in product(*(one.rows for one in words)))


def draw(words: Sequence[WordList], strata: Sequence[str], number: int, seed: str) -> list[Combination]:
    """Draw distinct combinations at random, equally many (or one more) from each level of the strata.

    There may be far too many combinations to list.
    """
    random = Random(seed)
    fixed = [one for one in words if set(one.names) & set(strata)]
    if count_combinations(fixed) > MOST_ITEMS:  # the same one is hardly ever drawn twice
        fixed = []
    free = [one for one in words if one not in fixed]
    cells = list(product(*(one.rows for one in fixed)))
    _shuffle(cells, random)
    each, more = divmod(number, len(cells))
    drawn = []
    for place, cell in enumerate(cells):
        for index in _sample(count_combinations(free), each + (place < more), random):
            drawn.append({**_merge(fixed, cell), **_merge(free, _find(free, index))})
    order = [name for one in words for name in one.names]
    return [{name: one[name] for name in order} for one in drawn]


# Items must not depend on the version of Python, which may change its shuffling and sampling. These two functions copy
# those of Python 3.11.
def _shuffle(values: list[T], random: Random) -> None:
    for place in range(len(values) - 1, 0, -1):
        other = _draw_below(place + 1, random)
        values[place], values[other] = values[other], values[place]


def _sample(total: int, number: int, random: Random) -> list[int]:
    """Draw distinct numbers below a total."""
    if total > 21 + (4 ** math.ceil(math.log(number * 3, 4)) if number > 5 else 0):
        drawn: dict[int, None] = {}
        while len(drawn) < number:
            drawn[_draw_below(total, random)] = None
        return list(drawn)
    left = list(range(total))
    return [_take(left, _draw_below(len(left), random)) for _ in range(number)]


def _take(left: list[int], place: int) -> int:
    """Remove one; the last takes its place."""
    left[place], left[-1] = left[-1], left[place]
    return left.pop()


def _draw_below(limit: int, random: Random) -> int:
    while (drawn := random.getrandbits(limit.bit_length())) >= limit:
        pass
    return drawn


def _find(words: Sequence[WordList], index: int) -> list[tuple[Word, ...]]:
    """Find the rows of the combination with an index."""
    rows = []
    for one in words:
        index, place = divmod(index, len(one.rows))
        rows.append(one.rows[place])
    return rows


def _merge(words: Sequence[WordList], rows: Sequence[tuple[Word, ...]]) -> dict[str, Word]:
    return {name: word for one, row in zip(words, rows, strict=True) for name, word in zip(one.names, row, strict=True)}
