"""Spatial statements ("the cup is left of the book"), and whether the boxes bear them out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from subitize.language import nouns
from subitize.records import Box, Discarded, Known, Value

_WORDS = "on top of|under|behind|in front of|left of|right of|above|below"
_STATEMENT = re.compile(
    r"there (?:is|are) (?:an?|some) (?P<thing>[a-z][a-z -]*?) "
    rf"(?P<word>{_WORDS}) (?:an?|some) (?P<landmark>[a-z][a-z -]*)"
)
_OVERLAP = 0.5  # of the narrower of two, to be said to stand over one another
_INSIDE = 0.9  # of a box, to be said to lie within another
_RESTING = 0.5  # of its own height, that a thing may be off what it lies on
_NEARER = 0.1  # of the taller one's height, that what stands nearer must reach lower


@dataclass(frozen=True, slots=True)
class Standing:
    """That there is a thing in some relation to a landmark."""

    thing: str
    word: str
    landmark: str


def read_standing(text: str) -> Standing | None:
    """Read "there is a cat on top of a car"; None for what says something else."""
    found = _STATEMENT.fullmatch(text.strip().lower().removesuffix("."))
    if found is None:
        return None
    return Standing(nouns.singular(found["thing"]), found["word"], nouns.singular(found["landmark"]))


def judge_standing(word: str, things: Sequence[Box], landmarks: Sequence[Box]) -> Value:
    """Tell whether one of the things stands so to one of the landmarks; where boxes cannot tell, it is unknown."""
    if not things or not landmarks:
        return Known(False)
    verdicts = {_stands(_Pair(*one.xyxy, *other.xyxy), word) for one in things for other in landmarks}
    if True in verdicts or None not in verdicts:
        return Known(True in verdicts)
    return Discarded(f"boxes cannot tell what is {word} what here", is_refusal=True)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The edges of a thing and of a landmark, in pixels from the top left."""

    left: float
    top: float
    right: float
    bottom: float
    other_left: float
    other_top: float
    other_right: float
    other_bottom: float

    @property
    def across(self) -> float:
        """How far the thing's centre is to the right of the landmark's."""
        return (self.left + self.right - self.other_left - self.other_right) / 2

    @property
    def down(self) -> float:
        """How far the thing's centre is below the landmark's."""
        return (self.top + self.bottom - self.other_top - self.other_bottom) / 2

    @property
    def shared_width(self) -> float:
        return max(0.0, min(self.right, self.other_right) - max(self.left, self.other_left))

    @property
    def shared_height(self) -> float:
        return max(0.0, min(self.bottom, self.other_bottom) - max(self.top, self.other_top))

    @property
    def is_inside(self) -> bool:
        """Whether the thing lies within the landmark's box: on it, before it, in it, or under it."""
        area = (self.right - self.left) * (self.bottom - self.top)
        return self.shared_width * self.shared_height >= _INSIDE * area

    @property
    def are_stacked(self) -> bool:
        """Whether one of them is over the other."""
        narrower = min(self.right - self.left, self.other_right - self.other_left)
        return self.shared_width >= _OVERLAP * narrower


def _stands(pair: _Pair, word: str) -> bool | None:
    match word:
        case "left of":
            return pair.across < 0
        case "right of":
            return pair.across > 0
        case "above":
            return pair.down < 0
        case "below":
            return pair.down > 0
        case "on top of":
            gap = pair.other_top - pair.bottom
            is_resting = gap <= _RESTING * (pair.bottom - pair.top)
            return None if pair.is_inside else pair.are_stacked and pair.down < 0 and is_resting
        case "under":
            return None if pair.is_inside else pair.are_stacked and pair.down > 0
        case _:
            return _is_in_depth(pair, word)


def _is_in_depth(pair: _Pair, word: str) -> bool | None:
    """Tell by who reaches lower which of two that hide one another is nearer; beside one another nobody can tell."""
    lower = pair.bottom - pair.other_bottom
    taller = max(pair.bottom - pair.top, pair.other_bottom - pair.other_top)
    if not pair.shared_width * pair.shared_height or abs(lower) < _NEARER * taller:
        return None
    return (lower > 0) == (word == "in front of")
