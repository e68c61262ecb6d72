"""How alike replies are to a known law: the correlation of the cells of two confusion matrices.

It is about prompts (or pictures) like these, answered without end. What few replies, or few prompts, leave of chance in
a matrix only ever lowers its correlation with a law; the interval takes that back.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.confusion import pearson
from subitize.stats.estimator import Spread, gather_groups, measure_spread, stack_groups
from subitize.stats.replies import Replies, combine
from subitize.stats.resampling import move_some

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_WHAT = "Pearson correlation"
_NO_SPREAD = 1e-12
_MOST_NOISE = 0.5  # of the variance of a matrix's cells; with more, nobody can tell what is behind it


def correlate(replies: Replies, targets: Sequence[int], law: Floats, *, with_no_count: bool = False) -> Estimate | None:
    """Correlate the shares of replies, averaged over categories, with those of a law whose columns are targets.

    Replies above the highest fall into the last row; those below 1, and what is no count, have none and are left out,
    and with them numbers that were never counted. `with_no_count` gives them a row of their own, which the law has
    nothing in, if there are any. None where all cells are alike.
    """
    cells = _place(replies, np.asarray(targets), len(law), with_no_count=with_no_count)
    if with_no_count and (cells.rows == len(law)).any():
        law = np.concatenate([law, np.zeros((1, law.shape[1]))])
    shown = np.unique(cells.columns)
    expected = law[:, shown]
    shares = cells.sum(law.shape)[:, shown]
    value = float(pearson(shares, expected)) if len(shown) else math.nan
    if not math.isfinite(value):
        return None
    n = len(cells.rows)
    slopes = np.zeros(law.shape)
    slopes[:, shown], size = _linearize(shares, expected, value)
    spread = _spread(cells, slopes[cells.rows, cells.columns])
    if not math.isfinite(spread.variance[0]):
        return Estimate(value, -1.0, 1.0, n, f"{_WHAT}, one cluster: whatever is possible")
    if spread.variance[0] <= _NO_SPREAD**2:
        return _allow_for_others(cells, value, law, shown)
    noise = _noise(cells, len(law)) * len(shown) ** 2 / size
    if noise > _MOST_NOISE:
        return Estimate(value, -1.0, 1.0, n, f"{_WHAT}, too few replies for an interval: whatever is possible")
    return _enclose(value, spread, len(shown), noise, n)


def design_effect(replies: Replies, targets: Sequence[int], highest: int) -> float:
    """Tell how many times larger the variance of a matrix's cells is than if all replies were independent, at least 1.

    One cluster alone makes it infinite.
    """
    cells = _place(replies, np.asarray(targets), highest, with_no_count=False)
    if len(np.unique(combine(cells.clusters, cells.columns))) == len(cells.rows):
        return 1.0
    alone = replace(cells, clusters=np.arange(len(cells.rows)))
    return max(1.0, _noise(cells, highest) / max(_noise(alone, highest), _NO_SPREAD))


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cell of each reply (row, column), and what it weighs there."""

    rows: Integers
    columns: Integers
    categories: Integers
    weights: Floats
    clusters: Integers
    strata: Integers

    def sum(self, shape: tuple[int, ...]) -> Floats:
        matrix = np.zeros(shape)
        np.add.at(matrix, (self.rows, self.columns), self.weights)
        return matrix


def _place(replies: Replies, targets: Integers, highest: int, *, with_no_count: bool) -> _Cells:
    rows = np.where(replies.numbers >= 1, np.minimum(replies.numbers, highest) - 1, highest).astype(np.int64)
    columns = np.searchsorted(targets, replies.targets)
    kept = np.ones(len(rows), dtype=bool) if with_no_count else rows < highest
    rows, columns, categories, clusters, strata = (
        values[kept] for values in (rows, columns, replies.categories, replies.clusters, replies.strata)
    )
    # The columns of a matrix are fixed, even where a design has no strata.
    strata = combine(columns, strata)
    trials = np.zeros((int(replies.categories.max(initial=0)) + 1, len(targets)))
    np.add.at(trials, (categories, columns), 1)
    weights = 1 / (trials[categories, columns] * (trials > 0).sum(axis=0)[columns])
    return _Cells(rows, columns, categories, weights, clusters, strata)


def _linearize(shares: Floats, expected: Floats, value: float) -> tuple[Floats, float]:
    """Tell how the correlation changes with each cell, and how much the cells vary."""
    shares, expected = shares - shares.mean(), expected - expected.mean()
    size, of_expected = float((shares**2).sum()), float((expected**2).sum())
    return expected / math.sqrt(size * of_expected) - value * shares / size, size


def _spread(cells: _Cells, values: Floats) -> Spread:
    one_group = np.zeros(len(values), dtype=np.int64)
    return measure_spread(gather_groups(values, one_group, cells.clusters, cells.strata, weights=cells.weights))


def _noise(cells: _Cells, height: int) -> float:
    """Sum the variances that chance leaves in the cells, relative to the square of the number of columns."""
    # Rows of a column by cluster: replies in other rows are zeros there.
    units = combine(cells.clusters, cells.columns)
    _, first, cluster = np.unique(units, return_index=True, return_inverse=True)
    count = len(first)
    weights = np.bincount(cluster, cells.weights).astype(np.float64)
    means = np.zeros((height, count))
    np.add.at(means, (cells.rows, cluster), cells.weights)
    found = stack_groups(means / weights, weights, weights, cells.strata[first])
    return float(measure_spread(found).variance.sum())


def _enclose(value: float, spread: Spread, columns: int, noise: float, n: int) -> Estimate:
    """Put Student's interval around the correlation that the replies would have without chance."""
    from scipy.special import stdtrit

    without_noise = value / math.sqrt(1 - noise)
    error = columns * math.sqrt(float(spread.variance[0])) / math.sqrt(1 - noise)
    half = float(stdtrit(float(spread.degrees[0]), 0.975)) * error
    low, high = (min(max(edge, -1.0), 1.0) for edge in (without_noise - half, without_noise + half))
    (layout,) = spread.layouts()
    method = f"{_WHAT}, Student's interval of its linearization over {layout}, corrected for chance in the matrix"
    return Estimate(value, min(low, value), max(high, value), n, method)


def _allow_for_others(cells: _Cells, value: float, law: Floats, shown: Integers) -> Estimate:
    """Where nothing varies, as many clusters as Wilson's bound allows may still reply something else."""
    counts = np.zeros((int(cells.categories.max()) + 1, *law.shape), dtype=np.int64)
    once = np.unique(np.stack([cells.clusters, cells.categories, cells.rows, cells.columns]), axis=1)[1:]
    np.add.at(counts, tuple(once), 1)
    counts = counts[..., shown]

    def statistic(counts: Integers) -> float:
        trials = counts.sum(axis=-2, keepdims=True)
        shares = counts / np.maximum(trials, 1)
        return float(pearson(shares.sum(axis=0) / np.maximum((trials > 0).sum(axis=0), 1), law[:, shown]))

    others = [value, *map(statistic, move_some(counts))]
    method = f"{_WHAT}, replies never vary: Wilson bound on the share of clusters with others"
    return Estimate(value, float(np.nanmin(others)), float(np.nanmax(others)), len(cells.rows), method)
