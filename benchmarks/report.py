"""How long a report of 100,000 readings takes, in times of Altair writing as many empty charts.

Altair writes each as one would by hand for a page without network, `chart.save("x.html", inline=True)`; beside it
stands the time for bare SVG, which is what the report itself has vl-convert make. All are whole processes. The run is
made beforehand, through the store, with answers by known laws. The report reads the run, measures everything, draws
its charts and samples pictures; its peak memory is measured too.
"""

import random
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.comparing import Comparison, Figure, compare_times
from benchmarks.processes import peak_megabytes, run_python
from subitize.records import Item, Known, Name, Provenance, Reading, Response, Said, Spec, Subject, Trial, Words
from subitize.registry import make_suite
from subitize.store import Folder, Run


@dataclass(frozen=True, slots=True)
class Size:
    """A run of so many models, each with so many repeats of a suite; and how many pairs of reports and charts."""

    suite: str
    models: int
    repeats: int
    pairs: int
    aims: Mapping[str, str]
    """What to reach in each format that Altair writes."""


FULL = Size("naming:images=20", models=4, repeats=8, pairs=3, aims={"html": "<= 4", "svg": "none"})  # 102,400 readings
TINY = Size("naming:images=1,numbers=1-2,categories=dots", models=1, repeats=1, pairs=1, aims={"svg": "none"})

_EMPTY_CHARTS = """
import sys
import altair
for number in range(int(sys.argv[1])):
    chart = altair.Chart(altair.InlineData(values=[])).mark_point()
    chart.save(f"{sys.argv[2]}/{number}.{sys.argv[3]}", inline=True)
"""


def measure(*, is_tiny: bool = False) -> Iterator[Comparison | Figure]:
    """Compare whole processes."""
    size = TINY if is_tiny else FULL
    with tempfile.TemporaryDirectory() as folder:
        run, page = Path(folder) / "run", Path(folder) / "report.html"
        readings = make_run(run, size)
        peaks_mb: list[float] = []
        for format, aim in size.aims.items():
            yield compare_times(
                f"report of {readings:,} readings, in times of Altair writing as many empty charts as {format}",
                lambda: peaks_mb.append(peak_megabytes("-m", "subitize", "report", run, "-o", page)),
                partial(_write_charts, page, format),
                aim=aim,
                pairs=size.pairs,
            )
        yield Figure(f"peak memory of the report of {readings:,} readings", max(peaks_mb), "MB", "<= 500")


def make_run(folder: Path, size: Size) -> int:
    """Make a run of models that err by known laws, without running any; return how many readings it has."""
    suite = make_suite(size.suite)
    items = list(suite.obj.items(0))
    chance = random.Random(0)
    with Run(Folder(folder), create=True) as run:
        run.add_suite(suite.spec, 0, items)
        run.add_judge(Spec("parser", {"policy": "strict"}, "parser"), is_stand_in=False)
        for place in range(size.models):
            spec = Spec(f"model-{place}", {"temperature": "0"}, f"model-{place}")
            run.add_model(spec, is_stand_in=False)
            with run.lease("benchmark") as lease:
                for repeat in range(size.repeats):
                    answers = [_answer(item, spec, repeat, chance.gauss(0, 0.05 * (place + 1))) for item in items]
                    run.add_responses(lease, [response for response, _ in answers])
                    run.add_readings(lease, [reading for _, reading in answers])
    return len(items) * size.models * size.repeats


def _answer(item: Item, spec: Spec, repeat: int, error: float) -> tuple[Response, Reading]:
    trial = Trial(item.id, spec.text, spec.options, repeat)
    question, number = item.asks[0].question, int(item.factors["number"])
    value = Known("an apple") if isinstance(question, Name) else Known(max(1, round(number * (1 + error))))
    text = f"There are {value.value}."
    response = Response(trial, Said(text), Provenance(repeat, item.asks[0].wording, versions={"subitize": "0"}))
    return response, Reading(Subject((trial.id,)), question, "parser", Words(text), "strict@1", value)


def _write_charts(page: Path, format: str) -> None:
    charts = page.read_text(encoding="utf-8").count("data-figure=")
    run_python("-c", _EMPTY_CHARTS, charts, page.parent, format)
