"""Takes a run back to the tables of an earlier version, on SQLite and PostgreSQL, to be brought up to date again."""

from collections.abc import Mapping

from sqlalchemy import Connection, Engine, create_engine, text

from subitize.store import Folder, Location

EARLIER = (1, 2, 3, 4, 5, 6)

# What makes the tables of a version those of the one before.
_DOWNGRADES: Mapping[int, tuple[str, ...]] = {
    7: ("ALTER TABLE readings DROP COLUMN purpose", "ALTER TABLE readings DROP COLUMN reviews"),
    6: tuple(
        f"ALTER TABLE {table} DROP COLUMN {column}" for table in ("models", "judges") for column in ("name", "address")
    ),
    5: ("ALTER TABLE suites DROP COLUMN sampling", "ALTER TABLE suites DROP COLUMN sampled_from"),
    4: (
        "CREATE TABLE whole (id {row_id}, run_id VARCHAR NOT NULL, subject_id VARCHAR NOT NULL, "
        "trial_ids TEXT NOT NULL, question_id TEXT NOT NULL, question TEXT NOT NULL, judge VARCHAR NOT NULL, "
        "annotator VARCHAR NOT NULL, evidence TEXT NOT NULL, rule VARCHAR NOT NULL, value TEXT NOT NULL, "
        "replaces BIGINT, at FLOAT NOT NULL, provenance TEXT)",
        "INSERT INTO whole SELECT r.id, r.run_id, subject_id, trial_ids, question_id, q.question, judge, annotator, "
        "evidence, rule, value, replaces, at, provenance FROM readings r JOIN subjects b ON b.id = r.subject "
        "JOIN questions q ON q.id = r.question JOIN sources s ON s.id = r.source ORDER BY r.id",
        "DROP TABLE readings",
        "DROP TABLE questions",
        "DROP TABLE subjects",
        "DROP TABLE sources",
        "ALTER TABLE whole RENAME TO readings",
        "CREATE INDEX readings_by_judge ON readings (run_id, judge)",
        "ALTER TABLE suites DROP COLUMN asks_again",
        "ALTER TABLE suites DROP COLUMN strata",
        "ALTER TABLE suites DROP COLUMN items_hash",
    ),
    3: ("DROP TABLE attachments",),
    2: ("ALTER TABLE readings DROP COLUMN provenance", "DROP INDEX responses_by_item"),
}
_POSTGRES = (
    "ALTER INDEX whole_pkey RENAME TO readings_pkey",
    "ALTER SEQUENCE whole_id_seq RENAME TO readings_id_seq",
    "SELECT setval('readings_id_seq', max(id)) FROM readings",
)
_ROW_IDS = {"sqlite": "INTEGER NOT NULL PRIMARY KEY", "postgresql": "BIGSERIAL NOT NULL PRIMARY KEY"}


def take_back(location: Location, version: int) -> None:
    """Give the tables of a run the form that they had in an earlier version; the run must be closed."""
    engine = open_engine(location)
    with engine.begin() as connection:
        for later in range(7, version, -1):
            _take_back_from(connection, later)
        connection.execute(text(f"UPDATE schema_version SET version = {version}"))
    engine.dispose()


def open_engine(location: Location) -> Engine:
    """Open the database of a run past the store."""
    if isinstance(location, Folder):
        return create_engine(f"sqlite:///{location.path / 'run.sqlite'}")
    return create_engine(
        location.url.replace("postgresql://", "postgresql+psycopg://"),
        connect_args={"options": "-c search_path=subitize"},
    )


def _take_back_from(connection: Connection, version: int) -> None:
    dialect = connection.dialect.name
    for statement in _DOWNGRADES[version]:
        connection.execute(text(statement.format(row_id=_ROW_IDS[dialect])))
    if version == 4 and dialect == "postgresql":
        for statement in _POSTGRES:
            connection.execute(text(statement))
