"""The tables and figures of GIMBRR (Achterberg et al. 2023), computed from any ratings of its tasks.

Percentages go from 0 to 100. Intervals are over prompts: those with the same text form a cluster, and what the design
fixes (task, number, size) are strata. Printed figures (published.csv) come from the section “Assessment results”; the
paper has no others, as its Figures 2 to 8 print none. It truncates some (54 % is 54.74 %) and rounds others; the `b` of
its main effect is a sum of squares."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from subitize.analysis.design import estimate_by
from subitize.analysis.published import (
    AS_THE_PAPER,
    Cell,
    CellId,
    ComparedCell,
    compare_cell,
    make_cell,
    read_published,
)
from subitize.errors import BadValueError
from subitize.interfaces import Tables
from subitize.papers.gimbrr import regressions
from subitize.papers.gimbrr.prompts import ALL, CONTROLLED, RELATIONS, SINGLE, TASKS, GimbrrTask
from subitize.papers.gimbrr.ratings import Shares, TaskRatings, add_pooled
from subitize.papers.gimbrr.regressions import RELATED, UNRELATED, RegressionLine, VarianceTerm
from subitize.papers.gimbrr.release import LICENCE, MODELS, read_release, take_released
from subitize.report.claims import reproduction_result
from subitize.report.table import Result

STEP_TITLES: Mapping[str, str] = {
    "controlled-single": "one object",
    "controlled-multiple": "two objects",
    "controlled-counting": "counting one kind",
    "controlled-two-counting": "counting two kinds",
    "controlled-arithmetic": "arithmetic",
}
"""The controlled tasks, each of which requests one thing more, with short titles."""
CONVENTION = "convention"
"""The column that says how a regression was computed."""
FEW_MODELS = 10
"""With fewer models, correlations across them may be due to chance."""


def compute_tables(ratings: TaskRatings) -> list[Cell]:
    """Compute all tables, in the order of the paper."""
    return [cell for table in TABLES for cell in table(ratings)]


def overall(ratings: TaskRatings) -> Iterator[Cell]:
    """Accuracy on all prompts but the controlled ones."""
    found = estimate_by(add_pooled(ratings.benchmark), "right", "model")
    return _place("overall", {("all", model): one for (model,), one in found.items()})


def tasks(ratings: TaskRatings) -> Iterator[Cell]:
    """Accuracy by task (Figures 2 and 3)."""
    return _by_task("tasks", ratings, [*TASKS, SINGLE])


def controlled(ratings: TaskRatings) -> Iterator[Cell]:
    """Accuracy by controlled task (Figure 4)."""
    return _by_task("controlled", ratings, CONTROLLED)


def linked_singles(ratings: TaskRatings) -> Iterator[Cell]:
    """Accuracy on the single objects linked to each task (Figure 5, x-axis)."""
    found = estimate_by(add_pooled(regressions.link_singles(ratings)), "right", "task", "model")
    return _place("linked-singles", _in_order(found, map(ALL.__getitem__, regressions.COMPLEX)))


def regression_table(ratings: TaskRatings) -> Iterator[Cell]:
    """What carries over from simpler tasks (Figures 5 and 6), with two other ways to count single objects."""
    models = len(ratings.models)
    ways: Mapping[str, tuple[dict[str, Any], str]] = {
        "single": ({}, "each linked single object once per task, all its ratings"),
        "single|first-ratings": ({"first_only": True}, "of single objects rated twice, the first rating only"),
        "single|links-repeated": ({"repeat_links": True}, "each single object as often as it is linked"),
    }
    for row, (how, convention) in ways.items():
        line = regressions.fit_line(regressions.point_at_singles(ratings, **how))
        yield from _describe_line(row, line, f"complex tasks on single objects; {convention}", models)
    related, unrelated = (regressions.point_at_multiple(ratings, of) for of in (RELATED, UNRELATED))
    for row, points in (("related", related), ("unrelated", unrelated)):
        yield from _describe_line(row, regressions.fit_line(points), "tasks on multiple objects", models)
    effects = regressions.analyse(related, unrelated)
    if effects:
        main, interaction = effects
        yield from _describe_effect("interaction", interaction, models)
        yield from _describe_effect("main", main, models)


def counting_by_number(ratings: TaskRatings) -> Iterator[Cell]:
    """Accuracy on counting prompts by number (Figure 7)."""
    found = estimate_by(
        add_pooled(ratings.of("counting")).sort("number", maintain_order=True), "right", "number", "model"
    )
    return _place("counting-by-number", found)


def multiple_by_size(ratings: TaskRatings) -> Iterator[Cell]:
    """Accuracy on multiple objects by their number, and whether they are commonly seen together (Figure 8)."""
    kind = pl.when("common").then(pl.lit("common")).otherwise(pl.lit("uncommon"))
    sets = add_pooled(ratings.of("multiple").drop_nulls(["common", "objects"]))
    sets = sets.sort(~pl.col("common"), "objects", maintain_order=True)
    named = sets.with_columns(row=pl.format("{}|{}", kind, "objects"))
    return _place("multiple-by-size", estimate_by(named, "right", "row", "model"))


def correlations(ratings: TaskRatings) -> Iterator[Cell]:
    """Correlations of tasks across models; the paper has none."""
    for (one, other), r in regressions.correlate(ratings)[0].items():
        yield make_cell(CellId("correlations", ALL[one].title, ALL[other].title), r)


def covariates(ratings: TaskRatings) -> Iterator[Cell]:
    """Accuracy by other conditions within a task; the paper has none."""
    found = estimate_covariates(add_pooled(ratings.rows))
    return _place("covariates", {(f"{name}|{level}", model): one for (name, level, model), one in found.items()})


def estimate_covariates(rows: pl.DataFrame) -> Shares:
    """Estimate accuracy by other conditions within a task, by condition, level and model."""
    shares: Shares = {}
    for name, (task, column, levels) in COVARIATES.items():
        found = estimate_by(rows.filter(pl.col("task") == task), "right", column, "model")
        known = levels or {level: str(level) for level in sorted({level for level, _ in found})}
        for level, title in known.items():
            shares |= {(name, title, model): one for (of, model), one in found.items() if of == level}
    return shares


COVARIATES: Mapping[str, tuple[str, str, Mapping[Any, str]]] = {
    "target": ("conditional", "target_position", {1: "first", 2: "second"}),
    "adjective": ("conditional", "adjective", {False: "no", True: "yes"}),
    "features": ("chimeras", "features", {}),
    "relation": ("spatial", "relation", {relation: relation for relation in RELATIONS}),
    "controlled-counting": ("controlled-counting", "number", {}),
}
"""By name: the task it varies in, its column, and its levels with their titles (empty: all that occur)."""

Table = Callable[[TaskRatings], Iterator[Cell]]
TABLES: tuple[Table, ...] = (
    overall,
    tasks,
    controlled,
    linked_singles,
    regression_table,
    counting_by_number,
    multiple_by_size,
    covariates,
)


def _by_task(table: str, ratings: TaskRatings, wanted: Iterable[GimbrrTask]) -> Iterator[Cell]:
    return _place(table, _in_order(estimate_by(add_pooled(ratings.rows), "right", "task", "model"), wanted))


def _in_order(found: Shares, tasks: Iterable[GimbrrTask]) -> Shares:
    """Sort shares by task and model in the order of tasks, and use their titles."""
    return {(task.title, model): one for task in tasks for (key, model), one in found.items() if key == task.key}


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


PUBLISHED: Mapping[CellId, str] = read_published(Path(__file__).with_name("published.csv"))
"""Every printed figure, by its place in `subitize report reproduce gimbrr --json`."""


if TYPE_CHECKING:
    from subitize.analysis.claims import Claim
    from subitize.store import Run


def reproduce_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the tables from the released files, on request with our extensions."""
    if folder is None:
        raise BadValueError("gimbrr needs its release: subitize report reproduce gimbrr DIR")
    release = read_release(folder)
    ratings = take_released(release)
    return _tabulate(ratings, (*ratings.warnings(), *release.warnings, LICENCE), extensions=extensions, names={})


