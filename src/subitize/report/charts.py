"""Charts of a report, from tidy rows to Vega-Lite: one colour per model throughout, intervals always drawn.

They are written as plain Vega-Lite data: building them with a library took longer than drawing them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from subitize.report.figures import INK, QUIET

Rows = Sequence[Mapping[str, object]]
Spec = Mapping[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

# Safe for colour-blind readers (after Okabe and Ito, with the yellow darkened for a white background).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a5195", "#8c564b", "#5f6b7a", "#2f7f7f"]
_PANEL_HEIGHT_PX = 150
_PANELS_WIDTH_PX = 690
_WIDE_PX = 640
RANKING_PX = 380
_LETTERS_PER_LINE = 26
NARROW_PX = 320
_SCORES_PX = 290
MOST_SIDE_BY_SIDE = 6
_CELL_HEIGHT_PX = 7
_LEAST_MATRIX_PX = 48
_LEAST_FOR_TWO_DIGITS_PX = 18
# The lowest colour of viridis: the background of the numbers asked; empty cells are not drawn.
_VIRIDIS_ZERO = "#440154"
SHARE = {"domain": [0, 1]}
PERCENT = {"format": ".0%", "tickCount": 5}
QUARTERS = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
UPRIGHT = {"labelAngle": 0, "ticks": False}
_LEGEND = {"title": None, "orient": "top", "columnPadding": 40, "symbolOpacity": 1}
_LEGEND_CHARACTERS = 110
_LONGEST_LABEL = 40
_LETTER_PX = 7
_ON_COLOUR = "#1b1f24"  # unlike ink it stays dark on a dark page
_MARKS = {
    "measured": ("#0072b2", "circle"),
    "stand-in": ("#009e73", "circle"),
    "stand-in judge": ("#cc79a7", "cross"),
    "published": ("#6b7480", "diamond"),
    "baseline": ("#b8860b", "diamond"),
}
# With two or three numbers, Vega puts ticks between them despite the least step.
_WHOLE = "datum.value % 1 ? '' : format(datum.value, 'd')"
# Counts above ten are drawn as eleven.
MORE_THAN_TEN = "datum.value == 11 ? '>10' : datum.label"


@dataclass(frozen=True, slots=True)
class Palette:
    """The models of a report in order, each with the colour that it keeps in all charts."""

    names: tuple[str, ...]
    shown: tuple[str, ...] = ()

    def of(self, names: Sequence[str]) -> "Palette":
        """Keep the colours, but show only these models."""
        return Palette(self.names, tuple(names))

    @property
    def order(self) -> list[str]:
        """The models shown, in order."""
        return [name for name in self.names if not self.shown or name in self.shown]

    def colour(self, *, legend: bool = True) -> Spec:
        """Encode the model."""
        names = self.order
        # As many names side by side as fit.
        columns = max(1, min(3, _LEGEND_CHARACTERS // (max(map(len, names), default=0) + 6)))
        colours = [COLOURS[self.names.index(name) % len(COLOURS)] for name in names]
        shown = {**_LEGEND, "columns": columns} if legend else None
        return field("model", "nominal", scale={"domain": names, "range": colours}, legend=shown)


@dataclass(frozen=True, slots=True)
class Panel:
    """The confusion matrices of one model: rows, the numbers asked and the possible responses."""

    model: str
    rows: Rows
    targets: Sequence[int]
    responses: Sequence[int]


def colour_kinds(kinds: Mapping[str, str]) -> Spec:
    """Encode what is compared within a model, each kind in its own colour."""
    scale = {"domain": list(kinds), "range": list(kinds.values())}
    return field("kind", "nominal", scale=scale, legend={**_LEGEND, "columns": 5})


def colour_levels(levels: Sequence[str]) -> Spec:
    """Encode the levels of any factor; colours repeat after ten."""
    return colour_kinds({level: COLOURS[place % len(COLOURS)] for place, level in enumerate(levels)})


def confusion(panels: Sequence[Panel], categories: Sequence[str]) -> Spec:
    """Draw one matrix per model and category: target across, response up, share of the responses as colour.

    Numbers that a model was not asked in a category stay blank.
    """
    targets = max(len(panel.targets) for panel in panels)
    # Six panels, as in the paper, fill a row; fewer are wider, up to squares, with room for their headings.
    widest_px = _CELL_HEIGHT_PX * max(len(panel.responses) for panel in panels)
    width_px = min(widest_px, max(_CELL_HEIGHT_PX * targets, _PANELS_WIDTH_PX // len(categories)))
    heading_px = min(_LETTER_PX * max(map(len, categories)), _PANELS_WIDTH_PX // MOST_SIDE_BY_SIDE)
    rows = [_confusion_row(panel, categories, max(width_px, heading_px) / targets) for panel in panels]
    return complete({"vconcat": rows, "spacing": 22})


def _confusion_row(panel: Panel, categories: Sequence[str], cell_px: float) -> Spec:
    targets, responses = list(panel.targets), sorted(panel.responses, reverse=True)
    plain = {"ticks": False, "domain": False}
    ticks = targets if cell_px >= _LEAST_FOR_TWO_DIGITS_PX or max(targets) < 10 else _round_numbers(targets)
    across = {**plain, "labelAngle": 0, "values": ticks}
    x = field("target", "ordinal", title="target", scale={"domain": targets}, axis=across)
    height_px = max(_CELL_HEIGHT_PX * len(responses), _LEAST_MATRIX_PX)
    up = {**plain, "values": responses if height_px == _LEAST_MATRIX_PX else _round_numbers(responses)}
    y = field("response", "ordinal", title="response", scale={"domain": responses}, axis=up)
    legend = {"title": "share of responses", "format": ".0%", "orient": "top", "direction": "horizontal"}
    share = field("share", "quantitative", scale={"scheme": "viridis", **SHARE}, legend=legend)
    asked = {"aggregate": [{"op": "count", "as": "count"}], "groupby": ["category", "target"]}
    # The stroke closes the seams that browsers leave between neighbours.
    ground = {"transform": [asked], **layer("rect", {"x": x}, color=_VIRIDIS_ZERO, stroke=_VIRIDIS_ZERO)}
    header = {"labelFontWeight": "normal", "labelColor": QUIET, "labelPadding": 6}
    by_category = field("category", "nominal", sort=list(categories), title=None)
    return {
        "title": {"text": panel.model, "anchor": "start"},
        "data": {"values": list(panel.rows)},
        "facet": {"column": {**by_category, "header": header}},
        "spacing": 12,
        "spec": {
            "width": round(cell_px * len(targets)),
            "height": height_px,
            "layer": [ground, layer("rect", {"x": x, "y": y, "color": share})],
        },
    }


def _round_numbers(numbers: Sequence[int]) -> list[int]:
    return [number for number in numbers if number == 1 or number % 5 == 0]


def accuracy_by_number(rows: Rows, palette: Palette, numbers: Sequence[int], *, x_title: str) -> Spec:
    """Draw the share of right answers by number, models side by side, or in panels if there are many."""
    y = share_field("share right")
    if len(palette.order) > MOST_SIDE_BY_SIDE:
        shared = {"x": number_field(x_title), "color": palette.colour(legend=False)}
        return lay_out_panels(rows, draw_estimates("y", y, shared), palette.order)
    x = field("number", "ordinal", title=x_title, scale={"domain": list(numbers)}, axis=UPRIGHT)
    shared = {"x": x, "color": palette.colour(), "xOffset": offset_field("model", palette.order, 0.25)}
    return lay_out(rows, draw_estimates("y", y, shared, opacity=0.55, size=46), height=260)


def shares_by_number(rows: Rows, models: Sequence[str], criteria: Mapping[str, float]) -> Spec:
    """Draw hits and false alarms by number with their criteria, one panel per model."""
    kinds = list(criteria)
    colour = field("kind", "nominal", scale={"domain": kinds, "range": ["#0072b2", "#d55e00"]}, legend=_LEGEND)
    shape = field("kind", "nominal", scale={"domain": kinds, "range": ["circle", "triangle-down"]})
    line = {"y": field("criterion", "quantitative", aggregate="mean"), "color": colour}
    shared = {"x": number_field(), "color": colour}
    layers = [
        *draw_estimates("y", share_field("share"), shared, size=38, shape=shape),
        layer("rule", line, strokeDash=[4, 3], opacity=0.8),
    ]
    return lay_out_panels(rows, layers, models)


def psychometric(rows: Rows, models: Sequence[str], palette: Palette) -> Spec:
    """Draw the share of exact answers, observed (points) and fitted (line), one panel per model."""
    shared = {"x": number_field(), "color": palette.colour(legend=False)}
    law = layer("line", {**shared, "y": field("predicted", "quantitative")}, strokeWidth=2, opacity=0.75)
    return lay_out_panels(rows, [law, *draw_estimates("y", share_field("share exact"), shared)], models)


def spread(rows: Rows, palette: Palette) -> Spec:
    """Draw the standard deviation of the responses against their mean, on log scales, with the fitted line."""
    are_many = len(palette.order) > MOST_SIDE_BY_SIDE
    log = {"scale": {"type": "log", "nice": False, "padding": 12}, "axis": {"tickCount": 6}}
    x = field("mean", "quantitative", title="mean response", **log)
    y = field("sd", "quantitative", title="standard deviation", **log)
    shared = {"x": x, "color": palette.colour(legend=not are_many)}
    layers = [
        layer("line", {**shared, "y": field("fitted", "quantitative")}, strokeWidth=1.5, opacity=0.7),
        layer("circle", {**shared, "y": y}, size=56, opacity=0.9),
    ]
    return lay_out_panels(rows, layers, palette.order) if are_many else lay_out(rows, layers, height=280)


def forest(
    rows: Rows, models: Sequence[str], palette: Palette, *, x_title: str, order: Sequence[str], are_ratios: bool = False
) -> Spec:
    """Draw one estimate per line with its interval and a line where there is no effect, one panel per model.

    That is at 0, for ratios at 1, on a logarithmic scale.
    """
    shared = {"y": name_field("name", order), "color": palette.colour(legend=False)}
    log = {"scale": {"type": "log", "nice": False, "padding": 8, "clamp": True}} if are_ratios else {}
    x = field("value", "quantitative", title=x_title, axis={"tickCount": 5, "format": "~g"}, **log)
    none = draw_reference({"x": {"datum": 1 if are_ratios else 0}})
    layers = [none, *draw_estimates("x", x, shared, width=2.5, opacity=0.55, size=60)]
    return lay_out_panels(rows, layers, models, height_px=26 * max(2, len(order)), labels=order)


def ranking(rows: Rows, names: Sequence[str], *, x_title: str) -> Spec:
    """Draw a share for many models, best first; published figures, which have no interval, are diamonds."""
    colour, shape = _kinds_of_rows(rows)
    # Long names take two lines, so that figures stay in view on a phone.
    shared = {"y": name_field("name", names, labelExpr=_over_two_lines(_LETTERS_PER_LINE)), "color": colour}
    layers = draw_estimates("x", share_field(x_title), shared, width=3, size=60, shape=shape)
    step = 28 if any(len(name) > _LETTERS_PER_LINE for name in names) else 22
    labels = [name[:_LETTERS_PER_LINE] for name in names]
    return lay_out(rows, layers, width=RANKING_PX, height={"step": step}, labels=labels)


def glance(rows: Rows, names: Sequence[str], tasks: Sequence[str]) -> Spec:
    """Draw a share for many models in each task, with a line at chance; published figures have no interval."""
    colour, shape = _kinds_of_rows(rows)
    shared = {"y": name_field("name", names, labelLimit=220), "color": colour}
    layers = [
        draw_reference({"x": field("chance", "quantitative", aggregate="mean")}),
        *draw_estimates("x", share_field(None, axis=QUARTERS), shared, width=3, size=60, shape=shape),
    ]
    return lay_out_panels(rows, layers, tasks, of="task", height_px=22 * max(2, len(names)), labels=names)


def by_level(rows: Rows, colour: Spec, levels: Sequence[str], title: str = "", *, of: str = "level") -> Spec:
    """Draw the share of right outcomes by the levels of one factor, models or kinds side by side in their colours."""
    beside = colour["scale"]["domain"]
    offset = offset_field(colour["field"], beside, 0.3)
    shared = {"y": name_field(of, levels, title, labelPadding=8), "color": colour, "yOffset": offset}
    layers = draw_estimates("x", share_field("share right"), shared, width=2.5, size=50)
    step = {"step": 14 + 10 * len(beside), "for": "position"}
    return lay_out(rows, layers, width=NARROW_PX, height=step, labels=levels)


def curves(
    rows: Rows, panels: Sequence[str], colour: Spec, *, of: str, x_title: str, stops_at_ten: bool = True
) -> Spec:
    """Draw shares by number as lines with intervals in the colours given; `of` is the field of the panels."""
    axis = {**UPRIGHT, "labelExpr": MORE_THAN_TEN} if stops_at_ten else UPRIGHT
    x = field("number", "ordinal", title=x_title, axis=axis)
    beside = {"xOffset": offset_field(colour["field"], colour["scale"]["domain"], 0.35)}
    layers = draw_lines(share_field("share"), {"x": x, "color": colour, **beside})
    if len(panels) == 1:
        return lay_out(rows, layers, height=260)
    own_scales = {"scale": {"x": "independent", "xOffset": "independent"}}
    return {**lay_out_panels(rows, layers, panels, of=of), "resolve": own_scales}


def scores(rows: Rows) -> Spec:
    """Draw one panel per judge, each with its own scale: a cosine and a probability cannot be compared.

    Names may take several lines. An estimate without an interval is a hollow point.
    """
    panels, names = (list(dict.fromkeys(str(row[key]) for row in rows)) for key in ("model", "name"))
    row_px = 14 + 13 * max(name.count("\n") + 1 for name in names)
    by_line: dict[str, Any] = {"labelExpr": "split(datum.label, '\\n')", "labelLimit": _SCORES_PX}
    x = field("value", "quantitative", title="score", axis={"tickCount": 4, "format": "~g"})
    shared = {"y": name_field("name", names, **by_line), "color": Palette(tuple(panels)).colour(legend=False)}
    rule, dot = draw_estimates("x", x, shared, width=2.5, opacity=0.55, size=60)
    has_interval = {"transform": [{"filter": "isValid(datum.low) == true"}]}
    layers = [
        draw_reference({"x": {"datum": 0}}),
        {**has_interval, **rule},
        {**has_interval, **dot},
        layer("point", {**shared, "x": x}, when="isValid(datum.low) == false", size=60, opacity=1, filled=False),
    ]
    header = {"labelAnchor": "start", **by_line}
    return {
        "$schema": SCHEMA,
        "data": {"values": rows},
        "facet": field("model", "nominal", sort=panels, title=None, header=header),
        "columns": 2,
        "resolve": {"scale": {"x": "independent"}},
        "spec": {"width": _SCORES_PX, "height": row_px * max(2, len(names)), "layer": layers},
        "padding": {"left": 40, "right": 22, "top": 4, "bottom": 4},
    }


def heat_map(
    rows: Rows, names: Sequence[str], columns: Sequence[str], colour: Spec, *, dark_from: float, label_angle: int = 0
) -> Spec:
    """Draw figures as coloured cells with their texts and, where there are bounds, intervals below."""
    place = {
        "x": name_field("column", columns, labelLimit=220, orient="top", labelAngle=label_angle),
        "y": name_field("name", names, labelLimit=220),
    }
    ink = {"condition": {"test": f"abs(datum.value) > {dark_from}", "value": "#ffffff"}, "value": _ON_COLOUR}
    value, bounds = ({**place, "color": ink, "text": field(name, "nominal")} for name in ("text", "bounds"))
    layers = [
        layer("rect", {**place, "color": colour}, stroke="#ffffff", strokeWidth=1.5),
        layer("text", value, when="datum.bounds", dy=-6, fontSize=13),
        layer("text", bounds, when="datum.bounds", dy=9, fontSize=10),
        layer("text", value, when="!datum.bounds", fontSize=13),
    ]
    return lay_out(rows, layers, width={"step": 60}, height={"step": 38}, labels=names)


def band(shared: Spec, y: Spec, **look: str) -> list[Spec]:
    """Draw a curve within the band of its intervals."""
    ends = {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    return [
        layer("area", ends, opacity=0.18, **look),
        layer("line", {**shared, "y": {**y, "field": "value"}}, strokeWidth=2, **look),
    ]


def _kinds_of_rows(rows: Rows) -> tuple[Spec, Spec]:
    """Encode the kinds of rows in a ranking by colour and shape."""
    present = {kind: mark for kind, mark in _MARKS.items() if any(row["kind"] == kind for row in rows)}
    colours, shapes = (list(values) for values in zip(*present.values(), strict=True))
    colour = field("kind", "nominal", scale={"domain": list(present), "range": colours}, legend=_LEGEND)
    return colour, field("kind", "nominal", scale={"domain": list(present), "range": shapes})


def field(name: str, kind: str, **how: object) -> Spec:
    """Encode a column of the rows."""
    return {"field": name, "type": kind, **how}


def layer(mark: str, encoding: Spec, *, when: str = "", **look: object) -> Spec:
    """Draw marks, only for the rows that pass the test if there is one."""
    chosen = {"transform": [{"filter": when}]} if when else {}
    return {**chosen, "mark": {"type": mark, **look}, "encoding": encoding}


def interval_fields(axis: str) -> Spec:
    """Encode the two ends of an interval."""
    return {axis: field("low", "quantitative"), f"{axis}2": {"field": "high"}}


def number_field(title: str = "number") -> Spec:
    """Encode a number by its size, with ticks at whole numbers."""
    axis = {"tickMinStep": 1, "tickCount": 12, "grid": False, "labelExpr": _WHOLE, "labelSeparation": 5}
    scale = {"zero": False, "nice": False, "padding": 10}
    return field("number", "quantitative", title=title, axis=axis, scale=scale)


def share_field(title: str | None, *, axis: Spec = PERCENT) -> Spec:
    """Encode a share, from 0 to 100 %."""
    return field("value", "quantitative", title=title, scale=SHARE, axis=axis)


def name_field(of: str, order: Sequence[str], title: str | None = None, **axis: object) -> Spec:
    """Encode names one below the other, in order."""
    look = {"ticks": False, "domain": False, "labelColor": INK, "labelLimit": 260, **axis}
    return field(of, "nominal", title=title, sort=list(order), axis=look)


def _over_two_lines(most: int) -> str:
    return f"length(datum.label) > {most} ? [slice(datum.label, 0, {most}), slice(datum.label, {most})] : datum.label"


def offset_field(of: str, order: Sequence[str], padding: float) -> Spec:
    """Offset marks that would otherwise overlap."""
    return field(of, "nominal", scale={"domain": list(order), "paddingOuter": padding})


def draw_estimates(
    across: str,
    value: Spec,
    shared: Spec,
    *,
    width: float = 2,
    opacity: float = 0.5,
    size: int = 44,
    shape: Spec | None = None,
) -> list[Spec]:
    """Draw values as dots or other shapes, each on a line that spans its interval."""
    at = {**shared, across: value}
    dot = layer("point", {**at, "shape": shape}, size=size, filled=True, opacity=1) if shape else None
    return [
        layer("rule", {**shared, **interval_fields(across)}, strokeWidth=width, opacity=opacity),
        dot or layer("circle", at, size=size, opacity=1),
    ]


def draw_lines(value: Spec, shared: Spec, *, line_width: float = 1.25, size: int = 34) -> list[Spec]:
    """Draw estimates joined by a line."""
    line = layer("line", {**shared, "y": value}, strokeWidth=line_width, opacity=0.6)
    return [line, *draw_estimates("y", value, shared, size=size)]


def draw_reference(place: Spec, dash: Sequence[int] = (3, 3)) -> Spec:
    """Draw a quiet reference line."""
    return layer("rule", place, color=QUIET, strokeDash=list(dash))


def lay_out_panels(
    rows: Rows,
    layers: Sequence[Spec],
    names: Sequence[str],
    *,
    of: str = "model",
    height_px: int = _PANEL_HEIGHT_PX,
    labels: Sequence[str] = (),
) -> Spec:
    """Repeat layers for each value of a field, usually the model; two or three in a row, four in a square."""
    columns = len(names) if len(names) <= 3 else 2 if len(names) == 4 else 3
    width_px = min(420, _PANELS_WIDTH_PX // columns)
    # A name too long for its panel takes two lines: models may differ only at the end.
    lines = _over_two_lines(width_px // _LETTER_PX - 3)
    header = {"labelAnchor": "start", "labelLimit": width_px - 24, "labelExpr": lines}
    chart: Spec = {
        "data": {"values": list(rows)},
        "facet": field(of, "nominal", sort=list(names), title=None, header=header),
        "columns": columns,
        "spec": {"width": width_px, "height": height_px, "layer": list(layers)},
    }
    # A shared axis would also appear under the empty places of the last row.
    own_axes = {"resolve": {"axis": {"x": "independent"}}} if len(names) % columns else {}
    return complete({**chart, **own_axes}, labels)


def lay_out(
    rows: Rows, layers: Sequence[Spec], *, height: int | Spec, width: int | Spec = _WIDE_PX, labels: Sequence[str] = ()
) -> Spec:
    """Put layers into one chart."""
    return complete({"data": {"values": list(rows)}, "width": width, "height": height, "layer": list(layers)}, labels)


def complete(chart: Spec, labels: Sequence[str] = ()) -> Spec:
    """Complete a chart, with room on the left in case the reader's font is wider."""
    longest = min(_LONGEST_LABEL, max((len(label) for label in labels), default=0))
    padding = {"left": 8 + longest, "right": 22, "top": 4, "bottom": 4}
    return {"$schema": SCHEMA, **chart, "padding": padding}
