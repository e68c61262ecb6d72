"""What T2ICountBench's paper leaves open: every number, every k, which way errors go, and whether its claims hold."""

from collections.abc import Sequence

from subitize.analysis.agreement import RaterAgreement, agree_run
from subitize.analysis.score import rate_passes
from subitize.errors import NothingToDoError
from subitize.papers.t2icountbench.claims import observe, ranks_change
from subitize.papers.t2icountbench.published import KAPPA
from subitize.papers.t2icountbench.report.charts import rising
from subitize.papers.t2icountbench.report.leaderboard import badges
from subitize.papers.t2icountbench.tables import SUITE
from subitize.report.charts import Palette
from subitize.report.claims import Wording, claims_section
from subitize.report.comparisons import RefinedRun
from subitize.report.series import MODEL, bounds, methods, shared_judges, sizes
from subitize.report.table import Column, Columns, FigureBlock, Row, Section, TextBlock, make_table, text_column

_QUESTIONS = {"matches-prompt": "one of four is right", "count": "how many"}
_WORDING = Wording("observation", "observations", "Numbers are those of the observations in the paper.")


def passes(groups: Sequence[RefinedRun], palette: Palette) -> Section | None:
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
        rising(points, palette.of(labels), x_title="images (k)"),
        "How likely at least one of k images of a prompt is right, estimated without bias from all its images, the "
        f"mean over prompts with 95 % intervals ({sizes(estimates)}). Of one image it is the accuracy per image, of "
        "four the paper’s success. Images of which nothing usable was read are left out, as in the paper’s "
        "tables; `score --pass-at-k` counts them as wrong."
        f"{voted}",
        "The share of prompts with at least one right image among k, by k, for every model, with intervals.",
        make_table(f"{SUITE}-passes", "pass@k: one of k images is right", columns, rows, methods(estimates)),
    )
    return Section(f"{SUITE}-passes", "One of k images", (figure,))


def agreement(groups: Sequence[RefinedRun]) -> Section | None:
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


def statements(groups: Sequence[RefinedRun]) -> Section | None:
    """Hold the paper's observations against these data, each with its tests."""
    found = {group.name: observe([*group.attempts, *group.refined]) for group in groups}
    return claims_section(SUITE, found, _WORDING)


def describe_ranks(groups: Sequence[RefinedRun]) -> list[TextBlock]:
    """Say whether models keep their ranks from scene to scene: Kendall's W, with its interval."""
    told = [(_prefix(group, groups), ranks_change(group.attempts)) for group in groups]
    return [TextBlock(f"{prefix}{one.claim} {one.verdict.capitalize()}: {one.sentence}.") for prefix, one in told]


def _prefix(group: RefinedRun, groups: Sequence[RefinedRun]) -> str:
    return f"{group.name}: " if len(groups) > 1 else ""


def _concords(group: RefinedRun) -> list[RaterAgreement]:
    run = group.series[0].source.run
    if group.judge not in shared_judges(run):
        return []
    try:
        return agree_run(run, group.judge)
    except NothingToDoError:
        return []
