"""Do several groups differ in their means? One-way analysis of variance, and the same with groups changed by lot."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 1_999
_EPSILON = 1e-12  # sums that are equal but for rounding are equal


@dataclass(frozen=True, slots=True)
class OneWay:
    """F of the groups' means and its p, over n values; by lot, or else by the F distribution."""

    f: float
    p: float
    n: int


def one_way(values: NDArray[np.float64], groups: NDArray[np.int64]) -> OneWay | None:
    """Analyse the variance of independent values; None where there is one group, or nothing varies within them."""
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


def permuted_one_way(values: NDArray[np.float64], groups: NDArray[np.int64], *, seed: int = 0) -> OneWay | None:
    """As `one_way`, p by how often groups that are dealt out anew differ as much; no law of the values is assumed."""
    found = one_way(values, groups)
    if found is None:
        return None
    random = np.random.default_rng(seed)
    dealt = random.permuted(np.tile(values, (PERMUTATIONS, 1)), axis=1)
    # The whole variance stays the same, so that F rises with what lies between the groups.
    reached = int((_between(dealt, groups) >= _between(values[None, :], groups) - _EPSILON).sum())
    return OneWay(found.f, (1 + reached) / (1 + PERMUTATIONS), found.n)


def _between(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum the squares between groups of each row of values."""
    _, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    means = values @ np.eye(len(sizes))[codes] / sizes
    return np.asarray(((means - values.mean(axis=1, keepdims=True)) ** 2 * sizes).sum(axis=1))
