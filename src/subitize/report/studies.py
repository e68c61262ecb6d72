"""Tables and charts of calibrations (NAE against the threshold, as Numbersense, Figure S4) and of plans of studies."""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from pathlib import Path

from subitize import papers as plugins
from subitize.analysis.calibration import Calibration, ThresholdPoint
from subitize.analysis.overview import Names
from subitize.analysis.power import PowerPlan
from subitize.labels import make_rule
from subitize.labels.calibrations import PREFIX, Calibrated
from subitize.records import Estimate, to_plain
from subitize.report import charts
from subitize.report.figures import INK, QUIET, save_figure
from subitize.report.table import Cell, Result, Table
from subitize.report.texts import number_of, printable

_BLUE = "#0072b2"
_COLOURS = {"NAE": _BLUE, "accuracy": "#d55e00"}
_WIDTH_PX, _HEIGHT_PX = 520, 260
_LABEL_WIDTH = 0.2  # of the axis, about


def calibration_result(found: Calibration, names: Names, name: str, kept: Path, drawn: Path) -> Result:
    """Show the threshold, and how well it counts where it was chosen and on held-out pictures."""
    result, rule = names.rename(found.result), str(make_rule(found.result))
    metrics = {"nae": (found.best.nae, result.nae), "accuracy": (found.best.accuracy, result.accuracy)}
    rows = ((name + " *" * (name == result.metric), *map(_or_blank, figures)) for name, figures in metrics.items())
    overlap = f", boxes that overlap by more than {result.iou:g} counted once" if result.iou < 1 else ""
    ious = f"; overlaps: {_span(found.fold_ious)}" if len(set(found.fold_ious)) > 1 else ""
    lead = (
        f"{result.judge} against {result.reference}: count boxes with a score of {result.threshold:g} or more{overlap}",
        f"as a rule: {make_rule(result)}",
    )
    notes = (
        f"* searched; value [95 % interval]; n: {result.n} pictures of {number_of(found.items, 'item')}",
        f"held out: chosen on {result.folds - 1} of {result.folds} folds, measured on the other, in turn",
        f"thresholds chosen by fold: {_span(found.fold_thresholds)}{ious}",
        *found.notes,
        f"saved in {kept}, drawn in {drawn}; use it with: subitize score RUN --rule {PREFIX}{name}",
    )
    table = Table.of("calibration", "", ("metric", "at the threshold", "held out"), rows, digits=3)
    plain = to_plain(found) | {"rule": rule, "saved": str(kept), "figure": str(drawn)}
    return Result((table,), names.add_names(plain), lead, notes)


def saved_result(saved: Mapping[str, Calibrated]) -> Result:
    """Show the saved calibrations, each with its rule."""
    records = {name: to_plain(one) | {"rule": str(make_rule(one))} for name, one in saved.items()}
    rows = []
    for name, one in saved.items():
        labels = (f"{PREFIX}{name}", records[name]["rule"], one.judge, one.reference)
        rows.append((*labels, one.n, one.nae, one.accuracy, str(one.made_on)))
    heads = ("rule", "counts by", "judge", "against", "n", "nae held out", "accuracy held out", "made on")
    return Result((Table.of("calibrations", "", heads, rows, digits=3),), records)


def write_calibration_figure(found: Calibration, path: Path) -> Path:
    """Draw both metrics against the threshold, marking the one chosen and the published ones."""
    title = f"{printable(found.result.judge)} against {printable(found.result.reference)}"
    scale = {"domain": list(_COLOURS), "range": list(_COLOURS.values())}
    colour = charts.field("metric", "nominal", scale=scale, legend={"title": None, "orient": "top"})
    x = charts.field("threshold", "quantitative", title="score threshold", scale={"domain": [0, 1]})
    y = charts.field("value", "quantitative", title="NAE, accuracy", scale={"domainMin": 0, "nice": True})
    curves = {"data": {"values": list(_rows(found.curve))}, "layer": charts.band({"x": x, "color": colour}, y)}
    layers = [curves, *_marks(found.result.threshold)]
    spec = charts.complete({"title": title, "width": _WIDTH_PX, "height": _HEIGHT_PX, "layer": layers})
    return save_figure(spec, path, "calibration")


