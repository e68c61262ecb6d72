"""Reads tables row by row from CSV, JSON, JSON Lines or Parquet; every row knows its line."""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from subitize.errors import BadFileError, BadImageError
from subitize.io.files import as_object, check_input, read_json, read_lines, read_objects, read_text
from subitize.io.images import image_format
from subitize.records import Scalar, Stored

LARGEST_COUNT = 1000
"""Larger counts of things in a picture are estimates."""
_SLICE_BYTES = 64_000_000
"""About how much of a Parquet file with pictures is held in memory at a time."""
_LARGEST_LEVEL = 10**15
"""Larger numbers are ids, not conditions."""
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")
_WHOLE = re.compile(r"\d{1,15}(\.0+)?", re.ASCII)
_INTEGER, _DECIMAL = re.compile(r"-?(0|[1-9]\d{0,14})", re.ASCII), re.compile(r"-?\d{1,15}\.\d{1,15}", re.ASCII)


class Unreadable(NamedTuple):
    """A picture that cannot be used, and why."""

    name: str
    reason: str


class TableRow(NamedTuple):
    """A row of a table by its columns, and its place, such as "photos.csv line 3".

    A picture inside a Parquet file is represented by its hash; `read_pictures` reads its bytes.
    """

    where: str
    fields: Mapping[str, object]

    def text(self, column: str) -> str:
        """Get a field as text without surrounding spaces; empty if there is none."""
        value = self.fields.get(column)
        if value is None:
            return ""
        if isinstance(value, str):
            return value.strip()
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    def error(self, message: str) -> BadFileError:
        """Make an error about this row."""
        return BadFileError(f"{self.where}: {message}")


class DataTable(NamedTuple):
    """A table: its columns in lower case, and its rows, which can be read once."""

    path: Path
    columns: tuple[str, ...]
    rows: Iterator[TableRow]


def read_table(path: Path, *, otherwise: str = "") -> DataTable:
    """Open a table of the format its suffix names, or else `otherwise`; refuse one without rows."""
    reader = _READERS.get(path.suffix.lower()) or _READERS.get(otherwise)
    if reader is None:
        raise BadFileError(f"{path}: should be a table, by its name one of {', '.join(_READERS)}; save it as CSV")
    check_input(path, None)
    rows = reader(path)
    first = next(rows, None)
    if first is None:
        raise BadFileError(f"{path.name} has no rows; write a header, and a row for each question or prompt")
    # JSON rows leave out what they lack, so the first need not have every column.
    return DataTable(path, tuple(first.fields), chain([first], rows))


def read_pictures(path: Path, wanted: Collection[Stored]) -> Iterator[bytes]:
    """Read the wanted pictures of a Parquet file, each once."""
    left = {stored.hash for stored in wanted}
    for fields in read_parquet_rows(path):
        for data in filter(None, map(_find_bytes, fields.values())):
            hash = hashlib.sha256(data).hexdigest()
            if hash in left:
                left.remove(hash)
                yield data


def identify(data: bytes) -> Stored:
    """Identify a picture by its bytes, as runs do; refuse what is not an image."""
    return Stored(hashlib.sha256(data).hexdigest(), image_format(data))


def read_count(value: object) -> int | None:
    """Read a count: a whole number in digits, from 0 to LARGEST_COUNT; anything else is None."""
    if isinstance(value, str):
        text = value.strip()
        value = int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else None
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


def read_factors(row: TableRow, taken: Collection[str]) -> dict[str, Scalar]:
    """Read the columns that are conditions; digits become numbers, and empty fields are left out."""
    levels = ((name, _read_level(value)) for name, value in row.fields.items() if name not in taken)
    return {name: level for name, level in levels if level is not None}


def check_columns(table: DataTable, needed: Sequence[Sequence[str]]) -> None:
    """Refuse a table that lacks a column of some group; the error names those that it has."""
    missing = [" or ".join(either) for either in needed if not set(either) & set(table.columns)]
    if missing:
        there = ", ".join(table.columns)[:200]
        raise BadFileError(
            f"{table.path.name}: no column {', '.join(missing)}; those there: {there} (as the first row names them)"
        )


