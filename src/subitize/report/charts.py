"""The charts of a report, from tidy rows to Vega-Lite; one colour per model throughout, intervals always drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from subitize.report.figures import INK, QUIET

if TYPE_CHECKING:
    import altair as alt

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
_MOST_SIDE_BY_SIDE = 6
# The lowest colour of viridis: cells that nothing fell into are the ground and not drawn.
_VIRIDIS_ZERO = "#440154"


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

    def colour(self, *, legend: bool = True) -> "alt.Color":
        """Encode the model."""
        import altair as alt

        names = self.order
        colours = [_COLOURS[self.names.index(name) % len(_COLOURS)] for name in names]
        shown = alt.Legend(title=None, orient="top", columns=3, columnPadding=40, symbolOpacity=1) if legend else None
        return alt.Color("model:N", scale=alt.Scale(domain=names, range=colours), legend=shown)


def confusion(
    rows: Rows, models: Sequence[str], categories: Sequence[str], axes: tuple[Sequence[int], Sequence[int]]
) -> Spec:
    """Draw one matrix per model and category: target across, response up, share of the responses as colour."""
    import altair as alt

    targets, responses = axes
    ticks = [number for number in responses if number == 1 or number % 5 == 0]
    # Six panels, those of the paper, fill a row; fewer are wider, up to a square.
    width_px = min(7 * len(responses), max(11 * len(targets), _PANELS_WIDTH_PX // len(categories)))
    panels = []
    for model in models:
        own = alt.InlineData(values=[row for row in rows if row["model"] == model])
        x = alt.X("target:O", title="target", scale=alt.Scale(domain=list(targets)))
        y = alt.Y("response:O", title="response", scale=alt.Scale(domain=sorted(responses, reverse=True)))
        legend = alt.Legend(title="share of responses", format=".0%", orient="top", direction="horizontal")
        base = alt.Chart(own, height=7 * len(responses), width=width_px).mark_rect()
        panel = base.encode(
            x.axis(labelAngle=0, ticks=False, domain=False, labelOverlap=True),
            y.axis(values=ticks, ticks=False, domain=False),
            alt.Color("share:Q", scale=alt.Scale(scheme="viridis", domain=[0, 1]), legend=legend),
        ).properties(view=alt.ViewBackground(fill=_VIRIDIS_ZERO))
        column = alt.Column("category:N", sort=list(categories), title=None, spacing=12)
        facet = panel.facet(column=column.header(labelFontWeight="normal", labelColor=QUIET, labelPadding=6))
        panels.append(facet.properties(title=alt.TitleParams(model, anchor="start")))
    return _spec(alt.vconcat(*panels, spacing=22))


def accuracy_by_number(rows: Rows, palette: Palette, numbers: Sequence[int]) -> Spec:
    """Draw the share of right answers by number, the models side by side, or many in panels of their own."""
    import altair as alt

    if len(palette.order) > _MOST_SIDE_BY_SIDE:
        return _accuracy_panels(rows, palette)
    x = alt.X("number:O", title="number shown", scale=alt.Scale(domain=list(numbers))).axis(labelAngle=0, ticks=False)
    y = alt.Y("value:Q", title="share right", scale=alt.Scale(domain=[0, 1])).axis(format=".0%", tickCount=5)
    offset = alt.XOffset("model:N", scale=alt.Scale(domain=palette.order, paddingOuter=0.25))
    base = alt.Chart(_data(rows), width=_WIDE_PX, height=260)
    bounds = base.mark_rule(strokeWidth=2, opacity=0.55).encode(
        x, alt.Y("low:Q"), alt.Y2("high"), offset, palette.colour()
    )
    points = base.mark_circle(size=46, opacity=1).encode(x, y, offset, palette.colour())
    return _spec(alt.layer(bounds, points))


def _accuracy_panels(rows: Rows, palette: Palette) -> Spec:
    import altair as alt

    base = alt.Chart(width=_panel_width_px(len(palette.order)), height=_PANEL_HEIGHT_PX)
    x, colour = _number_axis(), palette.colour(legend=False)
    y = alt.Y("value:Q", title="share right", scale=alt.Scale(domain=[0, 1])).axis(format=".0%", tickCount=5)
    bounds = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x, alt.Y("low:Q"), alt.Y2("high"), colour)
    points = base.mark_circle(size=44, opacity=1).encode(x, y, colour)
    return _panels(alt.layer(bounds, points, data=_data(rows)), palette.order)


def shares_by_number(rows: Rows, models: Sequence[str], criteria: Mapping[str, float]) -> Spec:
    """Draw hits and false alarms by number with their criteria, a panel per model."""
    import altair as alt

    kinds = list(criteria)
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=["#0072b2", "#d55e00"]))
    legend = colour.legend(title=None, orient="top", columnPadding=40, symbolOpacity=1)
    base = alt.Chart(width=_panel_width_px(len(models)), height=_PANEL_HEIGHT_PX)
    x = (
        alt.X("number:Q", title="number")
        .axis(tickMinStep=1, tickCount=12, grid=False, format="d")
        .scale(zero=False, nice=False, padding=10)
    )
    y = alt.Y("value:Q", title="share", scale=alt.Scale(domain=[0, 1])).axis(format=".0%", tickCount=5)
    lines = base.mark_rule(strokeDash=[4, 3], opacity=0.8).encode(alt.Y("mean(criterion):Q"), legend)
    bounds = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x, alt.Y("low:Q"), alt.Y2("high"), legend)
    points = base.mark_point(size=38, filled=True, opacity=1).encode(
        x, y, legend, alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=["circle", "triangle-down"]))
    )
    return _panels(alt.layer(bounds, points, lines, data=_data(rows)), models)


def psychometric(rows: Rows, models: Sequence[str], palette: Palette) -> Spec:
    """Draw the share of exact answers as observed (points) and as the fitted law has it (line), a panel per model."""
    import altair as alt

    base = alt.Chart(width=_panel_width_px(len(models)), height=_PANEL_HEIGHT_PX)
    x = (
        alt.X("number:Q", title="number")
        .axis(tickMinStep=1, tickCount=12, grid=False, format="d")
        .scale(zero=False, nice=False, padding=10)
    )
    y = alt.Y("value:Q", title="share exact", scale=alt.Scale(domain=[0, 1])).axis(format=".0%", tickCount=5)
    colour = palette.colour(legend=False)
    law = base.mark_line(strokeWidth=2, opacity=0.75).encode(x, alt.Y("predicted:Q"), colour)
    bounds = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x, alt.Y("low:Q"), alt.Y2("high"), colour)
    points = base.mark_circle(size=44, opacity=1).encode(x, y, colour)
    return _panels(alt.layer(law, bounds, points, data=_data(rows)), models)


def spread(rows: Rows, palette: Palette) -> Spec:
    """Draw the standard deviation of the responses over their mean, both on log scales, with the fitted line."""
    import altair as alt

    are_many = len(palette.order) > _MOST_SIDE_BY_SIDE
    width_px = _panel_width_px(len(palette.order)) if are_many else _WIDE_PX
    base = alt.Chart(width=width_px, height=_PANEL_HEIGHT_PX if are_many else 280)
    x = alt.X("mean:Q", title="mean response", scale=alt.Scale(type="log", nice=False, padding=12)).axis(tickCount=6)
    y = alt.Y("sd:Q", title="standard deviation", scale=alt.Scale(type="log", nice=False, padding=12)).axis(tickCount=6)
    colour = palette.colour(legend=not are_many)
    fits = base.mark_line(strokeWidth=1.5, opacity=0.7).encode(x, alt.Y("fitted:Q"), colour)
    layers = alt.layer(fits, base.mark_circle(size=56, opacity=0.9).encode(x, y, colour), data=_data(rows))
    return _panels(layers, palette.order) if are_many else _spec(layers)


def forest(rows: Rows, models: Sequence[str], palette: Palette, *, x_title: str, order: Sequence[str]) -> Spec:
    """Draw one estimate per line with its interval and a line at 0, a panel per model."""
    import altair as alt

    base = alt.Chart(width=_panel_width_px(len(models)), height=26 * max(2, len(order)))
    y = alt.Y("name:N", title=None, sort=list(order)).axis(ticks=False, domain=False, labelColor=INK)
    x = alt.X("value:Q", title=x_title).axis(tickCount=5)
    colour = palette.colour(legend=False)
    zero = base.mark_rule(color=QUIET, strokeDash=[3, 3]).encode(alt.X(datum=0))
    bounds = base.mark_rule(strokeWidth=2.5, opacity=0.55).encode(y, alt.X("low:Q"), alt.X2("high"), colour)
    points = base.mark_circle(size=60, opacity=1).encode(y, x, colour)
    return _panels(alt.layer(zero, bounds, points, data=_data(rows)), models, order)


def ranking(rows: Rows, names: Sequence[str], *, x_title: str, is_share: bool) -> Spec:
    """Draw one measure of many models, best first; published figures, which have no interval, are hollow."""
    import altair as alt

    base = alt.Chart(_data(rows), width=_RANKING_PX, height=alt.Step(22))
    y = alt.Y("name:N", title=None, sort=list(names)).axis(ticks=False, domain=False, labelLimit=260, labelColor=INK)
    scale = alt.Scale(domain=[0, 1]) if is_share else alt.Scale(zero=True)
    x = alt.X("value:Q", title=x_title, scale=scale).axis(format=".0%" if is_share else "~g", tickCount=5)
    kinds = ["measured", "stand-in", "published", "baseline"]
    colours = ["#0072b2", "#009e73", "#6b7480", "#b8860b"]
    present = [kind for kind in kinds if any(row["kind"] == kind for row in rows)]
    domain = alt.Scale(domain=present, range=[colours[kinds.index(kind)] for kind in present])
    colour = alt.Color("kind:N", scale=domain).legend(title=None, orient="top", columnPadding=40, symbolOpacity=1)
    shape = alt.Shape(
        "kind:N", scale=alt.Scale(domain=present, range=["circle" if k in kinds[:2] else "diamond" for k in present])
    )
    bounds = base.mark_rule(strokeWidth=3, opacity=0.5).encode(y, alt.X("low:Q"), alt.X2("high"), colour)
    points = base.mark_point(size=60, filled=True, opacity=1).encode(y, x, colour, shape)
    return _spec(alt.layer(bounds, points), names)


def by_level(rows: Rows, palette: Palette, levels: Sequence[str], title: str) -> Spec:
    """Draw the share of right outcomes by the levels of one factor, the models side by side."""
    import altair as alt

    y = alt.Y("level:N", title=title, sort=list(levels)).axis(ticks=False, domain=False, labelLimit=260, labelColor=INK)
    offset = alt.YOffset("model:N", scale=alt.Scale(domain=palette.order, paddingOuter=0.3))
    x = alt.X("value:Q", title="share right", scale=alt.Scale(domain=[0, 1])).axis(format=".0%", tickCount=5)
    base = alt.Chart(_data(rows), width=_RANKING_PX, height=alt.Step(12 + 10 * len(palette.order)))
    bounds = base.mark_rule(strokeWidth=2.5, opacity=0.5).encode(
        y, alt.X("low:Q"), alt.X2("high"), offset, palette.colour()
    )
    points = base.mark_circle(size=50, opacity=1).encode(y, x, offset, palette.colour())
    return _spec(alt.layer(bounds, points), levels)


def _data(rows: Rows) -> "alt.InlineData":
    import altair as alt

    return alt.InlineData(values=list(rows))


def _number_axis() -> "alt.X":
    import altair as alt

    scale = alt.Scale(zero=False, nice=False, padding=10)
    return alt.X("number:Q", title="number", scale=scale).axis(tickMinStep=1, tickCount=12, grid=False, format="d")


def _columns(panels: int) -> int:
    """Stand two or three panels in a row, and four in a square."""
    return panels if panels <= 3 else 2 if panels == 4 else 3


def _panel_width_px(panels: int) -> int:
    return min(420, _PANELS_WIDTH_PX // _columns(panels))


def _panels(layers: "alt.LayerChart | alt.FacetChart", models: Sequence[str], labels: Sequence[str] = ()) -> Spec:
    import altair as alt

    columns = _columns(len(models))
    facet = alt.Facet("model:N", sort=list(models), title=None).header(
        labelAnchor="start", labelLimit=_panel_width_px(len(models)) - 24
    )
    chart = layers.facet(facet, columns=columns)
    # A shared axis would stand under the empty places of the last row too.
    return _spec(chart if len(models) % columns == 0 else chart.resolve_axis(x="independent"), labels)


def _spec(chart: "alt.TopLevelMixin", labels: Sequence[str] = ()) -> Spec:
    """Give the chart as data, with room on the left for labels in letters wider than it was laid out with."""
    # Checked against the schema when the chart was built; the whole is not checked again.
    found: dict[str, Any] = chart.to_dict(validate=False)
    found.pop("config", None)
    longest = min(_LONGEST_LABEL, max((len(label) for label in labels), default=0))
    return {**found, "padding": {"left": 8 + longest, "right": 22, "top": 4, "bottom": 4}}


_LONGEST_LABEL = 40
