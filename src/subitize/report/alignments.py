"""How well drawings fit their prompts, at a terminal and in a report."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from subitize.analysis.alignment import MEASURES, Alignment, align_run
from subitize.analysis.overview import StandIns
from subitize.analysis.scoring import WHOLE
from subitize.errors import NothingToDoError
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.cells import printable
from subitize.report.charts import Palette
from subitize.report.document import Column, FigureBlock, Row, Section, TableBlock, TextBlock
from subitize.report.sources import Source
from subitize.report.terminal import whole_lines


def print_alignments(alignments: Sequence[Alignment], stand_ins: StandIns) -> None:
    """Print one row per model, judge, measure and group, and what the measures mean."""
    table = Table("suite", "model", "judge", "measure", "group", "score", "n", box=SIMPLE_HEAD)
    for one in alignments:
        model = one.model + " *" * (one.model in stand_ins.models)
        judge = one.judge + " *" * (one.judge in stand_ins.judges) + " †" * one.is_informed
        group = one.group if one.factor == WHOLE else f"{one.factor}={one.group}"
        cells = (one.suite, model, judge, one.measure, group, _figure(one.estimate), _count(one))
        table.add_row(*(Text(printable(cell)) for cell in cells))
    whole_lines().print(table)
    if any(one.model in stand_ins.models or one.judge in stand_ins.judges for one in alignments):
        print("* an embedded stand-in, not a real model or judge")
    if any(one.is_informed for one in alignments):
        print("† informed: the judge knew what was asked for")
    print("mean over drawings [95 % interval, drawings of one item taken together]; n: drawings")
    for measure in dict.fromkeys(one.measure for one in alignments):
        print(f"{measure}: {MEASURES[measure]}")


def alignment_row(one: Alignment, stand_ins: StandIns) -> dict[str, object]:
    """Lay an alignment out flat, for programs."""
    names = {name: value for name, value in asdict(one).items() if name != "estimate"}
    marks = {"is_stand_in": one.model in stand_ins.models, "is_stand_in_judge": one.judge in stand_ins.judges}
    return names | asdict(one.estimate) | marks | {"is_informed": one.is_informed}


def _figure(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _count(one: Alignment) -> str:
    others = {"incomplete": one.incomplete, "excluded": one.excluded}
    told = "".join(f" + {count} {name}" for name, count in others.items() if count)
    return f"{one.estimate.n}{told}" + f" ({one.discarded} answers discarded)" * (one.discarded > 0)


def alignment_sections(sources: Sequence[Source]) -> list[Section]:
    """Write the section on how well drawings fit their prompts, if a judge was asked."""
    found = [(source, one) for source in sources for one in _align(source)]
    if not found:
        return []
    rows = tuple(
        Row(
            (
                _label(source, one, sources),
                one.suite,
                printable(one.judge),
                one.measure,
                one.estimate,
                one.estimate.n,
                one.discarded,
                one.incomplete,
            ),
            source.badge(one.model),
        )
        for source, one in found
    )
    table = TableBlock(
        "alignment",
        "How well drawings fit their prompts",
        _COLUMNS,
        rows,
        "Means over drawings with 95 % intervals, drawings of one item taken together.",
    )
    meanings = (f"{measure} is {MEASURES[measure]}." for measure in dict.fromkeys(one.measure for _, one in found))
    note = TextBlock(f"Here {' '.join(meanings)}")
    informed = [TextBlock(_INFORMED, is_warning=True)] * any(one.is_informed for _, one in found)
    return [Section("alignment", "Alignment", (note, *informed, _chart(found, sources, table)))]


_INFORMED = (
    "Whoever answers the questions of a scene graph, or scores a prompt, knows what was asked for: it is informed."
)

_COLUMNS = (
    Column("Model", is_numeric=False),
    Column("Suite", is_numeric=False),
    Column("Judge", is_numeric=False),
    Column("Measure", is_numeric=False),
    Column("Score", "Mean over drawings.", digits=3),
    Column("n", "Drawings."),
    Column("Discarded", "Answers that the rule made no value of; in a scene graph they are wrong."),
    Column("Incomplete", "Drawings of which not every question is answered."),
)


def _align(source: Source) -> list[Alignment]:
    try:
        return align_run(source.run)
    except NothingToDoError:
        return []


def _label(source: Source, one: Alignment, sources: Sequence[Source]) -> str:
    return printable(one.model).replace("\n", " ") + f" ({source.name})" * (len(sources) > 1)


def _chart(found: Iterable[tuple[Source, Alignment]], sources: Sequence[Source], table: TableBlock) -> FigureBlock:
    points = [
        {
            "model": f"{one.measure} · {printable(one.judge)} · {one.suite}",
            "name": _label(source, one, sources),
            "value": one.estimate.value,
            # An interval without an end is not drawn.
            "low": one.estimate.low if math.isfinite(one.estimate.low) else one.estimate.value,
            "high": one.estimate.high if math.isfinite(one.estimate.high) else one.estimate.value,
        }
        for source, one in found
    ]
    panels, names = (tuple(dict.fromkeys(str(point[key]) for point in points)) for key in ("model", "name"))
    return FigureBlock(
        "alignment-chart",
        "Alignment",
        charts.forest(points, panels, Palette(panels), x_title="score", order=names),
        "Mean score of the drawings of each model with 95 % intervals, a panel per measure, judge and suite.",
        "How well the drawings of each model fit their prompts, with intervals.",
        table,
    )
