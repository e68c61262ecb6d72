"""Reads YAML as a tree of texts, lists and tables that know their lines.

Every scalar stays text: `no`, `on`, 012 and 1_000 are words until a number is wanted."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from subitize.errors import BadFileError
from subitize.io.files import read_text

LARGEST_BYTES = 1_000_000
_DEEPEST = 10
_LONGEST_SHOWN = 60
_QUOTE = "a text that begins with { stands in quotation marks"


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A position for error messages; not part of a file's meaning."""

    file: str
    line: int

    def error(self, message: str) -> BadFileError:
        """Make an error for this position."""
        return BadFileError(f"{self.file} line {self.line}: {message}")


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar, quoted or not."""

    value: str
    place: FilePosition = field(repr=False, compare=False)

    def __str__(self) -> str:
        return repr(self.value if len(self.value) <= _LONGEST_SHOWN else self.value[:_LONGEST_SHOWN] + "…")


@dataclass(frozen=True, slots=True)
class Listed:
    """A list."""

    entries: "tuple[Node, ...]"
    place: FilePosition = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class YamlTable:
    """Keys and values, in the file's order."""

    pairs: "tuple[tuple[Text, Node], ...]"
    place: FilePosition = field(repr=False, compare=False)

    def get(self, key: str) -> "Node | None":
        """Return the value of a key."""
        return next((value for name, value in self.pairs if name.value == key), None)

    def check_keys(self, known: Sequence[str], where: str = "") -> None:
        """Refuse unknown keys."""
        for key, _ in self.pairs:
            if key.value not in known:
                near = get_close_matches(key.value, known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                raise key.place.error(f"unknown key {key}{where}; {hint}")


Node = Text | Listed | YamlTable


def read_yaml(path: Path) -> Node:
    """Read a file with one document and no tags, anchors or aliases."""
    text = read_text(path, LARGEST_BYTES)
    try:
        return _Builder(path.name, yaml.parse(text, Loader=yaml.SafeLoader)).read()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1
        written = "".join(text.splitlines()[line - 1 : line])
        has_signs = "{" in written or "?" in written or written.count(":") > 1
        remedy = "; a text with {, ? or : in it stands in quotation marks" if has_signs else ""
        if written.lstrip(" ").startswith("\t"):
            remedy = "; indent by spaces, not by tabs"
        raise FilePosition(path.name, line).error(f"no YAML: {error.problem}{remedy}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise FilePosition(path.name, line).error(f"no YAML: the character {chr(error.character)!r}") from None


def want_text(node: Node, what: str) -> Text:
    """Require a non-empty text."""
    if not isinstance(node, Text):
        raise node.place.error(f"{what}: should be a text; {_QUOTE}")
    if not node.value.strip() or not node.value.isprintable():
        raise node.place.error(f"{what} {node}: should be a text in one line")
    return node


def want_table(node: Node, what: str, example: str) -> YamlTable:
    """Require a non-empty table."""
    if not isinstance(node, YamlTable) or not node.pairs:
        raise node.place.error(f"{what}: should be keys with values, as in {example}")
    return node


class _Builder:
    """Builds nodes from the parser's events."""

    def __init__(self, file: str, events: Iterable[Any]) -> None:
        self._file, self._events = file, iter(events)

    def read(self) -> Node:
        node: Node | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent) and node is not None:
                raise self._place(event).error("a second document; one file is one suite")
            if isinstance(event, yaml.NodeEvent):
                node = self._node(event, 0)
        if node is None:
            raise FilePosition(self._file, 1).error("the file is empty; it should say at least: prompts")
        return node

    def _node(self, event: Any, depth: int) -> Node:  # noqa: ANN401
        place = self._place(event)
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise place.error("anchors and aliases (&, *) are not read; write it out, or put it into quotation marks")
        if event.tag is not None:
            raise place.error(f"the tag {event.tag!r:.60}: tags (!) are not read; leave it out")
        if depth > _DEEPEST:
            raise place.error(f"nested more than {_DEEPEST} deep; no suite needs that")
        if isinstance(event, yaml.SequenceStartEvent):
            ends = yaml.SequenceEndEvent
            return Listed(tuple(self._node(one, depth + 1) for one in self._until(ends)), place)
        if isinstance(event, yaml.MappingStartEvent):
            return YamlTable(tuple(self._pairs(depth)), place)
        return Text(event.value.strip("\n"), place)  # | and > leave one at the end

    def _pairs(self, depth: int) -> Iterator[tuple[Text, Node]]:
        lines: dict[str, int] = {}
        for event in self._until(yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            if not isinstance(key, Text):
                raise key.place.error(f"a key should be a text; {_QUOTE}")
            if key.value in lines:
                raise key.place.error(f"{key} stands there twice, first on line {lines[key.value]}")
            lines[key.value] = key.place.line
            yield key, self._node(next(self._events), depth + 1)

    def _until(self, end: type[Any]) -> Iterator[Any]:
        while not isinstance(event := next(self._events), end):
            yield event

    def _place(self, event: Any) -> FilePosition:  # noqa: ANN401
        return FilePosition(self._file, event.start_mark.line + 1)
