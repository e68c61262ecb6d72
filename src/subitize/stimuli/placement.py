"""Sizes and positions of the things in a picture, at random or in rows, apart from each other.

They may be chosen so that total area or hull reaches a target magnitude."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadValueError
from subitize.stimuli.glyphs import Points, Silhouette, hull_area

SMALLEST_PICTURE_PX = 128
LARGEST_PICTURE_PX = 4096
SMALLEST_ITEM_PX = 12

Corners = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Field:
    """A rectangle that things keep within, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        """Its area."""
        return (self.right - self.left) * (self.bottom - self.top)

    @property
    def width_of_disc(self) -> float:
        """The diameter of the largest disc in it."""
        return min(self.right - self.left, self.bottom - self.top)


def check_room(number: int, size_px: int) -> None:
    """Refuse a picture that is too small or too large, or too small for that many things."""
    if not SMALLEST_PICTURE_PX <= size_px <= LARGEST_PICTURE_PX:
        raise BadValueError(f"size_px {size_px}: a picture has {SMALLEST_PICTURE_PX} to {LARGEST_PICTURE_PX} px a side")
    if number < 1:
        raise BadValueError(f"number {number}: a picture shows 1 item or more")
    if number > capacity(size_px):
        raise _no_room(number, f"{_so_many(size_px)} do not fit on {_on(size_px)}; at most {capacity(size_px)} do")


def capacity(size_px: int) -> int:
    """Estimate how many of the smallest things fit at random: they take up two fifths of the picture."""
    return int(size_px**2 / (2 * (SMALLEST_ITEM_PX + gap_px(size_px)) ** 2))


