"""People's answers as a long table with remarks, one row per answer, in CSV or Parquet.

Also converts answers to and from the form fields of other tools. People are numbered; their names are exported only
on request."""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, count, takewhile
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import ValidationError
from pydantic_core import to_json
from sqlalchemy import insert, select

from subitize.annotation import tables
from subitize.annotation.pages import FORMS, Form
from subitize.annotation.ratings import Rating
from subitize.annotation.recruiting import DETAILS
from subitize.io.files import CsvRow
from subitize.io.frames import make_frame
from subitize.io.tables import read_parquet_rows
from subitize.labels.interpretation import CANNOT_TELL
from subitize.records import Attached, Boxes, Choose, Drawn, Elsewhere, Known, Question, Reading, Scalar, Stored, Words
from subitize.store import Run, StoredResponse
from subitize.store.images import Images


def mask_people(run: Run) -> dict[str, str]:
    """Map the people of a run's studies to anonymous names."""
    return {name: f"person {number}" for number, name in enumerate(_read_details(run), start=1)}


def describe_people(run: Run, people: Mapping[str, int]) -> pl.DataFrame:
    """Tabulate the people behind the numbers, with the details from a recruiter's link."""
    details = _read_details(run)
    columns = list(dict.fromkeys(chain(DETAILS["prolific"], *details.values())))
    rows = ((number, name, *(details.get(name, {}).get(one) for one in columns)) for name, number in people.items())
    return make_frame(rows, {"annotator": pl.Int64(), **dict.fromkeys(("name", *columns), pl.String())})


def _read_details(run: Run) -> dict[str, dict[str, str]]:
    own = tables.people.c.run_id == run.run_id
    query = select(tables.people.c.name, tables.people.c.details).where(own).order_by(tables.people.c.id)
    return {row.name: json.loads(row.details or "{}") for row in tables.read_rows(run, tables.people, query)}


AnswerKey = tuple[str, str, str]
"""A person, a subject and a question."""
_YES, _NO = ("true", "1", "yes"), ("", "false", "0", "no")


@dataclass(frozen=True, slots=True)
class Remark:
    """A person's remarks on an answer, the seconds it took, and when it was given (seconds since 1970)."""

    is_unsure: bool = False
    is_flagged: bool = False
    comment: str = ""
    seconds: float | None = None
    answered_at: float | None = None


def read_remarks(run: Run, judge: str) -> Mapping[AnswerKey, Remark]:
    """Read the remarks on the latest answer to each question, from a judge's studies or imported."""
    noted = [*_read_noted(run, judge), *_read_imported(run, judge)]
    return {key: remark for _, key, remark in sorted(noted, key=lambda one: one[0])}


def read_remark(line: CsvRow) -> Remark:
    """Read the remarks in a line of a table; missing columns count as empty."""
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


def store_remarks(run: Run, judge: str, remarks: Mapping[AnswerKey, Remark]) -> None:
    """Store the remarks that are new or changed."""
    known = read_remarks(run, judge)
    new = {key: remark for key, remark in remarks.items() if remark != known.get(key, Remark())}
    if not new:
        return
    run.create_tables(tables.metadata)
    shared = {"run_id": run.run_id, "judge": judge, "at": time.time()}
    with run.lease(f"judge {judge}") as lease, run.writing(lease) as connection:
        for (annotator, subject, question), remark in new.items():
            about = {"annotator": annotator, "subject_id": subject, "question_id": question}
            connection.execute(insert(tables.remarks).values(**shared, **about, **asdict(remark)))


_Noted = tuple[float, AnswerKey, Remark]


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
        key = (row.annotator, row.subject_id, row.question_id)
        yield row.at, key, Remark(row.is_unsure, row.is_flagged, row.comment, row.seconds, row.at)


def _read_imported(run: Run, judge: str) -> Iterator[_Noted]:
    own = tables.remarks.c
    query = select(tables.remarks).where(own.run_id == run.run_id, own.judge == judge).order_by(own.id)
    for row in tables.read_rows(run, tables.remarks, query):
        remark = Remark(row.is_unsure, row.is_flagged, row.comment, row.seconds, row.answered_at)
        yield row.at, (row.annotator, row.subject_id, row.question_id), remark


