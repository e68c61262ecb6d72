"""Many simulated studies, what they come to on average, and the least size that is enough."""

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


def find_least(is_enough: Callable[[int], bool], span: range, start: int, growth: float = 2.0) -> int | None:
    """Find the smallest number in a span from which on it is enough, to about 1 %; None if not even the last is.

    It goes from `start` by factors until there is one on either side, then halves what lies between.
    """
    below, enough = span.start - 1, span.stop
    tried = min(max(start, span.start), span[-1])
    while enough - below > max(1, enough // 100):
        below, enough = (below, tried) if is_enough(tried) else (tried, enough)
        if below == span[-1]:
            return None
        if enough == span.stop:
            tried = min(span[-1], max(below + 1, round(below * growth)))
        elif below < span.start:
            tried = max(span.start, min(enough - 1, round(enough / growth)))
        else:
            tried = (below + enough) // 2
    return enough
