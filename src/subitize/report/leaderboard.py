"""The leaderboard of a suite: models by rank, beside baselines and published figures, and by condition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TypeVar

import polars as pl

from subitize.analysis.compare import Contestant, Ranked, rank_overall
from subitize.analysis.counting import Baseline
from subitize.analysis.design import WHOLE
from subitize.analysis.published import PublishedCounts, PublishedRow
from subitize.analysis.score import Score
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.estimates import MODEL, EstimateGrid
from subitize.report.series import CountingModel, Series, differing_design, level_name, level_text
from subitize.report.table import KINDS, Cell, Column, Figure, PublishedValue, Row, RowKind, Section, Table, Worded
from subitize.report.texts import billions, list_names, slug, sort_key

Cells = Mapping[str, Cell]
_MOST_LEVELS_DRAWN = 16
SIZE = Column(
    "Size (billion)",
    "Parameters: of local models counted when they were loaded, of a pipeline those of the part that denoises; of "
    "published ones as printed, with their doubts.",
)
_COLUMNS = {
    "accuracy": Column("Accuracy", "Share of right answers; what was refused or discarded is wrong."),
    "accuracy_answered": Column("Accuracy, answered", "What was refused or discarded is left out."),
    "nae": Column("NAE", "Normalized absolute error: mean of |answer − target| / target, of the answers.", digits=3),
    "coverage": Column("Coverage", "Share that has a count, which the errors and the counting level are of."),
    "nae_all": Column("NAE, all", "Answers without a count are taken as 0, an error of 1.", digits=3),
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
_OF_PARTIAL = ("accuracy_answered", "coverage", "nae_all", "level_answered", "human_correlation")
_MEASURES = {
    "accuracy": "Accuracy",
    "accuracy_answered": "Accuracy, answered",
    "success": "One of a group right",
    "mae": "MAE",
    "nae": "NAE",
    "coverage": "Coverage",
    "discarded": "Discarded",
    "refused": "Refused",
    "unknown": "Unknown",
}
_RANK = Column.text(
    "Rank",
    "By accuracy over what all models of a judge have: the first and the last rank that the model may have. Models "
    "that share a letter cannot be told apart.",
)

_PROTOCOL = Column.text("Protocol", "Rows of one protocol may be compared; “Protocols” says what is in it.")
ModelT = TypeVar("ModelT", Series, CountingModel)

UNFIT = (
    "Stand-in judge: read by a judge that knows only the drawings of subitize; these rows come last and have no rank."
)


def rank_counts(
    suite: str,
    models: Sequence[CountingModel],
    baselines: Sequence[tuple[str, Baseline]],
    published: PublishedCounts | None,
) -> list[Table | Figure]:
    """Rank counting models by accuracy, best first, beside baselines and published figures."""
    is_partial = any(model.report.refused or model.report.discarded for model in models)
    hidden = dict.fromkeys(_OF_PARTIAL, not is_partial) | {"size": not published}
    shown = {name: column for name, column in _COLUMNS.items() if not hidden.get(name)}
    found: list[tuple[str, RowKind, Cells]] = [(model.label, model.badge, _measured(model)) for model in models]
    found += [(name, "baseline", _printed(one)) for name, one in baselines]
    found += [(one.model, "published", _printed(one)) for one in (published.rows if published else ())]
    found.sort(key=lambda row: _accuracy(row[2]), reverse=True)
    rows = [Row((label, *map(cells.get, shown)), badge) for label, badge, cells in found]
    caption = f"{_caption(rows, published)} {differing_design(published, models)}".strip()
    table = Table.of(f"{suite}-leaderboard", "Leaderboard", (MODEL, *shown.values()), rows, caption)
    data, spec = draw_ranking(table, f"{suite}-leaderboard-accuracy", "Accuracy", x_title="accuracy")
    figure = Figure(
        f"{suite}-leaderboard-chart",
        "Accuracy at a glance",
        spec,
        "Accuracy with 95 % intervals, best first; published figures and baselines have none.",
        "Accuracy of every model with its interval, best first.",
        data,
    )
    return [table, figure]


def _measured(model: CountingModel) -> Cells:
    report = model.report
    return {
        **{name: getattr(report, name, None) for name in _COLUMNS},
        "level": level_text(report.knower_all),
        "level_answered": level_text(report.knower),
        "n": report.eligible,
        "left_out": report.unknown + report.excluded,
        "size": "",
    }


def _printed(one: Baseline | PublishedRow) -> Cells:
    """Return the figures of a baseline or a published row; the paper left out next to nothing."""
    likeness = dict.fromkeys(("human_correlation_all", "human_correlation"), one.human_correlation)
    cells: Cells = {"accuracy": one.accuracy, "nae": one.nae, **likeness, "size": ""}
    if isinstance(one, Baseline):
        return cells
    return {**cells, **dict.fromkeys(("level", "level_answered"), level_name(one.level)), "size": one.size_billion}


def _accuracy(cells: Cells) -> float:
    """Return the sort key of a row; rows without an accuracy come last."""
    text = sort_key(cells["accuracy"])
    return float(text) if text else -inf


def rank_scores(suite: str, series: Sequence[Series], scores: Mapping[str, Sequence[Score]]) -> list[Table | Figure]:
    """Rank the models of any other suite by accuracy, best first; scores are given by label."""
    whole = {
        label: {score.measure: score.estimate for score in own if score.factor == WHOLE}
        for label, own in scores.items()
    }
    measures = [name for name in _MEASURES if any(name in found for found in whole.values())]
    shown = [Column(_MEASURES[name], digits=2 if name != "nae" else 3) for name in measures]
    rows = []
    for one in series:
        found = whole[one.label]
        # If groups of images were voted on, single ones may not have been judged.
        accuracy = found.get("accuracy") or found.get("success")
        cells = (one.label, *(found.get(name) for name in measures), accuracy.n if accuracy else 0)
        rank = ("accuracy" not in found, -(accuracy.value if accuracy else 0.0))
        rows.append((rank, Row(cells, one.badge)))
    ordered = [row for _, row in sorted(rows, key=lambda pair: pair[0])]
    return [Table.of(f"{suite}-leaderboard", "Leaderboard", (MODEL, *shown, "n"), ordered, _caption(ordered))]


def _caption(rows: Sequence[Row], published: PublishedCounts | None = None) -> str:
    badges = {row.badge for row in rows}
    notes = ["Best first within each kind, by accuracy; values with their 95 % interval."]
    if "stand-in" in badges:
        notes.append("Stand-in: embedded in subitize to try the pipeline, not a real model.")
    if published:
        notes.append(f"Published: as printed in {published.source}; not measured here.")
    if "baseline" in badges:
        notes.append("Baseline: the exact figures of a known law on the same numbers.")
    return " ".join(notes)


def draw_ranking(table: Table, name: str, title: str, *, x_title: str) -> tuple[Table, charts.Spec]:
    """Keep the first column after the names, and draw it: rows grouped by kind, the largest values first."""
    rows = [Row(row.cells[:2], row.badge) for row in table.rows]
    points = [point for row in rows if (point := mark_point(row, row.cells[1]))["value"] is not None]
    kinds: list[str] = [kind or "measured" for kind in KINDS]
    points.sort(key=lambda point: (kinds.index(str(point["kind"])), -float(str(point["value"]))))
    spec = charts.ranking(points, [str(point["name"]) for point in points], x_title=x_title)
    return Table.of(name, title, table.columns[:2], rows), spec


def mark_point(row: Row, cell: Cell, *, per: float = 1) -> dict[str, object]:
    """Make a chart's point of a leaderboard's cell, with its row's name and kind; only estimates have intervals."""
    mark = f" ({row.badge})" if row.badge in ("published", "baseline") else ""
    named = {"name": f"{row.cells[0]}{mark}", "kind": row.badge or "measured"}
    match cell:
        case Estimate(value=value, low=low, high=high):
            return {**named, "value": value / per, "low": low / per, "high": high / per}
        case PublishedValue(value=value) | float(value):
            return {**named, **dict.fromkeys(("value", "low", "high"), value / per)}
    return {**named, **dict.fromkeys(("value", "low", "high"))}


