"""Bells, balls, and things that drive or fly."""

from subitize.drawing.clipart.glyph import Glyph, Tints
from subitize.drawing.clipart.pen import Point, area, clipped, dots, oval, stroke, turned

_GLASS = "#d6ecf8"
_IRON = "#5a5a5a"
_RUBBER = "#2b2b2b"


def _hand_bell(tints: Tints) -> str:
    cup = "M50 36 C66 36 68 46 69 57 C70 68 75 74 82 79 H18 C25 74 30 68 31 57 C32 46 34 36 50 36 Z"
    handle = "M45 40 V26 C38 20 40 5 50 5 C60 5 62 20 55 26 V40 Z"
    return turned(
        24,
        dots([(50, 84)], 9.5, _IRON, _RUBBER)
        + area(handle, "#a5642e", "#4f2f14")
        + area(cup, tints.plain, tints.line)
        + area("M30 65 H70 L73 73 H27 Z", tints.light, tints.shade, 2)
        + stroke("M42 46 Q40 51 40 57", tints.light, 6),
    )


def _church_bell(tints: Tints) -> str:
    cup = "M50 18 C68 18 73 28 74 42 C75 57 79 64 86 70 V76 H14 V70 C21 64 25 57 26 42 C27 28 32 18 50 18 Z"
    return (
        dots([(50, 82)], 12, _IRON, _RUBBER)
        + stroke("M43 20 V13 Q43 6 50 6 Q57 6 57 13 V20", tints.line, 6)
        + area(cup, tints.plain, tints.line)
        + area("M24 59 H76 L80 67 H20 Z", tints.light, tints.shade, 2)
        + area("M27 33 H73 V41 H27 Z", tints.light, tints.shade, 2)
    )


def _side_car(tints: Tints) -> str:
    body = (
        "M6 58 C6 49 11 46 21 44 L31 26 C33 22 36 20 41 20 H59 C65 20 68 22 71 26 L82 43 C90 45 94 49 94 57 V62 "
        "C94 68 91 71 86 71 H14 C9 71 6 68 6 62 Z"
    )
    return (
        area(body, tints.plain, tints.line)
        + area("M29 44 L38 28 H47 V44 Z M53 28 H62 L73 44 H53 Z", _GLASS)
        + area("M10 50 H90 V57 H10 Z", tints.light, tints.shade, 2)
        + _wheel((26, 71), 13)
        + _wheel((74, 71), 13)
    )


def _front_car(tints: Tints) -> str:
    body = (
        "M6 54 C6 49 10 46 18 44 L27 22 C29 17 32 15 37 15 H63 C68 15 71 17 73 22 L82 44 C90 46 94 49 94 54 "
        "L91 68 C90 72 88 74 84 74 H16 C12 74 10 72 9 68 Z"
    )
    tyres = "M18 70 H33 V84 H23 Q18 81 18 70 Z M67 70 H82 Q82 81 77 84 H67 Z"
    return (
        area(tyres, _RUBBER, _RUBBER)
        + area(body, tints.plain, tints.line)
        + area("M29 42 L35 25 Q36 23 39 23 H61 Q64 23 65 25 L71 42 Z", _GLASS)
        + area("M36 54 H64 V66 H36 Z", "#d4d4d4", _RUBBER)
        + dots([(22, 58), (78, 58)], 8, "#fff3b0", _RUBBER)
    )


def _wheel(centre: Point, radius: float) -> str:
    return dots([centre], radius, _RUBBER) + dots([centre], 5.5, "#d4d4d4")


def _jet(tints: Tints) -> str:
    body = (
        "M50 4 C56 4 59 11 59 18 V35 L94 56 V64 L59 61 L58 77 L71 85 V91 L50 87 "
        "L29 91 V85 L42 77 L41 61 L6 64 V56 L41 35 V18 C41 11 44 4 50 4 Z"
    )
    return turned(
        40,
        area("M22 34 H32 V54 H22 Z M68 34 H78 V54 H68 Z", _IRON, _RUBBER)
        + area(body, tints.plain, tints.line)
        + area("M45 14 Q50 8 55 14 V20 H45 Z", _GLASS)
        + area("M46.5 29 H53.5 V80 H46.5 Z", tints.light, tints.shade, 2),
    )


def _propeller_plane(tints: Tints) -> str:
    body = "M80 32 C91 36 91 62 80 67 C64 74 44 72 32 66 L11 52 L9 31 H22 L32 40 C46 37 62 28 80 32 Z"
    return (
        stroke("M58 68 V80", _RUBBER, 8)
        + _wheel((58, 83), 11)
        + area("M41 41 C43 14 70 12 77 34 Z", _GLASS, _RUBBER)
        + area(body, tints.plain, tints.line)
        + area("M30 49 H68 Q74 49 74 56 Q74 62 68 62 H36 Z", tints.light, tints.line)
        + oval((90, 49), (5, 24), _RUBBER)
    )


def _beach_ball(tints: Tints) -> str:
    white_gores = (
        "M41 38 Q61.8 22.4 86.7 22.3 A46 46 0 0 1 95.7 55.6 Q66.8 41.2 41 38 Z"
        "M41 38 Q44.2 63.8 55.6 95.7 A46 46 0 0 1 22.3 86.7 Q25.4 58.8 41 38 Z"
        "M41 38 Q17.1 27.8 7.7 32 A46 46 0 0 1 32 7.7 Q30.8 14.1 41 38 Z"
    )
    return (
        dots([(50, 50)], 46, tints.plain)
        + area(white_gores, "#ffffff", tints.line)
        + dots([(50, 50)], 46, "none", tints.line)
        + dots([(41, 38)], 8, tints.light, tints.line)
    )


def _football(tints: Tints) -> str:
    seam_and_patch = stroke("M50 36 V20", tints.line, 5) + area("M50 19 L31 3 H69 Z", "#ffffff", tints.line)
    return (
        dots([(50, 50)], 46, tints.plain)
        + clipped(_RIM, "".join(turned(72 * i, seam_and_patch) for i in range(5)))
        + area("M50 33 L66.2 44.7 L60 63.8 H40 L33.8 44.7 Z", "#ffffff", tints.line)
        + dots([(50, 50)], 46, "none", tints.line)
    )


_RIM = "M50 4 A46 46 0 0 1 50 96 A46 46 0 0 1 50 4 Z"

GLYPHS = (
    Glyph("bell", (_hand_bell, _church_bell), ("yellow", "orange", "red", "green", "blue", "black", "grey")),
    Glyph("car", (_side_car, _front_car), ("red", "blue", "green", "orange", "black", "grey", "yellow")),
    Glyph("plane", (_jet, _propeller_plane), ("blue", "red", "orange", "green", "black", "grey", "yellow")),
    Glyph("ball", (_beach_ball, _football), ("red", "blue", "green", "orange", "yellow", "purple", "pink")),
)
