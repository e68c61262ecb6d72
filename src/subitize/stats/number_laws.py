"""How likely each response to a number is, for observers whose law is known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def uniform_law(low: int, high: int) -> NDArray[np.float64]:
    """Give every response from `low` to `high` the same probability."""
    return np.full(high - low + 1, 1 / (high - low + 1))


def human_law(target: int, *, weber: float = 0.15, subitizing: int = 4, highest: int = 20) -> NDArray[np.float64]:
    """Give the probabilities of the responses 1..highest of an ideal human observer.

    Exact up to `subitizing`; above it a normal law of mean `target` and spread `weber` × `target`, truncated to
    [1, highest] and rounded (Testolin et al. 2025, section 2.4.3: a Weber fraction of .15).
    """
    from scipy.special import ndtr

    responses = np.arange(1, highest + 1)
    if target <= subitizing or weber == 0:
        return np.asarray(responses == min(target, highest), dtype=np.float64)
    edges = np.clip(np.arange(highest + 1) + 0.5, 1, highest)
    cumulative = ndtr((edges - target) / (weber * target))
    mass = np.diff(cumulative)
    if not mass.any():  # so far above the highest that no probability is left: all of it is at the edge
        mass[-1] = 1
    return np.asarray(mass / mass.sum(), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Slips:
    """What comes between the number a painter is asked for and the number that is seen in its picture."""

    weber: float = 0.0
    subitizing: int = 0
    highest: int = 200
    shift: int = 0
    """So many more are drawn, or fewer where it is below 0, but never less than one."""
    omit: float = 0.0
    """With this probability a thing is left out."""
    merge: float = 0.0
    """With this probability a thing after the first falls on another and is not seen."""


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
