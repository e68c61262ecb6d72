"""Label Studio: annotated tasks as JSON, with their labeling configuration as XML.

The pages of a project have the same number of pictures and the same forms of questions. Names of controls end in the
question's number on the page: `answer_0`, `clicks_0`, `typed_0` (where the typed text differs from the answer),
`skipped_0` (the reason), `remarks_0`, `comment_0`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from pydantic import BaseModel, Field, FiniteFloat, TypeAdapter, ValidationError

from subitize.annotation.exchange.projects import RatedAnswer, RatedPage
from subitize.annotation.exchange.ratings import (
    FLAGGED,
    UNSURE,
    FormFields,
    MeasurePicture,
    Remark,
    Size,
    describe_fault,
    list_notes,
    list_texts,
    read_questions,
    to_fields,
)
from subitize.annotation.pages import Form
from subitize.errors import BadFileError
from subitize.io.files import CsvRow, read_text
from subitize.io.frames import group_rows
from subitize.io.outputs import write_atomic
from subitize.records import Choose

_LABEL = "one"
_PICTURE = "picture_{}"


def write_projects(folder: Path, pages: Iterable[RatedPage], measure: MeasurePicture) -> None:
    """Write tasks-1.json and config-1.xml, and so on for every shape of pages."""
    shapes = group_rows(pages, lambda page: (len(page.pictures), tuple(page.forms)))
    for number, (shape, own) in enumerate(shapes.items(), start=1):
        tasks = [_make_task(place, page, measure) for place, page in enumerate(own, start=1)]
        text = json.dumps(tasks, ensure_ascii=False, indent=1)
        write_atomic(folder / f"tasks-{number}.json", [text.encode()])
        write_atomic(folder / f"config-{number}.xml", [_make_config(*shape).encode()])


def read_tasks(path: Path, measure: MeasurePicture) -> Iterator[CsvRow]:
    """Read the answers in tasks that we exported, including later annotations.

    Lines name the subject, the question, the answer and the annotator; cancelled annotations are ignored.
    """
    try:
        tasks = _TASKS.validate_json(read_text(path))
    except ValidationError as error:
        raise BadFileError(f"{path.name}: {describe_fault(error)}; export tasks as JSON from Label Studio") from None
    for number, task in enumerate(tasks, start=1):
        size = measure(str(task.data.get("subject")))
        for annotation in task.annotations:
            for row in () if annotation.was_cancelled else _read_annotation(task, annotation, size):
                yield CsvRow(path.name, number, row, kind="task")


def _make_task(number: int, page: RatedPage, measure: MeasurePicture) -> dict[str, Any]:
    data: dict[str, Any] = {"subject": page.subject_id}
    data |= {_PICTURE.format(place): name for place, name in enumerate(page.pictures)}
    data |= {} if page.prompt is None else {"prompt": page.prompt}
    for place, (ask, form) in enumerate(zip(page.asks, page.forms, strict=True)):
        data |= {f"question_{place}": ask.question.id, f"wording_{place}": ask.wording, f"form_{place}": form}
        if isinstance(ask.question, Choose):
            data[f"lines_{place}"] = [{"value": line} for line in ask.question.lines]
    annotations = [_make_annotation(person, said, page, measure(page.subject_id)) for person, said in page.answers]
    return {"id": number, "data": data, "annotations": annotations, "predictions": []}


def _make_annotation(person: int, said: Sequence[RatedAnswer], page: RatedPage, size: Size | None) -> dict[str, Any]:
    results = [result for one in said for result in _make_results(one, page.forms[one.number], size)]
    seconds = [one.remark.seconds for one in said if one.remark.seconds is not None]
    return {
        "completed_by": person,
        "result": [{"id": f"{page.subject_id[:8]}-{person}-{place}", **one} for place, one in enumerate(results)],
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": sum(seconds) if seconds else None,
        "result_count": len(results),
    }


def _make_results(said: RatedAnswer, form: Form, size: Size | None) -> Iterator[dict[str, Any]]:
    fields, number = to_fields(said.rating.reading, form, size), said.number
    if fields.number is not None:
        yield _result(f"answer_{number}", "number", {"number": fields.number})
    if fields.choice is not None:
        yield _result(f"answer_{number}", "choices", {"choices": [fields.choice]})
    for x, y in fields.clicks or ():
        place = {"x": 100 * x, "y": 100 * y, "width": 1, "keypointlabels": [_LABEL]}
        shown = {"original_width": size[0], "original_height": size[1], "image_rotation": 0} if size else {}
        yield _result(f"clicks_{number}", "keypointlabels", place) | shown
    for name, text in list_texts(fields, said.remark, form).items():
        yield _result(f"{name}_{number}", "textarea", {"text": [text]})
    if noted := list_notes(said.remark):
        yield _result(f"remarks_{number}", "choices", {"choices": noted})


def _result(control: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": control, "to_name": _PICTURE.format(0), "type": kind, "value": value}


def _make_config(pictures: int, forms: Sequence[Form]) -> str:
    view = ElementTree.Element("View")
    if "match" in forms:
        ElementTree.SubElement(view, "Header", value="$prompt")
    for place in range(pictures):
        name = _PICTURE.format(place)
        ElementTree.SubElement(view, "Image", name=name, value=f"${name}")
    for number, form in enumerate(forms):
        ElementTree.SubElement(view, "Header", value=f"$wording_{number}")
        _add_controls(view, number, form)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _add_controls(view: ElementTree.Element, number: int, form: Form) -> None:
    def add(tag: str, name: str, *inner: tuple[str, str], **attributes: str) -> None:
        to = {"name": f"{name}_{number}", "toName": _PICTURE.format(0)}
        control = ElementTree.SubElement(view, tag, {**to, **attributes})
        for inner_tag, value in inner:
            ElementTree.SubElement(control, inner_tag, value=value)

    match form:
        case "count":
            add("Number", "answer", min="0")
        case "click":
            add("Number", "answer", min="0")
            add("KeyPointLabels", "clicks", ("Label", _LABEL))
        case "choose":
            add("Choices", "answer", value=f"$lines_{number}")
        case "yes-no" | "match":
            add("Choices", "answer", ("Choice", "yes"), ("Choice", "no"))
        case "text":
            add("TextArea", "answer")
    if form != "text":
        add("TextArea", "typed", placeholder="the answer as typed, where it is not that above")
    add("TextArea", "skipped", placeholder="why it cannot be answered")
    add("Choices", "remarks", ("Choice", UNSURE), ("Choice", FLAGGED), choice="multiple")
    add("TextArea", "comment", placeholder="comment")


_Control = Literal["answer", "clicks", "typed", "skipped", "remarks", "comment"]


class _Value(BaseModel):
    number: FiniteFloat | None = None
    choices: list[str] = Field(default_factory=list)
    text: list[str] | str = Field(default_factory=list)
    x: FiniteFloat | None = None
    y: FiniteFloat | None = None


class _Result(BaseModel):
    from_name: str = ""
    value: _Value = Field(default_factory=_Value)


class _Person(BaseModel):
    id: int


class _Annotation(BaseModel):
    result: list[_Result]
    completed_by: int | _Person
    was_cancelled: bool = False
    lead_time: FiniteFloat | None = None

    @property
    def annotator(self) -> str:
        return str(self.completed_by if isinstance(self.completed_by, int) else self.completed_by.id)

    def values(self, control: _Control, number: int) -> list[_Value]:
        """List the values of a question's control."""
        return [one.value for one in self.result if one.from_name == f"{control}_{number}"]

    def text(self, control: _Control, number: int) -> str | None:
        """Find the text of a question's control."""
        texts = (value.text for value in self.values(control, number))
        return next((text for one in texts for text in ([one] if isinstance(one, str) else one)), None)


