"""The database tables of studies, created in the run's database with the first study."""

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
from sqlalchemy.types import TypeEngine

from subitize.store import Run

metadata = MetaData()


def _key(*names: str) -> list[Column[Any]]:
    """Make the columns of a primary key."""
    return [Column(name, String, primary_key=True) for name in names]


def _row_of_run() -> list[Column[Any]]:
    """Make the columns of a numbered row of a run."""
    number = BigInteger().with_variant(Integer, "sqlite")
    return [Column("id", number, primary_key=True, autoincrement=True), *_required(run_id=String)]


def _required(**types: type[TypeEngine[Any]]) -> list[Column[Any]]:
    """Make columns that are never null."""
    return [Column(name, kind, nullable=False) for name, kind in types.items()]


def _optional(**types: type[TypeEngine[Any]]) -> list[Column[Any]]:
    """Make columns that may be null."""
    return [Column(name, kind, nullable=True) for name, kind in types.items()]


studies = Table(
    "studies", metadata, *_key("run_id", "study"), *_required(settings=Text, secret=String, created_at=Float)
)

# Complete plans of studies made in the browser, from which they are served again.
plans = Table("study_plans", metadata, *_key("run_id", "study"), *_required(plan=Text))

samples = Table(
    "study_samples",
    metadata,
    *_key("run_id", "sample"),
    *_required(frame=Integer, unit=String, scheme=String, by=Text, seed=BigInteger),
    *_required(probability=Float, subjects=Text, created_at=Float),
)

# How a person's training ended, which is final.
outcomes = Table(
    "study_outcomes",
    metadata,
    *_key("run_id", "study"),
    Column("person", BigInteger, primary_key=True),
    *_required(outcome=String, at=Float),
)

# Rows are appended: the latest about a picture counts.
screenings = Table(
    "study_screenings", metadata, *_row_of_run(), *_required(image=String, is_held=Boolean, reason=Text, at=Float)
)

people = Table(
    "study_people",
    metadata,
    *_row_of_run(),
    *_required(study=String, name=String, role=String, details=Text, created_at=Float),
    *_optional(consented_at=Float, withdrawn_at=Float, withdrawn_because=Text),
)
Index("one_person_per_name", people.c.run_id, people.c.study, people.c.name, unique=True)

# Everything people did, in order; final answers are also readings of the run.
answers = Table(
    "study_answers",
    metadata,
    *_row_of_run(),
    *_required(study=String, person=BigInteger, key=String, subject_id=String, question_id=Text, purpose=String),
    *_required(text=Text, is_skipped=Boolean, is_unsure=Boolean, is_flagged=Boolean, comment=Text),
    *_required(seconds=Float, at=Float),
)
# A browser resends an answer until it is confirmed: the key identifies it.
Index("one_answer_per_key", answers.c.run_id, answers.c.study, answers.c.person, answers.c.key, unique=True)

# Remarks on imported answers. Rows are appended: the latest about an answer counts.
remarks = Table(
    "study_remarks",
    metadata,
    *_row_of_run(),
    *_required(judge=String, annotator=String, subject_id=String, question_id=Text),
    *_required(is_unsure=Boolean, is_flagged=Boolean, comment=Text),
    *_optional(seconds=Float, answered_at=Float),
    *_required(at=Float),
)

# The author and the key of the answer that each review is about.
reviews = Table(
    "study_reviews",
    metadata,
    *_key("run_id", "study"),
    Column("person", BigInteger, primary_key=True),
    *_key("key"),
    *_required(author=BigInteger, answer_key=String),
)


@dataclass(frozen=True, slots=True)
class StudyRows:
    """Selects the rows of one study."""

    run_id: str
    study: str

    @property
    def key(self) -> dict[str, str]:
        """The columns that identify the study, in each of its rows."""
        return {"run_id": self.run_id, "study": self.study}

    def of(self, table: Table) -> Select[tuple[object, ...]]:
        """Select the study's rows of a table."""
        return select(table).where(table.c.run_id == self.run_id, table.c.study == self.study)


def read_rows(run: Run, table: Table, query: Select[Any]) -> Sequence[Row[Any]]:
    """Read rows of a table, which may not exist yet."""
    with run.reading() as connection:
        return connection.execute(query).all() if inspect(connection).has_table(table.name) else []
