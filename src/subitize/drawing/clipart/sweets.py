"""Things to eat that are sweet."""

from subitize.drawing.clipart.glyph import Glyph, Tints
from subitize.drawing.clipart.pen import (
    CREAM,
    area,
    clipped,
    dots,
    framed,
    oval,
    ribbon,
    scallop,
    solid,
    stroke,
    turned,
)

_CHOCOLATE = "#3a1f12"


@framed(50, 49.5, 49)
def _bitten_cookie(tints: Tints) -> str:
    body = (
        "M58 4 C30 0 4 20 4 50 C4 76 25 96 50 96 C76 96 97 75 96 48 C90 51 83 48 82 41 C74 43 67 37 69 29 "
        "C61 28 56 20 60 13 C57 11 56 7 58 4 Z"
    )
    chips = [(36, 26), (20, 50), (47, 50), (33, 75), (62, 77), (74, 57)]
    return (
        solid(body, tints)
        + stroke("M14 64 C20 80 34 89 50 89", tints.shade)
        + dots(chips, 8.5, _CHOCOLATE, tints.light)
    )


@framed(50, 50, 51.5)
def _dipped_cookie(tints: Tints) -> str:
    body = scallop((50, 50), (46, 46), 26)
    chips = [(38, 20), (22, 38), (46, 40), (67, 24), (26, 62)]
    sprinkles = "M70 56 L78 50 M56 70 L64 74 M78 70 L72 78 M46 86 L54 84"
    return (
        area(body, tints.plain)
        + dots(chips, 8, CREAM, tints.line)
        + clipped(body, area("M104 28 Q90 28 84 40 T62 54 T40 74 T20 98 L60 110 L110 80 Z", _CHOCOLATE, CREAM, 6))
        + stroke(sprinkles, CREAM, 5)
        + area(body, "none", tints.line, 4)
    )


@framed(50, 48.5, 53)
def _wrapped_chocolate(tints: Tints) -> str:
    pieces = "".join(
        area(f"M{x} {y} h19 v16 h-19 Z", tints.plain, tints.light, 3) for x in (30, 51) for y in (8, 26, 44)
    )
    return (
        area("M24 5 H76 V60 H24 Z", tints.line, tints.line)
        + pieces
        + area("M21 48 l10 9 l9 -9 l10 9 l10 -9 l9 9 l10 -9 V66 H21 Z", "#e9e9e9", "#6a6a6a", 3)
        + area("M21 63 H79 V90 H21 Z", tints.shade, tints.line)
        + area("M21 71 H79 V82 H21 Z", CREAM)
    )


@framed(50.5, 51, 52)
def _bitten_chocolate(tints: Tints) -> str:
    body = "M6 28 H64 C62 35 67 40 74 39 C73 46 80 52 94 50 V74 H6 Z"
    pieces = [(8, 30), (37, 30), (8, 52), (37, 52), (66, 52)]
    inner = "".join(area(f"M{x + 3} {y + 3} h21 v14 h-21 Z", tints.plain, tints.light, 4) for x, y in pieces)
    return turned(-20, area(body, tints.shade, tints.line, 4) + inner)


def _wrapped_candy(tints: Tints) -> str:
    fan = "M27 50 L9 29 Q14 37 13 42 Q6 45 4 50 Q6 55 13 58 Q14 63 9 71 Z"
    return turned(
        -24,
        solid(fan, tints)
        + turned(180, solid(fan, tints))
        + oval((50, 50), (30, 28), tints.plain)
        + clipped(
            "M20 50 A30 28 0 0 1 80 50 A30 28 0 0 1 20 50 Z",
            ribbon("M31 16 Q45 50 31 84 M57 16 Q71 50 57 84", 9, tints.shade),
        )
        + oval((50, 50), (30, 28), "none", tints.line),
    )


def _lollipop_candy(tints: Tints) -> str:
    spiral = "M50 37 C54 32 61 36 60 42 C58 51 44 51 41 42 C38 28 54 21 64 27 C76 35 73 53 60 58 C44 64 28 54 27 38"
    return (
        stroke("M50 66 V94", "#8d8d8d", 8)
        + stroke("M50 66 V94", "#f4f4f4", 3)
        + oval((50, 37), (33, 33), tints.plain, tints.line)
        + ribbon(spiral, 5.5, tints.shade)
    )


@framed(50, 53.5, 52.5)
def _birthday_cake(tints: Tints) -> str:
    candles = "".join(
        area(f"M{x - 3.5} 22 h7 v18 h-7 Z", tints.light, tints.line, 3)
        + area(f"M{x} 6 C{x + 7} 14 {x + 5} 21 {x} 21 C{x - 5} 21 {x - 7} 14 {x} 6 Z", "#ffc61a", "#d05a00", 2.5)
        for x in (32, 50, 68)
    )
    icing = "M16 40 H84 V54 Q78 66 72 55 Q66 68 60 56 Q55 72 49 57 Q43 66 38 56 Q32 69 27 55 Q21 64 16 54 Z"
    return (
        candles
        + solid("M16 40 H84 V82 H16 Z", tints)
        + area(icing, CREAM, tints.line, 3)
        + stroke("M20 73 H80", tints.light, 5)
        + area("M9 82 H91 Q88 90 80 90 H20 Q12 90 9 82 Z", "#9aa3ad", "#4d555e", 3)
    )


@framed(50, 55.5, 52.5)
def _cake_slice(tints: Tints) -> str:
    return (
        solid("M5 51 L82 31 Q95 34 95 46 V77 H5 Z", tints)
        + area("M5 51 L82 31 Q95 34 95 46 V51 Z", tints.shade, tints.line, 3.5)
        + ribbon("M9 64 H91", 6, tints.line)
        + stroke("M60 26 Q62 12 72 12", "#3f6a17", 6)
        + oval((58, 29), (12, 11), "#c4162a", "#6e0a16")
    )


GLYPHS = (
    Glyph("cookie", (_bitten_cookie, _dipped_cookie), ("orange", "brown", "yellow")),
    Glyph("chocolate", (_wrapped_chocolate, _bitten_chocolate), ("brown", "red", "purple")),
    Glyph("candy", (_wrapped_candy, _lollipop_candy), ("red", "green", "purple", "pink")),
    Glyph("cake", (_birthday_cake, _cake_slice), ("pink", "brown", "orange")),
)
