"""What items are, told by their content alone: neither by their ids nor by where their pictures lie.

Two items are the same if their words, their picture, the questions about what comes of them with the right answers, and
the conditions they stand under are. The options and the seed of a suite say how items are made: where the items are the
same, it does not matter how they were made, and where they are not, equal options do not help.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json

from subitize.records import digest
from subitize.store import Run, codec
from subitize.store.reading import ItemText, read_item_texts

_DIFFERENT_TEXTS = 10_000
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Content:
    """What an item is, as a hash, with its words, its questions, and its picture's name if the file is gone.

    Of the questions it has those that enter the score, and how many repeats of the item each is about together.
    """

    hash: str
    text: str
    questions: tuple[tuple[str, int], ...]
    unknown_picture: str = ""


def read_contents(run: Run, item_ids: Collection[str]) -> dict[str, Content]:
    """Find out what these items are; every file of a picture is read once."""
    files: dict[Path, str] = {}
    return {row.item_id: _read_content(row, files) for row in read_item_texts(run) if row.item_id in item_ids}


def _read_content(row: ItemText, files: dict[Path, str]) -> Content:
    # As plain JSON, put into one form: to make records of 100,000 tasks takes longer than all the rest.
    task, unknown = from_json(row.task), ""
    text = next(task[name] for name in ("prompt", "question", "text") if name in task)
    if "picture" in task and task["picture"]["kind"] in ("stored", "filed"):
        task["picture"], unknown = _identify(task["picture"], files)
    asks, questions = _read_asks(row.asks)
    whole = hashlib.sha256(to_json([task, asks, _read_factors(row.factors)]))
    return Content(whole.hexdigest()[:_DIGITS], text, questions, unknown)


def _identify(picture: Mapping[str, Any], files: dict[Path, str]) -> tuple[str, str]:
    """Say which picture it is by its pixels, wherever they lie; and its name if the file is gone."""
    if picture["kind"] == "stored":
        return picture["hash"], ""
    path = Path(picture["path"])
    if path not in files:
        try:
            with path.open("rb") as file:
                files[path] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            files[path] = ""
    return (files[path], "") if files[path] else (f"unknown picture {path.name}", path.name)


@lru_cache(_DIFFERENT_TEXTS)
def _read_asks(text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    asks = codec.asks.validate_json(text)
    plain = codec.dump(codec.asks, asks)
    questions = tuple((ask.question.id, ask.group) for ask in asks if ask.is_relevant)
    return digest(sorted(digest(one) for one in plain)), questions


@lru_cache(_DIFFERENT_TEXTS)
def _read_factors(text: str) -> str:
    """Hash the conditions: figures are made by them, and they tell what is a drawing of a number."""
    return digest(from_json(text))
