"""What a report says of GeckoNum: its leaderboard, its sections in the paper's order, its sentence in the summary."""

from collections.abc import Sequence

import polars as pl

from subitize.papers.geckonum.report import beyond, figures
from subitize.papers.geckonum.report.findings import Findings, find
from subitize.papers.geckonum.report.leaderboard import headline, rank_models
from subitize.papers.geckonum.runs import SUITE
from subitize.report.charts import Palette
from subitize.report.claims import Wording, claims_section
from subitize.report.series import CountingModel, Series
from subitize.report.table import SuiteReport, TextBlock

_WORDING = Wording(
    "claim",
    "claims",
    "Numbers are those of sections in the paper, letters are ours. Of most models means of more than half of them.",
    "Pairs or labels",
    "Two-sided: by flips of signs of the residuals of what is paired; of other prompts by the interval.",
)


def compose_account(
    suite: str, series: Sequence[Series], refined: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport | None:
    """Write all that the answers suffice for; what was excluded by hand is in none of it."""
    if suite != SUITE:
        return None
    findings = find([one for one in series if not one.is_excluded])
    notes = [TextBlock(text) for text in _gaps(series, findings)]
    if not findings.models:
        return SuiteReport(notes, ())
    made = (
        figures.by_type(findings, palette),
        figures.by_number(findings, palette),
        figures.by_quantifier(findings),
        figures.by_wording(findings),
        figures.by_addition(findings),
        figures.by_context(findings),
        beyond.failures(findings),
        beyond.numbers_drawn(findings),
        beyond.decisive(findings, palette),
        beyond.differences(findings),
        beyond.agreement(findings),
        claims_section(SUITE, {group.name: group.statements for group in findings.groups}, _WORDING),
    )
    sections = [section for section in made if section]
    return SuiteReport([*rank_models(findings), *notes], sections, headline(findings))


def _gaps(series: Sequence[Series], findings: Findings) -> list[str]:
    """Say what was refused, and of which models nothing was read."""
    texts = [f"{label}: no answer about its images has a value; it is in no figure." for label in findings.unread]
    for one in series:
        refused = one.observations.kept().filter(pl.col("status") == "refused").rows
        images = refused.select("item", "repeat").n_unique()
        if images:
            what = f"{images:,} images were" if images > 1 else "1 image was"
            texts.append(f"{one.label}: {what} refused and in no figure here; “What no figure covers” counts them.")
    return texts
