"""Animals and people."""

from dataclasses import replace

from subitize.drawing.clipart.glyph import Glyph, Tints


def _man(tints: Tints) -> str:
    return (
        _fused(_LEATHER, _oval(36, 88, 6.5, 4.2) + _oval(64, 88, 6.5, 4.2))
        + _fused(_in_shade(tints), limbs=_path("M42 60 L38 82") + _path("M58 60 L62 82"), thick=11)
        + _fused(_FAIR, _oval(21, 61, 5) + _oval(79, 61, 5))
        + _fused(tints, limbs=_path("M36 42 L25 55") + _path("M64 42 L75 55"), thick=10)
        + _fused(tints, _path("M33 39 Q50 30 67 39 L66 62 H34 Z"))
        + _stroke(tints.light, 5, "M40 36 Q50 48 60 36")
        + _fused(_FAIR, _oval(50, 18.5, 12.5))
        + _fill(_DARK_HAIR, _path("M35 21 C31 -2 69 -2 65 21 Q60 12 50 12 Q40 12 35 21 Z"))
        + _smiling_face(50, 21)
    )


def _woman(tints: Tints) -> str:
    return (
        _fused(_LEATHER, _oval(40, 89.5, 6, 4) + _oval(60, 89.5, 6, 4))
        + _fused(_in_shade(tints), limbs=_mirrored(_path("M58 70 V83")), thick=8)
        + _fill(_BROWN_HAIR, _path("M50 2.5 C26 2 33 24 30 41 Q50 50 70 41 C67 24 74 2 50 2.5 Z"))
        + _fused(_TAN, limbs=_mirrored(_path("M64 43 L80 57")), thick=7)
        + _fused(tints, limbs=_mirrored(_path("M63 42 L69 48")), thick=8)
        + _fused(tints, _path("M36 38 Q50 33 64 38 L64 52 L82 74 Q50 84 18 74 L36 52 Z"))
        + _stroke(tints.light, 6, "M39 53 Q50 57 61 53")
        + _fused(_TAN, _oval(50, 20, 12.5))
        + _fill(_BROWN_HAIR, _path("M34.5 25 C32 2 68 2 65.5 25 Q62 14 46 11 Q42 19 34.5 25 Z"))
        + _smiling_face(50, 23)
    )


def _waver(tints: Tints) -> str:
    return (
        _fused(_LEATHER, _oval(31.5, 85.5, 6.5, 4.2) + _oval(68.5, 85.5, 6.5, 4.2))
        + _fused(_in_shade(tints), limbs=_path("M43 60 L33 79") + _path("M57 60 L67 79"), thick=12)
        + _fused(_DARK, _oval(80.5, 25.5, 5.5) + _oval(19, 58, 5.5))
        + _fused(tints, limbs=_path("M63 43 L75 32") + _path("M37 43 L23 53"), thick=10)
        + _fused(tints, _path("M34 39 Q50 31 66 39 L65 64 H35 Z"))
        + _stroke(tints.light, 6, "M37 51 H63")
        + _fused(_DARK, _oval(50, 21, 12.5))
        + _fused(tints, _path("M37.5 16 C37 2 63 2 62.5 16 L69 18 Q50 13 37.5 16 Z"))
        + _smiling_face(50, 24)
    )


def _spotted_butterfly(tints: Tints) -> str:
    upper = _path("M50 48 C50 24 66 11 80 18 C93 27 88 47 74 53 C65 56 55 54 50 50 Z")
    lower = _path("M50 50 C64 52 84 57 81 72 C77 87 59 86 50 60 Z")
    return (
        _feelers("M50 28 Q46 16 37 10 M50 28 Q54 16 63 10")
        + _fused(_in_shade(tints), _mirrored(lower))
        + _fused(tints, _mirrored(upper))
        + _fill(tints.line, _mirrored(_oval(73, 34, 10)))
        + _fill(tints.light, _mirrored(_oval(73, 34, 6) + _oval(68, 70, 6.5)))
        + _fill(_INK, _oval(50, 54, 5, 25) + _oval(50, 29, 6.5))
    )


