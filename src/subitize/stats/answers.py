"""Patterns in an observer's answers: the numbers it knows, the answers it returns to, and its bias.

Known numbers follow the criteria of research on children's counting (knower levels); bias is tested by Wilcoxon's
signed ranks. An anchor is an answer that the observer returns to whatever is shown. The home of an answer is a run of
numbers to which an observer with proportional answers, of whatever gain, could give it: the largest is at most
(answer + ½) / (answer − ½) times the smallest. Of all such runs, it is the one where the answer is most frequent.
Elsewhere, answers that scatter around the number get rarer with distance, so one of the two neighbouring answers is at
least as frequent. An answer that is more frequent than both is an anchor."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.bootstrap import LEAST_TRIALS, METHOD, has_spread, replicate, small_sample_factor, widen
from subitize.stats.confusion import Answers, combine
from subitize.stats.estimate import (
    Floats,
    Integers,
    Units,
    cluster_spread,
    compare_shares,
    estimate,
    first_units,
    gather,
    student,
    wilson_interval,
)
from subitize.stats.significance import adjust_holm

# Testolin et al. 2025, section 2.4.2, after Le Corre and Carey (2007).
LEAST_HITS = 0.67
FALSE_ALARMS_BELOW = 0.50
_ROUNDING = 1e-12
_ONE_SIDED = 0.025

Standing = Literal["known", "not known", "open"]


@dataclass(frozen=True, slots=True)
class KnownNumber:
    """The evidence on one number: how often it is answered when shown (hits), and when another is (false alarms).

    A margin is how far the share is on the right side of its criterion; below 0 the criterion is missed. False alarms
    are None if no other number was shown, and then the number cannot count as known. `standing` is "known" or "not
    known" where chance cannot explain it, else "open".
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
    """The largest n with 1..n all known, 0 if 1 is not; None if 1 was never shown, or no other number was.

    With a single number, knowing it cannot be told from answering it to everything. `low` and `high` are the smallest
    and the largest level compatible with the replies (95 %).
    """

    level: int | None
    numbers: tuple[KnownNumber, ...]
    low: int | None
    high: int | None


def knower_level(replies: Answers) -> KnowerLevel:
    """Judge each number that was shown.

    n is known if at least 67 % of the trials on n are answered with n, and fewer than 50 % of all trials on other
    numbers. Both shares are taken within each category, where the trials on other numbers are pooled, and then
    averaged over categories with equal weight.

    The lower bound counts the leading numbers that are significantly known; the upper bound is the largest n for which
    Simes' test does not reject that 1..n are all known.
    """
    shown = np.unique(replies.targets)
    trials = _list_trials(replies, shown)
    estimates = estimate(**trials, what="mean share of categories")
    count = len(shown)
    hits, false_alarms = estimates[:count], [*estimates[count:], *[None] * (2 * count - len(estimates))]
    criteria = np.repeat([LEAST_HITS, FALSE_ALARMS_BELOW], count)[: len(estimates)]
    above, below = compare_shares(gather(**trials), criteria)
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


def _list_trials(replies: Answers, shown: Integers) -> dict[str, Any]:
    """List what is estimated: shares of hits by number, then of false alarms, with equal weight for every category."""
    # A unit: the trials on one number in one category and cluster, with how often each number is answered.
    units = combine(replies.clusters, replies.targets, replies.categories)
    _, first, place = np.unique(units, return_index=True, return_inverse=True)
    targets, categories, strata = (values[first] for values in (replies.targets, replies.categories, replies.strata))
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
    places = {"cluster": replies.units(first[unit]), "stratum": strata[unit], "group": groups}
    return {"values": shares, **places, "weight": weights, "count": sizes[unit]}


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


def _rejects_all(p: Floats) -> bool:
    """Return whether hypotheses with these p-values cannot all be true (Simes 1986, Biometrika 73)."""
    return bool((np.sort(p) < _ONE_SIDED * np.arange(1, len(p) + 1) / max(1, len(p))).any())


ALPHA = 0.05
_HIGHEST = 2.0**53  # not every larger whole number is a float
_PARTS = 4  # of the numbers away from an answer's home: the next below, the next above, those further below and above


@dataclass(frozen=True, slots=True)
class Anchor:
    """An answer that the observer returns to: its share of the counts given to numbers outside its home.

    `p_value` tests whether it is no more frequent there than an adjacent answer, adjusted for all answers (Holm).
    """

    answer: int
    share: Estimate
    home: tuple[int, ...]
    p_value: float


