"""Do two groups differ in their share? Chi-squared of two-by-two tables, and the same after shuffling the groups."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ChiSquared:
    """One entry per table: the statistic with one degree of freedom, its p-value, and the number of observations."""

    statistic: NDArray[np.float64]
    p: NDArray[np.float64]
    n: NDArray[np.int64]


def chi_squared(tables: NDArray[np.int64]) -> ChiSquared:
    """Test each of several tables of counts (…, group, outcome), with Yates' correction for continuity.

    Statistic and p are NaN where a group is empty or all outcomes are the same: there is nothing to compare.
    """
    from scipy.special import chdtrc

    observed = np.asarray(tables, dtype=np.float64)
    groups, outcomes = observed.sum(axis=-1, keepdims=True), observed.sum(axis=-2, keepdims=True)
    n = groups.sum(axis=-2, keepdims=True)
    expected = groups * outcomes / np.where(n > 0, n, np.nan)
    off = np.maximum(np.abs(observed - expected) - 0.5, 0.0)
    statistic = (off**2 / np.where(expected > 0, expected, np.nan)).sum(axis=(-2, -1))
    return ChiSquared(statistic, chdtrc(1, statistic), n[..., 0, 0].astype(np.int64))


def significant_shuffles(table: NDArray[np.int64]) -> Estimate | None:
    """Compute how often a table comes out significant when the outcomes are shuffled between its two groups.

    A shuffle keeps the sizes of the groups and the number of right ones, so that the right ones of the first group
    follow the hypergeometric law: the share is exact, its interval has no width, and n is that of the table. None
    where there is nothing to compare.
    """
    first, rights, n = int(table[0].sum()), int(table[:, 0].sum()), int(table.sum())
    if 0 in (first, n - first, rights, n - rights):
        return None
    possible = np.arange(max(0, first + rights - n), min(first, rights) + 1)
    tables = _with_rights(possible, first, rights, n)
    share = float(_hypergeometric_law(tables)[chi_squared(tables).p < ALPHA].sum())
    return Estimate(share, share, share, n, f"share of shuffles with p < {ALPHA:g}, exact law")


def _with_rights(rights_of_first: NDArray[np.int64], first: int, rights: int, n: int) -> NDArray[np.int64]:
    others = rights - rights_of_first
    cells = [rights_of_first, first - rights_of_first, others, n - first - others]
    return np.stack(cells, axis=-1).reshape(-1, 2, 2)


def _hypergeometric_law(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    from scipy.special import gammaln

    # What is the same for all of them goes out when they are made to sum to 1.
    logs = -gammaln(tables + 1.0).sum(axis=(-2, -1))
    law = np.exp(logs - logs.max())
    return np.asarray(law / law.sum())