def _swallowtail(tints: Tints) -> str:
    upper = _path("M50 46 C54 30 66 15 84.5 22 Q90 36 80 50 Q64 58 50 50 Z")
    lower = _path("M50 50 L80 50 C87 62 82 70 75 73 L75 86 Q71 91 69 85 L65 76 C56 76 51 66 50 58 Z")
    return (
        _feelers("M50 26 L41 9 M50 26 L59 9")
        + _fused(tints, _mirrored(lower) + _mirrored(upper))
        + _mirrored(_stroke(tints.line, 5, "M50 50 L76 30 M50 50 L79 48 M50 50 L70 66"))
        + _fill("#ffffff", _mirrored(_oval(82, 27, 3.4) + _oval(82.5, 38, 3.4) + _oval(78, 60, 3.4)))
        + _fill(_INK, _oval(50, 50, 5.5, 25))
    )


def _resting_butterfly(tints: Tints) -> str:
    return (
        _feelers("M24 58 L9 40 M24 58 L22 36")
        + _fused(_in_shade(tints), _path("M48 66 C62 44 88 42 91 58 C92 76 66 86 50 72 Z"))
        + _fused(tints, _path("M42 68 C24 44 34 12 62 7 C84 16 82 52 54 70 Z"))
        + _fill(tints.line, _oval(60, 23, 10))
        + _fill(tints.light, _oval(60, 23, 6) + _oval(75, 61, 7))
        + _stroke(tints.light, 5, "M46 58 L46 38 M52 58 L66 42")
        + _stroke(_INK, 10, "M26 60 L76 82")
        + _fill(_INK, _oval(25, 60, 8))
    )


def _standing_dog(tints: Tints) -> str:
    return (
        _fused(_in_shade(tints), limbs=_path("M46 62 V82") + _path("M65 62 V82"), thick=9)
        + _fused(
            tints,
            _path("M30 34 Q52 47 76 44 Q84 50 80 66 Q54 60 34 68 Q24 58 24 44 Z")
            + _oval(28, 30, 15, 14)
            + _oval(17.5, 37, 10, 7.5),
            _path("M33 62 V84") + _path("M75.5 60 V81") + _path("M77 48 Q87 43 84 29"),
            thick=9,
        )
        + _fill(_INK, _oval(12, 34.5, 5, 4.5))
        + _stroke(tints.light, 7, "M25 49 Q36 56 47 45")
        + _fused(_in_shade(tints), _path("M31 19 C44 16 48 34 43 45 C36 45 32 34 31 19 Z"))
        + _eye(23, 27, 4.5)
    )


def _dog_face(tints: Tints) -> str:
    return (
        _fused(tints, _path("M50 12 C70 10 80 28 78 52 C78 78 66 90 50 90 C34 90 22 78 22 52 C20 28 30 10 50 12 Z"))
        + _fused(
            _in_shade(tints), _mirrored(_path("M66 17 C84 10 96 36 90 62 C86 74 76 70 75 54 C74 38 70 28 66 17 Z"))
        )
        + _fill(tints.light, _oval(50, 70, 20, 17) + _path("M46 12 H54 L56 36 Q50 42 44 36 Z"))
        + _fill("#ef5d7d", _path("M43 74 H57 V82 Q50 94 43 82 Z"))
        + _stroke(_INK, 4, "M36 70 Q43 78 50 68 Q57 78 64 70")
        + _fill(_INK, _path("M38 52 Q50 44 62 52 Q61 65 50 68 Q39 65 38 52 Z"))
        + _mirrored(_eye(64, 42, 6))
    )


