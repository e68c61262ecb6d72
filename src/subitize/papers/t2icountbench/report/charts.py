"""Charts that only this paper's report draws: bars, shares that rise or fall with a number, and errors by number."""

from collections.abc import Mapping, Sequence

from subitize.report.charts import (
    MOST_SIDE_BY_SIDE,
    RANKING_PX,
    UPRIGHT,
    Palette,
    Rows,
    Spec,
    colour_kinds,
    draw_estimates,
    draw_lines,
    draw_reference,
    field,
    interval_fields,
    lay_out,
    lay_out_panels,
    layer,
    name_field,
    number_field,
    offset_field,
    share_field,
)
from subitize.report.figures import INK

_FAR = 1e6  # an interval that reaches so far may be whatever is possible


def bars(rows: Rows, names: Sequence[str], colour: Spec) -> Spec:
    """Draw shares of several kinds as bars with their intervals, a group of bars for each name."""
    kinds = colour["scale"]["domain"]
    shared = {"y": name_field("model", names, labelPadding=8), "yOffset": offset_field("kind", kinds, 0.25)}
    layers = [
        layer("bar", {**shared, "x": share_field("share right"), "color": colour}, opacity=0.8),
        layer("rule", {**shared, **interval_fields("x")}, color=INK, strokeWidth=1.5),
    ]
    step = {"step": 10 + 12 * len(kinds), "for": "position"}
    return lay_out(rows, layers, width=RANKING_PX, height=step, labels=names)


def rising(rows: Rows, palette: Palette, *, x_title: str) -> Spec:
    """Draw a share that rises with a small number, the models side by side, or many in panels of their own."""
    are_many = len(palette.order) > MOST_SIDE_BY_SIDE
    numbers = sorted({int(str(row["number"])) for row in rows})
    x = field("number", "ordinal", title=x_title, scale={"domain": numbers}, axis=UPRIGHT)
    beside = {} if are_many else {"xOffset": offset_field("model", palette.order, 0.4)}
    shared = {"x": x, "color": palette.colour(legend=not are_many), **beside}
    layers = draw_lines(share_field("share with one right"), shared, line_width=1.5, size=46)
    return lay_out_panels(rows, layers, palette.order) if are_many else lay_out(rows, layers, height=260)


def falling(rows: Rows, models: Sequence[str], kinds: Mapping[str, str], *, level: float) -> Spec:
    """Draw shares of several kinds by number with a line at a level, a panel per model; dashed, where it is crossed."""
    colour = colour_kinds(kinds)
    crossed = {"x": field("crossing", "quantitative", aggregate="mean"), "color": colour}
    layers = [
        draw_reference({"y": {"datum": level}}, dash=[1, 3]),
        layer("rule", crossed, when="isValid(datum.crossing)", strokeDash=[4, 3], opacity=0.8),
        *draw_lines(share_field("share right"), {"x": number_field("number asked for"), "color": colour}),
    ]
    return lay_out_panels(rows, layers, models)


def signed_by_number(rows: Rows, palette: Palette, *, y_title: str) -> Spec:
    """Draw values on both sides of 0 by number with their intervals, a panel per model."""
    ends = [float(str(row[end])) for row in rows for end in ("value", "low", "high")]
    near = [0.0, *(end for end in ends if abs(end) < _FAR)]
    scale = {"domain": [min(near), max(near)], "nice": True, "clamp": True}
    y = field("value", "quantitative", title=y_title, scale=scale, axis={"tickCount": 5})
    shared = {"x": number_field("number asked for"), "color": palette.colour(legend=False)}
    return lay_out_panels(rows, [draw_reference({"y": {"datum": 0}}), *draw_estimates("y", y, shared)], palette.order)
