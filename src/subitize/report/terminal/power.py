"""A plan of a study, at a terminal and as a figure: half-width and power against images per prompt."""

import math
from pathlib import Path

from subitize.analysis.power import PowerPlan
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.cells import estimate_text, figure
from subitize.report.document.figures import save_figure
from subitize.report.terminal.layout import say
from subitize.report.terminal.printing import print_filled

_COLOUR = "#0072b2"
_WIDTH_PX, _HEIGHT_PX = 520, 260


def print_plan(plan: PowerPlan) -> None:
    """Print what is assumed, what the study shows, and the same for other sizes."""
    say("assumed: " + ", ".join(f"{name} {value}" for name, value in plan.assumed.items()))
    answers = [(one.what, _cell(one.value) or "none", one.note) for one in plan.answers]
    curve = [(str(one.at), _cell(one.half_width), _cell(one.power)) for one in plan.curve]
    print_filled(("", "figure", "there"), answers)
    print_filled((plan.axis, "half-width", "power"), curve)
    for line in (*plan.notes, "[…]: 95 % interval of the simulation's own error"):
        say(line)


def write_figure(plan: PowerPlan, path: Path) -> Path:
    """Draw power where there is a test, else half-width, against the size of the study."""
    title = ", ".join(f"{name} {value}" for name, value in plan.assumed.items() if not plan.axis.startswith(name))
    points = {point.at: point.power or point.half_width for point in plan.curve}
    rows = [
        {"at": at, "value": one.value, "low": one.low, "high": one.high}
        for at, one in points.items()
        if math.isfinite(one.value)
    ]
    ticks = {"values": list(points), "format": "d"}
    x = charts.field("at", "quantitative", title=plan.axis, scale={"type": "log", "nice": False}, axis=ticks)
    has_power = plan.curve[0].power is not None
    shown, top = ("power", {"domain": [0, 1]}) if has_power else ("half-width", {"domainMin": 0, "nice": True})
    area, line = charts.band({"x": x}, charts.field("value", "quantitative", title=shown, scale=top), color=_COLOUR)
    spec = {
        "$schema": charts.SCHEMA,
        "title": {"text": title, "fontSize": 11},
        "width": _WIDTH_PX,
        "height": _HEIGHT_PX,
        "data": {"values": rows},
        "layer": [area, {**line, "mark": {**line["mark"], "point": {"color": _COLOUR}}}],
    }
    return save_figure(spec, path, "power")


def _cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low < estimate.high:
        return estimate_text(estimate, 4) if estimate else ""
    return figure(estimate.value, 0 if isinstance(estimate.value, int) else 4)