def _read_flag(line: CsvRow, column: str) -> bool:
    text = line.get(column).lower()
    if text not in (*_YES, *_NO):
        raise line.error(f"{column} {text[:20]!r}: should be true or false")
    return text in _YES


def _read_seconds(line: CsvRow, column: str) -> float | None:
    text = line.get(column)
    try:
        seconds = float(text) if text else None
    except ValueError:
        seconds = math.nan
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        raise line.error(f"{column} {text[:20]!r}: should be a number of seconds")
    return seconds


Size = tuple[int, int]
Point = tuple[float, float]
MeasurePicture = Callable[[str], Size | None]
"""Returns the size of a subject's picture, by the subject's ID."""
UNSURE, FLAGGED = "unsure", "flagged"
_IN_WORDS: Form = "text"
_DECIMALS = 3  # of a pixel; the page keeps one


@dataclass(frozen=True, slots=True)
class FormFields:
    """The fields of a form: a number, a choice, clicks in shares of width and height, or the reason for skipping.

    `text` is the answer as typed, where it differs from the other fields.
    """

    number: float | None = None
    choice: str | None = None
    clicks: Sequence[Point] | None = None
    text: str | None = None
    skipped: str | None = None


def to_fields(reading: Reading, form: Form, size: Size | None) -> FormFields:
    """Convert an answer to form fields; clicks need the picture's size in pixels."""
    match reading.evidence:
        case Boxes(boxes=boxes) if size is not None:
            width, height = size
            clicks = [(box.xyxy[0] / width, box.xyxy[1] / height) for box in boxes]
            return FormFields(number=len(boxes), clicks=clicks)
        case Words(text=text) if text.startswith(CANNOT_TELL):
            return FormFields(skipped=text.removeprefix(CANNOT_TELL))
        case Words(text=text):
            return _words_to_fields(text, reading, form)
    return FormFields()


def from_fields(fields: FormFields, form: Form, size: Size | None) -> tuple[str, str]:
    """Convert form fields to an answer in words and clicks as JSON, each empty if missing."""
    if fields.skipped is not None:
        return f"{CANNOT_TELL}{fields.skipped}", ""
    if fields.text:
        return fields.text, ""
    if form == "click" and size is not None and fields.clicks is not None:
        return str(len(fields.clicks)), write_clicks(_in_pixels(fields.clicks, size))
    if fields.number is not None:
        return write_number(fields.number), ""
    return fields.choice or "", ""


def list_texts(fields: FormFields, remark: Remark, form: Form) -> dict[str, str]:
    """Map controls to the texts entered about a question."""
    texts = {"answer" if form == "text" else "typed": fields.text, "skipped": fields.skipped}
    return {name: text for name, text in {**texts, "comment": remark.comment or None}.items() if text is not None}


def list_notes(remark: Remark) -> list[str]:
    """List the boxes ticked for a question."""
    return [name for name, is_noted in {UNSURE: remark.is_unsure, FLAGGED: remark.is_flagged}.items() if is_noted]


def read_questions(
    data: Mapping[str, Any], size: Size | None, read: Callable[[int, Form], tuple[FormFields, Remark]]
) -> Iterator[dict[str, str]]:
    """Yield a person's answers to the questions of a page; `read` reads one, by its number and form."""
    for number in takewhile(lambda number: f"question_{number}" in data, count()):
        form = read_form(data.get(f"form_{number}"))
        fields, remark = read(number, form)
        answer, clicks = from_fields(fields, form, size)
        if answer:
            said = {"question": str(data[f"question_{number}"]), "answer": answer, "clicks": clicks}
            yield said | write_remark(remark)


def write_clicks(points: Sequence[Point]) -> str:
    """Write clicks, in pixels, as JSON."""
    return json.dumps([list(point) for point in points], separators=(",", ":"))


