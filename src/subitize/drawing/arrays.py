"""Equal things in a regular array of rows, free or such that area or hull comes to a goal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from subitize.drawing.placement import Corners, gap_px
from subitize.drawing.scattering import Arranged, Goal, check_not_too_small
from subitize.drawing.silhouettes import Points, Silhouette, hull_area
from subitize.errors import BadValueError


def array(
    shapes: Sequence[Silhouette], size_px: int, goal: Goal, random: np.random.Generator, *, overlap: float
) -> Arranged:
    """Give equal things one side, and the top left corners of a regular array; its things never overlap."""
    del overlap
    drawn, stretch = _between(_SIDES, random), _between(_PITCHES, random)
    lattices = _lattices(len(shapes), random)
    for share in (drawn, *_NARROWER_SIDES):
        sizes = _Sizes(shapes[0], len(shapes), size_px, share, stretch)
        for lattice in lattices:
            side, pitch_px = sizes.reach(lattice, goal)
            corners = _corners(lattice * pitch_px, side, size_px, random)
            if corners is not None and (len(shapes) == 1 or pitch_px >= side + gap_px(size_px)):
                sides = [side] * len(shapes)
                check_not_too_small(sides)
                return sides, corners
    held = "" if goal == Goal() else " with that magnitude held constant"
    raise BadValueError(
        f"number {len(shapes)}: no regular array of so many fits on {size_px} × {size_px} px{held}: "
        "ask for fewer or for a larger picture"
    )


# Sides in shares of the pitch, the distance from one thing to the next; the pitch in shares of the largest that fits.
_SIDES = (0.7, 0.85)
_NARROWER_SIDES = (0.6, 0.5, 0.4, 0.3)  # where the gaps between small things would be too small
_PITCHES = (0.7, 1.0)
_LARGEST_PITCH = 0.2  # in shares of the picture
_LONGEST_SINGLE_ROW = 5


def _between(limits: tuple[float, float], random: np.random.Generator) -> float:
    low, high = limits
    return low + (high - low) * random.random()


def _lattices(number: int, random: np.random.Generator) -> list[Points]:
    """List the arrays that look like one, in random order: the centres of their things, one pitch apart."""
    plausible = [rows for rows in range(1, number + 1) if _is_plausible(rows, math.ceil(number / rows))]
    order = sorted(plausible, key=lambda _: random.random())
    return [_lattice(number, rows) for rows in order]


def _is_plausible(rows: int, columns: int) -> bool:
    if rows == 1:
        return columns <= _LONGEST_SINGLE_ROW
    return columns <= 2.5 * rows and rows <= columns + 1


def _lattice(number: int, rows: int) -> Points:
    lengths = [number // rows + (row < number % rows) for row in range(rows)]
    places = [
        ((max(lengths) - length) / 2 + column, float(row))
        for row, length in enumerate(lengths)
        for column in range(length)
    ]
    return np.array(places)


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How large the things of an array are, and how far apart."""

    shape: Silhouette
    number: int
    size_px: int
    share: float
    stretch: float

    def reach(self, lattice: Points, goal: Goal) -> tuple[int, float]:
        """Find the side and the pitch, in pixels."""
        room_px = self.size_px - 2 * gap_px(self.size_px)
        longest = float(np.ptp(lattice, axis=0).max())
        if goal.hull_px is not None:
            reach = (lattice[:, None, :] + self.share * self.shape.hull).reshape(-1, 2)
            pitch_px = math.sqrt(goal.hull_px / hull_area(reach))
            return round(self.share * pitch_px), pitch_px
        if goal.area_px is not None:
            side = round(math.sqrt(goal.area_px / self.number / self.shape.area))
            widest_px = (room_px - side) / longest if longest else math.inf
            return side, min(max(side / self.share, side + gap_px(self.size_px)), widest_px)
        pitch_px = self.stretch * min(_LARGEST_PITCH * self.size_px, room_px / (longest + self.share))
        return math.floor(self.share * pitch_px), pitch_px


def _corners(places: Points, side: int, size_px: int, random: np.random.Generator) -> Corners | None:
    gap = gap_px(size_px)
    whole = np.rint(places - places.min(axis=0)).astype(np.int64)
    slack = size_px - 2 * gap - whole.max(axis=0) - side
    if (slack < 0).any():
        return None
    return np.asarray(whole + gap + np.floor(random.random(2) * (slack + 1)).astype(np.int64))
