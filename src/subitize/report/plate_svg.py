"""Draws a picture grid as SVG, one unit per pixel: pictures and answers with signs, and a legend below."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import accumulate, count
from typing import Literal

from PIL import Image, ImageFont, ImageOps

from subitize.errors import BadValueError
from subitize.io.images import LARGEST_IMAGE_MEGAPIXELS
from subitize.records import Picture
from subitize.report.figures import GRID, INK, QUIET
from subitize.report.pictures import to_data_uri
from subitize.report.texts import break_lines, printable

PlateVerdict = Literal["right", "wrong", "refused", "failed", "unjudged", "unasked"]
_SMALLEST_PX, _LARGEST_PX = 64, 1024
_QUALITY = 92
_PAPER = "#f3f5f7"
_MOST_LINES = 6
_UNIT_PX = 160  # the side of a picture for which fonts and gaps have the sizes below
_FONTS = "Liberation Sans, Arial, Helvetica, sans-serif"
_LONGEST_TEXT = 1_000
_MEASURED_PX = 100
_MARGIN = 1.04  # Pillow's own font is measured; the reader's may be a little wider
_RIGHT, _WRONG, _OPEN = "#00805c", "#c23b16", "#5c6570"
_LINE = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
_HALO = '<circle cx="12" cy="12" r="12" fill="white"/>'


def _disc(colour: str, path: str) -> str:
    return (
        f'{_HALO}<circle cx="12" cy="12" r="10.5" fill="{colour}"/>'
        f'<path d="{path}" {_LINE} stroke="white" stroke-width="2.6"/>'
    )


# Signs as shapes in squares of 24 by 24, because no font has them all.
_SHAPES: Mapping[PlateVerdict, str] = {
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
MEANINGS: Mapping[PlateVerdict, str] = {
    "right": "right",
    "wrong": "wrong",
    "refused": "refused, which counts as wrong",
    "failed": "failed, in no figure",
    "unjudged": "not judged, in no figure",
    "unasked": "not asked",
}


@dataclass(frozen=True, slots=True)
class Tile:
    """One cell of the grid: pictures, or words in their place, a sign, and words below or beside them."""

    text: str = ""
    box: Sequence[Picture] | str | None = None
    verdict: PlateVerdict | None = None


Load = Callable[[Sequence[Picture]], Image.Image | str]
"""Makes one small image of some pictures, or says why there is none."""


@dataclass(frozen=True, slots=True)
class PlateGrid:
    """Tiles in rows, with the headings of columns above and of rows on the left."""

    above: Sequence[Tile]
    left: Sequence[Tile]
    rows: Sequence[Sequence[Tile]]

    def transposed(self) -> "PlateGrid":
        """Swap rows and columns."""
        return PlateGrid(self.left, self.above, list(zip(*self.rows, strict=True)))


def draw(grid: PlateGrid, notes: Sequence[str], side_px: int, load: Load) -> Iterator[str]:
    """Draw a plate with pictures of this size, piece by piece, holding one picture at a time.

    A plate that would be too large is refused before any picture is loaded.
    """
    sizes = _Sizes(side_px)
    left_px = sizes.side if any(tile.box for tile in grid.left) else sizes.label
    widths = [left_px, *[sizes.side] * len(grid.above)]
    table = [[Tile(), *grid.above], *([head, *row] for head, row in zip(grid.left, grid.rows, strict=True))]
    heights = [max(map(sizes.height, row, widths)) for row in table]
    lefts = list(accumulate((width + sizes.gap for width in widths), initial=sizes.gap))
    tops = list(accumulate((height + sizes.gap for height in heights), initial=sizes.gap))
    width = lefts[-1]
    footer = list(_draw_footer(grid, notes, sizes, (tops[-1], width)))
    height = tops[-1] + sizes.line * len(footer) + sizes.gap
    if width * height > LARGEST_IMAGE_MEGAPIXELS * 1_000_000:
        most = f"at most {LARGEST_IMAGE_MEGAPIXELS} megapixels; name fewer models or prompts, or a lower `size_px`"
        raise BadValueError(f"a plate of {width} × {height} px is too large: {most}")
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' font-family="{_FONTS}"><rect width="{width}" height="{height}" fill="white"/>'
    )
    for place, (top, height) in enumerate(zip(tops, heights, strict=False)):
        for column, (left, tile) in enumerate(zip(lefts, table[place], strict=False)):
            is_heading = not place or not column
            yield _draw_tile(tile, sizes, load, (left, top, widths[column], height), is_heading=is_heading)
    yield from footer
    yield "</svg>\n"


class _Sizes:
    """All sizes, in whole pixels so that pictures are not resampled."""

    def __init__(self, side_px: int) -> None:
        if not _SMALLEST_PX <= side_px <= _LARGEST_PX:
            raise BadValueError(f"`size_px` {side_px}: should be from {_SMALLEST_PX} to {_LARGEST_PX}")
        self.side = side_px
        sizes = (max(1, round(side_px / _UNIT_PX * size)) for size in (10, 130, 24, 12.5, 16))
        self.gap, self.label, self.mark, self.font, self.line = sizes

    def height(self, tile: Tile, width: int) -> int:
        """Compute the height of a tile."""
        box = self.side if tile.box is not None else 0
        text = self.line * len(self.wrap(tile, width))
        return max(box + text, 0 if tile.verdict is None or box else self.mark)

    def wrap(self, tile: Tile, width: int) -> list[str]:
        """Break a tile's words into lines, leaving room for a sign if there is no picture."""
        beside = self.mark + self.gap if tile.verdict is not None and tile.box is None else 0
        return wrap(tile.text, width - beside, self.font, _MOST_LINES)


