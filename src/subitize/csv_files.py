"""CSV files from elsewhere: their records with the lines they begin on, and errors that name file and line."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize.errors import BadFileError

LARGEST_BYTES = 200_000_000
"""What is larger is no table that people made."""


def read_text(path: Path, largest: int = LARGEST_BYTES) -> str:
    """Read a text file of at most so many bytes; if it is not UTF-8, the line is named where it stops to be."""
    try:
        return read_bounded(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadFileError(f"{path.name} line {line}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror}") from None


def read_bounded(path: Path, largest: int = LARGEST_BYTES) -> bytes:
    """Read a file of at most so many bytes; devices are refused."""
    if path.is_char_device() or path.is_block_device():
        raise BadFileError(f"cannot read {path}: not a file")
    size = path.stat().st_size
    with path.open("rb") as file:  # of a pipe nobody knows the size
        data = file.read(1 + (min(size, largest) if path.is_file() else largest))
    if len(data) > largest:
        raise BadFileError(f"{path.name}: {max(size, len(data)):,} bytes; at most {largest:,} are read")
    return data


def read_records(path: Path, *, keep_empty: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Read the records, as a rule without empty ones, each with the line it begins on: a field may go over several."""
    reader = csv.reader(io.StringIO(read_text(path), newline=None), strict=True)
    begins_on = 1
    try:
        for fields in reader:
            if fields or keep_empty:
                yield begins_on, fields
            begins_on = reader.line_num + 1
    except csv.Error as error:
        raise BadFileError(f"{path.name} line {begins_on}: no CSV: {error}") from None


@dataclass(frozen=True, slots=True)
class Line:
    """A record of a file, by column; an error about it names the file and the line."""

    file: str
    number: int
    row: Mapping[str, str]

    def get(self, column: str) -> str:
        """Get a field, empty where there is no such column."""
        value = self.row.get(column, "")
        if "\x00" in value:
            raise self.error(f"{column} {value!r} has a NUL character in it")
        return value

    def error(self, message: str) -> BadFileError:
        """Say what is wrong with the line."""
        return BadFileError(f"{self.file} line {self.number}: {message}")


def read_lines(path: Path, needed: Sequence[Sequence[str]], known: str) -> Iterator[Line]:
    """Read the lines of a file that has one column of each group in `needed`; `known` lists all columns in errors."""
    records = read_records(path)
    _, names = next(records, (1, []))
    columns = [name.strip() for name in names]
    _check_columns(path, columns, needed, known)
    for number, fields in records:
        if len(fields) != len(columns):
            raise BadFileError(f"{path.name} line {number}: should have {len(columns)} fields, not {len(fields)}")
        yield Line(path.name, number, dict(zip(columns, (field.strip() for field in fields), strict=True)))


def _check_columns(path: Path, columns: Sequence[str], needed: Sequence[Sequence[str]], known: str) -> None:
    missing = [" or ".join(either) for either in needed if not set(either) & set(columns)]
    if missing:
        letters = ", small letters" if known.islower() else ""
        raise BadFileError(
            f"{path.name} line 1: no column {', '.join(missing)} in {','.join(columns)[:80]!r}; "
            f"a comma between columns{letters}: {known}"
        )
    twice = [name for name, times in Counter(columns).items() if name and times > 1]
    if twice:
        raise BadFileError(f"{path.name} line 1: column {twice[0]!r} stands there twice")
