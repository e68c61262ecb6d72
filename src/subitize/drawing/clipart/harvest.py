"""Vegetables, nuts, grains and spice."""

from subitize.drawing.clipart.glyph import Glyph, Tints
from subitize.drawing.clipart.pen import (
    CREAM,
    DARK_GREEN,
    GREEN,
    area,
    clipped,
    dots,
    framed,
    oval,
    ribbon,
    solid,
    stroke,
    turned,
)

_KERNEL = ("#b6d957", "#46600f")


@framed(50, 50, 49)
def _leafy_parsnip(tints: Tints) -> str:
    root = "M28 40 C30 30 70 30 72 40 C76 54 62 64 57 74 C53 82 52 90 50 97 C48 90 47 82 43 74 C38 64 24 54 28 40 Z"
    return (
        area("M50 36 C34 38 20 30 20 17 C34 14 46 22 50 36 Z", GREEN, DARK_GREEN)
        + area("M50 36 C66 38 80 30 80 17 C66 14 54 22 50 36 Z", GREEN, DARK_GREEN)
        + area("M50 36 C39 26 39 12 50 3 C61 12 61 26 50 36 Z", GREEN, DARK_GREEN)
        + area(root, tints.light)
        + clipped(root, area("M58 30 C66 50 52 64 48 98 H90 V30 Z", tints.plain))
        + area(root, "none", tints.line, 4)
        + stroke("M30 52 H44 M58 46 H70 M42 65 H50 M48 77 H53", tints.line, 4.5)
    )


@framed(50, 54, 56)
def _trimmed_parsnip(tints: Tints) -> str:
    root = "M56 24 C66 10 92 30 84 48 C78 62 58 60 44 70 C33 78 20 90 9 88 C10 80 20 76 26 64 C34 50 44 40 56 24 Z"
    return (
        stroke("M74 30 L80 14 M80 34 L90 24", DARK_GREEN, 11)
        + stroke("M74 30 L80 14 M80 34 L90 24", GREEN, 5)
        + area(root, tints.light)
        + clipped(root, area("M96 30 C76 60 50 56 8 92 L40 96 L100 70 Z", tints.plain))
        + area(root, "none", tints.line, 4)
        + stroke("M62 24 Q76 28 80 44 M46 40 L54 47 M33 57 L40 64 M58 60 L55 54", tints.line, 4.5)
    )


@framed(49.5, 50.5, 48.5)
def _rolled_cinnamon_stick(tints: Tints) -> str:
    """Two quills of one bark, rolled towards each other."""
    return turned(
        38,
        solid("M33 20 V93 Q50 98 67 93 V20 Z", tints)
        + stroke("M50 32 V94", tints.line, 5)
        + stroke("M41 40 V84", tints.light, 5)
        + stroke("M60 48 V76", tints.shade, 5)
        + oval((40, 19), (14, 13), tints.light, tints.line)
        + oval((60, 19), (14, 13), tints.light, tints.line)
        + stroke("M50 19 C50 10 35 8 33 18 C32 26 43 27 43 20", tints.line, 5)
        + stroke("M50 19 C50 10 65 8 67 18 C68 26 57 27 57 20", tints.line, 5),
    )


@framed(50.5, 49.5, 47)
def _curled_cinnamon_stick(tints: Tints) -> str:
    return turned(
        -30,
        solid("M22 34 H92 Q98 50 92 66 H22 Z", tints)
        + stroke("M44 43 H90", tints.light, 5)
        + stroke("M46 56 H78", tints.shade, 5)
        + oval((22, 50), (16, 18), tints.light, tints.line)
        + stroke("M22 33 C8 38 10 62 22 61 C33 59 31 42 22 43 C17 44 17 52 21 53", tints.line, 5),
    )


@framed(47.5, 47.5, 47.5)
def _split_pistachio(tints: Tints) -> str:
    return turned(
        22,
        area("M42 20 C52 8 66 14 66 34 L58 74 L44 70 Z", *_KERNEL)
        + solid("M50 94 C24 92 12 68 19 46 C24 28 36 12 41 4 C42 24 45 44 50 66 Z", tints)
        + solid("M50 94 C76 92 88 68 81 46 C78 30 72 18 66 10 C64 30 57 46 50 66 Z", tints)
        + stroke("M28 66 C26 54 29 44 33 36", tints.light, 7)
        + stroke("M73 52 C74 62 71 72 64 79", tints.shade, 6),
    )


@framed(51, 51.5, 48)
def _open_pistachio(tints: Tints) -> str:
    shell = (
        "M50 97 C22 94 6 66 12 40 C14 28 20 18 28 12 C28 40 36 58 50 66 C64 58 72 40 72 12 C80 18 86 28 88 40 "
        "C94 66 78 94 50 97 Z"
    )
    return turned(
        -30,
        oval((50, 44), (21, 33), *_KERNEL)
        + stroke("M44 28 Q41 38 43 50 M56 24 Q60 36 57 52", "#74508c", 5)
        + solid(shell, tints)
        + stroke("M21 50 C21 64 28 76 38 83", tints.light, 7)
        + stroke("M50 70 V92", tints.line, 5),
    )


@framed(50.5, 48.5, 51)
def _whole_okra(tints: Tints) -> str:
    return turned(
        26,
        stroke("M50 16 V5", tints.line, 14)
        + stroke("M50 16 V6", tints.shade, 7)
        + solid("M33 24 C30 50 40 78 50 97 C60 78 70 50 67 24 Z", tints)
        + stroke("M50 34 V86 M40 36 C40 50 42 58 44 66 M60 36 C60 50 58 58 56 66", tints.light, 4.5)
        + area("M29 27 C29 15 40 14 50 14 C60 14 71 15 71 27 Q60 32 50 28 Q40 32 29 27 Z", tints.shade, tints.line),
    )


