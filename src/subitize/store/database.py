"""Opens the database of a run, lists the runs at a location, and inserts rows in bulk.

Runs are stored in SQLite, in a folder, or in PostgreSQL, by URL; database errors become subitize's own."""

import importlib
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import (
    URL,
    Connection,
    Dialect,
    Engine,
    Table,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from subitize.errors import (
    BadValueError,
    DamagedRunError,
    MissingPartError,
    NewerSchemaError,
    NotARunError,
    StorageError,
    SubitizeError,
)
from subitize.store import leases, tables
from subitize.store.upgrades import upgrade_statements

DATABASE_FILE = "run.sqlite"
BUSY_SECONDS = 60
_DAMAGE = ("malformed", "Could not decode")
_SETTING_UP = 5081712  # an arbitrary number
# Reading needs no transaction. In SQLite none begins unless _begin_at_once begins it; changing the isolation level, and
# changing it back afterwards, would take as long as most queries.
_READING: Mapping[str, Mapping[str, Any]] = {
    "sqlite": {"is_reading": True},
    "postgresql": {"isolation_level": "AUTOCOMMIT"},
}


@dataclass(frozen=True, slots=True)
class Folder:
    """A run in a folder of its own."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class Database:
    """A run in a PostgreSQL database that others may share, its images in a folder."""

    url: str = field(repr=False)
    run_id: str
    images: Path

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", self.run_id):
            raise BadValueError(
                f"run name {self.run_id!r}: in a database it should be up to 100 letters, digits, dots, dashes and _"
            )

    def __str__(self) -> str:
        # The query may have a password too.
        return f"{self.run_id} in {_parse_url(self.url).set(query={}).render_as_string(hide_password=True)}"


Location = Folder | Database


@dataclass(frozen=True, slots=True)
class Backend:
    """An open database; `copy` is the temporary folder if it is a copy."""

    engine: Engine
    where: str
    is_frozen: bool = False
    copy: "tempfile.TemporaryDirectory[str] | None" = None

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        if self.copy is not None:
            self.copy.cleanup()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a write transaction; an error rolls it back."""
        with self._translating_errors(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def setting_up(self) -> Iterator[Connection]:
        """Open a transaction that creates what is missing: one process at a time, lest two create it."""
        with self.writing() as connection:
            if connection.dialect.name == "postgresql":  # SQLite has one writer at a time anyway
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_SETTING_UP})"))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read without locking."""
        with self._translating_errors(), self.engine.connect() as connection:
            yield connection.execution_options(**_READING[self.engine.dialect.name])

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        # Large results are fetched by the driver's own cursor, whose errors SQLAlchemy does not see.
        of_driver: type[Exception] = self.engine.dialect.loaded_dbapi.Error
        try:
            yield
        except (DBAPIError, of_driver) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            reason = str(cause).strip().splitlines()[0] if str(cause).strip() else "no reason given"
            if isinstance(cause, sqlite3.DatabaseError) and "not a database" in reason:
                raise NotARunError(f"{self.where} is not a run: its {DATABASE_FILE} is no database") from None
            if isinstance(cause, sqlite3.DatabaseError) and any(sign in reason for sign in _DAMAGE):
                raise DamagedRunError(
                    f"the database of {self.where} is damaged: {reason}; restore the run from a backup, or save what "
                    f"can be read: sqlite3 {DATABASE_FILE} .recover | sqlite3 saved.sqlite"
                ) from None
            raise StorageError(f"the database of {self.where} refused: {reason}") from None


def open_backend(location: Location, *, create: bool) -> Backend:
    """Open the database; create its tables first if asked to."""
    if isinstance(location, Folder):
        backend = _open_sqlite(location.path, create=create)
    else:
        backend = Backend(_postgres_engine(location.url), str(location))
    try:
        _check_encoding(backend)
        if create:
            _create_tables(backend)
        if _check_schema(backend) == tables.SCHEMA_VERSION:
            return backend
        if backend.is_frozen:
            return _upgrade_copy(backend)
        _upgrade(backend)
    except SubitizeError:
        backend.close()
        raise
    return backend