def _sitting_cat(tints: Tints) -> str:
    return (
        _fused(tints, limbs=_path("M62 84 C80 85 86 70 78 62 C73 56 75 49 83 49"), thick=9)
        + _fused(tints, _path("M36 44 C28 62 25 79 30 90 H70 C75 79 72 62 64 44 Z"))
        + _fill(tints.light, _oval(50, 60, 9, 12))
        + _stroke(tints.line, 4, "M42 74 V88 M58 74 V88")
        + _fused(tints, _oval(50, 32, 22, 18) + _mirrored(_path("M54 20 L66.5 8.5 L71 30 Z")))
        + _fill(_INNER_EAR, _mirrored(_path("M61.5 18 L65 14.5 L66.5 22 Z")))
        + _stroke(tints.line, 5, "M50 15 V22")
        + _mirrored(_eye(59, 31, 5.5))
        + _cat_nose(50, 40)
    )


def _cat_face(tints: Tints) -> str:
    return (
        _fused(tints, _oval(50, 59, 38, 30) + _mirrored(_path("M60 32 L79.5 16 L87 54 Z")))
        + _fill(_INNER_EAR, _mirrored(_path("M68 32 L76.5 25 L79 42 Z")))
        + _stroke(tints.line, 6, "M50 32 V43 M40 33 V40 M60 33 V40")
        + _fill(tints.light, _oval(41, 73, 12, 10) + _oval(59, 73, 12, 10))
        + _mirrored(_eye(67, 55, 8) + _stroke(_INK, 3, "M66 71 L84 67 M66 76 L81 79"))
        + _cat_nose(50, 67, 1.5)
    )


def _long_fish(tints: Tints) -> str:
    return (
        _fused(
            _in_shade(tints), _path("M32 36 Q46 16 70 22 Q62 32 66 42 Z") + _path("M38 64 Q46 80 62 78 Q56 70 60 60 Z")
        )
        + _fused(tints, _path("M5 50 C18 26 52 24 72 45 L89 29 Q82 50 89 71 L72 55 C52 76 18 74 5 50 Z"))
        + _fill(tints.light, _path("M12 56 C26 72 50 70 66 56 Q40 62 12 56 Z"))
        + _stroke(tints.line, 5, "M36 36 Q44 50 36 63")
        + _stroke(tints.shade, 5, "M50 42 Q55 49 50 56 M62 44 Q66 50 62 55")
        + _eye(22, 45, 6)
    )


def _tall_fish(tints: Tints) -> str:
    return (
        _fused(_in_shade(tints), _path("M22 50 L7.3 36.3 Q11 50 7.3 63.7 Z"))
        + _fused(
            tints,
            _path(
                "M95 52 C84 34 72 30 66 22 Q58 6 44 6 Q46 20 38 30 Q24 40 18 50 "
                "Q24 60 38 70 Q46 80 44 94 Q58 94 66 78 C72 72 86 68 95 52 Z"
            ),
        )
        + _stroke(tints.light, 8, "M62 24 Q68 50 62 76 M44 32 Q48 50 44 68")
        + _stroke(tints.line, 5, "M88 56 L82 58")
        + _eye(80, 45, 6)
    )


def _ant_from_above(tints: Tints) -> str:
    legs = "M50 42 L72 36 L80 20 M50 46 L76 48 L90 60 M50 50 L70 62 L79 81"
    return (
        _mirrored(_stroke(tints.line, 7, legs + " M54 19 L64 15 L61 8"))
        + _fused(tints, _oval(50, 23, 12, 10) + _oval(50, 44, 8.5, 11) + _oval(50, 74, 16, 19))
        + _stroke(tints.light, 5, "M40 66 Q50 71 60 66 M40 77 Q50 82 60 77")
        + _fill("#ffffff", _mirrored(_oval(57, 20, 3)))
    )


def _ant_from_the_side(tints: Tints) -> str:
    return (
        _stroke(tints.line, 7, "M44 52 L32 62 L24 80 M50 54 L46 68 L44 84 M56 52 L64 66 L72 82")
        + _stroke(tints.line, 7, "M21 40 L22 29 L11.5 27.5 M26 38 L34 24 L26 14")
        + _fused(tints, _oval(22, 46, 14, 12) + _oval(48, 48, 11, 9) + _oval(75, 44, 18, 15, -15))
        + _stroke(tints.light, 5, "M70 34 Q76 44 73 55 M81 32 Q87 42 84 51")
        + _eye(18, 43, 4.5)
    )


