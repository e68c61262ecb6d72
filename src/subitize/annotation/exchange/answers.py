"""Converts an answer to and from the form fields of other tools."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Any

from pydantic import ValidationError

from subitize.annotation.exchange.remarks import Remark, write_remark
from subitize.annotation.pages import FORMS, Form
from subitize.labels.interpretation import CANNOT_TELL
from subitize.records import Boxes, Choose, Known, Question, Reading, Scalar, Words

Size = tuple[int, int]
Point = tuple[float, float]
MeasurePicture = Callable[[str], Size | None]
"""Tells the size of the picture of a subject, by its id."""
UNSURE, FLAGGED = "unsure", "flagged"
_IN_WORDS: Form = "text"
_DECIMALS = 3  # of a pixel; the page keeps one


@dataclass(frozen=True, slots=True)
class Parts:
    """What a form holds: a number, a choice, clicks in shares of width and height, why it was skipped.

    The text is what was typed, where the other parts do not say just that.
    """

    number: float | None = None
    choice: str | None = None
    clicks: Sequence[Point] | None = None
    text: str | None = None
    skipped: str | None = None


def take_apart(reading: Reading, form: Form, size: Size | None) -> Parts:
    """Take an answer apart; clicks need the size of the picture, in pixels."""
    match reading.evidence:
        case Boxes(boxes=boxes) if size is not None:
            width, height = size
            clicks = [(box.xyxy[0] / width, box.xyxy[1] / height) for box in boxes]
            return Parts(number=len(boxes), clicks=clicks)
        case Words(text=text) if text.startswith(CANNOT_TELL):
            return Parts(skipped=text.removeprefix(CANNOT_TELL))
        case Words(text=text):
            return _take_words_apart(text, reading, form)
    return Parts()


def put_together(parts: Parts, form: Form, size: Size | None) -> tuple[str, str]:
    """Give an answer as words, empty if there is none, and the clicks it is made of as JSON, empty if it is not."""
    if parts.skipped is not None:
        return f"{CANNOT_TELL}{parts.skipped}", ""
    if parts.text:
        return parts.text, ""
    if form == "click" and size is not None and parts.clicks is not None:
        return str(len(parts.clicks)), write_clicks(_in_pixels(parts.clicks, size))
    if parts.number is not None:
        return write_number(parts.number), ""
    return parts.choice or "", ""


def list_texts(parts: Parts, remark: Remark, form: Form) -> dict[str, str]:
    """List what is written in words about a question, by the control or scheme that has it."""
    texts = {"answer" if form == "text" else "typed": parts.text, "skipped": parts.skipped}
    return {name: text for name, text in {**texts, "comment": remark.comment or None}.items() if text is not None}


def list_notes(remark: Remark) -> list[str]:
    """List what is ticked about a question."""
    return [name for name, is_noted in {UNSURE: remark.is_unsure, FLAGGED: remark.is_flagged}.items() if is_noted]


def read_questions(
    data: Mapping[str, Any], size: Size | None, read: Callable[[int, Form], tuple[Parts, Remark]]
) -> Iterator[dict[str, str]]:
    """Read what a person said to the questions of a page; `read` tells it of one, by its number and form."""
    for number in takewhile(lambda number: f"question_{number}" in data, count()):
        form = read_form(data.get(f"form_{number}"))
        parts, remark = read(number, form)
        answer, clicks = put_together(parts, form, size)
        if answer:
            said = {"question": str(data[f"question_{number}"]), "answer": answer, "clicks": clicks}
            yield said | write_remark(remark)


def write_clicks(points: Sequence[Point]) -> str:
    """Write where somebody clicked, in pixels."""
    return json.dumps([list(point) for point in points], separators=(",", ":"))


def write_number(number: float) -> str:
    """Write a number as people do: 3, not 3.0."""
    return str(int(number)) if number == int(number) else str(number)


def read_form(told: object) -> Form:
    """Read in which form a question was answered; where it is not told, in words."""
    return next((form for form in FORMS if form == told), _IN_WORDS)


def describe_fault(error: ValidationError) -> str:
    """Say where a file has something else than it should."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg'].lower()}"


def _take_words_apart(text: str, reading: Reading, form: Form) -> Parts:
    value = reading.value.value if isinstance(reading.value, Known) else None
    if value is None or form == "text":
        return Parts(text=text)
    if form in ("count", "click") and isinstance(value, int | float):
        return Parts(number=value, text=None if write_number(value) == text and form == "count" else text)
    choice = _name_choice(value, reading.question)
    return Parts(choice=choice, text=None if choice == text else text)


def _name_choice(value: Scalar, question: Question) -> str:
    if isinstance(question, Choose):
        return question.lines[int(value)]
    return "yes" if value else "no"


def _in_pixels(clicks: Sequence[Point], size: Size) -> list[Point]:
    width, height = size
    return [(round(x * width, _DECIMALS), round(y * height, _DECIMALS)) for x, y in clicks]