def _draw_tile(tile: Tile, sizes: _Sizes, load: Load, place: tuple[int, int, int, int], *, is_heading: bool) -> str:
    left, top, width, height = place
    lines = sizes.wrap(tile, width)
    if tile.box is not None:
        # The sign is mostly outside the corner, so that it hides nothing that is counted.
        right, up = left + sizes.side - sizes.mark + sizes.gap - 1, top - sizes.gap + 1
        mark = _draw_mark(tile.verdict, right, up, sizes.mark)
        words = _draw_lines(lines, sizes, (left, top + sizes.side), INK if is_heading else QUIET)
        shown = tile.box if isinstance(tile.box, str) else load(tile.box)
        return _draw_box(shown, sizes, left, top) + mark + words
    # Words alone are centred in their row; headings of columns are at the bottom of theirs.
    spare = height - sizes.height(tile, width)
    down = top + (spare if is_heading and top == sizes.gap else spare // 2)
    if tile.verdict is None:
        return _draw_lines(lines, sizes, (left, down), INK)
    beside = (sizes.mark - sizes.line) // 2 if len(lines) < 2 else 0
    words = _draw_lines(lines, sizes, (left + sizes.mark + sizes.gap, down + beside), INK)
    return _draw_mark(tile.verdict, left, down, sizes.mark) + words


def _draw_box(shown: Image.Image | str, sizes: _Sizes, left: int, top: int) -> str:
    side = sizes.side
    frame = f'x="{left + 0.5}" y="{top + 0.5}" width="{side - 1}" height="{side - 1}"'
    if isinstance(shown, Image.Image):
        # Every program that reads SVG knows JPEG.
        href = to_data_uri(ImageOps.contain(shown, (side, side)), "jpeg", quality=_QUALITY, subsampling=0)
        return (
            f'<image x="{left}" y="{top}" width="{side}" height="{side}" href="{href}"/>'
            f'<rect {frame} fill="none" stroke="{GRID}"/>'
        )
    lines = wrap(shown, side - 2 * sizes.gap, sizes.font, side // sizes.line)
    down = top + (side - sizes.line * len(lines)) // 2
    return f'<rect {frame} fill="{_PAPER}" stroke="{GRID}" stroke-dasharray="{sizes.gap // 2}"/>' + _draw_lines(
        lines, sizes, (left + sizes.gap, down), QUIET
    )


def _draw_lines(lines: Sequence[str], sizes: _Sizes, place: tuple[int, int], colour: str) -> str:
    left, top = place
    if not lines:
        return ""
    bases = count(top + round(sizes.line * 0.85), sizes.line)
    each = (f'<tspan x="{left}" y="{base}">{escape(line)}</tspan>' for base, line in zip(bases, lines, strict=False))
    return f'<text font-size="{sizes.font}" fill="{colour}">{"".join(each)}</text>'


def _draw_mark(verdict: PlateVerdict | None, left: int, top: int, side_px: int) -> str:
    """Draw the sign of a verdict, if there is one, in a square."""
    if verdict is None:
        return ""
    scale = f"{side_px / 24:.4g}"
    return (
        f'<g class="mark {verdict}" transform="translate({left} {top}) scale({scale})">'
        f"<title>{MEANINGS[verdict]}</title>{_SHAPES[verdict]}</g>"
    )


def _draw_footer(grid: PlateGrid, notes: Sequence[str], sizes: _Sizes, place: tuple[int, int]) -> Iterator[str]:
    """Explain the signs that occur, then draw the notes: one piece per line."""
    top, width = place
    found = {tile.verdict for row in grid.rows for tile in row}
    line, left = "", sizes.gap
    for verdict in (verdict for verdict in MEANINGS if verdict in found):
        words_px = round(measure(MEANINGS[verdict], sizes.font))
        entry_px = sizes.line + sizes.gap // 2 + words_px + 2 * sizes.gap
        if line and left + entry_px > width:
            yield line
            line, left, top = "", sizes.gap, top + sizes.line
        line += _draw_mark(verdict, left, top, sizes.line - 1)
        line += _draw_lines([MEANINGS[verdict]], sizes, (left + sizes.line + sizes.gap // 2, top), QUIET)
        left += entry_px
    yield line
    for text in (text for note in notes for text in wrap(note, width - 2 * sizes.gap, sizes.font, _MOST_LINES)):
        top += sizes.line
        yield _draw_lines([text], sizes, (sizes.gap, top), QUIET)


def wrap(text: str, width_px: float, font_px: float, most_lines: int) -> list[str]:
    """Break a text at its line breaks, at blanks and after signs that names contain, or else anywhere."""
    lines: list[str] = []
    for paragraph in printable(text[:_LONGEST_TEXT]).split("\n"):
        lines += break_lines(" ".join(paragraph.split()), width_px, lambda line: measure(line, font_px))
    if len(lines) <= most_lines and len(text) <= _LONGEST_TEXT:
        return lines
    return [*lines[: most_lines - 1], *(_shorten(line, width_px, font_px) for line in lines[most_lines - 1 :][:1])]


def measure(text: str, font_px: float) -> float:
    """Estimate the width of a text."""
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
