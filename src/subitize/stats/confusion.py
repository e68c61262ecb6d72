"""Confusion matrices of responses to numbers, and how closely one resembles another or a known law.

A matrix has a row per response, 1..k, and a column per target; categories are stacked along the first axis. Shares
are averaged over categories with equal weight, whatever the number of their trials.
Correlations with a law refer to prompts (or pictures) like these, answered infinitely often. Having few replies or few
prompts can only lower such a correlation; the interval corrects for that."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.bootstrap import BoundedStatistic, bootstrap_interval, replicate, shift_responses
from subitize.stats.estimate import Floats, Integers, Spread, Units, cluster_spread, gather, student
from subitize.stats.response_law import human_law, uniform_law

PAPER_HIGHEST = 20  # Testolin et al. 2025: 20 responses × 10 targets
LEAST_PER_CELL = 20  # trials of a number in a category; their section 2.1.1 wants as many


def highest_response(targets: Sequence[int]) -> int:
    """Return the number of rows of a matrix: twice the highest target, and at least the paper's 20."""
    return max(PAPER_HIGHEST, 2 * max(targets))


def confusion_matrix(
    responses: Floats, targets: Integers, columns: Sequence[int], highest: int = PAPER_HIGHEST
) -> Integers:
    """Count responses 1..highest (rows; higher ones fall into the last) to each of the targets in `columns`.

    Responses below 1 and targets without a column are left out.
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


def round_responses(responses: Floats, targets: Integers) -> Floats:
    """Round fractional responses, halves to even, but never to the target: only an exact answer is a hit.

    So for a target of 2, an answer of 2.4 counts as 3 and 1.6 as 1.
    """
    rounded = np.rint(responses)
    is_near = (rounded == targets) & (responses != targets)
    return np.where(is_near, targets + np.sign(responses - targets), rounded)


def response_shares(counts: Integers) -> Floats:
    """Divide each column by its sum; a column without trials is NaN."""
    trials = counts.sum(axis=-2, keepdims=True)
    return np.where(trials > 0, counts / np.maximum(trials, 1), np.nan)


def human_matrix(targets: Sequence[int], highest: int = PAPER_HIGHEST) -> Floats:
    """Return the exact shares of the ideal human observer rather than a sample, as samples differ."""
    return np.stack([human_law(target, highest=highest) for target in targets], axis=1)


def random_matrix(targets: Sequence[int], highest: int = PAPER_HIGHEST) -> Floats:
    """Return the exact shares of random answers; being all equal, they correlate with nothing."""
    return np.stack([uniform_law(1, highest) for _ in targets], axis=1)


def pearson(a: Floats, b: Floats) -> Floats:
    """Correlate the cells of matrices; NaN where one has cells that are all equal."""
    a, b = (matrix.reshape(*matrix.shape[:-2], -1) for matrix in (a, b))
    a, b = (cells - cells.mean(axis=-1, keepdims=True) for cells in (a, b))
    sizes = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    is_alike = sizes <= 1e-12
    return np.where(is_alike, np.nan, np.clip((a * b).sum(axis=-1) / np.where(is_alike, 1, sizes), -1, 1))


def distance(counts: Integers, law: Floats, design_effect: float = 1.0) -> Estimate | None:
    """Measure how far the shares in counts of (category, response, target) are from those of a law, from 0 to 1.

    It is the share of responses that would have to change (the total variation distance), averaged over targets.
    Unlike a correlation, it is also defined for a law whose shares are all equal. Samples of the law itself are at some
    distance from it, so the interval of a distance that such a sample might have includes 0. Correlated responses vary
    more than independent ones, by the design effect.
    """
    is_shown = counts.sum(axis=(0, 1)) > 0
    if not is_shown.any():
        return None
    shown, expected = counts[..., is_shown], law[:, is_shown]

    def statistic(counts: Integers) -> Floats:
        return np.asarray(np.abs(_mean_shares(counts) - expected).sum(axis=-2).mean(axis=-1) / 2)

    described = BoundedStatistic(
        "total variation distance", (0.0, 1.0), ideal=0.0, least=LEAST_PER_CELL, design_effect=design_effect
    )
    found = bootstrap_interval(statistic, shown, described)
    if not 0 < found.low <= found.value <= _farthest_sample(shown, expected):
        return found
    if found.value <= np.quantile(replicate(statistic, shown, shares=expected), 0.975):
        return replace(found, low=0.0, method=f"{found.method}, down to 0 as a sample of the law might have it")
    return found


def least_alike(counts: Integers, design_effect: float = 1.0) -> tuple[Estimate, tuple[int, int]] | None:
    """Find the two categories with the smallest correlation, over targets shown in both; None where undefined."""
    shown = counts.sum(axis=1) > 0
    pairs = [pair for pair in itertools.combinations(range(len(counts)), 2) if (shown[pair[0]] & shown[pair[1]]).any()]

    def correlations(counts: Integers) -> Floats:
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

    def statistic(counts: Integers) -> Floats:
        # A pair that is undefined in a resample cannot be its smallest.
        return np.asarray(np.nan_to_num(correlations(counts), nan=np.inf).min(axis=-1))

    what = f"smallest of {len(pairs)} Pearson correlations"
    described = BoundedStatistic(what, (-1.0, 1.0), ideal=1.0, least=LEAST_PER_CELL, design_effect=design_effect)
    return bootstrap_interval(statistic, counts, described), pairs[smallest]


def _mean_shares(counts: Integers) -> Floats:
    """Average shares over the categories in which a target was shown."""
    trials = counts.sum(axis=-2, keepdims=True)
    shares = counts / np.maximum(trials, 1)
    return np.asarray(shares.sum(axis=-3) / np.maximum((trials > 0).sum(axis=-3), 1))


def _farthest_sample(counts: Integers, law: Floats) -> float:
    """Bound the distance of samples of a law from it: only one in a million lies farther, so none need be drawn.

    On average a share is off by its standard deviation at most, and McDiarmid's inequality bounds the rest: one trial
    moves the distance by no more than its weight.
    """
    trials = counts.sum(axis=-2)
    shared_by = (trials > 0).sum(axis=0)
    variances = np.where(trials > 0, 1 / np.maximum(trials, 1), 0).sum(axis=0) / shared_by**2
    mean = float(np.sqrt(law * (1 - law) * variances).sum(axis=0).mean()) / 2
    return mean + math.sqrt(float(variances.sum()) / len(shared_by) ** 2 * math.log(1e6) / 2)


NO_COUNT = -1.0


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers to trials: whole numbers (NO_COUNT where there is none), the numbers shown or asked for, and categories.

    Trials of one cluster are correlated; strata are fixed by the design.
    """

    numbers: Floats
    targets: Integers
    categories: Integers
    clusters: Integers
    strata: Integers
    levels: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """The levels of sampled factors beside clusters, by name; see `estimate`."""

    def units(self, places: Integers) -> Units:
        """Return the sampled units of these answers."""
        return {"cluster": self.clusters[places], **{name: own[places] for name, own in self.levels.items()}}


