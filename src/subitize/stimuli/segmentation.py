"""Separates things from a plain or faintly patterned background, and finds connected regions.

scipy finds connected regions too, but is slower to import than a whole picture is to see."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.io.images import Rgb

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Connected:
    """The connected pieces of a mask, or of each of several, numbered from 1 in the order of their first cells.

    A run is a stretch of neighbouring cells in a row. Its start and end are positions in all rows of all masks, one
    after the other, with an empty cell after each row and an empty row after each mask.
    """

    masks: Mask
    starts: Indices
    ends: Indices
    number_of_run: Indices

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The number of every cell's piece; 0 outside the mask."""
        labels = np.zeros(self.masks.shape, dtype=np.int32)
        labels[self.masks] = np.repeat(self.number_of_run, self.ends - self.starts)
        return labels

    def at_least(self, cells: float) -> list[tuple[int, slice, slice]]:
        """List the pieces of a mask with at least so many cells: number, rows and columns of each box."""
        if not self.starts.size:
            return []
        order = np.argsort(self.number_of_run, kind="stable")
        first = np.flatnonzero(np.diff(self.number_of_run[order], prepend=0))
        rows, columns = np.divmod(self.starts[order], self.masks.shape[1] + 1)
        lengths = (self.ends - self.starts)[order]
        boxes = np.stack(
            [
                np.minimum.reduceat(rows, first),
                np.maximum.reduceat(rows, first) + 1,
                np.minimum.reduceat(columns, first),
                np.maximum.reduceat(columns + lengths, first),
            ],
            axis=1,
        )
        kept = np.flatnonzero(np.add.reduceat(lengths, first) >= cells)
        return [
            (index + 1, slice(top, bottom), slice(left, right))
            for index, (top, bottom, left, right) in zip(kept.tolist(), boxes[kept].tolist(), strict=True)
        ]


def find_connected(masks: Mask, *, is_diagonal: bool = False) -> Connected:
    """Find the connected pieces of a mask, or of each of several, joined by sides or also by corners."""
    width = masks.shape[-1] + 1
    rows = np.pad(masks, [*[(0, 0)] * (masks.ndim - 2), (0, 1), (0, 1)]).ravel()
    changes = np.flatnonzero(np.diff(rows, prepend=False))
    starts, ends = changes[0::2], changes[1::2]
    # The runs in the row above that touch a run are consecutive.
    first = np.searchsorted(ends, starts - width - is_diagonal, side="right")
    counts = np.searchsorted(starts, ends - width + is_diagonal) - first
    return Connected(masks, starts, ends, _number_runs(first, counts))


def _number_runs(first: Indices, counts: Indices) -> Indices:
    """Number the pieces to which runs belong, each of which touches `counts` earlier ones from `first` on."""
    runs = np.arange(len(first))
    lower = np.repeat(runs, counts)
    upper = np.arange(len(lower)) + np.repeat(first + counts - np.cumsum(counts), counts)
    earliest = _follow(np.where(counts > 0, first, runs))
    while (differ := earliest[lower] != earliest[upper]).any():
        one, other = earliest[lower[differ]], earliest[upper[differ]]
        np.minimum.at(earliest, np.maximum(one, other), np.minimum(one, other))
        earliest = _follow(earliest)
    return np.asarray(np.cumsum(earliest == runs)[earliest])


def _follow(earlier: Indices) -> Indices:
    """Go from each run to an earlier one of its piece, until there is none."""
    while ((next_earlier := earlier[earlier]) != earlier).any():
        earlier = next_earlier
    return earlier


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """One connected thing: its mask within its bounding box, and the picture's pixels there."""

    left: int
    top: int
    mask: Mask
    pixels: Rgb

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """The bounding box in the picture: left, top, right, bottom."""
        height, width = self.mask.shape
        return (float(self.left), float(self.top), float(self.left + width), float(self.top + height))


def regions(pixels: Rgb) -> list[Region]:
    """Find the connected things in a picture, without specks, in no particular order.

    A thing inside the outline of another is part of it: the eyes of a white cat on white.
    """
    return components(foreground(pixels, background(pixels)), pixels)


