"""What T2ICountBench's paper leaves open: every number, every k, which way errors go, and whether its claims hold."""

from collections.abc import Sequence

from subitize.analysis.agreement import Concord, agree_run
from subitize.analysis.passes import rate_passes
from subitize.errors import NothingToDoError
from subitize.papers.t2icountbench.claims import POOLED, Statement, Verdict, observe, ranks_change
from subitize.papers.t2icountbench.published import KAPPA
from subitize.papers.t2icountbench.report.leaderboard import badges
from subitize.papers.t2icountbench.tables import SUITE
from subitize.report.document import charts
from subitize.report.document.blocks import (
    Block,
    Column,
    Columns,
    FigureBlock,
    Row,
    Section,
    Tagged,
    TextBlock,
    Tone,
    make_table,
    text_column,
)
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import MODEL, bounds, methods, sizes
from subitize.report.sections.refinements import Group
from subitize.report.sections.sources import shared_judges

_QUESTIONS = {"matches-prompt": "one of four is right", "count": "how many"}
_FAMILIES = "By Holm, for the comparisons of an observation: of all models together, or of single models."
_TONES: dict[Verdict, Tone] = {"holds": "good", "does not hold": "bad", "undecided": ""}


def passes(groups: Sequence[Group], palette: Palette) -> Section | None:
    """Show how likely one of k images is right, for every k."""
    found = [rate for group in groups if group.attempts for rate in rate_passes(group.attempts)]
    if not found:
        return None
    ks = sorted({rate.k for rate in found})
    labels = list(dict.fromkeys(one.model for group in groups for one in group.attempts))
    known = {(rate.model, rate.k): rate.estimate for rate in found}
    estimates = list(known.values())
    points = [{"model": label, "number": k, **bounds(one)} for (label, k), one in known.items()]
    badge = badges(groups)
    rows = (Row((label, *(known.get((label, k)) for k in ks)), badge[label]) for label in labels)
    columns: Columns = (MODEL, *(f"pass@{k}" for k in ks))
    is_voted = any(rate.is_voted for rate in found)
    voted = " Of groups that were voted on together only the size of the group is known." * is_voted
    figure = FigureBlock(
        f"{SUITE}-passes-chart",
        "How many images it takes",
        charts.rising(points, palette.of(labels), x_title="images (k)"),
        "How likely at least one of k images of a prompt is right, estimated without bias from all its images, the "
        f"mean over prompts with 95 % intervals ({sizes(estimates)}). Of one image it is the accuracy per image, of "
        "four the paper’s success. Images of which nothing usable was read are left out, as in the paper’s "
        "tables; `score --pass-at-k` counts them as wrong."
        f"{voted}",
        "The share of prompts with at least one right image among k, by k, for every model, with intervals.",
        make_table(f"{SUITE}-passes", "pass@k: one of k images is right", columns, rows, methods(estimates)),
    )
    return Section(f"{SUITE}-passes", "One of k images", (figure,))


def agreement(groups: Sequence[Group]) -> Section | None:
    """Show how far annotators agree, where there are several, beside the paper's κ."""
    found = [(group, one) for group in groups for one in _concords(group) if one.suite == SUITE]
    if not found:
        return None
    rows, cautions = [], []
    for group, one in found:
        label = next((series.label for series in group.series if series.model == one.model), one.model)
        name = _prefix(group, groups) + one.model if one.is_pooled else label
        shares = (one.kappa, one.ac1, one.unanimous, one.yes)
        counts = (one.annotators, one.units, one.votes, one.ties, one.single)
        question = _QUESTIONS.get(one.question, one.question)
        rows.append(Row((name, question, *shares, *counts)))
        if one.caution:
            cautions.append(TextBlock(f"With caution: {name}, {question}: {one.caution}."))
    rows.append(Row(("15 models", "one of four is right", float(KAPPA), *(None,) * 3, 5, *(None,) * 4), "published"))
    columns = (
        text_column("Images of"),
        text_column("Question"),
        "Fleiss’ κ",
        Column("Gwet’s AC1", "As κ, but chance does not grow where nearly all answers are the same."),
        Column("Unanimous", "Share of groups on which all agree."),
        Column("Yes", "Share of yes among the votes."),
        "Annotators",
        Column("Groups", "With at least two votes."),
        "Votes",
        Column("Ties", "Without a majority; in no figure."),
        Column("One vote", "Groups that one annotator alone voted on; in no figure here."),
    )
    caption = (
        "Agreement of annotators beyond chance, with 95 % intervals for prompts and annotators like these; that of "
        "Unanimous is for these annotators. Published: section 4.3 of Guo and others (2025), "
        "five annotators, all models together, without an interval."
    )
    table = make_table(f"{SUITE}-agreement", "Agreement of annotators", columns, rows, caption)
    return Section(f"{SUITE}-agreement", "Agreement of annotators", (table, *cautions))


