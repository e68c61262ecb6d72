"""Where things lie in or on a holder: its large flat area of one colour."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import ImageColor
from scipy import ndimage

from subitize.drawing import glyphs
from subitize.drawing.arrangements import COVERED_SHARE
from subitize.drawing.clipart import HOLDERS, PALETTE
from subitize.drawing.placement import SMALLEST_ITEM_PX, Corners
from subitize.errors import BadValueError

Mask = NDArray[np.bool_]

SURFACE_PX = 256  # the grid on which a surface is told


@lru_cache(maxsize=len(HOLDERS))
def surface(noun: str) -> Mask:
    """Find the flat area of a holder's drawing: the commonest colour in it."""
    red, green, blue, alpha = np.moveaxis(np.asarray(glyphs.sprite(noun, glyphs.PLAIN, "blue", SURFACE_PX)), 2, 0)
    codes = np.where(alpha == 255, red.astype(np.int32) << 16 | green.astype(np.int32) << 8 | blue, -1)
    found, counts = np.unique(codes[codes >= 0], return_counts=True)
    return np.asarray(codes == found[counts.argmax()])


def clashing_colours(noun: str, colour: str) -> frozenset[str]:
    """Tell which colours would not stand out from the flat area of a holder of a colour."""
    pixels = np.asarray(glyphs.sprite(noun, glyphs.PLAIN, colour, SURFACE_PX))[..., :3]
    ground = pixels[surface(noun)][0].astype(np.int64)
    tints = {name: [ImageColor.getrgb(tint) for tint in (own.plain, own.line)] for name, own in PALETTE.items()}
    return frozenset(
        name for name, own in tints.items() if (np.abs(np.array(own) - ground).max(axis=1) <= _TOO_NEAR).any()
    )


def lay(number: int, noun: str, side_px: int, random: np.random.Generator) -> tuple[list[int], Corners]:
    """Give things on a holder of a side their own sides, and their top left corners from the holder's.

    On a shelf they stand on its boards, elsewhere they lie anywhere, apart from each other and inside the edge.
    """
    scale, gap = side_px / SURFACE_PX, _GAP * side_px
    depth = np.asarray(ndimage.distance_transform_edt(np.pad(surface(noun), 1)))[1:-1, 1:-1] * scale - gap
    shares = _SMALLEST_TO_LARGEST + (1 - _SMALLEST_TO_LARGEST) * random.random(number)
    covered = COVERED_SHARE * np.count_nonzero(depth > 0) * scale**2
    largest = min(2 * float(depth.max()), math.sqrt(4 * covered / (math.pi * max(number, 1))))
    while True:
        sides = [max(SMALLEST_ITEM_PX, math.floor(largest * share)) for share in shares]
        corners = _place(sides, depth, scale, random, is_upright=noun in _UPRIGHT)
        if corners is not None:
            return sides, corners
        if largest <= SMALLEST_ITEM_PX:
            raise BadValueError(f"number {number}: so many find no room in or on one {noun}: ask for fewer")
        largest *= _SHRINK


_SMALLEST_TO_LARGEST = 0.75
_TOO_NEAR = 60  # of 255, in the channel that differs most
_GAP = 1 / 80  # of the holder's side
_SHRINK = 0.93
_UPRIGHT = frozenset({"shelf"})


def _place(
    sides: Sequence[int], depth: NDArray[np.float64], scale: float, random: np.random.Generator, *, is_upright: bool
) -> Corners | None:
    """Find a place for each disc, the largest first; None where one of them finds no room."""
    down, across = ((np.indices(depth.shape) + 0.5) * scale).reshape(2, -1)
    placed: list[tuple[float, float, float]] = []
    corners = np.empty((len(sides), 2), dtype=np.int64)
    for index in sorted(range(len(sides)), key=lambda index: -sides[index]):
        radius = sides[index] / 2
        is_free = depth >= radius
        if is_upright:
            is_free[:-1] &= ~is_free[1:]
        free = np.flatnonzero(is_free)
        for x, y, reach in placed:
            free = free[np.hypot(across[free] - x, down[free] - y) >= reach + radius]
        if not free.size:
            return None
        chosen = free[int(random.random() * free.size)]
        x, y = float(across[chosen]), float(down[chosen])
        placed.append((x, y, radius + scale * SURFACE_PX * _GAP))
        corners[index] = round(x - radius), round(y - radius)
    return corners