class _Task(BaseModel):
    data: dict[str, Any]
    annotations: list[_Annotation]


_TASKS = TypeAdapter(list[_Task])


def _read_annotation(task: _Task, annotation: _Annotation, size: Size | None) -> Iterator[dict[str, str]]:
    seconds = None if "question_1" in task.data else annotation.lead_time  # it covers all questions of the page

    def read(number: int, form: Form) -> tuple[FormFields, Remark]:
        noted = {choice for value in annotation.values("remarks", number) for choice in value.choices}
        comment = annotation.text("comment", number) or ""
        return _read_fields(annotation, number, form), Remark(UNSURE in noted, FLAGGED in noted, comment, seconds)

    about = {"annotator": annotation.annotator, "subject": str(task.data.get("subject", ""))}
    return (about | said for said in read_questions(task.data, size, read))


def _read_fields(annotation: _Annotation, number: int, form: Form) -> FormFields:
    answers, points = annotation.values("answer", number), annotation.values("clicks", number)
    count = next((value.number for value in answers if value.number is not None), None)
    clicks = [(value.x / 100, value.y / 100) for value in points if value.x is not None and value.y is not None]
    return FormFields(
        number=count,
        choice=next((choice for value in answers for choice in value.choices), None),
        clicks=clicks if form == "click" and (clicks or count == 0) else None,
        text=annotation.text("answer" if form == "text" else "typed", number),
        skipped=annotation.text("skipped", number),
    )
