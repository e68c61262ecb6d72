"""What things are drawn on: plain light colours, and light patterns that make counting harder."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from PIL import Image

from subitize.drawing.painting import Colour

Background = Callable[[int, np.random.Generator], Image.Image]


def plain(colour: Colour) -> Background:
    """Cover the picture with one colour."""
    return lambda size_px, _: Image.new("RGB", (size_px, size_px), colour)


def _gradient(size_px: int, random: np.random.Generator) -> Image.Image:
    """Go from one light grey to another across the picture, in a direction at random."""
    turn = random.random() * 2 * np.pi
    axis = np.linspace(-1, 1, size_px)
    slope = np.cos(turn) * axis[None, :] + np.sin(turn) * axis[:, None]
    return _greys(np.interp(slope, (-np.sqrt(2), np.sqrt(2)), (_DARKEST, 255)))


def _clouds(size_px: int, random: np.random.Generator) -> Image.Image:
    """Cover the picture with soft light patches."""
    coarse = _greys(_DARKEST + (255 - _DARKEST) * random.random((_PATCHES, _PATCHES)))
    return coarse.resize((size_px, size_px), Image.Resampling.BICUBIC)


def _stripes(size_px: int, random: np.random.Generator) -> Image.Image:
    """Cover the picture with light upright stripes, as wide as they come by chance."""
    edges = np.sort(random.random(_STRIPES))
    place = np.searchsorted(edges, np.linspace(0, 1, size_px, endpoint=False))
    return _greys(np.broadcast_to(np.where(place % 2, 255, _DARKEST), (size_px, size_px)))


_DARKEST = 210
_PATCHES = 12
_STRIPES = 14


def _greys(levels: np.ndarray[tuple[int, ...], np.dtype[np.floating | np.integer]]) -> Image.Image:
    return Image.fromarray(levels.astype(np.uint8)).convert("RGB")


BACKGROUNDS: Mapping[str, Background] = MappingProxyType(
    {
        "white": plain((255, 255, 255)),
        "grey": plain((235, 235, 235)),
        "cream": plain((250, 243, 224)),
        "sky": plain((222, 238, 250)),
        "gradient": _gradient,
        "clouds": _clouds,
        "stripes": _stripes,
    }
)
