"""What a thing is, by its outline, and what colour it has: general descriptors, no templates.

A kind is a set of ranges for the numbers that describe an outline. How far inside its ranges a region lies is
its membership of the kind: 1 well inside, .5 on a limit, 0 well outside, the worst range deciding. A region
that is no member of any kind is unknown; it is never called the nearest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from subitize.vision.colours import colour_name
from subitize.vision.sampling import sample
from subitize.vision.segmentation import Region
from subitize.vision.shapes import Shape, measure

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a region is taken for, how surely, and its colour."""

    kind: str
    score: float
    colour: str


def recognise(regions: Sequence[Region]) -> list[Recognised]:
    """Name regions by kind and colour; the score of an unknown is 1 less its membership of the best kind."""
    starts = range(0, len(regions), _AT_ONCE)
    return [thing for start in starts for thing in _recognise(regions[start : start + _AT_ONCE])]


def kind_of(shape: Shape) -> tuple[str, float]:
    """Give the kind that a shape is a member of, or unknown, and how surely."""
    memberships = {
        kind: min(accepted.membership(getattr(shape, name)) for name, accepted in ranges.items())
        for kind, ranges in _RANGES.items()
    }
    kind = max(memberships, key=memberships.__getitem__)
    return (kind, memberships[kind]) if memberships[kind] >= 0.5 else (UNKNOWN, 1 - memberships[kind])


_AT_ONCE = 256  # a picture full of scraps must not fill the memory


def _recognise(regions: Sequence[Region]) -> list[Recognised]:
    samples = sample(regions)
    colours = (colour_name(int(red), int(green), int(blue)) for red, green, blue in samples.body_colours)
    return [Recognised(*kind_of(shape), colour) for shape, colour in zip(measure(samples), colours, strict=True)]


@dataclass(frozen=True, slots=True)
class _Range:
    """Accepted values of one descriptor; `slack` is how far outside membership has fallen to 0."""

    low: float
    high: float
    slack: float

    def membership(self, value: float) -> float:
        inside = min(value - self.low, self.high - value)
        return min(1.0, max(0.0, 0.5 + inside / (2 * self.slack)))


_NO_LIMIT = 9.0

_RANGES: Mapping[str, Mapping[str, _Range]] = {
    "dot": {
        "aspect": _Range(0.87, 1.15, 0.06),
        "hole_share": _Range(-_NO_LIMIT, 0.06, 0.03),
        "roundness": _Range(0.99, _NO_LIMIT, 0.007),
        "unevenness": _Range(-_NO_LIMIT, 0.07, 0.03),
        "plainness": _Range(0.88, _NO_LIMIT, 0.08),
    },
    "apple": {
        "hole_share": _Range(-_NO_LIMIT, 0.12, 0.05),
        "solidity": _Range(0.74, 0.96, 0.04),
        "body_share": _Range(0.82, 0.965, 0.02),
        "body_aspect": _Range(0.8, 1.4, 0.1),
        "body_roundness": _Range(0.945, _NO_LIMIT, 0.015),
        "overhang": _Range(-_NO_LIMIT, 0.1, 0.04),
        "rise": _Range(0.04, 0.5, 0.03),
        "stalk_offset": _Range(-0.3, 0.3, 0.1),
        "dimple": _Range(0.035, 0.25, 0.02),
    },
}

KINDS = tuple(_RANGES)
