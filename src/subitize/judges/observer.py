"""Counts what is in a picture by classical vision on its pixels."""

from collections.abc import Sequence

from subitize.interfaces import Exhibit
from subitize.records import Boxes, Count, Drawn, Evidence, Outcome, Question
from subitize.vision.observing import observe
from subitize.vision.pixels import decode
from subitize.vision.recognition import KINDS


class Observer:
    """Find the things in a picture by classical vision; it knows the glyphs of our own drawings."""

    rule = "boxes"
    is_stand_in = True

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a count of things it knows."""
        is_picture = len(outcomes) == 1 and isinstance(outcomes[0], Drawn)
        return is_picture and isinstance(question, Count) and question.noun in KINDS and question.place is None

    def compute(self, exhibit: Exhibit, /) -> tuple[Evidence, ...]:
        """Look once; every question gets the same boxes."""
        (outcome,) = exhibit.outcomes
        if not isinstance(outcome, Drawn):
            raise TypeError(f"the observer looks at pictures, not at {outcome.kind}")
        found = Boxes(observe(decode(exhibit.load(outcome.picture))))
        return tuple(found for _ in exhibit.inquiries)