def _fly_from_above(tints: Tints) -> str:
    legs = "M54 40 L74 34 L80 22 M54 48 L82 44 M54 56 L66 74 L64 88"
    wing = _path("M54 42 C70 40 92 54 86 70 C80 84 60 76 54 52 Z")
    return (
        _mirrored(_stroke(tints.line, 6, legs))
        + _fused(tints, _oval(50, 46, 15, 14) + _oval(50, 70, 13, 20))
        + _stroke(tints.light, 5, "M42 70 H58 M43 80 H57")
        + _mirrored(_fused(_in_light(tints), wing))
        + _fused(tints, _oval(50, 24, 12, 11))
        + _mirrored(_fused(_FLY_EYE, _oval(62, 22, 9, 10)))
    )


def _fly_from_the_side(tints: Tints) -> str:
    return (
        _stroke(tints.line, 6, "M38 62 L28 74 L30 86 M46 64 L46 88 M56 62 L66 74 L64 88 M18 58 L16 72")
        + _fused(tints, _oval(43, 50, 18, 16) + _oval(68, 58, 19, 12, 15))
        + _stroke(tints.light, 5, "M66 60 L63 68 M76 62 L73 70")
        + _fused(_in_light(tints), _path("M42 42 C48 20 76 10 88 26 C94 38 76 52 46 50 Z"))
        + _stroke(tints.shade, 4, "M46 48 L76 30")
        + _fused(tints, _oval(22, 50, 13))
        + _fused(_FLY_EYE, _oval(20, 46, 10, 11))
    )


def _smiling_axolotl(tints: Tints) -> str:
    gills = _path("M72 34 L79 21.5") + _path("M80 42 L88 36.5") + _path("M80 52 L90 53.5")
    return (
        _fused(_in_shade(tints), limbs=_mirrored(gills), thick=8)
        + _fused(tints, _oval(50, 76, 17, 17), _mirrored(_path("M60 72 L76 78")), thick=8)
        + _fill(tints.light, _oval(50, 80, 10, 10))
        + _fused(tints, _oval(50, 46, 33, 23))
        + _mirrored(_eye(68, 41, 5))
        + _stroke(_INK, 4.5, "M34 52 Q50 64 66 52")
    )


def _walking_axolotl(tints: Tints) -> str:
    return (
        _fused(
            _in_shade(tints), limbs=_path("M38 44 L30 19") + _path("M42 44 L46 15") + _path("M46 46 L61 22"), thick=7
        )
        + _fused(_in_light(tints), _path("M52 48 C64 32 84 26 93 42 C94 60 76 70 60 68 Z"))
        + _fused(
            tints,
            _oval(26, 54, 20, 17) + _path("M34 46 Q62 50 88 44 Q80 66 58 69 Q40 71 30 66 Z"),
            _path("M38 66 L31 80") + _path("M60 66 L67 80"),
            thick=9,
        )
        + _fill(tints.light, _oval(34, 58, 5, 4))
        + _eye(21, 49, 5)
        + _stroke(_INK, 4.5, "M9 58 Q17 65 25 60")
    )


def _slender_seahorse(tints: Tints) -> str:
    return (
        _fused(_in_shade(tints), _path("M62 38 Q86 34 86 50 Q82 64 62 60 Z"))
        + _fused(
            tints,
            _oval(46, 22, 14, 12)
            + _path("M52 14 C68 20 64 34 66 44 C71 60 62 68 59 80 L50 80 C46 70 34 62 36 48 C38 40 46 38 42 30 Z")
            + _path("M44 14 L45 6 L51 9.5 L58 7 L56 18 Z"),
            _path("M36 24 L20 29") + _path("M55 78 C55 94 35 93 35 83 C35 75 45 75 44 82"),
            thick=8,
        )
        + _stroke(tints.light, 5, "M41 47 L55 44 M42 57 L57 54 M49 67 L58 64")
        + _eye(44, 20, 5)
    )


