"""Significance tests of groups and raters, and Holm's adjustment of p-values for their number.

Chi-squared of two-by-two tables, one-way analysis of variance, a permutation test of interactions, Kendall's W with
Friedman's test; resampled or permuted versions where a distribution cannot be assumed."""

from dataclasses import dataclass

import numpy as np

from subitize.records import Estimate
from subitize.stats.bootstrap import batches, has_spread, widen
from subitize.stats.estimate import Floats, Integers


def adjust_holm(p: Floats) -> Floats:
    """Adjust p-values to bound the chance of any false alarm (Holm); NaN means no test and stays."""
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    in_order = tested[np.argsort(p[tested])]
    steps = np.maximum.accumulate(p[in_order] * np.arange(len(in_order), 0, -1))
    adjusted[in_order] = np.minimum(steps, 1.0)
    return adjusted


ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ChiSquared:
    """Per table: the statistic with one degree of freedom, its p-value, and the number of observations."""

    statistic: Floats
    p: Floats
    n: Integers


def chi_squared(tables: Integers) -> ChiSquared:
    """Test each of several tables of counts (…, group, outcome), with Yates' correction for continuity.

    Statistic and p are NaN where a group is empty or all outcomes are the same.
    """
    from scipy.special import chdtrc

    observed = np.asarray(tables, dtype=np.float64)
    groups, outcomes = observed.sum(axis=-1, keepdims=True), observed.sum(axis=-2, keepdims=True)
    n = groups.sum(axis=-2, keepdims=True)
    expected = groups * outcomes / np.where(n > 0, n, np.nan)
    off = np.maximum(np.abs(observed - expected) - 0.5, 0.0)
    statistic = (off**2 / np.where(expected > 0, expected, np.nan)).sum(axis=(-2, -1))
    return ChiSquared(statistic, chdtrc(1, statistic), n[..., 0, 0].astype(np.int64))


def significant_shuffles(table: Integers) -> Estimate | None:
    """Compute how often a table comes out significant when the outcomes are shuffled between its two groups.

    A shuffle keeps the sizes of the groups and the number of right outcomes, so the right ones of the first group
    follow the hypergeometric law: the share is exact, its interval has no width, and n is that of the table. None if
    there is nothing to compare.
    """
    first, rights, n = int(table[0].sum()), int(table[:, 0].sum()), int(table.sum())
    if 0 in (first, n - first, rights, n - rights):
        return None
    possible = np.arange(max(0, first + rights - n), min(first, rights) + 1)
    tables = _with_rights(possible, first, rights, n)
    share = float(_hypergeometric_law(tables)[chi_squared(tables).p < ALPHA].sum())
    return Estimate(share, share, share, n, f"share of shuffles with p < {ALPHA:g}, exact law")


def _with_rights(rights_of_first: Integers, first: int, rights: int, n: int) -> Integers:
    others = rights - rights_of_first
    cells = [rights_of_first, first - rights_of_first, others, n - first - others]
    return np.stack(cells, axis=-1).reshape(-1, 2, 2)


def _hypergeometric_law(tables: Integers) -> Floats:
    from scipy.special import gammaln

    # Factors common to all tables cancel when the law is normalised.
    logs = -gammaln(tables + 1.0).sum(axis=(-2, -1))
    law = np.exp(logs - logs.max())
    return np.asarray(law / law.sum())


PERMUTATIONS = 1_999
_EPSILON = 1e-12  # sums that differ by less are equal


@dataclass(frozen=True, slots=True)
class OneWay:
    """F of the groups' means over n values, and its p by permutation or by the F distribution."""

    f: float
    p: float
    n: int


def one_way(values: Floats, groups: Integers) -> OneWay | None:
    """Analyse the variance of independent values; None if there is one group, or nothing varies within groups."""
    from scipy.special import fdtrc

    count = len(np.unique(groups))
    within_degrees = len(values) - count
    if count < 2 or within_degrees < 1:
        return None
    between = float(_between(values[None, :], groups)[0])
    within = float(((values - values.mean()) ** 2).sum()) - between
    if within <= _EPSILON:
        return None
    f = between / (count - 1) / (within / within_degrees)
    return OneWay(f, float(fdtrc(count - 1, within_degrees, f)), len(values))


def permuted_one_way(values: Floats, groups: Integers, *, seed: int = 0) -> OneWay | None:
    """Like `one_way`, with p as the share of permutations whose groups differ as much; no law of values is assumed."""
    found = one_way(values, groups)
    if found is None:
        return None
    random = np.random.default_rng(seed)
    dealt = random.permuted(np.tile(values, (PERMUTATIONS, 1)), axis=1)
    # The total variance stays the same, so F rises with the variance between groups.
    reached = int((_between(dealt, groups) >= _between(values[None, :], groups) - _EPSILON).sum())
    return OneWay(found.f, (1 + reached) / (1 + PERMUTATIONS), found.n)


