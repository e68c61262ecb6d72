"""Lists of words and of numbers, alone or row by row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from subitize.language.nouns import singular
from subitize.suites.files.nodes import Listed, Node, Place, Table, Text, want_text
from subitize.suites.files.templates import Word

NUMBER = "number"
"""The list that says what is right where a count does not say so itself."""
OUR_FACTORS = ("template", "task", "category", "linked", "refinement", "is_refined")
"""Factors that follow from what a file says."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_WHOLE = re.compile(r"0|[1-9][0-9]{0,5}")
_MOST_WORDS = 100_000
_LONGEST_WORD = 200


@dataclass(frozen=True, slots=True)
class Words:
    """A list of words; or several lists that are taken together, row by row."""

    names: tuple[str, ...]
    rows: tuple[tuple[Word, ...], ...]
    place: Place = field(repr=False, compare=False)

    def column(self, name: str) -> tuple[Word, ...]:
        """Take the words of one list, each once."""
        where = self.names.index(name)
        return tuple(dict.fromkeys(row[where] for row in self.rows))


def read_words(key: Text, node: Node) -> Words:
    """Read one list, `noun: [cat, dog]` or `number: 1-10`, or lists that belong together, `noun, part: …`."""
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
    return Words(names, tuple(zip(*columns, strict=True)), key.place)


def check_name(key: Text, name: str) -> None:
    """Refuse a name that no list and no factor can have."""
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
    if isinstance(node, Table) and node.pairs and len(names) == 2:
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
    """Make numbers of a list that has nothing else."""
    return [int(word) for word in words] if all(map(_WHOLE.fullmatch, words)) else words