def _check_encoding(backend: Backend) -> None:
    """Refuse a database that cannot hold every text."""
    if backend.engine.dialect.name != "postgresql":
        return
    with backend.reading() as connection:
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise BadValueError(
            f"the database of {backend.where} is encoded in {encoding}, which cannot hold every text; "
            "make one with: createdb --encoding UTF8 --template template0 NAME"
        )


def _open_sqlite(folder: Path, *, create: bool) -> Backend:
    try:
        file = _find_file(folder, create=create)
    except OSError as error:
        raise StorageError(f"cannot open the run {folder}: {error.strerror}") from error
    if not create and not all(os.access(path, os.W_OK) for path in (folder, file)):
        return Backend(_frozen_sqlite(file), str(folder), is_frozen=True)
    return Backend(_sqlite_engine(file), str(folder))


def _find_file(folder: Path, *, create: bool) -> Path:
    if folder.exists() and not folder.is_dir():
        raise NotARunError(f"{folder} is not a run: it is a file, not a folder")
    file = folder / DATABASE_FILE
    if file.exists():
        _check_ours(file)
    else:
        if not create:
            raise NotARunError(f"{folder} is not a run: it has no {DATABASE_FILE}")
        # Another process may be creating the same run at this moment: its files are not foreign.
        if folder.exists() and any(not entry.name.startswith(DATABASE_FILE) for entry in folder.iterdir()):
            raise NotARunError(f"{folder} is not a run and not empty; name a new folder for the run")
        folder.mkdir(parents=True, exist_ok=True)
    return file


def _check_ours(file: Path) -> None:
    """Refuse another program's database before anything in it is changed, even its journal mode."""
    if not file.is_file():
        raise NotARunError(f"{file.parent} is not a run: its {DATABASE_FILE} is not a file")
    uri = f"file:{quote(str(file.resolve()))}?mode=ro"
    found: set[str] = set()
    with suppress(sqlite3.Error), closing(sqlite3.connect(uri, uri=True)) as connection:  # opening it reports the error
        found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if found and not {tables.schema.name, tables.runs.name} <= found:
        raise NotARunError(
            f"{file.parent} is not a run: its {DATABASE_FILE} is another program's database, "
            f"with the tables {', '.join(sorted(found))[:80]}; name another folder"
        )


def _sqlite_engine(file: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(file)))
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_at_once)
    return engine


def _frozen_sqlite(file: Path) -> Engine:
    # Without write access SQLite reads a database in WAL mode only as "immutable", and then ignores the log. A log that
    # exists was left by a killed process or belongs to a running one.
    log = file.with_name(f"{file.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    options = {"uri": "true", "mode": "ro"} | ({} if has_log else {"immutable": "1"})
    return create_engine(URL.create("sqlite", database=f"file:{quote(str(file.resolve()))}", query=options))


def _set_up_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # _begin_at_once begins transactions
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    # FULL: commits survive a power cut too, not only a killed process.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _begin_at_once(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot wait for another writer; one that locks at once can.
    if not connection.get_execution_options().get("is_reading"):
        connection.connection.cursor().execute("BEGIN IMMEDIATE")


def _postgres_engine(url: str) -> Engine:
    parsed = _parse_url(url)
    try:
        importlib.import_module("psycopg")
    except ImportError:
        raise MissingPartError("a run in PostgreSQL", "psycopg", "postgres") from None
    options = f"{parsed.query.get('options', '')} -c search_path=subitize".strip()
    return create_engine(
        parsed.set(drivername="postgresql+psycopg").difference_update_query(["options"]),
        connect_args={"options": options, "connect_timeout": 10},
        isolation_level="READ COMMITTED",  # it must see what others commit meanwhile
    )


def _parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise BadValueError(
            "the database URL cannot be read; it should look like postgresql://user@host/name"
        ) from None
    if "@" in (parsed.host or ""):
        raise BadValueError("the database URL has an @ too many; write the one in the password as %40")
    if parsed.drivername not in ("postgresql", "postgresql+psycopg", "postgres"):
        raise BadValueError(f"a database URL begins with postgresql://, not {parsed.drivername}://")
    return parsed


def _create_tables(backend: Backend) -> None:
    with backend.setting_up() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("CREATE SCHEMA IF NOT EXISTS subitize"))
        if not inspect(connection).has_table("schema_version"):
            tables.metadata.create_all(connection)
            connection.execute(insert(tables.schema).values(version=tables.SCHEMA_VERSION))


