"""How long a report of 100,000 readings takes, in times of Altair writing as many empty charts.

Altair writes each as one would by hand for a page without network, `chart.save("x.html", inline=True)`; beside it
stands the time for bare SVG, which is what the report itself has vl-convert make. All are whole processes. The run is
made beforehand, through the store, with answers by known laws. The report reads the run, measures everything, draws
its charts and samples pictures; its peak memory is measured too.
"""

import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.comparing import Comparison, compare_times
from subitize.records import Item, Known, Name, Provenance, Reading, Response, Said, Spec, Subject, Trial, Words
from subitize.registry import make_suite
from subitize.store import Folder, Run

SUITE = "naming:images=20"  # 3,000 items and 200 control questions
MODELS = 4
REPEATS = 8
READINGS = 3_200 * MODELS * REPEATS

_REPORT = """
import atexit, resource, sys
from subitize.cli import main
atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
sys.argv = ["subitize", "report", sys.argv[1], "-o", sys.argv[2]]
main()
"""
_EMPTY_CHARTS = """
import sys
import altair
for number in range(int(sys.argv[1])):
    chart = altair.Chart(altair.InlineData(values=[])).mark_point()
    chart.save(f"{sys.argv[2]}/{number}.{sys.argv[3]}", inline=True)
"""


@dataclass(frozen=True, slots=True)
class Peak:
    """The most memory that a process had, and what it should be."""

    what: str
    megabytes: float
    aim: str

    def __str__(self) -> str:
        return f"{self.what}: {self.megabytes:.0f} MB (aim {self.aim})"


def measure() -> Iterator[Comparison | Peak]:
    """Compare whole processes."""
    with tempfile.TemporaryDirectory() as folder:
        run, page = Path(folder) / "run", Path(folder) / "report.html"
        make_run(run)
        peak_kb = _report(run, page)
        charts = len(re.findall(r"data-figure=", page.read_text(encoding="utf-8")))
        for format, aim in (("html", "<= 4"), ("svg", "none")):
            yield compare_times(
                f"report of {READINGS:,} readings, in times of {charts} empty charts by Altair as {format}",
                lambda: _report(run, page),
                partial(_python, _EMPTY_CHARTS, charts, folder, format),
                aim=aim,
                pairs=3,
            )
        yield Peak(f"peak memory of the report of {READINGS:,} readings", peak_kb / 1024, "<= 500 MB")


def make_run(folder: Path) -> None:
    """Make a run of models that err by known laws, without running any."""
    suite = make_suite(SUITE)
    items = list(suite.it.items(0))
    chance = random.Random(0)
    with Run(Folder(folder), create=True) as run:
        run.add_suite(suite.spec, 0, items)
        run.add_judge(Spec("parser", {"policy": "strict"}, "parser"), is_stand_in=False)
        for place in range(MODELS):
            spec = Spec(f"model-{place}", {"temperature": "0"}, f"model-{place}")
            run.add_model(spec, is_stand_in=False)
            with run.lease("benchmark") as lease:
                for repeat in range(REPEATS):
                    answers = [_answer(item, spec, repeat, chance.gauss(0, 0.05 * (place + 1))) for item in items]
                    run.add_responses(lease, [response for response, _ in answers])
                    run.add_readings(lease, [reading for _, reading in answers])


def _answer(item: Item, spec: Spec, repeat: int, error: float) -> tuple[Response, Reading]:
    trial = Trial(item.id, spec.shown, spec.options, repeat)
    question, number = item.asks[0].question, int(item.factors["number"])
    value = Known("an apple") if isinstance(question, Name) else Known(max(1, round(number * (1 + error))))
    text = f"There are {value.value}."
    response = Response(trial, Said(text), Provenance(repeat, item.asks[0].wording, versions={"subitize": "0"}))
    return response, Reading(Subject((trial.id,)), question, "parser", Words(text), "strict@1", value)


def _report(run: Path, page: Path) -> int:
    return int(_python(_REPORT, run, page).split()[-1])


def _python(program: str, *arguments: object) -> str:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
