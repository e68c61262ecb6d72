"""What a report says of T2ICountBench: Table 2 as its leaderboard, its figures in the paper's order, and beyond."""

from collections.abc import Sequence
from dataclasses import replace

from subitize.papers.t2icountbench.report import beyond, figures
from subitize.papers.t2icountbench.report.leaderboard import headline, rank_models
from subitize.papers.t2icountbench.suite import NAME
from subitize.papers.t2icountbench.tables import UNUSABLE, average_by_model, choose_k
from subitize.report.charts import Palette
from subitize.report.comparisons import RefinedRun, group_series, pair_section
from subitize.report.number_sense import counting_sections
from subitize.report.series import CountingModel, Series
from subitize.report.table import Block, Section, SuiteReport, TextBlock


def compose_account(
    suite: str, series: Sequence[Series], refined: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport:
    """Write all that the answers suffice for; what was excluded by hand is in none of it."""
    left = [one for one in series if not one.is_excluded]
    groups = [_best_first(group) for group in group_series(left, refined, unusable=UNUSABLE) if group.attempts]
    read = {one.model for group in groups for one in group.attempts}
    unread = [one.label for one in left if one.label not in read]
    notes = [TextBlock(f"{label}: no answer about its images has a value; it is in no figure.") for label in unread]
    if not groups:
        return SuiteReport(notes, (), has_refinements=True)
    made = (
        figures.by_difficulty(groups),
        figures.by_number(groups),
        _conditions(groups),
        pair_section(NAME, groups, palette, figures.table_3(groups)),
        beyond.passes(groups, palette),
        figures.errors(groups, palette),
        beyond.agreement(groups),
        beyond.statements(groups),
        _numbers_drawn(counted, palette),
    )
    sections = [section for section in made if section]
    return SuiteReport([*rank_models(groups), *notes], sections, headline(groups), has_refinements=True)


def _best_first(group: RefinedRun) -> RefinedRun:
    """Put models in the order of their averages, in which all figures show them."""
    averages = average_by_model(group.attempts, choose_k(group.attempts))
    order = sorted(averages, key=lambda label: -averages[label].value)
    known = {label: rank for rank, label in enumerate(order)}
    attempts, refined = (
        tuple(sorted(own, key=lambda one: known.get(one.model, len(known)))) for own in (group.attempts, group.refined)
    )
    return replace(group, attempts=attempts, refined=refined)


def _conditions(groups: Sequence[RefinedRun]) -> Section | None:
    made = (figures.by_scene(groups), figures.by_style(groups), figures.averages(groups))
    shown = [figure for figure in made if figure]
    lead = TextBlock("Scenes vary in plain style and styles at home, so that one of both differs at a time.")
    blocks: tuple[Block, ...] = (lead, *shown, *beyond.describe_ranks(groups))
    return Section(f"{NAME}-by-condition", "Scenes and styles", blocks) if shown else None


def _numbers_drawn(counted: Sequence[CountingModel], palette: Palette) -> Section | None:
    """Measure the numbers drawn as in any suite that counts."""
    if not counted:
        return None
    lead = TextBlock(
        "The numbers that were drawn, each image by itself, with the measures of Testolin, Hou and Zorzi (2025), as "
        "for any suite that counts. The paper has none of these."
    )
    # Accuracy by number stands above already, beside success.
    inner = [one for one in counting_sections(NAME, counted, palette, are_drawn=True) if one.id != f"{NAME}-accuracy"]
    return Section(f"{NAME}-numbers", "Numbers drawn", (lead,), tuple(inner))
