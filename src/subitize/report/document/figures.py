"""Charts as SVG and PNG, all in one style."""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from subitize.errors import BadValueError
from subitize.io.outputs import write_atomic
from subitize.report.document import chart_engine
from subitize.report.document.blocks import FigureBlock, Section
from subitize.report.document.cells import printable

# aria is off because the picture as a whole carries its description, and thousands of marks would repeat it.
_STYLE: dict[str, Any] = json.loads(Path(__file__).with_name("style.json").read_text(encoding="utf-8"))
INK, QUIET, GRID = (_STYLE["axis"][part] for part in ("titleColor", "labelColor", "gridColor"))
_PAGE_COLOURS: Mapping[str, str] = {INK: "currentColor", QUIET: "var(--quiet)", GRID: "var(--line)"}
_PHONE_SHARE, _PHONE_PX = 0.75, 340
_PNG_SCALE = 2.0


def save_figure(spec: Mapping[str, Any], path: Path, name: str) -> Path:
    """Draw a chart into a .svg or .png file, which is at twice its size, whole or not at all."""
    chart = {**spec, "config": _STYLE, "background": "white"}
    if path.suffix.lower() == ".svg":
        return write_atomic(path, [_with_own_ids(chart_engine.to_svg(chart), name).encode()])
    import vl_convert

    return write_atomic(path, [vl_convert.vegalite_to_png(chart, scale=_PNG_SCALE)])


def check_figure(path: Path, option: str = "--figure") -> None:
    """Refuse before any work what could not be drawn after it."""
    if path.suffix.lower() not in (".png", ".svg"):
        raise BadValueError(f"{option} {path}: should end in .png or .svg")
    if path.is_dir():
        raise BadValueError(f"{option} {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise BadValueError(f"{option} {path}: there is no folder {path.parent}; make it first")


def to_inline_svg(figure: FigureBlock) -> str:
    """Draw a figure to stand in a page among others: its ids its own, its greys those of the page, described."""
    svg = chart_engine.to_svg(_in_page(figure))
    for colour, variable in _PAGE_COLOURS.items():
        svg = svg.replace(f'"{colour}"', f'"{variable}"')
    svg = _with_own_ids(svg, figure.name)
    found = re.match(r"<svg[^>]*>", svg)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if found is None or size is None:
        raise ValueError(f"vl-convert gave no SVG: {svg[:80]!r}")
    # It may shrink, but not until it cannot be read.
    width = float(size[1])
    least = min(width, max(_PHONE_PX, width * _PHONE_SHARE))
    head = (
        f'<svg viewBox="{size[0][9:-1]}" width="{width:.0f}" role="img" aria-label="{escape(printable(figure.alt))}" '
        f'style="min-width:{least:.0f}px" xmlns="http://www.w3.org/2000/svg">'
    )
    return head + svg[found.end() :]


def draw_ahead(sections: Iterable[Section]) -> None:
    """Begin to draw the figures of a page that is not whole yet."""
    blocks = (block for section in sections for block in section.all_blocks())
    chart_engine.draw_ahead([_in_page(block) for block in blocks if isinstance(block, FigureBlock)])


def _in_page(figure: FigureBlock) -> dict[str, Any]:
    return {**figure.spec, "config": {**_STYLE, "background": None}}


def _with_own_ids(svg: str, name: str) -> str:
    """Keep clips and gradients of one picture from being taken for those of another; number them from 0 each time."""
    ids = {found: f"{name}-{place}" for place, found in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg)))}
    for pattern in (r'(\bid=")([^"]+)(")', r"(url\(#)([^)]+)(\))", r'(href="#)([^"]+)(")'):
        svg = re.sub(pattern, lambda found: found[1] + ids.get(found[2], found[2]) + found[3], svg)
    return svg
