"""Counts things in a picture and checks statements about it, by classical vision on its pixels."""

import re
from collections.abc import Sequence
from functools import cache

from subitize.errors import UnusableModelError
from subitize.interfaces import Finding, Judge, JudgeRequest, SelfTest
from subitize.labels import CANNOT_TELL, read_standing
from subitize.language.clauses import read_scene
from subitize.language.scene import NotUnderstood, Scene
from subitize.records import UNKNOWN, Boxes, Choose, Confirm, Count, Drawn, Evidence, Outcome, Question, Stimulus, Words
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.compositions import find_contacts
from subitize.stimuli.observing import SceneView, holds, look_at, see_picture
from subitize.stimuli.recipes import render
from subitize.stimuli.recognition import KINDS


class ObserverJudge(Judge):
    """Find the things in a picture by classical vision; it knows the glyphs of our own drawings."""

    rule = "boxes"
    is_stand_in = True
    asks_together = True

    def self_test(self) -> SelfTest:
        """Count things in drawings of known numbers."""
        seen, known = _count_known()
        if seen != known:
            counted, there = (", ".join(map(str, numbers)) for numbers in (seen, known))
            reason = f"the observer counted {counted} things in pictures of {there}"
            raise UnusableModelError(f"{reason}; this installation is broken: install subitize again")
        return SelfTest(True)

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether this is one picture, and a count or statements of things, colours and landmarks it knows."""
        return len(outcomes) == 1 and isinstance(outcomes[0], Drawn) and _is_known(question)

    def compute(self, exhibit: JudgeRequest, /) -> tuple[Finding, ...]:
        """Look once, and answer every question from what is seen."""
        (outcome,) = exhibit.outcomes
        if not isinstance(outcome, Drawn):
            raise TypeError(f"the observer looks at pictures, not at {outcome.kind}")
        view = see_picture(exhibit.load(outcome.picture))
        return tuple(Finding(_answer(inquiry.question, view)) for inquiry in exhibit.inquiries)


_KNOWN = (("apples", 1), ("dots", 3), ("butterflies", 5), ("people", 7))


@cache  # an installation does not change while it runs
def _count_known() -> tuple[list[int], list[int]]:
    """Count the things in pictures of known numbers: what is seen, and what is there."""
    pictures = [render(Stimulus(category, number, seed=number, size_px=256)).png for category, number in _KNOWN]
    return [len(look_at(picture)) for picture in pictures], [number for _, number in _KNOWN]


def _is_known(question: Question) -> bool:
    match question:
        case Count():
            nouns = {question.noun, question.place.landmark} if question.place else {question.noun}
            return nouns <= set(KINDS) and question.colour in (None, *COLOUR_NAMES)
        case Choose(lines=lines):
            return all(_read(line) is not None for line in lines)
        case Confirm(statement=statement) if standing := read_standing(statement):
            return {standing.thing, standing.landmark} <= set(KINDS)
        case Confirm(statement=statement):
            return _read(statement) is not None
    return False


def _answer(question: Question, view: SceneView) -> Evidence:
    # With unknown things in the picture no count is sure, least of all none.
    if strange := sum(thing.kind == UNKNOWN for thing in view.things):
        return Words(f"{CANNOT_TELL}{strange} of {len(view.things)} things seen are unknown to the observer")
    match question:
        case Choose(lines=lines):
            fitting = (str(position) for position, line in enumerate(lines) if _is_so(line, view))
            return Words(next(fitting, "none of them"))
        case Confirm(statement=statement) if not read_standing(statement):
            return Words("yes" if _is_so(statement, view) else "no")
    return Boxes(view.boxes())


def _is_so(text: str, view: SceneView) -> bool:
    scenes = _read(text)
    if scenes is None:
        raise ValueError(f"the observer cannot tell whether {text!r}: ask it what it can answer first")
    return any(holds(scene, view) for scene in scenes)


_EITHER = re.compile(
    r"(?P<start>.*)some (?P<one>.+) or some (?P<other>.+), but not with both (?P=one) and (?P=other)\."
)


def _read(text: str) -> tuple[Scene, ...] | None:
    """Read a statement as alternative scenes; None if it is not understood."""
    either = _EITHER.fullmatch(text)
    texts = [text]
    if either:
        start, one, other = either.group("start", "one", "other")
        texts = [f"{start}some {has} and with no {lacks}." for has, lacks in ((one, other), (other, one))]
    read = [read_scene(each, KINDS, COLOUR_NAMES) for each in texts]
    scenes = tuple(scene for scene in read if not isinstance(scene, NotUnderstood) and not find_contacts(scene))
    return scenes if len(scenes) == len(read) else None
