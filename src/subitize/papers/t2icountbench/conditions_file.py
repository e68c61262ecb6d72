"""A user's own objects, scenes, styles and numbers, read from a TOML file."""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass

from subitize.errors import BadFileError
from subitize.io.files import read_text
from subitize.language.nouns import plural
from subitize.language.scene import MOST_THINGS
from subitize.papers.t2icountbench.wording import DEFAULT, OBJECTS, SCENES, STYLES, Thing, Words

LARGEST_BYTES = 1_000_000
_MOST_LETTERS = 200
_LONGEST_KEY = 100  # in messages


def _check_text(text: str) -> str:
    if not text or text != text.strip() or not text.isprintable() or text.endswith(".") or len(text) > _MOST_LETTERS:
        raise ValueError(
            f"should be a text of 1 to {_MOST_LETTERS} characters in one line, without a space around it "
            "or a full stop at its end"
        )
    return text


# Names stand in the ids of items, between slashes, and in options, joined by +.
Name = Annotated[str, Field(strict=True, pattern="^[A-Za-z0-9_-]{1,40}$")]
Text = Annotated[str, Field(strict=True), AfterValidator(_check_text)]
Number = Annotated[int, Field(strict=True, ge=1, le=MOST_THINGS)]
_CONFIG = ConfigDict(extra="forbid")
_NUMBER = f"should be a whole number from 1 to {MOST_THINGS}"
_REMEDIES = {
    "missing": "not there; add it",
    **dict.fromkeys(("dataclass_type", "dict_type", "mapping_type"), "should be a table"),
    "tuple_type": "should be a list such as [1, 2, 5]",
    "string_type": "should be a text in quotation marks",
    "string_pattern_mismatch": "should be 1 to 40 of A–Z, a–z, 0–9, - and _",
    **dict.fromkeys(("int_type", "greater_than_equal", "less_than_equal"), _NUMBER),
}


@pydantic_dataclass(frozen=True, config=_CONFIG)
class OwnObject:
    """An object as the file has it; the plural is the usual one unless given, and the noun counted is the singular."""

    category: Name
    singular: Text
    plural: Text | None = None
    noun: Text | None = None

    def thing(self) -> Thing:
        """Make an object like the published ones of it."""
        return Thing(
            self.category, Words(self.singular, self.plural or plural(self.singular), self.noun or self.singular)
        )


@pydantic_dataclass(frozen=True, config=_CONFIG)
class Conditions:
    """What a file defines; of a scene, the places of objects, and under "default" the place of all others."""

    objects: Mapping[Name, OwnObject] = field(default_factory=dict)
    scenes: Mapping[Name, Mapping[Name, Text]] = field(default_factory=dict)
    styles: Mapping[Name, Text] = field(default_factory=dict)
    numbers: tuple[Number, ...] = ()


def read_conditions(path: Path) -> Conditions:
    """Read and check the file: what is published keeps its name and its words."""
    try:
        read = TypeAdapter(Conditions).validate_python(tomllib.loads(read_text(path, LARGEST_BYTES)))
    except ValidationError as error:
        raise BadFileError(f"{path.name}: {_describe(error)}") from None
    except (ValueError, RecursionError) as error:
        raise BadFileError(f"{path.name}: no TOML: {error}") from None
    for fault in _find_faults(read):
        raise BadFileError(f"{path.name}: {fault}")
    return read


def _describe(error: ValidationError) -> str:
    """Name the first fault with its key, its value and what would be right."""
    fault = error.errors(include_url=False)[0]
    places = [place for place in fault["loc"] if place != "[key]"]
    key = ".".join(str(place + 1) if isinstance(place, int) else place for place in places)[:_LONGEST_KEY]
    if fault["type"] == "unexpected_keyword_argument":
        table = OwnObject if len(places) > 1 else Conditions
        return f"{key}: unknown key; known: {', '.join(one.name for one in fields(table))}"
    value = "" if fault["type"] == "missing" else f" {fault['input']!r:.60}:"
    return f"{key}:{value} {_REMEDIES.get(fault['type']) or fault['msg'].removeprefix('Value error, ')}"


def _find_faults(read: Conditions) -> Iterator[str]:
    """Say what is wrong beyond the form of each value: nothing there, a name taken or unknown, a number twice."""
    if not (read.objects or read.scenes or read.styles or read.numbers):
        yield f"nothing in it; add {', '.join(one.name for one in fields(Conditions))}, or leave the file out"
    for key in _taken("objects", read.objects, [*OBJECTS, DEFAULT]) + _taken("styles", read.styles, STYLES):
        yield f"{key}: the name is taken; give it another"
    for number, times in Counter(read.numbers).items():
        if times > 1:
            yield f"numbers: {number} stands there {times} times; once is enough"
    known = [*OBJECTS, *read.objects, DEFAULT]
    for scene, places in read.scenes.items():
        for name in places:
            if name not in known:
                yield f"scenes.{scene}.{name}: no such object; known: {', '.join(known)}"
        for key in _taken(f"scenes.{scene}", places, SCENES.get(scene, ())):
            yield f"{key}: is worded already; give the scene another name"


def _taken(table: str, names: Iterable[str], published: Collection[str]) -> list[str]:
    return [f"{table}.{name}" for name in names if name in published]