def _between(values: Floats, groups: Integers) -> Floats:
    """Compute the sum of squares between groups for each row of values."""
    _, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    means = values @ np.eye(len(sizes))[codes] / sizes
    return np.asarray(((means - values.mean(axis=1, keepdims=True)) ** 2 * sizes).sum(axis=1))


INTERACTION_PERMUTATIONS = 2000
_CELLS_AT_ONCE = 2_000_000
_INTERACTION_EPSILON = 1e-9  # sums that differ by less are equal


@dataclass(frozen=True, slots=True)
class Interaction:
    """How far the means of things by rater are from being additive (sum of squares), and the p of that."""

    squares: float
    p: float
    permutations: int


def interaction_test(values: Floats, *, seed: int = 0) -> Interaction | None:
    """Test the interaction of rater and thing in values (item, rater, thing) by permuting raters within items.

    The mean over things is subtracted for each item and rater: differences in strictness are no interaction. Then
    raters are permuted within each item, with all their things together. None if there is nothing to interact.
    """
    items, raters, things = values.shape
    if items < 1 or raters < 2 or things < 2:
        return None
    centred = values - values.mean(axis=-1, keepdims=True)
    # The means of things over raters are the same in all permutations.
    means = centred.mean(axis=(0, 1))
    seen = float(((centred.mean(axis=0) - means) ** 2).sum())
    random, reached = np.random.default_rng(seed), 0
    for times in batches(INTERACTION_PERMUTATIONS, _CELLS_AT_ONCE // values.size):
        places = np.argsort(random.random((times, items, raters)), axis=-1)
        moved = centred[np.arange(items)[None, :, None], places].mean(axis=1)
        reached += int((((moved - means) ** 2).sum(axis=(-2, -1)) >= seen - _INTERACTION_EPSILON).sum())
    return Interaction(seen, (1 + reached) / (1 + INTERACTION_PERMUTATIONS), INTERACTION_PERMUTATIONS)


RESAMPLES = 1000
_DECIMALS = 12  # means that agree in so many decimals are ties
_BOUNDS = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Concordance:
    """Kendall's W (1 if all rankings are the same, 0 if they have nothing in common), with Friedman's χ² and its p."""

    w: float
    chi_squared: float
    p: float
    raters: int
    things: int


def kendall_w(values: Floats) -> Concordance | None:
    """Compute W of values (rater, thing), corrected for ties; χ² = W · raters · (things − 1).

    None with fewer than two raters or things, or if no rater tells any two things apart.
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

    With few items, ranks differ by chance and W is estimated too low, so the interval is widened by how much lower it
    gets in resamples. If resamples never differ, it is whatever is possible.
    """
    items = len(values)
    found = kendall_w(values.mean(axis=0)) if items else None
    if found is None:
        return None
    drawn = np.random.default_rng(seed).multinomial(items, np.full(items, 1 / items), size=RESAMPLES)
    replicates = _w(np.tensordot(drawn / items, values, axes=1))
    if items < 2 or not has_spread(replicates):
        return Estimate(found.w, *_BOUNDS, items, "Kendall's W, resamples of items never vary: whatever is possible")
    low, high = widen(found.w, replicates, _BOUNDS, items / (items - 1))
    method = f"Kendall's W, basic bootstrap of items, {RESAMPLES} resamples, widened by their shift"
    return Estimate(found.w, low, high, items, method)


def average_ranks(values: Floats) -> Floats:
    """Rank along the last axis, the smallest first; ties share the mean of their ranks."""
    below, tied = _compare(values)
    return np.asarray(below + (tied + 1) / 2)


def _w(values: Floats) -> Floats:
    """Compute W of values (…, rater, thing); NaN where nothing is ranked."""
    below, tied = _compare(values)
    raters, things = values.shape[-2:]
    sums = (below + (tied + 1) / 2).sum(axis=-2)
    squares = ((sums - sums.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    # Each of t tied things contributes t² − 1, together t³ − t.
    ties = (tied**2 - 1).sum(axis=(-2, -1))
    most = raters**2 * (things**3 - things) - raters * ties
    return np.asarray(np.where(most > 0, 12 * squares / np.where(most > 0, most, 1.0), np.nan))


def _compare(values: Floats) -> tuple[Floats, Floats]:
    """Count, for each thing, those that are smaller and those that are equal, including itself."""
    rounded = np.round(values, _DECIMALS)
    mine, others = rounded[..., :, None], rounded[..., None, :]
    return (others < mine).sum(axis=-1).astype(np.float64), (others == mine).sum(axis=-1).astype(np.float64)
