"""Draws Vega-Lite charts as SVG and PNG in one style, in a process of its own while the report is computed.

vl-convert takes most of a second to start its engine, and holds Python's lock whenever it draws."""

import atexit
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subitize.io.outputs import write_atomic
from subitize.report.table import Figure, Section
from subitize.report.texts import printable

if TYPE_CHECKING:
    from concurrent.futures import Future


Chart = Mapping[str, Any]

# One chart per line in, one drawing per line out. It ends with its input; its parent handles Ctrl-C.
_PROGRAM = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
import vl_convert
vl_convert.vegalite_to_svg({"mark": "bar", "data": {"values": []}})
for line in sys.stdin:
    print(json.dumps(vl_convert.vegalite_to_svg(json.loads(line))), flush=True)
"""


def start() -> None:
    """Start the process, if there is none and it can be started; it lives as long as this one."""
    if sys.executable and os.getpid() not in _engines:
        with suppress(OSError):
            _engines[os.getpid()] = _Engine()


@contextmanager
def drawing() -> Iterator[None]:
    """Have charts drawn ahead; where this ends early, as by Ctrl-C, the charts that still wait are dropped."""
    start()
    try:
        yield
    finally:
        if engine := _engines.get(os.getpid()):
            engine.drop()


def draw_ahead(charts: Sequence[Chart]) -> None:
    """Begin to draw charts that will soon be needed, if the process was started."""
    engine = _engines.get(os.getpid())
    if engine is not None:
        engine.draw_ahead(charts)


def to_svg(chart: Chart) -> str:
    """Draw a Vega-Lite chart, or take the one drawn ahead."""
    engine = _engines.get(os.getpid())
    svg = None if engine is None else engine.take(chart)
    if svg is not None:
        return svg
    import vl_convert

    return vl_convert.vegalite_to_svg(dict(chart))


class _Engine:
    """The process and its tasks; a chart that it fails to draw is drawn here, where errors show."""

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor
        from subprocess import DEVNULL, PIPE, Popen

        command = [sys.executable, "-P", "-c", _PROGRAM]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8")
        self._asking = ThreadPoolExecutor(max_workers=1)  # one chart at a time, so that neither pipe fills up
        self._asked: dict[str, Future[str]] = {}
        atexit.register(self._end, os.getpid())

    def draw_ahead(self, charts: Sequence[Chart]) -> None:
        for text in map(json.dumps, charts):
            if text not in self._asked:
                self._asked[text] = self._asking.submit(self._ask, text)

    def drop(self) -> None:
        for waiting in self._asked.values():
            waiting.cancel()
        self._asked.clear()

    def take(self, chart: Chart) -> str | None:
        self.draw_ahead([chart])
        with suppress(OSError, ValueError):
            return self._asked.pop(json.dumps(chart)).result()
        return None

    def _ask(self, text: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(text, file=self._process.stdin, flush=True)
        drawn = json.loads(self._process.stdout.readline())
        assert isinstance(drawn, str)
        return drawn

    def _end(self, owner: int) -> None:
        if os.getpid() == owner:
            self._process.kill()
            self._process.communicate()


_engines: dict[int, _Engine] = {}  # by process: a fork must not share its parent's

# aria is off because the whole picture has a description, which thousands of marks would repeat.
_STYLE: dict[str, Any] = json.loads(Path(__file__).with_name("style.json").read_text(encoding="utf-8"))
INK, QUIET, GRID = (_STYLE["axis"][part] for part in ("titleColor", "labelColor", "gridColor"))
_PAGE_COLOURS: Mapping[str, str] = {INK: "currentColor", QUIET: "var(--quiet)", GRID: "var(--line)"}
_PHONE_SHARE, _PHONE_PX = 0.75, 340
_PNG_SCALE = 2.0


def save_figure(spec: Mapping[str, Any], path: Path, name: str) -> Path:
    """Draw a chart into a .svg file, or a .png file at twice its size, whole or not at all."""
    chart = {**spec, "config": _STYLE, "background": "white"}
    if path.suffix.lower() == ".svg":
        return write_atomic(path, [_with_own_ids(to_svg(chart), name).encode()])
    import vl_convert

    return write_atomic(path, [vl_convert.vegalite_to_png(chart, scale=_PNG_SCALE)])


def to_inline_svg(figure: Figure) -> str:
    """Draw a figure for a page, with unique ids, the page's greys and a description."""
    svg = to_svg(_in_page(figure))
    for colour, variable in _PAGE_COLOURS.items():
        svg = svg.replace(f'"{colour}"', f'"{variable}"')
    svg = _with_own_ids(svg, figure.name)
    found = re.match(r"<svg[^>]*>", svg)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if found is None or size is None:
        raise ValueError(f"vl-convert gave no SVG: {svg[:80]!r}")
    # It may shrink, but must stay legible.
    width = float(size[1])
    least = min(width, max(_PHONE_PX, width * _PHONE_SHARE))
    head = (
        f'<svg viewBox="{size[0][9:-1]}" width="{width:.0f}" role="img" aria-label="{escape(printable(figure.alt))}" '
        f'style="min-width:{least:.0f}px" xmlns="http://www.w3.org/2000/svg">'
    )
    return head + svg[found.end() :]


def draw_figures_ahead(sections: Iterable[Section]) -> None:
    """Begin to draw the figures of a page that is still being written."""
    blocks = (block for section in sections for block in section.all_blocks())
    draw_ahead([_in_page(block) for block in blocks if isinstance(block, Figure)])


def _in_page(figure: Figure) -> dict[str, Any]:
    return {**figure.spec, "config": {**_STYLE, "background": None}}


def _with_own_ids(svg: str, name: str) -> str:
    """Rename the clips and gradients of a picture so that they do not clash with another's."""
    ids = {found: f"{name}-{place}" for place, found in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg)))}
    for pattern in (r'(\bid=")([^"]+)(")', r"(url\(#)([^)]+)(\))", r'(href="#)([^"]+)(")'):
        svg = re.sub(pattern, lambda found: found[1] + ids.get(found[2], found[2]) + found[3], svg)
    return svg