@dataclass(frozen=True, slots=True)
class Anchoring:
    """The anchors, the most frequent first; `n` is the number of counts, of at least 1, that were analysed."""

    anchors: tuple[Anchor, ...]
    n: int


def find_anchors(replies: Answers) -> Anchoring | None:
    """Find the anchors; None if counts were given to fewer than three numbers."""
    is_count = (replies.numbers >= 1) & (replies.targets >= 1)
    counts = Answers(
        np.minimum(replies.numbers[is_count], _HIGHEST),
        replies.targets[is_count],
        replies.categories[is_count],
        replies.clusters[is_count],
        replies.strata[is_count],
    )
    shown = np.unique(counts.targets)
    if len(shown) < 3:
        return None
    answers = np.unique(counts.numbers)
    homes = _find_homes(counts, answers, shown)
    p_values = _test(counts, answers, shown, homes)
    found = [
        Anchor(int(answers[place]), _share(counts, answers[place], shown[low:high]), tuple(shown[low:high].tolist()), p)
        for place, ((low, high), p) in enumerate(zip(homes.tolist(), p_values.tolist(), strict=True))
        if p < ALPHA
    ]
    return Anchoring(tuple(sorted(found, key=lambda one: -one.share.value)), len(counts.numbers))


def _find_homes(counts: Answers, answers: Floats, shown: Integers) -> Integers:
    """Return the place of the first number in each answer's home, and that after the last; of equals, the nearest."""
    matrix = np.zeros((len(answers), len(shown)))
    np.add.at(matrix, (np.searchsorted(answers, counts.numbers), np.searchsorted(shown, counts.targets)), 1)
    shares = np.round(matrix / matrix.sum(axis=0), 9)
    widest = (answers + 0.5) / (answers - 0.5) * (1 + 1e-9)
    ends = np.searchsorted(shown, widest[:, None] * shown, side="right")
    before = np.concatenate([np.zeros((len(answers), 1)), shares.cumsum(axis=1)], axis=1)
    held = np.round(np.take_along_axis(before, ends, axis=1) - before[:, :-1], 6)
    distance = np.abs(np.log(np.sqrt(shown * shown[ends - 1]) / answers[:, None]))
    start = np.lexsort((distance, -held), axis=1)[:, 0]
    return np.stack([start, ends[np.arange(len(answers)), start]], axis=1)


def _test(counts: Answers, answers: Floats, shown: Integers, homes: Integers) -> Floats:
    """Compare each answer away from home with its two neighbours; p-values are adjusted."""
    towards, beyond = (_compare(counts, answers, shown, homes, side) for side in (1, -1))
    p_values = np.fmax(towards, beyond)
    tested = (~np.isnan(p_values)).sum(axis=1)
    # Parts consist of different trials, so their p-values are independent (Simes).
    in_order = np.sort(p_values, axis=1) * tested[:, None] / np.arange(1, _PARTS + 1)
    return adjust_holm(np.where(tested > 0, np.fmin.reduce(in_order, axis=1), np.nan))


def _compare(counts: Answers, answers: Floats, shown: Integers, homes: Integers, side: int) -> Floats:
    """Compare each answer with its neighbour towards the number (1) or away from it (−1), in each part."""
    column = np.searchsorted(shown, counts.targets)
    trial, place, is_answer = [], [], []
    # A count supports its own answer, and speaks against its neighbours.
    for step in (0, 1, -1):
        at = np.minimum(np.searchsorted(answers, counts.numbers - step), len(answers) - 1)
        low, high = homes[at].T
        is_below, is_above = column < low, column >= high
        is_away = {0: is_below | is_above, side: is_above, -side: is_below}[step]
        is_in = is_away & (answers[at] == counts.numbers - step)
        trial.append(np.flatnonzero(is_in))
        place.append(at[is_in])
        is_answer.append(np.full(int(is_in.sum()), float(step == 0)))
    rows, at = np.concatenate(trial), np.concatenate(place)
    low, high = homes[at].T
    away = column[rows]
    part = np.select([away == low - 1, away == high, away < low], [0, 1, 2], 3)
    tested, groups = np.unique(at * _PARTS + part, return_inverse=True)
    p_values = np.full((len(answers), _PARTS), np.nan)
    if len(tested):
        values, groups = np.concatenate(is_answer), groups.astype(np.int64)
        compared = gather(values, counts.clusters[rows], counts.strata[rows], group=groups)
        p_values.ravel()[tested] = compare_shares(compared, np.full(len(tested), 0.5))[0]
    return p_values


