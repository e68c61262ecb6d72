"""Draws charts as SVG in a process of its own, once it is started, while this one computes the rest of a report.

vl-convert takes most of a second to start its engine, and holds Python's lock whenever it draws.
"""

import atexit
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

Chart = Mapping[str, Any]

# A chart per line, a drawing per line. It ends with its input; Ctrl-C is for its parent to answer.
_PROGRAM = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
import vl_convert
vl_convert.vegalite_to_svg({"mark": "bar", "data": {"values": []}})
for line in sys.stdin:
    print(json.dumps(vl_convert.vegalite_to_svg(json.loads(line))), flush=True)
"""


def start() -> None:
    """Start the process where there is none and one can be started; it lives as long as this one."""
    if sys.executable and os.getpid() not in _engines:
        with suppress(OSError):
            _engines[os.getpid()] = _Engine()


def draw_ahead(charts: Sequence[Chart]) -> None:
    """Begin to draw what will soon be asked for, where the process was started."""
    engine = _engines.get(os.getpid())
    if engine is not None:
        engine.draw_ahead(charts)


def to_svg(chart: Chart) -> str:
    """Draw a Vega-Lite chart, or take the drawing made ahead."""
    engine = _engines.get(os.getpid())
    svg = None if engine is None else engine.take(chart)
    if svg is not None:
        return svg
    import vl_convert

    return vl_convert.vegalite_to_svg(dict(chart))


class _Engine:
    """The process, and what was asked of it; a chart that it fails to draw is drawn here, where errors are seen."""

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor
        from subprocess import DEVNULL, PIPE, Popen

        command = [sys.executable, "-P", "-c", _PROGRAM]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8")
        self._asking = ThreadPoolExecutor(max_workers=1)  # one chart at a time: neither side waits to be read
        self._asked: dict[str, Future[str]] = {}
        atexit.register(self._end, os.getpid())

    def draw_ahead(self, charts: Sequence[Chart]) -> None:
        for text in map(json.dumps, charts):
            if text not in self._asked:
                self._asked[text] = self._asking.submit(self._ask, text)

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
