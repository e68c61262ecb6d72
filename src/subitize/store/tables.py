"""The tables of a run, the same on SQLite and PostgreSQL; rows are appended, never overwritten (leases apart)."""

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

SCHEMA_VERSION = 7

# The status of a response: an answer or a refusal; a failure for good; a failure that may be tried again.
DONE, FAILED, TRANSIENT = "done", "failed", "transient"

metadata = MetaData()

# SQLite counts rows by itself only in a column that is exactly INTEGER PRIMARY KEY.
_RowId = BigInteger().with_variant(Integer, "sqlite")

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
    Column("options", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("asks_again", Boolean, nullable=False),
    Column("strata", Text, nullable=False),
    Column("items_hash", String, nullable=True),
    Column("sampling", String, nullable=True),
    Column("sampled_from", Integer, nullable=True),
)

models = Table(
    "models",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("model", String, primary_key=True),
    Column("options", Text, nullable=False),
    Column("is_stand_in", Boolean, nullable=False),
    Column("name", String, nullable=False),
    Column("address", Text, nullable=False),
)

judges = Table(
    "judges",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("judge", String, primary_key=True),
    Column("options", Text, nullable=False),
    Column("is_stand_in", Boolean, nullable=False),
    Column("name", String, nullable=False),
    Column("address", Text, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("item_id", String, primary_key=True),
    Column("suite", String, nullable=False),
    Column("position", Integer, nullable=False),
    Column("image", String, nullable=True),
    Column("task", Text, nullable=False),
    Column("asks", Text, nullable=False),
    Column("factors", Text, nullable=False),
)

responses = Table(
    "responses",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("trial_id", String, nullable=False),
    Column("item_id", String, nullable=False),
    Column("model", String, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("status", String, nullable=False),
    Column("image", String, nullable=True),
    Column("outcome", Text, nullable=False),
    Column("provenance", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("latency_seconds", Float, nullable=False),
    Column("at", Float, nullable=False),
)
# Two runners may race, a lease may be lost: the database itself refuses a second response to a trial. It is spelt out
# because an Index that both should know imports all that SQLAlchemy has for PostgreSQL.
_ONE_RESPONSE = f"CREATE UNIQUE INDEX one_response_per_trial ON responses (run_id, trial_id) WHERE status = '{DONE}'"
event.listen(responses, "after_create", DDL(_ONE_RESPONSE))  # type: ignore[no-untyped-call]
Index("responses_by_model", responses.c.run_id, responses.c.model)
Index("responses_by_item", responses.c.run_id, responses.c.item_id)

# What many readings repeat has a row of its own: spelt out in every reading, it took three quarters of a large run.
questions = Table(
    "questions",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("question_id", Text, nullable=False),
    Column("question", Text, nullable=False),
)

subjects = Table(
    "subjects",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("subject_id", String, nullable=False),
    Column("trial_ids", Text, nullable=False),
)
Index("one_row_per_subject", subjects.c.run_id, subjects.c.subject_id, unique=True)

sources = Table(
    "sources",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("judge", String, nullable=False),
    Column("annotator", String, nullable=False),
    Column("rule", String, nullable=False),
)


# Tables whose texts may be longer than PostgreSQL can index, which has hashes in the index instead.
HASHED = (questions, sources)


def _index_once(name: str, *texts: Column[str]) -> None:
    """Let a table have a row only once in a run."""
    run_id = texts[0].table.c.run_id
    Index(name, run_id, *texts, unique=True).ddl_if(dialect="sqlite")
    Index(name, run_id, *map(func.md5, texts), unique=True).ddl_if(dialect="postgresql")


_index_once("one_row_per_question", questions.c.question)
_index_once("one_row_per_source", sources.c.judge, sources.c.annotator, sources.c.rule)

readings = Table(
    "readings",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("subject", BigInteger, nullable=False),
    Column("question", BigInteger, nullable=False),
    Column("source", BigInteger, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("replaces", BigInteger, nullable=True),
    Column("at", Float, nullable=False),
    Column("provenance", Text, nullable=True),
    Column("purpose", String, nullable=True),  # none of an answer
    Column("reviews", BigInteger, nullable=True),
)
# A file has one run, whose readings are mostly read all together; in PostgreSQL they stand among those of others.
Index("readings_by_source", readings.c.run_id, readings.c.source).ddl_if(dialect="postgresql")
Index("readings_by_subject", readings.c.subject).ddl_if(dialect="postgresql")

exclusions = Table(
    "exclusions",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("item_id", String, nullable=False),
    Column("is_excluded", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
)

# The pixels of responses that are known by name only; the response itself stays as it is.
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
