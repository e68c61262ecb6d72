"""The tasks people are given, and the answers they give."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from subitize.errors import BadValueError

Purpose = Literal["answer", "training", "again", "review", "adjudication"]
"""Why a page is shown: for its answer, to learn with known answers, for a second look by the same person, to confirm or
correct what somebody answered, or to settle what people disagree about."""
PRACTICE: tuple[Purpose, ...] = ("training", "again")
"""What enters no figure."""


class Task(NamedTuple):
    """A page that somebody is shown, what for, and the number of the person whose answers are reviewed."""

    place: int
    purpose: Purpose = "answer"
    author: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What a person did with a question: an answer as typed or chosen, or why it was skipped."""

    key: str
    text: str
    is_skipped: bool = False
    is_unsure: bool = False
    is_flagged: bool = False
    comment: str = ""
    seconds: float = 0.0


class UnreadAnswerError(BadValueError):
    """An answer that the study's rule makes no value of; it is not stored."""
