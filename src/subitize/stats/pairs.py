"""Models compared with one another, prompt by prompt."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.intervals import mean_interval, wilson_interval
from subitize.stats.means import average_cells
from subitize.stats.multiplicity import adjust_holm
from subitize.stats.signed_ranks import wilcoxon_test

Interval = Literal["student", "bootstrap"]

_DECIMALS = 12  # differences of means that are equal but for rounding are ties


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of the first model minus that of the second, over the prompts that both have (n).

    `p` is Wilcoxon's on the prompts' differences, `p_holm` adjusted for all pairs that were compared.
    """

    first: str
    second: str
    difference: Estimate
    p: float
    p_holm: float


def compare_models(
    values: NDArray[np.float64], models: NDArray[Any], prompts: NDArray[Any], *, interval: Interval = "student"
) -> tuple[PairedDifference, ...]:
    """Compare every pair of models, in alphabetical order; `values[i]` is what `models[i]` got on `prompts[i]`.

    Several values of a model on a prompt are averaged first, so that prompts weigh the same and are independent. Pairs
    without a common prompt are left out.
    """
    names, means = _prompt_means(values, models, prompts)
    differences = {
        (first, second): both[~np.isnan(both)]
        for first, second in combinations(range(len(names)), 2)
        for both in [np.round(means[first] - means[second], _DECIMALS)]
        if not np.isnan(both).all()
    }
    p = np.array([wilcoxon_test(one).p for one in differences.values()])
    rows = zip(differences.items(), p.tolist(), adjust_holm(p).tolist(), strict=True)
    return tuple(
        PairedDifference(names[first], names[second], _mean_difference(one, interval), own_p, holm)
        for ((first, second), one), own_p, holm in rows
    )


def _prompt_means(
    values: NDArray[np.float64], models: NDArray[Any], prompts: NDArray[Any]
) -> tuple[list[str], NDArray[np.float64]]:
    """Average within (model, prompt); NaN where a model does not have a prompt."""
    names, row = np.unique(models, return_inverse=True)
    distinct, column = np.unique(prompts, return_inverse=True)
    cell, size = row * len(distinct) + column, len(names) * len(distinct)
    counts = np.bincount(cell, minlength=size)
    sums = np.bincount(cell, weights=values, minlength=size)
    means = sums / np.where(counts > 0, counts, np.nan)
    return [str(name) for name in names], means.reshape(len(names), len(distinct))


def _mean_difference(differences: NDArray[np.float64], interval: Interval) -> Estimate:
    if interval == "bootstrap":
        found = average_cells(differences, np.zeros(len(differences), dtype=np.int64)).estimate(0)
        assert found is not None
        return found
    n, first = len(differences), float(differences[0])
    if n > 1 and (differences == first).all():
        half = wilson_interval(0, n).high
        method = "mean, differences never vary: Wilson bound on the share of prompts that may differ by 1 more or less"
        return Estimate(first, first - half, first + half, n, method)
    return mean_interval(differences.tolist())
