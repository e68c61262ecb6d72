"""Stores once what many readings share: readings refer to questions, subjects and sources by number."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, func, select, text, tuple_

from subitize.store.database import insert_all
from subitize.store.tables import HASHED, questions, sources, subjects

_ROWS_AT_ONCE = 500
_INTERNING = 5081713  # an arbitrary number, different from that of any other lock
# What distinguishes the rows of a run.
_KEYS = {subjects: ("subject_id",), questions: ("question",), sources: ("judge", "annotator", "rule")}

Texts = tuple[str, ...]
_NOTHING: Mapping[Texts, int] = {}
RowT = TypeVar("RowT")


class Interned:
    """The numbers of one table's rows, by their texts, as far as a transaction has seen them; some may be given."""

    def __init__(
        self, connection: Connection, run_id: str, table: Table, known: Mapping[Texts, int] = _NOTHING
    ) -> None:
        self._connection, self._run_id, self._table = connection, run_id, table
        self._names = _text_columns(table)
        self._places = [self._names.index(name) for name in _KEYS[table]]
        self.numbers = dict(known)
        self._is_postgres = connection.dialect.name == "postgresql"
        self._is_hashed = self._is_postgres and table in HASHED

    def number(self, rows: Sequence[Texts]) -> list[int]:
        """Return the numbers of rows, each given as its texts in column order; store the new ones."""
        missing = list(dict.fromkeys(row for row in rows if row not in self.numbers))
        for start in range(0, len(missing), _ROWS_AT_ONCE):
            self._intern({self._key(row): row for row in missing[start : start + _ROWS_AT_ONCE]})
        return [self.numbers[row] for row in rows]

    def _intern(self, rows: Mapping[Texts, Texts]) -> None:
        # SQLite has one writer anyway, so there is nothing to wait for and no need to look first.
        found = dict(self._find(rows)) if self._is_postgres else {}
        new = [row for key, row in rows.items() if key not in found]
        if new:
            self._insert(new)
            found = dict(self._find(rows))
        self.numbers.update((row, found[key]) for key, row in rows.items())

    def _find(self, keys: Iterable[Texts]) -> Iterator[tuple[Texts, int]]:
        wanted = [tuple(map(_md5, key)) for key in keys] if self._is_hashed else list(keys)
        # Binding single texts takes half the time of tuples.
        values = {"run": self._run_id, "keys": wanted if len(self._places) > 1 else [one for (one,) in wanted]}
        found = self._connection.execute(_select_keys(self._table, is_hashed=self._is_hashed), values)
        return ((tuple(row[1:]), row[0]) for row in found)

    def _insert(self, rows: Sequence[Texts]) -> None:
        if self._is_postgres:
            # Two processes that store the same rows in different orders would deadlock.
            lock = text(f"SELECT pg_advisory_xact_lock({_INTERNING}, hashtext(:run))")
            self._connection.execute(lock, {"run": self._run_id})
        own = ((self._run_id, *row) for row in rows)
        insert_all(self._connection, self._table, own, skips_known=True)

    def _key(self, row: Texts) -> Texts:
        return tuple(row[place] for place in self._places)


def _text_columns(table: Table) -> list[str]:
    return [column.name for column in table.columns if column.name not in ("id", "run_id")]


@lru_cache(maxsize=16)
def _select_keys(table: Table, *, is_hashed: bool) -> Select[Any]:
    """Select rows by any number of keys."""
    columns = [table.c[name] for name in _KEYS[table]]
    places: list[ColumnElement[str]] = [func.md5(column) for column in columns] if is_hashed else [*columns]
    key = places[0] if len(places) == 1 else tuple_(*places)
    is_wanted = key.in_(bindparam("keys", expanding=True))
    return select(table.c.id, *columns).where(table.c.run_id == bindparam("run"), is_wanted)


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
