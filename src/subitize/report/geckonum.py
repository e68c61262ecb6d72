"""What a report says of GeckoNum: its leaderboard, its sections in the paper's order, its sentence in the summary."""

from collections.abc import Sequence

from subitize.report import geckonum_beyond, geckonum_figures
from subitize.report.charts import Palette
from subitize.report.document import Account, TextBlock
from subitize.report.geckonum_findings import Findings, find
from subitize.report.geckonum_leaderboard import headline, rank_models
from subitize.report.sources import Series


def compose_geckonum(series: Sequence[Series], palette: Palette) -> Account:
    """Write all that the answers suffice for; what was excluded by hand is in none of it."""
    findings = find([one for one in series if not one.is_excluded])
    notes = [TextBlock(text) for text in _gaps(series, findings)]
    if not findings.models:
        return Account(notes, ())
    made = (
        geckonum_figures.by_type(findings, palette),
        geckonum_figures.by_number(findings, palette),
        geckonum_figures.by_quantifier(findings),
        geckonum_figures.by_wording(findings),
        geckonum_figures.by_addition(findings),
        geckonum_figures.by_context(findings),
        geckonum_beyond.failures(findings),
        geckonum_beyond.numbers_drawn(findings),
        geckonum_beyond.decisive(findings, palette),
        geckonum_beyond.differences(findings),
        geckonum_beyond.agreement(findings),
    )
    sections = [section for section in made if section]
    return Account([*rank_models(findings), *notes], sections, headline(findings))


def _gaps(series: Sequence[Series], findings: Findings) -> list[str]:
    """Say what was refused, and of which models nothing was read."""
    texts = [f"{label}: no answer about its images has a value; it is in no figure." for label in findings.unread]
    for one in series:
        refused = {
            (seen.item.id, seen.repeat)
            for seen in one.observations
            if seen.status == "refused" and not seen.is_excluded
        }
        if refused:
            what = f"{len(refused):,} images were" if len(refused) > 1 else "1 image was"
            texts.append(f"{one.label}: {what} refused and in no figure here; “What no figure covers” counts them.")
    return texts
