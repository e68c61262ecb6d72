"""How prompts differ: between strata, which the design fixes, and within them, by chance."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from subitize.stats.estimator import Floats, Integers

_STEEPEST = 20.0  # strata are nearly all or nothing
_NODES = np.sin(np.linspace(0, np.pi / 2, 1_001)) ** 2  # closer to one another at both ends
_LITTLE = 1e-9


def size_strata(shares: Sequence[float], prompts: int) -> Integers:
    """Divide prompts among strata by their shares; strata that get none are left out."""
    ends = np.rint(np.cumsum(shares) / sum(shares) * prompts + _LITTLE)
    sizes = np.diff(ends, prepend=0).astype(np.int64)
    return np.asarray(sizes[sizes > 0])


def place_strata(
    sizes: Integers, mean: float, icc: float, icc_within: float, variance: float, link: Callable[[Floats], Floats]
) -> Floats:
    """Put strata on a line, seen through a link, so that they have this mean and their part of the variance.

    Of the variance within a stratum, `icc_within` is between prompts; of all of it, `icc` is between prompts or strata.
    Where strata cannot differ so much, they differ as much as they can.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    if icc <= icc_within or len(sizes) == 1:
        return np.full(len(sizes), mean)
    between = variance * (icc - icc_within) / (1 - icc_within)
    shares = sizes / sizes.sum()
    scores = np.asarray(ndtri(np.cumsum(shares) - shares / 2))

    def at(slope: float) -> Floats:
        middle = brentq(lambda middle: shares @ link(middle + slope * scores) - mean, -100, 100, xtol=1e-13)
        return np.asarray(link(middle + slope * scores))

    def excess(slope: float) -> float:
        return float(shares @ (at(slope) - mean) ** 2) - between

    return at(brentq(excess, 0.0, _STEEPEST) if excess(_STEEPEST) > 0 else _STEEPEST)


def find_chances(places: Floats, sizes: Integers, rates: Floats, icc: float) -> Floats:
    """Give prompts (the last axis, stratum by stratum) the chances at their places, from 0 to 1, in their laws."""
    chances, ends = np.empty_like(places), np.cumsum(sizes)
    for rate, begin, end in zip(rates.tolist(), ends - sizes, ends, strict=True):
        chances[..., begin:end] = np.interp(places[..., begin:end], _NODES, _quantiles(rate, icc))
    return chances


def most_covariance(first: float, second: float, icc: float) -> float:
    """Compute the covariance of two models' chances where every prompt is at the same place in both laws."""
    both = _quantiles(first, icc) * _quantiles(second, icc)
    return float((both[1:] + both[:-1]) / 2 @ np.diff(_NODES)) - first * second


def success_rate(rates: Floats, icc: float, at: int) -> Floats:
    """Compute how likely one of `at` images of a prompt is right."""
    none = 1 - rates
    for place in range(1, at):
        none = none * ((1 - rates) * (1 - icc) + place * icc) / (1 - icc + place * icc)
    return np.asarray(1 - none)


@lru_cache(maxsize=4_096)
def _quantiles(rate: float, icc: float) -> Floats:
    """Tabulate the law of chances: a beta law, of which `icc` is the correlation of two images of one prompt."""
    from scipy.special import betaincinv

    if icc <= _LITTLE or not _LITTLE**2 < rate < 1 - 1e-15:
        return np.full(len(_NODES), rate)
    if icc >= 1 - _LITTLE:
        return (1 - rate < _NODES).astype(np.float64)
    odds = (1 - icc) / icc
    return np.asarray(betaincinv(rate * odds, (1 - rate) * odds, _NODES))
