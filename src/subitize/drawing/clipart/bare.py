"""Things plain and whole: drawn so when something is in or on them, and when they are cut.

The large flat area of a holder, in one colour, is where things lie.
"""

from collections.abc import Mapping
from types import MappingProxyType

from subitize.drawing.clipart.glyph import Drawing, Tints
from subitize.drawing.clipart.pen import CREAM, area, dots, framed, oval, solid, stroke

PLAIN = -1
"""In place of a drawing's number: the thing plain and whole, uncut and with nothing in or on it."""


@framed(50, 48, 58.7)
def _table(tints: Tints) -> str:
    return (
        area("M26 70 H34 V80 H26 Z M66 70 H74 V80 H66 Z", tints.shade, tints.line, 3)
        + solid("M8 72 H18 V86 H8 Z M82 72 H92 V86 H82 Z", tints)
        + solid("M4 66 H96 V76 H4 Z", tints)
        + area("M20 10 H80 L96 66 H4 Z", tints.light, tints.line, 4)
    )


@framed(50, 52, 51.5)
def _cake(tints: Tints) -> str:
    wall = "M4 42 V62 A46 34 0 0 0 96 62 V42 Z"
    icing = "M4 42 V52 Q8 68 15 68 Q20 82 28 77 Q35 90 43 82 Q50 94 57 82 Q65 90 72 77 Q80 82 85 68 Q92 68 96 52 V42 Z"
    return solid(wall, tints) + area(icing, CREAM, tints.line, 3) + oval((50, 42), (46, 34), tints.light, tints.line)


@framed(50, 50, 50)
def _plate(tints: Tints) -> str:
    return oval((50, 50), (48, 39), tints.plain, tints.line) + oval((50, 50), (40, 31.5), tints.light, tints.line)


@framed(50, 47, 52)
def _watermelon(tints: Tints) -> str:
    return (
        solid("M2 36 C4 72 24 92 50 92 C76 92 96 72 98 36 Z", tints)
        + stroke("M17 64 Q22 76 30 82 M50 72 V86 M83 64 Q78 76 70 82", tints.shade, 6)
        + oval((50, 36), (48, 30), "#e6f3c8", tints.line)
        + oval((50, 36), (43, 25.5), "#f4606a", "#f4606a")
    )


@framed(50, 50, 59)
def _vase(tints: Tints) -> str:
    glass = "M26 10 H74 C70 18 74 25 80 31 C96 46 95 76 74 88 H26 C5 76 4 46 20 31 C26 25 30 18 26 10 Z"
    return (
        area(glass, tints.light, tints.line, 4)
        + solid("M24 88 H76 L79 98 H21 Z", tints)
        + solid("M21 2 H79 V10 H21 Z", tints)
    )


@framed(50, 50, 69)
def _shelf(tints: Tints) -> str:
    boards = "".join(f"M3 {y} H97 V{y + 9} H3 Z " for y in (3, 31, 60, 88))
    return (
        area("M3 3 H97 V97 H3 Z", tints.light)
        + area(boards, tints.plain)
        + area("M3 3 H13 V97 H3 Z M87 3 H97 V97 H87 Z", tints.plain)
        + area("M3 3 H97 V97 H3 Z", "none", tints.line, 4)
    )


@framed(50, 50, 60)
def _book(tints: Tints) -> str:
    return (
        solid("M2 18 H98 V82 H2 Z", tints)
        + area("M8 24 H47 V76 H8 Z M53 24 H92 V76 H53 Z", tints.light, tints.line, 3)
        + stroke("M50 20 V80", tints.shade, 4)
    )


def _pizza(tints: Tints) -> str:
    slices = [(50, 26), (30, 38), (69, 39), (47, 52), (30, 63), (66, 64), (48, 76)]
    return (
        dots([(50, 50)], 46.5, tints.plain, tints.line)
        + dots([(50, 50)], 39, tints.light, tints.shade)
        + dots(slices, 7, "#b3261e", "#6e0a16")
        + stroke("M40 38 l5 5 M58 30 l6 -2 M60 50 l-2 7 M38 70 l6 3 M76 52 l3 5 M22 50 l4 4", "#3f6a17", 4)
    )


HOLDERS: Mapping[str, Drawing] = MappingProxyType(
    {
        "table": _table,
        "cake": _cake,
        "plate": _plate,
        "watermelon": _watermelon,
        "vase": _vase,
        "shelf": _shelf,
        "book": _book,
    }
)
BARE: Mapping[str, Drawing] = MappingProxyType({**HOLDERS, "pizza": _pizza})
# The drawings that show a thing whole, where others show it opened, bitten or sliced.
UNCUT: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "banana": (0,),
        "cookie": (1,),
        "chocolate": (0,),
        "loaf": (1,),
        "samosa": (0,),
        "watermelon": (0,),
        "cake": (PLAIN,),
        "pizza": (PLAIN,),
    }
)
