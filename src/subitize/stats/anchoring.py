"""Which answers an observer returns to, whatever is shown.

An answer is at home with a run of numbers that a proportional reader could give it to, of whatever gain: the largest is
at most (answer + ½) / (answer − ½) times the smallest. Of all such runs, it is at home where it is most frequent.
Elsewhere, answers that scatter around the number get rarer with the distance, by whatever law, so that one of the two
answers next to it is at least as frequent. An answer that is more frequent than both is an anchor.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimator import compare_shares, estimate_share, gather_groups
from subitize.stats.multiplicity import adjust_holm
from subitize.stats.replies import Replies

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ALPHA = 0.05
_HIGHEST = 2.0**53  # above, not every whole number is a float
_PARTS = 4  # numbers away from an answer's home that are tested together: the next below, the next above, those further


@dataclass(frozen=True, slots=True)
class Anchor:
    """An answer that is returned to: its share of the counts given to numbers that it is not at home with.

    `p_value` is that of its being no more frequent there than an answer next to it, adjusted for all answers (Holm).
    """

    answer: int
    share: Estimate
    home: tuple[int, ...]
    p_value: float


@dataclass(frozen=True, slots=True)
class Anchoring:
    """The answers that are returned to, the most frequent first; `n` are the counts, of at least 1, they are among."""

    anchors: tuple[Anchor, ...]
    n: int


def find_anchors(replies: Replies) -> Anchoring | None:
    """Find the answers that are returned to; None where fewer than three numbers were answered."""
    is_count = (replies.numbers >= 1) & (replies.targets >= 1)
    counts = _Counts(
        np.minimum(replies.numbers[is_count], _HIGHEST).astype(np.int64),
        *(values[is_count] for values in (replies.targets, replies.clusters, replies.strata)),
    )
    shown = np.unique(counts.targets)
    if len(shown) < 3:
        return None
    answers = np.unique(counts.answers)
    homes = _find_homes(counts, answers, shown)
    p_values = _test(counts, answers, shown, homes)
    found = [
        Anchor(int(answers[place]), _share(counts, answers[place], shown[low:high]), tuple(shown[low:high].tolist()), p)
        for place, ((low, high), p) in enumerate(zip(homes.tolist(), p_values.tolist(), strict=True))
        if p < ALPHA
    ]
    return Anchoring(tuple(sorted(found, key=lambda one: -one.share.value)), len(counts.answers))


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    answers: Integers
    targets: Integers
    clusters: Integers
    strata: Integers


def _find_homes(counts: _Counts, answers: Integers, shown: Integers) -> Integers:
    """Give the place of the first number in each answer's home, and that after the last; of equals, the nearest."""
    matrix = np.zeros((len(answers), len(shown)))
    np.add.at(matrix, (np.searchsorted(answers, counts.answers), np.searchsorted(shown, counts.targets)), 1)
    shares = np.round(matrix / matrix.sum(axis=0), 9)
    widest = (answers + 0.5) / (answers - 0.5) * (1 + 1e-9)
    ends = np.searchsorted(shown, widest[:, None] * shown, side="right")
    before = np.concatenate([np.zeros((len(answers), 1)), shares.cumsum(axis=1)], axis=1)
    held = np.round(np.take_along_axis(before, ends, axis=1) - before[:, :-1], 6)
    distance = np.abs(np.log(np.sqrt(shown * shown[ends - 1]) / answers[:, None]))
    start = np.lexsort((distance, -held), axis=1)[:, 0]
    return np.stack([start, ends[np.arange(len(answers)), start]], axis=1)


def _test(counts: _Counts, answers: Integers, shown: Integers, homes: Integers) -> Floats:
    """Compare each answer away from home with the two next to it; p-values are adjusted."""
    towards, beyond = (_compare(counts, answers, shown, homes, side) for side in (1, -1))
    p_values = np.fmax(towards, beyond)
    tested = (~np.isnan(p_values)).sum(axis=1)
    # Parts are other trials, so that their p-values are independent (Simes).
    in_order = np.sort(p_values, axis=1) * tested[:, None] / np.arange(1, _PARTS + 1)
    return adjust_holm(np.where(tested > 0, np.fmin.reduce(in_order, axis=1), np.nan))


def _compare(counts: _Counts, answers: Integers, shown: Integers, homes: Integers, side: int) -> Floats:
    """Compare each answer with the next one on the side of the number (1) or on the other (−1), in each part."""
    column = np.searchsorted(shown, counts.targets)
    trial, place, is_answer = [], [], []
    # A count speaks for its own answer, and against those next to it.
    for step in (0, 1, -1):
        at = np.minimum(np.searchsorted(answers, counts.answers - step), len(answers) - 1)
        low, high = homes[at].T
        is_below, is_above = column < low, column >= high
        is_away = {0: is_below | is_above, side: is_above, -side: is_below}[step]
        is_in = is_away & (answers[at] == counts.answers - step)
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
        compared = gather_groups(values, groups, counts.clusters[rows], counts.strata[rows])
        p_values.ravel()[tested] = compare_shares(compared, np.full(len(tested), 0.5))[0]
    return p_values


def _share(counts: _Counts, answer: int, home: Integers) -> Estimate:
    is_away = ~np.isin(counts.targets, home)
    given = (counts.answers[is_away] == answer).astype(np.float64)
    return estimate_share(given, counts.clusters[is_away], counts.strata[is_away])
