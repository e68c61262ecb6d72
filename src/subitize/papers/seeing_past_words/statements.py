"""Questions and their numbers as statements, whole or with a gap for the number."""

from typing import Literal, NamedTuple

from subitize.networks.filling import GAP
from subitize.papers.seeing_past_words.corrected import state_correctly
from subitize.papers.seeing_past_words.faithful import state_faithfully

Mode = Literal["faithful", "corrected"]
MODES: tuple[Mode, ...] = ("faithful", "corrected")
_WRITERS = {"faithful": state_faithfully, "corrected": state_correctly}
_SEVERAL = 2


class Masked(NamedTuple):
    """A statement with a gap: in words that go with any number of things, and in those of the right answer."""

    neutral: str
    faithful: str


def state(question: str, number: int, mode: Mode) -> str | None:
    """Write a question and a number as a statement; None where no template fits."""
    return _WRITERS[mode](question, number)


def mask(question: str, answer: int, mode: Mode) -> Masked:
    """Write a question that a template fits as a statement with a gap.

    The grammar of the right answer gives one away: "There is [GAP] car" (of 634 statements with the answer 1 in the
    released validation data, 614 begin so, and no others).
    """
    neutral, own = (_WRITERS[mode](question, number, GAP) or "" for number in (_SEVERAL, answer))
    return Masked(neutral, own)
