"""Where things stand in a picture: at random, inside it, and apart from each other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadValueError

SMALLEST_PICTURE_PX = 128
LARGEST_PICTURE_PX = 4096
SMALLEST_ITEM_PX = 12

Corners = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Field:
    """A part of the picture that things keep to, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        """How large it is."""
        return (self.right - self.left) * (self.bottom - self.top)

    @property
    def width_of_disc(self) -> float:
        """How wide a disc in it may be at the most."""
        return min(self.right - self.left, self.bottom - self.top)


def check_room(number: int, size_px: int) -> None:
    """Refuse a picture that is too small or too large to be of use, or too small for that many things."""
    if not SMALLEST_PICTURE_PX <= size_px <= LARGEST_PICTURE_PX:
        raise BadValueError(f"size_px {size_px}: a picture has {SMALLEST_PICTURE_PX} to {LARGEST_PICTURE_PX} px a side")
    if number < 1:
        raise BadValueError(f"number {number}: a picture shows 1 item or more")
    if number > capacity(size_px):
        raise BadValueError(_too_many(number, size_px))


def capacity(size_px: int) -> int:
    """Tell how many of the smallest things find room at random: they take up two fifths of the picture."""
    return int(size_px**2 / (2 * (SMALLEST_ITEM_PX + gap_px(size_px)) ** 2))


def gap_px(size_px: int) -> int:
    """Tell how far apart things stand at the least, so that they never touch after resizing or JPEG."""
    return max(3, size_px // 128)


def fit(
    diameters: Sequence[int],
    size_px: int,
    random: np.random.Generator,
    *,
    overlap: float = 0.0,
    fields: Sequence[Field] | None = None,
) -> tuple[tuple[int, ...], Corners]:
    """Place discs, all of them shrunk as far as it takes; return their diameters and top left corners."""
    check_room(len(diameters), size_px)
    shrunk = tuple(diameters)
    while True:
        corners = place(shrunk, size_px, random, overlap=overlap, fields=fields)
        if corners is not None:
            return shrunk, corners
        if max(shrunk) <= SMALLEST_ITEM_PX:
            raise BadValueError(
                f"{_that_many(len(shrunk), size_px)} find no room in their places on {size_px} × {size_px} px: "
                "ask for fewer or for a larger picture"
            )
        shrunk = tuple(max(SMALLEST_ITEM_PX, math.floor(diameter * _SHRINK)) for diameter in shrunk)


def fit_into_grid(diameters: Sequence[int], size_px: int, grid: tuple[int, int]) -> tuple[tuple[int, ...], Corners]:
    """Place discs in the middle of the cells of a grid, row by row, those shrunk that are wider than a cell.

    Where there are more discs than cells there are more rows; where there are fewer, the last cells stay empty.
    """
    gap, columns = gap_px(size_px), grid[1]
    rows = max(grid[0], math.ceil(len(diameters) / columns))
    cell = np.array([size_px - gap, size_px - gap]) / (columns, rows)
    widest = math.floor(cell.min()) - gap
    if widest < SMALLEST_ITEM_PX:
        raise BadValueError(
            f"{_that_many(len(diameters), size_px)} find no room in {rows} rows and {columns} columns on "
            f"{size_px} × {size_px} px: ask for fewer or for a larger picture"
        )
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
    """Find a top left corner for each disc, the largest first; None where one of them finds no room.

    Without overlap discs stand a gap apart; with it, two may come as near as that share of their diameters allows.
    Each disc keeps to its field if there are any, and otherwise a gap off the border.
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
    # Chance has found nothing: look everywhere, once, so that a crowded picture still ends.
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


def _too_many(number: int, size_px: int) -> str:
    return (
        f"{_that_many(number, size_px)} do not fit on {size_px} × {size_px} px; at most {capacity(size_px)} do: "
        "ask for fewer or for a larger picture"
    )


def _that_many(number: int, size_px: int) -> str:
    return f"number {number}: that many items of at least {SMALLEST_ITEM_PX} px, {gap_px(size_px)} px apart,"
