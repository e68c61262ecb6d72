"""GIMBRR's part of a report: the leaderboard, each model's cognitive profile, and the paper's conclusions.

Also what makes a prompt harder, what carries over from simpler tasks to complex ones, and which tasks are correlated
across models."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt

import polars as pl

from subitize.analysis.design import estimate_by
from subitize.papers.gimbrr import regressions
from subitize.papers.gimbrr.prompts import ALL, SINGLE, TASKS
from subitize.papers.gimbrr.regressions import RegressionPoint, of
from subitize.papers.gimbrr.suite import NAME
from subitize.papers.gimbrr.tables import FEW_MODELS, MODELS, PUBLISHED, STEP_TITLES, Shares, estimate_covariates
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.claims import write_p
from subitize.report.estimates import MODEL, EstimateGrid, methods
from subitize.report.leaderboard import draw_ranking
from subitize.report.papers import JudgedRows, draw, list_badges
from subitize.report.table import (
    Block,
    Column,
    Columns,
    Figure,
    Paragraph,
    Row,
    Section,
    Table,
)
from subitize.report.texts import estimate_text, number_of, number_text, percent_text, slug
from subitize.stats.estimate import student, subtract_independent


def estimate_all(groups: Iterable[JudgedRows], *by: str, tasks: Sequence[str]) -> Shares:
    """Estimate accuracy in tasks by columns of the ratings and by model, for each group separately."""
    found: Shares = {}
    for group in groups:
        found |= estimate_by(of(group.rows, *tasks), "right", *by, "model")
    return found


_COUNTED = {"counting": "counting", "controlled-counting": "controlled counting"}
_SETS = {True: "seen together", False: "rarely together"}
_KINDS = {
    kind: colour for kinds in (_COUNTED, _SETS) for kind, colour in zip(kinds.values(), charts.COLOURS, strict=False)
}
_LEVELS = {
    "target": "target stands {}",
    "adjective": "told apart by adjective: {}",
    "features": "{} animals in one",
    "relation": "{}",
}


def by_number(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show counting by the number requested, for each model and pooled (Figure 7)."""
    found = _with_all(groups, "task", "number", tasks=list(_COUNTED))
    curves = {(model, _COUNTED[task], number): one for (task, number, model), one in found.items()}
    return _draw_curves("by-number", "By number", curves, "How far up a model counts.")


