"""What a report says of how well drawings fit their prompts, and of scores by others beside ours."""

import re
from collections.abc import Sequence

from subitize.analysis.alignment import MEASURES, Alignment, align_survey
from subitize.analysis.design import WHOLE
from subitize.analysis.rescoring import REASONS, Rescored, ScorerDisagreement, rescore_by_suite, rescore_recorded
from subitize.report.document import charts
from subitize.report.document.blocks import (
    Badge,
    Column,
    FigureBlock,
    Record,
    Section,
    TableBlock,
    TextBlock,
    tabulate,
    text_column,
)
from subitize.report.sections.counted import MODEL
from subitize.report.sections.sources import Source

_INFORMED = (
    "Whoever answers the questions of a scene graph, or scores a prompt, knows what was asked for: it is informed."
)
_ENDS = ":/,=_. ·-"
_LINE_LETTERS = 36


def alignment_sections(sources: Sequence[Source]) -> list[Section]:
    """Write the section on how well drawings fit their prompts, if a judge was asked."""
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


def _record(source: Source, one: Alignment, sources: Sequence[Source]) -> Record:
    discarded = "Answers that the rule made no value of; in a scene graph they are wrong."
    score = one.estimate if one.has_interval else one.estimate.value
    return {
        MODEL: _label(source, one, sources),
        text_column("Suite"): one.suite,
        text_column("Judge"): source.name_judge(one.judge),
        text_column("Measure"): one.measure,
        Column("Score", "Mean over drawings.", digits=3): score,
        Column("n", "Drawings."): one.estimate.n,
        Column("Discarded", discarded): one.discarded,
        Column("Incomplete", "Drawings of which not every question is answered."): one.incomplete,
    }


def _label(source: Source, one: Alignment, sources: Sequence[Source]) -> str:
    return source.name_model(one.model) + f" ({source.name})" * (len(sources) > 1)


def _chart(found: Sequence[tuple[Source, Alignment]], sources: Sequence[Source], table: TableBlock) -> FigureBlock:
    has_suites = len({one.suite for _, one in found}) > 1
    points = [
        {
            "model": f"{one.measure}{f' · {one.suite}' * has_suites}\n{_in_lines(source.name_judge(one.judge))}",
            "name": _in_lines(_label(source, one, sources)),
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


def _in_lines(text: str) -> str:
    """Break a long name into lines, where its parts end if it has some."""
    lines = [""]
    for part in re.findall(rf"[^{_ENDS}]{{1,{_LINE_LETTERS - 1}}}[{_ENDS}]?|[{_ENDS}]", text):
        if lines[-1] and len(lines[-1]) + len(part) > _LINE_LETTERS:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def rescoring_sections(sources: Sequence[Source]) -> list[Section]:
    """Write the section on others' scores, if there are any."""
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
        [(_tell_scores(source, one), source.badge(one.model)) for source, one in found],
        "Means over the same replies or drawings, with 95 % intervals over pictures or prompts.",
    )
    told: list[tuple[Record, Badge]] = [
        (_tell_reason(source, one, why), source.badge(one.model))
        for source, one in found
        if one.group == WHOLE
        for why in one.differences
    ]
    reasons = tabulate("read-differently", "What is read differently", told)
    return [
        Section("others-scores", "Scored by others", (scores, reasons if told else TextBlock("All are read alike.")))
    ]


def _tell_scores(source: Source, one: Rescored) -> Record:
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


def _tell_reason(source: Source, one: Rescored, why: ScorerDisagreement) -> Record:
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
