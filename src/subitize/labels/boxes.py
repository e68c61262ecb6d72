"""Finds the boxes that answer a question, and checks statements of number and place against boxes.

A box counts if its score is high enough, it is not suppressed, and it fits the noun, colour and place asked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from subitize.labels.rules import Rule
from subitize.language import final, mentions, nouns
from subitize.language.tokens import word_set
from subitize.records import Box, Count, Discarded, Known, RelationWord, Value
from subitize.stats.boxes import Detections


def counted_boxes(boxes: Sequence[Box], question: Count, rule: Rule) -> list[Box]:
    """Find the boxes that answer a question: with a sufficient score, not suppressed, of its noun, colour and place.

    The best come first. A box is suppressed by better ones only, so low scores may be left out before or after.
    """
    things = [box for box in _kept(boxes, question.noun, rule) if question.colour in (None, box.colour)]
    if question.place is None:
        return things
    relation = question.place.relation
    landmarks = _kept(boxes, question.place.landmark, rule)
    return [box for box in things if _is_beside(box, relation, landmarks)]


def _kept(boxes: Sequence[Box], label: str, rule: Rule) -> list[Box]:
    """Keep the unsuppressed boxes of one label; boxes suppress others of their label only, of any colour."""
    least = rule.threshold or 0.0
    found = sorted((box for box in boxes if box.label == label and box.score >= least), key=lambda box: -box.score)
    if rule.iou is None or rule.iou >= 1:
        return found
    return list(compress(found, Detections.of(found).unsuppressed(rule.iou)))


def _is_beside(box: Box, relation: RelationWord, landmarks: Sequence[Box]) -> bool:
    """Return whether a thing's centre is on that side of all landmarks' centres; False without landmarks."""
    axis = 0 if relation in ("left of", "right of") else 1
    sign = 1 if relation in ("left of", "above") else -1
    return bool(landmarks) and all(sign * _centre(box)[axis] < sign * _centre(other)[axis] for other in landmarks)


def _centre(box: Box) -> tuple[float, float]:
    left, top, right, bottom = box.xyxy
    return (left + right) / 2, (top + bottom) / 2


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim that there are so many of something; None stands for "some"."""

    noun: str
    number: int | None

    def holds(self, count: int) -> bool:
        """Return whether the statement is true of this count."""
        return count >= 1 if self.number is None else count == self.number


_STATEMENT = re.compile(r"there (?:is|are) (?P<number>some|no|an?|\d{1,6}|[a-z-]+) (?P<things>[a-z][a-z -]*)")
# Words that no name of one kind of thing contains: they introduce a second kind, parts, or a place.
# "of" may be part of a name: "loaves of bread".
_SAYS_MORE = word_set(
    "a about above across after against all along also among an and another any are around as at before behind below"
    " beneath beside between both but by each either every except facing fewer for from half halves has have her his"
    " in inside into is its left less like many more most near neither next no nor not on only onto or other others"
    " out outside over piece pieces quarter quarters right same some than that the their there these third thirds this"
    " those through to touching toward towards under upon was were what where which while who whose whole with within"
    " without"
)
# "dogs chasing cats", but "swimming pools"
_DOING = re.compile(r"\b[a-z]+[a-rt-z]s [a-z]+ing\b")


def read_statement(text: str) -> Statement | None:
    """Read "there are some apples", "there are no seeds", "there is 1 cat"; None for any other statement."""
    found = _STATEMENT.fullmatch(text.strip().lower().removesuffix("."))
    if found is None or _says_more(found["things"]):
        return None
    noun = nouns.singular(found["things"])
    if found["number"] in ("some", "no"):
        return Statement(noun, None if found["number"] == "some" else 0)
    number = final.read_number(found["number"], "strict")
    whole = None if isinstance(number, mentions.NoValue) or number != int(number) else int(number)
    return None if whole is None else Statement(noun, whole)


def _says_more(things: str) -> bool:
    has_number = any(not isinstance(final.read_number(word, "strict"), mentions.NoValue) for word in things.split())
    says_more = not _SAYS_MORE.isdisjoint(re.split("[ -]", things))
    return has_number or says_more or _DOING.search(things) is not None


_WORDS = "on top of|under|behind|in front of|left of|right of|above|below"
_SPATIAL_STATEMENT = re.compile(
    r"there (?:is|are) (?:an?|some) (?P<thing>[a-z][a-z -]*?) "
    rf"(?P<word>{_WORDS}) (?:an?|some) (?P<landmark>[a-z][a-z -]*)"
)
_OVERLAP = 0.5  # of the narrower box's width, for one to be over the other
_INSIDE = 0.9  # of a box's area, for it to be inside another
_RESTING = 0.5  # of its own height: the largest gap between a thing and what it rests on
_NEARER = 0.1  # of the taller box's height: how much lower the nearer one must reach


@dataclass(frozen=True, slots=True)
class SpatialClaim:
    """A claim that a thing is in some relation to a landmark."""

    thing: str
    word: str
    landmark: str


def read_standing(text: str) -> SpatialClaim | None:
    """Read "there is a cat on top of a car"; None for any other statement."""
    found = _SPATIAL_STATEMENT.fullmatch(text.strip().lower().removesuffix("."))
    if found is None:
        return None
    return SpatialClaim(nouns.singular(found["thing"]), found["word"], nouns.singular(found["landmark"]))


def check_spatial_claim(word: str, things: Sequence[Box], landmarks: Sequence[Box]) -> Value:
    """Check whether one of the things relates so to one of the landmarks; unknown if boxes cannot show it."""
    if not things or not landmarks:
        return Known(False)
    verdicts = {_holds(word, one.xyxy, other.xyxy) for one in things for other in landmarks}
    if True in verdicts or None not in verdicts:
        return Known(True in verdicts)
    return Discarded(f"boxes cannot tell what is {word} what here", is_refusal=True)


_Edges = tuple[float, float, float, float]


def _holds(word: str, thing: _Edges, landmark: _Edges) -> bool | None:
    """Return whether a thing relates so to a landmark; None if their boxes cannot show it."""
    left, top, right, bottom = thing
    other_left, other_top, other_right, other_bottom = landmark
    across = (left + right - other_left - other_right) / 2  # how far its centre is to the right of the landmark's
    down = (top + bottom - other_top - other_bottom) / 2
    shared_width = max(0.0, min(right, other_right) - max(left, other_left))
    shared_area = shared_width * max(0.0, min(bottom, other_bottom) - max(top, other_top))
    is_inside = shared_area >= _INSIDE * ((right - left) * (bottom - top))  # on it, before it, in it, or under it
    are_stacked = shared_width >= _OVERLAP * min(right - left, other_right - other_left)
    match word:
        case "left of":
            return across < 0
        case "right of":
            return across > 0
        case "above":
            return down < 0
        case "below":
            return down > 0
        case "on top of":
            is_resting = other_top - bottom <= _RESTING * (bottom - top)
            return None if is_inside else are_stacked and down < 0 and is_resting
        case "under":
            return None if is_inside else are_stacked and down > 0
        case _:  # of two boxes that overlap, the one that reaches lower is nearer
            lower, taller = bottom - other_bottom, max(bottom - top, other_bottom - other_top)
            is_clear = shared_area and abs(lower) >= _NEARER * taller
            return (lower > 0) == (word == "in front of") if is_clear else None
