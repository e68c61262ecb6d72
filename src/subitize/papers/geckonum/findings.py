"""The basis of GeckoNum's part of a report: the tables of each run and judge, and its own charts."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from subitize.analysis.claims import Claim
from subitize.analysis.published import Cell, CellId
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE
from subitize.papers.geckonum.claims import claims
from subitize.papers.geckonum.labels import Annotations, take_answers
from subitize.papers.geckonum.prompts import TYPES
from subitize.papers.geckonum.tables import PUBLISHED, compute_extensions, compute_tables
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.estimates import bounds
from subitize.report.figures import INK
from subitize.report.series import Series
from subitize.report.table import RowKind

_POOLED = {"agreement", "krippendorff", "A2", "A16", "A17", "counts"}


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A model under its name in the report, with its cells by table and by what they are of besides the model."""

    label: str
    badge: RowKind
    model: str
    cells: Mapping[str, Mapping[Any, Cell]]
    run: str
    judge: str

    def is_compared_with(self, other: "MeasuredModel") -> bool:
        """Return whether both are ranked in the same comparison: same run, same judge."""
        return (self.run, self.judge) == (other.run, other.judge)

    def estimate(self, table: str, *what: Any) -> Estimate | None:  # noqa: ANN401
        """Return a cell that has an interval."""
        return self.estimates(table).get(what if len(what) > 1 else what[0])

    def estimates(self, table: str) -> dict[Any, Estimate]:
        """Return all cells of a table that have an interval."""
        return {what: found for what, cell in self.cells.get(table, {}).items() if (found := cell.estimate)}

    def text(self, table: str, what: str) -> str | None:
        """Return a cell that is text, such as a rank."""
        cell = self.cells.get(table, {}).get(what)
        return cell.value if cell is not None and isinstance(cell.value, str) else None

    def number(self, table: str, what: Any) -> float | None:  # noqa: ANN401
        """Return a cell without an interval, such as a p-value; None if it could not be computed."""
        cell = self.cells.get(table, {}).get(what)
        return None if cell is None or isinstance(cell.value, str) or math.isnan(cell.value) else float(cell.value)


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """The models of a run as seen by one judge, with the cells that are not of a single model."""

    name: str
    models: tuple[MeasuredModel, ...]
    pooled: Mapping[str, Mapping[tuple[Any, ...], Cell]]
    raters: int
    nouns: Mapping[str, str]
    """The nouns of simple prompts, each frequent or rare."""
    statements: Sequence[Claim] = ()
    """The paper's claims, evaluated on these answers."""

    def estimate(self, table: str, *what: Any) -> Estimate | None:  # noqa: ANN401
        """Return a cell of all models together."""
        cell = self.pooled.get(table, {}).get(what)
        return cell.estimate if cell else None


@dataclass(frozen=True, slots=True)
class Findings:
    """GeckoNum's tables of all runs in a report; the models of each judge come best first, by Tasks 1 to 3."""

    groups: tuple[JudgedRun, ...]
    models: tuple[MeasuredModel, ...]
    unread: tuple[str, ...]
    """The series without a single usable answer."""


def find(series: Sequence[Series]) -> Findings:
    """Compute every table, separately for each run and judge."""
    by_group: dict[tuple[str, str], list[Series]] = defaultdict(list)
    for one in series:
        by_group[one.source.name, one.judge].append(one)
    made = (_group(run, judge, members) for (run, judge), members in by_group.items())
    groups = [group for group in made if group]
    # Judges are not ranked against each other, so models are sorted within each judge.
    judges = list(dict.fromkeys(one.judge_name for one in series))
    models = sorted(
        (one for group in groups for one in group.models), key=lambda one: (judges.index(one.judge), _rank(one))
    )
    known = {one.label for one in models}
    unread = (one.label for members in by_group.values() for one in members if one.label not in known)
    return Findings(tuple(groups), tuple(models), tuple(unread))


def printed(table: str, row: str, column: str) -> float | None:
    """Return a figure as the paper prints it; None if it does not."""
    text = PUBLISHED.cells.get(CellId(table, row, column))
    return None if text is None else float(text)


class ModelDifference(NamedTuple):
    """The difference between two models, with its Holm-adjusted p."""

    difference: Estimate
    p: float | None


def pairs(findings: Findings) -> dict[tuple[str, str], dict[str, ModelDifference]]:
    """List the pairs of models compared on the same prompts, by task."""
    found: dict[tuple[str, str], dict[str, ModelDifference]] = defaultdict(dict)
    for one in findings.models:
        for (other, compared), difference in one.estimates("paired").items():
            p = one.number("paired", (other, compared, "p"))
            found[one.label, other][compared] = ModelDifference(difference, p)
    return found


