"""Names colours by hue, strength and lightness, and finds the colours of things inside detectors' boxes."""

import colorsys
from collections import Counter
from functools import lru_cache
from itertools import repeat

import numpy as np

from subitize.io.images import Rgb
from subitize.stats.boxes import Detections, Floats, Grid

COLOUR_NAMES = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey")


def colour_name(red: int, green: int, blue: int) -> str:
    """Name a colour given by its channels, 0 to 255."""
    hue, strength, value = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
    if value < 0.2:
        return "black"
    if strength < 0.15:
        return "white" if value > 0.9 else "grey"
    return _hue_name(hue * 360, strength, value)


_HUES = ((15, "red"), (42, "orange"), (68, "yellow"), (170, "green"), (255, "blue"), (300, "purple"))


def _hue_name(degrees: float, strength: float, value: float) -> str:
    if value < 0.68 and (12 <= degrees < 50 or (degrees < 12 and strength < 0.8)):
        return "brown"
    if degrees >= 345 or degrees < 15:
        return "pink" if strength < 0.55 and value > 0.75 else "red"
    for limit, name in _HUES:
        if degrees < limit:
            return name
    return "pink" if value > 0.6 else "purple"


_SIDE = 24  # samples along each side
_STEP = 8  # colours this close share a name


def with_colours(found: Detections, pixels: Rgb) -> Detections:
    """Name every thing's colour from its pixels: where its mask covers its box, or in the middle of the box."""
    samples = map(_cover, found.masks) if found.masks else repeat(_MIDDLE)
    return found.coloured([_colour(pixels, *one) for one in zip(found.xyxy.tolist(), samples, strict=False)])


def _colour(pixels: Rgb, xyxy: list[float], samples: Floats) -> str | None:
    """Name the commonest colour at samples around a box's middle, in quarters of its sides; None for a box outside."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = xyxy
    across, down = samples
    x = (left + right) / 2 + across * (right - left) / 4
    y = (top + bottom) / 2 + down * (bottom - top) / 4
    is_seen = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    if not is_seen.any():
        return None
    colours = pixels[y[is_seen].astype(int), x[is_seen].astype(int)] // _STEP * _STEP + _STEP // 2
    names = Counter(_name(*colour) for colour in colours.tolist())
    return names.most_common(1)[0][0]


def _find_middle() -> Floats:
    """Sample the ellipse that fills the middle half of a box."""
    steps = np.linspace(-1, 1, _SIDE)
    across, down = np.meshgrid(steps, steps)
    is_inside = across**2 + down**2 <= 1
    return np.stack([across[is_inside], down[is_inside]])


def _cover(mask: Grid) -> Floats:
    """Sample the cells that a mask covers."""
    down, across = np.nonzero(mask)
    return (np.stack([across, down]) + 0.5) * 4 / len(mask) - 2


_MIDDLE = _find_middle()
_name = lru_cache(maxsize=4096)(colour_name)
