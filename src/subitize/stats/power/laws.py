"""What one prompt can give, and how likely: images of a prompt hang together, and so do two models on one prompt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.stats.passes import pass_at_k

Floats = NDArray[np.float64]

_DECIMALS = 12  # values that are equal but for rounding are one
_NO_ICC = 1e-9
_ALL_ICC = 1 - 1e-9
_NODES = 4000
_EDGE = 1e-12


@dataclass(frozen=True, slots=True)
class Law:
    """The values that a prompt can give, ascending, and the share of each; the shares sum to 1."""

    values: Floats
    shares: Floats

    @property
    def mean(self) -> float:
        """The value to be expected."""
        return float(self.values @ self.shares)


def beta_binomial(images: int, rate: float, icc: float) -> Floats:
    """Give the shares of prompts with 0, 1, … right images.

    The chance of a right image differs between prompts as a beta law with mean `rate`; `icc` is the correlation of two
    images of one prompt: 0 where all prompts are alike, 1 where a prompt is always right or always wrong.
    """
    from scipy.special import betaln, gammaln

    if icc >= _ALL_ICC:
        shares = np.zeros(images + 1)
        shares[[0, -1]] = 1 - rate, rate
        return shares
    right = np.arange(images + 1)
    if icc <= _NO_ICC:
        return np.asarray(_binomial(images, np.array([rate]))[0])
    a, b = rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc
    choices = gammaln(images + 1) - gammaln(right + 1) - gammaln(images - right + 1)
    shares = np.exp(choices + betaln(right + a, images - right + b) - betaln(a, b))
    return np.asarray(shares / shares.sum())


def success_values(images: int, at: int) -> Floats:
    """Give what a prompt counts by the number of its right images: the share of choices of `at` with a right one."""
    return np.array([pass_at_k(images, right, at) for right in range(images + 1)])


def outcome_law(images: int, rate: float, icc: float, at: int = 1) -> Law:
    """Give the law of a prompt's pass@k (k = `at`; 1: its share of right images); `rate` is that of single images."""
    return _merge(success_values(images, at), beta_binomial(images, rate, icc))


def image_rate(success: float, icc: float, at: int) -> float:
    """Find the rate of single images at which pass@k is `success`."""
    if at == 1:
        return success
    from scipy.optimize import brentq

    def excess(rate: float) -> float:
        return 1 - float(beta_binomial(at, rate, icc)[0]) - success

    return float(brentq(excess, _EDGE, 1 - _EDGE)) if icc < _ALL_ICC else success


@dataclass(frozen=True, slots=True)
class Pair:
    """Two conditions on the same prompts, by the rates of their single images.

    `correlation` is that of the prompts' chances in both. A share of the prompts is equally hard in both, in that their
    chances stand at the same quantile; in the others the two are independent. The share is that which gives the
    correlation, at most 1.
    """

    first: float
    second: float
    icc: float
    correlation: float

    def joint(self, images: int) -> Floats:
        """Give the shares of prompts by right images in the first (row) and the second condition (column)."""
        apart = np.outer(beta_binomial(images, self.first, self.icc), beta_binomial(images, self.second, self.icc))
        shared = self.shared
        return apart if shared == 0 else shared * self._together(images) + (1 - shared) * apart

    @property
    def shared(self) -> float:
        """The share of prompts that are equally hard in both."""
        if self.correlation == 0 or self.icc <= _NO_ICC:
            return 0.0
        spread = self.icc * np.sqrt(self.first * (1 - self.first) * self.second * (1 - self.second))
        return min(1.0, float(self.correlation * spread / self._most_covariance()))

    def _most_covariance(self) -> float:
        return float(self._together(1)[1, 1]) - self.first * self.second

    def _together(self, images: int) -> Floats:
        """Give the joint law where every prompt is equally hard in both."""
        if self.icc >= _ALL_ICC:
            shares = np.zeros((images + 1, images + 1))
            both = min(self.first, self.second)
            shares[0, 0] = 1 - max(self.first, self.second)
            shares[-1, 0], shares[0, -1], shares[-1, -1] = self.first - both, self.second - both, both
            return shares
        from scipy.special import betaincinv

        nodes, weights = _quantiles()
        odds = (1 - self.icc) / self.icc
        first, second = (betaincinv(rate * odds, (1 - rate) * odds, nodes) for rate in (self.first, self.second))
        return np.asarray((_binomial(images, first) * weights[:, None]).T @ _binomial(images, second))


def difference_law(pair: Pair, images: int, at: int = 1) -> Law:
    """Give the law of a prompt's pass@k in the second condition minus that in the first."""
    values = success_values(images, at)
    return _merge((values[None, :] - values[:, None]).ravel(), pair.joint(images).ravel())


def discordance_range(pair: Pair) -> tuple[float, float]:
    """Give the least and largest chance that one image of each condition, of one prompt, differ in being right."""
    most = pair.first * (1 - pair.second) + pair.second * (1 - pair.first)
    return most - 2 * max(0.0, pair._most_covariance()), most


def _quantiles() -> tuple[Floats, Floats]:
    """Give nodes between 0 and 1, closer to one another at both ends, with their weights."""
    places = (np.arange(_NODES) + 0.5) / _NODES
    nodes = np.sin(np.pi / 2 * places) ** 2
    weights = np.sin(np.pi * places)
    return nodes, weights / weights.sum()


def _binomial(images: int, rates: Floats) -> Floats:
    """Give the shares of 0, 1, … right images for each rate, as rows."""
    from scipy.special import gammaln, xlog1py, xlogy

    right = np.arange(images + 1)
    choices = gammaln(images + 1) - gammaln(right + 1) - gammaln(images - right + 1)
    chances = np.asarray(rates)[:, None]
    return np.asarray(np.exp(choices + xlogy(right, chances) + xlog1py(images - right, -chances)))


def _merge(values: Floats, shares: Floats) -> Law:
    kept, place = np.unique(np.round(values, _DECIMALS) + 0.0, return_inverse=True)
    summed = np.bincount(place, weights=shares)
    is_there = summed > 0
    return Law(kept[is_there], summed[is_there] / summed[is_there].sum())