def combine(*codes: Integers) -> Integers:
    """Combine several non-negative codes into one."""
    combined = codes[0]
    for more in codes[1:]:
        combined = combined * (int(more.max(initial=0)) + 1) + more
    return combined


def make_answers(
    responses: Floats,
    targets: Integers,
    categories: Integers,
    clusters: Integers,
    strata: Integers,
    *,
    levels: Mapping[str, NDArray[Any]] | None = None,
) -> Answers:
    """Round responses as a matrix does; NaN means no count."""
    numbers = np.nan_to_num(round_responses(responses, targets), nan=NO_COUNT)
    return Answers(numbers, targets, categories, clusters, strata, levels or {})


_WHAT = "Pearson correlation"
_NO_SPREAD = 1e-12
_MOST_NOISE = 0.5  # of the variance of a matrix's cells; with more, the signal cannot be told from the noise


def correlate_with_law(
    replies: Answers, targets: Sequence[int], law: Floats, *, with_no_count: bool = False
) -> Estimate | None:
    """Correlate the shares of replies, averaged over categories, with those of a law whose columns are targets.

    Replies above the highest fall into the last row. Those below 1 and those without a count are left out, and with
    them numbers that were never counted; `with_no_count` gives them a row of their own, if there are any, in which the
    law has nothing. None where all cells are equal.
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


def design_effect(replies: Answers, targets: Sequence[int], highest: int) -> float:
    """Compute how many times more a matrix's cells vary than with independent replies, at least 1.

    A single cluster makes it infinite.
    """
    cells = _place(replies, np.asarray(targets), highest, with_no_count=False)
    if len(np.unique(combine(cells.clusters, cells.columns))) == len(cells.rows):
        return 1.0
    alone = replace(cells, clusters=np.arange(len(cells.rows)))
    return max(1.0, _noise(cells, highest) / max(_noise(alone, highest), _NO_SPREAD))


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cell of each reply (row, column), and its weight there."""

    rows: Integers
    columns: Integers
    categories: Integers
    weights: Floats
    clusters: Integers
    strata: Integers
    units: Units

    def sum(self, shape: tuple[int, ...]) -> Floats:
        matrix = np.zeros(shape)
        np.add.at(matrix, (self.rows, self.columns), self.weights)
        return matrix


