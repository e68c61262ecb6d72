"""Furniture, crockery, tools and other things of the house."""

from subitize.drawing.clipart.glyph import Glyph

GLYPHS: tuple[Glyph, ...] = ()