def write_number(number: float) -> str:
    """Write a number without needless decimals: 3, not 3.0."""
    return str(int(number)) if number == int(number) else str(number)


def read_form(value: object) -> Form:
    """Read the form in which a question was answered; in words unless given."""
    return next((form for form in FORMS if form == value), _IN_WORDS)


def describe_fault(error: ValidationError) -> str:
    """Describe the first problem in a file."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg'].lower()}"


def _words_to_fields(text: str, reading: Reading, form: Form) -> FormFields:
    value = reading.value.value if isinstance(reading.value, Known) else None
    if value is None or form == "text":
        return FormFields(text=text)
    if form in ("count", "click") and isinstance(value, int | float):
        return FormFields(number=value, text=None if write_number(value) == text and form == "count" else text)
    choice = _name_choice(value, reading.question)
    return FormFields(choice=choice, text=None if choice == text else text)


def _name_choice(value: Scalar, question: Question) -> str:
    if isinstance(question, Choose):
        return question.lines[int(value)]
    return "yes" if value else "no"


def _in_pixels(clicks: Sequence[Point], size: Size) -> list[Point]:
    width, height = size
    return [(round(x * width, _DECIMALS), round(y * height, _DECIMALS)) for x, y in clicks]


_TEXT = pl.String()
COLUMNS: dict[str, pl.DataType] = {
    "annotator": pl.Int64(),
    **dict.fromkeys(("suite", "item", "model"), _TEXT),
    **dict.fromkeys(("repeat", "pictures"), pl.Int64()),
    **dict.fromkeys(("files", "question", "wording", "answer", "clicks", "value", "rule"), _TEXT),
    **dict.fromkeys(("is_unsure", "is_flagged"), pl.Boolean()),
    "comment": _TEXT,
    **dict.fromkeys(("seconds", "answered_at"), pl.Float64()),
}
"""`repeat` belongs to the first of several pictures; clicks are in pixels; `answered_at` is in seconds since 1970."""


def tabulate(ratings: Iterable[Rating], people: Mapping[str, int], remarks: Mapping[AnswerKey, Remark]) -> pl.DataFrame:
    """Make one row per answer, in the order they were given."""
    return make_frame((_row(rating, people, remarks) for rating in ratings), COLUMNS)


def read_parquet(path: Path) -> Iterator[CsvRow]:
    """Read the rows of a Parquet table like those of a CSV."""
    for number, row in enumerate(read_parquet_rows(path), start=1):
        texts = {name.casefold(): "" if value is None else str(value) for name, value in row.items()}
        yield CsvRow(path.name, number, texts, kind="row")


def _row(rating: Rating, people: Mapping[str, int], remarks: Mapping[AnswerKey, Remark]) -> tuple[object, ...]:
    reading, item, ask = rating.reading, rating.item, rating.ask
    remark = remarks.get((rating.annotator, reading.subject.id, ask.question.id), Remark())
    answer, clicks = _write_evidence(rating)
    return (
        people[rating.annotator],
        *(item.suite, item.id, rating.model, rating.repeat, len(rating.members)),
        " ".join(map(name_file, rating.members)),
        *(ask.question.id, ask.wording, answer, clicks),
        str(reading.value.value) if isinstance(reading.value, Known) else None,
        reading.rule,
        *(remark.is_unsure, remark.is_flagged, remark.comment or None, remark.seconds),
        rating.at if remark.answered_at is None else remark.answered_at,
    )


def _write_evidence(rating: Rating) -> tuple[str, str | None]:
    match rating.reading.evidence:
        case Boxes(boxes=boxes):
            return str(len(boxes)), write_clicks([box.xyxy[:2] for box in boxes])
        case Words(text=text):
            return text, None
    return "", None


def name_file(stored: StoredResponse) -> str:
    """Return the file name of a drawing, or the kind of any other response."""
    outcome = stored.response.outcome
    match outcome:
        case Drawn(picture=Elsewhere(name=name) | Attached(name=name)):
            return name
        case Drawn(picture=Stored() as picture):
            return Images.name(picture)
    return outcome.kind
