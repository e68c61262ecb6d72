"""Describes regions by numbers that depend neither on size nor on hue, so that they can be compared.

Regions of any size are first scaled to one small grid. A region's appearance is three small pictures: how much of
each cell the filled outline covers; how much lighter or darker the cell is than the body, the middle colour of the
whole; and how much it differs from it in colour. Turning every hue of a picture leaves lightness (the strongest
channel) as it is, and differences very nearly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.stimuli.segmentation import Mask, Region, find_connected

GRID = 64
COLOUR_STEP = 2  # colour is sampled in every second cell
USUAL_PX = 44  # how large a thing is in most pictures
COARSE = 16  # cells of the coarse grid, on which coverage is exact


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Regions on grids: which cells lie within, colours on half as many lines, coverage on a quarter as many."""

    within: Mask
    colours: NDArray[np.uint8]
    coverage: NDArray[np.float32]


def sample(regions: Sequence[Region]) -> Samples:
    """Scale regions to the grids, as large as fits, centred, in proportion, and with holes filled."""
    seen = np.zeros((len(regions), GRID, GRID), dtype=np.bool_)
    colours = np.empty((len(regions), GRID // COLOUR_STEP, GRID // COLOUR_STEP, 3), dtype=np.uint8)
    coverage = np.empty((len(regions), COARSE, COARSE), dtype=np.float32)
    for index, region in enumerate(map(_seen_from_afar, regions)):
        height, width = region.mask.shape
        rows, columns = _lines(height, max(height, width)), _lines(width, max(height, width))
        seen[index, rows.used, columns.used] = region.mask[rows.nearest[rows.used]][:, columns.nearest[columns.used]]
        colours[index] = region.pixels[rows.nearest[::COLOUR_STEP]][:, columns.nearest[::COLOUR_STEP]]
        coverage[index] = rows.shares @ region.mask.astype(np.float64) @ columns.shares.T
    within = _fill_holes(seen)
    return Samples(within, colours, coverage + pool(within & ~seen, COARSE))


def at_usual_size(region: Region) -> Region:
    """Scale a region to the usual size, by any factor."""
    height, width = region.mask.shape
    factor = USUAL_PX / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return _scaled(region, lambda image: image.resize(size, Image.Resampling.HAMMING))


def pool(maps: NDArray[np.float32] | Mask, cells: int) -> NDArray[np.float32]:
    """Average over square blocks, `cells` along each side."""
    width = maps.shape[1] // cells
    rows = np.add.reduce(maps.reshape(len(maps), cells, width, -1), axis=2, dtype=np.float32)
    sums = np.add.reduce(rows.reshape(len(maps), cells, cells, width), axis=3)
    return np.asarray(sums / np.float32(width * width))


def erode(masks: Mask, width: int) -> Mask:
    """Keep the cells whose square neighbourhood of odd `width` is full; outside the grid all is empty."""
    reach, side = width // 2, masks.shape[1]
    padded = np.pad(masks, ((0, 0), (reach, reach), (reach, reach)))
    rows = padded[:, : -2 * reach]
    for shift in range(1, width):
        rows = rows & padded[:, shift : shift + side]
    kept = rows[:, :, : -2 * reach]
    for shift in range(1, width):
        kept = kept & rows[:, :, shift : shift + side]
    return kept


def middle_colours(colours: NDArray[np.uint8], chosen: Mask) -> NDArray[np.uint8]:
    """Take the median of each channel over the chosen cells of each region; black where none is chosen."""
    by_channel = np.ascontiguousarray(np.moveaxis(colours, 3, 1), dtype=np.int16).reshape(len(colours), 3, -1)
    values = np.where(chosen.reshape(len(chosen), 1, -1), by_channel, _LAST)
    values.sort(axis=2)
    middle = np.count_nonzero(chosen, axis=(1, 2)) // 2
    found = values[np.arange(len(values)), :, middle]
    return np.where(found == _LAST, 0, found).astype(np.uint8)


_MARGIN = 2
_LEAST_COVERED = 64  # of 255
_LEAST_FULL = 0.05
_LAST = np.int16(256)  # sorts after all values of channels


def _seen_from_afar(region: Region) -> Region:
    """Scale a large thing down by a whole number, to the detail that things have in most pictures.

    Things drawn in thin lines are kept as they are, as nothing would be left of them.
    """
    factor = max(region.mask.shape) // USUAL_PX
    if factor < 2 or np.count_nonzero(region.mask) < _LEAST_FULL * region.mask.size:
        return region
    return _scaled(region, lambda image: image.reduce(factor))


def _scaled(region: Region, scale: Callable[[Image.Image], Image.Image]) -> Region:
    mask = scale(Image.fromarray(region.mask.view(np.uint8) * np.uint8(255)))
    pixels = scale(Image.fromarray(region.pixels))
    return Region(region.left, region.top, np.asarray(mask) >= _LEAST_COVERED, np.asarray(pixels))


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """How a region's lines (rows or columns) map to those of the grids."""

    nearest: NDArray[np.int64]  # for each line of the grid the region's line there
    used: slice  # the lines of the grid that the region fills
    shares: NDArray[np.float64]  # what share of each coarse line each of the region's lines fills; rounded once, later


@lru_cache(maxsize=4096)
def _lines(extent: int, longest: int) -> _Lines:
    count = max(1, round((GRID - 2 * _MARGIN) * extent / longest))
    start = (GRID - count) // 2
    nearest = ((np.arange(GRID) - start + 0.5) * (extent / count)).astype(np.int64)
    edges = np.arange(extent + 1) * (count / extent) + start
    ends = np.arange(COARSE + 1) * (GRID / COARSE)
    inside = np.clip(edges, ends[:-1, None], ends[1:, None])
    shares = np.diff(inside, axis=1) / (GRID / COARSE)
    within = np.minimum(np.maximum(nearest, 0), extent - 1)
    return _Lines(within, slice(start, start + count), shares)


def _fill_holes(masks: Mask) -> Mask:
    outside = find_connected(~masks).labels
    filled: Mask = outside != outside[:, :1, :1]
    return filled


Appearances = NDArray[np.float32]
Colours = NDArray[np.uint8]


def describe(samples: Samples, bodies: Colours) -> Appearances:
    """Describe every sampled region in one row; the distance between rows is how unlike two things look.

    The bodies are one colour per region, or one per cell of it.
    """
    is_thing = samples.within[:, ::COLOUR_STEP, ::COLOUR_STEP]
    red, green, blue = np.moveaxis(samples.colours, 3, 0).astype(np.float32) / 255
    per_cell = bodies if bodies.ndim == 4 else bodies[:, None, None, :]
    body = np.moveaxis(per_cell, 3, 0).astype(np.float32) / 255
    lighter = np.maximum(np.maximum(red, green), blue) - body.max(axis=0)
    difference = np.sqrt((red - body[0]) ** 2 + (green - body[1]) ** 2 + (blue - body[2]) ** 2)
    pictures = (
        samples.coverage,
        pool(np.tanh(lighter * _STEEPNESS) * is_thing, _INNER_CELLS) * _INNER_WEIGHT,
        pool(np.tanh(difference * _STEEPNESS) * is_thing, _INNER_CELLS) * _INNER_WEIGHT,
    )
    return np.concatenate([picture.reshape(len(picture), -1) for picture in pictures], axis=1)


def body_colours(samples: Samples) -> Colours:
    """Take the median colour well inside the outline, or anywhere inside if the thing is thin throughout."""
    anywhere = samples.within[:, ::COLOUR_STEP, ::COLOUR_STEP]
    return _middle_of(samples, _inside(samples), anywhere)


def half_bodies(samples: Samples, is_second: Mask) -> Colours:
    """Take the median colour of its own half for every cell."""
    inside, anywhere = _inside(samples), samples.within[:, ::COLOUR_STEP, ::COLOUR_STEP]
    first, second = (_middle_of(samples, inside & half, anywhere & half) for half in (~is_second, is_second))
    return np.where(is_second[..., None], second[:, None, None, :], first[:, None, None, :])


_INNER_CELLS = 8  # details inside blur first, in small things and by compression
_INNER_WEIGHT = np.float32(1.3)  # inner marks weigh more, so that similar outlines with different insides stay apart
_EDGE = 5
_FEWEST_CELLS = 8
_STEEPNESS = np.float32(3)  # a third of the scale counts almost like the whole of it


def _inside(samples: Samples) -> Mask:
    return erode(samples.within, _EDGE)[:, ::COLOUR_STEP, ::COLOUR_STEP]


def _middle_of(samples: Samples, inside: Mask, anywhere: Mask) -> Colours:
    is_thin = np.count_nonzero(inside, axis=(1, 2)) < _FEWEST_CELLS
    chosen = np.where(is_thin[:, None, None], anywhere, inside)
    chosen[~chosen.any(axis=(1, 2))] = True  # a thing so thin that it falls between the lines of the grid
    return middle_colours(samples.colours, chosen)
