"""Rows into a table, many at a time."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, Dialect, Table, insert

ROWS_AT_ONCE = 2_000


def insert_all(
    connection: Connection, table: Table, rows: Iterable[Sequence[object]], *, skips_known: bool = False
) -> int:
    """Insert rows of values, in the order of the table's columns; tell how many there were.

    Those that an index refuses, because they are there, may be skipped. The statement goes to the driver as it is:
    SQLAlchemy would look at every value once more, which takes as long as all the rest.
    """
    prepared = _prepare(table, connection.dialect, skips_known=skips_known)
    remaining, total = iter(rows), 0
    while chunk := list(islice(remaining, ROWS_AT_ONCE)):
        # SQLite numbers its parameters, PostgreSQL names them.
        named = None if prepared.is_numbered else [dict(zip(prepared.names, row, strict=True)) for row in chunk]
        connection.exec_driver_sql(prepared.statement, named or chunk)
        total += len(chunk)
    return total


class _Prepared(NamedTuple):
    statement: str
    names: list[str]
    is_numbered: bool


@lru_cache(maxsize=64)
def _prepare(table: Table, dialect: Dialect, *, skips_known: bool) -> _Prepared:
    names = [column.name for column in table.columns if column.name != "id"]
    compiled = insert(table).inline().compile(dialect=dialect, column_keys=names)
    statement = f"{compiled} ON CONFLICT DO NOTHING" if skips_known else str(compiled)
    return _Prepared(statement, names, is_numbered=compiled.positiontup is not None)
