"""What colour a thing is that was found by its box: that of most of the pixels in its middle."""

from collections import Counter
from functools import lru_cache

import numpy as np

from subitize.detections import Detections
from subitize.image_files import Rgb
from subitize.vision.colours import colour_name

_SIDE = 24  # samples along each side
_STEP = 8  # colours so near to each other have one name


def with_colours(found: Detections, pixels: Rgb) -> Detections:
    """Look at the pixels of every box."""
    return found.coloured([_colour(pixels, (row[0], row[1], row[2], row[3])) for row in found.xyxy.tolist()])


def _colour(pixels: Rgb, xyxy: tuple[float, float, float, float]) -> str | None:
    """Name the colour of most samples in the ellipse that fills the middle half of a box; None of a box outside."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = xyxy
    across, down = np.meshgrid(_STEPS, _STEPS)
    is_inside = across**2 + down**2 <= 1
    x = (left + right) / 2 + across[is_inside] * (right - left) / 4
    y = (top + bottom) / 2 + down[is_inside] * (bottom - top) / 4
    is_seen = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    if not is_seen.any():
        return None
    colours = pixels[y[is_seen].astype(int), x[is_seen].astype(int)] // _STEP * _STEP + _STEP // 2
    names = Counter(_name(*colour) for colour in colours.tolist())
    return names.most_common(1)[0][0]


_STEPS = np.linspace(-1, 1, _SIDE)
_name = lru_cache(maxsize=4096)(colour_name)
