"""Counts what several raters said of each unit, and warns where that is too little to measure agreement.

Units that were answered alike are kept as one row. For the warnings a unit counts as its cluster: several images of
one prompt may be odd for the same reason."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cells:
    """What one annotator said of the units of one cluster: which of them; None where it is not known who answered."""

    cluster: Codes
    annotator: Codes | None = None

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster.max(initial=-1)) + 1

    @property
    def annotators(self) -> int:
        """How many people answered, as far as it is known."""
        return 0 if self.annotator is None else int(self.annotator.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True)
class RaterAnswers:
    """The answers one by one: their row and value in `Ratings`, their cell, and what they weigh.

    All units weigh the same, and so do the answers to a unit; together it is 1.
    """

    row: Codes
    value: Codes
    cell: Codes
    cells: Cells
    weight: NDArray[np.float64]

    def keep(self, chosen: NDArray[np.bool_]) -> "RaterAnswers":
        """Keep some answers."""
        used, cell = np.unique(self.cell[chosen], return_inverse=True)
        who = None if self.cells.annotator is None else _number(self.cells.annotator[used])
        weight = self.weight[chosen]
        cells = Cells(_number(self.cells.cluster[used]), who)
        return RaterAnswers(self.row[chosen], self.value[chosen], cell, cells, weight / (weight.sum() or 1))


@dataclass(frozen=True, slots=True)
class Ratings:
    """How often each value was given to a unit, one row per distinct set of answers, and how many units have it.

    The value of a measure of agreement needs no more than this; its interval needs the answers, too. `values` ascend.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    units: NDArray[np.int64]
    answers: RaterAnswers

    @property
    def raters(self) -> NDArray[np.float64]:
        """How many answers a unit of each row has."""
        return np.asarray(self.counts.sum(axis=1))

    def keep(self, rows: NDArray[np.bool_]) -> "Ratings":
        """Keep some rows, and all values."""
        if rows.all():
            return self
        answers = self.answers.keep(rows[self.answers.row])
        answers = replace(answers, row=(np.cumsum(rows) - 1)[answers.row])
        return Ratings(self.values, self.counts[rows], self.units[rows], answers)


def count_ratings(
    units: NDArray[np.int64],
    values: NDArray[np.float64],
    *,
    domain: NDArray[np.float64] | None = None,
    clusters: NDArray[Any] | None = None,
    annotators: NDArray[Any] | None = None,
) -> Ratings:
    """Count answers that are given one by one: `values[i]` is an answer about unit `units[i]`; NaN is no answer.

    A unit without an answer is left out. `domain` are the values that could have been given, where not all of them
    were. `clusters[i]` is the cluster that the unit belongs to, such as its prompt: by default each unit is its own.
    `annotators[i]` is who gave the answer.
    """
    values = np.asarray(values, dtype=np.float64)
    is_answer = ~np.isnan(values)
    given = np.unique(values[is_answer])  # faster than if it gave the codes, too
    codes = np.searchsorted(given, values[is_answer])
    if domain is not None:
        given, codes = _place(given, codes, np.unique(domain))
    unit = _number(units[is_answer])
    counts, sizes, row_of_unit = _count_patterns(len(given), unit, codes)
    row = row_of_unit[unit]
    cell, cells = _cross(
        unit if clusters is None else _number(clusters[is_answer]),
        None if annotators is None else _number(annotators[is_answer]),
    )
    weight = 1 / (counts.sum(axis=1) * max(1, sizes.sum()))[row]
    return Ratings(given, counts, sizes, RaterAnswers(row, codes, cell, cells, weight))


