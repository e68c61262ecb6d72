"""A page that shows everything that can be drawn, every drawing in every colour the thing has by nature."""

import io
from collections.abc import Iterable, Sequence

from PIL import Image, ImageDraw, ImageFont

from subitize.drawing import glyphs
from subitize.drawing.clipart import Glyph


def contact_sheet_png() -> bytes:
    """Give the sheet as a small PNG file."""
    file = io.BytesIO()
    contact_sheet().quantize(256).save(file, "PNG", optimize=True)
    return file.getvalue()


def contact_sheet(nouns: Iterable[str] = glyphs.GLYPHS) -> Image.Image:
    """Draw a labelled cell per noun: a row per drawing, a column per colour (the first few)."""
    shown = [glyphs.glyph_of(noun) for noun in nouns]
    rows = [shown[start : start + _CELLS_PER_ROW] for start in range(0, len(shown), _CELLS_PER_ROW)]
    heights = [_height(row) for row in rows]
    sheet = Image.new("RGB", (_CELLS_PER_ROW * _CELL_WIDTH_PX, sum(heights)), "white")
    top = 0
    for row, height in zip(rows, heights, strict=True):
        for column, glyph in enumerate(row):
            _draw_cell(sheet, glyph, column * _CELL_WIDTH_PX, top)
        top += height
    return sheet


_CELLS_PER_ROW = 6
_MOST_COLOURS = 3
_SIDE_PX = 64
_GAP_PX = 6
_LABEL_PX = 22
_CELL_WIDTH_PX = _MOST_COLOURS * (_SIDE_PX + _GAP_PX) + 3 * _GAP_PX


def _height(row: Sequence[Glyph]) -> int:
    return _LABEL_PX + max(len(glyph.drawings) for glyph in row) * (_SIDE_PX + _GAP_PX) + _GAP_PX


def _draw_cell(sheet: Image.Image, glyph: Glyph, left: int, top: int) -> None:
    font = ImageFont.load_default(14)
    ImageDraw.Draw(sheet).text((left + _GAP_PX, top + 2), glyph.noun, fill="black", font=font)
    for row in range(len(glyph.drawings)):
        for column, colour in enumerate(glyph.colours[:_MOST_COLOURS]):
            sprite = glyphs.sprite(glyph.noun, row, colour, _SIDE_PX)
            corner = (left + _GAP_PX + column * (_SIDE_PX + _GAP_PX), top + _LABEL_PX + row * (_SIDE_PX + _GAP_PX))
            sheet.paste(sprite, corner, sprite)
