"""JSON and JSON Lines from elsewhere, with errors that name the file and the line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subitize.csv_files import LARGEST_BYTES, read_text
from subitize.errors import BadFileError


def number_lines(path: Path, largest: int = LARGEST_BYTES) -> Iterator[tuple[str, str]]:
    """Go through the lines of a file that are not empty, and say where each stands."""
    for number, line in enumerate(read_text(path, largest).split("\n"), 1):  # texts may hold other ends of lines
        if line.strip():
            yield f"{path.name} line {number}", line.strip()


def read_objects(path: Path, largest: int = LARGEST_BYTES) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the objects of a JSON Lines file, and say where each stands; a line with anything else is an error."""
    return ((where, as_object(read_json(line, where), where)) for where, line in number_lines(path, largest))


def as_object(value: object, where: str) -> dict[str, Any]:
    """Take what should be a JSON object."""
    if not isinstance(value, dict):
        raise BadFileError(f"{where}: {str(value)[:80]!r} should be an object: {{…}}")
    return value


def read_json(text: str, where: str) -> Any:  # noqa: ANN401
    """Read JSON; one that is cut short is an error that says so."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        reason = "it ends too soon; get the whole file" if is_cut else error.msg
        line = f"line {error.lineno}, " if "\n" in text else ""
        raise BadFileError(f"{where}: no JSON at {line}column {error.colno}: {reason}") from None
    except RecursionError:
        raise BadFileError(f"{where}: this JSON is nested too deeply") from None
