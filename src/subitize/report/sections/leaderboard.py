"""Who does best: a table per suite as in the paper's Table 1, and the same at a glance."""

import math
from collections.abc import Mapping, Sequence

from subitize.analysis.clusters import WHOLE
from subitize.analysis.enumeration import Baseline
from subitize.analysis.reproduction import PublishedCounts, PublishedRow
from subitize.analysis.scoring import Score
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.blocks import (
    KINDS,
    Badge,
    Block,
    Cell,
    Column,
    Columns,
    FigureBlock,
    Printed,
    Row,
    TableBlock,
    make_table,
)
from subitize.report.sections.counted import MODEL, Counted, differing_design, level_name, level_text
from subitize.report.sections.sizes import SIZE
from subitize.report.sections.sources import Series


def rank_counts(
    suite: str,
    models: Sequence[Counted],
    baselines: Sequence[tuple[str, Baseline]],
    published: PublishedCounts | None,
) -> list[Block]:
    """Rank models by their accuracy, best first, among baselines and published figures."""
    is_partial = any(model.it.refused or model.it.discarded for model in models)
    untold = dict.fromkeys(_OF_PARTIAL, not is_partial) | {"size": not published}
    shown = {name: column for name, column in _COLUMNS.items() if not untold.get(name)}
    found: list[tuple[str, Badge, Cells]] = [(model.label, model.badge, _measured(model)) for model in models]
    found += [(name, "baseline", _known(one)) for name, one in baselines]
    found += [(one.model, "published", _printed(one)) for one in (published.rows if published else ())]
    found.sort(key=lambda row: -_value(row[2]["accuracy"]))
    rows = [Row((label, *map(cells.get, shown)), badge) for label, badge, cells in found]
    caption = f"{_caption(rows, 'accuracy', published)} {differing_design(published, models)}".strip()
    table = make_table(f"{suite}-leaderboard", "Leaderboard", (MODEL, *shown.values()), rows, caption)
    return [table, _glance(suite, table)]


Cells = Mapping[str, Cell]
_COLUMNS = {
    "accuracy": Column("Accuracy", "Share of right answers; what was refused or discarded is wrong."),
    "accuracy_answered": Column("Accuracy, answered", "What was refused or discarded is left out."),
    "nae": Column("NAE", "Normalized absolute error: mean of |answer − target| / target, of the answers.", digits=3),
    "coverage": Column("Coverage", "Share that has a count, which the errors and the counting level are of."),
    "nae_all": Column("NAE, all", "What has no count stands for a count of 0, an error of 1.", digits=3),
    "level": Column(
        "Counting level", "The largest n such that 1 to n are all known [lowest, highest possible]; no count is a miss."
    ),
    "level_answered": Column("Counting level, answered", "What was refused or discarded is left out, as in the paper."),
    "human_correlation_all": Column(
        "Corr. with human", "Correlation with the matrix of an ideal human observer, who never leaves out a count."
    ),
    "human_correlation": Column("Corr. with human, answered", "What has no count is left out, as in the paper."),
    "n": Column("n", "Answers with a value."),
    "left_out": Column("Left out", "Unknown to the judge, or excluded by hand."),
    "size": SIZE,
}


def _measured(model: Counted) -> Cells:
    it = model.it
    return {
        **{name: getattr(it, name) for name in _MEASURED},
        "level": level_text(it.knower_all),
        "level_answered": level_text(it.knower),
        "n": it.eligible,
        "left_out": it.unknown + it.excluded,
        "size": "",
    }


_OF_PARTIAL = ("accuracy_answered", "coverage", "nae_all", "level_answered", "human_correlation")
_MEASURED = (
    "accuracy",
    "accuracy_answered",
    "nae",
    "coverage",
    "nae_all",
    "human_correlation_all",
    "human_correlation",
)


def _known(one: Baseline) -> Cells:
    likeness = dict.fromkeys(("human_correlation_all", "human_correlation"), one.human_correlation)
    return {"accuracy": one.accuracy, "nae": one.nae, **likeness, "size": ""}


def _printed(one: PublishedRow) -> Cells:
    # Next to nothing was left out in the paper.
    likeness = dict.fromkeys(("human_correlation_all", "human_correlation"), one.human_correlation)
    levels = dict.fromkeys(("level", "level_answered"), level_name(one.level))
    return {"accuracy": one.accuracy, "nae": one.nae, **likeness, **levels, "size": one.size_billion}


