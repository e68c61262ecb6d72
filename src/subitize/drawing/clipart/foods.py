"""Things to eat: dishes, and all that the neighbouring modules draw."""

from subitize.drawing.clipart.glyph import Glyph, Tints
from subitize.drawing.clipart.pen import CREAM, area, clipped, dots, framed, oval, ribbon, solid, stroke, turned

_LETTUCE = ("#7cc242", "#3c7a1a")
_PATTY = ("#4a2412", "#2a1208")


@framed(52.5, 52, 51.5)
def _fried_egg(tints: Tints) -> str:
    white = (
        "M34 8 C48 -2 56 16 70 14 C88 12 98 30 90 44 C84 54 100 64 92 80 C82 96 66 82 54 92 "
        "C40 102 24 96 24 82 C23 70 4 70 4 50 C4 34 20 38 20 26 C20 18 26 13 34 8 Z"
    )
    return (
        area(white, tints.light, tints.line, 5)
        + oval((51, 51), (26, 26), tints.plain, tints.shade)
        + stroke("M37 49 Q39 39 48 37", "#ffffff", 6)
    )


@framed(50, 50, 49.5)
def _cracked_egg(tints: Tints) -> str:
    body = "M50 3 C70 3 87 34 87 59 C87 82 70 97 50 97 C30 97 13 82 13 59 C13 34 30 3 50 3 Z"
    crack = "M8 50 L24 42 L36 56 L50 42 L64 56 L76 42 L92 50"
    return (
        area(body, tints.plain)
        + clipped(body, area(f"{crack} V0 H8 Z", tints.light) + stroke(crack, tints.line, 6))
        + area(body, "none", tints.line, 4)
    )


@framed(50, 56, 48.5)
def _flat_burger(tints: Tints) -> str:
    return (
        solid("M9 70 H91 C91 82 84 87 76 87 H24 C16 87 9 82 9 70 Z", tints)
        + area("M7 58 H93 Q97 65 93 72 H7 Q3 65 7 58 Z", *_PATTY)
        + area("M5 50 H95 V56 Q88 66 80 58 Q70 66 62 58 Q50 66 40 58 Q30 66 22 58 Q12 66 5 56 Z", *_LETTUCE)
        + solid("M8 50 C6 26 26 12 50 12 C74 12 94 26 92 50 Z", tints)
        + "".join(oval(place, (5, 3.4), CREAM) for place in ((32, 32), (50, 24), (68, 32), (42, 41), (59, 41)))
    )


@framed(50, 53, 51)
def _tall_burger(tints: Tints) -> str:
    return (
        stroke("M50 30 V6", "#7a5a2c", 5)
        + area("M50 4 L72 10 L50 18 Z", "#d7263d", "#7e1020", 3)
        + solid("M18 82 H82 C82 92 76 95 70 95 H30 C24 95 18 92 18 82 Z", tints)
        + area("M15 74 H85 V83 H15 Z", *_PATTY)
        + area("M14 65 H86 L66 74 L50 66 L34 75 Z", "#ffd23f", "#b98a0c", 3)
        + area("M15 56 H85 V65 H15 Z", *_PATTY)
        + area("M12 48 H88 Q86 58 76 55 Q66 62 58 55 Q48 62 40 55 Q30 62 24 55 Q14 58 12 48 Z", *_LETTUCE)
        + solid("M16 48 C14 30 28 20 50 20 C72 20 86 30 84 48 Z", tints)
    )


@framed(49.5, 50.5, 49.5)
def _whole_pizza(tints: Tints) -> str:
    body = "M50 50 L49 3 A47 47 0 1 0 91 27 Z"
    return (
        area(body, tints.shade)
        + area("M50 50 L49 13 A37 37 0 1 0 82 32 Z", tints.plain, tints.light, 3)
        + ribbon("M50 50 L10 28 M50 50 L10 73 M50 50 V94 M50 50 L90 72", 4.5, tints.shade)
        + dots([(34, 25), (24, 50), (35, 73), (64, 74), (75, 51)], 7, tints.line, tints.light)
        + area(body, "none", tints.line, 4)
    )