def components(mask: Mask, pixels: Rgb) -> list[Region]:
    """Find the connected pieces of a mask, without specks and inner parts."""
    connected = find_connected(mask, is_diagonal=True)
    found = [
        Region(columns.start, rows.start, connected.labels[rows, columns] == label, pixels[rows, columns])
        for label, rows, columns in connected.at_least(max(_SPECK_PX, mask.size * _SPECK_SHARE))
    ]
    return _without_inner_parts(found, mask.shape)


Background = tuple[NDArray[np.uint8], NDArray[np.uint8]]
"""The colours of the ground: the lowest and the highest value of each channel; equal if it is plain."""


def background(pixels: Rgb) -> Background:
    """Take the commonest colour along the border as the background, with colours close to it."""
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    near = np.abs(border.astype(np.int16) - commonest_colour(border)).max(axis=1) <= _PATTERN
    low, high = np.percentile(border[near], _USUAL, axis=0, method="nearest")
    return low, high


def cut_out(mask: Mask, pixels: Rgb) -> Region:
    """Take all that a mask marks as one region; an empty mask makes an empty region."""
    (top, bottom), (left, right) = (_span(np.flatnonzero(mask.any(axis=axis))) for axis in (1, 0))
    return Region(left, top, mask[top:bottom, left:right], pixels[top:bottom, left:right])


def commonest_colour(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Find the median of the commonest colours, grouped by sixteenths of each channel."""
    coarse = (pixels >> 4).astype(np.int32)
    bins = (coarse[:, 0] << 8) | (coarse[:, 1] << 4) | coarse[:, 2]
    return np.asarray(np.median(pixels[bins == np.bincount(bins).argmax()], axis=0))


def foreground(pixels: Rgb, ground: Background) -> Mask:
    """Mark the pixels that differ from the background by more than compression does."""
    height, width, _ = pixels.shape
    low = np.maximum(ground[0], _TOLERANCE) - _TOLERANCE
    span = np.minimum(ground[1], 255 - _TOLERANCE) + _TOLERANCE - low
    # Unsigned bytes wrap around, so that one comparison tests both ends; rows of 3 × width keep it fast.
    above = pixels.reshape(height, width * 3) - np.tile(low, width)
    differs = above > np.tile(span, width)
    mask: Mask = differs[:, 0::3] | differs[:, 1::3] | differs[:, 2::3]
    return mask


def _span(lines: NDArray[np.intp]) -> tuple[int, int]:
    return (int(lines[0]), int(lines[-1]) + 1) if lines.size else (0, 0)


def _without_inner_parts(found: list[Region], size_px: tuple[int, ...]) -> list[Region]:
    boxes = np.array([region.xyxy for region in found]).reshape(-1, 4)
    inner: set[int] = set()
    for outer, box in zip(found, boxes, strict=True):
        within = np.flatnonzero((boxes[:, :2] > box[:2]).all(axis=1) & (boxes[:, 2:] < box[2:]).all(axis=1))
        if within.size and not _is_frame(outer, size_px):
            ground = find_connected(~np.pad(outer.mask, 1)).labels
            inner.update(index for index in within.tolist() if _piece(ground, outer, found[index]) != ground[0, 0])
    return [region for index, region in enumerate(found) if index not in inner]


def _is_frame(region: Region, size_px: tuple[int, ...]) -> bool:
    """Return whether a thing frames most of the picture, so that things inside are not parts of it."""
    return all(own > whole * _FRAME_SHARE for own, whole in zip(region.mask.shape, size_px, strict=True))


def _piece(ground: NDArray[np.integer[Any]], outer: Region, region: Region) -> int:
    """Return the piece of ground around a region in which another one begins."""
    column = region.left - outer.left + int(region.mask[0].argmax())
    return int(ground[region.top - outer.top + 1, column + 1])


_FRAME_SHARE = 2 / 3
_TOLERANCE = np.uint8(36)
_PATTERN = 48
_USUAL = (3, 97)  # percentiles: a thing cut off by the border is not a pattern
_SPECK_PX = 12
_SPECK_SHARE = 2e-5
