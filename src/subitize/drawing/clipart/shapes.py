"""Plain shapes."""

from subitize.drawing.clipart.glyph import PALETTE, Glyph, Tints


def _dot(tints: Tints) -> str:
    return f'<circle cx="50" cy="50" r="48" fill="{tints.plain}"/>'


def _rimmed_dot(tints: Tints) -> str:
    return f'<circle cx="50" cy="50" r="48" fill="{tints.shade}"/><circle cx="50" cy="50" r="41" fill="{tints.plain}"/>'


GLYPHS = (Glyph("dot", (_dot, _rimmed_dot), tuple(name for name in PALETTE if name != "white")),)
