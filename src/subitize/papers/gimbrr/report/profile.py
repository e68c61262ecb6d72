"""The cognitive profile of models: their tasks as a ladder, and the controlled steps from one object to arithmetic."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from subitize.papers.gimbrr.items import NAME
from subitize.papers.gimbrr.report.groups import Group, estimate_all, list_badges
from subitize.papers.gimbrr.tables import STEPS
from subitize.papers.gimbrr.tasks import ALL, SINGLE, TASKS
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.series import MODEL, bounds, methods, sizes
from subitize.report.table import Block, Columns, FigureBlock, Row, Section, TextBlock, make_table, slug, text_column
from subitize.stats.estimate import subtract_independent

LADDER = [task.key for task in (*TASKS, SINGLE)]
_HALF = 0.5
_TITLES = list(STEPS.values())
_FAILS = text_column("Fails first at", "The first step with less than one half right.")

ByModel = Mapping[str, Mapping[str, Estimate]]


def ladders(groups: Sequence[Group], palette: Palette) -> Section | None:
    """Show the tasks of all models side by side, then of each, the easiest on top."""
    found = _by_model(groups, LADDER)
    if not found:
        return None
    figures = [_ladder("all", "All models side by side", found, palette)] if len(found) > 1 else []
    figures += [_ladder(slug(model), model, {model: own}, palette) for model, own in found.items()]
    lead = TextBlock(
        "What a model can do, task by task, the easiest on top. Tasks differ in more than one way; the controlled "
        "steps below change one thing at a time."
    )
    return Section(f"{NAME}-profile", "Cognitive profile", (lead, *figures))


def breakdown(groups: Sequence[Group], palette: Palette) -> Section | None:
    """Show the controlled steps: where a model fails first, and what is lost at each step."""
    found = _by_model(groups, list(STEPS))
    if len({task for own in found.values() for task in own}) < 2:
        return None
    badges = list_badges(groups)
    estimates = [one for own in found.values() for one in own.values()]
    rows = [
        {"model": model, "step": STEPS[task], **bounds(one)}
        for model, own in found.items()
        for task, one in own.items()
    ]
    cells = (
        Row((model, *map(own.get, STEPS), find_failure(own) or "none"), badges[model]) for model, own in found.items()
    )
    figure = FigureBlock(
        f"{NAME}-steps-chart",
        "From one object to arithmetic",
        _draw_steps(rows, palette.of(list(found))),
        "Share of images that match their prompts at each controlled step, with 95 % intervals "
        f"({sizes(estimates)}; prompts with the same text count as one). All steps show the same objects. Dotted: one "
        "half.",
        "Share right at each controlled step for every model, with intervals.",
        make_table(f"{NAME}-steps", "Controlled steps", (MODEL, *_TITLES, _FAILS), cells, methods(estimates)),
    )
    lead = TextBlock("Each step asks for one thing more, so that the first large fall shows what a model lacks.")
    return Section(f"{NAME}-breakdown", "Controlled breakdown", (lead, figure, *_losses(found, groups)))


def find_failure(shares: Mapping[str, Estimate]) -> str:
    """Name the first controlled step at which less than one half is right, and say so where that is not certain."""
    for task, title in STEPS.items():
        if task in shares and shares[task].value < _HALF:
            return title if shares[task].high < _HALF else f"{title} (not certain)"
    return ""


def _by_model(groups: Sequence[Group], tasks: Sequence[str]) -> ByModel:
    found: dict[str, dict[str, Estimate]] = defaultdict(dict)
    for (task, model), one in estimate_all(groups, "task", tasks=tasks).items():
        found[model][task] = one
    return found


def _ladder(name: str, title: str, found: ByModel, palette: Palette) -> FigureBlock:
    values: dict[str, list[float]] = defaultdict(list)
    for own in found.values():
        for task, one in own.items():
            values[task].append(one.value)
    order = sorted(values, key=lambda task: -sum(values[task]) / len(values[task]))
    estimates = [one for own in found.values() for one in own.values()]
    rows = [
        {"model": model, "level": ALL[task].title, **bounds(one)}
        for model, own in found.items()
        for task, one in own.items()
    ]
    columns: Columns = (text_column("Task"), *found)
    cells = (Row((ALL[task].title, *(own.get(task) for own in found.values()))) for task in order)
    by_mean = " by the mean of the models" if len(found) > 1 else ""
    return FigureBlock(
        f"{NAME}-ladder-{name}-chart",
        title,
        charts.by_level(rows, palette.of(list(found)), [ALL[task].title for task in order], ""),
        "Share of images that match their prompts, with 95 % intervals "
        f"({sizes(estimates)}), the easiest task on top{by_mean}.",
        f"Tasks from the easiest to the hardest with intervals: {title}.",
        make_table(f"{NAME}-ladder-{name}", f"Tasks: {title}", columns, cells, methods(estimates)),
    )


def _losses(found: ByModel, groups: Sequence[Group]) -> list[Block]:
    """Set out what each step costs; the prompts of two steps are others."""
    lost = {
        model: {
            STEPS[after]: subtract_independent(own[before], own[after])
            for before, after in pairwise(STEPS)
            if before in own and after in own
        }
        for model, own in found.items()
    }
    known = [one for own in lost.values() for one in own.values()]
    badges = list_badges(groups)
    columns: Columns = (MODEL, *(f"to {title}" for title in _TITLES[1:]), text_column("Most is lost"))
    rows = (Row((model, *map(own.get, _TITLES[1:]), _name_largest(own)), badges[model]) for model, own in lost.items())
    caption = (
        "Share of the step before minus that of the step; an interval above 0 is a certain loss. Where little is left, "
        f"little can be lost. {methods(known)}"
    )
    return [make_table(f"{NAME}-losses", "What is lost at each step", columns, rows, caption)] if known else []


def _name_largest(lost: Mapping[str, Estimate]) -> str:
    certain = {title: one.value for title, one in lost.items() if one.low > 0}
    return f"to {max(certain, key=lambda title: certain[title])}" if certain else "nowhere for certain"


def _draw_steps(rows: charts.Rows, palette: Palette) -> charts.Spec:
    axis = {**charts.UPRIGHT, "labelLimit": 140}
    x = charts.field("step", "ordinal", title=None, scale={"domain": _TITLES}, axis=axis)
    shared = {"x": x, "xOffset": charts.offset_field("model", palette.order, 0.4), "color": palette.colour()}
    layers = [
        charts.layer("rule", {"y": {"datum": _HALF}}, strokeDash=[1, 3]),
        *charts.draw_lines(charts.share_field("share right"), shared, line_width=1.5, size=50),
    ]
    return charts.lay_out(rows, layers, height=280, width=660)
