"""Clicked positions, one per counted thing."""

from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from subitize.errors import BadValueError
from subitize.records import UNKNOWN, Box, Boxes, Count, Question

_MOST_CLICKS = 1_000
_Pixel = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
_POINTS = TypeAdapter(Annotated[list[tuple[_Pixel, _Pixel]], Field(max_length=_MOST_CLICKS)])


def read_clicks(question: Question, text: str) -> Boxes:
    """Read the places that were clicked, in pixels of the picture, as boxes without extent."""
    try:
        points = _POINTS.validate_json(text)
    except ValidationError:
        raise BadValueError(f"clicks should be a list of [x, y], at most {_MOST_CLICKS}") from None
    label = question.noun if isinstance(question, Count) else UNKNOWN
    return Boxes(tuple(Box(label, 1.0, (x, y, x, y)) for x, y in points))