def _place(replies: Answers, targets: Integers, highest: int, *, with_no_count: bool) -> _Cells:
    rows = np.where(replies.numbers >= 1, np.minimum(replies.numbers, highest) - 1, highest).astype(np.int64)
    columns = np.searchsorted(targets, replies.targets)
    kept = np.ones(len(rows), dtype=bool) if with_no_count else rows < highest
    units = replies.units(np.flatnonzero(kept))
    rows, columns, categories, clusters, strata = (
        values[kept] for values in (rows, columns, replies.categories, replies.clusters, replies.strata)
    )
    # The columns of a matrix are fixed, even if the design has no strata.
    strata = combine(columns, strata)
    trials = np.zeros((int(replies.categories.max(initial=0)) + 1, len(targets)))
    np.add.at(trials, (categories, columns), 1)
    weights = 1 / (trials[categories, columns] * (trials > 0).sum(axis=0)[columns])
    return _Cells(rows, columns, categories, weights, clusters, strata, units)


def _linearize(shares: Floats, expected: Floats, value: float) -> tuple[Floats, float]:
    """Return the derivative of the correlation by each cell, and the sum of squares of the cells."""
    shares, expected = shares - shares.mean(), expected - expected.mean()
    size, of_expected = float((shares**2).sum()), float((expected**2).sum())
    return expected / math.sqrt(size * of_expected) - value * shares / size, size


def _spread(cells: _Cells, values: Floats) -> Spread:
    return cluster_spread(gather(values, cells.units, cells.strata, cells.weights))


def _noise(cells: _Cells, height: int) -> float:
    """Sum the variances due to chance in the cells, relative to the square of the number of columns."""
    # Each cluster has a value in every row of a column, 0 where its replies fall into other rows.
    units = combine(cells.clusters, cells.columns)
    _, first, cluster = np.unique(units, return_index=True, return_inverse=True)
    count = len(first)
    weights = np.bincount(cluster, cells.weights).astype(np.float64)
    means = np.zeros((height, count))
    np.add.at(means, (cells.rows, cluster), cells.weights)
    found = gather(means / weights, None, cells.strata[first], weights, count=weights)
    return float(cluster_spread(found).variance.sum())


def _enclose(value: float, spread: Spread, columns: int, noise: float, n: int) -> Estimate:
    """Put Student's interval around the correlation that the replies would have without noise."""
    without_noise = value / math.sqrt(1 - noise)
    error = columns * math.sqrt(float(spread.variance[0])) / math.sqrt(1 - noise)
    half = student(float(spread.degrees[0])) * error
    low, high = (min(max(edge, -1.0), 1.0) for edge in (without_noise - half, without_noise + half))
    (layout,) = spread.layouts()
    method = f"{_WHAT}, Student's interval of its linearization over {layout}, corrected for chance in the matrix"
    return Estimate(value, min(low, value), max(high, value), n, method)


def _allow_for_others(cells: _Cells, value: float, law: Floats, shown: Integers) -> Estimate:
    """Bound the correlation where nothing varies by how many clusters may still reply something else (Wilson)."""
    counts = np.zeros((int(cells.categories.max()) + 1, *law.shape), dtype=np.int64)
    once = np.unique(np.stack([cells.clusters, cells.categories, cells.rows, cells.columns]), axis=1)[1:]
    np.add.at(counts, tuple(once), 1)
    counts = counts[..., shown]

    def statistic(counts: Integers) -> float:
        return float(pearson(_mean_shares(counts), law[:, shown]))

    others = [value, *map(statistic, shift_responses(counts))]
    method = f"{_WHAT}, replies never vary: Wilson bound on the share of clusters with others"
    return Estimate(value, float(np.nanmin(others)), float(np.nanmax(others)), len(cells.rows), method)
