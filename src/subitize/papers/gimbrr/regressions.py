"""Does one ability carry over to another? Shares of tasks regressed on shares of simpler ones, by model and task.

As in the paper, points are taken as independent, although those of the same model are correlated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis.papers import models_of
from subitize.papers.gimbrr.prompts import SINGLE, TASKS
from subitize.records import Estimate
from subitize.stats.estimate import student
from subitize.stats.regression import pearson_interval

Floats = NDArray[np.float64]

MULTIPLE = "multiple"
"""The task that others build on."""
RELATED = ("actions", "spatial", "unusual")
"""Tasks that need several objects in one picture."""
UNRELATED = ("conditional", "compositional")
"""Tasks that need one object only."""
COMPLEX = tuple(task.key for task in TASKS if task.key not in ("arithmetic", "text"))
"""All tasks except arithmetic and text, which no model in the paper could do."""
RESAMPLES = 10_000
_LEAST_POINTS = 3


class RegressionPoint(NamedTuple):
    """A model's share right in a task (y), and in the simpler one that it builds on (x)."""

    model: str
    task: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class RegressionLine:
    """A line through points, with Student's interval of its slope and the two-sided p for a slope of 0."""

    slope: Estimate
    intercept: float
    p: float
    df: int


@dataclass(frozen=True, slots=True)
class VarianceTerm:
    """A term of an analysis of variance: its sum of squares with the p of F, its coefficient with the p of t."""

    coefficient: Estimate
    p_coefficient: float
    squares: float
    p: float
    df: int


@dataclass(frozen=True, slots=True)
class Band:
    """A fitted line at several x, with the middle 95 % of lines through resampled points."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats


def of(rows: pl.DataFrame, *tasks: str) -> pl.DataFrame:
    """Return the ratings of some tasks, by their keys."""
    return rows.filter(pl.col("task").is_in(tasks))


def means_by(rows: pl.DataFrame, *by: str) -> Mapping[tuple[Any, ...], float]:
    """Average accuracy by group."""
    found = rows.group_by(by, maintain_order=True).agg(pl.col("right").mean())
    return {tuple(names): mean for *names, mean in found.iter_rows()}


def link_singles(rows: pl.DataFrame, *, first_only: bool = False, repeat_links: bool = False) -> pl.DataFrame:
    """Return the ratings of the single objects linked to each task, with a column `task`.

    Each single object counts once per task, or as often as it is linked; with all its ratings, or only the first.
    """
    links = (
        of(rows, *COMPLEX)
        .unique(["task", "item"], maintain_order=True)
        .select("task", pl.col("linked").str.split(",").alias("key"))
        .explode("key")
        .drop_nulls("key")
    )
    links = links if repeat_links else links.unique(["task", "key"], maintain_order=True)
    singles = of(rows, SINGLE.key).drop("task")
    singles = singles.filter("is_first") if first_only else singles
    return links.join(singles, on="key", maintain_order="left_right")


def point_at_singles(
    rows: pl.DataFrame, *, first_only: bool = False, repeat_links: bool = False
) -> list[RegressionPoint]:
    """Pair each model's share in a task with that in the single objects linked to it."""
    linked = means_by(link_singles(rows, first_only=first_only, repeat_links=repeat_links), "model", "task")
    own = means_by(rows, "model", "task")
    return [
        RegressionPoint(model, task, linked[model, task], own[model, task])
        for model in models_of(rows)
        for task in COMPLEX
        if (model, task) in linked and (model, task) in own
    ]


def point_at_multiple(rows: pl.DataFrame, tasks: Iterable[str]) -> list[RegressionPoint]:
    """Pair each model's share in a task with that in multiple objects."""
    own = means_by(rows, "model", "task")
    return [
        RegressionPoint(model, task, own[model, MULTIPLE], own[model, task])
        for model in models_of(rows)
        for task in tasks
        if (model, MULTIPLE) in own and (model, task) in own
    ]


def fit_line(points: Sequence[RegressionPoint]) -> RegressionLine | None:
    """Fit a line by least squares; None for fewer than three points, or if all share one x or one y."""
    x, y = _coordinates(points)
    if len(points) < _LEAST_POINTS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    fit = _fit(np.column_stack([np.ones(len(x)), x]), y)
    return RegressionLine(fit.estimate(1), float(fit.coefficients[0]), fit.p(1), fit.df)