@dataclass(frozen=True, slots=True)
class KnownModels:
    """What is known of the models measured, by label: ranks, numbers of parameters, and links to protocols."""

    ranks: Mapping[str, Ranked] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    protocols: Mapping[str, Worded] = field(default_factory=dict)


def finish_leaderboard(table: Table, known: KnownModels, published_by: str = "") -> Table:
    """Add rank, size and protocol of the models measured, where known and different, and group rows by kind.

    Rows judged by a stand-in get no rank, because it cannot count what it does not know.
    """
    rows = sorted(table.rows, key=lambda row: KINDS.index(row.badge))
    labels = [str(row.cells[0]) if row.badge in ("", "stand-in") else "" for row in rows]
    finished, captions = replace(table, rows=tuple(rows), is_grouped=True), [table.caption]
    if known.sizes:
        at = next((place for place, column in enumerate(table.columns) if column == SIZE), len(table.columns))
        printed = [row.cells[at] if at < len(table.columns) else "" for row in rows]
        sizes = {label: billions(count) for label, count in known.sizes.items()}
        cells = [sizes.get(label, old) for label, old in zip(labels, printed, strict=True)]
        finished = finished.with_column(SIZE, cells, at)
    if any(column.name.startswith(f"{_RANK.name},") for column in table.columns):
        finished = _clear_ranks(finished)
    elif known.ranks:
        places = [known.ranks.get(label) for label in labels]
        finished = finished.with_column(_RANK, [f"{one.rank} {one.letters}" if one else "" for one in places], 1)
        captions.append("Rank: models that share a letter cannot be told apart by accuracy.")
    badges = {row.badge for row in rows}
    captions += [UNFIT] * ("stand-in judge" in badges)
    if published_by and "published" in badges:
        captions.append(f"Published rows were judged by {published_by}, under the paper’s protocol.")
    measured = [str(row.cells[0]) if row.badge not in ("published", "baseline") else "" for row in rows]
    links = [known.protocols.get(label, "") for label in measured]
    if len({*filter(None, links)}) > 1:
        finished = finished.with_column(_PROTOCOL, links, len(finished.columns))
    return replace(finished, caption=" ".join(filter(None, captions)))