def _share(counts: Answers, answer: float, home: Integers) -> Estimate:
    is_away = ~np.isin(counts.targets, home)
    given = (counts.numbers[is_away] == answer).astype(np.float64)
    return estimate(given, counts.clusters[is_away], counts.strata[is_away])[0]


Direction = Literal["over", "under", "none"]
LEAST_EFFECT = 0.3


@dataclass(frozen=True, slots=True)
class SignedRanks:
    """The test of n errors: z is above 0 if upward errors prevail, r = |z| / √n.

    `p` and the interval of r are over clusters, if these are known; `p_by_trial`, which decides on the direction as in
    the paper, takes all errors for independent.
    """

    direction: Direction
    r: Estimate
    z: float
    p: float
    p_by_trial: float
    n: int


def signed_rank_test(
    errors: Floats, strata: Integers | None = None, clusters: Units | None = None
) -> SignedRanks | None:
    """Test, two-sided, whether errors deviate from 0: normal approximation, corrected for ties, not for continuity.

    Errors of 0 have no rank, as in Wilcoxon's test, but they count in the n of r. Without them, r would be .87 (1 if
    all errors are of one size) as soon as all go to one side, even if they are one in a hundred. Without any error, z
    is 0 and p is 1. `strata` are codes of what the design fixes; errors of one cluster are correlated. Without
    `clusters` all errors are independent, and strata are cells (a number in a category) whose sizes resamples preserve.
    """
    n = len(errors)
    if n == 0:
        return None
    if clusters is not None:
        return _test_clusters(errors, strata, clusters)
    strata = np.zeros(n, dtype=np.int64) if strata is None else strata
    sizes, counts = _count(errors, strata)
    signed_effect = float(_signed_z(sizes, counts[None])[0]) / math.sqrt(n)
    z = signed_effect * math.sqrt(n)
    p = _p(z)
    return SignedRanks(_direct(signed_effect, p), _effect(signed_effect, sizes, counts), z, p, p, n)


def _direct(signed_effect: float, p: float) -> Direction:
    if p >= ALPHA or abs(signed_effect) < LEAST_EFFECT:
        return "none"
    return "over" if signed_effect > 0 else "under"


def _test_clusters(errors: Floats, strata: Integers | None, clusters: Units) -> SignedRanks:
    """Test over clusters: Student's t of the effect's pseudo-values, each from leaving out one cluster."""
    from scipy.special import stdtr

    n, found = len(errors), gather(errors, clusters, strata)
    place = np.unique(first_units(clusters), return_inverse=True)[1]
    sizes, counts = _count(errors, place)
    signed_z = float(_signed_z(sizes, counts[None])[0])
    effect, of_trials = signed_z / math.sqrt(n), _p(signed_z)
    count = len(found.means)
    if len(sizes) == 1 or count == 1:
        p = 1.0 if count == 1 or sizes[0] == 0 else min(1.0, 2.0 ** (1 - count))
        r = _effect_without_spread(float(sizes[0]), count) if len(sizes) == 1 else None
        r = (
            replace(r, n=n)
            if r
            else Estimate(abs(effect), 0.0, 1.0, n, f"{_EFFECT}, one cluster: whatever is possible")
        )
        return SignedRanks(_direct(effect, of_trials), r, signed_z, p, of_trials, n)
    left = (counts.sum(axis=1, keepdims=True) - counts).T
    without = _signed_z(sizes, left[..., None]) / np.sqrt(np.maximum(left.sum(axis=1), 1))
    # On Fisher's scale, whose spread hardly depends on the effect.
    on_scale = float(np.arctanh(np.clip(effect, -_NEARLY_ONE, _NEARLY_ONE)))
    pseudo = count * on_scale - (count - 1) * np.arctanh(np.clip(without, -_NEARLY_ONE, _NEARLY_ONE))
    spread = cluster_spread(replace(found, means=pseudo, weights=np.ones(count)))
    error, degrees = math.sqrt(float(spread.variance[0])), max(float(spread.degrees[0]), 1e-9)
    p = 2 * float(stdtr(degrees, -abs(on_scale) / error)) if error > 0 else of_trials
    half = student(degrees) * error if math.isfinite(error) else math.inf
    low, high = math.tanh(on_scale - half), math.tanh(on_scale + half)
    edges = sorted((abs(low), abs(high)))
    (layout,) = spread.layouts()
    method = f"{_EFFECT}, Student's interval of its pseudo-values over {layout}"
    r = Estimate(abs(effect), 0.0 if low <= 0 <= high else edges[0], edges[1], n, method)
    return SignedRanks(_direct(effect, of_trials), r, signed_z, p, of_trials, n)


