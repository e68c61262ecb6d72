"""Prints and draws calibrations (NAE against the threshold, as Numbersense, Figure S4) and plans of studies."""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from pathlib import Path

from subitize import papers as plugins
from subitize.analysis.calibration import Calibration, ThresholdPoint
from subitize.analysis.power import PowerPlan
from subitize.labels import make_rule
from subitize.labels.calibrations import PREFIX, Calibrated
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.figures import INK, QUIET, save_figure
from subitize.report.scores import cell, print_filled
from subitize.report.table import estimate_text, number_of, number_text, printable
from subitize.report.terminal import print_line, print_table

_BLUE = "#0072b2"
_COLOURS = {"NAE": _BLUE, "accuracy": "#d55e00"}
_WIDTH_PX, _HEIGHT_PX = 520, 260
_LABEL_WIDTH = 0.2  # of the axis, about


def print_calibration(found: Calibration) -> None:
    """Print the threshold, and how well it counts where it was chosen and on held-out pictures."""
    result = found.result
    metrics = {"nae": (found.best.nae, result.nae), "accuracy": (found.best.accuracy, result.accuracy)}
    rows = [
        (name + " *" * (name == result.metric), *map(_calibration_cell, figures)) for name, figures in metrics.items()
    ]
    overlap = f", boxes that overlap by more than {result.iou:g} counted once" if result.iou < 1 else ""
    names = f"{printable(result.judge)} against {printable(result.reference)}"
    print_line(f"{names}: count boxes with a score of {result.threshold:g} or more{overlap}")
    print_line(f"as a rule: {make_rule(result)}")
    print_table(("metric", "at the threshold", "held out"), rows)
    print_line(f"* searched; value [95 % interval]; n: {result.n} pictures of {number_of(found.items, 'item')}")
    print_line(f"held out: chosen on {result.folds - 1} of {result.folds} folds, measured on the other, in turn")
    ious = _span(found.fold_ious) if len(set(found.fold_ious)) > 1 else ""
    print_line(f"thresholds chosen by fold: {_span(found.fold_thresholds)}" + f"; overlaps: {ious}" * bool(ious))
    print_line(*found.notes)


def print_saved(saved: Mapping[str, Calibrated]) -> None:
    """Print the saved calibrations, each with its rule."""
    rows = []
    for name, one in saved.items():
        figures = (_calibration_cell(one.nae), _calibration_cell(one.accuracy))
        rule = str(make_rule(one))
        rows.append((f"{PREFIX}{name}", rule, one.judge, one.reference, str(one.n), *figures, str(one.made_on)))
    heads = ("rule", "counts by", "judge", "against", "n", "nae held out", "accuracy held out", "made on")
    print_table(heads, rows)


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
    each = [
        (point.threshold, metric, one)
        for point in curve
        for metric, one in (("NAE", point.nae), ("accuracy", point.accuracy))
        if one is not None
    ]
    # A band without an upper end reaches up to the highest other point.
    top = max((high for _, _, one in each for high in (one.value, one.high) if isfinite(high)), default=1.0)
    for threshold, metric, one in each:
        values = {"value": one.value, "low": one.low, "high": min(one.high, top)}
        yield {"threshold": threshold, "metric": metric, **values}


def _calibration_cell(estimate: Estimate | None) -> str:
    return "" if estimate is None else cell(estimate)


def _span(values: Iterable[float]) -> str:
    found = sorted(values)
    if found[0] == found[-1]:
        return f"{found[0]:g}"
    return f"{found[0]:g} to {found[-1]:g}, median {found[len(found) // 2]:g}"


def print_plan(plan: PowerPlan) -> None:
    """Print the assumptions of a plan, what the study can show, and the same for other sizes."""
    print_line("assumed: " + ", ".join(f"{name} {value}" for name, value in plan.assumed.items()))
    answers = [(one.what, _power_cell(one.value) or "none", one.note) for one in plan.answers]
    curve = [(str(one.at), _power_cell(one.half_width), _power_cell(one.power)) for one in plan.curve]
    print_filled(("", "figure", "there"), answers)
    print_filled((plan.axis, "half-width", "power"), curve)
    print_line(*plan.notes, "[…]: 95 % interval of the simulation's own error")


def write_power_figure(plan: PowerPlan, path: Path) -> Path:
    """Draw power, or half-width if there is no test, against the number of images or prompts."""
    title = ", ".join(f"{name} {value}" for name, value in plan.assumed.items() if not plan.axis.startswith(name))
    points = {point.at: point.power or point.half_width for point in plan.curve}
    rows = [
        {"at": at, "value": one.value, "low": one.low, "high": one.high}
        for at, one in points.items()
        if isfinite(one.value)
    ]
    ticks = {"values": list(points), "format": "d"}
    x = charts.field("at", "quantitative", title=plan.axis, scale={"type": "log", "nice": False}, axis=ticks)
    has_power = plan.curve[0].power is not None
    shown, top = ("power", {"domain": [0, 1]}) if has_power else ("half-width", {"domainMin": 0, "nice": True})
    area, line = charts.band(
        {"x": x}, charts.field("value", "quantitative", title=shown, scale=top), color=_COLOURS["NAE"]
    )
    spec = {
        "$schema": charts.SCHEMA,
        "title": {"text": title, "fontSize": 11},
        "width": _WIDTH_PX,
        "height": _HEIGHT_PX,
        "data": {"values": rows},
        "layer": [area, {**line, "mark": {**line["mark"], "point": {"color": _BLUE}}}],
    }
    return save_figure(spec, path, "power")


def _power_cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low < estimate.high:
        return estimate_text(estimate, 4) if estimate else ""
    return number_text(estimate.value, 0 if isinstance(estimate.value, int) else 4)
