"""Krippendorff's α: how far raters agree beyond chance, at each level of measurement."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.draws import draw_counts
from subitize.stats.ratings import Ratings

Level = Literal["nominal", "ordinal", "interval", "ratio"]

RESAMPLES = 1000
_SEED = 0
_ROWS_AT_ONCE = 4096


def krippendorff_alpha(ratings: Ratings, level: Level, *, resamples: int = RESAMPLES) -> Estimate | None:
    """Estimate α, with a percentile interval from resampling units; n is the number of units with two answers or more.

    Units with one answer say nothing of agreement and are left out. None where α is not defined: no unit has two
    answers, or all answers are the same value, so that chance could not have made a difference. Resamples of which
    that is true are left out. Without resamples, the interval is unbounded.
    """
    return krippendorff_alphas(ratings, (level,), resamples=resamples).get(level)


def krippendorff_alphas(
    ratings: Ratings, levels: Sequence[Level], *, resamples: int = RESAMPLES
) -> dict[Level, Estimate]:
    """Estimate α at several levels, from the same resamples; there is nothing in it where α is not defined."""
    pairable = ratings.keep(ratings.raters > 1)
    if np.count_nonzero(pairable.counts.any(axis=0)) < 2:
        return {}
    alphas = {
        level: _alphas_by_rank(pairable) if level == "ordinal" else _alphas_by_distance(pairable, level)
        for level in levels
    }
    drawn: dict[Level, list[NDArray[np.float64]]] = {level: [] for level in levels}
    for units in draw_counts(pairable.units, resamples, _SEED):
        for level in levels:
            drawn[level].append(alphas[level](units))
    own, n = pairable.units[None].astype(np.float64), int(pairable.units.sum())
    found: dict[Level, Estimate] = {}
    for level in levels:
        value = float(alphas[level](own)[0])
        if not drawn[level]:
            found[level] = Estimate(value, -np.inf, 1.0, n, f"α, {level}, without interval")
            continue
        low, high = np.nanquantile(np.concatenate(drawn[level]), [0.025, 0.975])
        method = f"α, {level}, percentile bootstrap of units, {resamples} resamples"
        found[level] = Estimate(value, min(float(low), value), max(float(high), value), n, method)
    return found


# From numbers of units per row (resample, row) to α of each resample; NaN where it is not defined.
_Alphas = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _alphas_by_distance(ratings: Ratings, level: Level) -> _Alphas:
    """Prepare α where the distance of two values does not depend on how often they were given."""
    distances = _distances(ratings.values, level)
    starts = range(0, len(ratings.units), _ROWS_AT_ONCE)
    blocks = (ratings.counts[start : start + _ROWS_AT_ONCE] for start in starts)
    within = np.concatenate([((block @ distances) * block).sum(axis=1) for block in blocks]) / (ratings.raters - 1)

    def alphas(units: NDArray[np.float64]) -> NDArray[np.float64]:
        given = units @ ratings.counts
        expected = ((given @ distances) * given).sum(axis=1)
        return _compare(units @ within, expected, given)

    return alphas


def _distances(values: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    difference = np.abs(values[:, None] - values)
    if level == "ratio":
        total = values[:, None] + values
        difference = difference / np.where(total == 0, np.inf, total)
    return np.where(difference != 0, 1.0, 0.0) if level == "nominal" else difference**2


def _alphas_by_rank(ratings: Ratings) -> _Alphas:
    """Prepare α where two values are as far apart as there are answers between them, in each resample others.

    That is how far their mean ranks are apart; and as ranks are numbers on a line, sums of squares do for pairs.
    """
    raters, counts = ratings.raters, ratings.counts

    def alphas(units: NDArray[np.float64]) -> NDArray[np.float64]:
        given = units @ counts
        n = given.sum(axis=1, keepdims=True)
        ranks = np.cumsum(given, axis=1) - (given + n) / 2  # their mean is 0
        per_unit = units / (raters - 1)
        squares = (((per_unit * raters) @ counts) * ranks**2).sum(axis=1)
        within = squares - (per_unit * (ranks @ counts.T) ** 2).sum(axis=1)
        return _compare(within, n[:, 0] * (given * ranks**2).sum(axis=1), given)

    return alphas


def _compare(
    within: NDArray[np.float64], expected: NDArray[np.float64], given: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray(1 - (given.sum(axis=1) - 1) * within / np.where(expected > 0, expected, np.nan))