def _clear_ranks(table: Table) -> Table:
    """Blank a paper's own ranks in rows that were judged by a stand-in."""
    are_ranks = [column.name.startswith(_RANK.name) for column in table.columns]
    rows = []
    for row in table.rows:
        blank = tuple("" if rank else cell for cell, rank in zip(row.cells, are_ranks, strict=True))
        rows.append(replace(row, cells=blank) if row.badge == "stand-in judge" else row)
    return replace(table, rows=tuple(rows))


def factor_sections(
    suite: str, series: Sequence[Series], scores: Mapping[str, Sequence[Score]], palette: Palette
) -> list[Section]:
    """Write one section per factor, with the share of right outcomes at each level; scores are given by label."""
    sections = []
    for factor in dict.fromkeys(score.factor for own in scores.values() for score in own if score.factor != WHOLE):
        cells = {
            (one.label, score.group): score.estimate
            for one in series
            for score in scores[one.label]
            if score.factor == factor and score.measure == "accuracy"
        }
        grid = EstimateGrid(cells, {one.label: one.badge for one in series})
        found = pl.DataFrame({"level": grid.columns})
        number = pl.col("level").cast(pl.Float64, strict=False)
        # Numbers by size, then other levels by name.
        ordered = found.sort(pl.when(number.is_finite()).then(number), "level", nulls_last=True)
        levels = ordered["level"].to_list()
        caption = "Share of right outcomes with 95 % intervals; what was refused or discarded is wrong."
        name, title = f"{suite}-by-{slug(factor)}", f"By {factor}"
        table = grid.table(name, f"Accuracy by {factor}", levels, caption=caption)
        figure = Figure(
            f"{name}-chart",
            title,
            charts.by_level(grid.points("model", "level"), palette.of(grid.rows).colour(), levels, factor),
            f"Share of right outcomes by {factor}, with 95 % intervals.",
            f"Accuracy by {factor} for every model, with intervals.",
            table,
        )
        sections.append(Section(name, title, (figure if len(levels) <= _MOST_LEVELS_DRAWN else table,)))
    return sections


def stand_series(series: Sequence[Series]) -> dict[str, Ranked]:
    """Rank models by label, separately for each judge: by accuracy, or by success if groups were judged.

    Stand-ins are ranked only if there is nothing else.
    """
    entries = [
        Contestant(one.label, one.suite, one.judge, one.observations, one.source.run)
        for one in drop_stand_ins(series)
        if not one.is_excluded and one.badge != "stand-in judge"
    ]
    return {**rank_overall(entries, "success"), **rank_overall(entries, "accuracy")}


def drop_stand_ins(models: Sequence[ModelT]) -> Sequence[ModelT]:
    """Leave out stand-ins and what they judged, unless nothing else would remain."""
    return [one for one in models if not one.badge] or models


def describe_standing(best: str, standings: Mapping[str, Ranked], *, by: str = "") -> str:
    """Say whether the model that is right most often is really better; empty if it was not compared."""
    own = standings.get(best)
    if own is None:
        return ""
    if own.worst == 1:
        standing = "it is better than all others"
    elif own.best > 1:
        standing = "others do better on what all models have"
    else:
        standing = f"it cannot be told apart from {list_names(own.equals)}"
    sentence = f"by {by}, {standing}" if by else standing
    return f" {sentence[0].upper()}{sentence[1:]}."
