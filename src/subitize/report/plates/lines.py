"""Text in lines of a given width: SVG wraps none by itself."""

import re
import unicodedata
from functools import lru_cache

from PIL import ImageFont

from subitize.report.document.cells import printable

FONTS = "Liberation Sans, Arial, Helvetica, sans-serif"
_LONGEST_TEXT = 1_000
_MEASURED_PX = 100
_MARGIN = 1.04  # Pillow's own font is measured, and another of its kind may be a little wider


def wrap(text: str, width_px: float, font_px: float, most_lines: int) -> list[str]:
    """Break a text at its own breaks, at blanks and after signs as in names of models, or else anywhere."""
    lines: list[str] = []
    for paragraph in printable(text[:_LONGEST_TEXT]).split("\n"):
        lines += _fill(" ".join(paragraph.split()), width_px, font_px)
    if len(lines) <= most_lines and len(text) <= _LONGEST_TEXT:
        return lines
    return [*lines[: most_lines - 1], *(_shorten(line, width_px, font_px) for line in lines[most_lines - 1 :][:1])]


def _fill(paragraph: str, width_px: float, font_px: float) -> list[str]:
    lines = [""]
    for piece in re.split(r"(?<=[\s:/,;_=@+-])", paragraph):
        if measure(f"{lines[-1]}{piece}".rstrip(), font_px) > width_px:
            lines.append("")
        for char in piece:
            if measure(f"{lines[-1]}{char}".rstrip(), font_px) > width_px:
                lines.append("")
            lines[-1] += char
    return [line.strip() for line in lines if line.strip()]


def measure(text: str, font_px: float) -> float:
    """Tell about how wide a text is."""
    return sum(map(_width, text)) * font_px * _MARGIN


def _shorten(line: str, width_px: float, font_px: float) -> str:
    while line and measure(f"{line}…", font_px) > width_px:
        line = line[:-1]
    return f"{line.rstrip()}…"


@lru_cache(10_000)
def _width(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return ImageFont.load_default(_MEASURED_PX).getlength(char) / _MEASURED_PX
