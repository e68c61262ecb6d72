"""Draws things in pieces, in part or in two colours, and finds the flat surface where a holder's things lie."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageColor
from scipy import ndimage

from subitize.errors import BadValueError
from subitize.language.scene import Form, Halves, Pieces, Portion
from subitize.stimuli import glyphs
from subitize.stimuli.clipart import HOLDERS, PALETTE
from subitize.stimuli.placement import COVERED_SHARE, SMALLEST_ITEM_PX, Corners

Mask = NDArray[np.bool_]
Shares = tuple[int, ...]
Bounds = tuple[slice, ...]

CUT_PX = 128  # side of the grid on which drawings are cut


def sprite(noun: str, variant: int, colour: str, side_px: int, form: Form | None = None) -> Image.Image:
    """Rasterise a thing in a form into a transparent square; the caller must not change the image."""
    whole = glyphs.sprite(noun, variant, colour, side_px)
    match form:
        case Pieces() | Portion():
            kept, edge = _kept(noun, variant, form)
        case Halves(colours=(first, second)):
            one, other = (glyphs.sprite(noun, variant, half, side_px) for half in (first, second))
            return Image.composite(other, one, _scaled(cut(noun, variant, (1, 1), is_broken=False) == 1, side_px))
        case _:
            return whole
    line = Image.new("RGB", whole.size, ImageColor.getrgb(PALETTE[colour].line))
    drawn = Image.composite(line, whole.convert("RGB"), _scaled(edge, side_px))
    drawn.putalpha(ImageChops.multiply(whole.getchannel("A"), _scaled(kept, side_px)))
    return drawn


@lru_cache(maxsize=512)
def cut(noun: str, variant: int, shares: Shares, *, is_broken: bool) -> NDArray[np.int8]:
    """Cut a drawing into connected parts with areas in these shares, and number them; -1 where nothing is drawn.

    A thing is cut across its length, with jagged edges if it is broken, or in sectors if it is round; in another
    direction if the parts would otherwise not be connected or not have the right size.
    """
    whole = np.asarray(glyphs.sprite(noun, variant, "black", CUT_PX).getchannel("A")) >= 128
    (bounds,) = ndimage.find_objects(whole.astype(np.int8))
    parts = np.full(whole.shape, -1, dtype=np.int8)
    parts[bounds] = _cut(whole[bounds], bounds, shares, is_broken=is_broken)
    return parts


_CLOSE_ENOUGH = 0.2
_ASIDE = 0.5
_ROUND = 1.2  # how much longer than wide a thing cut in sectors may be
_GAP_PX = 7
_LINE_PX = 3.5
_FARTHEST_PX = 8  # farther than gap and line reach
_TOOTH_PX, _TEETH_PX = 5, 13


def _cut(inside: Mask, bounds: Bounds, shares: Shares, *, is_broken: bool) -> NDArray[np.int8]:
    """Number the parts within the bounds of a drawing."""
    best, least = np.full(inside.shape, -1, dtype=np.int8), np.inf
    for order in _orders(inside, bounds, len(shares), is_broken=is_broken):
        parts = _divided(inside, order, shares)
        kept = inside & _apart(parts)[0]  # a stem that the cut runs along would be lost
        areas = np.bincount(parts[kept], minlength=len(shares)) / np.count_nonzero(kept)
        error = float(np.abs(areas * sum(shares) / shares - 1).max())
        if error < least:
            best, least = parts, error
        if least <= _CLOSE_ENOUGH:
            break
    return best


@lru_cache(maxsize=512)
def _kept(noun: str, variant: int, form: Pieces | Portion) -> tuple[Mask, Mask]:
    """Return what is left of a drawing in a form, and the edges that the cut makes."""
    if isinstance(form, Pieces):
        return _apart(cut(noun, variant, form.ratio or (1,) * form.number, is_broken=not form.ratio))
    shares = (form.share.numerator, form.share.denominator - form.share.numerator)
    parts = cut(noun, variant, shares, is_broken=False)
    return parts == 0, (parts == 0) & (_distance(parts == 1) <= _LINE_PX)


def _orders(inside: Mask, bounds: Bounds, number: int, *, is_broken: bool) -> Iterator[NDArray[np.float64]]:
    """Yield ways to order a drawing's cells from its first part to its last, the most natural first."""
    rows, columns = np.mgrid[bounds]
    down: NDArray[np.float64] = rows - rows[inside].mean()
    across: NDArray[np.float64] = columns - columns[inside].mean()
    spread, axes = np.linalg.eigh(np.cov(across[inside], down[inside]))
    around = np.mod(np.arctan2(across, -down), 2 * np.pi)
    is_round = spread[1] < _ROUND**2 * spread[0]
    if is_round and not (is_broken and number == 2):
        yield around
        yield np.mod(around - _ASIDE, 2 * np.pi)
    long_way = 0.0 if is_round else float(np.arctan2(axes[1, 1], axes[0, 1]))
    for turn in (long_way, *(np.pi / 8 * step for step in range(8))):
        along = across * np.cos(turn) + down * np.sin(turn)
        sideways = down * np.cos(turn) - across * np.sin(turn)
        teeth = np.abs(np.mod(sideways / _TEETH_PX, 1) - 0.5) * 2 * _TOOTH_PX
        yield along + teeth if is_broken else along
    yield around


