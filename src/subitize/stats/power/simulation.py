"""Many simulated studies, what they come to on average, and the least size that is enough."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.intervals import mean_interval, wilson_interval
from subitize.stats.power.studies import Columns, Study, Wanted

Track = Callable[[str, Sequence[int]], Iterable[int]]
"""Hands on the pieces of what is named, and may show how far they are."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """How many studies are simulated, and from which seed."""

    studies: int = 10_000
    seed: int = 0
    track: Track = lambda _, pieces: pieces

    def run(self, study: Study, wanted: Wanted) -> Columns:
        """Simulate studies in pieces that fit into memory."""
        random = np.random.default_rng(self.seed)
        sizes = [min(study.at_once, self.studies - begin) for begin in range(0, self.studies, study.at_once)]
        what = f"{self.studies} studies of {study.prompts} prompts × {study.images}"
        found = [study.simulate(random, size, wanted) for size in self.track(what, sizes)]
        return {name: np.concatenate([one[name] for one in found]) for name in found[0]}


def summarize(column: NDArray[np.float64] | NDArray[np.bool_]) -> Estimate:
    """Average what studies show, with the interval of the simulation's own error."""
    if column.dtype == np.bool_:
        return wilson_interval(int(column.sum()), len(column))
    return mean_interval(column.tolist())


def find_least(surplus: Callable[[int], float], span: range, start: int, growth: float = 2.0) -> int | None:
    """Find the smallest number in a span at which a surplus, which grows with it, is not below 0, to about 1 %.

    It goes from `start` by factors, then between both sides as if the surplus grew with the square root. None if not
    even the last is enough.
    """
    below, enough = (span.start - 1, -math.inf), (span.stop, math.inf)
    tried = min(max(start, span.start), span[-1])
    while enough[0] - below[0] > max(1, enough[0] // 100):
        found = (tried, surplus(tried))
        below, enough = (below, found) if found[1] >= 0 else (found, enough)
        if below[0] == span[-1]:
            return None
        if math.isinf(enough[1]):
            tried = min(span[-1], max(below[0] + 1, round(below[0] * growth)))
        elif math.isinf(below[1]):
            tried = max(span.start, min(enough[0] - 1, round(enough[0] / growth)))
        else:
            share = min(0.9, max(0.1, below[1] / (below[1] - enough[1])))  # so that both sides move
            root = (1 - share) * math.sqrt(below[0]) + share * math.sqrt(enough[0])
            tried = min(enough[0] - 1, max(below[0] + 1, round(root**2)))
    return enough[0]
