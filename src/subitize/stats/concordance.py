"""Do several raters put the same things in the same order? Kendall's W, and Friedman's test of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.resampling import has_spread, widened_interval

RESAMPLES = 1000
_DECIMALS = 12  # means that are equal but for rounding are ties
_BOUNDS = (0.0, 1.0)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Concordance:
    """Kendall's W, 1 if all raters give one order and 0 if none is shared, with Friedman's χ² and its p."""

    w: float
    chi_squared: float
    p: float
    raters: int
    things: int


def kendall_w(values: Floats) -> Concordance | None:
    """Compute W of values (rater, thing), corrected for ties; χ² = W · raters · (things − 1).

    None with fewer than two raters or things, or where no rater tells any two things apart.
    """
    from scipy.special import chdtrc

    raters, things = values.shape
    if raters < 2 or things < 2:
        return None
    w = float(_w(values))
    if np.isnan(w):
        return None
    chi_squared = w * raters * (things - 1)
    return Concordance(w, chi_squared, float(chdtrc(things - 1, chi_squared)), raters, things)


def resampled_w(values: Floats, *, seed: int = 0) -> Estimate | None:
    """Estimate W of means over items of values (item, rater, thing), with a bootstrap of items.

    Few items make ranks differ by chance, so W is estimated too low: the interval is widened by how much lower it gets
    in resamples. Where no resample differs, it is whatever is possible.
    """
    items = len(values)
    found = kendall_w(values.mean(axis=0)) if items else None
    if found is None:
        return None
    drawn = np.random.default_rng(seed).multinomial(items, np.full(items, 1 / items), size=RESAMPLES)
    replicates = _w(np.tensordot(drawn / items, values, axes=1))
    if items < 2 or not has_spread(replicates):
        return Estimate(found.w, *_BOUNDS, items, "Kendall's W, resamples of items never vary: whatever is possible")
    low, high = widened_interval(found.w, replicates, _BOUNDS, items / (items - 1))
    method = f"Kendall's W, basic bootstrap of items, {RESAMPLES} resamples, widened by their shift"
    return Estimate(found.w, low, high, items, method)


def average_ranks(values: Floats) -> Floats:
    """Rank along the last axis, the smallest first; what is tied shares the mean of its ranks."""
    below, tied = _compare(values)
    return np.asarray(below + (tied + 1) / 2)


def _w(values: Floats) -> Floats:
    """Compute W of (…, rater, thing); NaN where nothing is ranked."""
    below, tied = _compare(values)
    raters, things = values.shape[-2:]
    sums = (below + (tied + 1) / 2).sum(axis=-2)
    squares = ((sums - sums.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    # Each of t tied things contributes t² − 1, together t³ − t.
    ties = (tied**2 - 1).sum(axis=(-2, -1))
    most = raters**2 * (things**3 - things) - raters * ties
    return np.asarray(np.where(most > 0, 12 * squares / np.where(most > 0, most, 1.0), np.nan))


def _compare(values: Floats) -> tuple[Floats, Floats]:
    """Count, for each thing, those that are smaller and those that are as large, itself among them."""
    rounded = np.round(values, _DECIMALS)
    mine, others = rounded[..., :, None], rounded[..., None, :]
    return (others < mine).sum(axis=-1).astype(np.float64), (others == mine).sum(axis=-1).astype(np.float64)