class Keys:
    """The keys of rows, which must be unique."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def add(self, key: str, row: TableRow) -> None:
        """Add a key; refuse one that another row has."""
        if key in self._first:
            raise row.error(f"id {key!r} stands there again, after {self._first[key]}")
        self._first[key] = row.where


def _read_level(value: object) -> Scalar | None:
    if isinstance(value, str):
        text = value.strip()
        if text.isalpha():
            return text
        if not text[:1].isdecimal() and text[:1] != "-":
            return text or None
        if _INTEGER.fullmatch(text):
            return int(text)
        return float(text) if _DECIMAL.fullmatch(text) else text
    if isinstance(value, int) and abs(value) > _LARGEST_LEVEL:
        return str(value)
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, bool | int | float) else None


def _read_csv(path: Path) -> Iterator[TableRow]:
    names: list[str] = []
    for line in read_lines(path, (), ""):
        where = f"{line.file} line {line.number}"
        _check_text(where, "".join(line.row.values()))
        names = names or [name.lower() for name in line.header]
        fields = dict(zip(names, line.row.values(), strict=True))
        fields.pop("", None)
        yield TableRow(where, fields)


def _read_json_lines(path: Path) -> Iterator[TableRow]:
    for where, entry in read_objects(path):
        yield _make_row(where, entry)


def _read_json(path: Path) -> Iterator[TableRow]:
    whole = read_json(read_text(path), path.name)
    if not isinstance(whole, list):
        raise BadFileError(f"{path.name}: should be a list of objects: [{{…}}, …]")
    for number, entry in enumerate(whole, 1):
        where = f"{path.name} entry {number}"
        yield _make_row(where, as_object(entry, where))


def _make_row(where: str, entry: Mapping[str, object]) -> TableRow:
    fields = {name.strip().lower(): value for name, value in entry.items()}
    _check_text(where, "".join(text for pair in fields.items() for text in pair if isinstance(text, str)))
    return TableRow(where, fields)


def _check_text(where: str, text: str) -> None:
    """Refuse characters that databases cannot store."""
    if (text.isascii() and "\x00" not in text) or text.isprintable():
        return
    if found := _UNUSABLE.search(text):
        raise BadFileError(f"{where}: it has a NUL or half a character in it ({found[0]!r}); take it out")


def _read_parquet(path: Path) -> Iterator[TableRow]:
    for number, fields in enumerate(read_parquet_rows(path), 1):
        seen = {name: _replace_bytes(name, value) for name, value in fields.items()}
        yield _make_row(f"{path.name} row {number}", seen)


def read_parquet_rows(path: Path) -> Iterator[dict[str, object]]:
    """Read the rows of a Parquet file, in slices that fit in memory."""
    import polars as pl

    from subitize.io.frames import scan_parquet

    try:
        table = scan_parquet(path)
        rows: int = table.select(pl.len()).collect().item()
        at_once = max(1, rows * _SLICE_BYTES // max(path.stat().st_size, _SLICE_BYTES))
        for start in range(0, rows, at_once):
            yield from table.slice(start, at_once).collect().iter_rows(named=True)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0][:120]
        raise BadFileError(f"{path.name}: no Parquet that can be read ({reason}); get the whole file") from None


def _find_bytes(value: object) -> bytes | None:
    """Find the bytes of a picture, bare or beside its path."""
    data = value.get("bytes") if isinstance(value, dict) else value
    return data if isinstance(data, bytes) else None


def _replace_bytes(name: str, value: object) -> object:
    data = _find_bytes(value)
    if data is not None:
        try:
            return identify(data)
        except BadImageError as error:
            return Unreadable(name, str(error))
    is_picture = isinstance(value, dict) and value.keys() == {"bytes", "path"}
    return value["path"] if is_picture and isinstance(value, dict) else value


_READERS = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".jsonl": _read_json_lines,
    ".json": _read_json,
    ".parquet": _read_parquet,
}