@framed(52, 49, 49.5)
def _cut_okra(tints: Tints) -> str:
    seeds = [(50, 15), (61, 22), (57, 33), (43, 33), (39, 22)]
    return turned(
        -24,
        solid("M26 26 C28 56 38 80 54 97 C64 80 73 56 74 26 Z", tints)
        + stroke("M39 54 Q43 70 51 82 M60 54 Q59 66 56 74", tints.light, 5)
        + area("M50 3 L75 20 L66 43 Q50 48 34 43 L25 20 Z", tints.light, tints.line, 4)
        + dots(seeds, 4.6, tints.line),
    )


def _spotted_mushroom(tints: Tints) -> str:
    return (
        area("M38 52 C40 68 36 78 32 88 Q50 96 68 88 C64 78 60 68 62 52 Z", CREAM, "#8a6a45", 4)
        + solid("M5 56 C4 26 26 6 50 6 C74 6 96 26 95 56 C80 64 20 64 5 56 Z", tints)
        + oval((50, 24), (11, 9), CREAM, tints.shade)
        + oval((24, 43), (8, 9), CREAM, tints.shade)
        + oval((76, 43), (8, 9), CREAM, tints.shade)
        + oval((50, 50), (7, 5.5), CREAM, tints.shade)
    )


@framed(50, 49, 48.5)
def _gilled_mushroom(tints: Tints) -> str:
    return turned(
        14,
        solid("M4 46 C6 20 26 5 50 5 C74 5 94 20 96 46 C96 54 92 60 86 60 H14 C8 60 4 54 4 46 Z", tints)
        + oval((50, 54), (43, 16), tints.light, tints.line)
        + stroke("M20 54 L32 54 M30 45 L38 50 M50 42 V48 M70 45 L62 50 M80 54 L68 54", tints.line, 4.5)
        + solid("M40 54 C42 70 41 82 38 92 Q50 98 62 92 C59 82 58 70 60 54 Z", tints)
        + stroke("M29 26 Q36 17 46 15", tints.light, 7),
    )


@framed(50.5, 50.5, 49.5)
def _polished_rice_grain(tints: Tints) -> str:
    grain = (
        "M52 3 C64 10 72 30 71 52 C70 74 62 92 50 97 C38 92 29 72 29 50 C29 40 30 32 32 25 "
        "C41 26 45 20 42 9 C45 5 48 3 52 3 Z"
    )
    return turned(
        35,
        area(grain, tints.light)
        + clipped(grain, area("M60 0 C56 30 62 70 40 100 H90 V0 Z", tints.plain))
        + area(grain, "none", tints.line, 4.5)
        + stroke("M42 46 C41 56 42 64 45 72", "#ffffff", 6),
    )


@framed(50, 50, 49.5)
def _husked_rice_grain(tints: Tints) -> str:
    grain = "M50 12 C68 24 75 40 73 56 C71 72 62 84 50 88 C38 84 29 72 27 56 C25 40 32 24 50 12 Z"
    return turned(
        -28,
        stroke("M50 24 V5", tints.line, 8)
        + area("M50 97 L35 78 L50 84 L65 78 Z", tints.shade, tints.line)
        + solid(grain, tints)
        + stroke("M50 28 V76", tints.light, 6)
        + stroke("M38 36 Q35 56 42 72 M62 36 Q65 56 58 72", tints.line, 5),
    )


@framed(50, 50, 49.5)
def _striped_seed(tints: Tints) -> str:
    return turned(
        18,
        solid("M50 3 C56 16 76 44 76 66 C76 86 64 97 50 97 C36 97 24 86 24 66 C24 44 44 16 50 3 Z", tints)
        + ribbon("M50 24 V86", 6, tints.shade)
        + ribbon("M40 46 C35 56 34 66 36 78 M60 46 C65 56 66 66 64 78", 5, tints.shade),
    )


@framed(52.5, 47.5, 52)
def _sprouting_seed(tints: Tints) -> str:
    bean = "M6 56 C8 38 26 34 42 42 C62 50 80 54 80 72 C78 88 56 88 36 84 C16 80 4 72 6 56 Z"
    return (
        stroke("M58 62 C74 52 76 40 70 24", DARK_GREEN, 8)
        + area("M71 30 C56 28 46 18 46 5 C62 4 72 14 71 30 Z", GREEN, DARK_GREEN)
        + area("M71 30 C72 20 80 13 91 16 C92 28 84 36 71 30 Z", GREEN, DARK_GREEN)
        + stroke("M34 80 C34 88 38 92 44 94", "#8a6a45", 8)
        + solid(bean, tints)
        + stroke("M18 54 Q24 46 34 50", tints.light, 7)
        + area("M50 58 L66 52 L72 66 L60 70 Z", CREAM, tints.line, 3)
    )


GLYPHS = (
    Glyph("parsnip", (_leafy_parsnip, _trimmed_parsnip), ("yellow", "brown", "orange")),
    Glyph("cinnamon stick", (_rolled_cinnamon_stick, _curled_cinnamon_stick), ("brown", "orange", "red")),
    Glyph("pistachio", (_split_pistachio, _open_pistachio), ("yellow", "brown", "green")),
    Glyph("okra", (_whole_okra, _cut_okra), ("green", "red", "purple")),
    Glyph("mushroom", (_spotted_mushroom, _gilled_mushroom), ("red", "brown", "orange", "yellow")),
    Glyph("rice grain", (_polished_rice_grain, _husked_rice_grain), ("yellow", "brown", "black")),
    Glyph("seed", (_striped_seed, _sprouting_seed), ("black", "brown", "yellow")),
)
