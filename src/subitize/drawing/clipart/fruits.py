"""Things to eat that grow on trees and vines."""

from collections.abc import Iterable

from subitize.drawing.clipart.glyph import Glyph, Tints
from subitize.drawing.clipart.pen import (
    CREAM,
    DARK_GREEN,
    GREEN,
    Point,
    area,
    clipped,
    framed,
    oval,
    scallop,
    solid,
    star,
    stroke,
    turned,
)

_STALK = "#6b4226"
_LEAF = 'fill="#5aa02c" stroke="#2f6b1f" stroke-width="1.6" stroke-linejoin="round"'


def _lobed_apple(tints: Tints) -> str:
    body = (
        "M50 37 C44 28 30 25 21 30 C8 37 7 58 16 74 C23 87 35 95 43 92.5 "
        "C47 91 53 91 57 92.5 C65 95 77 87 84 74 C93 58 92 37 79 30 C70 25 56 28 50 37 Z"
    )
    return (
        f"<defs>{_ball_light(tints)}</defs>"
        f'<path d="{body}" fill="url(#ball)" stroke="{tints.line}" stroke-width="2.2"/>'
        f'<path d="M36 35.5 Q50 46 64 35.5 Q57 50 50 39 Q43 50 36 35.5 Z" fill="{tints.line}" opacity=".45"/>'
        '<path d="M50 41 C49 31 50 21 55 11" fill="none" stroke="#6b4226" stroke-width="5" '
        'stroke-linecap="round"/>'
        f'<path d="M51.5 25 C53 12 64 6.5 76 10.5 C74 23 63 29 51.5 25 Z" {_LEAF}/>'
        '<path d="M53 24 C60 20 66 16 72 13" fill="none" stroke="#2f6b1f" stroke-width="1.3"/>'
        f'<path d="M20 55 C17 45 20 37 27 35 C31 34 31 38 28 41 C25 44 24 49 24 54 C24 58 21 59 20 55 Z" '
        f'fill="{tints.light}" opacity=".85"/>'
    )


def _round_apple(tints: Tints) -> str:
    body = (
        "M50 33 C42 24 26 24 16 34 C4 47 9 71 23 84 C31 91.5 40 94 50 90 "
        "C60 94 69 91.5 77 84 C91 71 96 47 84 34 C74 24 58 24 50 33 Z"
    )
    return (
        f'<defs><clipPath id="body"><path d="{body}"/></clipPath></defs>'
        f'<path d="{body}" fill="{tints.plain}"/>'
        f'<path d="M86 20 C93 62 66 90 21 82 L30 110 L110 110 L110 20 Z" fill="{tints.shade}" '
        'clip-path="url(#body)"/>'
        f'<path d="{body}" fill="none" stroke="{tints.line}" stroke-width="2.6" stroke-linejoin="round"/>'
        '<path d="M47 38 C49 30 47 20 43 11 L49.5 8 C53 18 54 29 53 38 C52 42 47 42 47 38 Z" fill="#7a4a21" '
        'stroke="#4f2f14" stroke-width="1.4" stroke-linejoin="round"/>'
        f'<path d="M49.5 24 C45 13 33 9 23 15 C28 26 39 31 49.5 24 Z" {_LEAF}/>'
        '<path d="M47 22.5 C40 18 34 16.5 27 16" fill="none" stroke="#2f6b1f" stroke-width="1.3"/>'
        f'<ellipse cx="27" cy="46" rx="6" ry="9.5" transform="rotate(28 27 46)" fill="{tints.light}"/>'
        f'<circle cx="21" cy="60" r="2.8" fill="{tints.light}"/>'
    )


def _ball_light(tints: Tints) -> str:
    return (
        '<radialGradient id="ball" cx=".36" cy=".36" r=".72">'
        f'<stop offset="0" stop-color="{tints.plain}"/><stop offset=".5" stop-color="{tints.plain}"/>'
        f'<stop offset="1" stop-color="{tints.shade}"/></radialGradient>'
    )


@framed(44, 50.5, 53)
def _halved_lychee(tints: Tints) -> str:
    return (
        stroke("M50 24 Q50 12 56 6", _STALK, 7)
        + area("M50 22 C42 6 28 3 15 9 C20 23 34 30 50 22 Z", GREEN, DARK_GREEN)
        + solid(scallop((50, 58), (38, 37), 18), tints)
        + oval((50, 58), (26, 26), CREAM, tints.line)
        + oval((50, 59), (13, 17), tints.shade, tints.line)
        + stroke("M46 54 Q46 49 50 47", tints.light, 5)
    )


