"""docs/architecture.md names every file that handles a trial, from `subitize.run` to the written report."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import subitize
from subitize import interfaces, records

PACKAGE = Path(subitize.__file__).parent
PAGE = PACKAGE.parents[1] / "docs" / "architecture.md"
MOST = 15
OF_A_TRIAL = (
    records.Trial, interfaces.Request, interfaces.Reply, records.Said, records.Response,
    interfaces.JudgeRequest, interfaces.Finding, records.Words, records.Boxes, records.Reading,
)  # fmt: skip
ENDS = {"items": "papers/numbersense/suite.py", "build_frame": "frame.py", "write_report": "report/document.py"}
"""Where the trial's item is made, where its reading becomes a row, and where the page is written."""


def _holds(value: object, depth: int = 0) -> bool:
    if isinstance(value, list | tuple) and value and depth < 2:
        return _holds(value[0], depth + 1)
    return isinstance(value, OF_A_TRIAL)


@contextmanager
def watched(seen: set[str]) -> Iterator[None]:
    """Note every file of the package whose functions are given, or give, something of a trial."""

    def note(frame: FrameType, event: str, given: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(str(PACKAGE)):
            return
        file = str(Path(code.co_filename).relative_to(PACKAGE))
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        values = [given] if event == "return" else [frame.f_locals.get(name) for name in names]
        if ENDS.get(code.co_name) == file or any(map(_holds, values)):
            seen.add(file)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


@pytest.mark.slow
def test_the_walk_names_every_file_that_handles_a_trial(tmp_path: Path) -> None:
    suite = "naming:images=1,numbers=3,categories=apples,size_px=128"
    seen: set[str] = set()
    with watched(seen), subitize.run(suite, "observer", tmp_path / "run", sight_check=False) as run:
        subitize.write_report(run, out=tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert set(ENDS.values()) <= seen
    walk = PAGE.read_text().split("The same walk by files")[1].split("\n## ")[0]
    named = re.findall(r"`([a-z_/]+\.py)`", walk.split("\n\n")[1])
    assert sorted(one for one in seen if not one.startswith(("io/", "records", "errors"))) == sorted(set(named))
    assert len(named) <= MOST