def _check_schema(backend: Backend) -> int:
    """Return the version of the tables, which must not be newer than this program's."""
    with backend.reading() as connection:
        if not inspect(connection).has_table("schema_version"):
            raise NotARunError(f"{backend.where} is not a run: its database has none of our tables")
        versions = connection.execute(select(tables.schema.c.version)).scalars().all()
    if len(versions) != 1 or not isinstance(versions[0], int):
        raise DamagedRunError(
            f"{backend.where} is damaged: table schema_version should have one number, not {list(versions)!r:.60}; "
            "restore the run from a backup"
        )
    version = versions[0]
    if version > tables.SCHEMA_VERSION:
        raise NewerSchemaError(
            f"{backend.where} was written by a newer subitize (schema {version}; this one knows up to "
            f"{tables.SCHEMA_VERSION}); run: pip install --upgrade subitize"
        )
    return version


def _upgrade(backend: Backend) -> None:
    """Upgrade the tables of an older version, completely or not at all; no stored value changes."""
    with backend.setting_up() as connection:
        # Read again, as another process may have upgraded it.
        version = connection.execute(select(tables.schema.c.version)).scalar_one()
        if version < tables.SCHEMA_VERSION:
            # A running older subitize could not go on with newer tables and would lose answers already paid for.
            leases.refuse_if_any(connection, f"{backend.where} was written by an older subitize")
        for older in range(version, tables.SCHEMA_VERSION):
            for statement in upgrade_statements(older, connection.dialect.name):
                connection.execute(text(statement))
        connection.execute(update(tables.schema).values(version=tables.SCHEMA_VERSION))
    if version < tables.SCHEMA_VERSION and backend.engine.dialect.name == "sqlite":
        # A file does not shrink by itself. If it cannot be rewritten, as on a full disk, it keeps its size.
        with suppress(StorageError), backend.reading() as connection:
            connection.execute(text("VACUUM"))


def _upgrade_copy(frozen: Backend) -> Backend:
    """Upgrade a temporary copy of a run that cannot be written, and open that instead."""
    folder: tempfile.TemporaryDirectory[str] | None = None
    try:
        folder = tempfile.TemporaryDirectory(prefix="subitize-", ignore_cleanup_errors=True)
        file = Path(folder.name) / DATABASE_FILE
        with frozen.reading() as source, closing(sqlite3.connect(file)) as target:
            source.connection.backup(target)
        copy = Backend(_sqlite_engine(file), frozen.where)
        try:
            _upgrade(copy)
        finally:
            copy.close()
    except (StorageError, sqlite3.Error, OSError) as error:
        if folder is not None:
            folder.cleanup()
        raise StorageError(
            f"{frozen.where} was written by an older subitize and cannot be brought up to date: nothing can be written "
            f"there, and a temporary copy failed: {error}; copy it to a folder of your own"
        ) from None
    frozen.close()
    return Backend(_frozen_sqlite(file), frozen.where, is_frozen=True, copy=folder)


def list_runs(location: Location) -> list[Location]:
    """List the run at a location, or the runs in a folder that is not one; in a database, all runs, this one first."""
    if isinstance(location, Folder):
        if (location.path / DATABASE_FILE).exists():
            return [location]
        found = sorted(location.path.glob(f"*/{DATABASE_FILE}")) if location.path.is_dir() else []
        return [Folder(file.parent) for file in found]
    backend = open_backend(location, create=False)
    try:
        with backend.reading() as connection:
            names = connection.execute(select(tables.runs.c.run_id).order_by(tables.runs.c.run_id)).scalars().all()
    finally:
        backend.close()
    return [location, *(replace(location, run_id=name) for name in names if name != location.run_id)]


ROWS_AT_ONCE = 2_000


def insert_all(
    connection: Connection, table: Table, rows: Iterable[Sequence[object]], *, skips_known: bool = False
) -> int:
    """Insert rows of values in the order of the table's columns; return their number.

    Optionally skip rows that a unique index refuses. The statement goes straight to the driver: SQLAlchemy would
    process every value again, which takes as long as all the rest.
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
