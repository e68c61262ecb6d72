"""Times two ways of doing the same thing in turn, so that a noisy machine is noisy for both."""

import operator
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """Ours against another: the median ratio of their times over interleaved pairs, with its range."""

    what: str
    ours_seconds: float
    other_seconds: float
    ratio: float
    lowest: float
    highest: float
    aim: str

    def __str__(self) -> str:
        return (
            f"{self.what}: {self.ratio:.2f} (range {self.lowest:.2f} to {self.highest:.2f}; "
            f"{_describe_aim(self.aim, self.ratio)}); ours {self.ours_seconds:.3f} s, other {self.other_seconds:.3f} s"
        )


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure by itself, such as a peak of memory, and what it should be."""

    what: str
    value: float
    unit: str = ""
    aim: str = "none"

    def __str__(self) -> str:
        return f"{self.what}: {f'{self.value:.2f} {self.unit}'.rstrip()} ({_describe_aim(self.aim, self.value)})"


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """What is not measured for want of a part."""

    what: str
    needs: str

    def __str__(self) -> str:
        return f"{self.what}: not measured, needs {self.needs}"


Result = Comparison | Figure | Unmeasured


def compare_rates(
    what: str, ours: Callable[[], object], other: Callable[[], object], *, aim: str, pairs: int = 5
) -> Comparison:
    """Give our rate as a share of the other's: 1 is as fast, above 1 is faster."""
    times = _interleaved(ours, other, pairs, time.perf_counter)
    return _summed_up(what, times, [other_time / our_time for our_time, other_time in times], aim)


def compare_times(
    what: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    *,
    aim: str,
    pairs: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> Comparison:
    """Give our time as a multiple of the other's, by any clock."""
    times = _interleaved(ours, other, pairs, clock)
    return _summed_up(what, times, [our_time / other_time for our_time, other_time in times], aim)


def is_met(aim: str, value: float) -> bool:
    """Tell whether a value is within an aim such as "<= .5"; the aim "none" always is met."""
    if aim == "none":
        return True
    relation, bound = aim.split()
    return _RELATIONS[relation](value, float(bound))


_RELATIONS: dict[str, Callable[[float, float], bool]] = {"<": operator.lt, "<=": operator.le, ">=": operator.ge}


def _describe_aim(aim: str, value: float) -> str:
    return f"aim {aim}" if is_met(aim, value) else f"aim {aim}, MISSED"


def _interleaved(
    ours: Callable[[], object], other: Callable[[], object], pairs: int, clock: Callable[[], float]
) -> list[tuple[float, float]]:
    return [(_time(ours, clock), _time(other, clock)) for _ in range(pairs)]


def _time(call: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def _summed_up(what: str, times: list[tuple[float, float]], ratios: list[float], aim: str) -> Comparison:
    ours, other = (statistics.median(side) for side in zip(*times, strict=True))
    return Comparison(what, ours, other, statistics.median(ratios), min(ratios), max(ratios), aim)
