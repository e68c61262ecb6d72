"""What carries over from simpler tasks to complex ones, and which tasks move together from model to model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from subitize.papers.gimbrr.items import NAME
from subitize.papers.gimbrr.ratings import Shares, estimate_by
from subitize.papers.gimbrr.regressions import (
    MULTIPLE,
    RELATED,
    RESAMPLES,
    UNRELATED,
    Point,
    correlate,
    draw_band,
    fit_line,
    link_singles,
    point_at_multiple,
    point_at_singles,
)
from subitize.papers.gimbrr.report.groups import Group
from subitize.papers.gimbrr.tables import FEW_MODELS
from subitize.papers.gimbrr.tasks import ALL
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.claims import write_p
from subitize.report.series import MODEL, methods
from subitize.report.table import (
    Block,
    Column,
    Columns,
    FigureBlock,
    Row,
    Section,
    TextBlock,
    estimate_text,
    make_table,
    number_of,
    text_column,
)

_ONE = {"": charts.COLOURS[8]}
_KINDS = {"related": charts.COLOURS[0], "unrelated": charts.COLOURS[1]}
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_TASK = text_column("Task")


def carry_over(groups: Sequence[Group], palette: Palette) -> Section | None:
    """Draw complex tasks over single objects (Figure 5) and over multiple objects (Figure 6), with regressions."""
    figures = [figure for group in groups for figure in (*_over_singles(group, palette), *_over_multiple(group))]
    if not figures:
        return None
    lead = TextBlock(
        "Does a model that does well at something simple do well at what rests on it? Each point is a model and a "
        "task; as in the paper, points are taken as independent, though those of one model hang together."
    )
    fewest = min(len(group.ratings.models) for group in groups)
    warning = f"Only {number_of(fewest, 'model')}: too few to tell what carries over. The lines describe these models."
    warnings = [TextBlock(warning, is_warning=True)] if fewest < FEW_MODELS else []
    return Section(f"{NAME}-carry-over", "What carries over", (lead, *warnings, *figures))


def move_together(groups: Sequence[Group]) -> Section | None:
    """Show which tasks models do well or badly at together."""
    blocks = tuple(block for group in groups for block in _correlations(group))
    return Section(f"{NAME}-together", "Tasks that move together", blocks) if blocks else None


@dataclass(frozen=True, slots=True)
class _Relation:
    """Tasks over something simpler: the points by kind, each in its colour, and what is on the way across, by model."""

    across: str
    shares: Shares
    points: Mapping[str, Sequence[Point]]
    colours: Mapping[str, str]
    look: charts.Spec
    note: str


def _over_singles(group: Group, palette: Palette) -> Iterator[FigureBlock]:
    shares = estimate_by(link_singles(group.ratings), "task", "model")
    look = {"color": palette.of(group.ratings.models).colour()}
    note = "Share of complex tasks over that of the single objects they are linked to."
    points = {"": point_at_singles(group.ratings)}
    return _draw_lines(group, _Relation("single objects", shares, points, _ONE, look, note))


def _over_multiple(group: Group) -> Iterator[FigureBlock]:
    models, found = group.ratings.models, estimate_by(group.ratings.of(MULTIPLE), "model")
    kinds = dict(zip(_KINDS, (RELATED, UNRELATED), strict=True))
    shares = {(task, model): one for (model,), one in found.items() for tasks in kinds.values() for task in tasks}
    points = {kind: point_at_multiple(group.ratings, tasks) for kind, tasks in kinds.items()}
    scale = {"domain": models, "range": [_SHAPES[place % len(_SHAPES)] for place in range(len(models))]}
    shape = charts.field("model", "nominal", scale=scale, legend={"title": None, "orient": "top"})
    look = {"color": charts.colour_kinds(_KINDS), "shape": shape}
    note = "Related tasks show several objects ({}), unrelated ones a single object ({}).".format(
        *(", ".join(ALL[task].title.lower() for task in tasks) for tasks in kinds.values())
    )
    return _draw_lines(group, _Relation("multiple objects", shares, points, _KINDS, look, note))


def _draw_lines(group: Group, it: _Relation) -> Iterator[FigureBlock]:
    """Draw points over lines in their bands, if there is a line."""
    lines = {kind: line for kind, points in it.points.items() if (line := fit_line(points))}
    if not lines:
        return
    fits = "; ".join(
        f"{kind} b {estimate_text(one.slope)}, p {write_p(one.p)}, {one.slope.n} points".strip()
        for kind, one in lines.items()
    )
    own = estimate_by(group.ratings.rows, "task", "model")
    title, name = group.title(f"Other tasks over {it.across}"), f"{NAME}-over-{it.across.split()[0]}{group.suffix}"
    columns: Columns = (MODEL, _TASK, Column(it.across.capitalize(), digits=3), Column("The task", digits=3))
    rows = (
        Row((one.model, ALL[one.task].title, it.shares[one.task, one.model], own[one.task, one.model]))
        for points in it.points.values()
        for one in points
    )
    yield FigureBlock(
        f"{name}-chart",
        title,
        _scatter(it),
        f"{it.note} Least squares: {fits}. Bands hold the middle 95 % of {RESAMPLES:,} lines through resampled points.",
        f"Share of tasks over the share of {it.across}, with lines and bands.",
        make_table(name, title, columns, rows, methods(own.values())),
    )


def _scatter(it: _Relation) -> charts.Spec:
    percent = {"scale": {"domain": [0, 1], "clamp": True}, "axis": {"format": ".0%", "tickCount": 5}}
    x = charts.field("x", "quantitative", title=it.across, **percent)
    y = charts.field("value", "quantitative", title="share of the task", **percent)
    layers: list[charts.Spec] = []
    for kind, points in it.points.items():
        if band := draw_band(points):
            places = zip(*(of.tolist() for of in (band.x, band.y, band.low, band.high)), strict=True)
            rows = [dict(zip(("x", "value", "low", "high"), place, strict=True)) for place in places]
            layers += [{"data": {"values": rows}, **one} for one in charts.band({"x": x}, y, color=it.colours[kind])]
    dots = [
        {"kind": kind, "model": one.model, "x": one.x, "value": one.y}
        for kind, points in it.points.items()
        for one in points
    ]
    over = charts.layer("point", {"x": x, "y": y, **it.look}, filled=True, size=60, opacity=0.9)
    return charts.complete({"width": 480, "height": 340, "layer": [*layers, {"data": {"values": dots}, **over}]})


def _correlations(group: Group) -> list[Block]:
    found, left_out = correlate(group.ratings)
    if not found:
        return []
    models, name = len(group.ratings.models), f"{NAME}-together{group.suffix}"
    title = group.title("Correlations of tasks across models")
    columns: Columns = (_TASK, text_column("With"), "r", Column("n", "Models."))
    cells = (Row((ALL[one].title, ALL[other].title, r, r.n)) for (one, other), r in found.items())
    silent = f" All models do alike in {', '.join(ALL[task].title for task in left_out)}." if left_out else ""
    figure = FigureBlock(
        f"{name}-chart",
        title,
        _draw_correlations({pair: r.value for pair, r in found.items()}),
        f"Pearson’s r of the shares of two tasks across {models} models; intervals are in the data.{silent}",
        "Correlations between tasks as coloured cells.",
        make_table(name, title, columns, cells, "Intervals (95 %): Fisher’s, of models as a sample."),
    )
    return [*([TextBlock(_tell_chance(models, len(found)), is_warning=True)] if models < FEW_MODELS else []), figure]


def _tell_chance(models: int, pairs: int) -> str:
    """Say how little a correlation over a few models means."""
    from scipy.special import stdtrit

    t = float(stdtrit(models - 2, 0.975))
    needed = t / sqrt(models - 2 + t * t)
    return (
        f"Only {models} models: by chance alone, one pair of tasks in twenty correlates by {needed:.2f} or more, up or "
        f"down; that is about {pairs / 20:.0f} of these {pairs} pairs. Do not read a cause into it."
    )


def _draw_correlations(found: Mapping[tuple[str, str], float]) -> charts.Spec:
    tasks = list(dict.fromkeys(ALL[task].title for pair in found for task in pair))
    rows = [
        {"row": ALL[a].title, "column": ALL[b].title, "r": r}
        for (one, other), r in found.items()
        for a, b in ((one, other), (other, one))
    ]
    look = {"ticks": False, "domain": False, "labelLimit": 220}
    place = {
        "x": charts.field("column", "nominal", sort=tasks, title=None, axis={**look, "labelAngle": -40}),
        "y": charts.field("row", "nominal", sort=tasks, title=None, axis=look),
    }
    scale = {"scheme": "blueorange", "domain": [-1, 1], "reverse": True}
    colour = charts.field("r", "quantitative", scale=scale, legend={"title": "r", "orient": "right"})
    ink = {"condition": {"test": "abs(datum.r) > 0.8", "value": "#ffffff"}, "value": "#1b1f24"}
    text = charts.field("r", "quantitative", format=".2f")
    layers = [
        charts.layer("rect", {**place, "color": colour}, stroke="#ffffff", strokeWidth=1.5),
        charts.layer("text", {**place, "color": ink, "text": text}, fontSize=11),
    ]
    chart = {"data": {"values": rows}, "width": {"step": 44}, "height": {"step": 30}, "layer": layers}
    return charts.complete(chart, tasks)
