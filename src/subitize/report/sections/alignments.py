"""How well drawings fit their prompts, at a terminal and in a report."""

import math
import re
from collections.abc import Sequence

from subitize.analysis.alignment import MEASURES, Alignment, align_run
from subitize.analysis.levels import name_level
from subitize.analysis.overview import StandIns
from subitize.errors import NothingToDoError
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.blocks import (
    Cell,
    Column,
    FigureBlock,
    Row,
    Section,
    TableBlock,
    TextBlock,
    make_table,
    text_column,
)
from subitize.report.document.cells import NOTHING, figure, interval, printable
from subitize.report.sections.counted import MODEL
from subitize.report.sections.sources import Source
from subitize.report.terminal.printing import print_marks, print_table


def print_alignments(alignments: Sequence[Alignment], stand_ins: StandIns) -> None:
    """Print one row per model, judge, measure and group, and what the measures mean."""
    rows = []
    for one in alignments:
        judge = stand_ins.mark_judge(one.judge, is_informed=one.is_informed)
        names = (one.suite, stand_ins.mark_model(one.model), judge, one.measure, name_level(one.factor, one.group))
        rows.append((*names, _figure(one.estimate), _count(one)))
    print_table(("suite", "model", "judge", "measure", "group", "score", "n"), rows)
    print_marks(alignments, stand_ins)
    print("mean over drawings [95 % interval, drawings of one item taken together]; n: drawings")
    if not all(_has_interval(one.estimate) for one in alignments):
        print(f"{NOTHING} {_NO_INTERVAL}")
    for measure in dict.fromkeys(one.measure for one in alignments):
        print(f"{measure}: {MEASURES[measure]}")


def _figure(estimate: Estimate) -> str:
    return f"{figure(estimate.value, 3)} {interval(estimate, 3) if _has_interval(estimate) else NOTHING}"


def _has_interval(estimate: Estimate) -> bool:
    return math.isfinite(estimate.low) and math.isfinite(estimate.high)


_NO_INTERVAL = "no interval: all scores are the same, or of drawings of one item"


def _count(one: Alignment) -> str:
    others = {"incomplete": one.incomplete, "excluded": one.excluded}
    told = "".join(f" + {count} {name}" for name, count in others.items() if count)
    return f"{one.estimate.n}{told}" + f" ({one.discarded} answers discarded)" * (one.discarded > 0)


def alignment_sections(sources: Sequence[Source]) -> list[Section]:
    """Write the section on how well drawings fit their prompts, if a judge was asked."""
    found = [(source, one) for source in sources for one in _align(source)]
    if not found:
        return []
    rows = (Row(_cells(source, one, sources), source.badge(one.model)) for source, one in found)
    table = make_table(
        "alignment",
        "How well drawings fit their prompts",
        _COLUMNS,
        rows,
        "Means over drawings with 95 % intervals, drawings of one item taken together. "
        "There is no interval where all scores are the same, or of drawings of one item.",
    )
    meanings = (f"{measure} is {MEASURES[measure]}" for measure in dict.fromkeys(one.measure for _, one in found))
    note = TextBlock(f"Here {'; '.join(meanings)}.")
    informed = [TextBlock(_INFORMED, is_warning=True)] * any(one.is_informed for _, one in found)
    return [Section("alignment", "Alignment", (note, *informed, _chart(found, sources, table)))]


_INFORMED = (
    "Whoever answers the questions of a scene graph, or scores a prompt, knows what was asked for: it is informed."
)

_COLUMNS = (
    MODEL,
    text_column("Suite"),
    text_column("Judge"),
    text_column("Measure"),
    Column("Score", "Mean over drawings.", digits=3),
    Column("n", "Drawings."),
    Column("Discarded", "Answers that the rule made no value of; in a scene graph they are wrong."),
    Column("Incomplete", "Drawings of which not every question is answered."),
)


def _cells(source: Source, one: Alignment, sources: Sequence[Source]) -> tuple[Cell, ...]:
    names = _label(source, one, sources), one.suite, printable(one.judge), one.measure
    score = one.estimate if _has_interval(one.estimate) else one.estimate.value
    return (*names, score, one.estimate.n, one.discarded, one.incomplete)


def _align(source: Source) -> list[Alignment]:
    try:
        return align_run(source.run)
    except NothingToDoError:
        return []


def _label(source: Source, one: Alignment, sources: Sequence[Source]) -> str:
    return printable(one.model).replace("\n", " ") + f" ({source.name})" * (len(sources) > 1)


def _chart(found: Sequence[tuple[Source, Alignment]], sources: Sequence[Source], table: TableBlock) -> FigureBlock:
    has_suites = len({one.suite for _, one in found}) > 1
    points = [
        {
            "model": _panel(one, has_suites=has_suites),
            "name": _in_lines(_label(source, one, sources)),
            "value": one.estimate.value,
            "low": one.estimate.low if _has_interval(one.estimate) else None,
            "high": one.estimate.high if _has_interval(one.estimate) else None,
        }
        for source, one in found
    ]
    caption = (
        "Mean score of the drawings of each model with its 95 % interval, a panel per measure, judge and suite. Each "
        "panel has a scale of its own."
    )
    if not all(_has_interval(one.estimate) for _, one in found):
        caption += " A hollow point has no interval: all scores are the same, or of drawings of one item."
    return FigureBlock(
        "alignment-chart",
        "Mean score by judge",
        charts.scores(points),
        caption,
        "How well the drawings of each model fit their prompts, with intervals.",
        table,
    )


def _panel(one: Alignment, *, has_suites: bool) -> str:
    measure = f"{one.measure} · {one.suite}" if has_suites else one.measure
    return f"{measure}\n{_in_lines(printable(one.judge))}"


def _in_lines(text: str) -> str:
    """Break a long name into lines, where its parts end if it has some."""
    lines = [""]
    for part in re.findall(rf"[^{_ENDS}]{{1,{_LINE_LETTERS - 1}}}[{_ENDS}]?|[{_ENDS}]", text):
        if lines[-1] and len(lines[-1]) + len(part) > _LINE_LETTERS:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


_ENDS = ":/,=_. ·-"
_LINE_LETTERS = 36
