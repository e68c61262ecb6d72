"""Furniture, crockery, tools and other things of the house."""

from subitize.drawing.clipart.glyph import PALETTE, Glyph, Tints
from subitize.drawing.clipart.pen import area, stroke, turned


def _dining_table(tints: Tints) -> str:
    return (
        _part(tints, _box(31, 48, 9, 22) + _box(60, 48, 9, 22), tints.shade)
        + _part(tints, _box(14, 46, 11, 32) + _box(75, 46, 11, 32))
        + _part(tints, "M26 22 H74 L93 39 H7 Z")
        + _part(tints, _box(7, 39, 86, 11), tints.shade)
        + stroke("M32 30.5 H60", tints.light, 5)
    )


def _pedestal_table(tints: Tints) -> str:
    return (
        _wire(tints, "M50 66 C36 66 36 78 23 82 M50 66 C64 66 64 78 77 82 M50 60 V89", 7)
        + _part(tints, "M44 38 H56 L55 50 Q64 60 55 70 H45 Q36 60 45 50 Z", tints.shade)
        + _part(tints, "M11 28 V35 A39 13 0 0 0 89 35 V28 Z", tints.shade)
        + _part(tints, _ellipse(50, 28, 39, 13))
        + stroke("M25 28 A26 6 0 0 1 55 22", tints.light, 5)
    )


def _kitchen_chair(tints: Tints) -> str:
    return (
        _wire(tints, "M48 50 V72", 7)
        + _wire(tints, "M48 9 V46 M22 25 L48 17 M22 41 L48 33", 7)
        + _wire(tints, "M22 18 V80 M59 66 V88 M82 57 V76", 7)
        + _part(tints, "M18 57 L48 46 L88 55 V62 L59 73 L18 64 Z", tints.shade)
        + _part(tints, "M18 57 L48 46 L88 55 L59 66 Z")
    )


def _armchair(tints: Tints) -> str:
    return (
        stroke("M25 72 V81 M75 72 V81", tints.line, 9)
        + _part(tints, "M22 60 V30 Q22 8 42 8 H58 Q78 8 78 30 V60 Z")
        + stroke("M50 13 V46", tints.shade, 5)
        + _part(tints, _box(22, 60, 56, 17), tints.shade)
        + _part(tints, "M24 49 Q50 43 76 49 V62 Q50 66 24 62 Z", tints.light)
        + _part(tints, "M28 76 H18 Q13 76 12 66 L10 54 A10 10 0 1 1 28 50 Z")
        + _part(tints, "M72 76 H82 Q87 76 88 66 L90 54 A10 10 0 1 0 72 50 Z")
    )


def _barred_crib(tints: Tints) -> str:
    return (
        _part(tints, "M20 68 V56 Q24 48 38 52 L80 55 V68 Z", _PAPER)
        + _wire(tints, "M33.5 36 V68 M50 36 V68 M66.5 36 V68", 5)
        + _wire(tints, "M18 36 H82 M18 68 H82", 7)
        + _wire(tints, "M18 32 V75 M82 32 V75", 7)
        + _part(tints, _ellipse(18, 29, 7, 7) + _ellipse(82, 29, 7, 7), tints.light)
    )


def _cradle(tints: Tints) -> str:
    return (
        _wire(tints, "M28 66 V80 M72 66 V80 M15 73 Q50 97 85 73", 7)
        + _part(tints, "M8 38 Q10 12 40 14 Q46 26 44 44 H9 Z", tints.light)
        + _part(tints, "M9 40 H92 L80 71 H21 Z")
        + stroke("M27 46 L33 65 M42 46 L44 65 M58 46 L56 65 M74 46 L68 65", _ink(tints), 6)
    )


def _standing_shelf(tints: Tints) -> str:
    return (
        _part(tints, _box(27, 16, 8, 74) + _box(65, 16, 8, 74), tints.shade)
        + _part(tints, _box(38, 25, 9, 22) + "M44 77 Q38 68 45.5 66 V60 H54.5 V66 Q62 68 56 77 Z", tints.light)
        + _part(tints, _box(47, 30, 9, 17))
        + _part(tints, _box(23, 13, 54, 9) + _box(14, 45, 72, 9) + _box(18, 74, 64, 9))
    )


