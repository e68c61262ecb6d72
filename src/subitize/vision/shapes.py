"""A thing's outline in numbers that do not depend on its size."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.vision.sampling import COLOUR_STEP, GRID, Samples, erode
from subitize.vision.segmentation import Mask

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shape:
    """A region's outline in numbers.

    The body is what is left when thin parts (a stem, a leaf) are taken off; heights are in shares of it.
    """

    aspect: float  # width over height of the bounding box
    hole_share: float  # of the filled area; highlights in the colour of the background make small holes
    roundness: float  # 1 for a disc, by second moments; square .955, triangle .83
    unevenness: float  # longest minus shortest radius over their mean, beyond what pixels explain
    solidity: float  # area over the area of the convex hull
    plainness: float  # share of the inside that has one colour
    body_share: float  # of the filled area
    body_aspect: float
    body_roundness: float
    overhang: float  # how far the thin parts stick out beyond the body's sides and bottom
    rise: float  # how much further than that they stick out above it
    stalk_offset: float  # how far from the body's middle the thin parts above it stand, in its widths
    dimple: float  # how deep the body's top dips between its shoulders, seen from either side


def measure(samples: Samples) -> list[Shape]:
    """Describe every sampled region."""
    columns = _columns(samples)
    names = list(columns)
    table = np.stack([columns[name] for name in names], axis=1).tolist()
    return [Shape(**dict(zip(names, row, strict=True))) for row in table]


def _columns(samples: Samples) -> Mapping[str, Numbers]:
    outline, body = _Figures.of(samples.filled), _Figures.of(samples.body)
    height_px, width_px = samples.sizes_px.T
    overhang = _overhang(outline, body)
    return {
        "aspect": width_px / height_px,
        "hole_share": 1 - np.count_nonzero(samples.seen, axis=(1, 2)) / outline.area,
        "roundness": outline.roundness,
        "unevenness": _unevenness(outline) - _PIXEL_STEPS / np.maximum(height_px, width_px),
        "solidity": outline.area / _hull_area(samples.filled),
        "plainness": _plainness(samples),
        "body_share": body.area / outline.area,
        "body_aspect": body.width / body.height,
        "body_roundness": body.roundness,
        "overhang": overhang,
        "rise": (body.top - outline.top) / body.height - overhang,
        "stalk_offset": _stalk_offset(outline, body),
        "dimple": _dimple(body),
    }


_PIXEL_STEPS = 3
_PLAIN = 48
_AXIS = np.arange(GRID) + 0.5


@dataclass(frozen=True, slots=True, eq=False)
class _Figures:
    """Masks with their area, centre, second moment and bounding box; all 1 or 0 for an empty one."""

    masks: Mask
    area: Numbers
    across: Numbers
    down: Numbers
    moment: Numbers
    left: NDArray[np.int64]
    top: NDArray[np.int64]
    width: NDArray[np.int64]
    height: NDArray[np.int64]

    @classmethod
    def of(cls, masks: Mask) -> "_Figures":
        cells = masks.astype(np.float32)
        by_column, by_row = cells.sum(axis=1).astype(np.float64), cells.sum(axis=2).astype(np.float64)
        area = np.maximum(by_row.sum(axis=1), 1)
        across, down = by_column @ _AXIS / area, by_row @ _AXIS / area
        moment = by_column @ _AXIS**2 + by_row @ _AXIS**2 - area * (across**2 + down**2)
        left, width = _span(by_column > 0)
        top, height = _span(by_row > 0)
        return cls(masks, area, across, down, moment, left, top, width, height)

    @property
    def roundness(self) -> Numbers:
        return np.asarray(self.area**2 / (2 * np.pi * (np.maximum(self.moment, 0) + self.area / 6)))


def _span(is_used: Mask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first = is_used.argmax(axis=1)
    end = GRID - is_used[:, ::-1].argmax(axis=1)
    return first, np.where(is_used.any(axis=1), end - first, 1)


def _unevenness(figures: _Figures) -> Numbers:
    edge = figures.masks & ~erode(figures.masks, 3)
    across = ((_AXIS - figures.across[:, None]) ** 2).astype(np.float32)
    down = ((_AXIS - figures.down[:, None]) ** 2).astype(np.float32)
    squares = across[:, None, :] + down[:, :, None]
    longest = np.sqrt(np.where(edge, squares, 0).max(axis=(1, 2)))
    shortest = np.sqrt(np.where(edge, squares, 2 * GRID**2).min(axis=(1, 2)))
    return np.asarray((longest - shortest) / ((longest + shortest) / 2), dtype=np.float64)


_DIRECTIONS = 32


def _hull_area(masks: Mask) -> Numbers:
    """Measure convex hulls by how far each mask reaches in 32 directions."""
    step = 2 * np.pi / _DIRECTIONS
    cosines = np.cos(np.arange(_DIRECTIONS) * step).astype(np.float32)
    sines = np.sin(np.arange(_DIRECTIONS) * step).astype(np.float32)
    first = masks.argmax(axis=2)[:, :, None]
    end = GRID - masks[:, :, ::-1].argmax(axis=2)[:, :, None]
    sideways = np.where(cosines > 0, end, first).astype(np.float32) * cosines
    upright = np.where(sines > 0, np.arange(1, GRID + 1)[:, None], np.arange(GRID)[:, None]) * sines
    is_used = masks.max(axis=2)[:, :, None]
    reach = np.where(is_used, sideways + upright, -2 * GRID).max(axis=1)
    sides = np.roll(reach, 1, axis=1) + np.roll(reach, -1, axis=1) - 2 * reach * np.cos(step)
    return np.asarray((reach * sides).sum(axis=1) / (2 * np.sin(step)), dtype=np.float64)


def _plainness(samples: Samples) -> Numbers:
    inside = erode(samples.filled, 7)[:, ::COLOUR_STEP, ::COLOUR_STEP]
    middle = samples.body_colours.astype(np.int16)[:, None, None, :]
    is_plain = inside.copy()
    for channel in range(3):
        is_plain &= np.abs(samples.colours[..., channel] - middle[..., channel]) <= _PLAIN
    plain = np.count_nonzero(is_plain, axis=(1, 2))
    return np.asarray(plain / np.maximum(np.count_nonzero(inside, axis=(1, 2)), 1))


def _overhang(outline: _Figures, body: _Figures) -> Numbers:
    on_left = body.left - outline.left
    on_right = outline.left + outline.width - body.left - body.width
    below = outline.top + outline.height - body.top - body.height
    return np.asarray(np.max([on_left, on_right, below], axis=0) / body.height)


def _stalk_offset(outline: _Figures, body: _Figures) -> Numbers:
    is_above = np.arange(GRID) < body.top[:, None]
    above = outline.masks & is_above[:, :, None]
    stalk = _Figures.of(above)
    return np.where(above.any(axis=(1, 2)), (stalk.across - body.across) / body.width, 1.0)


def _dimple(body: _Figures) -> Numbers:
    """Walk along the top from either side: how far does it go down again before the other shoulder?"""
    tops = np.where(body.masks.any(axis=1), body.masks.argmax(axis=1), GRID)
    place = (_AXIS - body.left[:, None]) / body.width[:, None]
    from_left = np.where(place <= 0.65, tops - np.minimum.accumulate(tops, axis=1), 0)
    from_right = np.where(place >= 0.35, tops - np.minimum.accumulate(tops[:, ::-1], axis=1)[:, ::-1], 0)
    return np.asarray(np.maximum(from_left, from_right).max(axis=1) / body.height)
