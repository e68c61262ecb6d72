"""Charts that only this paper's report draws: odds, shares of two kinds, words, cells, counts and outcomes."""

from collections.abc import Mapping, Sequence

from subitize.report.charts import (
    MORE_THAN_TEN,
    NARROW_PX,
    PERCENT,
    QUARTERS,
    SHARE,
    UPRIGHT,
    Palette,
    Rows,
    Spec,
    colour_kinds,
    draw_estimates,
    draw_reference,
    field,
    interval_fields,
    lay_out,
    lay_out_panels,
    layer,
    name_field,
    offset_field,
    share_field,
)
from subitize.report.figures import INK

_DARK_FROM = 0.68  # figures on a cell with a larger share are white


def odds(rows: Rows, models: Sequence[str], palette: Palette, *, order: Sequence[str]) -> Spec:
    """Draw odds ratios with their intervals on a logarithmic scale around 1, a panel per model."""
    shared = {"y": name_field("name", order, labelLimit=220), "color": palette.colour(legend=False)}
    scale = {"type": "log", "nice": False, "padding": 8, "clamp": True}
    x = field("value", "quantitative", title="odds ratio", scale=scale, axis={"tickCount": 4, "format": "~g"})
    layers = [draw_reference({"x": {"datum": 1}}), *draw_estimates("x", x, shared, width=2.5, opacity=0.55, size=50)]
    return lay_out_panels(rows, layers, models, height_px=24 * max(2, len(order)), labels=order)


def dots(rows: Rows, names: Sequence[str], colour: Spec) -> Spec:
    """Draw the shares of two kinds with their intervals, a line for each model."""
    beside = {"yOffset": offset_field("kind", colour["scale"]["domain"], 0.4)}
    shared = {"y": name_field("model", names, labelLimit=220, labelPadding=8), "color": colour, **beside}
    layers = draw_estimates("x", share_field("share right"), shared, width=2.5, size=50)
    return lay_out(rows, layers, width=NARROW_PX, height={"step": 34, "for": "position"}, labels=names)


def strip(rows: Rows, kinds: Mapping[str, str], *, x_title: str, names: Sequence[str]) -> Spec:
    """Draw one value for each name, the largest first, coloured by kind."""
    x = field("value", "quantitative", title=x_title, scale={"zero": False}, axis={"tickCount": 6})
    encoding = {"y": name_field("name", names), "x": x, "color": colour_kinds(kinds)}
    layers = [layer("circle", encoding, size=50, opacity=1)]
    return lay_out(rows, layers, width=NARROW_PX, height={"step": 16}, labels=names)


def heat_map(rows: Rows, names: Sequence[str], columns: Sequence[str]) -> Spec:
    """Draw shares as coloured cells with the figures in them, and their intervals where there are some."""
    place = {
        "x": name_field("column", columns, labelLimit=220, orient="top", labelAngle=0),
        "y": name_field("name", names, labelLimit=220),
    }
    share = field("value", "quantitative", scale={"scheme": "blues", **SHARE}, legend=None)
    colour = {"condition": {"test": f"datum.value > {_DARK_FROM}", "value": "#ffffff"}, "value": "#1b1f24"}
    value, bounds = ({**place, "color": colour, "text": field(name, "nominal")} for name in ("text", "bounds"))
    layers = [
        layer("rect", {**place, "color": share}, stroke="#ffffff", strokeWidth=1.5),
        layer("text", value, when="datum.bounds", dy=-6, fontSize=13),
        layer("text", bounds, when="datum.bounds", dy=9, fontSize=10),
        layer("text", value, when="!datum.bounds", fontSize=13),
    ]
    return lay_out(rows, layers, width={"step": 60}, height={"step": 38}, labels=names)


def distribution(rows: Rows, models: Sequence[str]) -> Spec:
    """Draw how often each number was drawn as bars, and how often it was asked for as ticks."""
    axis = {**UPRIGHT, "labelExpr": MORE_THAN_TEN, "labelFontSize": 9.5}
    x = field("number", "ordinal", title="number", scale={"domain": list(range(12))}, axis=axis)
    y = field("value", "quantitative", title="share", axis=PERCENT)
    colour = colour_kinds({"drawn": "#0072b2", "asked for": "#d55e00"})
    place, drawn = {"x": x, "y": y, "color": colour}, "datum.kind == 'drawn'"
    layers = [
        layer("bar", place, when=drawn, opacity=0.8),
        layer("rule", {"x": x, **interval_fields("y")}, when=drawn, color=INK, strokeWidth=1),
        layer("tick", place, when="datum.kind == 'asked for'", thickness=3, opacity=1),
    ]
    return lay_out_panels(rows, layers, models)


def stacked(rows: Rows, models: Sequence[str], levels: Sequence[str], kinds: Mapping[str, str]) -> Spec:
    """Draw how outcomes share each level, the first kind with its interval and its figure, a panel per model."""
    y = name_field("level", levels, labelLimit=220)
    x = {**share_field(None, axis={**QUARTERS, "grid": False}), "stack": "zero"}
    order = field("rank", "quantitative")
    first = f"datum.kind == '{next(iter(kinds))}'"
    layers = [
        layer("bar", {"x": x, "y": y, "color": colour_kinds(kinds), "order": order}, height={"band": 0.76}),
        layer("rule", {"y": y, **interval_fields("x")}, when=first, color=INK, strokeWidth=1.5),
        layer("text", {"y": y, "text": field("text", "nominal")}, when=first, x=5, color="#ffffff", align="left"),
    ]
    return lay_out_panels(rows, layers, models, height_px=24 * max(2, len(levels)), labels=levels)
