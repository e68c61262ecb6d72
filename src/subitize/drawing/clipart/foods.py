"""Things to eat."""

from subitize.drawing.clipart.glyph import Glyph, Tints


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


_LEAF = 'fill="#5aa02c" stroke="#2f6b1f" stroke-width="1.6" stroke-linejoin="round"'

GLYPHS = (Glyph("apple", (_lobed_apple, _round_apple), ("red", "green", "yellow")),)
