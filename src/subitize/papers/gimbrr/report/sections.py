"""What a report says of GIMBRR: its leaderboard, the cognitive profile of every model, and the paper's conclusions."""

from collections.abc import Sequence

from subitize.papers.gimbrr.claims import observe
from subitize.papers.gimbrr.items import NAME
from subitize.papers.gimbrr.report import conditions, profile, relations
from subitize.papers.gimbrr.report.groups import group_series
from subitize.papers.gimbrr.report.leaderboard import headline, rank_models
from subitize.report.charts import Palette
from subitize.report.claims import Wording, claims_section
from subitize.report.series import CountingModel, Series
from subitize.report.table import SuiteReport, TextBlock

_WORDING = Wording(
    "claim",
    "claims",
    "Numbers are ours, in the order of the paper.",
    "Prompts or ratings",
    "Two-sided: by flips of signs of the residuals where prompts are the same; elsewhere by the interval.",
)


def compose_account(
    suite: str, series: Sequence[Series], refined: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport | None:
    """Write all that the ratings suffice for; what was excluded by hand is in none of it."""
    if suite != NAME:
        return None
    left = [one for one in series if not one.is_excluded]
    groups = group_series(left)
    notes = [TextBlock(text) for group in groups for text in group.ratings.warnings()]
    if not groups:
        return SuiteReport([TextBlock("No image is rated, by itself or by all its parts; there is no figure.")], ())
    made = (
        profile.ladders(groups, palette),
        profile.breakdown(groups, palette),
        relations.carry_over(groups, palette),
        relations.move_together(groups),
        conditions.by_number(groups),
        conditions.by_size(groups),
        conditions.by_covariate(groups, palette),
        claims_section(NAME, {group.name: observe(group.ratings) for group in groups}, _WORDING),
    )
    sections = [section for section in made if section]
    return SuiteReport([*rank_models(groups), *notes], sections, headline(groups))
