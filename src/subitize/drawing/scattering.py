"""Things at random: how large each is and where it stands, free or such that area or hull comes to a goal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.drawing.placement import SMALLEST_ITEM_PX, Corners, fit, gap_px, place
from subitize.drawing.silhouettes import Silhouette, hull_area
from subitize.errors import BadValueError

Numbers = NDArray[np.float64]
Arranged = tuple[Sequence[int], Corners]

# Up to about ten items size tells nothing of number; beyond, things must shrink to have room. A share of .3
# lies well below .547, at which placing equal discs one by one at random comes to a halt.
LARGEST_SHARE_OF_SIDE = 0.24
SMALLEST_TO_LARGEST = 0.45
MEAN_SQUARE = (1 + SMALLEST_TO_LARGEST + SMALLEST_TO_LARGEST**2) / 3
COVERED_SHARE = 0.3
_ATTEMPTS = 300


@dataclass(frozen=True, slots=True)
class Goal:
    """What the things of a picture must come to, in square pixels: their total area, or the area of their hull."""

    area_px: float | None = None
    hull_px: float | None = None


def scatter(
    shapes: Sequence[Silhouette], size_px: int, goal: Goal, random: np.random.Generator, *, overlap: float
) -> Arranged:
    """Give every thing a side and a top left corner."""
    shares = SMALLEST_TO_LARGEST + (1 - SMALLEST_TO_LARGEST) * random.random(len(shapes))
    if goal.area_px is not None:
        sides = sides_for_area(shares, shapes, goal.area_px)
        return sides, _placed(sides, size_px, random, overlap)
    if goal.hull_px is not None:
        return _Spread(shapes, size_px, goal.hull_px, overlap).over(shares, random)
    largest = largest_px(len(shapes), size_px)
    return fit([max(SMALLEST_ITEM_PX, math.floor(largest * s)) for s in shares], size_px, random, overlap=overlap)


def largest_px(number: int, size_px: int) -> float:
    """Tell how large the largest of so many things may be."""
    crowded = math.sqrt(COVERED_SHARE * 4 / (math.pi * MEAN_SQUARE * number))
    return min(LARGEST_SHARE_OF_SIDE * size_px, crowded * size_px - gap_px(size_px))


def sides_for_area(shares: Numbers, shapes: Sequence[Silhouette], area_px: float) -> list[int]:
    """Scale sides so that the things cover an area, as nearly as whole pixels allow."""
    covers = np.array([shape.area for shape in shapes])
    exact = shares * math.sqrt(area_px / float(covers @ shares**2))
    sides = np.floor(exact).astype(np.int64)
    left_px = area_px - float(covers @ sides**2)
    for index in np.argsort(sides - exact):
        gain = covers[index] * (2 * sides[index] + 1)
        if gain / 2 <= left_px:
            sides[index] += 1
            left_px -= gain
    check_not_too_small(sides.tolist())
    return [int(side) for side in sides]


def check_not_too_small(sides: Sequence[int]) -> None:
    """Refuse things too small to see; a magnitude that is held constant leaves no other way out."""
    if min(sides) < SMALLEST_ITEM_PX:
        raise BadValueError(
            f"number {len(sides)}: with that magnitude held constant, the smallest item has {min(sides)} px, and "
            f"{SMALLEST_ITEM_PX} are needed: ask for fewer or for a larger picture"
        )


def _placed(sides: Sequence[int], size_px: int, random: np.random.Generator, overlap: float) -> Corners:
    for _ in range(_ATTEMPTS):
        corners = place(sides, size_px, random, overlap=overlap)
        if corners is not None:
            return corners
    raise BadValueError(_no_way(len(sides), size_px))


def _no_way(number: int, size_px: int) -> str:
    return (
        f"number {number}: found no place for all on {size_px} × {size_px} px with that magnitude held constant: "
        "ask for fewer or for a larger picture"
    )


@dataclass(frozen=True, slots=True)
class _Spread:
    """Things drawn apart from a narrow place until their hull is as large as it must be."""

    shapes: Sequence[Silhouette]
    size_px: int
    hull_px: float
    overlap: float

    def over(self, shares: Numbers, random: np.random.Generator) -> Arranged:
        if len(shares) == 1:
            return self._alone(random)
        largest = min(largest_px(len(shares), self.size_px), self._largest_px(len(shares)))
        narrow_px = min(self.size_px, 1.2 * math.sqrt(self.hull_px))
        for _ in range(_ATTEMPTS):
            sides = [max(SMALLEST_ITEM_PX, round(largest * share)) for share in shares]
            corners = place(sides, math.floor(narrow_px), random, overlap=self.overlap)
            if corners is None:
                largest *= 0.95
            elif self._hull(sides, corners) > self.hull_px:
                narrow_px *= 0.97
            else:
                spread = self._drawn_apart(sides, corners, random)
                if spread is not None:
                    return sides, spread
                largest *= 1.05
        raise BadValueError(_no_way(len(shares), self.size_px))

    def _alone(self, random: np.random.Generator) -> Arranged:
        """One thing's hull is its own: its size must do."""
        side = round(math.sqrt(self.hull_px / hull_area(self.shapes[0].hull)))
        return [side], _placed([side], self.size_px, random, self.overlap)

    def _largest_px(self, number: int) -> float:
        crowded = math.sqrt(COVERED_SHARE * self.hull_px * 4 / (math.pi * MEAN_SQUARE * number))
        return max(SMALLEST_ITEM_PX, crowded - gap_px(self.size_px))

    def _drawn_apart(self, sides: Sequence[int], corners: Corners, random: np.random.Generator) -> Corners | None:
        halves = np.array(sides)[:, None] / 2
        centres = corners + halves
        middle = centres.mean(axis=0)
        low, high = 1.0, float(self.size_px)
        for _ in range(_HALVINGS):
            factor = (low + high) / 2
            is_small = self._hull(sides, middle + factor * (centres - middle) - halves) < self.hull_px
            low, high = (factor, high) if is_small else (low, factor)
        spread = np.rint(middle + low * (centres - middle) - halves).astype(np.int64)
        gap = gap_px(self.size_px)
        slack = self.size_px - 2 * gap - ((spread + np.array(sides)[:, None]).max(axis=0) - spread.min(axis=0))
        if (slack < 0).any():
            return None
        start = gap + np.floor(random.random(2) * (slack + 1)).astype(np.int64)
        return np.asarray(spread - spread.min(axis=0) + start)

    def _hull(self, sides: Sequence[int], corners: Numbers | Corners) -> float:
        reach = [shape.hull * side + corner for shape, side, corner in zip(self.shapes, sides, corners, strict=True)]
        return hull_area(np.concatenate(reach))


_HALVINGS = 26