def _wall_shelf(tints: Tints) -> str:
    return (
        _part(tints, "M19 62 H39 Q36 79 21 81 H19 Z M81 62 H61 Q64 79 79 81 H81 Z", tints.shade)
        + _part(tints, _box(18, 22, 13, 34), tints.shade)
        + _part(tints, _box(31, 16, 12, 40), tints.light)
        + _part(tints, "M45 54 L52 20 L63 22 L56 56 Z")
        + _part(tints, "M68 56 Q62 42 71 36 V28 H82 V36 Q91 42 85 56 Z", tints.light)
        + _part(tints, _box(6, 54, 88, 10))
    )


def _closed_book(tints: Tints) -> str:
    return turned(
        -20,
        _part(tints, "M30 88 Q23 88 23 80 V18 H76 V88 Z", tints.shade)
        + _part(tints, "M32 83 Q27 83 27 78 Q27 73 32 73 H76 V83 Z", _PAPER)
        + _part(tints, "M23 80 V18 Q23 13 30 13 H76 V73 H30 Q23 73 23 80 Z")
        + stroke("M33 17 V69", tints.shade, 6)
        + _part(tints, _box(44, 24, 24, 17), tints.light),
    )


def _open_book(tints: Tints) -> str:
    cover = "M50 27 C40 17 25 18 10 27 V73 C25 69 38 72 45 82 H55 C62 72 75 69 90 73 V27 C75 18 60 17 50 27 Z"
    page = _part(tints, "M50 34 C40 25 28 24 17 30 V65 C28 60 40 62 50 71 Z", _PAPER) + stroke(
        "M25 40 C31 37.5 36 38 42 41 M25 52.5 C31 50 36 50.5 42 53.5", tints.plain, 6
    )
    return _part(tints, cover) + page + _mirrored(page)


def _dog_eared_page(tints: Tints) -> str:
    return (
        _part(tints, "M26 11 H56 L74 30 V89 H26 Z")
        + _part(tints, "M56 11 V30 H74 Z", tints.light)
        + stroke("M36 29 H45 M36 45 H64 M36 59 H64 M36 73 H54", _ink(tints), 6)
    )


def _torn_page(tints: Tints) -> str:
    teeth = "h6 v9 h6 v-9 " * 4
    return turned(
        14,
        _part(tints, f"M24 14 {teeth}h4 V71 L60 88 H24 Z")
        + _part(tints, "M76 71 L60 88 Q62 76 58 69 Q66 74 76 71 Z", tints.light)
        + stroke("M34 38 H66 M34 53 H66 M34 68 H48", _ink(tints), 6),
    )


def _mug(tints: Tints) -> str:
    return (
        _wire(tints, "M62 36 C97 28 97 78 60 70", 8)
        + _part(tints, "M12 27 L16 78 Q17 86 38 86 Q59 86 60 78 L64 27 Z")
        + stroke("M25 42 L28 72", tints.light, 7)
        + _part(tints, _ellipse(38, 26, 26, 10), tints.light)
        + area(_ellipse(38, 28, 18, 5), "#4a2c17")
    )


def _teacup(tints: Tints) -> str:
    return (
        _part(tints, "M12 74 H88 Q81 88 62 88 H38 Q19 88 12 74 Z", tints.shade)
        + _wire(tints, "M72 36 C96 28 96 62 66 58", 6)
        + _part(tints, "M10 31 C10 56 20 68 32 70 V76 H54 V70 C66 68 76 56 76 31 Z")
        + _part(tints, _ellipse(43, 30, 33, 8), tints.light)
        + stroke("M17 48 Q43 60 69 48", tints.light, 6)
    )


def _shallow_plate(tints: Tints) -> str:
    return (
        _part(tints, "M5 47 V54 A45 28 0 0 0 95 54 V47 Z", tints.shade)
        + _part(tints, _ellipse(50, 47, 45, 28))
        + _part(tints, _ellipse(50, 47, 32, 17), tints.light)
    )


def _patterned_plate(tints: Tints) -> str:
    return (
        _part(tints, _ellipse(50, 50, 46, 46))
        + f'<circle cx="50" cy="50" r="37" fill="none" stroke="{_ink(tints)}" stroke-width="10" '
        'stroke-dasharray="11.62"/>' + _part(tints, _ellipse(50, 50, 28, 28), tints.light)
    )


def _shouldered_vase(tints: Tints) -> str:
    return (
        _part(
            tints, "M32 8 H68 L61 22 C76 23 84 32 83 43 C81 62 68 72 66 91 H34 C32 72 19 62 17 43 C16 32 24 23 39 22 Z"
        )
        + _part(tints, "M18 37 H82 Q83 46 78 55 H22 Q17 46 18 37 Z", tints.light)
        + stroke("M26 50 L34 42 L42 50 L50 42 L58 50 L66 42 L74 50", tints.line, 5)
    )


