"""A plan of a study, at a terminal and as a figure: half-width and power against images per prompt."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from subitize.analysis.power import Plan
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.blocks import Column, FigureBlock, Row, TableBlock
from subitize.report.terminal.calibrations import save_figure
from subitize.report.terminal.printing import print_table

_COLOUR = "#0072b2"
_WIDTH_PX, _HEIGHT_PX = 520, 260


def print_plan(plan: Plan) -> None:
    """Print what is assumed, what the study shows, and the same for other sizes."""
    print("assumed: " + ", ".join(f"{name} {value}" for name, value in plan.assumed.items()))
    has_notes = any(one.note for one in plan.answers)
    rows = [(one.what, _cell(one.value) if one.value else "none", one.note) for one in plan.answers]
    print_table(("", "figure", "there")[: 2 + has_notes], [row[: 2 + has_notes] for row in rows])
    if plan.curve:
        curve = [(str(one.at), _cell(one.half_width), *([_cell(one.power)] if one.power else [])) for one in plan.curve]
        print_table((plan.axis, "half-width", *["power"] * _has_power(plan)), curve)
    for note in plan.notes:
        print(note)
    print("[…]: 95 % interval of the simulation's own error")


def write_figure(plan: Plan, path: Path) -> Path:
    """Draw the curve into a file."""
    return save_figure(make_figure(plan), path)


def make_figure(plan: Plan) -> FigureBlock:
    """Draw power where there is a test, else half-width, against the size of the study."""
    title = ", ".join(f"{name} {value}" for name, value in plan.assumed.items() if not plan.axis.startswith(name))
    caption = f"{'Power' if _has_power(plan) else 'Half-width of the interval'} by {plan.axis}."
    columns = (Column(plan.axis), Column("half-width", digits=4), Column("power", digits=3))
    rows = tuple(Row((point.at, point.half_width, point.power)) for point in plan.curve)
    data = TableBlock("power", caption, columns, rows)
    return FigureBlock("power", title, _spec(plan, title), caption, f"{caption} {title}", data)


def _spec(plan: Plan, title: str) -> charts.Spec:
    ticks = {"values": [point.at for point in plan.curve], "format": "d"}
    x = charts.field("at", "quantitative", title=plan.axis, scale={"type": "log", "nice": False}, axis=ticks)
    # Power and half-width would not share an axis well.
    shown, top = ("power", {"domain": [0, 1]}) if _has_power(plan) else ("half-width", {"domainMin": 0, "nice": True})
    area, line = charts.band({"x": x}, charts.field("value", "quantitative", title=shown, scale=top), color=_COLOUR)
    return {
        "$schema": charts.SCHEMA,
        "title": {"text": title, "fontSize": 11},
        "width": _WIDTH_PX,
        "height": _HEIGHT_PX,
        "data": {"values": list(_rows(plan))},
        "layer": [area, {**line, "mark": {**line["mark"], "point": {"color": _COLOUR}}}],
    }


def _rows(plan: Plan) -> Iterator[Mapping[str, object]]:
    for point in plan.curve:
        one = point.power or point.half_width
        if math.isfinite(one.value):
            yield {"at": point.at, "value": one.value, "low": one.low, "high": one.high}


def _has_power(plan: Plan) -> bool:
    return any(point.power for point in plan.curve)


def _cell(estimate: Estimate) -> str:
    if estimate.low == estimate.high:
        return _number(estimate.value)
    return f"{_number(estimate.value)} [{_number(estimate.low)}, {_number(estimate.high)}]"


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.0f}" if isinstance(value, int) else f"{value:.4f}"
