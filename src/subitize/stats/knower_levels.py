"""Which numbers an observer knows, by the criteria of research on children's counting."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimator import Clusters, compare_shares, estimate_shares, gather_groups
from subitize.stats.replies import Replies, combine

# Testolin et al. 2025, section 2.4.2, after Le Corre and Carey (2007).
LEAST_HITS = 0.67
FALSE_ALARMS_BELOW = 0.50
_ROUNDING = 1e-12
_ONE_SIDED = 0.025

Standing = Literal["known", "not known", "open"]


@dataclass(frozen=True, slots=True)
class KnownNumber:
    """How one number stands: answered when shown (hits), and answered when another is shown (false alarms).

    A margin is how far the share is on the right side of its criterion; below 0 the criterion is missed. False
    alarms are None where no other number was shown, and then the number cannot count as known. `standing` is known, or
    not known, where chance does not explain it; else it is open.
    """

    number: int
    hits: Estimate
    false_alarms: Estimate | None
    hit_margin: float
    false_alarm_margin: float | None
    is_known: bool
    standing: Standing


@dataclass(frozen=True, slots=True)
class KnowerLevel:
    """The largest n with 1..n all known, 0 if 1 is not; None where 1 was never shown, or no other number.

    With one number alone nobody can tell a number that is known from the answer to everything. `low` and `high` are
    the smallest and the largest level that the replies leave possible (95 %).
    """

    level: int | None
    numbers: tuple[KnownNumber, ...]
    low: int | None
    high: int | None


def knower_level(replies: Replies) -> KnowerLevel:
    """Judge each number that was shown.

    n is known if at least 67 % of the trials on n are answered with n, and fewer than 50 % of all trials on other
    numbers. Both shares are taken within each category, where the trials on other numbers are pooled, and then
    averaged over categories with equal weight.

    A level is too low for the replies where one of the next numbers is known beyond doubt, which is one test; it is too
    high where its numbers cannot all be known, which is a test of all of them together (Simes).
    """
    shown = np.unique(replies.targets)
    groups = _gather(replies, shown)
    estimates = estimate_shares(groups, what="mean share of categories")
    count = len(shown)
    hits, false_alarms = estimates[:count], [*estimates[count:], *[None] * (2 * count - len(estimates))]
    criteria = np.repeat([LEAST_HITS, FALSE_ALARMS_BELOW], count)[: len(estimates)]
    above, below = compare_shares(groups, criteria)
    doubts = below[:count]
    if len(estimates) > count:
        doubts = np.minimum(1.0, 2 * np.minimum(doubts, above[count:]))
    numbers = tuple(map(_judge, shown.tolist(), hits, false_alarms, doubts.tolist()))
    start = int(np.searchsorted(shown, 1))
    run = _count_first(n == place for place, n in enumerate(shown[start:].tolist(), 1))
    if not run or count == 1:
        return KnowerLevel(None, numbers, None, None)
    in_turn, doubts = numbers[start : start + run], doubts[start:]
    level = _count_first(one.is_known for one in in_turn)
    low = _count_first(one.standing == "known" for one in in_turn)
    high = max(n for n in range(run + 1) if not _rejects_all(doubts[:n]))
    return KnowerLevel(level, numbers, low, high)


def _gather(replies: Replies, shown: NDArray[np.int64]) -> Clusters:
    """Gather the shares of hits of each number, then those of its false alarms, every category with equal weight."""
    # Trials on one number in one category and cluster, with how often each number is answered.
    units = combine(replies.clusters, replies.targets, replies.categories)
    _, first, place = np.unique(units, return_index=True, return_inverse=True)
    clusters, targets, categories, strata = (
        values[first] for values in (replies.clusters, replies.targets, replies.categories, replies.strata)
    )
    sizes = np.bincount(place).astype(np.float64)
    answered = np.searchsorted(shown, replies.numbers)
    is_shown = shown[np.minimum(answered, len(shown) - 1)] == replies.numbers
    counts = np.zeros((len(sizes), len(shown)))
    np.add.at(counts, (place[is_shown], answered[is_shown]), 1)
    is_hit = targets[:, None] == shown
    parts: list[tuple[NDArray[Any], ...]] = []
    for is_in in (is_hit, ~is_hit):
        unit, number = np.nonzero(is_in)
        trials = np.zeros((int(categories.max()) + 1, len(shown)))
        np.add.at(trials, (categories[unit], number), sizes[unit])
        weights = sizes[unit] * (trials.max(axis=0)[number] / trials[categories[unit], number])
        parts.append((unit, number + len(shown) * len(parts), counts[unit, number] / sizes[unit], weights))
    unit, groups, shares, weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return gather_groups(shares, groups, clusters[unit], strata[unit], weights=weights, observations=sizes[unit])


def _judge(number: int, hits: Estimate, false_alarms: Estimate | None, doubt: float) -> KnownNumber:
    hit_margin = hits.value - LEAST_HITS
    if false_alarms is None:
        return KnownNumber(number, hits, None, hit_margin, None, False, "open")
    false_alarm_margin = FALSE_ALARMS_BELOW - false_alarms.value
    is_known = hit_margin >= -_ROUNDING and false_alarm_margin > _ROUNDING
    standing: Standing = "not known" if doubt < _ONE_SIDED else "open"
    if hits.low >= LEAST_HITS and false_alarms.high < FALSE_ALARMS_BELOW:
        standing = "known"
    return KnownNumber(number, hits, false_alarms, hit_margin, false_alarm_margin, is_known, standing)


def _count_first(are_so: Iterable[bool]) -> int:
    return sum(1 for _ in itertools.takewhile(bool, are_so))


def _rejects_all(p: NDArray[np.float64]) -> bool:
    """Tell whether not all of some hypotheses can be true (Simes 1986, Biometrika 73)."""
    return bool((np.sort(p) < _ONE_SIDED * np.arange(1, len(p) + 1) / max(1, len(p))).any())
