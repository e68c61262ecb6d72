"""Remarks beside an answer: doubts, flags, comments, and the time it took."""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from pydantic_core import to_json
from sqlalchemy import insert, select

from subitize.annotation import tables
from subitize.io.files import CsvRow
from subitize.store import Run

Place = tuple[str, str, str]
"""A person, a subject and a question."""
_YES, _NO = ("true", "1", "yes"), ("", "false", "0", "no")


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person noted beside an answer, how many seconds it took, and when it was given (since 1970)."""

    is_unsure: bool = False
    is_flagged: bool = False
    comment: str = ""
    seconds: float | None = None
    answered_at: float | None = None


def read_remarks(run: Run, judge: str) -> Mapping[Place, Remark]:
    """Read what stands beside the latest answer to each question: in the studies of a judge, or brought in."""
    noted = [*_read_noted(run, judge), *_read_imported(run, judge)]
    return {place: remark for _, place, remark in sorted(noted, key=lambda one: one[0])}


def read_remark(line: CsvRow) -> Remark:
    """Read what a line of a table says beside the answer; columns that it does not have say nothing."""
    return Remark(
        _read_flag(line, "is_unsure"),
        _read_flag(line, "is_flagged"),
        line.get("comment"),
        _read_seconds(line, "seconds"),
        _read_seconds(line, "answered_at"),
    )


def write_remark(remark: Remark) -> dict[str, str]:
    """Write a remark into the columns that it is read from."""
    return {name: "" if value is None else str(value) for name, value in asdict(remark).items()}


def store_remarks(run: Run, judge: str, remarks: Mapping[Place, Remark]) -> None:
    """Store what is not known yet."""
    known = read_remarks(run, judge)
    new = {place: remark for place, remark in remarks.items() if remark != known.get(place, Remark())}
    if not new:
        return
    run.create_tables(tables.metadata)
    shared = {"run_id": run.run_id, "judge": judge, "at": time.time()}
    with run.lease(f"judge {judge}") as lease, run.writing(lease) as connection:
        for (annotator, subject, question), remark in new.items():
            about = {"annotator": annotator, "subject_id": subject, "question_id": question}
            connection.execute(insert(tables.remarks).values(**shared, **about, **asdict(remark)))


_Noted = tuple[float, Place, Remark]


def _read_noted(run: Run, judge: str) -> Iterator[_Noted]:
    answers, people, studies = tables.answers.c, tables.people.c, tables.studies.c
    of_judge = select(studies.study).where(
        studies.run_id == run.run_id,
        studies.settings.contains(f'"judge":{to_json(judge).decode()},', autoescape=True),
    )
    query = (
        select(people.name.label("annotator"), *answers)
        .join(tables.people, people.id == answers.person)
        .where(answers.run_id == run.run_id, answers.purpose == "answer", answers.study.in_(of_judge))
        .order_by(answers.id)
    )
    for row in tables.read_rows(run, tables.answers, query):
        place = (row.annotator, row.subject_id, row.question_id)
        yield row.at, place, Remark(row.is_unsure, row.is_flagged, row.comment, row.seconds, row.at)


def _read_imported(run: Run, judge: str) -> Iterator[_Noted]:
    own = tables.remarks.c
    query = select(tables.remarks).where(own.run_id == run.run_id, own.judge == judge).order_by(own.id)
    for row in tables.read_rows(run, tables.remarks, query):
        remark = Remark(row.is_unsure, row.is_flagged, row.comment, row.seconds, row.answered_at)
        yield row.at, (row.annotator, row.subject_id, row.question_id), remark


def _read_flag(line: CsvRow, column: str) -> bool:
    told = line.get(column).lower()
    if told not in (*_YES, *_NO):
        raise line.error(f"{column} {told[:20]!r}: should be true or false")
    return told in _YES


def _read_seconds(line: CsvRow, column: str) -> float | None:
    text = line.get(column)
    try:
        seconds = float(text) if text else None
    except ValueError:
        seconds = math.nan
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        raise line.error(f"{column} {text[:20]!r}: should be a number of seconds")
    return seconds
