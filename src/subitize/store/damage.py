"""Finds damage in a run once reading it has failed, and names its table, row and column."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Boolean, Column, ColumnElement, Connection, Float, Integer, Table, column, select

from subitize.store import tables
from subitize.store.images import is_image_name

# Rows that may be deleted, as this command makes them again.
_DONE_AGAIN = {tables.responses: "run", tables.readings: "judge"}
_BACKUP = "restore the run from a backup"
_TABLES = sorted(  # referenced tables come first, as the damage may be there
    (table for table in tables.metadata.sorted_tables if table not in (tables.schema, tables.leases)),
    key=lambda table: any("references" in one.info for one in table.columns),
)


def find_damage(connection: Connection, run_id: str) -> str | None:
    """Describe the first row that cannot be read and its remedy; return None if all can be read."""
    with _reading_any_text(connection):
        for table in _TABLES:
            known = {one: _read_known(connection, one) for one in table.columns if one.name != "run_id"}
            for row in _read_raw(connection, table, run_id):
                for place, among in known.items():
                    fault = _find_fault(place, row[place.name], among) or _find_contradiction(place, row)
                    if fault:
                        key = " AND ".join(f"{one} = {row[one]!r}" for one in _key(table))
                        return f"table {table.name}, row {key}: {place.name} {fault}; {_remedy(place, key)}"
    return None


@contextmanager
def _reading_any_text(connection: Connection) -> Iterator[None]:
    """Allow reading texts that are not UTF-8, which SQLite keeps and PostgreSQL refuses."""
    if connection.dialect.name != "sqlite":
        yield
        return
    driver: Any = connection.connection.driver_connection
    driver.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        driver.text_factory = str


def _remedy(place: Column[Any], key: str) -> str:
    # If a reference is wrong, the other table may be the damaged one.
    again = None if "references" in place.info else _DONE_AGAIN.get(place.table)
    return _BACKUP + (f", or DELETE FROM {place.table.name} WHERE {key} and {again} again" if again else "")


def _key(table: Table) -> list[str]:
    return [one.name for one in table.primary_key.columns if one.name != "run_id"] or ["token"]


def _read_known(connection: Connection, place: Column[Any]) -> set[object] | None:
    """Return the values a column may have, if they are known."""
    target = place.info.get("references")
    return place.info.get("choices") if target is None else {*connection.execute(select(target)).scalars()}


def _read_raw(connection: Connection, table: Table, run_id: str) -> Iterator[Mapping[str, Any]]:
    """Read rows as they are stored, unchecked."""
    names = [one.name for one in table.columns if one.name != "run_id"]
    unchecked: list[ColumnElement[Any]] = [column(name) for name in names]
    query = select(*unchecked).select_from(table).where(table.c.run_id == run_id)
    for row in connection.execute(query):
        yield dict(zip(names, row, strict=True))


def _find_fault(place: Column[Any], value: Any, known: Collection[Any] | None) -> str:  # noqa: ANN401
    """Return what is wrong with a value, or an empty text; `known` are the values it may have."""
    kinds = (int, float) if isinstance(place.type, Float) else (int,)
    is_text = not isinstance(place.type, Float | Integer | Boolean)
    if value is None:
        return "" if place.nullable else "is empty"
    if not isinstance(value, str if is_text else kinds):
        return f"should be {'text' if is_text else 'a number'}, not {value!r:.60}"
    if isinstance(value, str) and re.search("[\udc80-\udcff]", value):
        return f"is not UTF-8: {value!r:.60}"
    if known is not None and value not in known:
        target = place.info.get("references")
        among = f"one of {sorted(known)}" if target is None else f"in table {target.table.name}"
        return f"{value!r:.60} is not {among}"
    return _find_text_fault(place, value) if isinstance(value, str) else ""


def _find_contradiction(place: Column[Any], row: Mapping[str, Any]) -> str:
    """Return how a value contradicts another of its row, or an empty text."""
    if place is tables.suites.c.sampled_from and row["sampling"] is not None and row[place.name] is None:
        return f"is empty, though its sampling is {row['sampling']!r:.60}"
    return ""


def _find_text_fault(place: Column[Any], value: str) -> str:
    if place.name == "image" and not is_image_name(value):
        return f"{value!r:.60} is no name of an image"
    try:
        if "json" in place.info:
            place.info["json"].validate_json(value)
    except ValidationError as error:
        return f"cannot be read ({error.errors(include_url=False)[0]['msg']}): {value[:60]!r}"
    return ""
