"""Colour names, by hue, strength and lightness; and what colour a thing is that was found by its box."""

import colorsys
from collections import Counter
from functools import lru_cache

import numpy as np

from subitize.detections import Detections
from subitize.image_files import Rgb

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
