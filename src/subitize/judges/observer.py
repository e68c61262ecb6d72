"""Counts what is in a picture by classical vision on its pixels."""

from collections.abc import Sequence

from subitize.interfaces import Exhibit
from subitize.records import Boxes, Count, Drawn, Evidence, Outcome, Question
from subitize.vision.colours import COLOUR_NAMES
from subitize.vision.observing import look_at
from subitize.vision.recognition import KINDS


class Observer:
    """Find the things in a picture by classical vision; it knows the glyphs of our own drawings."""

    rule = "boxes"
    is_stand_in = True

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a count of things, colours and landmarks it knows."""
        is_picture = len(outcomes) == 1 and isinstance(outcomes[0], Drawn)
        return is_picture and isinstance(question, Count) and _is_known(question)

    def compute(self, exhibit: Exhibit, /) -> tuple[Evidence, ...]:
        """Look once; every question gets the same boxes."""
        (outcome,) = exhibit.outcomes
        if not isinstance(outcome, Drawn):
            raise TypeError(f"the observer looks at pictures, not at {outcome.kind}")
        found = Boxes(look_at(exhibit.load(outcome.picture)))
        return tuple(found for _ in exhibit.inquiries)


def _is_known(question: Count) -> bool:
    nouns = {question.noun, question.place.landmark} if question.place else {question.noun}
    return nouns <= set(KINDS) and question.colour in (None, *COLOUR_NAMES)
