"""Count the answers of several raters to each unit, and warn where they are too few to measure agreement.

Units with the same answers are one row. Warnings count clusters rather than units, as several images of one prompt
may be unusual for the same reason."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.stats.estimate import Floats, Integers


@dataclass(frozen=True, slots=True)
class Cells:
    """The cluster and the annotator of each cell: one annotator's answers to one cluster (None: unknown annotators)."""

    cluster: Integers
    annotator: Integers | None = None

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1

    @property
    def annotators(self) -> int:
        """The number of known annotators."""
        return 0 if self.annotator is None else int(self.annotator.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True)
class RaterAnswers:
    """The answers one by one: their row and value in `Ratings`, their cell, and their weight.

    All units weigh the same, and so do the answers to one unit; weights sum to 1.
    """

    row: Integers
    value: Integers
    cell: Integers
    cells: Cells
    weight: Floats

    def keep(self, chosen: NDArray[np.bool_]) -> "RaterAnswers":
        """Keep some answers."""
        used, cell = np.unique(self.cell[chosen], return_inverse=True)
        who = None if self.cells.annotator is None else _number(self.cells.annotator[used])
        weight = self.weight[chosen]
        cells = Cells(_number(self.cells.cluster[used]), who)
        return RaterAnswers(self.row[chosen], self.value[chosen], cell, cells, weight / (weight.sum() or 1))


@dataclass(frozen=True, slots=True)
class Ratings:
    """Counts of each value per unit, one row per distinct set of answers, and the number of units with that set.

    The value of a measure of agreement needs only these counts; its interval needs the answers, too. `values` ascend.
    """

    values: Floats
    counts: Floats
    units: Integers
    answers: RaterAnswers

    @property
    def raters(self) -> Floats:
        """The number of answers to a unit of each row."""
        return np.asarray(self.counts.sum(axis=1))

    def keep(self, rows: NDArray[np.bool_]) -> "Ratings":
        """Keep some rows, and all values."""
        if rows.all():
            return self
        answers = self.answers.keep(rows[self.answers.row])
        answers = replace(answers, row=(np.cumsum(rows) - 1)[answers.row])
        return Ratings(self.values, self.counts[rows], self.units[rows], answers)


def count_ratings(
    units: Integers,
    values: Floats,
    *,
    domain: Floats | None = None,
    clusters: NDArray[Any] | None = None,
    annotators: NDArray[Any] | None = None,
) -> Ratings:
    """Count answers given one by one: `values[i]` is an answer about unit `units[i]`; NaN means no answer.

    Units without answers are left out. `domain` has all possible values, where some were never given. `clusters[i]` is
    the cluster of the unit, such as its prompt: by default each unit is its own. `annotators[i]` gave the answer.
    """
    values = np.asarray(values, dtype=np.float64)
    is_answer = ~np.isnan(values)
    given = np.unique(values[is_answer])  # faster than with codes
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


def sum_groups(groups: Integers, values: Floats) -> Floats:
    """Sum values by group; groups are numbered from 0."""
    return np.bincount(groups, values).astype(np.float64, copy=False)


def _cross(cluster: Integers, annotator: Integers | None) -> tuple[Integers, Cells]:
    if annotator is None:
        return cluster, Cells(np.unique(cluster))
    people = int(annotator.max(initial=0)) + 1
    found, cell = np.unique(cluster * people + annotator, return_inverse=True)
    return cell, Cells(*np.divmod(found, people))


def _number(names: NDArray[Any]) -> Integers:
    """Number distinct names from 0, in sorted order; small whole numbers need no sorting."""
    if names.dtype.kind in "iu" and names.size and names.min() >= 0 and names.max() <= 2 * names.size:
        return np.asarray((np.cumsum(np.bincount(names) > 0) - 1)[names], dtype=np.int64)
    return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)


def _place(given: Floats, codes: Integers, domain: Floats) -> tuple[Floats, Integers]:
    foreign = given[~np.isin(given, domain)]
    if foreign.size:
        raise ValueError(f"value {foreign[0]:g} was given but is not in the domain {domain.tolist()}; add it there")
    return domain, np.searchsorted(domain, given)[codes]


def _count_patterns(values: int, unit: Integers, code: Integers) -> tuple[Floats, Integers, Integers]:
    """Find the distinct sets of answers: their counts, the number of units with each, and the set of each unit.

    The answers to a unit are a row of sorted codes, padded with one that means no answer.
    """
    # Combined into one number, unit and value sort ten times faster than as two keys.
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


# With fewer than the first, intervals cover far less than they say; with fewer than the second, sometimes. Simulated in
# tests/stats/test_agreement_coverage.py.
_FEWEST, _FEW = 5, 10
_FEW_ANNOTATORS = 5
_MOST_OF_ONE_ANNOTATOR = 0.45


def why_no_interval(ratings: Ratings) -> str | None:
    """Say why an interval of agreement beyond chance would mislead, if nearly all answers are the same."""
    return _describe(_count_unusual(ratings), "have another answer than the most frequent one", _FEWEST)


def lack_of_distances(ratings: Ratings) -> str | None:
    """Say why an interval based on distances between answers would mislead, if hardly any answers differ."""
    return why_no_interval(ratings) or _describe(_count_disputed(ratings), "have answers that differ", _FEWEST)


def share_answers(ratings: Ratings) -> Floats:
    """Return each annotator's weighted share of the answers; nothing if annotators are unknown."""
    answers, who = ratings.answers, ratings.answers.cells.annotator
    return np.zeros(0) if who is None else sum_groups(who, sum_groups(answers.cell, answers.weight))


def has_varied_annotators(shares: Floats) -> bool:
    """Return whether annotators with these shares of the answers can be compared: at least three, none in all pairs.

    An annotator in every pair of answers has half of them.
    """
    return len(shares) > 2 and float(shares.max()) < _MOST_OF_ONE_ANNOTATOR


def find_cautions(ratings: Ratings, *, are_counts: bool = False) -> Iterator[str]:
    """Say when agreement cannot be estimated, or its interval not trusted."""
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
    """Warn if 0 is rare: by ratio, it is as far as possible from any other number."""
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
    """Count the clusters that have a unit in one of these rows."""
    answers = ratings.answers
    is_such = np.zeros(answers.cells.clusters, dtype=np.bool_)
    is_such[answers.cells.cluster[answers.cell[rows[answers.row]]]] = True
    return int(is_such.sum())


def _describe(count: int, what: str, fewest: int) -> str | None:
    return f"only {_count_noun(count, 'prompt')} {what}" if count < fewest else None


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)