def statements(groups: Sequence[Group]) -> Section | None:
    """Hold the paper's observations against these data, each with its tests."""
    tables = [table for group in groups for table in _statements(group, groups)]
    if not tables:
        return None
    lead = TextBlock(
        "What the paper concludes, computed of these models and this judge. A statement holds, or does not, where its "
        "tests decide it; otherwise it is undecided, which is no evidence against it."
    )
    return Section(f"{SUITE}-observations", "The paper’s observations", (lead, *tables))


def tell_ranks(groups: Sequence[Group]) -> list[TextBlock]:
    """Say whether models keep their ranks from scene to scene: Kendall's W, with its interval."""
    told = [(_prefix(group, groups), ranks_change(group.attempts)) for group in groups]
    return [TextBlock(f"{prefix}{one.claim} {one.verdict.capitalize()}: {one.sentence}.") for prefix, one in told]


def _statements(group: Group, groups: Sequence[Group]) -> list[Block]:
    found = observe([*group.attempts, *group.refined])
    suffix, of_group = (f"-{groups.index(group) + 1}", f" {group.name}") if len(groups) > 1 else ("", "")
    columns = map(text_column, ("Observation", "Claim, in our words", "Verdict", "What was found"))
    rows = (Row((one.id, one.claim, Tagged(one.verdict, None, _TONES[one.verdict]), one.sentence)) for one in found)
    caption = "Numbers are those of the observations in the paper."
    table = make_table(f"{SUITE}-observations{suffix}", f"Does it hold?{of_group}", columns, rows, caption)
    return [table, *_tests(found, suffix)]


def _tests(found: Sequence[Statement], suffix: str) -> list[Block]:
    """Draw the differences that statements rest on, of all models together; those of each are in the data."""
    tested = [(one, each) for one in found for each in one.comparisons]
    if not tested:
        return []
    p = Column("p", "By flips of signs of prompts' residuals, two-sided.", 3, is_probability=True)
    adjusted = Column("p adjusted", _FAMILIES, 3, is_probability=True)
    named = (text_column("Observation"), text_column("Difference of"), Column("Difference", digits=3))
    columns = (*named, p, adjusted, "Pairs", text_column("Models"))
    rows = (Row((one.id, each.label, each.difference, each.p, each.p_holm, each.n, each.model)) for one, each in tested)
    title, methods_used = "The tests behind it", methods(each.difference for _, each in tested)
    data = make_table(f"{SUITE}-comparisons{suffix}", title, columns, rows, methods_used)
    is_pooled = any(each.is_pooled for _, each in tested)
    who = POOLED if is_pooled else next((each.model for _, each in tested if each.model), None)
    of_all = [(one, each) for one, each in tested if (each.model, each.is_pooled) == (who, is_pooled)]
    shown = {f"{one.id}: {each.label}": each.difference for one, each in of_all}
    if who is None:
        return [data]
    points = [{"model": who, "name": name, **bounds(difference)} for name, difference in shown.items()]
    figure = FigureBlock(
        f"{SUITE}-comparisons{suffix}-chart",
        title,
        charts.forest(points, [who], Palette((who,)), x_title="difference of shares", order=list(shown)),
        f"Differences that the observations rest on, with 95 % intervals ({sizes(shown.values())}); right of "
        "the line the first does better. Those of each model, and p, are in the data.",
        "Differences between conditions with their intervals, one line for each comparison.",
        data,
    )
    return [figure]


def _prefix(group: Group, groups: Sequence[Group]) -> str:
    return f"{group.name}: " if len(groups) > 1 else ""


def _concords(group: Group) -> list[Concord]:
    run = group.series[0].source.run
    if group.judge not in shared_judges(run):
        return []
    try:
        return agree_run(run, group.judge)
    except NothingToDoError:
        return []
