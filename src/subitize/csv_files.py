"""CSV files from elsewhere: their records with the lines they begin on, and errors that name file and line."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from subitize.errors import BadFileError


def read_text(path: Path) -> str:
    """Read a text file; one that is not UTF-8 is refused with the line where it stops to be."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadFileError(f"{path.name} line {line}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror}") from None


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
