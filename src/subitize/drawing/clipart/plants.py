"""Things that grow."""

from subitize.drawing.clipart.glyph import Glyph

GLYPHS: tuple[Glyph, ...] = ()
