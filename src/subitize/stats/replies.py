"""What was answered to numbers, trial by trial, with what the design says of the trials."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.stats.confusion import round_responses

Integers = NDArray[np.int64]
NO_COUNT = -1.0


@dataclass(frozen=True, slots=True, eq=False)
class Replies:
    """Replies to trials: whole numbers (NO_COUNT where there is none), what was shown or asked for, and of what.

    Trials of one cluster hang together; strata are fixed by the design.
    """

    numbers: NDArray[np.float64]
    targets: Integers
    categories: Integers
    clusters: Integers
    strata: Integers


def combine(*codes: Integers) -> Integers:
    """Make one code of several, none of them below 0."""
    combined = codes[0]
    for more in codes[1:]:
        combined = combined * (int(more.max(initial=0)) + 1) + more
    return combined


def make_replies(
    responses: NDArray[np.float64], targets: Integers, categories: Integers, clusters: Integers, strata: Integers
) -> Replies:
    """Round responses as a matrix has them; NaN is no count."""
    numbers = np.nan_to_num(round_responses(responses, targets), nan=NO_COUNT)
    return Replies(numbers, targets, categories, clusters, strata)