def _group(run: str, judge: str, series: Sequence[Series]) -> JudgedRun | None:
    if judge == NO_JUDGE:
        return None
    try:
        annotations = take_answers(series[0].source.survey, judge)
    except NothingToDoError:
        return None
    # Pairs of models are in the order of the series.
    keys = {f"{place:04}": one for place, one in enumerate(series)}
    names = {one.model: key for key, one in keys.items()}
    answers = annotations.answers.filter(pl.col("model").is_in(list(names)))
    shown = {one.model: one.source.name_model(one.model) for one in series}
    given = Annotations(annotations.questions, answers)
    annotations = given.rename(names)
    cells = (*compute_tables(annotations), *compute_extensions(annotations))
    statements = claims(given.rename(shown))
    own: dict[str, dict[str, dict[Any, Cell]]] = defaultdict(lambda: defaultdict(dict))
    pooled: dict[str, dict[tuple[Any, ...], Cell]] = defaultdict(dict)
    for cell in cells:
        table, (key, *what) = cell.place.table, cell.key
        if table in _POOLED:
            pooled[table][cell.key] = cell
            continue
        if table == "paired":
            what[0] = keys[what[0]].label
        own[key][table][tuple(what) if len(what) > 1 else what[0]] = cell
    models = tuple(
        MeasuredModel(one.label, one.badge, one.model, own[key], run, one.judge_name)
        for key, one in keys.items()
        if key in own
    )
    simple = annotations.questions.filter(pl.col("type") == "numeric_simple").select("noun", "frequency").drop_nulls()
    raters = answers["annotator"].n_unique()
    nouns = dict(simple.unique(maintain_order=True).iter_rows())
    return JudgedRun(f"{run} · {series[0].judge_name}", models, pooled, raters, nouns, statements)


def _rank(one: MeasuredModel) -> tuple[float | str, ...]:
    accuracies = (one.number("table2", f"task{task}_acc") for task in (1, 2, 3))
    return (*(-(value if value is not None else -1.0) for value in accuracies), one.label)


def strip(rows: charts.Rows, kinds: Mapping[str, str], *, x_title: str, names: Sequence[str]) -> charts.Spec:
    """Draw one value per name, the largest first, coloured by kind."""
    x = charts.field("value", "quantitative", title=x_title, scale={"zero": False}, axis={"tickCount": 6})
    encoding = {"y": charts.name_field("name", names), "x": x, "color": charts.colour_kinds(kinds)}
    layers = [charts.layer("circle", encoding, size=50, opacity=1)]
    return charts.lay_out(rows, layers, width=charts.NARROW_PX, height={"step": 16}, labels=names)


def distribution(rows: charts.Rows, models: Sequence[str]) -> charts.Spec:
    """Draw how often each number was drawn (bars) and requested (ticks)."""
    axis = {**charts.UPRIGHT, "labelExpr": charts.MORE_THAN_TEN, "labelFontSize": 9.5}
    x = charts.field("number", "ordinal", title="number", scale={"domain": list(range(12))}, axis=axis)
    y = charts.field("value", "quantitative", title="share", axis=charts.PERCENT)
    colour = charts.colour_kinds({"drawn": "#0072b2", "asked for": "#d55e00"})
    place, drawn = {"x": x, "y": y, "color": colour}, "datum.kind == 'drawn'"
    layers = [
        charts.layer("bar", place, when=drawn, opacity=0.8),
        charts.layer("rule", {"x": x, **charts.interval_fields("y")}, when=drawn, color=INK, strokeWidth=1),
        charts.layer("tick", place, when="datum.kind == 'asked for'", thickness=3, opacity=1),
    ]
    return charts.lay_out_panels(rows, layers, models)


def stacked(rows: charts.Rows, models: Sequence[str], levels: Sequence[str], kinds: Mapping[str, str]) -> charts.Spec:
    """Draw the shares of outcomes at each level, the first with its number and interval, a panel per model."""
    y = charts.name_field("level", levels, labelLimit=220)
    x = {**charts.share_field(None, axis={**charts.QUARTERS, "grid": False}), "stack": "zero"}
    order = charts.field("rank", "quantitative")
    first = f"datum.kind == '{next(iter(kinds))}'"
    layers = [
        charts.layer(
            "bar", {"x": x, "y": y, "color": charts.colour_kinds(kinds), "order": order}, height={"band": 0.76}
        ),
        charts.layer("rule", {"y": y, **charts.interval_fields("x")}, when=first, color=INK, strokeWidth=1.5),
        charts.layer(
            "text", {"y": y, "text": charts.field("text", "nominal")}, when=first, x=5, color="#ffffff", align="left"
        ),
    ]
    return charts.lay_out_panels(rows, layers, models, height_px=24 * max(2, len(levels)), labels=levels)


COUNTED_TYPES = tuple(type for type, task in TYPES.items() if task == 1)


def point(label: str, percentage: Estimate) -> dict[str, object]:
    """Make a chart row of a percentage."""
    return {"model": label, **bounds(percentage, per=100)}
