"""How well drawings fit their prompts, and scores by others' rules, in the report and at the terminal."""

from collections.abc import Sequence

from subitize.analysis.alignment import MEASURES, Alignment, align_survey
from subitize.analysis.design import WHOLE, name_level
from subitize.analysis.overview import Names
from subitize.analysis.rescoring import REASONS, Rescored, ScorerDisagreement, rescore_by_suite, rescore_recorded
from subitize.analysis.scorers import DRAWING_SCORERS, SCORERS, DrawingScorer, Scorer
from subitize.report import charts
from subitize.report.estimates import MODEL
from subitize.report.scores import explain_marks
from subitize.report.series import ReportRun
from subitize.report.table import Column, Figure, Paragraph, Record, Result, RowKind, Section, Table
from subitize.report.texts import break_lines

_INFORMED = (
    "A judge that answers the questions of a scene graph, or scores a prompt, is informed: it knows what was asked for."
)
_CAPTION = (
    "Means over drawings with 95 % intervals, drawings of one item taken together. "
    "There is no interval where all scores are the same, or of drawings of one item."
)
_SAME = "Means over the same replies or drawings, with 95 % intervals over pictures or prompts."
_AVERAGE = "As they print it: the mean of tasks, without those with nothing right."
_LINE_LETTERS = 36
_LONGEST_REPLY = 40


def alignment_sections(sources: Sequence[ReportRun]) -> list[Section]:
    """Write the section on how well drawings fit their prompts, if a judge measured it."""
    found = [(source, one) for source in sources for one in align_survey(source.survey)]
    if not found:
        return []
    records: list[tuple[Record, RowKind]] = []
    for source, one in found:
        record = _record(one, _label(source, one, sources), source.name_judge(one.judge))
        records.append((record, source.badge(one.model)))
    table = Table.of_records("alignment", "How well drawings fit their prompts", records, _CAPTION)
    meanings = (f"{measure} is {MEASURES[measure]}" for measure in dict.fromkeys(one.measure for _, one in found))
    note = Paragraph(f"Here {'; '.join(meanings)}.")
    informed = [Paragraph(_INFORMED, is_warning=True)] * any(one.is_informed for _, one in found)
    return [Section("alignment", "Alignment", (note, *informed, _chart(found, sources, table)))]


def alignment_result(alignments: Sequence[Alignment], names: Names) -> Result:
    """Show one row per model, judge, measure and group, and explain the measures."""
    records: list[tuple[Record, RowKind]] = []
    for one in alignments:
        judge = names.mark_judge(one.judge, is_informed=one.is_informed)
        model, group = names.mark_model(one.model), {Column.text("Group"): name_level(one.factor, one.group)}
        excluded = {Column("Excluded", "Left out by hand."): one.excluded}
        records.append(({MODEL: model, **group, **_record(one, model, judge), **excluded}, ""))
    table = Table.of_records("alignment", "", records, _CAPTION, drops_empty=True)
    meanings = [f"{measure}: {MEASURES[measure]}" for measure in dict.fromkeys(one.measure for one in alignments)]
    rows = [{**names.row(one), "is_informed": one.is_informed} for one in alignments]
    return Result((table,), rows, notes=(*explain_marks(alignments, names), *meanings))


def _record(one: Alignment, model: str, judge: str) -> Record:
    discarded = "Answers in which the rule found no value; in a scene graph they are wrong."
    score = one.estimate if one.has_interval else one.estimate.value
    return {
        MODEL: model,
        Column.text("Suite"): one.suite,
        Column.text("Judge"): judge,
        Column.text("Measure"): one.measure,
        Column("Score", "Mean over drawings.", digits=3): score,
        Column("n", "Drawings."): one.estimate.n,
        Column("Discarded", discarded): one.discarded,
        Column("Incomplete", "Drawings with unanswered questions."): one.incomplete,
    }


def _label(source: ReportRun, one: Alignment, sources: Sequence[ReportRun]) -> str:
    return source.name_model(one.model) + f" ({source.name})" * (len(sources) > 1)