def _amphora(tints: Tints) -> str:
    return (
        _wire(tints, "M40 17 C11 9 13 38 28 42 M60 17 C89 9 87 38 72 42", 6)
        + _part(tints, "M36 8 H64 L59 28 Q76 34 74 50 Q70 70 57 80 L64 92 H36 L43 80 Q30 70 26 50 Q24 34 41 28 Z")
        + _part(tints, "M26 46 H74 Q74 55 70 60 H30 Q26 55 26 46 Z", tints.shade)
        + stroke("M45 14 V27", tints.light, 5)
    )


def _wine_bottle(tints: Tints) -> str:
    return (
        _part(tints, "M43 6 H57 V30 C57 42 70 42 70 54 V90 Q70 92 66 92 H34 Q30 92 30 90 V54 C30 42 43 42 43 30 Z")
        + _part(tints, "M42 6 H58 V20 H42 Z", tints.shade)
        + _part(tints, _box(30, 59, 40, 20), _PAPER)
        + stroke("M40 69 H60", tints.plain, 6)
    )


def _water_bottle(tints: Tints) -> str:
    return turned(
        20,
        _part(tints, _box(39, 6, 22, 13), tints.shade)
        + _part(
            tints,
            "M41 19 H59 C60 28 73 28 73 40 C73 48 67 50 67 55 C67 60 73 62 73 68 V82 Q73 89 66 89 "
            "H34 Q27 89 27 82 V68 C27 62 33 60 33 55 C33 50 27 48 27 40 C27 28 40 28 41 19 Z",
        )
        + stroke("M37 35 V43 M37 68 V78", tints.light, 6)
        + stroke("M52 40 H66 M50 55 H62 M52 70 H66", _ink(tints), 5),
    )


def _pillar_candle(tints: Tints) -> str:
    return (
        _flame(50, 5)
        + _part(tints, "M29 44 H71 V89 H29 Z")
        + _part(
            tints,
            "M29 42 Q50 34 71 42 V60 Q66 68 61 60 V54 Q56 48 52 56 V70 Q47 78 42 70 V56 Q38 50 36 58 Q32 62 29 56 Z",
            tints.light,
        )
    )


def _chamberstick(tints: Tints) -> str:
    return (
        _flame(42, 5)
        + _wire(tints, "M68 74 C70 56 92 60 86 72 Q82 79 68 79", 6)
        + _part(tints, _box(33, 38, 18, 36))
        + _part(tints, "M33 38 H51 V50 Q47 58 43 50 Q38 46 33 48 Z", tints.light)
        + _part(tints, "M26 62 H58 L54 76 H30 Z", tints.shade)
        + _part(tints, "M11 69 H73 Q69 87 54 87 H30 Q15 87 11 69 Z")
    )


def _table_spoon(tints: Tints) -> str:
    return turned(
        40,
        _part(
            tints,
            "M50 4 C62 4 69 18 69 30 C69 45 57 48 56 58 L61 88 Q61 96 50 96 Q39 96 39 88 L44 58 "
            "C43 48 31 45 31 30 C31 18 38 4 50 4 Z",
        )
        + area("M50 11 C58 11 62 22 62 30 C62 39 54 42 50 46 C46 42 38 39 38 30 C38 22 42 11 50 11 Z", tints.shade)
        + stroke("M43 31 Q43 23 48 18 M50 78 V87", tints.light, 6),
    )


def _wooden_spoon(tints: Tints) -> str:
    return turned(
        -155,
        _part(
            tints,
            "M50 5 C65 5 75 13 75 25 C75 39 60 41 57 50 L57 88 Q57 95 50 95 Q43 95 43 88 L43 50 "
            "C40 41 25 39 25 25 C25 13 35 5 50 5 Z",
        )
        + area("M32 24 C34 15 66 15 68 24 C68 33 56 36 50 36 C44 36 32 33 32 24 Z", tints.light)
        + stroke("M50 58 V87", tints.shade, 5),
    )


def _table_fork(tints: Tints) -> str:
    return _part(
        tints,
        "M29 10 H37 V33 H46 V6 H54 V33 H63 V10 H71 V36 Q71 51 57 54 L60 90 Q50 97 40 90 L43 54 Q29 51 29 36 Z",
    ) + stroke("M50 60 V84 M40 42 H60", tints.light, 5)


