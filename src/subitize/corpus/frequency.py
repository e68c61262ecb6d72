"""Relates a run's accuracy to corpus frequencies: do models do well on numbers that captions often name?"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from subitize.corpus.counting import CountedCorpus, Counts
from subitize.errors import NothingToDoError
from subitize.frame import Frame
from subitize.io.frames import group_rows
from subitize.language.nouns import singular
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.figures import INK
from subitize.report.table import Column, Figure, Row, Table
from subitize.stats.estimate import estimate
from subitize.stats.regression import fit_line, spearman_interval

BY_NUMBER, BY_NOUN, WITHIN = "number", "number and noun", "noun, number held constant"
_UNSEEN = 0.5  # replaces a count of 0 on a logarithmic scale


@dataclass(frozen=True, slots=True)
class FrequencyPoint:
    """A number, with a noun if nouns are distinguished: its frequency in the corpus and the model's accuracy."""

    number: int
    noun: str
    frequency: int
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class FrequencyFit:
    """Accuracy against frequency: rank correlation, and the gain in accuracy per tenfold frequency."""

    suite: str
    model: str
    judge: str
    by: str
    correlation: Estimate | None
    intercept: float | None
    slope: Estimate | None
    points: tuple[FrequencyPoint, ...]


def link_accuracy(observations: Frame, corpus: CountedCorpus) -> list[FrequencyFit]:
    """Fit each model's accuracy, by number and by number and noun, to the frequencies of a corpus."""
    links = []
    rows = _numbered(observations.kept())
    for (suite, model, judge), own in rows.group_by("suite", "model", "judge", maintain_order=True):
        names = (str(suite), str(model), str(judge))
        links += [
            _link(names, BY_NUMBER, list(_points(own, corpus.counts, ["number"]))),
            _link(names, BY_NOUN, cells := list(_points(own, corpus.counts, ["number", "noun"]))),
            _link(names, WITHIN, _varying(cells)),
        ]
    if not links:
        raise NothingToDoError("no item of the run asks for a number of things; run a suite that does, as production")
    return links


def _numbered(observations: Frame) -> pl.DataFrame:
    """Keep single answers to prompts for a number of things, with the number and the noun."""
    about = pl.DataFrame(
        [
            (item.id, int(number), singular(str(item.factors.get("category", ""))))
            for item in observations.seen_items()
            if isinstance(number := item.factors.get("number"), int)
        ],
        schema={"item": pl.String, "number": pl.Int64, "noun": pl.String},
        orient="row",
    )
    is_meant = pl.col("is_number") & (pl.col("group") == 1) & (pl.col("status") != "unknown")
    return observations.rows.filter(is_meant).join(about, on="item", maintain_order="left")


def _points(rows: pl.DataFrame, counts: Counts, by: Sequence[str]) -> Iterator[FrequencyPoint]:
    for _, own in rows.group_by(*by, maintain_order=True):
        number, noun = int(own["number"][0]), str(own["noun"][0]) if "noun" in by else ""
        frequency = counts.nouns[number, noun] if noun else counts.mentions[number]
        # For exactly these prompts: then the images of a prompt are independent.
        (accuracy,) = estimate(own["is_right"].cast(pl.Float64).to_numpy())
        yield FrequencyPoint(number, noun, frequency, accuracy)


def _link(names: tuple[str, str, str], by: str, points: Sequence[FrequencyPoint]) -> FrequencyFit:
    shown = tuple(sorted(points, key=lambda point: (point.number, point.noun)))
    logs = [math.log10(max(point.frequency, _UNSEEN)) for point in shown]
    values = [point.accuracy.value for point in shown]
    groups = 1
    if by == WITHIN:
        numbers = [point.number for point in shown]
        logs, values, groups = _centre(logs, numbers), _centre(values, numbers), max(1, len(set(numbers)))
    line = fit_line(logs, values, groups=groups)
    intercept, slope = line if line is not None else (None, None)
    return FrequencyFit(*names, by, spearman_interval(logs, values, groups=groups), intercept, slope, shown)


def _varying(points: Sequence[FrequencyPoint]) -> list[FrequencyPoint]:
    """Keep numbers whose nouns differ in frequency; the rest carry no information."""
    by_number = group_rows(points, lambda point: point.number)
    varying = {number for number, own in by_number.items() if len({point.frequency for point in own}) > 1}
    return [point for point in points if point.number in varying]


