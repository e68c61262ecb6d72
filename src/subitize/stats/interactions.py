"""Do things differ in one way with one rater and in another with the next, or is that chance? A permutation test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 2000
_CELLS_AT_ONCE = 2_000_000
_EPSILON = 1e-9  # sums that are equal but for rounding are equal

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interaction:
    """How far the means of things by rater are from adding up (sum of squares), and how likely that is by chance."""

    squares: float
    p: float
    permutations: int


def interaction_test(values: Floats, *, seed: int = 0) -> Interaction | None:
    """Test values (item, rater, thing): would other raters for the values of each item give as large an interaction?

    Of each item and rater the mean over things is taken off: that raters are more or less strict is no interaction.
    Then raters change places within items, all things of an item together. None where there is nothing to interact.
    """
    items, raters, things = values.shape
    if items < 1 or raters < 2 or things < 2:
        return None
    centred = values - values.mean(axis=-1, keepdims=True)
    # The means of things over raters are the same whoever changed places.
    means = centred.mean(axis=(0, 1))
    seen = float(((centred.mean(axis=0) - means) ** 2).sum())
    random, reached, left = np.random.default_rng(seed), 0, PERMUTATIONS
    at_once = max(1, _CELLS_AT_ONCE // values.size)
    while left:
        times = min(at_once, left)
        places = np.argsort(random.random((times, items, raters)), axis=-1)
        moved = centred[np.arange(items)[None, :, None], places].mean(axis=1)
        reached += int((((moved - means) ** 2).sum(axis=(-2, -1)) >= seen - _EPSILON).sum())
        left -= times
    return Interaction(seen, (1 + reached) / (1 + PERMUTATIONS), PERMUTATIONS)
