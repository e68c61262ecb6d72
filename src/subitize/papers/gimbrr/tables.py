"""The tables and figures of GIMBRR (Achterberg et al. 2023), computed from any ratings of its tasks.

Percentages go from 0 to 100. Intervals are over prompts: those with the same text form a cluster, and what the design
fixes (task, number, size) are strata. Printed figures (published.csv) come from the section “Assessment results”; the
paper has no others, as its Figures 2 to 8 print none. It truncates some (54 % is 54.74 %) and rounds others; the `b` of
its main effect is a sum of squares."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from subitize.analysis.design import assign_units, estimate_by
from subitize.analysis.papers import JudgedFrame, models_of
from subitize.analysis.published import AS_THE_PAPER, Cell, CellId, Published, make_cell, read_published
from subitize.frame import decode_columns
from subitize.io.frames import make_frame
from subitize.papers.gimbrr import regressions
from subitize.papers.gimbrr.prompts import ALL, CONTROLLED, RELATIONS, SAMPLED, SINGLE, STRATA, TASKS, GimbrrTask
from subitize.papers.gimbrr.regressions import RELATED, UNRELATED, RegressionLine, VarianceTerm, of
from subitize.papers.gimbrr.suite import MATCH, NAME
from subitize.records import Design, Estimate, Item
from subitize.report.claims import CONVENTION
from subitize.report.texts import number_of
from subitize.store.rows import decode_value

MODELS: Mapping[str, str] = {"Dalle": "DALL-E 2", "MJ": "Midjourney", "SD1.5": "SD 1.5", "SD2.1": "SD 2.1"}
"""The algorithms that the authors rated: names in the files and names in print."""
PUBLISHED = Published(
    read_published(Path(__file__).with_name("published.csv")),
    points=lambda place: math.inf if place.table == "regressions" else 1.0,
    models=MODELS,
    pooled=("regressions",),
    is_truncated=True,
)
STEP_TITLES: Mapping[str, str] = {
    "controlled-single": "one object",
    "controlled-multiple": "two objects",
    "controlled-counting": "counting one kind",
    "controlled-two-counting": "counting two kinds",
    "controlled-arithmetic": "arithmetic",
}
"""The controlled tasks, each of which requests one thing more, with short titles."""
FEW_MODELS = 10
"""With fewer models, correlations across them may be due to chance."""
POOLED = "pooled"
"""The name of all models together."""
COVARIATES: Mapping[str, tuple[str, str, Mapping[Any, str]]] = {
    "target": ("conditional", "target_position", {1: "first", 2: "second"}),
    "adjective": ("conditional", "adjective", {False: "no", True: "yes"}),
    "features": ("chimeras", "features", {}),
    "relation": ("spatial", "relation", {relation: relation for relation in RELATIONS}),
    "controlled-counting": ("controlled-counting", "number", {}),
}
"""By name: the task it varies in, its column, and its levels with their titles (empty: all that occur)."""
RATINGS: dict[str, pl.DataType] = {
    **dict.fromkeys(("model", "item"), pl.String()),
    "repeat": pl.Int64(),
    "right": pl.Float64(),
}
_FACTORS: dict[str, pl.DataType] = {
    "task": pl.String(),
    **dict.fromkeys(("number", "objects", "features", "target_position"), pl.Int64()),
    **dict.fromkeys(("common", "adjective"), pl.Boolean()),
    **dict.fromkeys(("relation", "linked"), pl.String()),
}
_IMAGE = ("model", "item", "repeat")
_MOST_NAMED = 20

Shares = dict[tuple[Any, ...], Estimate]


def rows(seen: JudgedFrame) -> pl.DataFrame:
    """Make a row per rating of an image, without excluded items.

    Every answer is a rating. If a judge gave none but saw all parts of an image, these are joined. Refused and unusable
    answers count as no match.
    """
    asked = pl.col("question") == MATCH.question.id
    own = seen.whole.kept().filter(asked, pl.col("suite") == NAME, pl.col("group") == 1)
    answers = seen.votes.filter(asked).select("subject", "judge", stored="value")
    votes = decode_columns(answers, "stored", decode_value).filter(pl.col("label") == "known")
    rated = own.rows.join(
        votes.select("subject", "judge", vote="value"), on=["subject", "judge"], how="left", maintain_order="left_right"
    )
    joined = pl.when(pl.col("status") != "unknown").then(pl.col("is_right").cast(pl.Float64))
    ratings = rated.with_columns(right=pl.coalesce("vote", joined)).drop_nulls("right").select(*RATINGS)
    sampled = own.designs[NAME].sampled if NAME in own.designs else SAMPLED
    return describe_ratings(ratings, own.seen_items(), sampled)


def describe_ratings(
    ratings: pl.DataFrame, items: Iterable[Item], sampled: Mapping[str, str | tuple[str, ...]] = SAMPLED
) -> pl.DataFrame:
    """Join ratings to their items: key, cluster (the prompt's text), stratum and factors.

    `is_first` marks the first rating of an image. Models are sorted by name.
    """
    known = list(items)
    described = make_frame(
        ((one.id, one.id.partition("/")[2], *map(one.factors.get, _FACTORS)) for one in known),
        {"item": pl.String(), "key": pl.String(), **_FACTORS},
    )
    design = Design(strata=STRATA, sampled=sampled)
    places = assign_units(known, dict.fromkeys((one.suite for one in known), design))
    of_items = described.join(places, on="item").filter(pl.col("task").is_in(list(ALL)))
    numbered = ratings.with_columns(is_first=pl.int_range(pl.len()).over(_IMAGE) == 0)
    return numbered.join(of_items, on="item", maintain_order="left").sort("model", maintain_order=True)


def warnings(rows: pl.DataFrame, seen: JudgedFrame | None = None) -> Iterator[str]:
    """Name images that were rated more than once, and count those without a rating."""
    images = rows.group_by(*_IMAGE, "key", maintain_order=True).agg(pl.len(), pl.col("right").n_unique())
    for (model,), own in images.filter(pl.col("len") > 1).group_by("model", maintain_order=True):
        divided = own.filter(pl.col("right") > 1)["key"].sort().to_list()
        contradictions = f", {len(divided)} of them once yes and once no ({shorten(divided)})" if divided else ""
        yield f"{model}: more than one rating of {number_of(own.height, 'image')}{contradictions}; every rating counts"
    if seen:
        drawn = seen.responses.filter(pl.col("item").str.starts_with(f"{NAME}/"), pl.col("kind") == "drawn")
        left = drawn.filter(~pl.col("item").is_in([*seen.excluded])).join(rows, on=_IMAGE, how="anti")
        for model, count in left.group_by("model").len().sort("model").iter_rows():
            yield f"{model}: no certain rating, and so no place in any figure, for {number_of(count, 'image')}"


def overall(rows: pl.DataFrame) -> Iterator[Cell]:
    """Accuracy on all prompts but the controlled ones."""
    found = estimate_by(add_pooled(benchmark(rows)), "right", "model")
    return _place("overall", {("all", model): one for (model,), one in found.items()})


def tasks(rows: pl.DataFrame) -> Iterator[Cell]:
    """Accuracy by task (Figures 2 and 3)."""
    return _by_task("tasks", rows, [*TASKS, SINGLE])


def controlled(rows: pl.DataFrame) -> Iterator[Cell]:
    """Accuracy by controlled task (Figure 4)."""
    return _by_task("controlled", rows, CONTROLLED)


def linked_singles(rows: pl.DataFrame) -> Iterator[Cell]:
    """Accuracy on the single objects linked to each task (Figure 5, x-axis)."""
    return _by_task("linked-singles", regressions.link_singles(rows), map(ALL.__getitem__, regressions.COMPLEX))


def regression_table(rows: pl.DataFrame) -> Iterator[Cell]:
    """What carries over from simpler tasks (Figures 5 and 6), with two other ways to count single objects."""
    models = len(models_of(rows))
    ways: Mapping[str, tuple[dict[str, Any], str]] = {
        "single": ({}, "each linked single object once per task, all its ratings"),
        "single|first-ratings": ({"first_only": True}, "of single objects rated twice, the first rating only"),
        "single|links-repeated": ({"repeat_links": True}, "each single object as often as it is linked"),
    }
    for row, (how, convention) in ways.items():
        line = regressions.fit_line(regressions.point_at_singles(rows, **how))
        yield from _describe_line(row, line, f"complex tasks on single objects; {convention}", models)
    related, unrelated = (regressions.point_at_multiple(rows, some) for some in (RELATED, UNRELATED))
    for row, points in (("related", related), ("unrelated", unrelated)):
        yield from _describe_line(row, regressions.fit_line(points), "tasks on multiple objects", models)
    if effects := regressions.analyse(related, unrelated):
        main, interaction = effects
        yield from _describe_effect("interaction", interaction, models)
        yield from _describe_effect("main", main, models)


def counting_by_number(rows: pl.DataFrame) -> Iterator[Cell]:
    """Accuracy on counting prompts by number (Figure 7)."""
    ordered = add_pooled(of(rows, "counting")).sort("number", maintain_order=True)
    return _place("counting-by-number", estimate_by(ordered, "right", "number", "model"))


def multiple_by_size(rows: pl.DataFrame) -> Iterator[Cell]:
    """Accuracy on multiple objects by their number, and whether they are commonly seen together (Figure 8)."""
    kind = pl.when("common").then(pl.lit("common")).otherwise(pl.lit("uncommon"))
    sets = add_pooled(of(rows, "multiple").drop_nulls(["common", "objects"]))
    sets = sets.sort(~pl.col("common"), "objects", maintain_order=True)
    named = sets.with_columns(row=pl.format("{}|{}", kind, "objects"))
    return _place("multiple-by-size", estimate_by(named, "right", "row", "model"))


def covariates(rows: pl.DataFrame) -> Iterator[Cell]:
    """Accuracy by other conditions within a task; the paper has none."""
    found = estimate_covariates(add_pooled(rows))
    return _place("covariates", {(f"{name}|{level}", model): one for (name, level, model), one in found.items()})


def correlations(rows: pl.DataFrame) -> Iterator[Cell]:
    """Correlations of tasks across models; the paper has none."""
    for (one, other), r in regressions.correlate(rows)[0].items():
        yield make_cell(CellId("correlations", ALL[one].title, ALL[other].title), r)


TABLES: tuple[Callable[[pl.DataFrame], Iterator[Cell]], ...] = (
    overall,
    tasks,
    controlled,
    linked_singles,
    regression_table,
    counting_by_number,
    multiple_by_size,
    covariates,
)
EXTENSIONS = (correlations,)


def estimate_covariates(rows: pl.DataFrame) -> Shares:
    """Estimate accuracy by other conditions within a task, by condition, level and model."""
    shares: Shares = {}
    for name, (task, column, levels) in COVARIATES.items():
        found = estimate_by(of(rows, task), "right", column, "model")
        known = levels or {level: str(level) for level in sorted({level for level, _ in found})}
        for level, title in known.items():
            shares |= {(name, title, model): one for (own, model), one in found.items() if own == level}
    return shares


def benchmark(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings of the eleven tasks and of single objects, without the controlled ones."""
    return rows.filter(~pl.col("task").is_in([*STEP_TITLES]))


def add_pooled(rows: pl.DataFrame) -> pl.DataFrame:
    """Append a copy of all ratings, as of one pooled model."""
    return pl.concat([rows, rows.with_columns(model=pl.lit(POOLED))])


def shorten(keys: Iterable[object]) -> str:
    """List the keys of prompts, cut short if there are many."""
    known = list(map(str, keys))
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return ", ".join(known[:_MOST_NAMED]) + more


def _by_task(table: str, rows: pl.DataFrame, wanted: Iterable[GimbrrTask]) -> Iterator[Cell]:
    """Sort shares by task and model in the order of tasks, and use their titles."""
    found = estimate_by(add_pooled(rows), "right", "task", "model")
    return _place(
        table, {(task.title, model): one for task in wanted for (key, model), one in found.items() if key == task.key}
    )


def _place(table: str, found: Shares) -> Iterator[Cell]:
    return (make_cell(CellId(table, str(row), model), one, scale=100) for (row, model), one in found.items())


def _describe_line(row: str, line: RegressionLine | None, convention: str, models: int) -> Iterator[Cell]:
    if line is None:
        return
    method = f"{AS_THE_PAPER}: points of {models} models taken as independent"
    caution = f"fewer than {FEW_MODELS} models" if models < FEW_MODELS else ""
    slope, place = line.slope, CellId("regressions", row, "")
    yield Cell(place._replace(column="b"), slope.value, slope.low, slope.high, slope.n, method, caution)
    yield Cell(place._replace(column="p"), line.p, n=slope.n, method=method, caution=caution)
    yield Cell(place._replace(column="n"), slope.n, n=slope.n)
    yield Cell(place._replace(column="df"), line.df, n=slope.n)
    yield Cell(place._replace(column=CONVENTION), f"least squares: {convention}", n=slope.n)


def _describe_effect(row: str, effect: VarianceTerm, models: int) -> Iterator[Cell]:
    line = RegressionLine(effect.coefficient, 0.0, effect.p, effect.df)
    convention = "b of sum coding; p of F, type I sums of squares in the order multiple objects, relatedness, both"
    convention += "; the paper prints the sum of squares as b" if row == "main" else ""
    yield from _describe_line(row, line, convention, models)
    place, n = CellId("regressions", row, ""), effect.coefficient.n
    yield Cell(place._replace(column="p-coefficient"), effect.p_coefficient, n=n)
    yield Cell(place._replace(column="sum-of-squares"), effect.squares, n=n)
