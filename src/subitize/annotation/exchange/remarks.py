"""What stands beside an answer that was given on the page: doubts, flags, comments, and how long it took."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic_core import to_json
from sqlalchemy import inspect, select

from subitize.annotation import tables
from subitize.store import Run

Place = tuple[str, str, str]
"""A person, a subject and a question."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person noted beside an answer."""

    is_unsure: bool = False
    is_flagged: bool = False
    comment: str = ""
    seconds: float | None = None


def read_remarks(run: Run, judge: str) -> Mapping[Place, Remark]:
    """Read what people noted beside the latest answer to each question, in the studies of a judge."""
    answers, people, studies = tables.answers.c, tables.people.c, tables.studies.c
    with run.reading() as connection:
        if not inspect(connection).has_table(tables.answers.name):
            return {}
        of_judge = select(studies.study).where(
            studies.run_id == run.run_id,
            studies.settings.contains(f'"judge":{to_json(judge).decode()},', autoescape=True),
        )
        query = (
            select(people.name, *tables.answers.c)
            .join(tables.people, people.id == answers.person)
            .where(answers.run_id == run.run_id, answers.purpose == "answer", answers.study.in_(of_judge))
            .order_by(answers.id)
        )
        rows = connection.execute(query).all()
    return {
        (row.name, row.subject_id, row.question_id): Remark(row.is_unsure, row.is_flagged, row.comment, row.seconds)
        for row in rows
    }