def _peeled_lychee(tints: Tints) -> str:
    peel = (
        "M50 13 Q58 10 64 16 Q74 15 77 24 Q87 27 86 37 Q93 44 88 52 Q93 60 87 70 L72 62 L64 80 L52 64 L40 74 "
        "L31 60 L18 72 Q7 66 11 56 Q6 46 14 38 Q13 27 23 24 Q26 15 36 16 Q42 10 50 13 Z"
    )
    return turned(
        -24,
        stroke("M50 20 V6", _STALK, 8)
        + oval((50, 62), (32, 34), CREAM, "#a88f86")
        + solid(peel, tints)
        + _scales([(38, 29), (60, 29), (26, 46), (49, 46), (72, 46)], tints),
    )


def _scales(places: Iterable[Point], tints: Tints) -> str:
    return "".join(stroke(f"M{x - 6} {y + 4} Q{x} {y - 8} {x + 6} {y + 4}", tints.light, 5) for x, y in places)


@framed(50, 51.5, 49.5)
def _whole_durian(tints: Tints) -> str:
    thorns = [(38, 36), (59, 34), (28, 54), (49, 53), (70, 52), (38, 73), (59, 71)]
    return (
        area("M43 24 V6 Q50 2 57 6 V24 Z", _STALK, "#402512", 3)
        + solid(star((50, 56), (46, 41), (34, 30), 15), tints)
        + _thorns(thorns, tints)
    )


def _thorns(places: Iterable[Point], tints: Tints) -> str:
    return "".join(
        area(f"M{x - 8} {y + 7} L{x} {y - 8} L{x + 8} {y + 7} Z", tints.light, tints.line, 3) for x, y in places
    )


@framed(50, 51.5, 49.5)
def _opened_durian(tints: Tints) -> str:
    thorns = [(20, 42), (22, 64), (80, 42), (78, 64)]
    return (
        area("M43 24 V6 Q50 2 57 6 V24 Z", _STALK, "#402512", 3)
        + solid(star((50, 56), (46, 41), (34, 30), 14), tints)
        + _thorns(thorns, tints)
        + area("M50 22 C74 38 74 74 50 90 C26 74 26 38 50 22 Z", CREAM, tints.line)
        + oval((50, 45), (9, 12), tints.plain, tints.line)
        + oval((50, 69), (9, 11), tints.plain, tints.line)
    )


@framed(50, 48.5, 49)
def _halved_coconut(tints: Tints) -> str:
    return (
        solid("M5 42 C5 74 24 95 50 95 C76 95 95 74 95 42 Z", tints)
        + stroke("M20 70 L18 62 M33 81 L31 72 M50 85 V75 M67 81 L69 72 M80 70 L82 62", tints.light, 5)
        + oval((50, 38), (45, 26), tints.plain, tints.line)
        + oval((50, 38), (38, 20.5), CREAM, tints.line)
        + oval((50, 41), (23, 11), tints.shade, tints.line)
    )


@framed(51, 47.5, 52)
def _tapped_coconut(tints: Tints) -> str:
    return (
        stroke("M50 32 L62 6 H74", "#8c1020", 9)
        + stroke("M50 32 L62 6 H74", "#f0566a", 4)
        + solid("M14 36 C2 56 8 96 50 96 C92 96 98 56 86 36 Z", tints)
        + stroke("M17 60 v9 M30 70 v10 M44 66 v9 M57 74 v10 M70 66 v9 M83 60 v9", tints.light, 5.5)
        + oval((50, 35), (37, 14), CREAM, tints.line)
        + oval((50, 36), (22, 7), tints.shade, tints.line)
        + stroke("M50 34 L57 19", "#8c1020", 9)
        + stroke("M50 34 L57 19", "#f0566a", 4)
    )


@framed(50, 50, 50.5)
def _picked_olive(tints: Tints) -> str:
    return turned(
        -26,
        stroke("M4 50 H96", "#8a5d2b", 8)
        + oval((49, 50), (38, 30), tints.plain, tints.line)
        + stroke("M20 46 C24 36 34 29 46 28", tints.light, 7)
        + oval((71, 50), (13, 17), "#e23b2e", "#3d0d08")
        + stroke("M74 50 H96", "#8a5d2b", 8),
    )


