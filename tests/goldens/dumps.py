"""What a run in SQLite stores, row by row: JSON as it was stored, and masked what differs from time to time."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from operator import eq
from pathlib import Path

from tests.goldens.texts import Texts

Row = Mapping[str, object]
SAME = '"〃"'
"""What is written for a value that is the same as in the row above."""

TIMES = (
    "at",
    "answered_at",
    "consented_at",
    "created_at",
    "expires_at",
    "latency_seconds",
    "withdrawn_at",
)
OF_THIS_PROCESS = ("host", "pid", "pid_started", "secret", "subitize_version", "token")


def mask_columns(row: Row) -> Row:
    """Mask when something was done, where, and by which process and version; what is not there stays so."""
    masked = {**dict.fromkeys(TIMES, "<time>"), **{name: f"<{name}>" for name in OF_THIS_PROCESS}}
    return {name: value if value is None else masked.get(name, value) for name, value in row.items()}


def mask_versions(text: str) -> str:
    """Mask the versions of subitize and of libraries, not which of them are named."""
    return re.sub(r'("versions":\{)([^}]*)', lambda found: found[1] + _mask_values(found[2]), text)


def shorten_provenance(text: str) -> str:
    """Abbreviate what nearly every provenance ends with, where it is exactly this."""
    return text.replace(_UNKNOWN, "…")


_UNKNOWN = (
    '"revision":null,"weights_hash":null,"parameter_count":null,"versions":{"subitize":"<version>"},'
    '"tokens_in":null,"tokens_out":null,"price_usd":null,"unsettled_tries":0'
)


def mask_ports(text: str) -> str:
    """Mask the free port on which a server of the tests listens."""
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:<port>", text)


def mask_created(text: str) -> str:
    """Mask when a server of the tests answered, in an answer that is quoted."""
    return re.sub(r'(\\"created\\": )\d+', r"\1<time>", text)


def mask_folder(text: str) -> str:
    """Mask the folder in which a golden is made, which is the current one."""
    return text.replace(str(Path.cwd()), "<folder>")


def mask(text: str) -> str:
    """Mask all that differs from machine to machine in a value as it is written."""
    return shorten_provenance(mask_folder(mask_created(mask_ports(mask_versions(text)))))


def dump(run: str, *, is_ordered: bool = False) -> Texts:
    """Give a text per table that has rows, their columns first, and one that names all tables and pictures.

    Answers come in from several threads: their order is chance, and so are the numbers that rows have. Unless a run
    was filled by one thread, rows are named by what they say, and sorted.
    """
    counts = dict[str, int]()
    with closing(sqlite3.connect(f"{run}/run.sqlite")) as database:
        database.row_factory = sqlite3.Row
        for table in _tables(database):
            rows = list(_rows(database, table))
            if not is_ordered:
                rows = [_unnumbered(row, table, database) for row in rows]
            counts[table] = len(rows)
            cells = [[mask(_write_value(value)) for value in mask_columns(row).values()] for row in rows]
            if rows:
                yield f"{run}~{table}.jsonl", _write_table(list(rows[0]), cells if is_ordered else sorted(cells))
    pictures = sorted(path.name for path in Path(run, "images").rglob("*") if path.is_file())
    listed = [*(f"{table}: {count}" for table, count in counts.items()), *pictures]
    yield f"{run}.txt", "".join(f"{line}\n" for line in listed)


def _tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    return sorted(name for (name,) in found)


def _rows(database: sqlite3.Connection, table: str) -> Iterator[Row]:
    return (dict(row) for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid"))


# Which columns have the number of a row, and how that row is named where its number is chance.
_NAMES: Mapping[str, tuple[str, str]] = {
    "subject": ("subjects", "subject_id"),
    "question": ("questions", "question"),
    "source": ("sources", "judge || ' ' || annotator || ' ' || rule"),
}


def _unnumbered(row: Row, table: str, database: sqlite3.Connection) -> Row:
    """Leave out the number of a row, and name the rows that it refers to by what they say."""
    named = {name: value for name, value in row.items() if name != "id"}
    if table == "readings":
        named |= {name: _name_part(database, name, row[name]) for name in _NAMES}
        named |= {name: _name_reading(database, row[name]) for name in ("replaces", "reviews")}
    return named


def _name_part(database: sqlite3.Connection, column: str, number: object) -> object:
    table, text = _NAMES[column]
    (found,) = database.execute(f"SELECT {text} FROM {table} WHERE id = ?", (number,)).fetchone()
    return found


def _name_reading(database: sqlite3.Connection, number: object) -> object:
    if number is None:
        return None
    row = database.execute("SELECT subject, question, source, value FROM readings WHERE id = ?", (number,)).fetchone()
    return " ".join([*(str(_name_part(database, name, row[name])) for name in _NAMES), row["value"]])


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a list per row, the columns first; what is the same as in the row above is left out."""
    lines = [[json.dumps(name) for name in columns]]
    for above, row in zip([(), *rows], rows, strict=False):
        same = [*map(eq, above, row), *(False for _ in row[len(above) :])]
        lines.append([SAME if is_same else cell for is_same, cell in zip(same, row, strict=True)])
    return "".join(f"[{', '.join(line)}]\n" for line in lines)


def _write_value(value: object) -> str:
    """Write a value; a text that is JSON is put in as it is, not quoted once more."""
    if isinstance(value, str) and value[:1] in ("{", "[") and "\n" not in value and _is_json(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _mask_values(pairs: str) -> str:
    return re.sub(r'("[^"]+"):"[^"]*"', r'\1:"<version>"', pairs)