def _dessert_fork(tints: Tints) -> str:
    return turned(
        -40,
        _part(
            tints,
            "M29 28 L32 9 H37 L41 31 H45 L48 5 H52 L55 31 H59 L63 9 H68 L71 28 Q74 48 57 54 L55 64 H45 "
            "L43 54 Q26 48 29 28 Z",
        )
        + _part(tints, "M43 60 H57 Q64 76 61 90 Q50 98 39 90 Q36 76 43 60 Z", tints.shade)
        + stroke("M50 70 V86", tints.light, 6),
    )


def _garden_trowel(tints: Tints) -> str:
    return turned(
        30,
        stroke("M50 30 V52", "#4a4a4a", 10)
        + _part(tints, "M50 95 C36 86 30 70 30 50 Q40 44 50 44 Q60 44 70 50 C70 70 64 86 50 95 Z")
        + _part(tints, "M41 12 Q41 5 50 5 Q59 5 59 12 L57 34 H43 Z", tints.shade)
        + stroke("M50 54 V78", tints.light, 6),
    )


def _brick_trowel(tints: Tints) -> str:
    return turned(
        -70,
        stroke("M50 50 V70", "#4a4a4a", 9)
        + _part(tints, "M50 4 L75 48 Q66 60 50 60 Q34 60 25 48 Z")
        + _part(tints, "M43 68 H57 L60 88 Q58 95 50 95 Q42 95 40 88 Z", tints.shade)
        + stroke("M49 22 L37 45", tints.light, 6),
    )


def _rubber_tipped_pencil(tints: Tints) -> str:
    return turned(
        35,
        _part(tints, "M39 16 V10 Q39 4 50 4 Q61 4 61 10 V16 Z", "#f0a3a8")
        + _part(tints, _box(39, 14, 22, 10), "#b9b9b9")
        + _part(tints, "M39 67 L48 94 H52 L61 67 Z", "#f3d3a0")
        + _part(tints, _box(39, 24, 22, 43))
        + area("M44 82 L48 94 H52 L56 82 Z", tints.line)
        + stroke("M54.5 27 V64", tints.shade, 5)
        + stroke("M45.5 27 V64", tints.light, 5),
    )


def _stub_of_a_pencil(tints: Tints) -> str:
    return turned(
        -60,
        _part(tints, "M34 46 L50 6 L66 46 Z", "#f3d3a0")
        + _part(tints, "M43 24 L50 6 L57 24 Q50 28 43 24 Z")
        + _part(tints, "M34 46 Q39 38 44.5 46 Q50 38 55.5 46 Q61 38 66 46 V86 Q66 92 50 92 Q34 92 34 86 Z")
        + stroke("M44.5 52 V86 M55.5 52 V86", _ink(tints), 5),
    )


def _transverse_flute(tints: Tints) -> str:
    return turned(
        62,
        _part(tints, "M42 6 Q50 3 58 6 V94 Q50 97 42 94 Z")
        + _part(tints, _ellipse(47, 20, 13, 10))
        + area(_ellipse(47, 20, 6, 4), _ink(tints))
        + _part(tints, _box(39, 34, 22, 7), tints.shade)
        + "".join(_part(tints, _ellipse(51, y, 5.5, 5.5), tints.light) for y in (51, 66, 81)),
    )


def _recorder(tints: Tints) -> str:
    return turned(
        -35,
        _part(
            tints,
            "M45 5 H55 L60 20 V34 H64 V40 H58 V76 H64 V82 L60 88 L63 94 Q50 96 37 94 L40 88 L36 82 V76 H42 V40 "
            "H36 V34 H40 V20 Z",
        )
        + area("M45 18 H55 L53 28 H47 Z " + "".join(_ellipse(50, y, 3.6, 3.6) for y in (46, 56.5, 67)), _ink(tints))
        + stroke("M41 37 H59 M41 79 H59", tints.light, 5),
    )


def _handled_corkscrew(tints: Tints) -> str:
    return (
        _wire(tints, "M50 28 V36 C50 44 34 41 34 49 C34 57 66 53 66 62 C66 71 34 67 34 76 C34 84 50 81 51 91", 6)
        + _part(
            tints,
            "M28 12 Q38 16 50 16 Q62 16 72 12 Q83 14 83 24 Q83 34 72 36 Q62 32 50 32 Q38 32 28 36 "
            "Q17 34 17 24 Q17 14 28 12 Z",
        )
        + stroke("M27 22 H73", tints.light, 5)
    )


