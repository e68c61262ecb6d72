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
    responses = np.arange(1, highest + 1)
    if target <= subitizing or weber == 0:
        return np.asarray(responses == min(target, highest), dtype=np.float64)
    from scipy.special import ndtr  # it takes longer to import than some pictures to draw

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
