"""Accuracy, MAE, NAE and the shares of what could not be used, each with its interval and n."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from subitize.analysis.levels import Level, check_factors, in_order, levels_of
from subitize.analysis.observations import Observation
from subitize.errors import NothingToDoError
from subitize.records import Count, Estimate
from subitize.stats import mean_interval, wilson_interval

_MOST_LEVELS = 50


@dataclass(frozen=True, slots=True)
class Score:
    """One measure of one model on one group of items.

    `excluded` counts the observations left out by hand; informed are figures whose judge knew what was asked for.
    """

    suite: str
    model: str
    judge: str
    factor: str
    group: str
    measure: str
    estimate: Estimate
    excluded: int
    is_informed: bool


def score(observations: Sequence[Observation], factors: Sequence[str] | None = None) -> list[Score]:
    """Measure every model, on the whole and by each level of the factors (None: every factor of 2 to 50 levels)."""
    if all(one.is_excluded for one in observations):
        raise NothingToDoError(
            f"all {len(observations)} observations are excluded; take an exclusion back with: "
            "subitize exclude RUN ITEM --reason WHY --undo"
        )
    chosen = _factors(observations) if factors is None else check_factors((one.item for one in observations), factors)
    groups: dict[_Key, list[Observation]] = defaultdict(list)
    for one in observations:
        for level in levels_of(one.item, chosen):
            groups[_Key(one.item.suite, one.model, one.judge, level)].append(one)
    ordered = sorted(groups, key=lambda key: (*key[:3], in_order(key.level, chosen)))
    return [found for key in ordered for found in _measure(key, groups[key])]


class _Key(NamedTuple):
    suite: str
    model: str
    judge: str
    level: Level


def _factors(observations: Iterable[Observation]) -> list[str]:
    levels: dict[str, set[object]] = defaultdict(set)
    for one in observations:
        for name, level in one.item.factors.items():
            levels[name].add(level)
    return [name for name, found in levels.items() if 2 <= len(found) <= _MOST_LEVELS]


def _measure(key: _Key, group: Sequence[Observation]) -> Iterator[Score]:
    kept = [one for one in group if not one.is_excluded]
    is_informed = any(one.ask.question.is_informed for one in kept)
    for name, measure in MEASURES.items():
        estimate = measure(kept)
        if estimate is not None:
            level = key.level.factor, str(key.level.level)
            yield Score(*key[:3], *level, name, estimate, len(group) - len(kept), is_informed)


def accuracy(observations: Sequence[Observation]) -> Estimate | None:
    """Share of right ones, refusals counted as wrong."""
    return _share(o.is_right for o in _single(observations) if o.status in ("eligible", "refused"))


def accuracy_answered(observations: Sequence[Observation]) -> Estimate | None:
    """Share of right ones, refusals left out."""
    return _share(o.is_right for o in _single(observations) if o.status == "eligible")


def accuracy_by_itself(observations: Sequence[Observation]) -> Estimate | None:
    """Share of right ones, whatever they rest on in a scene graph; where none rests on another, it is the accuracy."""
    if not any(o.ask.parent for o in observations):
        return None
    return _share(o.is_right_by_itself for o in observations if o.status in ("eligible", "refused"))


def success(observations: Sequence[Observation]) -> Estimate | None:
    """Share of groups of images of which at least one is right, as they were judged together; refusals are wrong."""
    grouped = (o for o in observations if o.ask.group > 1)
    return _share(o.is_right for o in grouped if o.status in ("eligible", "refused"))


def mean_absolute_error(observations: Sequence[Observation]) -> Estimate | None:
    """Mean of |response − target|."""
    found = list(_numbers(observations))
    return estimate_error([abs(response - target) for response, target in found], [1.0] * len(found)) if found else None


def normalized_absolute_error(observations: Sequence[Observation]) -> Estimate | None:
    """Mean of |response − target| / target, where the target is not 0."""
    found = [(response, target) for response, target in _numbers(observations) if target]
    errors = [abs(response - target) / target for response, target in found]
    return estimate_error(errors, [1 / target for _, target in found]) if found else None


def estimate_error(errors: Sequence[float], steps: Sequence[float]) -> Estimate:
    """Estimate a mean error with Student's interval; `steps` are what each would differ by if it were off by 1 more.

    Where all errors are the same, as where every answer is right, they have no spread, and Student's interval no width.
    As many as Wilson's interval leaves possible may still be off by 1 more or less.
    """
    n, mean = len(errors), errors[0]
    if n == 1 or any(error != mean for error in errors):
        return mean_interval(errors, at_least=0.0)
    half = wilson_interval(0, n).high * math.fsum(steps) / n
    method = "mean, errors never vary: Wilson bound on the share of answers off by 1 more or less"
    return Estimate(mean, max(0.0, mean - half), mean + half, n, method)


def discarded(observations: Sequence[Observation]) -> Estimate | None:
    """Share of answers that the rule made no value of."""
    return _share(o.status == "discarded" for o in observations if o.status != "refused")


def refused(observations: Sequence[Observation]) -> Estimate | None:
    """Share of refusals."""
    return _share(o.status == "refused" for o in observations)


MEASURES: dict[str, Callable[[Sequence[Observation]], Estimate | None]] = {
    "accuracy": accuracy,
    "accuracy_answered": accuracy_answered,
    "accuracy_by_itself": accuracy_by_itself,
    "success": success,
    "mae": mean_absolute_error,
    "nae": normalized_absolute_error,
    "discarded": discarded,
    "refused": refused,
}


def _single(observations: Iterable[Observation]) -> Iterator[Observation]:
    """Leave out what is said of groups of images: that one of four is right says nothing of each."""
    return (one for one in observations if one.ask.group == 1)


def _share(flags: Iterable[bool]) -> Estimate | None:
    found = list(flags)
    return wilson_interval(sum(found), len(found)) if found else None


def _numbers(observations: Iterable[Observation]) -> Iterator[tuple[float, float]]:
    """Pair each number read with the right one, the nearest where several are right."""
    for one in observations:
        # A line's position is a number too, but only a count can be off by so many.
        if one.status != "eligible" or not isinstance(one.ask.question, Count):
            continue
        if isinstance(response := one.value, int | float):
            targets = [target for target in one.ask.expects if isinstance(target, int | float)]
            if targets:
                yield response, min(targets, key=lambda target: abs(response - target))
