"""Things in pieces, in part and in two colours: where a drawing is cut, and what is left of it."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageColor
from scipy import ndimage

from subitize.drawing import glyphs
from subitize.drawing.clipart import PALETTE
from subitize.language.scene import Form, Halves, Pieces, Portion

Mask = NDArray[np.bool_]
Shares = tuple[int, ...]
Bounds = tuple[slice, ...]

CUT_PX = 128  # the grid on which drawings are cut


def sprite(noun: str, variant: int, colour: str, side_px: int, form: Form | None = None) -> Image.Image:
    """Rasterise one thing in a form into a transparent square; the caller must not change the image."""
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
    """Number the parts of a drawing whose areas are as these shares, each connected; -1 where nothing is drawn.

    A thing is cut across its length, with jagged edges if it is broken, or in sectors if it is round; in another
    direction where the parts would otherwise not hang together in the right size.
    """
    whole = np.asarray(glyphs.sprite(noun, variant, "black", CUT_PX).getchannel("A")) >= 128
    (bounds,) = ndimage.find_objects(whole.astype(np.int8))
    parts = np.full(whole.shape, -1, dtype=np.int8)
    parts[bounds] = _cut(whole[bounds], bounds, shares, is_broken=is_broken)
    return parts


_CLOSE_ENOUGH = 0.2
_ASIDE = 0.5
_ROUND = 1.2  # how much longer than wide a thing may be that is cut in sectors
_GAP_PX = 7
_LINE_PX = 3.5
_FARTHEST_PX = 8  # whatever is farther away than gap and line reach changes neither
_TOOTH_PX, _TEETH_PX = 5, 13


def _cut(inside: Mask, bounds: Bounds, shares: Shares, *, is_broken: bool) -> NDArray[np.int8]:
    """Number the parts within the bounds of a drawing: around it, where nothing is, there is nothing to work out."""
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
    """Tell what of a drawing is left in a form, and the edges that the cut has made."""
    if isinstance(form, Pieces):
        return _apart(cut(noun, variant, form.ratio or (1,) * form.number, is_broken=not form.ratio))
    shares = (form.share.numerator, form.share.denominator - form.share.numerator)
    parts = cut(noun, variant, shares, is_broken=False)
    return parts == 0, (parts == 0) & (_distance(parts == 1) <= _LINE_PX)


def _orders(inside: Mask, bounds: Bounds, number: int, *, is_broken: bool) -> Iterator[NDArray[np.float64]]:
    """Give ways to go through a drawing from its first part to its last, the most natural first."""
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
    """Take a gap out between the parts; return what is left, and the edges that the cut has made."""
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
    """Measure how far each cell is from the mask; infinitely far where there is none."""
    return np.asarray(ndimage.distance_transform_edt(~mask)) if mask.any() else np.full(mask.shape, np.inf)


def _scaled(mask: Mask, side_px: int) -> Image.Image:
    return Image.fromarray(mask.view(np.uint8) * np.uint8(255)).resize((side_px, side_px), Image.Resampling.HAMMING)
