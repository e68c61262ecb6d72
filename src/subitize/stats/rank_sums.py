"""Does one group lie above another? The rank-sum test of Mann, Whitney and Wilcoxon, and its effect size."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate

Method = Literal["auto", "exact", "normal"]

_EXACT_UP_TO = 8  # scipy's own bound for the smaller group


@dataclass(frozen=True, slots=True)
class RankSums:
    """The test of a first group against a second: u counts the pairs where the first is larger, ties as half.

    `superiority` is the share of such pairs (its n: all observations). z is above 0 where the first is larger, and
    None where the law was exact.
    """

    u: float
    z: float | None
    p: float
    superiority: Estimate

    @property
    def rank_biserial(self) -> float:
        """The superiority on a scale from −1 to 1."""
        return 2 * self.superiority.value - 1


def rank_sum_test(
    first: NDArray[np.float64], second: NDArray[np.float64], *, method: Method = "auto", confidence: float = 0.95
) -> RankSums | None:
    """Test, two-sided, whether observations of the first group tend to be larger; None if a group is empty.

    The normal approximation is corrected for ties and continuity. By itself the law is exact where one of the groups
    has up to 8 observations and nothing is tied.
    """
    sizes = len(first), len(second)
    pairs = sizes[0] * sizes[1]
    if not pairs:
        return None
    _, place, ties = np.unique(np.concatenate([first, second]), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]
    u = float(ranks[: sizes[0]].sum()) - sizes[0] * (sizes[0] + 1) / 2
    is_tied = len(ties) < len(place)
    superiority = _superiority(u / pairs, sizes, confidence)
    if method == "exact" and is_tied:
        raise ValueError(f"{len(place)} observations have {len(ties)} distinct values; with ties, use method 'normal'")
    if method == "exact" or (method == "auto" and min(sizes) <= _EXACT_UP_TO and not is_tied):
        from scipy.stats import mannwhitneyu

        return RankSums(u, None, float(mannwhitneyu(first, second, method="exact").pvalue), superiority)
    z = _signed_z(u - pairs / 2, pairs, ties)
    return RankSums(u, z, math.erfc(abs(z) / math.sqrt(2)), superiority)


def _signed_z(excess: float, pairs: int, ties: NDArray[np.int64]) -> float:
    n = int(ties.sum())
    if len(ties) == 1:
        return 0.0
    tied = float((ties.astype(np.float64) ** 3 - ties).sum())
    error = math.sqrt(pairs / 12 * (n + 1 - tied / (n * (n - 1))))
    return math.copysign(max(0.0, abs(excess) - 0.5) / error, excess)


def _superiority(value: float, sizes: tuple[int, int], confidence: float) -> Estimate:
    """Put the interval around it whose edges are just not rejected, given the variance that they would have.

    It is method 5 of Newcombe (Statistics in Medicine 25, 2006): unlike one from the observed variance, it keeps its
    width where the groups do not overlap.
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    spare = sum(sizes) / 2 - 1

    def is_rejected(edge: float) -> bool:
        growth = 1 + spare * (1 - edge) / (2 - edge) + spare * edge / (1 + edge)
        return (value - edge) ** 2 > z**2 * edge * (1 - edge) * growth / (sizes[0] * sizes[1])

    edges = []
    for outside in (0.0, 1.0):
        inside = value
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if is_rejected(middle) else (middle, outside)
        edges.append(inside)
    method = "P(first > second) + ½ P(equal), Newcombe's interval"
    return Estimate(value, edges[0], edges[1], sum(sizes), method, confidence)
