"""The database tables of studies, beside those of the run; created with the first study."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    Row,
    Select,
    String,
    Table,
    Text,
    inspect,
    select,
)

from subitize.store import Run

metadata = MetaData()

_RowId = BigInteger().with_variant(Integer, "sqlite")

studies = Table(
    "studies",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("study", String, primary_key=True),
    Column("settings", Text, nullable=False),
    Column("secret", String, nullable=False),
    Column("created_at", Float, nullable=False),
)

# Of studies that were made in the browser: all that they are made of, to be served again.
plans = Table(
    "study_plans",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("study", String, primary_key=True),
    Column("plan", Text, nullable=False),
)

samples = Table(
    "study_samples",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("sample", String, primary_key=True),
    Column("frame", Integer, nullable=False),
    Column("unit", String, nullable=False),
    Column("scheme", String, nullable=False),
    Column("by", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("probability", Float, nullable=False),
    Column("subjects", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

# Rows are appended: the latest about a picture counts.
screenings = Table(
    "study_screenings",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("image", String, nullable=False),
    Column("is_held", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
)

people = Table(
    "study_people",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("study", String, nullable=False),
    Column("name", String, nullable=False),
    Column("role", String, nullable=False),
    Column("details", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("consented_at", Float, nullable=True),
    Column("withdrawn_at", Float, nullable=True),
    Column("withdrawn_because", Text, nullable=True),
)
Index("one_person_per_name", people.c.run_id, people.c.study, people.c.name, unique=True)

# What people did, in the order it came; what is an answer for good is a reading of the run, too.
answers = Table(
    "study_answers",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("study", String, nullable=False),
    Column("person", BigInteger, nullable=False),
    Column("key", String, nullable=False),
    Column("subject_id", String, nullable=False),
    Column("question_id", Text, nullable=False),
    Column("purpose", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("is_skipped", Boolean, nullable=False),
    Column("is_unsure", Boolean, nullable=False),
    Column("is_flagged", Boolean, nullable=False),
    Column("comment", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("at", Float, nullable=False),
)
# A browser sends an answer again until it hears that it is stored: the key says that it is the same.
Index("one_answer_per_key", answers.c.run_id, answers.c.study, answers.c.person, answers.c.key, unique=True)

# What stands beside answers that were brought in: rows are appended, the latest about an answer counts.
remarks = Table(
    "study_remarks",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("run_id", String, nullable=False),
    Column("judge", String, nullable=False),
    Column("annotator", String, nullable=False),
    Column("subject_id", String, nullable=False),
    Column("question_id", Text, nullable=False),
    Column("is_unsure", Boolean, nullable=False),
    Column("is_flagged", Boolean, nullable=False),
    Column("comment", Text, nullable=False),
    Column("seconds", Float, nullable=True),
    Column("answered_at", Float, nullable=True),
    Column("at", Float, nullable=False),
)

# Whose answer a review is about; the answer is known by its key.
reviews = Table(
    "study_reviews",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("study", String, primary_key=True),
    Column("person", BigInteger, primary_key=True),
    Column("key", String, primary_key=True),
    Column("author", BigInteger, nullable=False),
    Column("answer_key", String, nullable=False),
)


@dataclass(frozen=True, slots=True)
class StudyRows:
    """Where a study's rows stand among those of others."""

    run_id: str
    study: str

    @property
    def key(self) -> dict[str, str]:
        """What every row of the study begins with."""
        return {"run_id": self.run_id, "study": self.study}

    def of(self, table: Table) -> Select[tuple[object, ...]]:
        """Select the study's rows of a table."""
        return select(table).where(table.c.run_id == self.run_id, table.c.study == self.study)


def read_rows(run: Run, table: Table, query: Select[Any]) -> Sequence[Row[Any]]:
    """Read rows of a table; none where there is no such table yet."""
    with run.reading() as connection:
        return connection.execute(query).all() if inspect(connection).has_table(table.name) else []
