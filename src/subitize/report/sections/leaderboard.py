"""Who does best: a table per suite as in the paper's Table 1, and the same at a glance."""

from collections.abc import Mapping, Sequence

from subitize.analysis.enumeration import Baseline
from subitize.analysis.levels import WHOLE
from subitize.analysis.published import PublishedCounts, PublishedRow
from subitize.analysis.scoring import Score
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.blocks import Badge, Block, Cell, Column, FigureBlock, Row, TableBlock
from subitize.report.sections.counted import MODEL, Counted, differing_design, level_name
from subitize.report.sections.sources import Series


def rank_counts(
    suite: str,
    models: Sequence[Counted],
    baselines: Sequence[tuple[str, Baseline]],
    published: PublishedCounts | None,
) -> list[Block]:
    """Rank models by their normalized absolute error, best first, among baselines and published figures."""
    has_refusals = any(model.it.refused for model in models)
    answered = (Column("Accuracy, answered", "Refusals left out."),) if has_refusals else ()
    columns = (
        MODEL,
        Column("Accuracy", "Share of right answers; refusals are wrong, discarded answers left out."),
        *answered,
        Column("NAE", "Normalized absolute error: mean of |answer − target| / target.", digits=3),
        Column("Counting level", "The largest n such that 1 to n are all known."),
        Column("Corr. with human", "Correlation with the confusion matrix of an ideal human observer."),
        Column("n", "Answers with a value."),
        Column("Left out", "Discarded, refused or excluded by hand."),
        *((Column("Size (billion)", "Parameters as printed in Table 1, with its doubts."),) if published else ()),
    )
    gap: tuple[Cell, ...] = (None,) * len(answered)
    no_size: tuple[Cell, ...] = ("",) * bool(published)
    rows = [(_nae(model), _measured(model, no_size, with_answered=has_refusals)) for model in models]
    rows += [(one.nae, _baseline(name, one, gap, no_size)) for name, one in baselines]
    rows += [(one.nae, _published(one, gap)) for one in (published.rows if published else ())]
    ordered = tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))
    caption = f"{_caption(ordered, 'NAE', published)} {differing_design(published, models)}".strip()
    table = TableBlock(f"{suite}-leaderboard", "Leaderboard", columns, ordered, caption)
    return [table, _glance(suite, columns, ordered)]


def rank_scores(suite: str, series: Sequence[Series], scores: Mapping[str, Sequence[Score]]) -> list[Block]:
    """Rank the models of any other suite, whose scores are given by their labels, by accuracy, best first."""
    whole = {
        label: {score.measure: score.estimate for score in own if score.factor == WHOLE}
        for label, own in scores.items()
    }
    measures = [name for name in _MEASURES if any(name in found for found in whole.values())]
    columns = (MODEL, *(Column(_MEASURES[name], digits=2 if name != "nae" else 3) for name in measures), Column("n"))
    rows = []
    for one in series:
        found = whole[one.label]
        # Where groups of images were voted on, nobody may have looked at single ones.
        accuracy = found.get("accuracy") or found.get("success")
        cells = (one.label, *(found.get(name) for name in measures), accuracy.n if accuracy else 0)
        rank = ("accuracy" not in found, -(accuracy.value if accuracy else 0.0))
        rows.append((rank, Row(cells, one.badge)))
    ordered = tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))
    return [TableBlock(f"{suite}-leaderboard", "Leaderboard", columns, ordered, _caption(ordered, "accuracy"))]


_MEASURES = {"accuracy": "Accuracy", "accuracy_answered": "Accuracy, answered", "success": "One of a group right"}
_MEASURES |= {"mae": "MAE", "nae": "NAE", "discarded": "Discarded", "refused": "Refused"}


def _nae(model: Counted) -> float:
    return model.it.nae.value if model.it.nae else float("inf")


def _measured(model: Counted, no_size: tuple[Cell, ...], *, with_answered: bool) -> Row:
    it = model.it
    level = it.knower.level if it.knower else None
    cells: tuple[Cell, ...] = (
        model.label,
        it.accuracy,
        *((it.accuracy_answered,) if with_answered else ()),
        it.nae,
        None if level is None else level_name(level),
        it.human_correlation,
        it.eligible,
        it.discarded + it.refused + it.excluded,
        *no_size,
    )
    return Row(cells, model.badge)


def _baseline(name: str, one: Baseline, gap: tuple[Cell, ...], no_size: tuple[Cell, ...]) -> Row:
    cells = (name, one.accuracy, *gap, one.nae, None, one.human_correlation, None, None, *no_size)
    return Row(cells, "baseline")


def _published(one: PublishedRow, gap: tuple[Cell, ...]) -> Row:
    level, size = level_name(one.level), one.size_billion
    cells = (one.model, one.accuracy, *gap, one.nae, level, one.human_correlation, None, None, size)
    return Row(cells, "published")


def _caption(rows: Sequence[Row], measure: str, published: PublishedCounts | None = None) -> str:
    badges = {row.badge for row in rows}
    notes = [f"Best first, by {measure}; values with their 95 % interval."]
    if "stand-in" in badges:
        notes.append("Stand-in: embedded in subitize to try the pipeline, not a real model.")
    if published:
        notes.append(f"Published: as printed in {published.source}; not measured here.")
    if "baseline" in badges:
        notes.append("Baseline: the exact figures of a known law on the same numbers.")
    return " ".join(notes)


def _glance(suite: str, columns: Sequence[Column], rows: Sequence[Row]) -> FigureBlock:
    points = []
    for row in rows:
        match row.cells[1]:
            case Estimate(value=value, low=low, high=high):
                points.append(_point(row, value, low, high))
            case float() as value:
                points.append(_point(row, value, value, value))
    cells = tuple(Row(row.cells[:2], row.badge) for row in rows)
    names = [str(point["name"]) for point in sorted(points, key=lambda point: -float(str(point["value"])))]
    return FigureBlock(
        f"{suite}-leaderboard-chart",
        "Accuracy at a glance",
        charts.ranking(points, names, x_title="accuracy"),
        "Accuracy with 95 % intervals, best first; published figures and baselines have none.",
        "Accuracy of every model with its interval, best first.",
        TableBlock(f"{suite}-leaderboard-accuracy", "Accuracy", tuple(columns[:2]), cells),
    )


def _point(row: Row, value: float, low: float, high: float) -> dict[str, object]:
    marks: dict[Badge, str] = {"published": " (published)", "baseline": " (baseline)"}
    name = f"{row.cells[0]}{marks.get(row.badge, '')}"
    return {"name": name, "kind": row.badge or "measured", "value": value, "low": low, "high": high}
