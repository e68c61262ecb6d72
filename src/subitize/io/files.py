"""Opens the files that users name, and reads CSV, JSON and JSON Lines with errors that name the file and the line.

CSV columns may be separated by commas, semicolons or tabs, and their names may be capitalised. Text that a spreadsheet
would run as a formula is written with a leading apostrophe, which is removed on reading."""

import codecs
import csv
import hashlib
import io
import json
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from subitize.errors import BadFileError

if TYPE_CHECKING:
    import zipfile

LARGEST_BYTES = 200_000_000
"""Larger files are not hand-made tables."""


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Name the file or folder in errors of the system."""
    try:
        yield
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror or error}") from None


def check_input(path: Path | str, largest: int | None = LARGEST_BYTES, *, allow_pipe: bool = False) -> None:
    """Refuse what is not a regular file, or larger; None allows any size, for what is read in parts.

    Only a file that is read once, from beginning to end, may be a pipe.
    """
    with reading(path):
        found = os.stat(path)
    fault = ""
    if stat.S_ISDIR(found.st_mode):
        fault = "Is a directory; name a file in it"
    elif stat.S_ISFIFO(found.st_mode):
        fault = "" if allow_pipe else "a pipe, and this file is read more than once; write it to a file, and name that"
    elif not stat.S_ISREG(found.st_mode):
        fault = "not a file, but a device or socket; write what it gives to a file, and name that"
    if fault:
        raise BadFileError(f"cannot read {path}: {fault}")
    if largest is not None and found.st_size > largest:
        raise BadFileError(f"{path}: {found.st_size:,} bytes; at most {largest:,} are read")


def open_input(path: Path | str, largest: int | None = LARGEST_BYTES, *, allow_pipe: bool = False) -> io.BufferedReader:
    """Open a file that a user named, for reading bytes."""
    check_input(path, largest, allow_pipe=allow_pipe)
    with reading(path):
        return open(path, "rb")


def open_zip(path: Path, kind: str = "zip") -> "zipfile.ZipFile":
    """Open a zip that a user named; its members are read one by one, and have limits of their own."""
    import zipfile

    check_input(path, None)
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFileError(f"{path}: no {kind} that can be read ({reason})") from None


def hash_file(path: Path | str) -> str:
    """Compute the SHA-256 of a file."""
    with open_input(path, None) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_bounded(path: Path | str, largest: int = LARGEST_BYTES, *, allow_pipe: bool = False) -> bytes:
    """Read a file of at most so many bytes."""
    with open_input(path, largest, allow_pipe=allow_pipe) as file, reading(path):
        data = file.read(largest + 1)  # the size of a pipe is unknown
    if len(data) > largest:
        raise BadFileError(f"{path}: more than {largest:,} bytes, which are the most that are read")
    return data


def read_text(path: Path, largest: int = LARGEST_BYTES, *, allow_pipe: bool = False) -> str:
    """Read a text file of at most so many bytes; an error names the first line that is not UTF-8.

    UTF-16, which Excel writes as "Unicode text", is recognised by its first two bytes.
    """
    data = read_bounded(path, largest, allow_pipe=allow_pipe)
    try:
        return data.decode("utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadFileError(f"{path.name} line {line}: not UTF-8; save the file as UTF-8") from None


def read_own_toml(module: str, name: str) -> dict[str, Any]:
    """Read a TOML file of the package, which lies beside a module."""
    return tomllib.loads(Path(module).with_name(name).read_text(encoding="utf-8"))


def escape_formula(text: str) -> str:
    """Keep spreadsheets from running a text that looks like a formula."""
    return f"'{text}" if re.match(FORMULA, text) else text


def write_rows(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Write rows as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def read_records(path: Path, *, keep_empty: bool = False, allow_pipe: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Read the records, each with the line it begins on: a field may span several. Empty ones are usually left out."""
    text = read_text(path, allow_pipe=allow_pipe)
    named = _SEPARATOR.match(text)
    delimiter = named[1] if named else find_delimiter(io.StringIO(text, newline=None))
    reader = csv.reader(io.StringIO(text, newline=None), strict=True, delimiter=delimiter)
    begins_on, has_quotes = 1, "'" in text
    try:
        for fields in reader:
            is_record = any(map(str.strip, fields)) and not (named and begins_on == 1)
            if is_record or keep_empty:
                yield begins_on, [*map(_restore, fields)] if has_quotes else fields
            begins_on = reader.line_num + 1
    except csv.Error as error:
        raise BadFileError(f"{path.name} line {begins_on}: no CSV: {error}") from None


