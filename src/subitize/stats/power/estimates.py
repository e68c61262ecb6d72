"""What to assume, from images there are: how often they are right, and how those of one prompt hang together."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.clusters import cluster_mean

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Rate, correlation of two images of a prompt (None: no prompt has two) and that of two conditions' chances."""

    rate: Estimate
    icc: Estimate | None
    correlation: float | None = None
    discordance: float | None = None


def like_one(right: Counts, images: Counts) -> Likeness:
    """Estimate from prompts of which so many of so many images are right."""
    values = np.repeat(right / images, images)
    rate = cluster_mean(values, np.repeat(np.arange(len(images)), images)).mean
    value = intraclass_correlation(right, images)
    return Likeness(rate, None if value is None else _jackknife(right, images, value))


def like_two(first: tuple[Counts, Counts], second: tuple[Counts, Counts]) -> Likeness:
    """Estimate from the same prompts in two conditions; rate and correlation of images are those of the first.

    The covariance of two conditions' shares over prompts is that of their chances, as their images are drawn apart.
    """
    one = like_one(*first)
    shares = np.stack([first[0] / first[1], second[0] / second[1]])
    spreads = [_chance_variance(*counts) for counts in (first, second)]
    discordance = float((shares[0] * (1 - shares[1]) + shares[1] * (1 - shares[0])).mean())
    if len(first[0]) < 2 or None in spreads or not all(spreads):
        return Likeness(one.rate, one.icc, None, discordance)
    covariance = float(np.cov(shares)[0, 1])
    correlation = covariance / math.sqrt(math.prod(spread or 0.0 for spread in spreads))
    return Likeness(one.rate, one.icc, min(1.0, max(0.0, correlation)), discordance)


def intraclass_correlation(right: Counts, images: Counts) -> float | None:
    """Estimate the correlation of two images of a prompt by analysis of variance, from 0 to 1.

    None where it cannot be told: one prompt, no prompt with two images, all images right or all wrong.
    """
    prompts, total = len(images), int(images.sum())
    if prompts < 2 or total == prompts or right.sum() in (0, total):
        return None
    return float(_correlation(prompts, _sums(right, images).sum(axis=1, keepdims=True))[0])


def _sums(right: Counts, images: Counts) -> NDArray[np.float64]:
    """Give what each prompt adds to the sums that the analysis of variance needs."""
    return np.stack([images, images**2, right, right**2 / images]).astype(np.float64)


def _correlation(prompts: int, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute it from the sums over prompts; NaN where they do not tell."""
    total, squares, right, explained = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        between = (explained - right**2 / total) / (prompts - 1)
        within = (right - explained) / (total - prompts)
        size = (total - squares / total) / (prompts - 1)
        found = (between - within) / (between + (size - 1) * within)
    return np.asarray(np.clip(found, 0.0, 1.0))


def _chance_variance(right: Counts, images: Counts) -> float | None:
    icc, mean = intraclass_correlation(right, images), right.sum() / images.sum()
    return None if icc is None else float(icc * mean * (1 - mean))


def _jackknife(right: Counts, images: Counts, value: float) -> Estimate:
    """Put Student's interval around it, by leaving out one prompt after another."""
    from scipy.special import stdtrit

    n, own = len(images), _sums(right, images)
    values = _correlation(n - 1, own.sum(axis=1, keepdims=True) - own) if n > 2 else np.full(n, np.nan)
    values = values[~np.isnan(values)]
    error = math.sqrt((n - 1) * float(values.var())) if len(values) else math.inf
    half = float(stdtrit(n - 1, 0.975)) * error
    method = "correlation within prompts by analysis of variance, jackknife over prompts"
    return Estimate(value, max(0.0, value - half), min(1.0, value + half), n, method)