def _chart(found: Sequence[tuple[ReportRun, Alignment]], sources: Sequence[ReportRun], table: Table) -> Figure:
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
    return Figure(
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
        (source.name_model(one.model), source.badge(one.model), one)
        for source in sources
        for one in (*rescore_recorded(source.survey), *rescore_by_suite(source.survey))
    ]
    if not found:
        return []
    records = [(_score_record(model, one), badge) for model, badge, one in found]
    scores = Table.of_records("others-scores", "Scores by others, and ours", records, _SAME)
    differing: list[tuple[Record, RowKind]] = [
        (_reason_record(model, one, why, f"{why.reason}: {REASONS[why.reason]}", _quote(why)[:200]), badge)
        for model, badge, one in found
        if one.group == WHOLE
        for why in one.differences
    ]
    reasons = Table.of_records("read-differently", "What is read differently", differing)
    block = reasons if differing else Paragraph("All are read alike.")
    return [Section("others-scores", "Scored by others", (scores, block))]


def rescoring_result(rows: Sequence[Rescored], names: Names) -> Result:
    """Show both scores of every model, then which replies are read differently and why."""
    if not rows:
        return Result((), [])
    of_judge, average = Column.text("Judge"), Column("Their average", _AVERAGE, digits=3)
    scores: list[tuple[Record, RowKind]] = []
    reasons: list[tuple[Record, RowKind]] = []
    for one in rows:
        model = names.mark_model(one.model)
        record = _score_record(model, one)
        scores.append(({**record, of_judge: names.mark_judge(one.judge), average: one.their_average}, ""))
        # The end of a long reply, where answers usually are.
        for why in one.differences if one.group == WHOLE else ():
            reply = _quote(why)
            short = reply if len(reply) <= _LONGEST_REPLY else f"…{reply[1 - _LONGEST_REPLY :]}"
            reasons.append((_reason_record(model, one, why, why.reason, short), ""))
    known = dict.fromkeys(why.reason for one in rows if one.group == WHOLE for why in one.differences)
    tables = [Table.of_records("others-scores", "", scores, _SAME, drops_empty=True)]
    tables += [Table.of_records("read-differently", "what is read differently", reasons)] * bool(reasons)
    meanings = [f"{reason}: {REASONS[reason]}" for reason in known] or ["all are read alike"]
    return Result(tuple(tables), names.plain(rows), notes=(*explain_marks(rows, names), *meanings))


def _quote(why: ScorerDisagreement) -> str:
    return " ".join(why.examples[0].reply.split())


def _score_record(model: str, one: Rescored) -> Record:
    return {
        MODEL: model,
        Column.text("Suite"): one.suite,
        Column.text("Scored by", "A program and its metric, as recorded; or a published rule."): one.scorer,
        Column.text("Group"): one.group,
        Column("Theirs", "Mean credit; of tags that are averaged, the mean of their means.", digits=3): one.theirs,
        Column("Ours", "Share that is right as our judge reads it.", digits=3): one.ours,
        Column("n", "Replies or drawings."): one.theirs.n,
        Column("Different", "Those with another credit."): one.different,
        Column("Left out", "In neither: they wait for a judge, or have no score."): one.left_out,
    }


def _reason_record(model: str, one: Rescored, why: ScorerDisagreement, reason: str, example: str) -> Record:
    return {
        MODEL: model,
        Column.text("Scored by"): one.scorer,
        Column.text("Reason"): reason,
        Column.text("Right by", "Who calls it right."): "them" if why.we_are_stricter else "us",
        Column("How many"): why.count,
        Column.text("Right"): why.examples[0].expected,
        Column.text("We read"): why.examples[0].ours,
        Column.text("For example"): example,
    }


def scorers_result() -> Result:
    """List the published scorers, what they credit and where they err."""
    known: list[Scorer | DrawingScorer] = [*SCORERS.values(), *DRAWING_SCORERS.values()]
    rows = ((one.name, one.rule, one.defect) for one in known)
    records = [{"name": one.name, "rule": one.rule, "defect": one.defect} for one in known]
    return Result((Table.of("scorers", "", ("scorer", "what is credited", "known defect"), rows),), records)
