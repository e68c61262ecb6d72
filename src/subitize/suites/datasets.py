"""Reads published counting questions: recognised by their columns, interpreted as their authors intend.

Captions that contain the number are never sent; if a set has nothing else, the question is made from the words that
the caption counts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from subitize.errors import BadFileError, UnknownNameError
from subitize.io.files import read_own_toml
from subitize.io.tables import DataTable, TableRow, Unreadable, read_table
from subitize.language.counted import find_first_things
from subitize.language.numbers import in_words
from subitize.records import Item, Scalar, Stored
from subitize.suites.pictures import PictureName, Sha256

DATASET = "dataset"
"""The factor that names an item's published set."""
_COUNTING_TASKS = (
    *("Line Plot Intersections", "Nested Squares", "Subway Connections"),
    *("Olympic Counting - Circles", "Olympic Counting - Pentagons"),
)
_GRID_TASKS = ("Counting Grid - Blank Grids", "Counting Grid - Word Grids")


class DatasetQuestion(NamedTuple):
    """A question about a picture, from one row; `things` is what it counts, if the data say so."""

    row: TableRow
    key: str
    picture: PictureName
    question: str
    answer: object
    things: str = ""
    factors: Mapping[str, Scalar] = {}


class Omitted(NamedTuple):
    """A row, or one of its questions, that is left out, and why."""

    name: str
    reason: str


