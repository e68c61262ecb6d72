"""The charts of a report, from tidy rows to Vega-Lite; one colour per model throughout, intervals always drawn.

They are written as the plain data that Vega-Lite is: building them with a library took longer than drawing them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from subitize.report.document.figures import INK, QUIET

Rows = Sequence[Mapping[str, object]]
Spec = Mapping[str, Any]

# Told apart also by those who do not see all colours (after Okabe and Ito, its yellow darkened for white ground).
_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b8860b",
    "#56b4e9",
    "#7a5195",
    "#8c564b",
    "#5f6b7a",
    "#2f7f7f",
)
_PANEL_HEIGHT_PX = 150
_PANELS_WIDTH_PX = 690
_WIDE_PX = 640
_RANKING_PX = 440
_NARROW_PX = 320
MOST_SIDE_BY_SIDE = 6
_CELL_HEIGHT_PX = 7
_LEAST_FOR_TWO_DIGITS_PX = 18
# The lowest colour of viridis: the ground of the numbers asked, on which cells that nothing fell into are not drawn.
_VIRIDIS_ZERO = "#440154"
_FAR = 1e6  # an interval that reaches so far may be whatever is possible
_SHARE = {"domain": [0, 1]}
_PERCENT = {"format": ".0%", "tickCount": 5}
_QUARTERS = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}


@dataclass(frozen=True, slots=True)
class Palette:
    """The models of a report in their order, each with a colour it keeps in all charts."""

    names: tuple[str, ...]
    shown: tuple[str, ...] = ()

    def of(self, names: Sequence[str]) -> "Palette":
        """Keep the colours, and show some of the models only."""
        return Palette(self.names, tuple(names))

    @property
    def order(self) -> list[str]:
        """The models shown, in their order."""
        return [name for name in self.names if not self.shown or name in self.shown]

    def colour(self, *, legend: bool = True) -> Spec:
        """Encode the model."""
        names = self.order
        colours = [_COLOURS[self.names.index(name) % len(_COLOURS)] for name in names]
        shown = {**_LEGEND, "columns": _legend_columns(names)} if legend else None
        return _field("model", "nominal", scale={"domain": names, "range": colours}, legend=shown)


@dataclass(frozen=True, slots=True)
class Panel:
    """The matrices of one model: its rows, and the numbers that it was asked and could answer."""

    model: str
    rows: Rows
    targets: Sequence[int]
    responses: Sequence[int]


@dataclass(frozen=True, slots=True)
class Facet:
    """What panels stand for: a column of the rows, and its values in their order."""

    field: str
    order: Sequence[str]


def colour_kinds(kinds: Mapping[str, str]) -> Spec:
    """Encode what is compared within a model, each kind in the colour named for it."""
    scale = {"domain": list(kinds), "range": list(kinds.values())}
    return _field("kind", "nominal", scale=scale, legend={**_LEGEND, "columns": 5})


def colour_levels(levels: Sequence[str]) -> Spec:
    """Encode the levels of a factor, which may be any; beyond ten, colours come again."""
    return colour_kinds({level: _COLOURS[place % len(_COLOURS)] for place, level in enumerate(levels)})


def confusion(panels: Sequence[Panel], categories: Sequence[str]) -> Spec:
    """Draw one matrix per model and category: target across, response up, share of the responses as colour.

    Numbers that a model was not asked in a category are left blank.
    """
    targets = max(len(panel.targets) for panel in panels)
    # Six panels, those of the paper, fill a row; fewer are wider, up to a square.
    widest_px = _CELL_HEIGHT_PX * max(len(panel.responses) for panel in panels)
    cell_px = min(widest_px, max(_CELL_HEIGHT_PX * targets, _PANELS_WIDTH_PX // len(categories))) / targets
    rows = [_confusion_row(panel, categories, cell_px) for panel in panels]
    return _spec({"vconcat": rows, "spacing": 22})


def _confusion_row(panel: Panel, categories: Sequence[str], cell_px: float) -> Spec:
    targets, responses = list(panel.targets), sorted(panel.responses, reverse=True)
    plain = {"ticks": False, "domain": False}
    ticks = targets if cell_px >= _LEAST_FOR_TWO_DIGITS_PX or max(targets) < 10 else _round_numbers(targets)
    across = {**plain, "labelAngle": 0, "values": ticks}
    x = _field("target", "ordinal", title="target", scale={"domain": targets}, axis=across)
    up = {**plain, "values": _round_numbers(responses)}
    y = _field("response", "ordinal", title="response", scale={"domain": responses}, axis=up)
    legend = {"title": "share of responses", "format": ".0%", "orient": "top", "direction": "horizontal"}
    share = _field("share", "quantitative", scale={"scheme": "viridis", **_SHARE}, legend=legend)
    asked = {"aggregate": [{"op": "count", "as": "count"}], "groupby": ["category", "target"]}
    # The stroke closes the seams that a browser leaves between neighbours.
    ground = {"transform": [asked], **_layer("rect", {"x": x}, color=_VIRIDIS_ZERO, stroke=_VIRIDIS_ZERO)}
    header = {"labelFontWeight": "normal", "labelColor": QUIET, "labelPadding": 6}
    by_category = _field("category", "nominal", sort=list(categories), title=None)
    return {
        "title": {"text": panel.model, "anchor": "start"},
        "data": {"values": list(panel.rows)},
        "facet": {"column": {**by_category, "header": header}},
        "spacing": 12,
        "spec": {
            "width": round(cell_px * len(targets)),
            "height": _CELL_HEIGHT_PX * len(responses),
            "layer": [ground, _layer("rect", {"x": x, "y": y, "color": share})],
        },
    }


def _round_numbers(numbers: Sequence[int]) -> list[int]:
    return [number for number in numbers if number == 1 or number % 5 == 0]


def accuracy_by_number(rows: Rows, palette: Palette, numbers: Sequence[int], *, x_title: str) -> Spec:
    """Draw the share of right answers by number, the models side by side, or many in panels of their own."""
    y = _field("value", "quantitative", title="share right", scale=_SHARE, axis=_PERCENT)
    if len(palette.order) > MOST_SIDE_BY_SIDE:
        layers = _dots_and_bounds(_number_axis(x_title), y, palette.colour(legend=False))
        return _panels(rows, layers, Facet("model", palette.order))
    axis = {"labelAngle": 0, "ticks": False}
    x = _field("number", "ordinal", title=x_title, scale={"domain": list(numbers)}, axis=axis)
    beside = {"xOffset": _field("model", "nominal", scale={"domain": palette.order, "paddingOuter": 0.25})}
    shared = {"x": x, "color": palette.colour(), **beside}
    layers = [
        _layer("rule", {**shared, **_bounds("y")}, strokeWidth=2, opacity=0.55),
        _layer("circle", {**shared, "y": y}, size=46, opacity=1),
    ]
    return _spec({"data": {"values": list(rows)}, "width": _WIDE_PX, "height": 260, "layer": layers})


def shares_by_number(rows: Rows, models: Sequence[str], criteria: Mapping[str, float]) -> Spec:
    """Draw hits and false alarms by number with their criteria, a panel per model."""
    kinds = list(criteria)
    x, colours = _number_axis(), {"domain": kinds, "range": ["#0072b2", "#d55e00"]}
    colour = _field("kind", "nominal", scale=colours, legend=_LEGEND)
    shape = _field("kind", "nominal", scale={"domain": kinds, "range": ["circle", "triangle-down"]})
    y = _field("value", "quantitative", title="share", scale=_SHARE, axis=_PERCENT)
    line = {"y": _field("criterion", "quantitative", aggregate="mean"), "color": colour}
    layers = [
        _layer("rule", {"x": x, **_bounds("y"), "color": colour}, strokeWidth=2, opacity=0.5),
        _layer("point", {"x": x, "y": y, "color": colour, "shape": shape}, size=38, filled=True, opacity=1),
        _layer("rule", line, strokeDash=[4, 3], opacity=0.8),
    ]
    return _panels(rows, layers, Facet("model", models))


def psychometric(rows: Rows, models: Sequence[str], palette: Palette) -> Spec:
    """Draw the share of exact answers as observed (points) and as the fitted law has it (line), a panel per model."""
    x, colour = _number_axis(), palette.colour(legend=False)
    y = _field("value", "quantitative", title="share exact", scale=_SHARE, axis=_PERCENT)
    fitted = {"x": x, "y": _field("predicted", "quantitative"), "color": colour}
    law = _layer("line", fitted, strokeWidth=2, opacity=0.75)
    return _panels(rows, [law, *_dots_and_bounds(x, y, colour)], Facet("model", models))


def spread(rows: Rows, palette: Palette) -> Spec:
    """Draw the standard deviation of the responses over their mean, both on log scales, with the fitted line."""
    are_many = len(palette.order) > MOST_SIDE_BY_SIDE
    scale, axis = {"type": "log", "nice": False, "padding": 12}, {"tickCount": 6}
    x = _field("mean", "quantitative", title="mean response", scale=scale, axis=axis)
    y = _field("sd", "quantitative", title="standard deviation", scale=scale, axis=axis)
    colour = palette.colour(legend=not are_many)
    fitted = {"x": x, "y": _field("fitted", "quantitative"), "color": colour}
    layers = [
        _layer("line", fitted, strokeWidth=1.5, opacity=0.7),
        _layer("circle", {"x": x, "y": y, "color": colour}, size=56, opacity=0.9),
    ]
    if are_many:
        return _panels(rows, layers, Facet("model", palette.order))
    return _spec({"data": {"values": list(rows)}, "width": _WIDE_PX, "height": 280, "layer": layers})


def forest(rows: Rows, models: Sequence[str], palette: Palette, *, x_title: str, order: Sequence[str]) -> Spec:
    """Draw one estimate per line with its interval and a line at 0, a panel per model."""
    axis = {"ticks": False, "domain": False, "labelColor": INK, "labelLimit": 260}
    y = _field("name", "nominal", title=None, sort=list(order), axis=axis)
    x = _field("value", "quantitative", title=x_title, axis={"tickCount": 5})
    colour = palette.colour(legend=False)
    layers = [
        _layer("rule", {"x": {"datum": 0}}, color=QUIET, strokeDash=[3, 3]),
        _layer("rule", {"y": y, **_bounds("x"), "color": colour}, strokeWidth=2.5, opacity=0.55),
        _layer("circle", {"y": y, "x": x, "color": colour}, size=60, opacity=1),
    ]
    return _panels(rows, layers, Facet("model", models), height_px=26 * max(2, len(order)), labels=order)


def ranking(rows: Rows, names: Sequence[str], *, x_title: str) -> Spec:
    """Draw a share of many models, best first; published figures, which have no interval, are diamonds."""
    axis = {"ticks": False, "domain": False, "labelLimit": 260, "labelColor": INK}
    y = _field("name", "nominal", title=None, sort=list(names), axis=axis)
    x = _field("value", "quantitative", title=x_title, scale=_SHARE, axis=_PERCENT)
    colour, shape = _kinds_of_rows(rows)
    layers = [
        _layer("rule", {"y": y, **_bounds("x"), "color": colour}, strokeWidth=3, opacity=0.5),
        _layer("point", {"y": y, "x": x, "color": colour, "shape": shape}, size=60, filled=True, opacity=1),
    ]
    return _spec({"data": {"values": list(rows)}, "width": _RANKING_PX, "height": {"step": 22}, "layer": layers}, names)


def by_level(rows: Rows, palette: Palette, levels: Sequence[str], title: str) -> Spec:
    """Draw the share of right outcomes by the levels of one factor, the models side by side."""
    axis = {"ticks": False, "domain": False, "labelLimit": 260, "labelColor": INK}
    y = _field("level", "nominal", title=title, sort=list(levels), axis=axis)
    x = _field("value", "quantitative", title="share right", scale=_SHARE, axis=_PERCENT)
    beside = {"yOffset": _field("model", "nominal", scale={"domain": palette.order, "paddingOuter": 0.3})}
    shared = {"y": y, "color": palette.colour(), **beside}
    layers = [
        _layer("rule", {**shared, **_bounds("x")}, strokeWidth=2.5, opacity=0.5),
        _layer("circle", {**shared, "x": x}, size=50, opacity=1),
    ]
    step = {"step": 14 + 10 * len(palette.order), "for": "position"}
    return _spec({"data": {"values": list(rows)}, "width": _NARROW_PX, "height": step, "layer": layers}, levels)


def glance(rows: Rows, names: Sequence[str], tasks: Sequence[str]) -> Spec:
    """Draw a share of many models for each task, with a line at chance; what was published has no interval."""
    axis = {"ticks": False, "domain": False, "labelLimit": 220, "labelColor": INK}
    y = _field("name", "nominal", title=None, sort=list(names), axis=axis)
    x = _field("value", "quantitative", title=None, scale=_SHARE, axis=_QUARTERS)
    colour, shape = _kinds_of_rows(rows)
    layers = [
        _layer("rule", {"x": _field("chance", "quantitative", aggregate="mean")}, color=QUIET, strokeDash=[3, 3]),
        _layer("rule", {"y": y, **_bounds("x"), "color": colour}, strokeWidth=3, opacity=0.5),
        _layer("point", {"y": y, "x": x, "color": colour, "shape": shape}, size=60, filled=True, opacity=1),
    ]
    return _panels(rows, layers, Facet("task", tasks), height_px=22 * max(2, len(names)), labels=names)


def curves(rows: Rows, facet: Facet, colour: Spec, *, x_title: str) -> Spec:
    """Draw shares by number as lines with their intervals, those of one panel in the colours given."""
    kinds = {"domain": colour["scale"]["domain"], "paddingOuter": 0.35}
    beside = {"xOffset": _field(colour["field"], "nominal", scale=kinds)}
    axis = {"labelAngle": 0, "ticks": False, "labelExpr": _MORE_THAN_TEN}
    x = _field("number", "ordinal", title=x_title, axis=axis)
    y = _field("value", "quantitative", title="share", scale=_SHARE, axis=_PERCENT)
    shared = {"x": x, "color": colour, **beside}
    layers = [
        _layer("line", {**shared, "y": y}, strokeWidth=1.25, opacity=0.6),
        _layer("rule", {**shared, **_bounds("y")}, strokeWidth=2, opacity=0.5),
        _layer("circle", {**shared, "y": y}, size=34, opacity=1),
    ]
    if len(facet.order) > 1:
        return {**_panels(rows, layers, facet), "resolve": {"scale": {"x": "independent", "xOffset": "independent"}}}
    return _spec({"data": {"values": list(rows)}, "width": _WIDE_PX, "height": 260, "layer": layers})


# Labels of counts stop at eleven, which stands for whatever is above ten.
_MORE_THAN_TEN = "datum.value == 11 ? '>10' : datum.label"


def heat_map(rows: Rows, names: Sequence[str], columns: Sequence[str]) -> Spec:
    """Draw shares as coloured cells with the figures in them, and their intervals where there are some."""
    axis = {"ticks": False, "domain": False, "labelColor": INK, "labelLimit": 220}
    y = _field("name", "nominal", title=None, sort=list(names), axis=axis)
    x = _field("column", "nominal", title=None, sort=list(columns), axis={**axis, "orient": "top", "labelAngle": 0})
    share = _field("value", "quantitative", scale={"scheme": "blues", **_SHARE}, legend=None)
    colour = {"condition": {"test": f"datum.value > {_DARK_FROM}", "value": "#ffffff"}, "value": "#1b1f24"}
    shared = {"x": x, "y": y, "color": colour}
    value, bounds = _field("text", "nominal"), _field("bounds", "nominal")
    layers = [
        _layer("rect", {"x": x, "y": y, "color": share}, stroke="#ffffff", strokeWidth=1.5),
        {**_when("datum.bounds"), **_layer("text", {**shared, "text": value}, dy=-6, fontSize=13)},
        {**_when("datum.bounds"), **_layer("text", {**shared, "text": bounds}, dy=9, fontSize=10)},
        {**_when("!datum.bounds"), **_layer("text", {**shared, "text": value}, fontSize=13)},
    ]
    size = {"width": {"step": 60}, "height": {"step": 38}}
    return _spec({"data": {"values": list(rows)}, **size, "layer": layers}, names)


_DARK_FROM = 0.68


def dots(rows: Rows, names: Sequence[str], colour: Spec) -> Spec:
    """Draw the shares of two kinds with their intervals, a line for each model."""
    axis = {"ticks": False, "domain": False, "labelLimit": 220, "labelColor": INK, "labelPadding": 8}
    y = _field("model", "nominal", title=None, sort=list(names), axis=axis)
    x = _field("value", "quantitative", title="share right", scale=_SHARE, axis=_PERCENT)
    beside = {"yOffset": _field("kind", "nominal", scale={"domain": colour["scale"]["domain"], "paddingOuter": 0.4})}
    shared = {"y": y, "color": colour, **beside}
    layers = [
        _layer("rule", {**shared, **_bounds("x")}, strokeWidth=2.5, opacity=0.5),
        _layer("circle", {**shared, "x": x}, size=50, opacity=1),
    ]
    chart = {
        "data": {"values": list(rows)},
        "width": _NARROW_PX,
        "height": {"step": 34, "for": "position"},
        "layer": layers,
    }
    return _spec(chart, names)


def bars(rows: Rows, names: Sequence[str], colour: Spec, *, x_title: str = "share right") -> Spec:
    """Draw shares of several kinds as bars with their intervals, a group of bars for each name."""
    axis = {"ticks": False, "domain": False, "labelLimit": 260, "labelColor": INK, "labelPadding": 8}
    y = _field("model", "nominal", title=None, sort=list(names), axis=axis)
    x = _field("value", "quantitative", title=x_title, scale=_SHARE, axis=_PERCENT)
    kinds = colour["scale"]["domain"]
    beside = {"yOffset": _field("kind", "nominal", scale={"domain": kinds, "paddingOuter": 0.25})}
    shared = {"y": y, **beside}
    layers = [
        _layer("bar", {**shared, "x": x, "color": colour}, opacity=0.8),
        _layer("rule", {**shared, **_bounds("x")}, color=INK, strokeWidth=1.5),
    ]
    step = {"step": 10 + 12 * len(kinds), "for": "position"}
    return _spec({"data": {"values": list(rows)}, "width": _RANKING_PX, "height": step, "layer": layers}, names)


def falling(rows: Rows, models: Sequence[str], kinds: Mapping[str, str], *, level: float) -> Spec:
    """Draw shares of several kinds by number with a line at a level, a panel per model; dashed, where it is crossed."""
    x, colour = _number_axis("number asked for"), colour_kinds(kinds)
    y = _field("value", "quantitative", title="share right", scale=_SHARE, axis=_PERCENT)
    shared = {"x": x, "color": colour}
    crossed = {"x": _field("crossing", "quantitative", aggregate="mean"), "color": colour}
    layers = [
        _layer("rule", {"y": {"datum": level}}, color=QUIET, strokeDash=[1, 3]),
        {**_when("isValid(datum.crossing)"), **_layer("rule", crossed, strokeDash=[4, 3], opacity=0.8)},
        _layer("line", {**shared, "y": y}, strokeWidth=1.25, opacity=0.6),
        _layer("rule", {**shared, **_bounds("y")}, strokeWidth=2, opacity=0.5),
        _layer("circle", {**shared, "y": y}, size=34, opacity=1),
    ]
    return _panels(rows, layers, Facet("model", models))


def rising(rows: Rows, palette: Palette, *, x_title: str) -> Spec:
    """Draw a share that rises with a small number, the models side by side, or many in panels of their own."""
    are_many = len(palette.order) > MOST_SIDE_BY_SIDE
    numbers = sorted({int(str(row["number"])) for row in rows})
    axis = {"labelAngle": 0, "ticks": False}
    x = _field("number", "ordinal", title=x_title, scale={"domain": numbers}, axis=axis)
    y = _field("value", "quantitative", title="share with one right", scale=_SHARE, axis=_PERCENT)
    beside = {"xOffset": _field("model", "nominal", scale={"domain": palette.order, "paddingOuter": 0.4})}
    shared = {"x": x, "color": palette.colour(legend=not are_many), **({} if are_many else beside)}
    layers = [
        _layer("line", {**shared, "y": y}, strokeWidth=1.5, opacity=0.6),
        _layer("rule", {**shared, **_bounds("y")}, strokeWidth=2, opacity=0.5),
        _layer("circle", {**shared, "y": y}, size=46, opacity=1),
    ]
    if are_many:
        return _panels(rows, layers, Facet("model", palette.order))
    return _spec({"data": {"values": list(rows)}, "width": _WIDE_PX, "height": 260, "layer": layers})


def signed_by_number(rows: Rows, palette: Palette, *, y_title: str) -> Spec:
    """Draw values on both sides of 0 by number with their intervals, a panel per model."""
    ends = [float(str(row[end])) for row in rows for end in ("value", "low", "high")]
    near = [0.0, *(end for end in ends if abs(end) < _FAR)]
    scale = {"domain": [min(near), max(near)], "nice": True, "clamp": True}
    y = _field("value", "quantitative", title=y_title, scale=scale, axis={"tickCount": 5})
    zero = _layer("rule", {"y": {"datum": 0}}, color=QUIET, strokeDash=[3, 3])
    layers = [zero, *_dots_and_bounds(_number_axis("number asked for"), y, palette.colour(legend=False))]
    return _panels(rows, layers, Facet("model", palette.order))


def distribution(rows: Rows, models: Sequence[str]) -> Spec:
    """Draw how often each number was drawn as bars, and how often it was asked for as ticks."""
    axis = {"labelAngle": 0, "ticks": False, "labelExpr": _MORE_THAN_TEN, "labelFontSize": 9.5}
    x = _field("number", "ordinal", title="number", scale={"domain": list(range(12))}, axis=axis)
    y = _field("value", "quantitative", title="share", axis={"format": ".0%", "tickCount": 5})
    colour = colour_kinds({"drawn": "#0072b2", "asked for": "#d55e00"})
    layers = [
        {**_only("drawn"), **_layer("bar", {"x": x, "y": y, "color": colour}, opacity=0.8)},
        {**_only("drawn"), **_layer("rule", {"x": x, **_bounds("y")}, color=INK, strokeWidth=1)},
        {**_only("asked for"), **_layer("tick", {"x": x, "y": y, "color": colour}, thickness=3, opacity=1)},
    ]
    return _panels(rows, layers, Facet("model", models))


def stacked(rows: Rows, models: Sequence[str], levels: Sequence[str], kinds: Mapping[str, str]) -> Spec:
    """Draw how outcomes share each level, the first kind with its interval and its figure, a panel per model."""
    axis = {"ticks": False, "domain": False, "labelColor": INK, "labelLimit": 220}
    y = _field("level", "nominal", title=None, sort=list(levels), axis=axis)
    x = _field("value", "quantitative", stack="zero", title=None, scale=_SHARE, axis={**_QUARTERS, "grid": False})
    order = _field("rank", "quantitative")
    first = _only(next(iter(kinds)))
    layers = [
        _layer("bar", {"x": x, "y": y, "color": colour_kinds(kinds), "order": order}, height={"band": 0.76}),
        {**first, **_layer("rule", {"y": y, **_bounds("x")}, color=INK, strokeWidth=1.5)},
        {**first, **_layer("text", {"y": y, "text": _field("text", "nominal")}, x=5, color="#ffffff", align="left")},
    ]
    return _panels(rows, layers, Facet("model", models), height_px=24 * max(2, len(levels)), labels=levels)


def odds(rows: Rows, models: Sequence[str], palette: Palette, *, order: Sequence[str]) -> Spec:
    """Draw odds ratios with their intervals on a logarithmic scale around 1, a panel per model."""
    axis = {"ticks": False, "domain": False, "labelColor": INK, "labelLimit": 220}
    y = _field("name", "nominal", title=None, sort=list(order), axis=axis)
    scale = {"type": "log", "nice": False, "padding": 8, "clamp": True}
    ticks = {"tickCount": 4, "format": "~g"}
    x = _field("value", "quantitative", title="odds ratio", scale=scale, axis=ticks)
    colour = palette.colour(legend=False)
    layers = [
        _layer("rule", {"x": {"datum": 1}}, color=QUIET, strokeDash=[3, 3]),
        _layer("rule", {"y": y, **_bounds("x"), "color": colour}, strokeWidth=2.5, opacity=0.55),
        _layer("circle", {"y": y, "x": x, "color": colour}, size=50, opacity=1),
    ]
    return _panels(rows, layers, Facet("model", models), height_px=24 * max(2, len(order)), labels=order)


def strip(rows: Rows, kinds: Mapping[str, str], *, x_title: str, names: Sequence[str]) -> Spec:
    """Draw one value for each name, the largest first, coloured by kind."""
    axis = {"ticks": False, "domain": False, "labelColor": INK}
    y = _field("name", "nominal", title=None, sort=list(names), axis=axis)
    x = _field("value", "quantitative", title=x_title, scale={"zero": False}, axis={"tickCount": 6})
    layers = [_layer("circle", {"y": y, "x": x, "color": colour_kinds(kinds)}, size=50, opacity=1)]
    chart = {"data": {"values": list(rows)}, "width": _NARROW_PX, "height": {"step": 16}, "layer": layers}
    return _spec(chart, names)


def _only(kind: str) -> Spec:
    return {"transform": [{"filter": {"field": "kind", "equal": kind}}]}


def _when(test: str) -> Spec:
    return {"transform": [{"filter": test}]}


def _kinds_of_rows(rows: Rows) -> tuple[Spec, Spec]:
    """Encode what the rows of a ranking are by colour and shape."""
    present = {kind: mark for kind, mark in _MARKS.items() if any(row["kind"] == kind for row in rows)}
    colours, shapes = (list(values) for values in zip(*present.values(), strict=True))
    colour = _field("kind", "nominal", scale={"domain": list(present), "range": colours}, legend=_LEGEND)
    return colour, _field("kind", "nominal", scale={"domain": list(present), "range": shapes})


_MARKS = {
    "measured": ("#0072b2", "circle"),
    "stand-in": ("#009e73", "circle"),
    "published": ("#6b7480", "diamond"),
    "baseline": ("#b8860b", "diamond"),
}


_LEGEND = {"title": None, "orient": "top", "columnPadding": 40, "symbolOpacity": 1}


def _legend_columns(names: Sequence[str]) -> int:
    """Put as many names side by side as there is room for."""
    longest = max((len(name) for name in names), default=0)
    return max(1, min(3, _LEGEND_CHARACTERS // (longest + 6)))


_LEGEND_CHARACTERS = 110


def _field(name: str, kind: str, **how: object) -> Spec:
    """Encode a column of the rows."""
    return {"field": name, "type": kind, **how}


def _layer(mark: str, encoding: Spec, **look: object) -> Spec:
    return {"mark": {"type": mark, **look}, "encoding": encoding}


def _bounds(axis: str) -> Spec:
    """Reach from the low to the high end of an interval."""
    return {axis: _field("low", "quantitative"), f"{axis}2": {"field": "high"}}


def _number_axis(title: str = "number") -> Spec:
    axis = {"tickMinStep": 1, "tickCount": 12, "grid": False, "format": "d", "labelSeparation": 5}
    scale = {"zero": False, "nice": False, "padding": 10}
    return _field("number", "quantitative", title=title, axis=axis, scale=scale)


def _dots_and_bounds(x: Spec, y: Spec, colour: Spec) -> list[Spec]:
    return [
        _layer("rule", {"x": x, **_bounds("y"), "color": colour}, strokeWidth=2, opacity=0.5),
        _layer("circle", {"x": x, "y": y, "color": colour}, size=44, opacity=1),
    ]


def _columns(panels: int) -> int:
    """Stand two or three panels in a row, and four in a square."""
    return panels if panels <= 3 else 2 if panels == 4 else 3


def _panels(
    rows: Rows,
    layers: Sequence[Spec],
    facet: Facet,
    *,
    height_px: int = _PANEL_HEIGHT_PX,
    labels: Sequence[str] = (),
) -> Spec:
    """Repeat layers for each model, or whatever the panels stand for."""
    columns = _columns(len(facet.order))
    width_px = min(420, _PANELS_WIDTH_PX // columns)
    header = {"labelAnchor": "start", "labelLimit": width_px - 24, "labelExpr": _in_two_lines(width_px)}
    chart: Spec = {
        "data": {"values": list(rows)},
        "facet": _field(facet.field, "nominal", sort=list(facet.order), title=None, header=header),
        "columns": columns,
        "spec": {"width": width_px, "height": height_px, "layer": list(layers)},
    }
    # A shared axis would stand under the empty places of the last row too.
    own_axes = {"resolve": {"axis": {"x": "independent"}}} if len(facet.order) % columns else {}
    return _spec({**chart, **own_axes}, labels)


def _in_two_lines(width_px: int) -> str:
    """Put a name that is too long for its panel in two lines: models may differ in the end only."""
    most = width_px // _LETTER_PX - 3
    return f"length(datum.label) > {most} ? [slice(datum.label, 0, {most}), slice(datum.label, {most})] : datum.label"


_LETTER_PX = 7


def _spec(chart: Spec, labels: Sequence[str] = ()) -> Spec:
    """Complete a chart, with room on the left for labels in letters wider than it was laid out with."""
    longest = min(_LONGEST_LABEL, max((len(label) for label in labels), default=0))
    padding = {"left": 8 + longest, "right": 22, "top": 4, "bottom": 4}
    return {"$schema": _SCHEMA, **chart, "padding": padding}


_LONGEST_LABEL = 40
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