def find_delimiter(lines: Iterable[str]) -> str:
    """Find the delimiter: the one that splits the first line into most columns."""
    first = next(filter(str.strip, lines), "")
    return max(",;\t", key=lambda delimiter: len(next(csv.reader([first], delimiter=delimiter), [])))


# Other forms of the signs that begin a formula, which some programs treat alike.
_OTHER_FORMS = "\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20"
# Apostrophes before the sign are the text's own, or the one that keeps it from being run.
FORMULA = "^'*[\\s\u200c\u200d]*[=+\\-@" + _OTHER_FORMS + "]"
_SEPARATOR = re.compile(r"sep=(.)\s*\n")  # tells Excel the delimiter


def _restore(field: str) -> str:
    return field[1:] if field.startswith("'") and re.match(FORMULA, field) else field


class CsvRow(NamedTuple):
    """A record of a file, by column; its errors name the file and the line, or whatever `kind` a record is.

    The columns of `row` are casefolded; `header` has their names as the file writes them, in the same order.
    """

    file: str
    number: int
    row: Mapping[str, str]
    kind: str = "line"
    header: Sequence[str] = ()

    def get(self, column: str) -> str:
        """Get a field; it is empty if there is no such column."""
        value = self.row.get(column.casefold(), "")
        if "\x00" in value:
            raise self.error(f"{column} {value!r} has a NUL character in it")
        return value

    def error(self, message: str) -> BadFileError:
        """Make an error about this line."""
        return BadFileError(f"{self.file} {self.kind} {self.number}: {message}")


def read_lines(
    path: Path, needed: Sequence[Sequence[str]], known: str, *, allow_pipe: bool = False
) -> Iterator[CsvRow]:
    """Read a file that needs a column of each group in `needed`; `known` lists all columns in errors."""
    return read_rows(path, read_records(path, allow_pipe=allow_pipe), needed, known)


def read_rows(
    path: Path, records: Iterator[tuple[int, list[str]]], needed: Sequence[Sequence[str]], known: str
) -> Iterator[CsvRow]:
    """Make rows of a file's records, the first of which is the header."""
    _, names = next(records, (1, []))
    columns = [name.strip() for name in names]
    while columns and not columns[-1]:  # Excel keeps columns that once held something
        columns.pop()
    _check_columns(path, columns, needed, known)
    file, folded, header = path.name, [name.casefold() for name in columns], tuple(dict.fromkeys(columns))
    for number, fields in records:
        while len(fields) > len(columns) and not fields[-1].strip():
            fields.pop()
        if len(fields) != len(columns):
            raise BadFileError(f"{file} line {number}: should have {len(columns)} fields, not {len(fields)}")
        yield CsvRow(file, number, dict(zip(folded, map(str.strip, fields), strict=True)), header=header)


def _check_columns(path: Path, columns: Sequence[str], needed: Sequence[Sequence[str]], known: str) -> None:
    names = [name.casefold() for name in columns]
    missing = [" or ".join(either) for either in needed if not {name.casefold() for name in either} & {*names}]
    if missing:
        raise BadFileError(
            f"{path.name} line 1: no column {', '.join(missing)} in {','.join(columns)[:80]!r}; "
            f"a comma, a semicolon or a tab between columns: {known}"
        )
    twice = [name for name, times in Counter(names).items() if name and times > 1]
    if twice:
        raise BadFileError(f"{path.name} line 1: column {twice[0]!r} stands there twice")


def number_lines(path: Path, largest: int = LARGEST_BYTES) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file that are not empty, each after its place."""
    for number, line in enumerate(read_text(path, largest).split("\n"), 1):  # texts may hold other line breaks
        if line.strip():
            yield f"{path.name} line {number}", line.strip()


def read_objects(path: Path, largest: int = LARGEST_BYTES) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the objects of a JSON Lines file, each after its place; a line with anything else is an error."""
    return ((where, as_object(read_json(line, where), where)) for where, line in number_lines(path, largest))


def as_object(value: object, where: str) -> dict[str, Any]:
    """Check that a value is a JSON object."""
    if not isinstance(value, dict):
        raise BadFileError(f"{where}: {str(value)[:80]!r} should be an object: {{…}}")
    return value


def read_json(text: str, where: str) -> Any:  # noqa: ANN401
    """Read JSON; the error says so if it is cut short."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        reason = "it ends too soon; get the whole file" if is_cut else error.msg
        line = f"line {error.lineno}, " if "\n" in text else ""
        raise BadFileError(f"{where}: no JSON at {line}column {error.colno}: {reason}") from None
    except ValueError:
        raise BadFileError(f"{where}: a number in this JSON has thousands of digits") from None
    except RecursionError:
        raise BadFileError(f"{where}: this JSON is nested too deeply") from None
