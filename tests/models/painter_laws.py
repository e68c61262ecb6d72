"""How likely each number is to be seen in the pictures of the painter: its true figures."""

import numpy as np
from numpy.typing import NDArray

from subitize.stats.response_law import Slips, human_law


def painter_law(target: int, slips: Slips) -> NDArray[np.float64]:
    """Give the probabilities that 0, 1, 2, … things are seen; zero things asked for are always zero."""
    if target == 0:
        return np.ones(1)
    meant = human_law(target, weber=slips.weber, subitizing=slips.subitizing, highest=slips.highest)
    numbers = np.maximum(1, np.arange(1, len(meant) + 1) + slips.shift)
    intended = np.bincount(numbers, weights=meant)
    drawn = intended @ _binomials(len(intended) - 1, 1 - slips.omit)
    return np.asarray(drawn @ _seen_of_drawn(len(drawn) - 1, slips.merge), dtype=np.float64)


def _seen_of_drawn(highest: int, merge: float) -> NDArray[np.float64]:
    """Give, in row n, how likely each number is to be seen of n things: the first always is."""
    law = np.zeros((highest + 1, highest + 1))
    law[0, 0] = 1
    law[1:, 1:] = _binomials(highest - 1, 1 - merge)
    return law


def _binomials(highest: int, kept: float) -> NDArray[np.float64]:
    """Give, in row n, how likely each number is to be left of n things that are each kept with a probability."""
    law = np.zeros((highest + 1, highest + 1))
    law[0, 0] = 1
    for n in range(1, highest + 1):
        law[n, 1:] = law[n - 1, :-1] * kept
        law[n] += law[n - 1] * (1 - kept)
    return law
