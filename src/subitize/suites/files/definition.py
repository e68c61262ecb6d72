"""Reads the keys of a suite file and checks that they fit together, before any item is made."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from subitize.suites.files.questions import Question, read_question
from subitize.suites.files.words import (
    MOST_COMBINATIONS,
    MOST_ITEMS,
    Template,
    Word,
    WordList,
    check_name,
    count_combinations,
    read_template,
    read_words,
)
from subitize.suites.files.yaml import FilePosition, Listed, Node, Text, YamlTable, read_yaml, want_table, want_text

T = TypeVar("T")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LONGEST_VERSION = 40
_MOST = 100_000
_KEYS = (
    *("name", "version", "prompts", "words", "show", "pictures", "ask", "factors", "singles", "sample", "seed"),
    *("strata", "sampled", "repeats", "judge"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The meaning of a suite file, independent of its layout. Its repr is hashed into the suite's identity."""

    name: str
    version: str
    prompts: Mapping[str, Template]
    """By the template's name."""
    words: tuple[WordList, ...]
    show: Template | None
    pictures: int
    ask: tuple[Question, ...]
    factors: Mapping[str, Template]
    singles: tuple[str, ...]
    sample: int
    seed: int
    strata: tuple[str, ...] | None
    sampled: tuple[str, ...] = field(default=(), repr=False)
    repeats: int
    judge: str
    table: YamlTable = field(repr=False, compare=False)

    @property
    def lists(self) -> dict[str, tuple[Word, ...]]:
        """The words of each list, without duplicates."""
        return list_words(self.words)

    @property
    def number_lists(self) -> tuple[str, ...]:
        """The lists of numbers."""
        return tuple(name for name, words in self.lists.items() if isinstance(words[0], int))

    def groups(self, prompt: Template) -> list[WordList]:
        """Find the word lists used by a template or by `show`, each with the lists tied to it."""
        named = {*prompt.lists, *(self.show.lists if self.show else ())}
        return [one for one in self.words if named & set(one.names)]

    def place_of(self, key: str) -> FilePosition:
        """Return the position of a key, or the start of the file if it is missing."""
        found = self.table.get(key)
        return found.place if found else self.table.place


def list_words(words: Sequence[WordList]) -> dict[str, tuple[Word, ...]]:
    """Return the words of each list, without duplicates."""
    return {name: one.column(name) for one in words for name in one.names}


def read_definition(path: Path) -> Definition:
    """Read a file; its name is the suite's unless it sets another."""
    table = want_table(read_yaml(path), "the file", 'prompts: "{number} {noun(s)}"')
    table.check_keys(_KEYS)
    words = _read_all_words(table.get("words"))
    lists = list_words(words)

    def read(key: str, by: Callable[[Node], T], otherwise: T) -> T:
        node = table.get(key)
        return otherwise if node is None else by(node)

    def fill(node: Node, what: str) -> Template:
        return read_template(want_text(node, what), lists)

    return Definition(
        name=read("name", lambda node: _read_name(want_text(node, "name")), _name_after(path, table)),
        version=read("version", _read_version, "1"),
        prompts=_read_prompts(table, fill),
        words=words,
        show=read("show", lambda node: fill(node, "show"), None),
        pictures=read("pictures", lambda node: _read_whole(node, "pictures"), 1),
        ask=read("ask", lambda node: tuple(read_question(one, lists) for one in _entries(node)), ()),
        factors=read("factors", lambda node: dict(sorted(_read_factors(node, fill, lists))), {}),
        singles=read("singles", lambda node: tuple(_read_singles(node, lists)), ()),
        sample=read("sample", lambda node: _read_whole(node, "sample"), 0),
        seed=read("seed", lambda node: _read_whole(node, "seed", least=0), 0),
        strata=read("strata", lambda node: tuple(want_text(one, "strata").value for one in _entries(node)), None),
        sampled=read("sampled", lambda node: tuple(want_text(one, "sampled").value for one in _entries(node)), ()),
        repeats=read("repeats", lambda node: _read_whole(node, "repeats"), 1),
        judge=read("judge", lambda node: want_text(node, "judge").value, ""),
        table=table,
    )


def _read_all_words(node: Node | None) -> tuple[WordList, ...]:
    if node is None:
        return ()
    found: list[WordList] = []
    for key, value in want_table(node, "words", "noun: [cat, dog]").pairs:
        one = read_words(key, value)
        for name in one.names:
            if any(name in other.names for other in found):
                raise key.place.error(f"list {name!r} stands there twice")
        found.append(one)
    return tuple(sorted(found, key=lambda one: one.names))  # their order has no meaning


def _read_prompts(table: YamlTable, fill: Callable[[Node, str], Template]) -> dict[str, Template]:
    """Read one template, or several by name, else by their text."""
    node = table.get("prompts")
    match node:
        case None:
            raise table.place.error('no prompts; add a line such as prompts: "{number} {noun(s)}"')
        case YamlTable() if any(value != Text("", value.place) for _, value in node.pairs):  # bare {noun} is a table
            return {key.value: fill(value, key.value) for key, value in node.pairs}
        case Listed():
            found: dict[str, Template] = {}
            for entry in _entries(node):
                one = fill(entry, "prompts")
                if one.text.value in found:
                    raise one.text.place.error(f"prompt {one.text} stands there twice; once is enough")
                found[one.text.value] = one
            return found
        case _:
            return {"": fill(node, "prompts")}


