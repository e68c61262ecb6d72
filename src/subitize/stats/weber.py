"""The Weber fraction behind a set of responses, by maximum likelihood.

The law is that of the ideal human: normal with mean t and spread W × t, rounded, between 1 and a highest
response. Whether numbers beyond these edges are drawn anew, put at the edge or cut off before rounding differs from
one observer to the next and is not known of a real one, but it changes the chances of the first and the last response
alone. So the likelihood is that of each response given that it is neither: the same W comes out of all of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.intervals import wilson_interval
from subitize.stats.number_laws import human_law

SMALLEST, LARGEST = 1e-3, 10.0
_GRID = np.geomspace(SMALLEST, LARGEST, 120)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Responses to one number: what was observed, and what the law with the fitted Weber fraction predicts."""

    number: int
    exact: Estimate
    mean: float
    sd: float | None
    predicted_exact: float
    predicted_mean: float
    predicted_sd: float


@dataclass(frozen=True, slots=True)
class Weber:
    """A Weber fraction, from the numbers above `subitizing`; up to there the curve predicts exact answers."""

    estimate: Estimate
    subitizing: int
    highest: int
    curve: tuple[CurvePoint, ...]


def fit_weber(counts: NDArray[np.int64], targets: Sequence[int], *, subitizing: int = 0) -> Weber | None:
    """Fit W to counts of (response, target), whose rows are 1..highest, with its profile-likelihood interval.

    Numbers up to `subitizing` are left out. Where every response is right, W is 0 and the interval is one-sided: it
    ends at the W that would let all be right once in 20 times. None where no response remains, or where
    responses follow no number (the likelihood still grows at W = 10).
    """
    highest = len(counts)
    estimate = _estimate(_cells(counts, targets, subitizing))
    if estimate is None:
        return None
    shown = [index for index in range(len(targets)) if counts[:, index].any()]
    curve = [_point(counts[:, index], targets[index], estimate.value, subitizing) for index in shown]
    return Weber(estimate, subitizing, highest, tuple(curve))


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cells of a matrix that have responses, and the responses to each target, without first and last rows."""

    responses: NDArray[np.int64]
    targets: NDArray[np.int64]
    counts: NDArray[np.int64]
    shown: NDArray[np.int64]
    trials: NDArray[np.int64]
    highest: int

    def log_likelihood(self, weber: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up log P(response | target, W, the response is neither 1 nor the highest), for each W."""
        off, spread = self.responses - self.targets, weber[:, None] * self.targets
        of_cells = _log_mass((off - 0.5) / spread, (off + 0.5) / spread) @ self.counts
        spread = weber[:, None] * self.shown
        of_trials = _log_mass((1.5 - self.shown) / spread, (self.highest - 0.5 - self.shown) / spread) @ self.trials
        return np.asarray(of_cells - of_trials, dtype=np.float64)


def _log_mass(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the log of the normal mass between two points, exact far out in the tails: no answer is impossible."""
    from scipy.special import log_ndtr

    is_above = low > 0
    low, high = np.where(is_above, -high, low), np.where(is_above, -low, high)
    log_low, log_high = log_ndtr(low), log_ndtr(high)
    return np.asarray(log_high + np.log(-np.expm1(np.minimum(log_low - log_high, -1e-300))), dtype=np.float64)


def _cells(counts: NDArray[np.int64], targets: Sequence[int], subitizing: int) -> _Cells:
    used = [index for index, target in enumerate(targets) if target > subitizing]
    shown, inner = np.array([targets[index] for index in used], dtype=np.int64), counts[1:-1, used]
    row, column = np.nonzero(inner)
    return _Cells(row + 2, shown[column], inner[row, column], shown, inner.sum(axis=0), len(counts))


def _estimate(cells: _Cells) -> Estimate | None:
    n = int(cells.counts.sum())
    if n == 0:
        return None
    if (cells.responses == cells.targets).all():
        high = _crossing(cells, math.log(0.05), SMALLEST, LARGEST)
        return Estimate(0.0, 0.0, high, n, "maximum likelihood, one-sided exact bound: no response is wrong")
    return _profile(cells, n)


def _profile(cells: _Cells, n: int) -> Estimate | None:
    from scipy.optimize import minimize_scalar
    from scipy.special import chdtri

    on_grid = cells.log_likelihood(_GRID)
    best = int(on_grid.argmax())
    if best == len(_GRID) - 1:
        return None
    bracket = (math.log(_GRID[max(0, best - 1)]), math.log(_GRID[best + 1]))
    found = minimize_scalar(
        lambda log_weber: -cells.log_likelihood(np.exp([log_weber]))[0],
        bounds=bracket,
        method="bounded",
        options={"xatol": 1e-9},
    )
    value = math.exp(found.x)
    level = -float(found.fun) - float(chdtri(1, 0.05)) / 2
    low = _crossing(cells, level, value, SMALLEST / 10)
    high = _crossing(cells, level, value, LARGEST)
    return Estimate(value, low, high, n, "maximum likelihood, profile interval")


def _crossing(cells: _Cells, level: float, inside: float, outside: float) -> float:
    """Find where the likelihood falls below a level; 0 or infinity where it does not."""
    from scipy.optimize import brentq

    def excess(log_weber: float) -> float:
        return float(cells.log_likelihood(np.exp([log_weber]))[0]) - level

    if excess(math.log(outside)) >= 0:
        return math.inf if outside > inside else 0.0
    return math.exp(brentq(excess, math.log(inside), math.log(outside), xtol=1e-12, rtol=1e-12))


def _point(counts: NDArray[np.int64], number: int, weber: float, subitizing: int) -> CurvePoint:
    responses = np.arange(1, len(counts) + 1)
    n = int(counts.sum())
    mean = float(counts @ responses) / n
    law = human_law(number, weber=weber, subitizing=subitizing, highest=len(counts))
    predicted_mean = float(law @ responses)
    right = int(counts[number - 1]) if number <= len(counts) else 0
    return CurvePoint(
        number,
        wilson_interval(right, n),
        mean,
        math.sqrt(float(counts @ (responses - mean) ** 2) / (n - 1)) if n > 1 else None,
        float(law[number - 1]) if number <= len(law) else 0.0,
        predicted_mean,
        math.sqrt(float(law @ (responses - predicted_mean) ** 2)),
    )
