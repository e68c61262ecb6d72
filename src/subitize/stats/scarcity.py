"""Where there is too little to tell how far raters agree: for any interval, or for one to rely on.

A unit stands for its cluster here: several images of one prompt may be odd for the same reason.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from subitize.stats.ratings import Ratings, sum_groups

# Below the first, intervals cover far less than they say; below the second, at times. Simulated in
# tests/stats/test_agreement_coverage.py.
_FEWEST, _FEW = 5, 10
_FEW_ANNOTATORS = 5
_MOST_OF_ONE_ANNOTATOR = 0.45


def lack_of_values(ratings: Ratings) -> str | None:
    """Tell why an interval of agreement beyond chance would mislead, if so: nearly all answers are the same."""
    return _describe(_count_unusual(ratings), "have another answer than the most frequent one", _FEWEST)


def lack_of_distances(ratings: Ratings) -> str | None:
    """Tell why an interval of how far answers are apart would mislead, if so: hardly any are."""
    return lack_of_values(ratings) or _describe(_count_disputed(ratings), "have answers that differ", _FEWEST)


def share_answers(ratings: Ratings) -> NDArray[np.float64]:
    """Give each annotator's share of the answers, as units weigh; nothing where it is not known who answered."""
    answers, who = ratings.answers, ratings.answers.cells.annotator
    return np.zeros(0) if who is None else sum_groups(who, sum_groups(answers.cell, answers.weight))


def do_annotators_vary(shares: NDArray[np.float64]) -> bool:
    """Tell whether annotators with these shares of the answers can be compared: at least three, none in all pairs.

    Who is in every pair of answers has half of the answers.
    """
    return len(shares) > 2 and float(shares.max()) < _MOST_OF_ONE_ANNOTATOR


def find_cautions(ratings: Ratings, *, are_counts: bool = False) -> Iterator[str]:
    """Tell what there is too little of for the intervals to be relied on, or for there to be any."""
    if ratings.answers.cells.clusters < _FEW:
        yield f"only {_number(ratings.answers.cells.clusters, 'prompt')}"
    else:
        unusual = _describe(_count_unusual(ratings), "have another answer than the most frequent one", _FEW)
        disputed = _describe(_count_disputed(ratings), "have answers that differ", _FEW)
        yield from filter(None, (unusual, disputed))
        if are_counts:
            yield from _doubt_zeros(ratings)
    yield from _doubt_annotators(ratings)


def _doubt_zeros(ratings: Ratings) -> Iterator[str]:
    """Tell where 0 is rare: by ratio, it is as far from any other number as can be."""
    zeros = _count(ratings, ratings.counts @ (ratings.values == 0) > 0)
    if 0 < zeros < _FEW:
        yield f"only {_number(zeros, 'prompt')} with an answer of 0, which α by ratio hangs on"


def _doubt_annotators(ratings: Ratings) -> Iterator[str]:
    shares = share_answers(ratings)
    if not len(shares):
        return
    if not do_annotators_vary(shares):
        who = f"{len(shares)} annotators" if len(shares) < 3 else "one annotator in nearly every pair"
        yield f"{who}: the interval is for these people, not for others like them"
    elif len(shares) < _FEW_ANNOTATORS:
        yield f"only {len(shares)} annotators"


def _count_unusual(ratings: Ratings) -> int:
    if not len(ratings.units):
        return 0
    usual = (ratings.units @ ratings.counts).argmax()
    return _count(ratings, ratings.counts[:, usual] < ratings.raters)


def _count_disputed(ratings: Ratings) -> int:
    return _count(ratings, ratings.counts.max(axis=1, initial=0) < ratings.raters)


def _count(ratings: Ratings, rows: NDArray[np.bool_]) -> int:
    """Count the clusters that have a unit of such a row."""
    answers = ratings.answers
    is_such = np.zeros(answers.cells.clusters, dtype=np.bool_)
    is_such[answers.cells.cluster[answers.cell[rows[answers.row]]]] = True
    return int(is_such.sum())


def _describe(count: int, what: str, fewest: int) -> str | None:
    return f"only {_number(count, 'prompt')} {what}" if count < fewest else None


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)
