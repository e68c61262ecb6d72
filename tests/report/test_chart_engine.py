"""Charts may be drawn by a process of their own: the drawings are the same, and it is not needed."""

import os
import signal
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import pytest
from vl_convert import vegalite_to_svg

from subitize.report import figures
from subitize.report.figures import Chart


def bars(*heights: int) -> Chart:
    values = [{"place": place, "height": height} for place, height in enumerate(heights)]
    encoding = {"x": {"field": "place", "type": "ordinal"}, "y": {"field": "height", "type": "quantitative"}}
    return {"data": {"values": values}, "mark": "bar", "encoding": encoding}


CHARTS = [bars(1, 2, 3), bars(3, 1), bars(5)]


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[Popen[str]]:
    monkeypatch.setattr(figures, "_engines", {})
    figures.start()
    (engine,) = figures._engines.values()
    yield engine._process
    engine._end(os.getpid())


def drawn_here() -> list[str]:
    return [vegalite_to_svg(dict(chart)) for chart in CHARTS]


@pytest.mark.slow
def test_drawings_made_ahead_are_those_made_here(process: Popen[str]) -> None:
    figures.draw_ahead(CHARTS[:2])
    assert [figures.to_svg(chart) for chart in CHARTS] == drawn_here()
    assert process.poll() is None


def test_one_process_is_started(process: Popen[str]) -> None:
    figures.start()
    assert [engine._process for engine in figures._engines.values()] == [process]


@pytest.mark.parametrize("python", ["", "/no/such/python"])
def test_where_it_cannot_be_started_charts_are_drawn_here(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "_engines", {})
    monkeypatch.setattr(sys, "executable", python)
    figures.start()
    figures.draw_ahead(CHARTS)
    assert [figures.to_svg(chart) for chart in CHARTS] == drawn_here()


def test_what_it_does_not_draw_is_drawn_here(process: Popen[str]) -> None:
    figures.draw_ahead(CHARTS)
    process.send_signal(signal.SIGKILL)
    assert [figures.to_svg(chart) for chart in CHARTS] == drawn_here()


@pytest.mark.slow
def test_a_chart_that_cannot_be_drawn_says_why_and_stops_no_other(process: Popen[str]) -> None:
    with pytest.raises(ValueError, match="conversion failed"):
        figures.to_svg({"data": {"values": []}, "mark": "no such mark"})
    assert figures.to_svg(CHARTS[0]) == drawn_here()[0]


@pytest.mark.slow
def test_it_ends_with_its_parent_however_that_ends() -> None:
    program = """
        from subitize.report import figures
        figures.start()
        print(*[engine._process.pid for engine in figures._engines.values()], flush=True)
        input()
    """
    for end in (signal.SIGKILL, signal.SIGINT, None):
        command = [sys.executable, "-c", textwrap.dedent(program)]
        with Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL) as parent:
            assert parent.stdout is not None
            engine = int(parent.stdout.readline())
            if end is not None:
                parent.send_signal(end)
            parent.communicate(b"\n")
        assert is_gone(engine)


def is_gone(process: int) -> bool:
    """Wait until a process has ended; one that nobody asked after has no command left."""
    command = Path(f"/proc/{process}/cmdline")
    for _ in range(300):
        if not command.exists() or not command.read_bytes():
            return True
        time.sleep(0.1)
    return False


def test_charts_that_wait_are_dropped_when_a_report_is_stopped(
    process: Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, asked = figures._engines[os.getpid()], list[str]()

    def ask(text: str) -> str:
        time.sleep(0.05)
        asked.append(text)
        return "<svg/>"

    monkeypatch.setattr(engine, "_ask", ask)
    with figures.drawing():  # which ends as at Ctrl-C, before the charts are taken
        figures.draw_ahead([bars(place) for place in range(40)])
    engine._asking.submit(str).result()  # what came before has ended
    assert len(asked) < 20
