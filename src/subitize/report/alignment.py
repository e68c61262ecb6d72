"""How well drawings fit their prompts, and scores by others' rules, in the report and at the terminal."""

from collections.abc import Mapping, Sequence

from subitize.analysis.alignment import MEASURES, Alignment, align_survey
from subitize.analysis.design import WHOLE, name_level
from subitize.analysis.overview import Names
from subitize.analysis.rescoring import REASONS, Rescored, ScorerDisagreement, rescore_by_suite, rescore_recorded
from subitize.analysis.scorers import DRAWING_SCORERS, SCORERS, DrawingScorer, Scorer
from subitize.report import charts
from subitize.report.scores import cell, print_cautions, print_marks
from subitize.report.series import MODEL, ReportRun
from subitize.report.table import (
    NOTHING,
    Column,
    FigureBlock,
    Record,
    RowKind,
    Section,
    TableBlock,
    TextBlock,
    break_lines,
    number_of,
    number_text,
    tabulate,
    text_column,
)
from subitize.report.terminal import print_line, print_table

_INFORMED = (
    "A judge that answers the questions of a scene graph, or scores a prompt, is informed: it knows what was asked for."
)
_LINE_LETTERS = 36


def alignment_sections(sources: Sequence[ReportRun]) -> list[Section]:
    """Write the section on how well drawings fit their prompts, if a judge measured it."""
    found = [(source, one) for source in sources for one in align_survey(source.survey)]
    if not found:
        return []
    table = tabulate(
        "alignment",
        "How well drawings fit their prompts",
        [(_record(source, one, sources), source.badge(one.model)) for source, one in found],
        "Means over drawings with 95 % intervals, drawings of one item taken together. "
        "There is no interval where all scores are the same, or of drawings of one item.",
    )
    meanings = (f"{measure} is {MEASURES[measure]}" for measure in dict.fromkeys(one.measure for _, one in found))
    note = TextBlock(f"Here {'; '.join(meanings)}.")
    informed = [TextBlock(_INFORMED, is_warning=True)] * any(one.is_informed for _, one in found)
    return [Section("alignment", "Alignment", (note, *informed, _chart(found, sources, table)))]


def _record(source: ReportRun, one: Alignment, sources: Sequence[ReportRun]) -> Record:
    discarded = "Answers in which the rule found no value; in a scene graph they are wrong."
    score = one.estimate if one.has_interval else one.estimate.value
    return {
        MODEL: _label(source, one, sources),
        text_column("Suite"): one.suite,
        text_column("Judge"): source.name_judge(one.judge),
        text_column("Measure"): one.measure,
        Column("Score", "Mean over drawings.", digits=3): score,
        Column("n", "Drawings."): one.estimate.n,
        Column("Discarded", discarded): one.discarded,
        Column("Incomplete", "Drawings with unanswered questions."): one.incomplete,
    }


def _label(source: ReportRun, one: Alignment, sources: Sequence[ReportRun]) -> str:
    return source.name_model(one.model) + f" ({source.name})" * (len(sources) > 1)


def _chart(
    found: Sequence[tuple[ReportRun, Alignment]], sources: Sequence[ReportRun], table: TableBlock
) -> FigureBlock:
    has_suites = len({one.suite for _, one in found}) > 1
    points = [
        {
            "model": f"{one.measure}{f' · {one.suite}' * has_suites}\n{_wrap(source.name_judge(one.judge))}",
            "name": _wrap(_label(source, one, sources)),
            "value": one.estimate.value,
            "low": one.estimate.low if one.has_interval else None,
            "high": one.estimate.high if one.has_interval else None,
        }
        for source, one in found
    ]
    caption = (
        "Mean score of the drawings of each model with its 95 % interval, a panel per measure, judge and suite. Each "
        "panel has a scale of its own."
    )
    if not all(one.has_interval for _, one in found):
        caption += " A hollow point has no interval: all scores are the same, or of drawings of one item."
    return FigureBlock(
        "alignment-chart",
        "Mean score by judge",
        charts.scores(points),
        caption,
        "How well the drawings of each model fit their prompts, with intervals.",
        table,
    )


def _wrap(name: str) -> str:
    return "\n".join(break_lines(name, _LINE_LETTERS))


def rescoring_sections(sources: Sequence[ReportRun]) -> list[Section]:
    """Write the section on scores by others, if there are any."""
    found = [
        (source, one)
        for source in sources
        for one in (*rescore_recorded(source.survey), *rescore_by_suite(source.survey))
    ]
    if not found:
        return []
    scores = tabulate(
        "others-scores",
        "Scores by others, and ours",
        [(_score_record(source, one), source.badge(one.model)) for source, one in found],
        "Means over the same replies or drawings, with 95 % intervals over pictures or prompts.",
    )
    differing: list[tuple[Record, RowKind]] = [
        (_reason_record(source, one, why), source.badge(one.model))
        for source, one in found
        if one.group == WHOLE
        for why in one.differences
    ]
    reasons = tabulate("read-differently", "What is read differently", differing)
    return [
        Section(
            "others-scores", "Scored by others", (scores, reasons if differing else TextBlock("All are read alike."))
        )
    ]