def _value(cell: Cell) -> float:
    match cell:
        case Estimate(value=value) | float(value):
            return value
    return -math.inf


def rank_scores(suite: str, series: Sequence[Series], scores: Mapping[str, Sequence[Score]]) -> list[Block]:
    """Rank the models of any other suite, whose scores are given by their labels, by accuracy, best first."""
    whole = {
        label: {score.measure: score.estimate for score in own if score.factor == WHOLE}
        for label, own in scores.items()
    }
    measures = [name for name in _MEASURES if any(name in found for found in whole.values())]
    columns: Columns = (MODEL, *(Column(_MEASURES[name], digits=2 if name != "nae" else 3) for name in measures), "n")
    rows = []
    for one in series:
        found = whole[one.label]
        # Where groups of images were voted on, nobody may have looked at single ones.
        accuracy = found.get("accuracy") or found.get("success")
        cells = (one.label, *(found.get(name) for name in measures), accuracy.n if accuracy else 0)
        rank = ("accuracy" not in found, -(accuracy.value if accuracy else 0.0))
        rows.append((rank, Row(cells, one.badge)))
    ordered = [row for _, row in sorted(rows, key=lambda pair: pair[0])]
    return [make_table(f"{suite}-leaderboard", "Leaderboard", columns, ordered, _caption(ordered, "accuracy"))]


_MEASURES = {"accuracy": "Accuracy", "accuracy_answered": "Accuracy, answered", "success": "One of a group right"}
_MEASURES |= {"mae": "MAE", "nae": "NAE", "coverage": "Coverage"}
_MEASURES |= {"discarded": "Discarded", "refused": "Refused", "unknown": "Unknown"}


def _caption(rows: Sequence[Row], measure: str, published: PublishedCounts | None = None) -> str:
    badges = {row.badge for row in rows}
    notes = [f"Best first within each kind, by {measure}; values with their 95 % interval."]
    if "stand-in" in badges:
        notes.append("Stand-in: embedded in subitize to try the pipeline, not a real model.")
    if published:
        notes.append(f"Published: as printed in {published.source}; not measured here.")
    if "baseline" in badges:
        notes.append("Baseline: the exact figures of a known law on the same numbers.")
    return " ".join(notes)


def _glance(suite: str, table: TableBlock) -> FigureBlock:
    data = make_table(f"{suite}-leaderboard-accuracy", "Accuracy", *take_column(table, 1))
    return FigureBlock(
        f"{suite}-leaderboard-chart",
        "Accuracy at a glance",
        draw_ranking(data.rows, x_title="accuracy"),
        "Accuracy with 95 % intervals, best first; published figures and baselines have none.",
        "Accuracy of every model with its interval, best first.",
        data,
    )


def take_column(table: TableBlock, place: int) -> tuple[Sequence[Column], Sequence[Row]]:
    """Keep one column beside the names of the rows."""
    columns = (table.columns[0], table.columns[place])
    return columns, [Row((row.cells[0], row.cells[place]), row.badge) for row in table.rows]


def draw_ranking(rows: Sequence[Row], *, x_title: str) -> charts.Spec:
    """Draw what stands beside the names of rows, as far as it is known: rows of a kind together, the largest first."""
    points = [point for row in rows if (point := mark_point(row, row.cells[1]))["value"] is not None]
    kinds: list[str] = [kind or "measured" for kind in KINDS]
    points.sort(key=lambda point: (kinds.index(str(point["kind"])), -float(str(point["value"]))))
    names = [str(point["name"]) for point in points]
    return charts.ranking(points, names, x_title=x_title)


def mark_point(row: Row, cell: Cell, *, per: float = 1) -> dict[str, object]:
    """Make of a leaderboard's cell what a chart draws, by its row's name and kind; only estimates have an interval."""
    marks: dict[Badge, str] = {"published": " (published)", "baseline": " (baseline)"}
    named = {"name": f"{row.cells[0]}{marks.get(row.badge, '')}", "kind": row.badge or "measured"}
    match cell:
        case Estimate(value=value, low=low, high=high):
            return {**named, "value": value / per, "low": low / per, "high": high / per}
        case Printed(value=value) | float(value):
            return {**named, "value": value / per, "low": value / per, "high": value / per}
    return {**named, "value": None, "low": None, "high": None}
