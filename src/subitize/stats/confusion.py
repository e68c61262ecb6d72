"""Confusion matrices, and how alike two of them are.

A matrix has a row per response, 1..k, and a column per target; several categories are stacked in front. Shares
are averaged over categories with equal weight, whatever the number of their trials.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.number_laws import human_law, uniform_law
from subitize.stats.resampling import Scale, enclose, replicate

PAPER_HIGHEST = 20  # Testolin et al. 2025: 20 responses × 10 targets
LEAST_PER_CELL = 20  # trials of a number in a category; their section 2.1.1 wants as many


def highest_response(targets: Sequence[int]) -> int:
    """Tell how many rows a matrix has: 20 for the numbers up to 10, in general twice the highest target."""
    return max(PAPER_HIGHEST, 2 * max(targets))


def confusion_matrix(
    responses: NDArray[np.float64], targets: NDArray[np.int64], columns: Sequence[int], highest: int = PAPER_HIGHEST
) -> NDArray[np.int64]:
    """Count responses 1..highest (rows; what is above falls into the last) to each of the targets in `columns`.

    Responses below 1 have no row and are left out, and so are targets without a column.
    """
    responses = round_responses(responses, targets)
    known = np.sort(np.asarray(columns))
    order = np.argsort(np.asarray(columns))
    column = np.minimum(np.searchsorted(known, targets), len(known) - 1)
    has_place = (known[column] == targets) & (responses >= 1)
    matrix = np.zeros((highest, len(columns)), dtype=np.int64)
    rows = np.minimum(responses[has_place], highest).astype(np.int64) - 1
    np.add.at(matrix, (rows, order[column[has_place]]), 1)
    return matrix


def round_responses(responses: NDArray[np.float64], targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Round responses that are no whole numbers, halves to even, but never to the target: a hit is an exact answer.

    So 2.4 for 2 is counted as 3, and 1.6 as 1.
    """
    rounded = np.rint(responses)
    is_near = (rounded == targets) & (responses != targets)
    return np.where(is_near, targets + np.sign(responses - targets), rounded)


def response_shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide each column by its sum; a column without trials is NaN."""
    trials = counts.sum(axis=-2, keepdims=True)
    return np.where(trials > 0, counts / np.maximum(trials, 1), np.nan)


def human_matrix(targets: Sequence[int], highest: int = PAPER_HIGHEST) -> NDArray[np.float64]:
    """Give the exact shares of the ideal human observer; no sample of it, as samples differ."""
    return np.stack([human_law(target, highest=highest) for target in targets], axis=1)


def random_matrix(targets: Sequence[int], highest: int = PAPER_HIGHEST) -> NDArray[np.float64]:
    """Give the exact shares of random answers; being all equal, they correlate with nothing."""
    return np.stack([uniform_law(1, highest) for _ in targets], axis=1)


def pearson(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate the cells of matrices; NaN where the cells of one are all alike."""
    a, b = (matrix.reshape(*matrix.shape[:-2], -1) for matrix in (a, b))
    a, b = (cells - cells.mean(axis=-1, keepdims=True) for cells in (a, b))
    sizes = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    is_alike = sizes <= 1e-12
    return np.where(is_alike, np.nan, np.clip((a * b).sum(axis=-1) / np.where(is_alike, 1, sizes), -1, 1))


def distance(counts: NDArray[np.int64], law: NDArray[np.float64], design_effect: float = 1.0) -> Estimate | None:
    """Measure how far the shares in counts of (category, response, target) are from those of a law, from 0 to 1.

    It is the share of responses that would have to be others (the total variation distance), averaged over
    targets; defined for every law, where a correlation with one whose shares are all equal is not. Samples of the law
    itself are at some distance from it: a distance that such a sample might have may be 0. Responses that hang together
    vary more than independent ones, by the design effect.
    """
    is_shown = counts.sum(axis=(0, 1)) > 0
    if not is_shown.any():
        return None
    shown, expected = counts[..., is_shown], law[:, is_shown]

    def statistic(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(np.abs(_mean_shares(counts) - expected).sum(axis=-2).mean(axis=-1) / 2)

    scale = Scale("total variation distance", (0.0, 1.0), ideal=0.0, least=LEAST_PER_CELL, design_effect=design_effect)
    found = enclose(statistic, shown, scale)
    if not 0 < found.low <= found.value <= _farthest_sample(shown, expected):
        return found
    if found.value <= np.quantile(replicate(statistic, shown, shares=expected), 0.975):
        return replace(found, low=0.0, method=f"{found.method}, down to 0 as a sample of the law might have it")
    return found


def least_alike(counts: NDArray[np.int64], design_effect: float = 1.0) -> tuple[Estimate, tuple[int, int]] | None:
    """Find the two categories with the smallest correlation, over the targets shown in both; None where undefined."""
    shown = counts.sum(axis=1) > 0
    pairs = [pair for pair in itertools.combinations(range(len(counts)), 2) if (shown[pair[0]] & shown[pair[1]]).any()]

    def correlations(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        shares = response_shares(counts)
        of_pairs = []
        for one, other in pairs:
            both = shown[one] & shown[other]
            of_pairs.append(pearson(shares[..., one, :, :][..., both], shares[..., other, :, :][..., both]))
        return np.stack(of_pairs, axis=-1)

    found = correlations(counts) if pairs else np.array([np.nan])
    if not np.isfinite(found).any():
        return None
    smallest = int(np.nanargmin(found))

    def statistic(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        # A pair that is undefined in a resample can not be its smallest.
        return np.asarray(np.nan_to_num(correlations(counts), nan=np.inf).min(axis=-1))

    what = f"smallest of {len(pairs)} Pearson correlations"
    scale = Scale(what, (-1.0, 1.0), ideal=1.0, least=LEAST_PER_CELL, design_effect=design_effect)
    return enclose(statistic, counts, scale), pairs[smallest]


def _mean_shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Average the shares over the categories in which a target was shown."""
    trials = counts.sum(axis=-2, keepdims=True)
    shares = counts / np.maximum(trials, 1)
    return np.asarray(shares.sum(axis=-3) / np.maximum((trials > 0).sum(axis=-3), 1))


def _farthest_sample(counts: NDArray[np.int64], law: NDArray[np.float64]) -> float:
    """Bound the distance that samples of a law have from it: one in a million is farther, so none need be drawn.

    A share is off by its standard deviation at most on average, and McDiarmid's inequality bounds the rest: one
    trial moves the distance by no more than its weight.
    """
    trials = counts.sum(axis=-2)
    shared_by = (trials > 0).sum(axis=0)
    variances = np.where(trials > 0, 1 / np.maximum(trials, 1), 0).sum(axis=0) / shared_by**2
    mean = float(np.sqrt(law * (1 - law) * variances).sum(axis=0).mean()) / 2
    return mean + math.sqrt(float(variances.sum()) / len(shared_by) ** 2 * math.log(1e6) / 2)
