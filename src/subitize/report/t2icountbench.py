"""What a report says of T2ICountBench: Table 2 as its leaderboard, its figures in the paper's order, and beyond."""

from collections.abc import Sequence
from dataclasses import replace

from subitize.analysis.papers.t2icountbench import average_by_model, choose_k
from subitize.report import t2icountbench_beyond, t2icountbench_figures, t2icountbench_numbers
from subitize.report.charts import Palette
from subitize.report.counted import Counted
from subitize.report.document import Account, Block, Section, TextBlock
from subitize.report.enumerations import number_sections
from subitize.report.refinements import Group, group_series, pair_section
from subitize.report.sources import Series
from subitize.report.t2icountbench_leaderboard import headline, rank_models
from subitize.suites.t2icountbench.suite import NAME


def compose_t2icountbench(
    series: Sequence[Series], refined: Sequence[Series], counted: Sequence[Counted], palette: Palette
) -> Account:
    """Write all that the answers suffice for; what was excluded by hand is in none of it."""
    left = [one for one in series if not one.is_excluded]
    groups = [_best_first(group) for group in group_series(left, refined) if group.attempts]
    read = {one.model for group in groups for one in group.attempts}
    unread = [one.label for one in left if one.label not in read]
    notes = [TextBlock(f"{label}: no answer about its images has a value; it is in no figure.") for label in unread]
    if not groups:
        return Account(notes, ())
    made = (
        t2icountbench_figures.by_difficulty(groups),
        t2icountbench_numbers.by_number(groups),
        _conditions(groups),
        pair_section(NAME, groups, palette, t2icountbench_figures.table_3(groups)),
        t2icountbench_beyond.passes(groups, palette),
        t2icountbench_numbers.errors(groups, palette),
        t2icountbench_beyond.agreement(groups),
        t2icountbench_beyond.statements(groups),
        _as_numbersense(counted, palette),
    )
    sections = [section for section in made if section]
    return Account([*rank_models(groups), *notes], sections, headline(groups))


def _best_first(group: Group) -> Group:
    """Put models in the order of their averages, in which all figures show them."""
    averages = average_by_model(group.attempts, choose_k(group.attempts))
    order = sorted(averages, key=lambda label: -averages[label].value)
    known = {label: rank for rank, label in enumerate(order)}
    attempts, refined = (
        tuple(sorted(own, key=lambda one: known.get(one.model, len(known)))) for own in (group.attempts, group.refined)
    )
    return replace(group, attempts=attempts, refined=refined)


def _conditions(groups: Sequence[Group]) -> Section | None:
    made = (
        t2icountbench_figures.by_scene(groups),
        t2icountbench_figures.by_style(groups),
        t2icountbench_figures.averages(groups),
    )
    figures = [figure for figure in made if figure]
    lead = TextBlock("Scenes vary in plain style and styles at home, so that one of both differs at a time.")
    blocks: tuple[Block, ...] = (lead, *figures, *t2icountbench_beyond.tell_ranks(groups))
    return Section(f"{NAME}-by-condition", "Scenes and styles", blocks) if figures else None


def _as_numbersense(counted: Sequence[Counted], palette: Palette) -> Section | None:
    """Measure the numbers drawn as in any suite that counts."""
    if not counted:
        return None
    lead = TextBlock(
        "The numbers that were drawn, each image by itself, with the measures of Testolin, Hou and Zorzi (2025), as "
        "for any suite that counts. The paper has none of these."
    )
    # Accuracy by number stands above already, beside success.
    inner = [one for one in number_sections(NAME, counted, palette, are_drawn=True) if one.id != f"{NAME}-accuracy"]
    return Section(f"{NAME}-numbers", "Numbers drawn", (lead,), tuple(inner))