Reader = Callable[[DataTable, str], Iterator[DatasetQuestion | Omitted]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A published set of questions: its title, citation, and the columns of its files."""

    title: str
    columns: tuple[str, ...]
    licence: str
    citation: str
    url: str
    has_no_other_columns: bool = False

    def __str__(self) -> str:
        return f"{self.title} (licence: {self.licence}); please cite: {self.citation}"

    def fits(self, columns: Sequence[str]) -> bool:
        """Return whether a table with these columns belongs to this set."""
        return set(self.columns) <= set(columns) and not (self.has_no_other_columns and len(columns) > 1)


@cache
def list_datasets() -> dict[str, Dataset]:
    """List the published sets by format name, those with the most specific columns first."""
    known = read_own_toml(__file__, "datasets.toml")
    return {name: Dataset(**told | {"columns": tuple(told["columns"])}) for name, told in known.items()}


def name_datasets(items: Iterable[Item]) -> list[Dataset]:
    """List the published sets of items, by their factor `dataset`."""
    titles = {item.factors.get(DATASET) for item in items}
    return list({one.title: one for one in list_datasets().values() if one.title in titles}.values())


def find_format(table: DataTable, format: str) -> str:
    """Find a table's format by its columns, or check that it is the given one; "" is the user's own."""
    known = list_datasets()
    if format == "auto":
        return next((name for name, one in known.items() if one.fits(table.columns)), "")
    if format == "own":
        return ""
    if format not in known:
        raise UnknownNameError("format", format, ["auto", "own", *known])
    missing = [name for name in known[format].columns if name not in table.columns]
    if missing:
        raise BadFileError(
            f"{table.path.name}: no column {', '.join(missing)}, as {known[format].title} has; "
            f"those there: {', '.join(table.columns)}"
        )
    return format


def read_dataset(name: str, table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    """Read the questions of a published set."""
    return _READERS[name](table, images)


def _read_tallyqa(table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    """Split the test set as the authors do: complex if people were paid to ask it, simple if marked so."""
    for row in table.rows:
        factors: dict[str, Scalar] = {"data_source": row.text("data_source")}
        if "issimple" in row.fields:
            if factors["data_source"] == "amt":
                factors["split"] = "complex"
            elif row.fields["issimple"]:
                factors["split"] = "simple"
            else:
                yield Omitted(row.where, "neither simple nor complex in the authors' split")
                continue
        asked = row.text("question_id"), row.text("image"), row.text("question"), row.fields.get("answer")
        yield DatasetQuestion(row, *asked, factors=factors)


def _read_pixmo_count(table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    for number, row in enumerate(table.rows, 1):
        things = row.text("label")
        picture = Sha256(row.text("image_sha256").lower())
        yield DatasetQuestion(row, str(number), picture, _ask_for(things), row.fields.get("count"), things)


def _read_countqa(table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    for number, row in enumerate(table.rows, 1):
        questions, answers, objects, topics = (
            _list(row.fields.get(name)) for name in ("questions", "answers", "objects", "categories")
        )
        if len(questions) != len(answers):
            yield Omitted(row.where, "not as many answers as questions")
            continue
        for place, (question, answer) in enumerate(zip(questions, answers, strict=True)):
            factors: dict[str, Scalar] = {"focused": bool(row.fields.get("is_focused"))}
            if len(topics) == len(questions):
                factors["topic"] = topics[place]
            things = objects[place] if len(objects) == len(questions) else ""
            yield DatasetQuestion(row, f"{number}/{place}", _picture(row), question, answer, things, factors)


def _read_blindtest(table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    """Ask the authors' questions; split those about grids, which want two counts, into rows and columns."""
    for number, row in enumerate(table.rows, 1):
        task, answer = row.text("task"), row.text("groundtruth")
        factors: dict[str, Scalar] = {"task": task}
        if task in _COUNTING_TASKS:
            yield DatasetQuestion(row, str(number), _picture(row), row.text("prompt"), answer, factors=factors)
        elif task in _GRID_TASKS:
            for things, count in zip_longest(("rows", "columns"), answer.split(",")[:2]):
                question = f"How many {things} does the grid have?"
                yield DatasetQuestion(row, f"{number}/{things}", _picture(row), question, count, things, factors)
        else:
            yield Omitted(row.where, "its task is no count")


def _read_countbench(table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    for number, row in enumerate(table.rows, 1):
        count = row.fields.get("number")
        things = _find_captioned(row.text("text"), count) if isinstance(count, int) else None
        if things is None:
            yield Omitted(row.where, "its caption does not say of what there are so many")
        else:
            yield DatasetQuestion(row, str(number), _picture(row), _ask_for(things), count, things)


def _read_countbenchqa(table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    for number, row in enumerate(table.rows, 1):
        yield DatasetQuestion(row, str(number), _picture(row), row.text("question"), row.fields.get("number"))


def _read_paired_questions(table: DataTable, images: str) -> Iterator[DatasetQuestion | Omitted]:
    """Join questions with CountBench's Parquet file by row order, their only link."""
    if not images.lower().endswith(".parquet"):
        raise BadFileError(
            f"{table.path.name} has questions only; name the Parquet file with their pictures and numbers, row by row: "
            "images=FILE.parquet"
        )
    pictures = read_table(Path(images).expanduser()).rows
    for number, (row, shown) in enumerate(zip_longest(table.rows, pictures), 1):
        if row is None or shown is None:
            raise BadFileError(
                f"{table.path.name} and {images} are joined row by row, and one ends before row {number}"
            )
        yield DatasetQuestion(row, str(number), _picture(shown), row.text("question"), shown.fields.get("number"))


def _find_captioned(caption: str, number: int) -> str | None:
    """Find the plural things that a caption counts with this number."""
    said = re.search(rf"\b(?:{number}|{in_words(number)})\b(?!-)(.*)", caption, re.IGNORECASE | re.DOTALL)
    return find_first_things(said[1]) if said else None


def _ask_for(things: str) -> str:
    return f"How many {things} are there in the image?"


def _picture(row: TableRow) -> PictureName:
    """Take the row's embedded picture, or its file name; a URL is never fetched."""
    value = row.fields.get("image")
    if isinstance(value, Stored | Unreadable):
        return value
    return row.text("image") or unquote(urlsplit(row.text("image_url")).path).rpartition("/")[2]


def _list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


_READERS: Mapping[str, Reader] = {
    "blindtest": _read_blindtest,
    "countbench": _read_countbench,
    "countbenchqa": _read_countbenchqa,
    "countbenchqa-questions": _read_paired_questions,
    "countqa": _read_countqa,
    "pixmo-count": _read_pixmo_count,
    "tallyqa": _read_tallyqa,
}