def tabulate_run(run: "Run", judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables from the ratings in a run, on request with our extensions."""
    from subitize.papers.gimbrr.ratings import read_run  # not needed for released files

    names = {spec: name for spec, name in run.model_names().items() if spec not in MODELS}
    return _tabulate(*read_run(run, judge), extensions=extensions, names=names)


def compare(cells: Iterable[Cell], models: Iterable[str]) -> list[ComparedCell]:
    """Compare cells with the printed ones; regressions pool all models, so only if these are the paper's."""
    is_same = set(models) == set(MODELS)
    printed = {place: text for place, text in PUBLISHED.items() if is_same or place.table != "regressions"}
    return [
        compare_cell(
            cell,
            printed.get(cell.place),
            points=math.inf if cell.place.table == "regressions" else 1.0,
            is_truncated=True,
        )
        for cell in cells
    ]


def _tabulate(ratings: TaskRatings, warnings: Sequence[str], *, extensions: bool, names: Mapping[str, str]) -> Tables:
    cells = [*compute_tables(ratings), *(correlations(ratings) if extensions else ())]
    found = compare(cells, ratings.models)
    return Tables(found, warnings, lambda: _claims(ratings.rename(names)), show_tables)


def _claims(ratings: TaskRatings) -> "Sequence[Claim]":
    from subitize.papers.gimbrr.claims import claims  # they take titles from here

    return claims(ratings)


def show_tables(comparisons: Sequence[ComparedCell]) -> Result:
    """Show each table, and below it how regressions were computed."""
    cells = [one for one in comparisons if one.column != CONVENTION]
    found = reproduction_result([replace(one, column=MODELS.get(one.column, one.column)) for one in cells])
    conventions = [f"{one.row}: {one.ours}" for one in comparisons if one.column == CONVENTION]
    return replace(found, notes=(*found.notes, *conventions))
