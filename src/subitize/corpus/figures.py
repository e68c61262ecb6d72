"""The figures of corpora: how often each number occurs (Numbersense, Figure 6), and the laws fitted to it."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import zeta

from subitize.corpus.summaries import Summary
from subitize.report import charts
from subitize.report.figures import INK, QUIET
from subitize.report.table import Column, FigureBlock, Row, make_table

MOST_SHOWN = 100
_WIDTH_PX, _LOWER_PX, _UPPER_PX = 680, 170, 70
_DECADE, _OTHER = "decade", "other number"
_COLOURS = {_OTHER: "#5f6b7a", _DECADE: "#d62728"}
_SMALL = 10  # numbers up to here are so frequent that the others need a scale of their own
_ROOM = 1.15
_POINTS = 60
_TICKS = [1, *range(10, MOST_SHOWN + 1, 10)]


def draw_frequencies(summaries: Sequence[Summary]) -> FigureBlock:
    """Draw the relative frequency of each number up to 100, decades marked, a panel per corpus.

    Frequent numbers go on above a break, from where the scale is another; below it corpora share one scale.
    """
    shares = {one.name: {row.number: row.share for row in one.rows if row.number <= MOST_SHOWN} for one in summaries}
    cut = _ROOM * max(
        (share.high for own in shares.values() for number, share in own.items() if number > _SMALL), default=1.0
    )
    panels = [_panel(one, cut) for one in summaries]
    rows = (
        Row((one.name, row.number, row.share, row.captions))
        for one in summaries
        for row in one.rows
        if row.number <= MOST_SHOWN
    )
    columns = (Column("corpus", is_numeric=False), Column("number", digits=0), Column("share", digits=6), "captions")
    data = make_table("corpus-frequencies", "Relative frequency of numbers", columns, rows)
    caption = (
        f"Share of captions with a numerosity whose sum it is, with 95 % intervals; decades in red. Above the break "
        f"(at {cut:.2g}) the scale is another. Numbers above {MOST_SHOWN} are not shown."
    )
    told = "; ".join(_describe(one) for one in summaries)
    alt = f"Bars of the relative frequency of the numbers 1 to {MOST_SHOWN}: {told}."
    spec = charts.complete({"vconcat": panels, "spacing": 26})
    return FigureBlock("corpus-frequencies", "How often captions name each number", spec, caption, alt, data)


def draw_laws(summaries: Sequence[Summary]) -> FigureBlock:
    """Draw frequencies on logarithmic scales, with the power laws fitted to them."""
    points = [
        {"corpus": one.name, "number": row.number, "value": row.share.value} for one in summaries for row in one.rows
    ]
    lines = [line for one in summaries for line in _law_lines(one)]
    colours = {"domain": [one.name for one in summaries], "range": charts.COLOURS[: len(summaries)]}
    colour = charts.field("corpus", "nominal", scale=colours, legend={"title": None, "orient": "top"})
    scale = {"type": "log", "nice": False}
    x = charts.field(
        "number", "quantitative", title="number", scale=scale, axis={"tickCount": 5, "format": "~s", "grid": False}
    )
    y = charts.field(
        "value",
        "quantitative",
        title="relative frequency",
        scale=scale,
        axis={"tickCount": 6, "format": ".0e", "grid": False},
    )
    shared = {"x": x, "y": y, "color": colour}
    dash = charts.field("law", "nominal", legend={"title": None, "orient": "top"})
    layers = [
        {"data": {"values": points}, **charts.layer("circle", shared, size=18, opacity=0.6)},
        {"data": {"values": lines}, **charts.layer("line", {**shared, "strokeDash": dash}, strokeWidth=1.5)},
    ]
    columns = (
        Column("corpus", is_numeric=False),
        Column("law", is_numeric=False),
        Column("start", digits=0),
        "exponent",
    )
    rows = (Row((one.name, fit.name, fit.law.start, fit.law.exponent)) for one in summaries for fit in one.fits)
    data = make_table("corpus-laws", "Power laws", columns, rows)
    spec = charts.complete({"width": _WIDTH_PX, "height": 320, "layer": layers})
    alt = "; ".join(
        f"{one.name}: exponent {fit.law.exponent.value:.2f} {fit.name}" for one in summaries for fit in one.fits
    )
    caption = (
        "Points: relative frequencies; lines: power laws of maximum likelihood over the numbers they were fitted to."
    )
    return FigureBlock("corpus-laws", "Numbers and the power laws fitted to them", spec, caption, alt, data)


def _panel(summary: Summary, cut: float) -> charts.Spec:
    """Stack the part above the break on the part below it."""
    rows = [
        {
            "number": row.number,
            "value": row.share.value,
            "low": row.share.low,
            "high": row.share.high,
            "kind": _OTHER if row.number % 10 else _DECADE,
        }
        for row in summary.rows
        if row.number <= MOST_SHOWN
    ]
    top = max((float(str(row["high"])) for row in rows), default=cut)
    title = {"text": f"{summary.name} (n = {_counted(summary):,} captions)", "anchor": "start"}
    parts = [_bars(rows, (0.0, cut), _LOWER_PX, has_numbers=True)]
    if top > cut:
        parts.insert(0, _bars(rows, (cut, top * 1.02), _UPPER_PX, has_numbers=False))
    return {"title": title, "data": {"values": rows}, "vconcat": parts, "spacing": 5, "bounds": "flush"}


def _bars(rows: charts.Rows, domain: tuple[float, float], height_px: int, *, has_numbers: bool) -> charts.Spec:
    axis = {"values": _TICKS, "labelAngle": 0, "ticks": True, "grid": False}
    hidden = {"labels": False, "ticks": False, "domain": False, "grid": False, "title": None}
    numbers = list(range(1, MOST_SHOWN + 1))
    x = charts.field("number", "ordinal", scale={"domain": numbers}, axis=axis if has_numbers else hidden)
    x = {**x, "title": "number" if has_numbers else None}
    look = {"format": "~g", "tickCount": 4 if has_numbers else 3, "grid": True}
    scale = {"domain": list(domain), "zero": False, "nice": False}
    y = charts.field("value", "quantitative", scale=scale, axis=look)
    y = {**y, "title": "relative frequency" if has_numbers else None}
    kind = charts.field(
        "kind", "nominal", scale={"domain": list(_COLOURS), "range": list(_COLOURS.values())},
        legend={"title": None, "orient": "top-right"} if not has_numbers else None,
    )  # fmt: skip
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers = [
        charts.layer("bar", {"x": x, "y": y, "y2": {"datum": domain[0]}, "color": kind}, clip=True),
        charts.layer("rule", {"x": x, **ends}, clip=True, color=INK, opacity=0.7),
    ]
    if not has_numbers:
        layers.append(charts.layer("rule", {"y": {"datum": domain[0]}}, color=QUIET, strokeDash=[2, 3]))
    return {"width": _WIDTH_PX, "height": height_px, "layer": layers}


def _counted(summary: Summary) -> int:
    return summary.rows[0].share.n if summary.rows else 0


def _describe(summary: Summary) -> str:
    commonest = max(summary.rows, key=lambda row: row.captions)
    flagged = [str(one.number) for one in summary.decades if one.is_flagged]
    out = f", {', '.join(flagged)} stand out" if flagged else ""
    return f"in {summary.name} {commonest.number} is the commonest with {commonest.share.value:.0%}{out}"


def _law_lines(summary: Summary) -> Iterator[dict[str, object]]:
    largest = max((row.number for row in summary.rows), default=1)
    for fit in summary.fits:
        law = fit.law
        end = min(law.most or largest, largest)
        exponent = law.exponent.value
        every = np.arange(law.start, end + 1, dtype=np.float64) if law.most else None
        total = zeta(exponent, law.start) if every is None else float((every**-exponent).sum())
        share = law.exponent.n / _counted(summary)
        for number in np.geomspace(law.start, max(end, law.start + 1), _POINTS):
            value = share * number**-exponent / total
            yield {"corpus": summary.name, "law": fit.name, "number": float(number), "value": float(value)}
