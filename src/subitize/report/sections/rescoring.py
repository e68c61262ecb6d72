"""What a report says of others' scores: those recorded with imported replies, or by a suite's own published rule."""

from collections.abc import Sequence

from subitize.analysis.clusters import WHOLE
from subitize.analysis.rescoring import REASONS, Difference, Rescored, rescore_by_suite, rescore_recorded
from subitize.report.document.blocks import Badge, Column, Record, Section, TextBlock, tabulate, text_column
from subitize.report.sections.counted import MODEL
from subitize.report.sections.sources import Source


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


def _tell_reason(source: Source, one: Rescored, why: Difference) -> Record:
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