def _divided(inside: Mask, order: NDArray[np.float64], shares: Shares) -> NDArray[np.int8]:
    limits = np.quantile(order[inside], np.cumsum(shares)[:-1] / sum(shares))
    parts = np.where(inside, np.digitize(order, limits), -1).astype(np.int8)
    settled = np.zeros(inside.shape, dtype=np.bool_)
    for part in range(len(shares)):
        settled |= _largest(parts == part)
    strays, count = ndimage.label(inside & ~settled)
    if not count:
        return parts
    nearest = ndimage.distance_transform_edt(~settled, return_distances=False, return_indices=True)
    for stray in range(1, count + 1):
        own = strays == stray
        parts[own] = np.bincount(parts[nearest[0][own], nearest[1][own]]).argmax()
    return parts


def _apart(parts: NDArray[np.int8]) -> tuple[Mask, Mask]:
    """Cut a gap between the parts; return what is left, and the edges that the cut makes."""
    kept, edges = np.zeros(parts.shape, dtype=np.bool_), np.zeros(parts.shape, dtype=np.bool_)
    for part in range(parts.max() + 1):
        for bounds in ndimage.find_objects((parts == part).view(np.int8)):  # none where nothing is left of it
            near = tuple(slice(max(0, side.start - _FARTHEST_PX), side.stop + _FARTHEST_PX) for side in bounds)
            around = parts[near]
            distance = _distance((around >= 0) & (around != part))
            own = _largest((around == part) & (distance > _GAP_PX / 2))
            kept[near] |= own
            edges[near] |= own & (distance <= _GAP_PX / 2 + _LINE_PX)
    return kept, edges


def _largest(mask: Mask) -> Mask:
    largest = np.zeros_like(mask)
    for bounds in ndimage.find_objects(mask.view(np.int8)):  # none where the mask is empty
        labels, _ = ndimage.label(mask[bounds])
        sizes = np.bincount(labels.ravel())
        sizes[0] = 0
        largest[bounds] = labels == sizes.argmax()
    return largest


def _distance(mask: Mask) -> NDArray[np.float64]:
    """Measure the distance of each cell from the mask; infinite if the mask is empty."""
    return np.asarray(ndimage.distance_transform_edt(~mask)) if mask.any() else np.full(mask.shape, np.inf)


def _scaled(mask: Mask, side_px: int) -> Image.Image:
    return Image.fromarray(mask.view(np.uint8) * np.uint8(255)).resize((side_px, side_px), Image.Resampling.HAMMING)


SURFACE_PX = 256  # side of the grid on which a surface is found


@lru_cache(maxsize=len(HOLDERS))
def surface(noun: str) -> Mask:
    """Find the flat area of a holder's drawing: the commonest colour in it."""
    red, green, blue, alpha = np.moveaxis(np.asarray(glyphs.sprite(noun, glyphs.PLAIN, "blue", SURFACE_PX)), 2, 0)
    codes = np.where(alpha == 255, red.astype(np.int32) << 16 | green.astype(np.int32) << 8 | blue, -1)
    found, counts = np.unique(codes[codes >= 0], return_counts=True)
    return np.asarray(codes == found[counts.argmax()])


def clashing_colours(noun: str, colour: str) -> frozenset[str]:
    """List the colours that would not stand out on the flat area of a holder of a colour."""
    pixels = np.asarray(glyphs.sprite(noun, glyphs.PLAIN, colour, SURFACE_PX))[..., :3]
    ground = pixels[surface(noun)][0].astype(np.int64)
    tints = {name: [ImageColor.getrgb(tint) for tint in (own.plain, own.line)] for name, own in PALETTE.items()}
    return frozenset(
        name for name, own in tints.items() if (np.abs(np.array(own) - ground).max(axis=1) <= _TOO_NEAR).any()
    )


def lay(number: int, noun: str, side_px: int, random: np.random.Generator) -> tuple[list[int], Corners]:
    """Return sides for things on a holder, and their top left corners relative to the holder's.

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
    """Find a place for each disc, the largest first; None if one of them finds no room."""
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
