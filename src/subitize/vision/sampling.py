"""Regions of any size brought onto one small grid, all of them at once, so that shape can be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from subitize.vision.segmentation import Mask, Region

GRID = 64
COLOUR_STEP = 2  # colour is sampled in every second cell


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Regions on the grid: as seen, with holes filled, and without their thin parts; and their colours."""

    sizes_px: NDArray[np.float64]  # height, width
    seen: Mask
    filled: Mask
    body: Mask
    colours: NDArray[np.uint8]
    body_colours: NDArray[np.uint8]


def sample(regions: Sequence[Region]) -> Samples:
    """Bring regions onto the grid, each as large as it goes, centred, its proportions kept."""
    seen = np.zeros((len(regions), GRID, GRID), dtype=np.bool_)
    colours = np.zeros((len(regions), GRID // COLOUR_STEP, GRID // COLOUR_STEP, 3), dtype=np.uint8)
    for index, region in enumerate(regions):
        height, width = region.mask.shape
        rows, used_rows = _grid_lines(height, max(height, width))
        columns, used_columns = _grid_lines(width, max(height, width))
        seen[index, used_rows, used_columns] = region.mask[rows[used_rows]][:, columns[used_columns]]
        colours[index] = region.pixels[rows[::COLOUR_STEP]][:, columns[::COLOUR_STEP]]
    filled = _fill_holes(seen)
    body = _take_off_thin_parts(filled)
    sizes_px = np.array([region.mask.shape for region in regions], dtype=np.float64)
    return Samples(sizes_px, seen, filled, body, colours, _body_colours(regions, colours, seen, body))


def erode(masks: Mask, width: int) -> Mask:
    """Keep the cells whose square neighbourhood of odd `width` is full; the outside of the grid is full."""
    reach = width // 2
    padded = np.pad(masks, ((0, 0), (reach, reach), (reach, reach)), constant_values=True)
    rows = padded[:, : -2 * reach]
    for shift in range(1, width):
        rows = rows & padded[:, shift : shift + GRID]
    kept = rows[:, :, : -2 * reach]
    for shift in range(1, width):
        kept = kept & rows[:, :, shift : shift + GRID]
    return kept


_MARGIN = 2
# Parts that hold no octagon of 11 + 2 × 7 cells, two fifths of the thing, are no part of its body.
_THIN_CORE = 11
_THIN_CORNERS = 7


def _grid_lines(extent: int, longest: int) -> tuple[NDArray[np.int64], slice]:
    """Tell which of a region's lines each line of the grid samples, and which lines of the grid it fills."""
    count = max(1, round((GRID - 2 * _MARGIN) * extent / longest))
    start = (GRID - count) // 2
    lines = ((np.arange(GRID) - start + 0.5) * (extent / count)).astype(np.int64)
    return lines.clip(0, extent - 1), slice(start, start + count)


def _fill_holes(masks: Mask) -> Mask:
    in_plane = ndimage.generate_binary_structure(3, 1)
    in_plane[0] = in_plane[2] = False
    outside, _ = ndimage.label(~masks, structure=in_plane)
    filled: Mask = outside != outside[:, :1, :1]
    return filled


def _take_off_thin_parts(masks: Mask) -> Mask:
    return ~_erode_octagon(~_erode_octagon(masks))


def _erode_octagon(masks: Mask) -> Mask:
    kept = erode(masks, _THIN_CORE)
    for _ in range(_THIN_CORNERS):
        padded = np.pad(kept, ((0, 0), (1, 1), (1, 1)), constant_values=True)
        kept = kept & padded[:, :-2, 1:-1] & padded[:, 2:, 1:-1] & padded[:, 1:-1, :-2] & padded[:, 1:-1, 2:]
    return kept


def _body_colours(regions: Sequence[Region], colours: NDArray[np.uint8], seen: Mask, body: Mask) -> NDArray[np.uint8]:
    """Take the middle value of each channel well inside the body, or of the whole region if it has none."""
    inside = (erode(body, 5) & seen)[:, ::COLOUR_STEP, ::COLOUR_STEP]
    middles = []
    for region, own_colours, own in zip(regions, colours, inside, strict=True):
        chosen = own_colours[own] if own.any() else region.pixels[region.mask]
        middle = len(chosen) // 2
        middles.append(np.partition(chosen, middle, axis=0)[middle])
    return np.stack(middles)
