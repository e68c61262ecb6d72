"""The tables of a run, the same on SQLite and PostgreSQL; rows are appended, never overwritten (except leases).

A column's `info` says what its values must be: `json` is the adapter that reads them, `references` the column of
another table that has them, `choices` the set they are from."""

from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    event,
    func,
)

from subitize.io import codec

SCHEMA_VERSION = 7

# The status of a response: an answer or a refusal, a final failure, a failure that may be tried again.
DONE, FAILED, TRANSIENT = "done", "failed", "transient"

metadata = MetaData()

# SQLite counts rows by itself only in a column that is exactly INTEGER PRIMARY KEY.
_RowId = BigInteger().with_variant(Integer, "sqlite")


def _numbered(name: str, *columns: Column[Any]) -> Table:
    """A table whose rows are numbered, across all runs."""
    number = Column("id", _RowId, primary_key=True, autoincrement=True)
    return Table(name, metadata, number, Column("run_id", String, nullable=False), *columns)


def _of_makers(name: str, spec: str) -> Table:
    """The table of a run's models or judges, by their specs."""
    return Table(
        name,
        metadata,
        Column("run_id", String, primary_key=True),
        Column(spec, String, primary_key=True),
        _json("options", codec.options),
        Column("is_stand_in", Boolean, nullable=False),
        Column("name", String, nullable=False),
        Column("address", Text, nullable=False),
    )


def _json(name: str, adapter: TypeAdapter[Any], *, nullable: bool = False) -> Column[str]:
    """A column of JSON that the adapter reads."""
    return Column(name, Text, nullable=nullable, info={"json": adapter})


def _reference(name: str, target: Column[Any]) -> Column[Any]:
    """A column whose values are all in a column of another table."""
    kind = BigInteger if target.name == "id" else String
    return Column(name, kind, nullable=False, info={"references": target})


schema = Table("schema_version", metadata, Column("version", Integer, primary_key=True))

runs = Table(
    "runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("token", String, nullable=False),
    Column("subitize_version", String, nullable=False),
    Column("created_at", Float, nullable=False),
)

suites = Table(
    "suites",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("suite", String, primary_key=True),
    Column("shown", Text, nullable=False),
    _json("options", codec.options),
    Column("seed", BigInteger, nullable=False),
    Column("asks_again", Boolean, nullable=False),
    _json("strata", codec.strata),
    Column("items_hash", String, nullable=True),
    Column("sampling", String, nullable=True),
    Column("sampled_from", Integer, nullable=True),
)

models = _of_makers("models", "model")
judges = _of_makers("judges", "judge")

items = Table(
    "items",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("item_id", String, primary_key=True),
    _reference("suite", suites.c.suite),
    Column("position", Integer, nullable=False),
    Column("image", String, nullable=True),
    _json("task", codec.task),
    _json("asks", codec.asks),
    _json("factors", codec.factors),
)

responses = _numbered(
    "responses",
    Column("trial_id", String, nullable=False),
    _reference("item_id", items.c.item_id),
    _reference("model", models.c.model),
    Column("repeat", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("status", String, nullable=False, info={"choices": {DONE, FAILED, TRANSIENT}}),
    Column("image", String, nullable=True),
    _json("outcome", codec.outcome),
    _json("provenance", codec.provenance),
    Column("tries", Integer, nullable=False),
    Column("latency_seconds", Float, nullable=False),
    Column("at", Float, nullable=False),
)
# Two processes may race, a lease may be lost: the database itself refuses a second response to a trial. Written as SQL
# because an Index with a condition for both databases would import all of SQLAlchemy's PostgreSQL support.
_ONE_RESPONSE = f"CREATE UNIQUE INDEX one_response_per_trial ON responses (run_id, trial_id) WHERE status = '{DONE}'"
event.listen(responses, "after_create", DDL(_ONE_RESPONSE))  # type: ignore[no-untyped-call]
Index("responses_by_model", responses.c.run_id, responses.c.model)
Index("responses_by_item", responses.c.run_id, responses.c.item_id)

# What many readings share has a row of its own: repeated in every reading, it took three quarters of a large run.
questions = _numbered(
    "questions",
    Column("question_id", Text, nullable=False),
    _json("question", codec.question),
)

subjects = _numbered(
    "subjects",
    Column("subject_id", String, nullable=False),
    _json("trial_ids", codec.trial_ids),
)
Index("one_row_per_subject", subjects.c.run_id, subjects.c.subject_id, unique=True)

sources = _numbered(
    "sources",
    Column("judge", String, nullable=False),
    Column("annotator", String, nullable=False),
    Column("rule", String, nullable=False),
)


# Tables whose texts may be too long for PostgreSQL to index; there, their hashes are indexed.
HASHED = (questions, sources)


def _index_once(name: str, *texts: Column[str]) -> None:
    """Allow these texts only once per run."""
    run_id = texts[0].table.c.run_id
    Index(name, run_id, *texts, unique=True).ddl_if(dialect="sqlite")
    Index(name, run_id, *map(func.md5, texts), unique=True).ddl_if(dialect="postgresql")


_index_once("one_row_per_question", questions.c.question)
_index_once("one_row_per_source", sources.c.judge, sources.c.annotator, sources.c.rule)

readings = _numbered(
    "readings",
    _reference("subject", subjects.c.id),
    _reference("question", questions.c.id),
    _reference("source", sources.c.id),
    _json("evidence", codec.evidence),
    _json("value", codec.value),
    Column("replaces", BigInteger, nullable=True),
    Column("at", Float, nullable=False),
    _json("provenance", codec.provenance, nullable=True),
    Column("purpose", String, nullable=True),  # null for an answer
    Column("reviews", BigInteger, nullable=True),
)
# A file has one run, whose readings are mostly read all together; in PostgreSQL they are stored among those of others.
Index("readings_by_source", readings.c.run_id, readings.c.source).ddl_if(dialect="postgresql")
Index("readings_by_subject", readings.c.subject).ddl_if(dialect="postgresql")

exclusions = _numbered(
    "exclusions",
    Column("item_id", String, nullable=False),
    Column("is_excluded", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
)

# The images of responses that were known by name only; the response itself is not changed.
attachments = Table(
    "attachments",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("trial_id", String, primary_key=True),
    Column("image", String, nullable=False),
    Column("file", Text, nullable=False),
    Column("at", Float, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("name", String, primary_key=True),
    Column("token", String, nullable=False),
    Column("host", String, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("pid_started", String, nullable=False),
    Column("expires_at", Float, nullable=False),
)
