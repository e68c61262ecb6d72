"""The few strokes and side colours that drawings are made of, as SVG."""

import math
from collections.abc import Callable, Iterable
from functools import wraps

from subitize.drawing.clipart.glyph import Drawing, Tints

Point = tuple[float, float]
CREAM = "#ffefc4"
GREEN = "#5aa02c"
DARK_GREEN = "#2b5f17"


def area(outline: str, fill: str, line: str = "none", width: float = 3.5) -> str:
    """Fill the area inside a path, with a contour if a line colour is given."""
    return f'<path d="{outline}" fill="{fill}" stroke="{line}" stroke-width="{width}" stroke-linejoin="round"/>'


def solid(outline: str, tints: Tints) -> str:
    """Fill the area inside a path with the colour asked for, with a contour that stands out from any ground."""
    return area(outline, tints.plain, tints.line, 4)


def stroke(course: str, colour: str, width: float = 5.5) -> str:
    """Draw a path as a line with round ends."""
    ends = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{course}" fill="none" stroke="{colour}" stroke-width="{width}" {ends}/>'


def oval(centre: Point, radii: Point, fill: str, line: str = "none", turn: float = 0) -> str:
    """Fill an ellipse turned clockwise by so many degrees."""
    (x, y), (rx, ry) = centre, radii
    return (
        f'<ellipse cx="{x}" cy="{y}" rx="{rx}" ry="{ry}" transform="rotate({turn} {x} {y})" '
        f'fill="{fill}" stroke="{line}" stroke-width="3.5"/>'
    )


def dots(centres: Iterable[Point], radius: float, fill: str, line: str = "none") -> str:
    """Fill equal circles, with a thinner contour than an oval has."""
    return "".join(
        f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{line}" stroke-width="2.5"/>' for x, y in centres
    )


def ribbon(course: str, width: float, line: str) -> str:
    """Draw a path as a cream band with a contour, so that it shows on pale things too."""
    return stroke(course, line, width + 3) + stroke(course, CREAM, width)


def turned(degrees: float, shapes: str) -> str:
    """Turn shapes clockwise around the middle of the drawing."""
    return f'<g transform="rotate({degrees} 50 50)">{shapes}</g>'


def clipped(outline: str, shapes: str) -> str:
    """Show only what lies inside an outline; once in a drawing."""
    return f'<clipPath id="clip"><path d="{outline}"/></clipPath><g clip-path="url(#clip)">{shapes}</g>'


def framed(x: float, y: float, radius: float) -> Callable[[Drawing], Drawing]:
    """Move and scale a drawing so that its circle, around (x, y), becomes the circle every drawing must fill."""

    def frame(drawing: Drawing) -> Drawing:
        @wraps(drawing)
        def draw_framed(tints: Tints) -> str:
            place = f"translate(50 50) scale({48 / radius:.4f}) translate({-x} {-y})"
            return f'<g transform="{place}">{drawing(tints)}</g>'

        return draw_framed

    return frame


def star(centre: Point, outer: Point, inner: Point, points: int) -> str:
    """Outline a star whose points lie on one ellipse and whose notches lie on another."""
    corners = [_on_ellipse(centre, (inner if i % 2 else outer), i / (2 * points)) for i in range(2 * points)]
    return f"M{' L'.join(corners)} Z"


def scallop(centre: Point, radii: Point, bumps: int) -> str:
    """Outline an ellipse that bulges in so many round bumps."""
    start, *ends = [_on_ellipse(centre, radii, i / bumps) for i in range(bumps + 1)]
    radius = round(math.pi * sum(radii) / 2 / bumps * 1.1, 1)
    return f"M{start} " + " ".join(f"A{radius} {radius} 0 0 1 {end}" for end in ends) + " Z"


def _on_ellipse(centre: Point, radii: Point, turn: float) -> str:
    angle = 2 * math.pi * turn
    return f"{centre[0] + radii[0] * math.sin(angle):.1f} {centre[1] - radii[1] * math.cos(angle):.1f}"