@framed(50, 44, 55)
def _pizza_slice(tints: Tints) -> str:
    crust = (
        "M6 22 C4 12 12 8 20 9 C40 2 60 2 80 9 C88 8 96 12 94 22 C93 28 88 30 82 28 C60 22 40 22 18 28 "
        "C12 30 7 28 6 22 Z"
    )
    return (
        solid("M12 24 L50 97 L88 24 Z", tints)
        + area(crust, tints.shade, tints.line, 4)
        + dots([(36, 38), (60, 43), (48, 64)], 8.5, tints.line, tints.light)
    )


@framed(50, 57, 52.5)
def _crimped_samosa(tints: Tints) -> str:
    body = (
        "M50 7 C56 7 58 10 61 15 C72 36 84 54 94 68 C99 76 95 84 86 84 Q50 90 14 84 C5 84 1 76 6 68 "
        "C16 54 28 36 39 15 C42 10 44 7 50 7 Z"
    )
    return (
        solid(body, tints)
        + stroke("M50 20 C46 38 38 50 28 60", tints.light, 7)
        + stroke("M54 36 C60 48 66 54 74 60", tints.shade, 6)
        + stroke(" ".join(f"M{x} 80 l6 -9" for x in range(14, 84, 11)), tints.light, 5)
    )


@framed(45.5, 54, 47.5)
def _bitten_samosa(tints: Tints) -> str:
    bite = "62 17 C64 32 70 40 82 44 C90 50 92 66 84 80"
    pastry = f"M5 66 C10 44 34 18 52 11 C58 9 60 12 {bite} C60 88 30 86 10 78 C5 76 4 72 5 66 Z"
    return turned(
        8,
        solid(pastry, tints)
        + area(f"M{bite} C74 76 68 70 70 62 C60 60 56 52 59 46 C50 40 52 24 62 17 Z", "#f6d77a", tints.line, 3)
        + dots([(63, 38), (75, 52), (80, 68)], 5.5, "#4f9a2b", "#275c12")
        + stroke("M18 66 C26 50 34 40 44 32", tints.light, 7)
        + stroke("M30 76 Q44 79 58 78", tints.shade, 6),
    )


@framed(50, 52, 53.5)
def _sandwich_loaf(tints: Tints) -> str:
    return (
        solid("M30 18 H82 C96 18 99 36 90 42 V82 H30 Z", tints)
        + stroke("M68 22 C78 26 78 38 71 42 V78", tints.line, 5)
        + area(
            "M4 34 C3 22 14 18 31 18 C49 18 60 22 59 34 C58 40 56 42 54 44 V84 H10 V44 C7 42 4 40 4 34 Z",
            tints.shade,
            tints.line,
            4,
        )
        + area(
            "M12 35 C12 28 20 26 32 26 C43 26 52 28 51 35 C51 39 47 40 46 43 V76 H18 V43 C16 40 12 39 12 35 Z",
            tints.light,
        )
    )


@framed(51, 52, 49.5)
def _slashed_loaf(tints: Tints) -> str:
    return turned(
        -28,
        solid("M3 52 C4 36 22 28 50 28 C78 28 96 36 97 52 C96 66 78 73 50 73 C22 73 4 66 3 52 Z", tints)
        + stroke("M20 58 L30 40 M40 61 L50 39 M60 61 L70 40", tints.light, 8),
    )


GLYPHS = (
    Glyph("egg", (_fried_egg, _cracked_egg), ("yellow", "orange", "brown")),
    Glyph("burger", (_flat_burger, _tall_burger), ("orange", "brown", "yellow")),
    Glyph("pizza", (_whole_pizza, _pizza_slice), ("orange", "yellow", "red")),
    Glyph("samosa", (_crimped_samosa, _bitten_samosa), ("orange", "brown", "yellow")),
    Glyph("loaf", (_sandwich_loaf, _slashed_loaf), ("brown", "orange", "yellow")),
)
