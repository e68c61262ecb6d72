"""Our own vector clip-art by noun: each thing as SVG, and as a sprite of any size."""

import io
from functools import lru_cache

import resvg_py
from PIL import Image

from subitize.drawing.clipart import BARE, PALETTE, UNCUT, Glyph, draw
from subitize.drawing.clipart import GLYPHS as GLYPHS
from subitize.drawing.clipart import PLAIN as PLAIN
from subitize.errors import BadValueError, UnknownNameError


def glyph_of(noun: str) -> Glyph:
    """Look a thing up by its singular noun."""
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
    """Tell which drawings of a thing can be cut, or hold others."""
    return (PLAIN,) if noun in BARE else uncut_drawings(noun)


def uncut_drawings(noun: str) -> tuple[int, ...]:
    """Tell which drawings show all of a thing, and uncut, so that parts of it can stand beside it."""
    return UNCUT.get(noun, tuple(range(len(glyph_of(noun).drawings))))


def sprite(noun: str, variant: int, colour: str, side_px: int) -> Image.Image:
    """Rasterise one thing into a transparent square; the caller must not change the image."""
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
    # HAMMING does not ring, so no edge pixel gets brighter than the thing or darker than nothing.
    return master.resize((side_px, side_px), Image.Resampling.HAMMING)


# At most 16 KB each: crowded pictures have many small things of few sizes.
_small_sprite = lru_cache(maxsize=2048)(_scaled)


def _master(noun: str, variant: int, colour: str, side_px: int) -> Image.Image:
    return rasterise(svg(noun, variant, colour), side_px)


_SMALL_MASTER_PX = 128
# At most 64 KB each: whoever learns what things look like goes through all of them again and again.
_small_master = lru_cache(maxsize=640)(_master)
_large_master = lru_cache(maxsize=128)(_master)