def by_size(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show multiple objects by their number, and whether they are seen together (Figure 8)."""
    found = _with_all(groups, "common", "objects", tasks=["multiple"])
    curves = {(model, _SETS[common], size): one for (common, size, model), one in found.items()}
    note = "What further objects cost, where they are commonly seen together and where not."
    return _draw_curves("by-size", "By number of different objects", curves, note)


def by_covariate(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show the effects of other conditions within a task."""
    found = {
        (_LEVELS[name].format(level), model): one
        for group in groups
        for (name, level, model), one in estimate_covariates(group.rows).items()
        if name in _LEVELS
    }
    if not found:
        return None
    grid, title = EstimateGrid(found), "Other conditions"
    figure = draw(
        grid.table(f"{NAME}-conditions", title, heads=(Column.text("Condition"),)),
        charts.by_level(grid.points("level", "model"), palette.of(grid.columns).colour(), grid.rows),
        "Share of images that match their prompts by what varies within a task, with 95 % intervals "
        f"({grid.sizes}). Targets and adjectives: conditional generation; animals: chimeras; relations: "
        "spatial relationships.",
        "Share right by condition for every model, with intervals.",
    )
    return Section(f"{NAME}-conditions", title, (figure,))


def _with_all(groups: Sequence[JudgedRows], *by: str, tasks: Sequence[str]) -> Shares:
    """Estimate accuracy by model and, where one judge saw several, for all together."""
    found = estimate_all(groups, *by, tasks=tasks)
    for group in groups:
        if len(group.models) > 1:
            pooled = of(group.rows, *tasks).with_columns(model=pl.lit(group.title("all models")))
            found |= estimate_by(pooled, "right", *by, "model")
    return found


def _draw_curves(name: str, title: str, curves: Mapping[tuple[str, str, int], Estimate], note: str) -> Section | None:
    numbers = sorted({number for *_, number in curves})
    if len(numbers) < 2:
        return None
    grid = EstimateGrid(curves)
    shown = {kind: colour for kind, colour in _KINDS.items() if any(kind == of for _, of, _ in curves)}
    points, kinds = grid.points("panel", "kind", "number"), charts.colour_kinds(shown)
    figure = draw(
        grid.table(f"{NAME}-{name}", title, numbers, (MODEL, Column.text("Kind"))),
        charts.curves(points, grid.rows, kinds, of="panel", x_title="number asked for", stops_at_ten=False),
        f"{note} Share of images that match their prompts, with 95 % intervals ({grid.sizes}).",
        f"{title}: share right with intervals, a panel per model.",
    )
    return Section(f"{NAME}-{name}", title, (figure,))


ALL_TASKS = [task.key for task in (*TASKS, SINGLE)]
_HALF = 0.5
_TITLES = list(STEP_TITLES.values())
_FAILS = Column.text("Fails first at", "The first step with less than one half right.")

ByModel = Mapping[str, Mapping[str, Estimate]]


def ladders(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show all models' tasks side by side, then each model's, the easiest first."""
    found = _by_model(groups, ALL_TASKS)
    if not found:
        return None
    figures = [_ladder("all", "All models side by side", found, palette)] if len(found) > 1 else []
    figures += [_ladder(slug(model), model, {model: own}, palette) for model, own in found.items()]
    lead = Paragraph(
        "What a model can do, task by task, the easiest on top. Tasks differ in more than one way; the controlled "
        "steps below change one thing at a time."
    )
    return Section(f"{NAME}-profile", "Cognitive profile", (lead, *figures))


def breakdown(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show the controlled steps: where a model fails first, and the loss at each step."""
    found = _by_model(groups, list(STEP_TITLES))
    if len({task for own in found.values() for task in own}) < 2:
        return None
    cells = {(model, STEP_TITLES[task]): one for model, own in found.items() for task, one in own.items()}
    grid = EstimateGrid(cells, list_badges(groups))
    table = grid.table(f"{NAME}-steps", "Controlled steps", _TITLES)
    failures = (find_failure(own) or "none" for own in found.values())
    figure = draw(
        table.with_column(_FAILS, failures, len(table.columns)),
        _draw_steps(grid.points("model", "step"), palette.of(grid.rows)),
        "Share of images that match their prompts at each controlled step, with 95 % intervals "
        f"({grid.sizes}; prompts with the same text count as one). All steps show the same objects. Dotted: one half.",
        "Share right at each controlled step for every model, with intervals.",
        title="From one object to arithmetic",
    )
    lead = Paragraph("Each step asks for one thing more, so that the first large fall shows what a model lacks.")
    return Section(f"{NAME}-breakdown", "Controlled breakdown", (lead, figure, *_losses(found, groups)))


def find_failure(shares: Mapping[str, Estimate]) -> str:
    """Name the first controlled step with less than one half right, and say so if that is uncertain."""
    for task, title in STEP_TITLES.items():
        if task in shares and shares[task].value < _HALF:
            return title if shares[task].high < _HALF else f"{title} (not certain)"
    return ""


def _by_model(groups: Sequence[JudgedRows], tasks: Sequence[str]) -> ByModel:
    found: dict[str, dict[str, Estimate]] = defaultdict(dict)
    for (task, model), one in estimate_all(groups, "task", tasks=tasks).items():
        found[model][task] = one
    return found


def _ladder(name: str, title: str, found: ByModel, palette: Palette) -> Figure:
    values: dict[str, list[float]] = defaultdict(list)
    for own in found.values():
        for task, one in own.items():
            values[task].append(one.value)
    order = sorted(values, key=lambda task: -sum(values[task]) / len(values[task]))
    grid = EstimateGrid(
        {(ALL[task].title, model): own[task] for task in order for model, own in found.items() if task in own}
    )
    by_mean = " by the mean of the models" if len(found) > 1 else ""
    return draw(
        grid.table(f"{NAME}-ladder-{name}", f"Tasks: {title}", list(found), (_TASK,)),
        charts.by_level(grid.points("level", "model"), palette.of(list(found)).colour(), grid.rows),
        "Share of images that match their prompts, with 95 % intervals "
        f"({grid.sizes}), the easiest task on top{by_mean}.",
        f"Tasks from the easiest to the hardest with intervals: {title}.",
        title=title,
    )


def _losses(found: ByModel, groups: Sequence[JudgedRows]) -> list[Block]:
    """List the loss at each step; two steps have different prompts."""
    cells = {
        (model, f"to {STEP_TITLES[after]}"): subtract_independent(own[before], own[after])
        for model, own in found.items()
        for before, after in pairwise(STEP_TITLES)
        if before in own and after in own
    }
    if not cells:
        return []
    grid = EstimateGrid(cells, list_badges(groups))
    caption = (
        "Share of the step before minus that of the step; an interval above 0 is a certain loss. Where little is left, "
        f"little can be lost. {methods(cells.values())}"
    )
    columns = [f"to {title}" for title in _TITLES[1:]]
    table = grid.table(f"{NAME}-losses", "What is lost at each step", columns, caption=caption)
    most = (_name_largest(grid.row(model)) for model in grid.rows)
    return [table.with_column(Column.text("Most is lost"), most, len(table.columns))]


def _name_largest(lost: Mapping[str, Estimate]) -> str:
    certain = {title: one.value for title, one in lost.items() if one.low > 0}
    return max(certain, key=lambda title: certain[title]) if certain else "nowhere for certain"


def _draw_steps(rows: charts.Rows, palette: Palette) -> charts.Spec:
    axis = {**charts.UPRIGHT, "labelLimit": 140}
    x = charts.field("step", "ordinal", title=None, scale={"domain": _TITLES}, axis=axis)
    shared = {"x": x, "xOffset": charts.offset_field("model", palette.order, 0.4), "color": palette.colour()}
    layers = [
        charts.layer("rule", {"y": {"datum": _HALF}}, strokeDash=[1, 3]),
        *charts.draw_lines(charts.share_field("share right"), shared, line_width=1.5, size=50),
    ]
    return charts.lay_out(rows, layers, height=280, width=660)


_COLUMNS = (
    Column("All tasks", "Share of images that match their prompts: the eleven tasks and single objects."),
    Column("Eleven tasks", "Without single objects."),
    Column("Controlled", "The five controlled number tasks, which are in no other column."),
)


def leaderboard(groups: Sequence[JudgedRows]) -> list[Block]:
    """Rank the models here by all tasks together, best first, among the three that the paper prints."""
    whole, *parts = (
        {model: one for (model,), one in estimate_all(groups, tasks=tasks).items()}
        for tasks in (ALL_TASKS, [task.key for task in TASKS], list(STEP_TITLES))
    )
    own = ((model, whole.get(model), badge) for model, badge in list_badges(groups).items())
    ranked = [
        (one.value if one else -1.0, Row((model, one, *(of.get(model) for of in parts), one.n if one else 0), badge))
        for model, one, badge in own
    ]
    for place, printed in PUBLISHED.cells.items():
        if place.table == "overall":
            share = float(printed) / 100
            ranked.append((share, Row((MODELS[place.column], share, None, None, None), "published")))
    rows = [row for _, row in sorted(ranked, key=lambda pair: -pair[0])]
    caption = (
        "Best first, by all tasks. Published: as printed in the paper, of its 1,602 prompts; two digits, cut rather "
        f"than rounded (0.54 is 0.547). {methods(whole.values())}"
    )
    columns = (MODEL, *_COLUMNS, Column("n", "Ratings of all tasks."))
    table = Table.of(f"{NAME}-leaderboard", "Leaderboard", columns, rows, caption)
    x_title = "share of images that match their prompts"
    data, spec = draw_ranking(table, f"{NAME}-leaderboard-share", "All tasks", x_title=x_title)
    glance = Figure(
        f"{NAME}-leaderboard-chart",
        "All tasks at a glance",
        spec,
        "All tasks together with 95 % intervals, best first; published figures have none.",
        "Share of images that match their prompts, for every model with its interval, best first.",
        data,
    )
    return [table, glance]


def headline(groups: Sequence[JudgedRows]) -> str:
    """Name the best model, a stand-in only if there is no other, and its first failure."""
    whole = {model: one for (model,), one in estimate_all(groups, tasks=ALL_TASKS).items()}
    if not whole:
        return ""
    badges = list_badges(groups)
    best = max(whole, key=lambda model: (not badges[model], whole[model].value))
    text = f"In {NAME}, {best} does best: {percent_text(whole[best])} of its images match their prompts."
    steps = estimate_all(groups, "task", tasks=list(STEP_TITLES))
    failure = find_failure({task: one for (task, model), one in steps.items() if model == best})
    return f"{text} On the way from one object to arithmetic, it first fails at {failure}." if failure else text


_COLOURS = {"": charts.COLOURS[8], "related": charts.COLOURS[0], "unrelated": charts.COLOURS[1]}
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_TASK = Column.text("Task")


def transfer(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Plot complex tasks against single objects (Figure 5) and multiple objects (Figure 6), with regressions."""
    figures = [figure for group in groups for figure in (*_over_singles(group, palette), *_over_multiple(group))]
    if not figures:
        return None
    lead = Paragraph(
        "Does a model that does well at something simple do well at what rests on it? Each point is a model and a "
        "task; as in the paper, points are taken as independent, though those of one model hang together."
    )
    fewest = min(len(group.models) for group in groups)
    warning = f"Only {number_of(fewest, 'model')}: too few to tell what carries over. The lines describe these models."
    warnings = [Paragraph(warning, is_warning=True)] if fewest < FEW_MODELS else []
    return Section(f"{NAME}-carry-over", "What carries over", (lead, *warnings, *figures))


def correlations(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show correlations of tasks across models."""
    blocks = (block for group in groups for block in _correlations(group))
    return Section.of(f"{NAME}-together", "Tasks that move together", *blocks)


def _over_singles(group: JudgedRows, palette: Palette) -> Iterator[Figure]:
    shares = estimate_by(regressions.link_singles(group.rows), "right", "task", "model")
    look = {"color": palette.of(group.models).colour()}
    note = "Share of complex tasks over that of the single objects they are linked to."
    return _draw_lines(group, "single objects", note, shares, {"": regressions.point_at_singles(group.rows)}, look)


def _over_multiple(group: JudgedRows) -> Iterator[Figure]:
    models, found = group.models, estimate_by(of(group.rows, regressions.MULTIPLE), "right", "model")
    kinds = {"related": regressions.RELATED, "unrelated": regressions.UNRELATED}
    shares = {(task, model): one for (model,), one in found.items() for tasks in kinds.values() for task in tasks}
    points = {kind: regressions.point_at_multiple(group.rows, tasks) for kind, tasks in kinds.items()}
    scale = {"domain": models, "range": [_SHAPES[place % len(_SHAPES)] for place in range(len(models))]}
    shape = charts.field("model", "nominal", scale=scale, legend={"title": None, "orient": "top"})
    look = {"color": charts.colour_kinds({kind: _COLOURS[kind] for kind in kinds}), "shape": shape}
    note = "Related tasks show several objects ({}), unrelated ones a single object ({}).".format(
        *(", ".join(ALL[task].title.lower() for task in tasks) for tasks in kinds.values())
    )
    return _draw_lines(group, "multiple objects", note, shares, points, look)


Points = Mapping[str, Sequence[RegressionPoint]]
"""Points of models and tasks, by kind."""


def _draw_lines(
    group: JudgedRows, across: str, note: str, shares: Shares, points: Points, look: charts.Spec
) -> Iterator[Figure]:
    """Plot points over lines with bands, if there is a line."""
    lines = {kind: line for kind, own in points.items() if (line := regressions.fit_line(own))}
    if not lines:
        return
    fits = "; ".join(
        f"{kind} b {estimate_text(one.slope)}, p {write_p(one.p)}, {one.slope.n} points".strip()
        for kind, one in lines.items()
    )
    own = estimate_by(group.rows, "right", "task", "model")
    columns: Columns = (MODEL, _TASK, Column(across.capitalize(), digits=3), Column("The task", digits=3))
    rows = [
        (one.model, ALL[one.task].title, shares[one.task, one.model], own[one.task, one.model])
        for some in points.values()
        for one in some
    ]
    name, title = f"{NAME}-over-{across.split()[0]}{group.suffix}", group.title(f"Other tasks over {across}")
    yield draw(
        Table.of(name, title, columns, rows, methods(own.values())),
        _scatter(across, points, look),
        f"{note} Least squares: {fits}. Bands hold the middle 95 % of "
        f"{regressions.RESAMPLES:,} lines through resampled points.",
        f"Share of tasks over the share of {across}, with lines and bands.",
    )


def _scatter(across: str, points: Points, look: charts.Spec) -> charts.Spec:
    percent = {"scale": {"domain": [0, 1], "clamp": True}, "axis": {"format": ".0%", "tickCount": 5}}
    x = charts.field("x", "quantitative", title=across, **percent)
    y = charts.field("value", "quantitative", title="share of the task", **percent)
    layers: list[charts.Spec] = []
    for kind, own in points.items():
        if band := regressions.draw_band(own):
            places = zip(*(of.tolist() for of in (band.x, band.y, band.low, band.high)), strict=True)
            rows = [dict(zip(("x", "value", "low", "high"), place, strict=True)) for place in places]
            layers += [{"data": {"values": rows}, **one} for one in charts.band({"x": x}, y, color=_COLOURS[kind])]
    dots = [
        {"kind": kind, "model": one.model, "x": one.x, "value": one.y} for kind, own in points.items() for one in own
    ]
    over = charts.layer("point", {"x": x, "y": y, **look}, filled=True, size=60, opacity=0.9)
    return charts.complete({"width": 480, "height": 340, "layer": [*layers, {"data": {"values": dots}, **over}]})


def _correlations(group: JudgedRows) -> list[Block]:
    found, left_out = regressions.correlate(group.rows)
    if not found:
        return []
    models, name = len(group.models), f"{NAME}-together{group.suffix}"
    title = group.title("Correlations of tasks across models")
    columns: Columns = (_TASK, Column.text("With"), "r", Column("n", "Models."))
    cells = [(ALL[one].title, ALL[other].title, r, r.n) for (one, other), r in found.items()]
    silent = f" All models do alike in {', '.join(ALL[task].title for task in left_out)}." if left_out else ""
    figure = draw(
        Table.of(name, title, columns, cells, "Intervals (95 %): Fisher’s, of models as a sample."),
        _draw_correlations({pair: r.value for pair, r in found.items()}),
        f"Pearson’s r of the shares of two tasks across {models} models; intervals are in the data.{silent}",
        "Correlations between tasks as coloured cells.",
    )
    warning = Paragraph(_warn_of_chance(models, len(found)), is_warning=True)
    return [warning, figure] if models < FEW_MODELS else [figure]


def _warn_of_chance(models: int, pairs: int) -> str:
    """Say how little a correlation across few models means."""
    t = student(models - 2)
    needed = t / sqrt(models - 2 + t * t)
    return (
        f"Only {models} models: by chance alone, one pair of tasks in twenty correlates by {needed:.2f} or more, up or "
        f"down; that is about {pairs / 20:.0f} of these {pairs} pairs. Do not read a cause into plot."
    )


def _draw_correlations(found: Mapping[tuple[str, str], float]) -> charts.Spec:
    tasks = list(dict.fromkeys(ALL[task].title for pair in found for task in pair))
    rows = [
        {"name": ALL[a].title, "column": ALL[b].title, "value": r, "text": number_text(r, 2)}
        for (one, other), r in found.items()
        for a, b in ((one, other), (other, one))
    ]
    scale = {"scheme": "blueorange", "domain": [-1, 1], "reverse": True}
    colour = charts.field("value", "quantitative", scale=scale, legend={"title": "r", "orient": "right"})
    return charts.heat_map(rows, tasks, tasks, colour, dark_from=0.8, label_angle=-40)


NOTHING = "No image is rated, by itself or by all its parts; there is no figure."
SECTIONS = (ladders, breakdown, transfer, correlations, by_number, by_size, by_covariate)
