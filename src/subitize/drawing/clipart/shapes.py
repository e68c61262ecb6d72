"""Plain shapes."""

from subitize.drawing.clipart.glyph import PALETTE, Glyph, Tints
from subitize.drawing.clipart.pen import area, star, turned


def _dot(tints: Tints) -> str:
    return f'<circle cx="50" cy="50" r="48" fill="{tints.plain}"/>'


def _rimmed_dot(tints: Tints) -> str:
    return f'<circle cx="50" cy="50" r="48" fill="{tints.shade}"/><circle cx="50" cy="50" r="41" fill="{tints.plain}"/>'


def _faceted_star(tints: Tints) -> str:
    outline = star((50, 50), (46, 46), (21, 21), 5)
    facet = area("M50 50 V4 L62.3 33 Z", tints.shade)
    return (
        area(outline, tints.plain)
        + "".join(turned(72 * i, facet) for i in range(5))
        + area(outline, "none", tints.line)
    )


def _rounded_star(tints: Tints) -> str:
    outline = star((50, 50), (38, 38), (20, 20), 5)
    return (
        area(outline, tints.line, tints.line, 18)
        + area(outline, tints.plain, tints.plain, 11)
        + area(star((50, 50), (23, 23), (12, 12), 5), tints.light, tints.shade)
    )


def _triangle(tints: Tints) -> str:
    return area("M50 4 L89.8 73 H10.2 Z", tints.plain, tints.line)


def _rimmed_triangle(tints: Tints) -> str:
    outline = "M50 8.5 L81 77 H19 Z"
    return area(outline, tints.line, tints.line, 12) + area(outline, tints.plain, tints.shade, 7)


_COLOURS = tuple(name for name in PALETTE if name != "white")

GLYPHS = (
    Glyph("dot", (_dot, _rimmed_dot), _COLOURS),
    Glyph("star", (_faceted_star, _rounded_star), ("yellow", "orange", "red", "blue", "green", "purple", "black")),
    Glyph("triangle", (_triangle, _rimmed_triangle), _COLOURS),
)
