"""How likely a study is to end in some way, and what to expect of it: by counting, the normal law, or simulation."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.intervals import wilson_interval
from subitize.stats.power.laws import Floats, Law

Choice = Literal["auto", "closed", "simulation"]

COUNTED_UP_TO = 300_000
"""Outcomes of a study, up to which all of them are gone through."""

_CELLS_AT_ONCE = 4_000_000
_STEP = 1e-4  # of the prompts, in the derivatives of a figure by them


@dataclass(frozen=True, slots=True)
class Method:
    """How figures are computed.

    "closed" goes through all outcomes of a small study, and takes the normal law for larger ones; "simulation" draws
    studies; "auto" takes the closed form where it is known to be right (`is_near_normal`).
    """

    choice: Choice = "auto"
    simulations: int = 40_000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Studies:
    """All studies of one design: so many prompts, each as the law has it; `is_near_normal` is what "auto" goes by."""

    law: Law
    prompts: int
    is_near_normal: bool
    method: Method

    @property
    def way(self) -> Literal["counted", "normal", "simulated"]:
        """How figures are computed of these."""
        if self.method.choice == "simulation":
            return "simulated"
        kinds = len(self.law.shares)
        if kinds <= 60 and math.comb(self.prompts + kinds - 1, kinds - 1) <= COUNTED_UP_TO:
            return "counted"
        return "normal" if self.method.choice == "closed" or self.is_near_normal else "simulated"

    def share(self, is_so: Callable[[Floats], NDArray[np.bool_]], near: Callable[[], float]) -> Estimate:
        """Compute the share of studies, as rows of counts, of which something is so; `near` is by the normal law."""
        match self.way:
            case "counted":
                rows, weights = _all_outcomes(self.prompts, tuple(self.law.shares.tolist()))
                return _certain(min(1.0, float(weights @ is_so(rows))), _COUNTED)
            case "normal":
                return _certain(near(), _NORMAL)
            case "simulated":
                found = sum(int(is_so(rows).sum()) for rows in self._draw())
                share = wilson_interval(found, self.method.simulations)
                return Estimate(share.value, share.low, share.high, share.n, _SIMULATED)

    def mean(self, figure: Callable[[Floats], Floats], near: Callable[[], float]) -> Estimate:
        """Compute what a figure is on average, over the studies that have it."""
        match self.way:
            case "counted":
                rows, weights = _all_outcomes(self.prompts, tuple(self.law.shares.tolist()))
                values = figure(rows)
                is_there = ~np.isnan(values)
                return _certain(float(np.average(values[is_there], weights=weights[is_there])), _COUNTED)
            case "normal":
                return _certain(near(), _NORMAL)
            case "simulated":
                values = np.concatenate([figure(rows) for rows in self._draw()])
                values = values[~np.isnan(values)]
                if not len(values):
                    return Estimate(math.nan, math.nan, math.nan, 0, _SIMULATED)
                mean = float(values.mean())
                half = 1.959964 * float(values.std()) / math.sqrt(len(values))
                return Estimate(mean, mean - half, mean + half, len(values), _SIMULATED)

    def moments(self, figure: Callable[[Floats], Floats]) -> tuple[float, float]:
        """Give mean and variance of a figure where prompts are many: the second and first order in what one adds."""
        shares, n = self.law.shares, self.prompts
        middle, step = n * shares, n * _STEP
        turns = np.eye(len(shares)) - shares
        at = float(figure(middle[None])[0])
        up, down = figure(middle + step * turns), figure(middle - step * turns)
        bend = float(shares @ (up - 2 * at + down)) / step**2
        slope = (up - down) / (2 * step)
        return at + n * bend / 2, n * float(shares @ slope**2)

    def _draw(self) -> Iterator[Floats]:
        random = np.random.default_rng(self.method.seed)
        at_once = max(1, _CELLS_AT_ONCE // len(self.law.shares))
        for start in range(0, self.method.simulations, at_once):
            times = min(at_once, self.method.simulations - start)
            yield random.multinomial(self.prompts, self.law.shares, size=times).astype(np.float64)


_COUNTED = "all outcomes counted"
_NORMAL = "normal law"
_SIMULATED = "simulation, interval of its error"


def _certain(value: float, method: str) -> Estimate:
    """Give a figure that no chance went into: its interval has no width, and no study was drawn for it."""
    return Estimate(value, value, value, 0, method)


@lru_cache(maxsize=2)
def _all_outcomes(prompts: int, shares: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Give every row of counts that a study can end with, and its probability."""
    from scipy.special import gammaln, xlogy

    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([prompts])
    for _ in shares[1:]:
        times = left + 1
        rows, before = np.repeat(rows, times, axis=0), np.repeat(left, times)
        own = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        rows, left = np.column_stack([rows, own]), before - own
    counts = np.column_stack([rows, left]).astype(np.float64)
    logs = gammaln(prompts + 1) + (xlogy(counts, shares) - gammaln(counts + 1)).sum(axis=1)
    return counts, np.exp(logs)
