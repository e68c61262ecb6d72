"""Potato: one project per shape of pages, with each person's answers in `annotation_output/PERSON/user_state.json`.

The pages of a project have the same number of pictures and the same forms of questions. Names of schemes end in the
question's number on the page, like those of Label Studio's controls.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, FiniteFloat, TypeAdapter, ValidationError

from subitize.annotation.exchange.projects import RatedAnswer, RatedPage
from subitize.annotation.exchange.ratings import (
    FLAGGED,
    UNSURE,
    FormFields,
    MeasurePicture,
    Point,
    Remark,
    Size,
    describe_fault,
    list_notes,
    list_texts,
    read_questions,
    to_fields,
    write_number,
)
from subitize.annotation.pages import Form
from subitize.errors import BadFileError
from subitize.io.files import CsvRow, read_text
from subitize.io.frames import group_rows
from subitize.io.outputs import write_atomic
from subitize.records import Choose

OUTPUT = "annotation_output"
STATE = "user_state.json"
_PAGES = "pages.jsonl"
_LABEL = "one"


def write_projects(folder: Path, pages: Iterable[RatedPage], measure: MeasurePicture) -> None:
    """Write project-1 and so on, for every shape of pages."""
    for number, ((_, asked), own) in enumerate(group_rows(pages, _shape).items(), start=1):
        project = folder / f"project-{number}"
        project.mkdir()
        _write_json(project / "config.yaml", _make_config(asked))  # what is JSON is YAML
        text = "".join(json.dumps(_describe_page(page), ensure_ascii=False) + "\n" for page in own)
        write_atomic(project / _PAGES, [text.encode()])
        for person in sorted({person for page in own for person, _ in page.answers}):
            (project / OUTPUT / str(person)).mkdir(parents=True)
            _write_json(project / OUTPUT / str(person) / STATE, _make_state(person, own, measure))


def _shape(page: RatedPage) -> tuple[int, tuple[tuple[Form, int], ...]]:
    """Return the number of pictures, and each question's form and number of lines to choose from."""
    lines = [len(ask.question.lines) if isinstance(ask.question, Choose) else 0 for ask in page.asks]
    return len(page.pictures), tuple(zip(page.forms, lines, strict=True))


def find_projects(folder: Path) -> list[Path]:
    """Find the projects in a folder, including the folder itself."""
    return [path for path in (folder, *sorted(folder.glob("project-*"))) if (path / OUTPUT).is_dir()]


def read_project(project: Path, measure: MeasurePicture) -> Iterator[CsvRow]:
    """Read the answers in a project that we exported, including later annotations.

    Lines name the subject, the question, the answer and the annotator.
    """
    pages = _read_pages(project / _PAGES)
    for path in sorted((project / OUTPUT).glob(f"*/{STATE}")):
        try:
            state = _State.model_validate_json(read_text(path))
        except ValidationError as error:
            name = f"{project.name}/{OUTPUT}/{path.parent.name}/{STATE}"
            raise BadFileError(f"{name}: {describe_fault(error)}; take it as Potato wrote it") from None
        for number, (subject, labels) in enumerate(state.instance_id_to_label_to_value.items(), start=1):
            about = {"annotator": state.user_id, "subject": subject}
            line = CsvRow(f"{path.parent.name}/{STATE}", number, about, kind="page")
            page = pages.get(subject)
            if page is None:
                raise line.error(f"no page {subject!r} in {_PAGES}; keep them together")
            try:
                rows = list(_read_labels(page, labels, measure(subject)))
            except ValidationError as error:
                raise line.error(f"no answer: {describe_fault(error)}") from None
            except LookupError as error:
                raise line.error(f"no line {error} on page {subject!r}") from None
            yield from (line._replace(row={**about, **row}) for row in rows)


def _write_json(path: Path, value: object) -> None:
    write_atomic(path, [json.dumps(value, ensure_ascii=False, indent=1).encode(), b"\n"])


def _describe_page(page: RatedPage) -> dict[str, Any]:
    shown = [*([page.prompt] if page.prompt else []), *(_describe_ask(place, page) for place in range(len(page.asks)))]
    described: dict[str, Any] = {"id": page.subject_id, "image": page.pictures[0], "text": "\n".join(shown)}
    described |= {"images": list(page.pictures)} if len(page.pictures) > 1 else {}
    for place, (ask, form) in enumerate(zip(page.asks, page.forms, strict=True)):
        described |= {f"question_{place}": ask.question.id, f"form_{place}": form}
        if isinstance(ask.question, Choose):
            described[f"lines_{place}"] = list(ask.question.lines)
    return described


def _describe_ask(place: int, page: RatedPage) -> str:
    question, wording = page.asks[place].question, page.asks[place].wording
    lines = question.lines if isinstance(question, Choose) else ()
    return "\n".join([wording, *(f"{number}: {line}" for number, line in enumerate(lines, start=1))])


def _make_config(asked: Sequence[tuple[Form, int]]) -> dict[str, Any]:
    schemes = [scheme for place, (form, lines) in enumerate(asked) for scheme in _make_schemes(place, form, lines)]
    return {
        "annotation_task_name": "subitize",
        "task_dir": ".",
        "data_files": [_PAGES],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "output_annotation_dir": OUTPUT,
        "annotation_schemes": schemes,
    }


