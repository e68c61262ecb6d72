"""Means of many cells of a table at once, with standard errors and bootstrap intervals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.draws import draw_counts

RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class CellMeans:
    """One entry per cell: mean, standard error (sample sd / √n), percentile bootstrap interval, and n.

    Of an empty cell all but n are NaN, of a single observation the standard error is.
    """

    mean: NDArray[np.float64]
    sem: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n: NDArray[np.int64]
    method: str
    confidence: float

    def estimate(self, cell: int) -> Estimate | None:
        """Give the mean of one cell with its interval; None of an empty one."""
        if not self.n[cell]:
            return None
        low, high = float(self.low[cell]), float(self.high[cell])
        return Estimate(float(self.mean[cell]), low, high, int(self.n[cell]), self.method, self.confidence)


def average_cells(
    values: NDArray[np.float64],
    cells: NDArray[np.int64],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> CellMeans:
    """Average the values of each cell; `cells[i]`, from 0, is the cell of `values[i]`.

    Where a cell has two distinct values (right and wrong), the law of the resampled mean is binomial and its quantiles
    are exact, as after endless resampling; otherwise resamples are drawn. A cell's interval does not depend on the
    other cells. Where all observations are alike, the bootstrap knows no spread: Wilson's interval does.
    """
    values = np.asarray(values, dtype=np.float64)
    n = np.bincount(cells)
    counted = np.where(n > 0, n, np.nan)
    mean = np.bincount(cells, weights=values) / counted
    squares = np.bincount(cells, weights=(values - mean[cells]) ** 2)
    sem = np.sqrt(squares / np.where(n > 1, (n - 1.0) * n, np.nan))
    quantiles = (1 - confidence) / 2, (1 + confidence) / 2
    lowest, highest = _extremes(values, cells, len(n))
    share = (mean - lowest) / np.where(highest > lowest, highest - lowest, np.inf)
    low, high = (lowest + (highest - lowest) * _binomial_quantile(edge, n, share) / counted for edge in quantiles)
    is_between = (values != lowest[cells]) & (values != highest[cells])
    ends, in_order = np.cumsum(n), values[np.argsort(cells, kind="stable")]
    for cell in np.unique(cells[is_between]):
        own = in_order[ends[cell] - n[cell] : ends[cell]]
        low[cell], high[cell] = np.quantile(_replicate(own, resamples, seed), quantiles)
    method = f"mean, percentile bootstrap, {resamples} resamples, exact where two values occur"
    return CellMeans(mean, sem, low, high, n.astype(np.int64), method, confidence)


def _extremes(
    values: NDArray[np.float64], cells: NDArray[np.int64], count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Find the lowest and highest value of each cell; NaN in an empty one."""
    lowest, highest = np.full((2, count), np.nan)
    np.fmin.at(lowest, cells, values)
    np.fmax.at(highest, cells, values)
    return lowest, highest


def _binomial_quantile(quantile: float, n: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the fewest successes that as many of the draws do not exceed."""
    from scipy.special import bdtr, bdtrik

    is_certain = ~((share > 0) & (share < 1))
    inner, total = np.where(is_certain, 0.5, share), np.maximum(n, 1)
    count = np.ceil(bdtrik(quantile, total, inner))
    one_less = np.maximum(count - 1, 0)
    count = np.where(bdtr(one_less, total, inner) >= quantile, one_less, count)
    return np.where(is_certain, share * n, count)


def _replicate(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    distinct, counts = np.unique(values, return_counts=True)
    drawn = draw_counts(counts, resamples, seed)
    return np.concatenate([resample @ distinct for resample in drawn]) / len(values)