_NEARLY_ONE = 1 - 1e-9
_EFFECT = "r = |z| / √n, signed-rank"


def _count(errors: Floats, strata: Integers) -> tuple[Floats, Integers]:
    """Count the errors of each size in each stratum."""
    sizes, row = np.unique(errors, return_inverse=True)
    _, column = np.unique(strata, return_inverse=True)
    counts = np.zeros((len(sizes), int(column.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(counts, (row, column), 1)
    return sizes, counts


def _signed_z(sizes: Floats, counts: Integers) -> Floats:
    """Compute z of each of several counts (…, size, stratum); 0 if there are no errors."""
    upwards, ties, ranks = _rank(sizes, counts.sum(axis=-1))
    # By how much the ranks of upward errors exceed half of all, and its variance if each error's sign is a coin toss.
    excess = ((upwards - ties / 2) * ranks).sum(axis=-1)
    variance = (ties * ranks**2).sum(axis=-1) / 4
    return np.where(variance > 0, excess / np.sqrt(np.where(variance > 0, variance, 1)), 0.0)


def _rank(sizes: Floats, totals: Integers) -> tuple[Floats, Floats, Floats]:
    """Return, per magnitude above 0, the number of upward errors, of all errors, and the rank of each."""
    magnitudes, group = np.unique(np.abs(sizes[sizes != 0]), return_inverse=True)
    upwards = np.zeros((*totals.shape[:-1], len(magnitudes)))
    ties = np.zeros_like(upwards)
    for column, (index, size) in zip(group, ((i, s) for i, s in enumerate(sizes) if s != 0), strict=True):
        ties[..., column] += totals[..., index]
        if size > 0:
            upwards[..., column] += totals[..., index]
    return upwards, ties, np.cumsum(ties, axis=-1) - (ties - 1) / 2


def _p(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


def _effect(signed_effect: float, sizes: Floats, counts: Integers) -> Estimate:
    """Put an interval around r: that of the signed effect, folded at 0.

    Strata with few trials, or with the same answer throughout, have no spread of their own to resample. Then all errors
    are resampled together, which adds the differences between strata and so can only widen the interval.
    """
    n = int(counts.sum())
    if len(sizes) == 1:
        return _effect_without_spread(float(sizes[0]), n)
    what = _EFFECT

    def statistic(resampled: Integers) -> Floats:
        return _signed_z(sizes, resampled) / math.sqrt(n)

    replicates = replicate(statistic, counts)
    if counts.sum(axis=0).min() < LEAST_TRIALS or not has_spread(replicates):
        counts = counts.sum(axis=1, keepdims=True)
        replicates = replicate(statistic, counts)
        what += ", strata together"
    lost = small_sample_factor(counts.sum(axis=0))
    low, high = widen(signed_effect, replicates, (-1.0, 1.0), lost)
    edges = sorted((abs(low), abs(high)))
    # An effect that the test cannot tell from 0 may be 0; with few errors, resamples would show this too rarely.
    may_be_none = low <= 0 <= high or _p(signed_effect * math.sqrt(n)) >= ALPHA
    folded = 0.0 if may_be_none else edges[0]
    return Estimate(abs(signed_effect), folded, edges[1], n, f"{what}, {METHOD}")


def _effect_without_spread(size: float, n: int) -> Estimate:
    """Bound r by how many errors of another size, all alike, may have been missed (Wilson)."""
    missed = wilson_interval(0, n).high
    if size == 0:
        return Estimate(0.0, 0.0, math.sqrt(missed), n, "r = |z| / √n; no error, Wilson bound on their share")
    method = "r = |z| / √n; all errors alike, Wilson bound on the share of opposite ones"
    return Estimate(1.0, max(0.0, 1 - 2 * missed), 1.0, n, method)
