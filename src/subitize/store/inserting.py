"""Rows into a table, many at a time."""

from collections.abc import Iterable, Sequence
from itertools import islice

from sqlalchemy import Connection, Insert

ROWS_AT_ONCE = 2_000


def insert_all(connection: Connection, statement: Insert, rows: Iterable[Sequence[object]]) -> int:
    """Insert rows of values, in the order of the table's columns; tell how many there were.

    The statement goes to the driver as it is: SQLAlchemy would look at every value once more, which takes as long as
    all the rest.
    """
    names = [column.name for column in statement.table.columns if column.name != "id"]
    compiled = statement.compile(connection, column_keys=names)
    remaining, total = iter(rows), 0
    while chunk := list(islice(remaining, ROWS_AT_ONCE)):
        # SQLite numbers its parameters, PostgreSQL names them.
        values = chunk if compiled.positiontup else [dict(zip(names, row, strict=True)) for row in chunk]
        connection.exec_driver_sql(str(compiled), values)
        total += len(chunk)
    return total