def _winged_corkscrew(tints: Tints) -> str:
    return (
        _wire(tints, "M50 46 V50 C50 57 37 55 37 62 C37 69 63 66 63 74 C63 82 44 78 50 92", 6)
        + _wire(tints, "M42 34 C20 26 16 44 18 68 M58 34 C80 26 84 44 82 68", 8)
        + _wire(tints, _ellipse(50, 15, 10, 8), 6)
        + _part(tints, "M41 25 H59 L62 40 H66 V50 H34 V40 H38 Z", tints.shade)
        + stroke("M50 31 V43", tints.light, 6)
    )


def _round_paperclip(tints: Tints) -> str:
    bends = "M57 34 V62 A7.5 7.5 0 0 1 42 62 V23 A15 15 0 0 1 72 23 V68 A22.5 22.5 0 0 1 27 68 V36"
    return turned(30, _wire(tints, bends, 6))


def _pointed_paperclip(tints: Tints) -> str:
    return turned(-22, _wire(tints, "M57 36 V62 L49.5 70 L42 62 V22 L57 9 L72 22 V70 L49.5 91 L27 70 V38", 6))


def _part(tints: Tints, outline: str, fill: str = "") -> str:
    return area(outline, fill or tints.plain, tints.line, 4)


def _wire(tints: Tints, path: str, width: float) -> str:
    return stroke(path, tints.line, width + 4) + stroke(path, tints.plain, width - 1)


def _mirrored(shapes: str) -> str:
    return f'<g transform="translate(100 0) scale(-1 1)">{shapes}</g>'


def _box(left: float, top: float, width: float, height: float) -> str:
    return f"M{left} {top} h{width} v{height} h{-width} Z "


def _ellipse(x: float, y: float, across: float, down: float) -> str:
    return f"M{x - across} {y} a{across} {down} 0 1 0 {2 * across} 0 a{across} {down} 0 1 0 {-2 * across} 0 Z "


def _ink(tints: Tints) -> str:
    # On black a contour would not show.
    return tints.light if tints == PALETTE["black"] else tints.line


def _flame(x: float, top: float) -> str:
    tongue = "M0 0 C4 8 12 13 12 22 Q12 32 0 32 Q-12 32 -12 22 C-12 13 -3 9 0 0 Z"
    wick = stroke("M0 24 V38", "#3a2a1a", 5)
    return f'<g transform="translate({x} {top})">{area(tongue, "#ffb42e", "#a34a08", 4)}{wick}</g>'


_PAPER = "#f6e0b0"

GLYPHS: tuple[Glyph, ...] = (
    Glyph("table", (_dining_table, _pedestal_table), ("brown", "grey", "orange", "black")),
    Glyph("chair", (_kitchen_chair, _armchair), ("brown", "red", "green", "blue")),
    Glyph("crib", (_barred_crib, _cradle), ("brown", "pink", "blue", "yellow")),
    Glyph("shelf", (_standing_shelf, _wall_shelf), ("brown", "grey", "blue", "orange")),
    Glyph("book", (_closed_book, _open_book), ("red", "blue", "green", "purple")),
    Glyph("page", (_dog_eared_page, _torn_page), ("yellow", "grey", "pink", "blue")),
    Glyph("cup", (_mug, _teacup), ("blue", "red", "yellow", "green")),
    Glyph("plate", (_shallow_plate, _patterned_plate), ("blue", "grey", "green", "pink")),
    Glyph("vase", (_shouldered_vase, _amphora), ("purple", "orange", "blue", "brown")),
    Glyph("bottle", (_wine_bottle, _water_bottle), ("green", "brown", "blue")),
    Glyph("candle", (_pillar_candle, _chamberstick), ("red", "purple", "yellow", "green")),
    Glyph("spoon", (_table_spoon, _wooden_spoon), ("grey", "brown", "yellow")),
    Glyph("fork", (_table_fork, _dessert_fork), ("grey", "black", "yellow")),
    Glyph("trowel", (_garden_trowel, _brick_trowel), ("grey", "green", "red")),
    Glyph("pencil", (_rubber_tipped_pencil, _stub_of_a_pencil), ("yellow", "red", "blue", "green")),
    Glyph("flute", (_transverse_flute, _recorder), ("grey", "brown", "yellow", "black")),
    Glyph("corkscrew", (_handled_corkscrew, _winged_corkscrew), ("brown", "grey", "red")),
    Glyph("paperclip", (_round_paperclip, _pointed_paperclip), ("grey", "blue", "red", "yellow")),
)