def _marks(threshold: float) -> Iterator[charts.Spec]:
    """Mark the threshold chosen, and below it those of papers, with labels that do not overlap."""
    published = [(value, paper.title) for paper in plugins.papers() for value in paper.thresholds.values()]
    marks = [(threshold, f"chosen {threshold:.2f}", INK, 8)]
    marks += [(value, f"{title} {value:.2f}", QUIET, 24 + 16 * rank) for rank, (value, title) in enumerate(published)]
    for value, text, colour, top_px in marks:
        place = {"data": {"values": [{"at": value}]}, "encoding": {"x": {"field": "at", "type": "quantitative"}}}
        is_crossing = any(value < other < value + _LABEL_WIDTH for other, _ in published)
        side = {"align": "right", "dx": -5} if value + _LABEL_WIDTH > 1 or is_crossing else {"align": "left", "dx": 5}
        yield {**place, "mark": {"type": "rule", "strokeDash": [4, 3], "color": colour}}
        yield {**place, "mark": {"type": "text", "text": text, "y": top_px, **side, "color": colour}}


def _rows(curve: Iterable[ThresholdPoint]) -> Iterator[Mapping[str, object]]:
    found = ((point.threshold, *one) for point in curve for one in (("NAE", point.nae), ("accuracy", point.accuracy)))
    each = [(threshold, metric, one) for threshold, metric, one in found if one is not None]
    # A band without an upper end reaches up to the highest other point.
    top = max((high for _, _, one in each for high in (one.value, one.high) if isfinite(high)), default=1.0)
    for threshold, metric, one in each:
        values = {"value": one.value, "low": one.low, "high": min(one.high, top)}
        yield {"threshold": threshold, "metric": metric, **values}


def _or_blank(estimate: Estimate | None) -> Cell:
    return "" if estimate is None else estimate


def _span(values: Iterable[float]) -> str:
    found = sorted(values)
    if found[0] == found[-1]:
        return f"{found[0]:g}"
    return f"{found[0]:g} to {found[-1]:g}, median {found[len(found) // 2]:g}"


def plan_result(plan: PowerPlan) -> Result:
    """Show the assumptions of a plan, what the study can show, and the same for other sizes."""
    answers = ((one.what, _power_cell(one.value) or "none", one.note) for one in plan.answers)
    curve = ((one.at, _power_cell(one.half_width), _power_cell(one.power)) for one in plan.curve)
    whole = Table.of("plan", "", ("", "figure", "there"), answers, digits=4, drops_empty=True)
    sizes = Table.of("curve", "", (plan.axis, "half-width", "power"), curve, digits=4, drops_empty=True)
    assumed = "assumed: " + ", ".join(f"{name} {value}" for name, value in plan.assumed.items())
    return Result(
        (whole, sizes), to_plain(plan), (assumed,), (*plan.notes, "[…]: 95 % interval of the simulation's own error")
    )


def write_power_figure(plan: PowerPlan, path: Path) -> Path:
    """Draw power, or half-width if there is no test, against the number of images or prompts."""
    title = ", ".join(f"{name} {value}" for name, value in plan.assumed.items() if not plan.axis.startswith(name))
    points = {point.at: point.power or point.half_width for point in plan.curve}
    drawn = {at: one for at, one in points.items() if isfinite(one.value)}
    rows = [{"at": at, "value": one.value, "low": one.low, "high": one.high} for at, one in drawn.items()]
    ticks = {"values": list(points), "format": "d"}
    x = charts.field("at", "quantitative", title=plan.axis, scale={"type": "log", "nice": False}, axis=ticks)
    has_power = plan.curve[0].power is not None
    shown, top = ("power", {"domain": [0, 1]}) if has_power else ("half-width", {"domainMin": 0, "nice": True})
    y = charts.field("value", "quantitative", title=shown, scale=top)
    area, line = charts.band({"x": x}, y, color=_BLUE)
    spec = {
        "$schema": charts.SCHEMA,
        "title": {"text": title, "fontSize": 11},
        "width": _WIDTH_PX,
        "height": _HEIGHT_PX,
        "data": {"values": rows},
        "layer": [area, {**line, "mark": {**line["mark"], "point": {"color": _BLUE}}}],
    }
    return save_figure(spec, path, "power")


def _power_cell(estimate: Estimate | None) -> Cell:
    """Return a figure, without an interval if it has none."""
    return estimate.value if estimate and estimate.low >= estimate.high else estimate
