"""Which numbers an observer knows, by the criteria of research on children's counting."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.intervals import share_interval

# Testolin et al. 2025, section 2.4.2, after Le Corre and Carey (2007).
LEAST_HITS = 0.67
FALSE_ALARMS_BELOW = 0.50
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class KnownNumber:
    """How one number stands: answered when shown (hits), and answered when another is shown (false alarms).

    A margin is how far the share is on the right side of its criterion; below 0 the criterion is missed. False
    alarms are None where no other number was shown, and then the number cannot count as known.
    """

    number: int
    hits: Estimate
    false_alarms: Estimate | None
    hit_margin: float
    false_alarm_margin: float | None
    is_known: bool


@dataclass(frozen=True, slots=True)
class KnowerLevel:
    """The largest n with 1..n all known, 0 if 1 is not; None where 1 was never shown, or no other number.

    With one number alone nobody can tell a number that is known from the answer to everything.
    """

    level: int | None
    numbers: tuple[KnownNumber, ...]


def knower_level(
    counts: NDArray[np.int64], targets: Sequence[int], trials: NDArray[np.int64] | None = None
) -> KnowerLevel:
    """Judge each target by counts of (category, response, target).

    n is known if at least 67 % of the trials on n are answered with n, and fewer than 50 % of all trials on other
    numbers. Both shares are taken within each category, where the trials on other numbers are pooled, and then
    averaged over categories with equal weight. `trials` (category, target) may be more than the counts have,
    where some answers (0) have no row.
    """
    trials = counts.sum(axis=1) if trials is None else trials
    shown = [index for index in range(len(targets)) if trials[:, index].any()]
    numbers = tuple(_judge(counts, trials, targets[index], index) for index in shown)
    known = {number.number: number.is_known for number in numbers}
    level = next(n for n in range(len(known) + 1) if not known.get(n + 1, False))
    return KnowerLevel(level if 1 in known and len(known) > 1 else None, numbers)


def _judge(counts: NDArray[np.int64], trials: NDArray[np.int64], number: int, index: int) -> KnownNumber:
    is_other = np.arange(trials.shape[1]) != index
    answers = counts[:, number - 1, :]
    hits = _average(answers[:, index], trials[:, index])
    false_alarms = _average(answers[:, is_other].sum(axis=1), trials[:, is_other].sum(axis=1))
    assert hits is not None
    hit_margin = hits.value - LEAST_HITS
    if false_alarms is None:
        return KnownNumber(number, hits, None, hit_margin, None, False)
    false_alarm_margin = FALSE_ALARMS_BELOW - false_alarms.value
    is_known = hit_margin >= -_ROUNDING and false_alarm_margin > _ROUNDING
    return KnownNumber(number, hits, false_alarms, hit_margin, false_alarm_margin, is_known)


def _average(successes: NDArray[np.int64], trials: NDArray[np.int64]) -> Estimate | None:
    """Average shares; the interval is Wilson's, of the n that a single share of the same variance would have."""
    has_trials = trials > 0
    if not has_trials.any():
        return None
    successes, trials = successes[has_trials], trials[has_trials]
    shares = successes / trials
    effective_n = len(trials) ** 2 / float((1 / trials).sum())
    what = "mean share of categories" if len(trials) > 1 else "share"
    return share_interval(float(shares.mean()), effective_n, n=int(trials.sum()), what=what)