def _stout_seahorse(tints: Tints) -> str:
    return (
        _fused(
            _in_shade(tints),
            _path("M50 7 L40 6.5 L38 14 L27 15 L31 25 L21 31 L28 38 L17 46 L26 52 L20 62 L32 66 L52 40 Z"),
        )
        + _fused(
            tints,
            _path("M48 12 C32 24 44 32 34 44 C24 60 34 74 47 80 L60 74 C72 66 74 48 58 38 L56 28 Z")
            + _oval(53, 21, 13, 12),
            _path("M64 25 L81 30") + _path("M52 75 C54 89 73 91 74.5 79 C75 70 65 71 66 78"),
            thick=7,
        )
        + _fill(tints.light, _oval(53, 57, 11, 15, 8))
        + _stroke(tints.shade, 5, "M42 52 L65 54 M41 62 L63 64")
        + _eye(56, 19, 5.5)
    )


def _standing_kangaroo(tints: Tints) -> str:
    return (
        _fused(tints, _oval(43.5, 15.5, 4, 10, 14) + _oval(34, 18, 4, 9.5, -10))
        + _fused(
            tints,
            _path("M56 58 C68 62 74 71 87 65.5 Q92 67 89.5 71.5 C78 83 62 84 50 76 Z")
            + _path("M30 34 L43 26 C48 40 52 44 60 52 C70 64 70 78 60 83 C44 86 37 76 37 64 C37 52 33 46 30 34 Z"),
            _path("M54 85.5 L32.5 87"),
            thick=8,
        )
        + _joey(tints)
        + _fused(tints, _path("M46 84 C42 68 50 58 58 60 C70 64 68 80 58 86 Z"))
        + _fused(
            tints, _path("M42 24 C32 18 20 28 11 36 Q10 42 18 42 C30 42 42 40 44 32 Z"), _path("M43 47 L26 50"), thick=7
        )
        + _fill(_INK, _oval(13.5, 37, 4))
        + _eye(32, 30, 4)
    )


def _leaping_kangaroo(tints: Tints) -> str:
    return (
        _fused(tints, _oval(60, 17, 4, 10.5, -28) + _oval(68, 18, 4, 9.5, -10))
        + _fused(
            tints,
            _path("M40 44 C24 40 20 31 9 36 Q5 40 10 44 C18 46 20 60 34 64 Z")
            + _path("M62 30 L74 40 C74 54 66 60 56 62 C46 70 30 68 28 56 C28 46 40 42 48 40 Q56 38 62 30 Z"),
            _path("M36 62 L30 76 L50 89") + _path("M68 50 L80 62") + _path("M62 54 L68 68"),
            thick=8,
        )
        + _fill(tints.light, _path("M70 44 C70 54 62 58 54 59 Q60 52 62 45 Z"))
        + _fused(tints, _oval(41, 60, 13, 11, 30))
        + _fused(tints, _path("M60 24 C70 18 80 26 89 34 Q91 40 84 41 C74 42 62 40 59 33 Z"))
        + _fill(_INK, _oval(87, 36.5, 4))
        + _eye(71, 29, 4)
    )


def _koala_face(tints: Tints) -> str:
    return (
        _mirrored(_fused(tints, _oval(76, 34, 14.5)) + _fill(tints.light, _oval(76, 35, 9)))
        + _fused(tints, _path("M50 24 C76 24 84 46 82 60 C80 80 66 88 50 88 C34 88 20 80 18 60 C16 46 24 24 50 24 Z"))
        + _fill(tints.light, _oval(50, 76, 19, 10))
        + _mirrored(_eye(67, 52, 5.5))
        + _fill(_INK, _oval(50, 60, 9.5, 14))
        + _fill("#8d8d8d", _oval(47, 54, 4, 6))
    )


