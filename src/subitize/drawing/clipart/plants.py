"""Things that grow."""

from subitize.drawing.clipart.glyph import Glyph, Tints
from subitize.drawing.clipart.pen import Point, area, dots, oval, stroke, turned

_BARK = "#7a4a21"
_BARK_LINE = "#46270f"
_LEAF = "#5aa02c"
_LEAF_LINE = "#2f6b1f"


def _broad_tree(tints: Tints) -> str:
    crown = (
        ((50, 25), (21, 21)),
        ((27, 38), (21, 20)),
        ((73, 38), (21, 20)),
        ((36, 53), (17, 14)),
        ((64, 53), (17, 14)),
    )
    trunk = "M43 62 L32 50 L37 45 L50 56 L63 45 L68 50 L57 62 V79 Q58 88 66 92 Q50 97 34 92 Q42 88 43 79 Z"
    return (
        _foliage(tints, *crown, ((50, 44), (12, 12)))
        + area(trunk, _BARK, _BARK_LINE)
        + _mark(tints, "M37 24 Q42 14 53 15 M14 40 Q16 29 26 27 M66 29 Q75 26 81 34")
    )


def _fir(tints: Tints) -> str:
    return (
        area("M43 72 H57 V95 H43 Z", _BARK, _BARK_LINE)
        + area("M50 44 Q62 62 87 77 Q68 85 50 81 Q32 85 13 77 Q38 62 50 44 Z", tints.plain, tints.line)
        + _mark(tints, "M25 76 Q38 70 43 61")
        + area("M50 24 Q60 42 79 55 Q64 63 50 59 Q36 63 21 55 Q40 42 50 24 Z", tints.plain, tints.line)
        + _mark(tints, "M32 54 Q41 49 45 40")
        + area("M50 4 Q57 20 70 32 Q60 40 50 36 Q40 40 30 32 Q43 20 50 4 Z", tints.plain, tints.line)
        + _mark(tints, "M41 30 Q45 26 47 20")
    )


def _beech_leaf(tints: Tints) -> str:
    blade = "M50 4 C56 14 84 18 84 46 C84 66 66 79 50 84 C34 79 16 66 16 46 C16 18 44 14 50 4 Z"
    return turned(
        26,
        stroke("M50 78 V93", tints.line, 8)
        + area(blade, tints.plain, tints.line)
        + _mark(tints, "M50 17 V80 M31 30 L50 43 L69 30 M29 49 L50 63 L71 49"),
    )


def _maple_leaf(tints: Tints) -> str:
    blade = (
        "M50 4 L59 19 L68 14 L65 36 L76 28 L79 34 L92 33 L88 45 L94 51 L77 64 L79 74 L50 71 "
        "L21 74 L23 64 L6 51 L12 45 L8 33 L21 34 L24 28 L35 36 L32 14 L41 19 Z"
    )
    return (
        stroke("M50 70 V92", tints.line, 8)
        + area(blade, tints.plain, tints.line)
        + _mark(tints, "M50 18 V68 M19 41 L50 67 L81 41")
    )


def _tulip(tints: Tints) -> str:
    cup = (
        "M25 13 C33 15 38 19 41 23 C43 14 46 8 50 4 C54 8 57 14 59 23 C62 19 67 15 75 13 "
        "C84 36 76 62 50 62 C24 62 16 36 25 13 Z"
    )
    leaves = "M50 94 C29 92 18 76 17 58 C36 62 48 74 50 94 C52 74 64 62 83 58 C82 76 71 92 50 94 Z"
    return (
        area(leaves, _LEAF, _LEAF_LINE)
        + area("M46.5 58 H53.5 V95 H46.5 Z", _LEAF, _LEAF_LINE)
        + area(cup, tints.plain, tints.line)
        + _mark(tints, "M39 30 C34 43 40 52 50 57 C60 52 66 43 61 30")
    )


def _daisy(tints: Tints) -> str:
    petal = oval((50, 22), (11, 18), tints.plain, tints.line)
    return "".join(turned(45 * i, petal) for i in range(8)) + dots([(50, 50)], 16, "#ffd23e", "#5b3a10")


def _upright_bonsai(tints: Tints) -> str:
    return (
        _bent_trunk("M52 80 C66 68 36 58 48 42 C52 36 52 30 50 24 M50 60 L74 48 M45 52 L26 44")
        + _cushion(tints, (26, 42), 21)
        + _cushion(tints, (75, 46), 19)
        + _cushion(tints, (50, 20), 26)
        + area("M20 76 H80 L73 90 H27 Z", "#b5562f", "#5e2612")
    )


def _leaning_bonsai(tints: Tints) -> str:
    return (
        _bent_trunk("M42 80 C30 66 34 56 50 52 C62 49 62 40 56 28 M52 52 L76 60")
        + _cushion(tints, (78, 57), 16)
        + _foliage(tints, ((50, 24), (20, 17)), ((28, 32), (19, 14)), ((70, 32), (21, 14)))
        + _mark(tints, "M20 31 Q27 24 35 25 M46 15 Q54 13 60 19")
        + area("M21 77 H79 V84 H74 L70 91 H30 L26 84 H21 Z", "#45607c", "#1f2f40")
    )


def _bent_trunk(course: str) -> str:
    return stroke(course, _BARK_LINE, 12) + stroke(course, _BARK, 6.5)


def _cushion(tints: Tints, centre: Point, reach: float) -> str:
    """Draw the flat tuft at the end of a bonsai's branch."""
    x, y = centre
    return _foliage(tints, (centre, (reach, round(0.55 * reach, 1)))) + _mark(
        tints,
        f"M{x - reach / 2:.1f} {y} Q{x - reach / 4:.1f} {y - reach / 4:.1f} {x + reach / 4:.1f} {y - reach / 5:.1f}",
    )


def _foliage(tints: Tints, *puffs: tuple[Point, Point]) -> str:
    """Draw ellipses (centre, radii) that have grown together, with one contour around all of them."""
    backs = [oval(centre, radii, tints.line) for centre, radii in puffs]
    fronts = [oval(centre, (across - 3.5, down - 3.5), tints.plain) for centre, (across, down) in puffs]
    return "".join(backs + fronts)


def _mark(tints: Tints, course: str) -> str:
    """Draw a light line; its shaded edge is what shows on white."""
    return stroke(course, tints.shade, 8) + stroke(course, tints.light, 5)


GLYPHS = (
    Glyph("tree", (_broad_tree, _fir), ("green", "orange", "yellow", "red", "brown")),
    Glyph("leaf", (_beech_leaf, _maple_leaf), ("green", "orange", "red", "yellow", "brown")),
    Glyph("flower", (_tulip, _daisy), ("red", "blue", "orange", "pink", "purple", "yellow", "green", "black")),
    Glyph("bonsai", (_upright_bonsai, _leaning_bonsai), ("green", "orange", "pink", "red")),
)
