"""Things against a plain background: which pixels are not background, and which of them hang together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from subitize.vision.pixels import Rgb

Mask = NDArray[np.bool_]


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
    """Find the connected things in a picture, without specks, in no particular order."""
    mask = foreground(pixels, background_colour(pixels))
    labels, _ = ndimage.label(mask, structure=_EIGHT_NEIGHBOURS)
    least_px = max(_SPECK_PX, mask.size * _SPECK_SHARE)
    found = []
    for label, (rows, columns) in enumerate(ndimage.find_objects(labels), start=1):
        own = labels[rows, columns] == label
        if own.size >= least_px and np.count_nonzero(own) >= least_px:
            found.append(Region(columns.start, rows.start, own, pixels[rows, columns]))
    return found


def background_colour(pixels: Rgb) -> NDArray[np.uint8]:
    """Take the commonest colour along the border for the background."""
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    coarse = (border >> 4).astype(np.int32)
    bins = (coarse[:, 0] << 8) | (coarse[:, 1] << 4) | coarse[:, 2]
    commonest = border[bins == np.bincount(bins).argmax()]
    near = np.abs(border.astype(np.int16) - np.median(commonest, axis=0)).max(axis=1) <= _TOLERANCE
    colour: NDArray[np.uint8] = np.median(border[near], axis=0).astype(np.uint8)
    return colour


def foreground(pixels: Rgb, background: NDArray[np.uint8]) -> Mask:
    """Mark the pixels that differ from the background by more than compression does."""
    height, width, _ = pixels.shape
    low = np.maximum(background, _TOLERANCE) - _TOLERANCE
    span = np.minimum(background, 255 - _TOLERANCE) + _TOLERANCE - low
    # Unsigned bytes wrap around, so that one comparison tests both ends; rows of 3 × width keep it fast.
    above = pixels.reshape(height, width * 3) - np.tile(low, width)
    differs = above > np.tile(span, width)
    mask: Mask = differs[:, 0::3] | differs[:, 1::3] | differs[:, 2::3]
    return mask


_TOLERANCE = np.uint8(36)
_SPECK_PX = 12
_SPECK_SHARE = 2e-5
_EIGHT_NEIGHBOURS = np.ones((3, 3), dtype=np.int8)