def sum_groups(groups: Codes, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum the values of each group, which are numbered from 0."""
    return np.bincount(groups, values).astype(np.float64, copy=False)


def _cross(cluster: Codes, annotator: Codes | None) -> tuple[Codes, Cells]:
    if annotator is None:
        return cluster, Cells(np.unique(cluster))
    people = int(annotator.max(initial=0)) + 1
    found, cell = np.unique(cluster * people + annotator, return_inverse=True)
    return cell, Cells(*np.divmod(found, people))


def _number(names: NDArray[Any]) -> Codes:
    """Number different names from 0, in their order; names that are small whole numbers need no sorting."""
    if names.dtype.kind in "iu" and names.size and names.min() >= 0 and names.max() <= 2 * names.size:
        return np.asarray((np.cumsum(np.bincount(names) > 0) - 1)[names], dtype=np.int64)
    return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)


def _place(given: NDArray[np.float64], codes: Codes, domain: NDArray[np.float64]) -> tuple[NDArray[np.float64], Codes]:
    foreign = given[~np.isin(given, domain)]
    if foreign.size:
        raise ValueError(f"value {foreign[0]:g} was given but is not in the domain {domain.tolist()}; add it there")
    return domain, np.searchsorted(domain, given)[codes]


def _count_patterns(values: int, unit: Codes, code: Codes) -> tuple[NDArray[np.float64], Codes, Codes]:
    """Find the distinct sets of answers: their counts, how many units have each, and which one each unit has.

    The answers to a unit are a row of sorted codes, filled up with one that stands for no answer.
    """
    # As one number, unit and value sort ten times as fast as they do as two keys.
    unit, code = np.divmod(np.sort(unit * max(1, values) + code), max(1, values))
    first = np.flatnonzero(np.diff(unit, prepend=-1))
    size = np.diff(first, append=len(unit))
    rows = np.full((len(size), int(size.max(initial=1))), values, dtype=np.min_scalar_type(values))
    rows[unit, np.arange(len(code)) - np.repeat(first, size)] = code
    order = np.lexsort(rows.T)
    rows = rows[order]
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    patterns = rows[is_new]
    counts = np.zeros((len(patterns), values))
    row, column = np.nonzero(patterns != values)
    np.add.at(counts, (row, patterns[row, column]), 1)
    row_of_unit = np.empty(len(order), dtype=np.int64)
    row_of_unit[order] = np.cumsum(is_new) - 1
    return counts, np.diff(np.flatnonzero(np.append(is_new, True))), row_of_unit


# Below the first, intervals cover far less than they say; below the second, at times. Simulated in
# tests/stats/test_agreement_coverage.py.
_FEWEST, _FEW = 5, 10
_FEW_ANNOTATORS = 5
_MOST_OF_ONE_ANNOTATOR = 0.45


def why_no_interval(ratings: Ratings) -> str | None:
    """Tell why an interval of agreement beyond chance would mislead, if so: nearly all answers are the same."""
    return _describe(_count_unusual(ratings), "have another answer than the most frequent one", _FEWEST)


def lack_of_distances(ratings: Ratings) -> str | None:
    """Tell why an interval of how far answers are apart would mislead, if so: hardly any are."""
    return why_no_interval(ratings) or _describe(_count_disputed(ratings), "have answers that differ", _FEWEST)


def share_answers(ratings: Ratings) -> NDArray[np.float64]:
    """Give each annotator's share of the answers, as units weigh; nothing where it is not known who answered."""
    answers, who = ratings.answers, ratings.answers.cells.annotator
    return np.zeros(0) if who is None else sum_groups(who, sum_groups(answers.cell, answers.weight))


def has_varied_annotators(shares: NDArray[np.float64]) -> bool:
    """Tell whether annotators with these shares of the answers can be compared: at least three, none in all pairs.

    Who is in every pair of answers has half of the answers.
    """
    return len(shares) > 2 and float(shares.max()) < _MOST_OF_ONE_ANNOTATOR


def find_cautions(ratings: Ratings, *, are_counts: bool = False) -> Iterator[str]:
    """Tell what there is too little of for the intervals to be relied on, or for there to be any."""
    if ratings.answers.cells.clusters < _FEW:
        yield f"only {_count_noun(ratings.answers.cells.clusters, 'prompt')}"
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
        yield f"only {_count_noun(zeros, 'prompt')} with an answer of 0, which α by ratio hangs on"


def _doubt_annotators(ratings: Ratings) -> Iterator[str]:
    shares = share_answers(ratings)
    if not len(shares):
        return
    if not has_varied_annotators(shares):
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
    return f"only {_count_noun(count, 'prompt')} {what}" if count < fewest else None


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)
