"""The signs on a plate, drawn as shapes: no font has them all."""

from collections.abc import Mapping

from subitize.report.plates.contents import Verdict

_RIGHT, _WRONG, _OPEN = "#00805c", "#c23b16", "#5c6570"
_LINE = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
_HALO = '<circle cx="12" cy="12" r="12" fill="white"/>'


def _disc(colour: str, path: str) -> str:
    return (
        f'{_HALO}<circle cx="12" cy="12" r="10.5" fill="{colour}"/>'
        f'<path d="{path}" {_LINE} stroke="white" stroke-width="2.6"/>'
    )


# Each in a square of 24 by 24.
_SHAPES: Mapping[Verdict, str] = {
    "right": _disc(_RIGHT, "M6.7 12.6 L10.4 16.3 L17.3 8.3"),
    "wrong": _disc(_WRONG, "M8 8 L16 16 M16 8 L8 16"),
    "refused": (
        f'{_HALO}<circle cx="12" cy="12" r="9.2" {_LINE} stroke="{_WRONG}" stroke-width="2.6"/>'
        f'<path d="M5.8 18.2 L18.2 5.8" {_LINE} stroke="{_WRONG}" stroke-width="2.6"/>'
    ),
    "failed": (
        f'{_HALO}<path d="M12 3 L21.5 19.5 L2.5 19.5 Z" fill="{_OPEN}" stroke="{_OPEN}" stroke-width="1.5"'
        f' stroke-linejoin="round"/><path d="M12 9 L12 13.6 M12 16.8 L12 16.9" {_LINE} stroke="white"'
        ' stroke-width="2.2"/>'
    ),
    "unjudged": _disc(_OPEN, "M9 9.4 C9 5.2 15.4 5.4 15.2 9.3 C15.1 11.6 12 11.6 12 14 M12 17.5 L12 17.6"),
    "unasked": _disc(_OPEN, "M7.5 12 L16.5 12"),
}
MEANINGS: Mapping[Verdict, str] = {
    "right": "right",
    "wrong": "wrong",
    "refused": "refused, which counts as wrong",
    "failed": "failed, in no figure",
    "unjudged": "not judged, in no figure",
    "unasked": "not asked",
}


def draw_mark(verdict: Verdict, left: int, top: int, side_px: int) -> str:
    """Draw the sign of a verdict into a square."""
    scale = f"{side_px / 24:.4g}"
    return (
        f'<g class="mark {verdict}" transform="translate({left} {top}) scale({scale})">'
        f"<title>{MEANINGS[verdict]}</title>{_SHAPES[verdict]}</g>"
    )