def _score_record(source: ReportRun, one: Rescored) -> Record:
    return {
        MODEL: source.name_model(one.model),
        text_column("Suite"): one.suite,
        text_column("Scored by", "A program and its metric, as recorded; or a published rule."): one.scorer,
        text_column("Group"): one.group,
        Column("Theirs", "Mean credit; of tags that are averaged, the mean of their means."): one.theirs,
        Column("Ours", "Share that is right as our judge reads it."): one.ours,
        Column("n", "Replies or drawings."): one.theirs.n,
        Column("Different", "Those with another credit."): one.different,
        Column("Left out", "In neither: they wait for a judge, or have no score."): one.left_out,
    }


def _reason_record(source: ReportRun, one: Rescored, why: ScorerDisagreement) -> Record:
    example = why.examples[0]
    return {
        MODEL: source.name_model(one.model),
        text_column("Scored by"): one.scorer,
        text_column("Reason"): f"{why.reason}: {REASONS[why.reason]}",
        text_column("Right by", "Who calls it right."): "them" if why.we_are_stricter else "us",
        Column("How many"): why.count,
        text_column("Right"): example.expected,
        text_column("We read"): example.ours,
        text_column("For example"): " ".join(example.reply.split())[:200],
    }


_LONGEST_REPLY = 40


def print_alignments(alignments: Sequence[Alignment], names: Names) -> None:
    """Print one row per model, judge, measure and group, and explain the measures."""
    rows = []
    for one in alignments:
        judge = names.mark_judge(one.judge, is_informed=one.is_informed)
        labels = (one.suite, names.mark_model(one.model), judge, one.measure, name_level(one.factor, one.group))
        score = cell(one.estimate) if one.has_interval else f"{number_text(one.estimate.value, 3)} {NOTHING}"
        counts = {"incomplete": one.incomplete, "excluded": one.excluded}
        others = "".join(f" + {count} {name}" for name, count in counts.items() if count)
        discarded = f" ({number_of(one.discarded, 'answer')} discarded)" * (one.discarded > 0)
        rows.append((*labels, score, f"{one.estimate.n}{others}{discarded}"))
    print_table(("suite", "model", "judge", "measure", "group", "score", "n"), rows)
    print_marks(alignments, names)
    print_line("mean over drawings [95 % interval, drawings of one item taken together]; n: drawings")
    if not all(one.has_interval for one in alignments):
        print_line(f"{NOTHING} no interval: all scores are the same, or of drawings of one item")
    print_line(*(f"{measure}: {MEASURES[measure]}" for measure in dict.fromkeys(one.measure for one in alignments)))


def print_rescored(rows: Sequence[Rescored], names: Names) -> None:
    """Print both scores of every model, then which replies are read differently and why."""
    named = [
        {
            "suite": one.suite,
            "model": names.mark_model(one.model),
            "judged by": names.mark_judge(one.judge),
            "scored by": one.scorer,
            "group": one.group,
        }
        for one in rows
    ]
    figures = [(cell(one.theirs), cell(one.ours), str(one.theirs.n), str(one.different)) for one in rows]
    _print_named(named, ("their score", "ours", "n", "different"), figures)
    print_line("value [95 % interval over pictures or prompts], of the same replies or drawings in both")
    print_marks(rows, names)
    print_cautions(figure for one in rows for figure in (one.theirs, one.ours))
    for one in rows:
        of = one.scorer if one.group == WHOLE else f"{one.scorer}, {one.group}"
        if one.left_out:
            print_line(f"{of}: {one.left_out} are in neither figure: they wait for a judge, or it does not score them")
        if one.their_average is not None:
            print_line(f"{of} averages tasks, leaving out those with nothing right: {one.their_average:.3f}")
    differing = [(row, one) for row in rows if row.group == WHOLE for one in row.differences]
    if not differing:
        print_line("all are read alike")
        return
    cells = []
    for _, difference in differing:
        who, example = "them" if difference.we_are_stricter else "us", difference.examples[0]
        reply = " ".join(example.reply.split())
        # The end of a long reply, where answers usually are.
        short = reply if len(reply) <= _LONGEST_REPLY else f"…{reply[1 - _LONGEST_REPLY :]}"
        cells.append((difference.reason, who, str(difference.count), short, example.expected, example.ours))
    named = [{"model": names.mark_model(row.model), "scored by": row.scorer} for row, _ in differing]
    _print_named(named, ("reason", "right by", "how many", "for example", "right", "we read"), cells)
    print_line(*(f"{reason}: {REASONS[reason]}" for reason in dict.fromkeys(one.reason for _, one in differing)))


def _print_named(named: Sequence[Mapping[str, str]], headings: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """Print a table; names that all rows share are printed once, above it."""
    common = {name: one for name, one in named[0].items() if all(row[name] == one for row in named)}
    print_line(", ".join(f"{name} {one}" for name, one in common.items() if (name, one) != ("group", WHOLE)))
    columns = [name for name in named[0] if name not in common]
    rows = ([*(row[name] for name in columns), *own] for row, own in zip(named, cells, strict=True))
    print_table([*columns, *headings], rows)


def print_scorers() -> None:
    """Print the published scorers, what they credit and where they err."""
    known: list[Scorer | DrawingScorer] = [*SCORERS.values(), *DRAWING_SCORERS.values()]
    print_table(("scorer", "what is credited", "known defect"), ((one.name, one.rule, one.defect) for one in known))