def analyse(
    related: Sequence[RegressionPoint], unrelated: Sequence[RegressionPoint]
) -> tuple[VarianceTerm, VarianceTerm] | None:
    """Test the main effect of x and its interaction with relatedness: type I sums of squares, sum coding.

    The order is x, relatedness, both. None if x or y is constant, or if there are too few points.
    """
    x, y = _coordinates([*related, *unrelated])
    group = np.concatenate([np.ones(len(related)), -np.ones(len(unrelated))])
    terms = np.column_stack([np.ones(len(x)), x, group, x * group])
    if len(x) <= terms.shape[1] or np.linalg.matrix_rank(terms) < terms.shape[1] or np.ptp(y) == 0:
        return None
    full = _fit(terms, y)
    left = [_fit(terms[:, :width], y).squares for width in range(1, terms.shape[1])] + [full.squares]
    explained = -np.diff(left)
    return _effect(full, 1, float(explained[0])), _effect(full, 3, float(explained[2]))


def draw_band(points: Sequence[RegressionPoint], *, places: int = 40, seed: int = 0) -> Band | None:
    """Resample the points 10,000 times, fit a line through each sample, and keep the middle 95 % at each x."""
    line = fit_line(points)
    if line is None:
        return None
    x, y = _coordinates(points)
    grid = np.linspace(x.min(), x.max(), places)
    drawn = np.random.default_rng(seed).integers(len(x), size=(RESAMPLES, len(x)))
    xs, ys = x[drawn], y[drawn]
    centred = xs - xs.mean(axis=1, keepdims=True)
    spread = (centred**2).sum(axis=1)
    has_slope = spread > 1e-12  # a sample may repeat a single point
    slopes = (centred * ys).sum(axis=1)[has_slope] / spread[has_slope]
    starts = ys.mean(axis=1)[has_slope] - slopes * xs.mean(axis=1)[has_slope]
    low, high = np.quantile(starts[:, None] + slopes[:, None] * grid, [0.025, 0.975], axis=0)
    return Band(grid, line.intercept + line.slope.value * grid, low, high)


def correlate(rows: pl.DataFrame) -> tuple[dict[tuple[str, str], Estimate], list[str]]:
    """Correlate the shares of each pair of tasks across three or more models; tasks that never vary come second."""
    means, models = means_by(rows, "model", "task"), models_of(rows)
    if len(models) < _LEAST_POINTS:
        return {}, []
    tasks = [task.key for task in (*TASKS, SINGLE) if all((model, task.key) in means for model in models)]
    shares = {task: [means[model, task] for model in models] for task in tasks}
    varied = [task for task in tasks if np.ptp(shares[task]) > 0]
    found = {(one, other): pearson_interval(shares[one], shares[other]) for one, other in combinations(varied, 2)}
    return {pair: r for pair, r in found.items() if r}, [task for task in tasks if task not in varied]


class _Fit(NamedTuple):
    coefficients: Floats
    errors: Floats
    squares: float
    df: int
    n: int

    def estimate(self, place: int) -> Estimate:
        value, half = float(self.coefficients[place]), student(self.df) * float(self.errors[place])
        return Estimate(value, value - half, value + half, self.n, "least squares, Student's interval")

    def p(self, place: int) -> float:
        from scipy.special import stdtr

        with np.errstate(divide="ignore"):
            t = np.abs(self.coefficients[place]) / self.errors[place]
        return 2 * float(stdtr(self.df, -t))


def _coordinates(points: Sequence[RegressionPoint]) -> tuple[Floats, Floats]:
    return np.array([one.x for one in points]), np.array([one.y for one in points])


def _fit(design: Floats, y: Floats) -> _Fit:
    coefficients = np.asarray(np.linalg.lstsq(design, y, rcond=None)[0], dtype=np.float64)
    residuals = y - design @ coefficients
    squares, df = float(residuals @ residuals), len(y) - design.shape[1]
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * squares / max(df, 1))
    return _Fit(coefficients, errors, squares, df, len(y))


def _effect(full: _Fit, place: int, squares: float) -> VarianceTerm:
    from scipy.special import fdtrc

    with np.errstate(divide="ignore"):  # all points may lie exactly on the lines
        f = np.divide(squares, full.squares / full.df)
    return VarianceTerm(full.estimate(place), full.p(place), squares, float(fdtrc(1, full.df, f)), full.df)
