"""One reply in a file of another program, and what all readers share."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from subitize.errors import BadFileError
from subitize.io.files import read_json, read_objects, read_text
from subitize.records import Scalar, digest

LARGEST_BYTES = 1_000_000_000
"""Larger files are refused: they are read into memory."""
Json = Any


@dataclass(frozen=True, slots=True)
class Output:
    """One reply of a model, with its question, right answers, and whatever else the file says.

    `scored` is the text that the program scored, perhaps without the model's reasoning. A reply that never came has a
    `failure` instead.
    """

    key: str
    model: str
    task: str
    question: str
    targets: tuple[str, ...]
    reply: str
    scored: str = ""
    failure: str = ""
    repeat: int = 0
    picture: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    factors: Mapping[str, Scalar] = field(default_factory=dict)


def read_file(path: Path) -> Json:
    """Read a JSON file."""
    return read_json(read_text(path, LARGEST_BYTES), path.name)


def read_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Read the records of a JSON Lines file, each with its line."""
    return read_objects(path, LARGEST_BYTES)


def take(record: Mapping[str, Json], name: str, place: str) -> Json:
    """Return a required field."""
    if name not in record:
        raise BadFileError(f"{place}: no field {name!r} among {', '.join(map(str, record))[:120]}")
    return record[name]


def as_mapping(value: Json) -> Mapping[str, Json]:
    """Return a mapping as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def first_of(value: Json) -> Mapping[str, Json]:
    """Return the first record of a list, or an empty one."""
    return as_mapping(value[0]) if isinstance(value, list) and value else {}


def write(value: Json) -> str:
    """Write a scalar as text: a spreadsheet's 4.0 is 4; characters that cannot be stored are replaced."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def find_text(value: Json) -> str:
    """Find the text in a text, a message, a part of one, or the first of a list of these."""
    if isinstance(value, dict):
        return find_text(value.get("content", value.get("text", value.get("reasoning", ""))))
    if isinstance(value, list | tuple):
        return next(filter(None, map(find_text, value)), "")
    return write(value) if isinstance(value, str | int | float) else ""


def join_content(content: Json) -> str:
    """Join the texts of a message's content; reasoning is marked, pictures are left out."""
    if isinstance(content, str):
        return write(content)
    texts = []
    for part in map(as_mapping, content if isinstance(content, list) else ()):
        if part.get("type") == "reasoning":
            texts.append(f"<think>{write(part.get('reasoning'))}</think>")
        elif isinstance(part.get("text"), str):
            texts.append(write(part["text"]))
    return "\n".join(texts)


def join_questions(messages: Sequence[Json]) -> str:
    """Join the user's messages of a conversation."""
    asked = (as_mapping(message) for message in messages)
    return "\n".join(filter(None, (join_content(one.get("content")) for one in asked if one.get("role") == "user")))


def find_picture(messages: Json) -> str:
    """Name the first picture of a conversation by its path, address, attachment or content."""
    for message in map(as_mapping, messages if isinstance(messages, list) else ()):
        content = message.get("content")
        for part in map(as_mapping, content if isinstance(content, list) else ()):
            if part.get("type") == "image" and isinstance(part.get("image"), str):
                return name_picture(part["image"])
    return ""


def name_picture(text: str) -> str:
    """Name a picture by its path or address, by a hash if it is embedded, or not at all if it was removed."""
    if text.startswith("<"):
        return ""
    return write(text) if len(text) <= _LONGEST_NAME else digest(text)


_LONGEST_NAME = 300


def read_credit(value: Json) -> float | None:
    """Read a score from 0 to 1: a number, a truth value, Inspect's letters, or a record with one; else None."""
    if isinstance(value, dict):
        named = (value[name] for name in _CREDIT_NAMES if name in value)
        return next((credit for credit in map(read_credit, named) if credit is not None), None)
    if isinstance(value, str):
        return _LETTERS.get(value)
    is_share = isinstance(value, bool | int | float) and 0 <= value <= 1
    return float(value) if is_share else None


def read_credits(values: Mapping[str, Json]) -> dict[str, float]:
    """Read the scores among values, by their names."""
    credits = {name: read_credit(value) for name, value in values.items()}
    return {name: credit for name, credit in credits.items() if credit is not None}


_CREDIT_NAMES = ("score", "is_correct", "correct", "accuracy", "acc", "exact_match", "hit", "value")
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_FACTORS = ("category", "data_source", "is_focused", "issimple", "split", "task")


def find_factors(*records: Mapping[str, Json]) -> dict[str, Scalar]:
    """Return the factors that counting benchmarks have, as far as the records name them."""
    return {
        name: write(record[name]) if isinstance(record[name], str) else record[name]
        for record in records
        for name in _FACTORS
        if isinstance(record.get(name), str | int | bool) and record[name] != ""
    }
