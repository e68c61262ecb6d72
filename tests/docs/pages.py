"""The pages of the documentation: their files and commands, run in their order, and the printed samples they show.

A sample follows its command inside a `console` block, or is a block of its own headed `output`, whose command is in the
last `console` block above it.
"""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from subitize.analysis import power
from subitize.models.stand_ins import Painter
from subitize.papers.geckonum.prompts import TYPES
from subitize.papers.numbersense.suite import Naming
from tests.commands import Finished, call, serving
from tests.papers.geckonum.geckonum_release import SOME, write_images, write_release
from tests.papers.gimbrr.gimbrr_release import write_release as write_gimbrr

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SAMPLE_COLUMNS = 120
"""The width of the terminal whose output pages show."""
# What a page does not say, or says for figures that are not tested here: the side of pictures, and simulated studies.
SMALL_PX = 256
FEW_STUDIES = 500
_PROMPT = "$ "
_LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class Sample:
    """Printed lines on a page, the place of the first, and the commands of which one printed them; counted from 0."""

    first: int
    lines: list[str]
    commands: range


@dataclass(frozen=True, slots=True)
class Ran:
    """A command of a page that has run, and its place among all; `finished` is None of a server, which was stopped."""

    place: int
    command: str
    arguments: list[str]
    finished: Finished | None


@dataclass(frozen=True, slots=True)
class _Block:
    """A block between fences: its heading, the place of its first line on the page, its lines."""

    heading: str
    first: int
    lines: list[str]


def commands(page: str) -> list[str]:
    """List the commands of a page."""
    consoles = (block.lines for block in _find_blocks(page) if block.heading == "console")
    return [line.removeprefix(_PROMPT) for lines in consoles for line in lines if line.startswith(_PROMPT)]


def files(page: str) -> dict[str, str]:
    """Files that a page says to write: a block headed by its language and the file's name."""
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL))


def find_samples(page: str) -> list[Sample]:
    """Find the printed samples of a page."""
    samples: list[Sample] = []
    above = range(0)  # the commands of the last console block
    for block in _find_blocks(page):
        if block.heading == "output":
            samples.append(Sample(block.first, block.lines, above))
        if block.heading == "console":
            starts = [place for place, line in enumerate(block.lines) if line.startswith(_PROMPT)]
            above = range(above.stop, above.stop + len(starts))
            for command, (start, stop) in zip(above, pairwise([*starts, len(block.lines)]), strict=True):
                shown = block.lines[start + 1 : stop]
                samples.append(Sample(block.first + start + 1, shown, range(command, command + 1)))
    return [sample for sample in samples if any(map(is_compared, sample.lines))]


@contextlib.contextmanager
def prepared(page: str, folder: Path) -> Iterator[None]:
    """Be in an empty folder that has the files of a page, with small pictures and few simulated studies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SUBITIZE_HOME", str(folder / "home"))
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
        patch.setattr(power, "plan", _simulate_once())
        _draw_small(patch)
        for name, content in files(page).items():
            Path(name).write_text(content, encoding="utf-8")
        _write_releases(page, folder)
        yield


def run_commands(page: str, columns: int) -> Iterator[Ran]:
    """Run the commands of a page in their order, in a terminal so wide."""
    for place, command in enumerate(commands(page)):
        program, *arguments = shlex.split(command, comments=True)
        if program == "make":
            assert arguments[0] in {"demo", "test"}
        elif program in {"mkdir", "cp"}:
            subprocess.run([program, *arguments], check=True)
        else:
            assert program == "subitize"
            yield Ran(place, command, arguments, _run(arguments, columns))


def print_samples(page: str, folder: Path) -> list[list[str]]:
    """Run a page, and give for each sample the texts of which it might show one."""
    printed: dict[int, list[str]] = {}
    with prepared(page, folder):
        for ran in run_commands(page, SAMPLE_COLUMNS):
            if ran.finished is not None:
                assert ran.finished.code == 0, f"{ran.command}: {ran.finished.err}"
                printed[ran.place] = [ran.finished.out, ran.finished.err]
    samples = find_samples(page)
    return [[text for place in sample.commands for text in printed.get(place, [])] for sample in samples]


def is_shown(sample: Sequence[str], printed: Sequence[str]) -> bool:
    """Return whether the lines of a sample are among those printed, in their order.

    How many spaces there are does not matter. A sample may leave out lines, and has "…" for a part of one.
    """
    left = iter(printed)
    return all(any(fits(line, other) for other in left) for line in sample if is_compared(line))


def is_compared(line: str) -> bool:
    """Return whether a line of a sample shows a printed one: it is neither blank nor "…" for lines left out."""
    return line.strip() not in {"", _LEFT_OUT}


def fits(line: str, printed: str) -> bool:
    """Return whether a line of a sample is a printed line, but for spaces and what "…" replaces."""
    parts = (re.escape(_squeeze(part)) for part in _squeeze(line).split(_LEFT_OUT))
    return re.fullmatch(".*".join(parts), _squeeze(printed)) is not None


def _squeeze(line: str) -> str:
    return " ".join(line.split())


def _run(arguments: list[str], columns: int) -> Finished | None:
    is_open = arguments[0] == "annotate" and arguments[1] not in {"sample", "screen"}
    if not is_open and arguments[:2] != ["train", "serve"]:
        return call(*arguments, columns=columns)
    with serving(*arguments):
        return None


def _find_blocks(page: str) -> Iterator[_Block]:
    heading, lines = None, list[str]()
    for number, line in enumerate(page.split("\n")):
        if heading is None and line.startswith("```"):
            heading, lines = line[3:].strip(), []
        elif heading is not None and line.startswith("```"):
            yield _Block(heading, number - len(lines), lines)
            heading = None
        elif heading is not None:
            lines.append(line)


def _write_releases(page: str, folder: Path) -> None:
    """Write what the authors released, where a page reads it: it is not ours to ship, a made-up one stands in."""
    if "geckonum-release" in page:
        prompts = [prompt for place, prompt in enumerate(SOME) if place % 12 == 0 or prompt.index > 1250]
        write_release(folder / "geckonum-release", ["muse_a"], prompts=prompts)
        drawn = [prompt for prompt in prompts if TYPES[prompt.type] == 1]
        write_images(folder / "geckonum-images", ["muse_a"], drawn)
    if "gimbrr-release" in page:
        write_gimbrr(folder / "gimbrr-release", per_task=3)


def _simulate_once() -> Callable[..., power.PowerPlan]:
    """Plan each study once, however often it is printed, by few simulations: they take long."""
    plan, plans = power.plan, dict[str, power.PowerPlan]()

    def find_or_plan(what: str, given: power.Assumed, *others: Any, **options: Any) -> power.PowerPlan:  # noqa: ANN401
        study = repr((what, sorted(given.items()), options))
        if study not in plans:
            plans[study] = plan(what, {**given, "simulations": FEW_STUDIES}, *others, **options)
        return plans[study]

    return find_or_plan


def _draw_small(patch: pytest.MonkeyPatch) -> None:
    """Draw pictures small where a command does not name their size."""
    for kind in (Painter, Naming):
        defaults = kind.__init__.__kwdefaults__
        assert defaults is not None
        patch.setitem(defaults, "size_px", SMALL_PX)