@framed(51, 47.5, 52)
def _leafy_olive(tints: Tints) -> str:
    return (
        stroke("M20 10 C36 14 48 22 54 34", _STALK, 6)
        + area("M36 18 C46 2 66 0 82 8 C74 24 52 30 36 18 Z", "#7d9a4a", "#42581f")
        + area("M26 14 C12 24 8 44 14 62 C30 50 36 30 26 14 Z", "#7d9a4a", "#42581f")
        + oval((59, 65), (26, 31), tints.plain, tints.line, -10)
        + stroke("M44 64 C43 55 47 47 53 43", tints.light, 7)
        + oval((67, 90), (4, 3), tints.line)
    )


@framed(51, 51, 49)
def _striped_watermelon(tints: Tints) -> str:
    body = "M4 52 C4 28 24 17 50 17 C76 17 96 28 96 52 C96 76 76 87 50 87 C24 87 4 76 4 52 Z"
    bands = (
        "M4 52 C14 34 22 38 30 28 S44 34 52 26 S66 34 74 30 S90 42 96 52 "
        "M4 52 C14 48 22 58 32 50 S48 58 56 50 S72 58 80 50 S92 54 96 52 "
        "M4 52 C14 72 22 66 30 76 S44 70 52 78 S66 70 74 74 S90 62 96 52"
    )
    return turned(
        -20,
        stroke("M96 52 Q97 46 94 42", DARK_GREEN, 6)
        + area(body, tints.plain)
        + clipped(body, stroke(bands, tints.line, 9))
        + stroke("M28 40 Q40 36 50 39 M30 65 Q44 62 56 64", tints.light, 6)
        + area(body, "none", tints.line, 4),
    )


@framed(50, 37, 49.5)
def _watermelon_slice(tints: Tints) -> str:
    seeds = [(28, 38), (50, 38), (72, 38), (39, 56), (61, 56)]
    return (
        area("M4 27 H96 C96 62 76 84 50 84 C24 84 4 62 4 27 Z", "#2e7d32", "#174a1c", 4)
        + area("M8 28 H92 C90 59 72 80 50 80 C28 80 10 59 8 28 Z", CREAM)
        + area("M13 28 H87 C85 56 69 75 50 75 C31 75 15 56 13 28 Z", tints.plain)
        + "".join(area(f"M{x} {y - 7} q9 12 0 13 q-9 -1 0 -13 Z", "#1d1210", tints.light, 1.5) for x, y in seeds)
    )


@framed(48.5, 45, 58)
def _curved_banana(tints: Tints) -> str:
    body = "M80 6 L90 8 C100 42 88 76 58 90 C38 98 18 94 7 82 L12 72 C38 72 58 58 66 36 C72 26 78 18 80 6 Z"
    return (
        solid(body, tints)
        + stroke("M82 26 C83 52 66 74 38 83", tints.shade, 7)
        + stroke("M82 8 L87 10 M12 77 L11 81", "#4a3210", 9)
    )


@framed(50, 51, 49.5)
def _peeled_banana(tints: Tints) -> str:
    peel = (
        "M36 46 C28 44 12 52 8 72 C18 68 28 66 36 62 C36 78 40 92 50 96 C60 92 64 78 64 62 C72 66 82 68 92 72 "
        "C88 52 72 44 64 46 C60 56 56 60 50 66 C44 60 40 56 36 46 Z"
    )
    return (
        area("M36 52 C34 30 40 8 50 4 C60 8 66 30 64 52 L50 70 Z", CREAM, "#a08452", 4)
        + solid(peel, tints)
        + stroke("M50 76 V88", tints.shade, 6)
    )


GLYPHS = (
    Glyph("apple", (_lobed_apple, _round_apple), ("red", "green", "yellow")),
    Glyph("lychee", (_halved_lychee, _peeled_lychee), ("red", "pink", "purple")),
    Glyph("durian", (_whole_durian, _opened_durian), ("green", "yellow", "brown")),
    Glyph("coconut", (_halved_coconut, _tapped_coconut), ("brown", "green", "orange")),
    Glyph("olive", (_picked_olive, _leafy_olive), ("green", "black", "purple")),
    Glyph("watermelon", (_striped_watermelon, _watermelon_slice), ("green", "red", "yellow")),
    Glyph("banana", (_curved_banana, _peeled_banana), ("yellow", "green", "red")),
)