def _read_name(text: Text) -> str:
    if not _NAME.fullmatch(text.value):
        raise text.place.error(f"name {text}: should be 1 to 40 of a–z, 0–9 and -, as in half-a-pizza")
    return text.value


def _read_version(node: Node) -> str:
    text = want_text(node, "version")
    if len(text.value) > _LONGEST_VERSION:
        raise text.place.error(f"version {text}: should be at most {_LONGEST_VERSION} characters")
    return text.value


def _name_after(path: Path, table: YamlTable) -> str:
    """Derive the suite's name from the file's."""
    if table.get("name") is not None:
        return ""
    name = re.sub(r"[\s_.]+", "-", path.stem.lower())
    if not _NAME.fullmatch(name):
        raise table.place.error(f"the file's name {path.name!r} makes no name for the suite; add name: my-suite")
    return name


def _read_factors(
    node: Node, fill: Callable[[Node, str], Template], lists: Mapping[str, object]
) -> Iterator[tuple[str, Template]]:
    for key, value in want_table(node, "factors", 'kind: "{noun}"').pairs:
        check_name(key, key.value)
        if key.value in lists:
            raise key.place.error(f"factor {key}: the list of that name is a factor already")
        yield key.value, fill(value, key.value)


def _read_singles(node: Node, lists: Mapping[str, Sequence[Word]]) -> Iterator[str]:
    nouns = [name for name, words in lists.items() if isinstance(words[0], str)]
    for entry in _entries(node):
        text = want_text(entry, "singles")
        if text.value not in nouns:
            raise text.place.error(f"singles {text}: should be a list of words; known: {', '.join(nouns) or 'none'}")
        yield text.value


def _read_whole(node: Node, what: str, *, least: int = 1) -> int:
    text = want_text(node, what)
    if not re.fullmatch("[0-9]{1,9}", text.value) or not least <= int(text.value) <= _MOST:
        raise text.place.error(f"{what} {text}: should be a whole number from {least} to {_MOST:,}")
    return int(text.value)


def _entries(node: Node) -> tuple[Node, ...]:
    """Return the entries of a list; a single node counts as a list of one."""
    if isinstance(node, Listed) and not node.entries:
        raise node.place.error("an empty list; leave the key out, or put something into it")
    return node.entries if isinstance(node, Listed) else (node,)


def check_definition(said: Definition) -> None:
    """Refuse a definition from which no items can be made."""
    _check_lists(said)
    _check_size(said)
    _check_gaps(said)
    _check_kinds(said)
    _check_blind(said)


def _check_lists(said: Definition) -> None:
    used = {name for prompt in said.prompts.values() for one in said.groups(prompt) for name in one.names}
    for words in said.words:
        if words.names[0] not in used:
            raise words.place.error(f"no prompt names {words.names[0]!r}; write {{{words.names[0]}}} into one")


def _check_size(said: Definition) -> None:
    """Refuse too many items, or too many combinations to sample from."""
    counts = {name: count_combinations(said.groups(prompt)) for name, prompt in said.prompts.items()}
    total, most = sum(counts.values()), MOST_COMBINATIONS if said.sample else MOST_ITEMS // said.pictures
    if said.sample * said.pictures > MOST_ITEMS:
        raise said.place_of("sample").error(
            f"{said.sample * said.pictures:,} items; at most {MOST_ITEMS:,}: take fewer prompts or pictures"
        )
    if total > most:
        largest = said.groups(said.prompts[max(counts, key=lambda name: counts[name])])
        sizes = " × ".join(f"{len(one.rows):,} {', '.join(one.names)}" for one in largest)
        remedy = "shorten a list" if said.sample else "shorten a list, or add sample: 1000"
        raise said.place_of("words").error(f"{total:,} combinations ({sizes}); at most {most:,}: {remedy}")


def _check_gaps(said: Definition) -> None:
    """Refuse a question or factor that uses lists missing from a prompt."""
    about = [one for question in said.ask for one in question.templates]
    for prompt in said.prompts.values():
        known = {name for one in said.groups(prompt) for name in one.names}
        for one in (*about, *said.factors.values()):
            for name in one.lists:
                if name not in known:
                    raise one.text.place.error(f"{one.text}: the prompt {prompt.text} has no {{{name}}}")


def _check_kinds(said: Definition) -> None:
    kinds = {question.kind for question in said.ask}
    for question in said.ask:
        if question.kind == "text" and "match" not in kinds:
            raise question.place.error("text is looked for as a part of a match; add match to ask")
    if said.show and said.singles:
        raise said.place_of("singles").error("singles are drawn, and this suite shows pictures; leave it out")
    if not said.show and said.pictures > 1:
        raise said.place_of("pictures").error("pictures are those of show; for several drawings: repeats")


def _check_blind(said: Definition) -> None:
    """Refuse a text that gives away the number it asks for."""
    counts = [question for question in said.ask if question.kind == "count"]
    told = [one.wording for one in counts if one.wording]
    right = [name for one in counts for template in one.expects for name in template.lists]
    if said.show and (counts or not said.ask):
        told += said.prompts.values()
        right += said.show.lists
    for one in told:
        for name in one.lists:
            if name in right and name in said.number_lists:
                raise one.text.place.error(f"{one.text}: {{{name}}} gives the answer away; leave it out")
