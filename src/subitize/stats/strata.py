"""Plain means of several means of values from 0 to 1: those of the categories of a benchmark."""

import math
from collections.abc import Sequence

from subitize.records import Estimate
from subitize.stats.intervals import share_interval
from subitize.stats.passes import average_passes


def mean_of_strata(
    strata: Sequence[Sequence[float]], choices: Sequence[float] | None = None, confidence: float = 0.95
) -> Estimate:
    """Average the means of strata of values from 0 to 1, each stratum weighing the same, with Wilson's interval.

    It is as exact as a share of so many observations that their variances add up to the same. Each stratum's variance
    has one value more in it that varies as all do together: a stratum that is all right may not stay so. `choices` are,
    by stratum, those of `average_passes`: no stratum's mean is more exact than the share of as many.
    """
    if len(strata) == 1:
        return average_passes(strata[0], choices[0] if choices else None, confidence)
    count, n = len(strata), sum(map(len, strata))
    means = [math.fsum(values) / len(values) for values in strata]
    mean = math.fsum(means) / count
    overall = mean * (1 - mean)
    squares = [math.fsum((value - own) ** 2 for value in values) for values, own in zip(strata, means, strict=True)]
    errors = [(within + overall) / len(values) ** 2 for within, values in zip(squares, strata, strict=True)]
    least = [own * (1 - own) / size for own, size in zip(means, choices or [math.inf] * count, strict=True)]
    error = math.fsum(map(max, errors, least)) / count**2
    effective_n = overall / error if error > 0 else n
    return share_interval(mean, effective_n, n=n, what=f"mean of {count} means", confidence=confidence)