def _make_schemes(place: int, form: Form, lines: int) -> Iterator[dict[str, Any]]:
    def scheme(name: str, kind: str, description: str, **more: object) -> dict[str, Any]:
        return {"annotation_type": kind, "name": f"{name}_{place}", "description": description, **more}

    match form:
        case "count":
            yield scheme("answer", "number", "How many?")
        case "click":
            yield scheme("answer", "number", "How many?")
            yield scheme("clicks", "image_annotation", "Mark each.", tools=["landmark"], labels=[_LABEL])
        case "choose":
            labels = [str(number) for number in range(1, lines + 1)]
            yield scheme("answer", "radio", "Which line?", labels=labels)
        case "yes-no" | "match":
            yield scheme("answer", "radio", "Yes or no?", labels=["yes", "no"])
        case "text":
            yield scheme("answer", "text", "In words?")
    if form != "text":
        yield scheme("typed", "text", "The answer as typed, where it is not that above.")
    yield scheme("skipped", "text", "Why it cannot be answered.")
    yield scheme("remarks", "multiselect", "Remarks.", labels=[UNSURE, FLAGGED])
    yield scheme("comment", "text", "Comment.")


def _make_state(person: int, pages: Iterable[RatedPage], measure: MeasurePicture) -> dict[str, Any]:
    labels = {
        page.subject_id: [
            [{"schema": schema, "name": name}, value]
            for one in said
            for schema, name, value in _make_labels(one, page.forms[one.number], measure(page.subject_id))
        ]
        for page in pages
        for whose, said in page.answers
        if whose == person
    }
    return {
        "user_id": str(person),
        "instance_id_ordering": list(labels),
        "instance_id_to_label_to_value": labels,
        "instance_id_to_span_to_value": {},
    }


def _make_labels(said: RatedAnswer, form: Form, size: Size | None) -> Iterator[tuple[str, str, str]]:
    fields, number, question = to_fields(said.rating.reading, form, size), said.number, said.rating.ask.question
    if fields.number is not None:
        yield f"answer_{number}", "number", write_number(fields.number)
    if fields.choice is not None:
        lines = question.lines if isinstance(question, Choose) else ()
        name = str(lines.index(fields.choice) + 1) if fields.choice in lines else fields.choice
        yield f"answer_{number}", name, name
    if fields.clicks is not None:
        yield f"clicks_{number}", "_data", json.dumps([_make_landmark(point) for point in fields.clicks])
    for name, text in list_texts(fields, said.remark, form).items():
        yield f"{name}_{number}", "text_box", text
    for name in list_notes(said.remark):
        yield f"remarks_{number}", name, "true"


def _make_landmark(point: Point) -> dict[str, Any]:
    return {"type": "landmark", "label": _LABEL, "coordinates": {"x": point[0], "y": point[1]}}


_Labelled = tuple[dict[str, str], str | bool | int | float]


class _State(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    user_id: str
    instance_id_to_label_to_value: dict[str, list[_Labelled]]


class _Coordinates(BaseModel):
    x: FiniteFloat
    y: FiniteFloat


class _Landmark(BaseModel):
    coordinates: _Coordinates


_LANDMARKS = TypeAdapter(list[_Landmark])
_NUMBER = TypeAdapter(FiniteFloat)
_PAGE = TypeAdapter(dict[str, Any])
_Page = dict[str, Any]


def _read_pages(path: Path) -> dict[str, _Page]:
    found = {}
    for number, text in enumerate(read_text(path).rstrip("\n").split("\n"), start=1):
        try:
            page = _PAGE.validate_json(text)
            found[str(page["id"])] = page
        except (ValidationError, KeyError):
            raise BadFileError(f"{path.name} line {number}: should be a page with its id, as it was exported") from None
    return found


def _read_labels(page: _Page, labels: Sequence[_Labelled], size: Size | None) -> Iterator[dict[str, str]]:
    """Yield a person's answers to the questions of a page; raise ValidationError or LookupError for faulty ones."""

    def read(number: int, form: Form) -> tuple[FormFields, Remark]:
        own = [
            (label.get("schema", "").removesuffix(f"_{number}"), label.get("name", ""), str(value))
            for label, value in labels
            if label.get("schema", "").endswith(f"_{number}")
        ]
        noted = {name for schema, name, value in own if schema == "remarks" and value.lower() == "true"}
        said = {schema: (name, value) for schema, name, value in own}
        _, comment = said.get("comment", ("", ""))
        fields = _read_fields(said, form, page.get(f"lines_{number}", ()))
        return fields, Remark(UNSURE in noted, FLAGGED in noted, comment)

    return read_questions(page, size, read)


def _read_fields(said: Mapping[str, tuple[str, str]], form: Form, lines: Sequence[str]) -> FormFields:
    name, value = said.get("answer", ("", ""))
    _, clicks = said.get("clicks", ("", ""))
    points = _LANDMARKS.validate_json(clicks) if clicks else None
    is_number = form in ("count", "click") and value != ""
    is_choice = form in ("choose", "yes-no", "match") and name != ""
    _, text = said.get("answer" if form == "text" else "typed", ("", None))
    _, skipped = said.get("skipped", ("", None))
    numbered = {str(number): line for number, line in enumerate(lines, start=1)}
    return FormFields(
        number=_NUMBER.validate_python(value) if is_number else None,
        choice=(numbered[name] if form == "choose" else name) if is_choice else None,
        clicks=None if points is None else [(one.coordinates.x, one.coordinates.y) for one in points],
        text=text,
        skipped=skipped,
    )
