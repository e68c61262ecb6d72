"""Animals and people."""

from subitize.drawing.clipart.glyph import Glyph

GLYPHS: tuple[Glyph, ...] = ()