def _climbing_koala(tints: Tints) -> str:
    return (
        _fused(_BARK, _path("M61 13 H74 V87 H61 Z"))
        + _fused(tints, _oval(42, 66, 21, 23), _path("M46 62 L74 59") + _path("M46 82 L73 79"), thick=11)
        + _fill(tints.light, _oval(38, 70, 10, 13))
        + _fused(tints, _oval(25.5, 25, 10) + _oval(60, 22, 10))
        + _fill(tints.light, _oval(25.5, 25, 5.5) + _oval(60, 22, 5.5))
        + _fused(tints, _oval(42, 36, 22, 19))
        + _eye(32, 33, 4.5)
        + _eye(53, 33, 4.5)
        + _fill(_INK, _oval(42, 40, 6.5, 9.5))
    )


def _swimming_manatee(tints: Tints) -> str:
    return (
        _fused(
            tints,
            _path(
                "M6 56 C5 42 14 38 26 37 C46 24 66 32 78 46 C86 38 95 44 94 56 C93 68 84 70 77 60 "
                "C68 70 56 75 42 74 C24 74 8 72 6 56 Z"
            ),
        )
        + _fused(_in_shade(tints), _path("M36 62 C48 60 52 70 45 84 C37 88 31 80 36 62 Z"))
        + _fill(tints.light, _oval(15, 59, 10, 11))
        + _stroke(_INK, 4, "M8 62 Q16 68 28 60")
        + _fill(_INK, _oval(10, 50, 3))
        + _stroke(tints.shade, 5, "M48 38 Q53 44 52 52 M60 42 Q64 47 63 54")
        + _eye(29, 47, 4.5)
    )


def _manatee_from_above(tints: Tints) -> str:
    return (
        _mirrored(_fused(_in_shade(tints), _path("M66 36 C82 38 94 52 88 62 C80 66 70 58 64 50 Z")))
        + _fused(_in_shade(tints), _oval(50, 83, 20, 11))
        + _fused(
            tints,
            _path(
                "M50 6 C62 6 65 12 65 22 C78 34 76 56 64 66 Q57 72 58 80 H42 "
                "Q43 72 36 66 C24 56 22 34 35 22 C35 12 38 6 50 6 Z"
            ),
        )
        + _fill(tints.light, _oval(50, 13, 11, 8))
        + _fill(_INK, _mirrored(_oval(55, 7.5, 2.5)))
        + _stroke(tints.light, 5, "M38 44 Q50 49 62 44 M40 57 Q50 61 60 57")
        + _mirrored(_eye(61, 27, 4.5))
    )


def _fused(tints: Tints, masses: str = "", limbs: str = "", *, thick: float = 8) -> str:
    """Join shapes to fill and lines to thicken into one silhouette with one contour around it."""
    return (
        '<g stroke-linejoin="round" stroke-linecap="round">'
        f'<g fill="none" stroke="{tints.line}" stroke-width="{thick + 2 * _RIM}">{limbs}</g>'
        f'<g fill="{tints.line}" stroke="{tints.line}" stroke-width="{2 * _RIM}">{masses}</g>'
        f'<g fill="none" stroke="{tints.plain}" stroke-width="{thick}">{limbs}</g>'
        f'<g fill="{tints.plain}">{masses}</g></g>'
    )


def _in_shade(tints: Tints) -> Tints:
    return replace(tints, plain=tints.shade)


def _in_light(tints: Tints) -> Tints:
    return replace(tints, plain=tints.light)


def _fill(colour: str, shapes: str) -> str:
    return f'<g fill="{colour}">{shapes}</g>'


def _stroke(colour: str, width: float, course: str) -> str:
    return (
        f'<path d="{course}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round" '
        'stroke-linejoin="round"/>'
    )


def _path(outline: str) -> str:
    return f'<path d="{outline}"/>'