def gap_px(size_px: int) -> int:
    """Return the smallest gap between things, so that they never touch after resizing or JPEG."""
    return max(3, size_px // 128)


def fit(
    diameters: Sequence[int],
    size_px: int,
    random: np.random.Generator,
    *,
    overlap: float = 0.0,
    fields: Sequence[Field] | None = None,
) -> tuple[tuple[int, ...], Corners]:
    """Place discs, shrinking all of them until they fit; return their diameters and top left corners."""
    check_room(len(diameters), size_px)
    shrunk = tuple(diameters)
    while True:
        corners = place(shrunk, size_px, random, overlap=overlap, fields=fields)
        if corners is not None:
            return shrunk, corners
        if max(shrunk) <= SMALLEST_ITEM_PX:
            raise _no_room(len(shrunk), f"{_so_many(size_px)} find no room in their places on {_on(size_px)}")
        shrunk = tuple(max(SMALLEST_ITEM_PX, math.floor(diameter * _SHRINK)) for diameter in shrunk)


def fit_into_grid(diameters: Sequence[int], size_px: int, grid: tuple[int, int]) -> tuple[tuple[int, ...], Corners]:
    """Place discs in the middle of a grid's cells, row by row, shrinking those wider than a cell.

    More discs than cells make more rows; with fewer, the last cells stay empty.
    """
    gap, columns = gap_px(size_px), grid[1]
    rows = max(grid[0], math.ceil(len(diameters) / columns))
    cell = np.array([size_px - gap, size_px - gap]) / (columns, rows)
    widest = math.floor(cell.min()) - gap
    if widest < SMALLEST_ITEM_PX:
        places = f"{rows} rows and {columns} columns on {_on(size_px)}"
        raise _no_room(len(diameters), f"{_so_many(size_px)} find no room in {places}")
    shrunk = np.minimum(diameters, widest)
    ranks = np.arange(len(shrunk))
    middles = gap / 2 + cell * (np.stack([ranks % columns, ranks // columns], axis=1) + 0.5)
    return tuple(shrunk.tolist()), np.rint(middles - shrunk[:, None] / 2).astype(np.int64)


def place(
    diameters: Sequence[int],
    size_px: int,
    random: np.random.Generator,
    *,
    overlap: float = 0.0,
    fields: Sequence[Field] | None = None,
) -> Corners | None:
    """Find a top left corner for each disc, the largest first; None if one of them finds no room.

    Without overlap discs are a gap apart; with it, two may overlap by that share of their diameters. Each disc keeps
    within its field if there are any, and otherwise a gap off the border.
    """
    border = gap_px(size_px)
    gap = 0 if overlap else border
    whole = Field(border, border, size_px - border, size_px - border)
    placed = np.empty((len(diameters), 3))
    corners = np.empty((len(diameters), 2), dtype=np.int64)
    order = sorted(range(len(diameters)), key=lambda index: -diameters[index])
    for rank, index in enumerate(order):
        field = fields[index] if fields is not None else whole
        corner = _free_corner(diameters[index], field, placed[:rank], random, 1 - overlap)
        if corner is None:
            return None
        corners[index] = corner
        radius = diameters[index] / 2
        placed[rank] = (corner[0] + radius, corner[1] + radius, radius + gap)
    return corners


_SHRINK = 0.9
_BATCH = 16
_BATCHES = 16
_LATTICE = 96


def _free_corner(
    diameter: int, field: Field, placed: NDArray[np.float64], random: np.random.Generator, apart: float
) -> Corners | None:
    start = np.array([math.ceil(field.left), math.ceil(field.top)])
    room = np.array([math.floor(field.right), math.floor(field.bottom)]) - diameter - start
    if (room < 0).any():
        return None
    for _ in range(_BATCHES):
        candidates = start + np.floor(random.random((_BATCH, 2)) * (room + 1)).astype(np.int64)
        free = np.flatnonzero(_is_free(candidates, diameter, placed, apart))
        if free.size:
            return np.asarray(candidates[free[0]])
    # Random tries have failed: look everywhere, once, so that crowded pictures end.
    across, down = (
        first + np.unique(np.linspace(0, most, _LATTICE).astype(np.int64))
        for first, most in zip(start, room, strict=True)
    )
    lattice = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    free = np.flatnonzero(_is_free(lattice, diameter, placed, apart))
    return np.asarray(lattice[free[int(random.random() * free.size)]]) if free.size else None


def _is_free(corners: Corners, diameter: int, placed: NDArray[np.float64], apart: float) -> NDArray[np.bool_]:
    centres = corners + diameter / 2
    across = centres[:, 0, None] - placed[:, 0]
    down = centres[:, 1, None] - placed[:, 1]
    reach = (placed[:, 2] + diameter / 2) * apart
    return np.asarray((across * across + down * down >= reach * reach).all(axis=1))


def _no_room(number: int, why: str) -> BadValueError:
    return BadValueError(f"number {number}: {why}: ask for fewer or for a larger picture")


def _so_many(size_px: int) -> str:
    return f"that many items of at least {SMALLEST_ITEM_PX} px, {gap_px(size_px)} px apart,"


def _on(size_px: int) -> str:
    return f"{size_px} × {size_px} px"


Numbers = NDArray[np.float64]
Arranged = tuple[Sequence[int], Corners]

# Up to about ten items size says nothing about number; beyond, things must shrink to fit. A share of .3 is well below
# .547, at which placing equal discs one by one at random jams.
LARGEST_SHARE_OF_SIDE = 0.24
SMALLEST_TO_LARGEST = 0.45
MEAN_SQUARE = (1 + SMALLEST_TO_LARGEST + SMALLEST_TO_LARGEST**2) / 3
COVERED_SHARE = 0.3
_ATTEMPTS = 300


@dataclass(frozen=True, slots=True)
class TargetMagnitude:
    """What the things of a picture must add up to, in square pixels: their total area, or the area of their hull."""

    area_px: float | None = None
    hull_px: float | None = None


def scatter(
    shapes: Sequence[Silhouette], size_px: int, target: TargetMagnitude, random: np.random.Generator, *, overlap: float
) -> Arranged:
    """Give every thing a side and a top left corner."""
    shares = SMALLEST_TO_LARGEST + (1 - SMALLEST_TO_LARGEST) * random.random(len(shapes))
    if target.area_px is not None:
        sides = sides_for_area(shares, shapes, target.area_px)
        return sides, _placed(sides, size_px, random, overlap)
    if target.hull_px is not None:
        return _Spread(shapes, size_px, target.hull_px, overlap).over(shares, random)
    largest = largest_px(len(shapes), size_px)
    return fit([max(SMALLEST_ITEM_PX, math.floor(largest * s)) for s in shares], size_px, random, overlap=overlap)


def largest_px(number: int, size_px: int) -> float:
    """Return how large the largest of so many things may be."""
    crowded = math.sqrt(COVERED_SHARE * 4 / (math.pi * MEAN_SQUARE * number))
    return min(LARGEST_SHARE_OF_SIDE * size_px, crowded * size_px - gap_px(size_px))


def sides_for_area(shares: Numbers, shapes: Sequence[Silhouette], area_px: float) -> list[int]:
    """Scale sides so that the things cover an area, as closely as whole pixels allow."""
    covers = np.array([shape.area for shape in shapes])
    exact = shares * math.sqrt(area_px / float(covers @ shares**2))
    sides = np.floor(exact).astype(np.int64)
    left_px = area_px - float(covers @ sides**2)
    for index in np.argsort(sides - exact):
        gain = covers[index] * (2 * sides[index] + 1)
        if gain / 2 <= left_px:
            sides[index] += 1
            left_px -= gain
    _check_not_too_small(sides.tolist())
    return [int(side) for side in sides]


def _check_not_too_small(sides: Sequence[int]) -> None:
    """Refuse things too small to see; with a magnitude held constant they cannot be larger."""
    if min(sides) < SMALLEST_ITEM_PX:
        sizes = f"the smallest item has {min(sides)} px, and {SMALLEST_ITEM_PX} are needed"
        raise _no_room(len(sides), f"with that magnitude held constant, {sizes}")


def _placed(sides: Sequence[int], size_px: int, random: np.random.Generator, overlap: float) -> Corners:
    for _ in range(_ATTEMPTS):
        corners = place(sides, size_px, random, overlap=overlap)
        if corners is not None:
            return corners
    raise _no_room(len(sides), f"found no place for all on {_on(size_px)}{_HELD_CONSTANT}")


_HELD_CONSTANT = " with that magnitude held constant"


@dataclass(frozen=True, slots=True)
class _Spread:
    """Spreads things from a narrow place until their hull reaches the target."""

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
        raise _no_room(len(shares), f"found no place for all on {_on(self.size_px)}{_HELD_CONSTANT}")

    def _alone(self, random: np.random.Generator) -> Arranged:
        """Size a single thing so that its own hull reaches the target."""
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
        return _moved(spread, sides, self.size_px, random)

    def _hull(self, sides: Sequence[int], corners: Numbers | Corners) -> float:
        reach = [shape.hull * side + corner for shape, side, corner in zip(self.shapes, sides, corners, strict=True)]
        return hull_area(np.concatenate(reach))


_HALVINGS = 26


def array(
    shapes: Sequence[Silhouette], size_px: int, target: TargetMagnitude, random: np.random.Generator, *, overlap: float
) -> Arranged:
    """Give equal things one side, and the top left corners of a regular array, without overlap."""
    del overlap
    drawn, stretch = _between(_SIDES, random), _between(_PITCHES, random)
    lattices = _lattices(len(shapes), random)
    for share in (drawn, *_NARROWER_SIDES):
        sizes = _Sizes(shapes[0], len(shapes), size_px, share, stretch)
        for lattice in lattices:
            side, pitch_px = sizes.reach(lattice, target)
            sides = [side] * len(shapes)
            places = lattice * pitch_px
            corners = _moved(np.rint(places - places.min(axis=0)).astype(np.int64), sides, size_px, random)
            if corners is not None and (len(shapes) == 1 or pitch_px >= side + gap_px(size_px)):
                _check_not_too_small(sides)
                return sides, corners
    held = "" if target == TargetMagnitude() else _HELD_CONSTANT
    raise _no_room(len(shapes), f"no regular array of so many fits on {_on(size_px)}{held}")


# Sides in shares of the pitch, the distance from one thing to the next; the pitch in shares of the largest that fits.
_SIDES = (0.7, 0.85)
_NARROWER_SIDES = (0.6, 0.5, 0.4, 0.3)  # if the gaps between small things would be too small
_PITCHES = (0.7, 1.0)
_LARGEST_PITCH = 0.2  # in shares of the picture
_LONGEST_SINGLE_ROW = 5


def _between(limits: tuple[float, float], random: np.random.Generator) -> float:
    low, high = limits
    return low + (high - low) * random.random()


def _lattices(number: int, random: np.random.Generator) -> list[Points]:
    """List the plausible arrays in random order: the centres of their things, one pitch apart."""
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
    """The sizes and distances of an array's things."""

    shape: Silhouette
    number: int
    size_px: int
    share: float
    stretch: float

    def reach(self, lattice: Points, target: TargetMagnitude) -> tuple[int, float]:
        """Find the side and the pitch, in pixels."""
        room_px = self.size_px - 2 * gap_px(self.size_px)
        longest = float(np.ptp(lattice, axis=0).max())
        if target.hull_px is not None:
            reach = (lattice[:, None, :] + self.share * self.shape.hull).reshape(-1, 2)
            pitch_px = math.sqrt(target.hull_px / hull_area(reach))
            return round(self.share * pitch_px), pitch_px
        if target.area_px is not None:
            side = round(math.sqrt(target.area_px / self.number / self.shape.area))
            widest_px = (room_px - side) / longest if longest else math.inf
            return side, min(max(side / self.share, side + gap_px(self.size_px)), widest_px)
        pitch_px = self.stretch * min(_LARGEST_PITCH * self.size_px, room_px / (longest + self.share))
        return math.floor(self.share * pitch_px), pitch_px


def _moved(corners: Corners, sides: Sequence[int], size_px: int, random: np.random.Generator) -> Corners | None:
    """Move all things together to a random place in the picture; None if they do not fit."""
    gap, start = gap_px(size_px), corners.min(axis=0)
    slack = size_px - 2 * gap - ((corners + np.array(sides)[:, None]).max(axis=0) - start)
    if (slack < 0).any():
        return None
    return np.asarray(corners - start + gap + np.floor(random.random(2) * (slack + 1)).astype(np.int64))
