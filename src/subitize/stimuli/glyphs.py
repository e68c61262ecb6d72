"""Draws single things by noun, as SVG or as sprites of any size, and measures silhouettes."""

import io
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import resvg_py
from numpy.typing import NDArray
from PIL import Image

from subitize.errors import BadValueError, UnknownNameError
from subitize.stimuli.clipart import BARE, PALETTE, UNCUT, Glyph, draw
from subitize.stimuli.clipart import GLYPHS as GLYPHS
from subitize.stimuli.clipart import PLAIN as PLAIN

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull


def glyph_of(noun: str) -> Glyph:
    """Look up a glyph by its singular noun."""
    if noun not in GLYPHS:
        raise UnknownNameError("glyph", noun, GLYPHS)
    return GLYPHS[noun]


def svg(noun: str, variant: int, colour: str) -> str:
    """Draw one thing as a complete SVG document of 100 × 100 units."""
    if colour not in PALETTE:
        raise UnknownNameError("colour", colour, PALETTE)
    return draw(noun, _drawing(glyph_of(noun), variant), PALETTE[colour])


def rasterise(source: str, side_px: int, *, ground: str | None = None) -> Image.Image:
    """Draw an SVG document into a square, transparent unless it has a ground."""
    png = resvg_py.svg_to_bytes(
        svg_string=source, width=side_px, height=side_px, background=ground, skip_system_fonts=True
    )
    return Image.open(io.BytesIO(png), formats=["PNG"]).convert("RGBA")


def whole_drawings(noun: str) -> tuple[int, ...]:
    """List the drawings of a thing that can be cut or hold others."""
    return (PLAIN,) if noun in BARE else uncut_drawings(noun)


def uncut_drawings(noun: str) -> tuple[int, ...]:
    """List the drawings that show a thing whole and uncut, to go beside parts of it."""
    return UNCUT.get(noun, tuple(range(len(glyph_of(noun).drawings))))


def sprite(noun: str, variant: int, colour: str, side_px: int) -> Image.Image:
    """Rasterise a thing into a transparent square; the caller must not change the image."""
    scale = _small_sprite if side_px <= _SMALLEST_MASTER_PX else _scaled
    return scale(noun, variant, colour, side_px)


_SMALLEST_MASTER_PX = 64


def _drawing(glyph: Glyph, variant: int) -> str:
    if variant == PLAIN and glyph.noun in BARE:
        return "bare"
    if not 0 <= variant < len(glyph.drawings):
        raise BadValueError(f"no drawing {variant} of {glyph.noun!r}; it has 0 to {len(glyph.drawings) - 1}")
    return glyph.drawings[variant]


def _scaled(noun: str, variant: int, colour: str, side_px: int) -> Image.Image:
    master_px = 1 << (max(side_px, _SMALLEST_MASTER_PX) - 1).bit_length()
    keep = _small_master if master_px <= _SMALL_MASTER_PX else _large_master
    master = keep(noun, variant, colour, master_px)
    if side_px == master_px:
        return master
    # HAMMING does not ring, so that no edge pixel is brighter than the thing.
    return master.resize((side_px, side_px), Image.Resampling.HAMMING)


# At most 16 KB each: crowded pictures have many small things in few sizes.
_small_sprite = lru_cache(maxsize=2048)(_scaled)


def _master(noun: str, variant: int, colour: str, side_px: int) -> Image.Image:
    return rasterise(svg(noun, variant, colour), side_px)


_SMALL_MASTER_PX = 128
# At most 64 KB each: computing references goes through all of them again and again.
_small_master = lru_cache(maxsize=640)(_master)
_large_master = lru_cache(maxsize=128)(_master)

Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Silhouette:
    """The shape of a drawing in a square of side 1, measured when needed."""

    noun: str
    variant: int

    @cached_property
    def area(self) -> float:
        """The area that it covers."""
        return float(self._coverage().sum()) / 255 / _SIDE_PX**2

    @cached_property
    def extent(self) -> tuple[float, float, float, float]:
        """How far it reaches: left, top, right, bottom."""
        points = outline(self._coverage()) / _SIDE_PX
        (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        return left, top, right, bottom

    @cached_property
    def hull(self) -> Points:
        """The corners of its convex hull."""
        points = outline(self._coverage()) / _SIDE_PX
        return points[_convex_hull(points).vertices]

    def _coverage(self) -> NDArray[np.uint8]:
        return np.asarray(sprite(self.noun, self.variant, "black", _SIDE_PX).getchannel("A"))


silhouette = lru_cache(maxsize=512)(Silhouette)


def outline(coverage: NDArray[np.uint8]) -> NDArray[np.int64]:
    """List the pixel corners at both ends of every row of a shape: its hull is the hull of these."""
    is_inside = coverage >= 128
    rows = np.flatnonzero(is_inside.any(axis=1))
    left = is_inside[rows].argmax(axis=1)
    right = is_inside.shape[1] - is_inside[rows, ::-1].argmax(axis=1)
    across = np.concatenate([left, left, right, right])
    down = np.concatenate([rows, rows + 1, rows, rows + 1])
    return np.stack([across, down], axis=1)


def hull_area(points: Points | NDArray[np.int64]) -> float:
    """Measure the smallest convex region that holds the points."""
    return float(_convex_hull(points).volume)


_SIDE_PX = 256


def _convex_hull(points: Points | NDArray[np.int64]) -> "ConvexHull":
    from scipy.spatial import ConvexHull  # slower to import than a picture is to draw

    return ConvexHull(points)