def _centre(values: Sequence[float], groups: Sequence[int]) -> list[float]:
    """Subtract its group's mean from each value: small numbers are both easier and more frequent."""
    own = group_rows(zip(groups, values, strict=True), lambda pair: pair[0])
    means = {group: math.fsum(value for _, value in pairs) / len(pairs) for group, pairs in own.items()}
    return [value - means[group] for value, group in zip(values, groups, strict=True)]


def draw_links(links: Sequence[FrequencyFit], corpus: str) -> Figure:
    """Draw accuracy over frequency, a panel per model, with the fitted line; points are labelled with their numbers."""
    chosen = [link for link in links if link.by == BY_NOUN]
    rows = [
        {
            "model": _name(link, chosen),
            "frequency": max(point.frequency, _UNSEEN),
            "value": point.accuracy.value,
            "low": point.accuracy.low,
            "high": point.accuracy.high,
            "number": point.number,
            "noun": point.noun,
            "fitted": _fitted(link, point),
        }
        for link in chosen
        for point in link.points
    ]
    nouns = sorted({point.noun for link in chosen for point in link.points})
    scale = {"type": "log", "nice": False, "padding": 12}
    x = charts.field(
        "frequency",
        "quantitative",
        title=f"times named in {corpus}",
        scale=scale,
        axis={"tickCount": 4, "format": "~s", "grid": False},
    )
    y = charts.field("value", "quantitative", title="share right", scale={"domain": [0, 1]}, axis={"format": ".0%"})
    colour = charts.field(
        "noun", "nominal", scale={"domain": nouns, "range": charts.COLOURS}, legend={"title": None, "orient": "top"}
    )
    line = {"x": x, "y": {**y, "field": "fitted"}}
    layers = [
        charts.layer("line", line, clip=True, color=INK, strokeDash=[4, 3], opacity=0.7),
        charts.layer(
            "rule", {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}, opacity=0.4
        ),
        charts.layer("circle", {"x": x, "y": y, "color": colour}, size=40, opacity=1),
        charts.layer("text", {"x": x, "y": y, "text": charts.field("number", "nominal")}, dx=8, dy=-6, fontSize=10),
    ]
    names = list(dict.fromkeys(str(row["model"]) for row in rows))
    facet = charts.field("model", "nominal", sort=names, title=None, header={"labelAnchor": "start"})
    chart = {
        "data": {"values": rows}, "facet": facet, "columns": min(2, len(names)),
        "spec": {"width": 330, "height": 240, "layer": layers},
    }  # fmt: skip
    columns = (Column.text("model"), Column("number", digits=0), Column.text("noun"), "frequency", "accuracy")
    cells = (
        Row((_name(link, chosen), point.number, point.noun, point.frequency, point.accuracy))
        for link in chosen
        for point in link.points
    )
    data = Table.of("corpus-links", "Accuracy and frequency", columns, cells)
    caption = (
        f"Share right over how often {corpus} names the same number of the same thing; beside the points, the numbers; "
        "dashed, the line of least squares. The 95 % intervals are for exactly these prompts; those of subitize score, "
        "which generalise to other prompts, are usually wider."
    )
    alt = "; ".join(f"{_name(link, chosen)}: {_describe(link)}" for link in chosen)
    return Figure("corpus-links", "Accuracy and training frequency", charts.complete(chart), caption, alt, data)


def _name(link: FrequencyFit, links: Sequence[FrequencyFit]) -> str:
    """Name a panel, with suite and judge if there are several."""
    parts = [link.model]
    parts += [link.suite] if len({one.suite for one in links}) > 1 else []
    parts += [link.judge] if len({one.judge for one in links}) > 1 else []
    return ", ".join(parts)


def _fitted(link: FrequencyFit, point: FrequencyPoint) -> float | None:
    if link.intercept is None or link.slope is None:
        return None
    return link.intercept + link.slope.value * math.log10(max(point.frequency, _UNSEEN))


def _describe(link: FrequencyFit) -> str:
    return "no correlation" if link.correlation is None else f"rank correlation {link.correlation.value:.2f}"