def _oval(x: float, y: float, across: float, down: float | None = None, turn: float = 0) -> str:
    return (
        f'<ellipse cx="{x}" cy="{y}" rx="{across}" ry="{across if down is None else down}" '
        f'transform="rotate({turn} {x} {y})"/>'
    )


def _mirrored(right_half: str) -> str:
    return f'{right_half}<g transform="matrix(-1 0 0 1 100 0)">{right_half}</g>'


def _eye(x: float, y: float, radius: float) -> str:
    return _fill(_EYEBALL, _oval(x, y, radius)) + _fill(_INK, _oval(x, y, 0.62 * radius))


def _smiling_face(x: float, y: float) -> str:
    eyes = _oval(x - 4.5, y - 1, 1.9, 2.4) + _oval(x + 4.5, y - 1, 1.9, 2.4)
    return _fill(_INK, eyes) + _stroke(_INK, 2, f"M{x - 4} {y + 4} q4 4 8 0")


def _joey(tints: Tints) -> str:
    head = _oval(40, 66, 8, 7) + _oval(36, 58, 2, 3) + _oval(44, 58, 2, 3)
    return _fused(_in_light(tints), head) + _fill(_INK, _oval(34, 67, 3))


def _feelers(course: str) -> str:
    return _stroke(_INK, 5.5, course)


def _cat_nose(x: float, y: float, scale: float = 1) -> str:
    return (
        f'<g transform="translate({x} {y}) scale({scale})">'
        + _stroke(_INK, 2.5, "M-5 5 Q-2 8 0 4 Q2 8 5 5")
        + _fill("#d8577a", _path("M-4 -1.5 H4 L0 4 Z"))
        + "</g>"
    )


_RIM = 3
# Cream rather than white, so that a pupil does not come loose from its face on a white ground.
_EYEBALL = "#fff2b3"
_INK = "#1d1a1a"
_DARK_HAIR = "#3a2415"
_BROWN_HAIR = "#6b3f1d"
_INNER_EAR = "#ee8fa6"
_FAIR = Tints("#ffe0c8", "#f2bd94", "#d99a6c", "#8a5432")
_TAN = Tints("#eebd90", "#d49a68", "#b57a48", "#744522")
_DARK = Tints("#b07a52", "#8a5733", "#6b4024", "#3f2412")
_LEATHER = Tints("#666666", "#3a3430", "#2a2522", "#1d1a1a")
_BARK = Tints("#b58a5e", "#8f6a45", "#6f4f31", "#4a331d")
_FLY_EYE = Tints("#e87070", "#b3262e", "#8d1a22", "#4a0d12")

GLYPHS = (
    Glyph("person", (_man, _woman, _waver), ("red", "blue", "green", "purple", "orange")),
    Glyph(
        "butterfly",
        (_spotted_butterfly, _swallowtail, _resting_butterfly),
        ("orange", "blue", "yellow", "purple", "pink", "red"),
    ),
    Glyph("dog", (_standing_dog, _dog_face), ("brown", "grey", "black")),
    Glyph("cat", (_sitting_cat, _cat_face), ("orange", "grey", "black", "brown")),
    Glyph("fish", (_long_fish, _tall_fish), ("orange", "blue", "yellow", "red", "green")),
    Glyph("ant", (_ant_from_above, _ant_from_the_side), ("black", "red", "brown")),
    Glyph("fly", (_fly_from_above, _fly_from_the_side), ("black", "grey", "blue", "green")),
    Glyph("axolotl", (_smiling_axolotl, _walking_axolotl), ("pink", "yellow", "brown", "grey")),
    Glyph("seahorse", (_slender_seahorse, _stout_seahorse), ("orange", "yellow", "purple", "red")),
    Glyph("kangaroo", (_standing_kangaroo, _leaping_kangaroo), ("brown", "orange", "grey")),
    Glyph("koala", (_koala_face, _climbing_koala), ("grey", "brown", "black")),
    Glyph("manatee", (_swimming_manatee, _manatee_from_above), ("grey", "brown", "blue")),
)
