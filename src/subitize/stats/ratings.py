"""What several raters said of each unit, counted: units that were answered alike are kept as one."""

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
class Answers:
    """The answers one by one: their row and value in `Ratings`, their cell, and what they weigh.

    All units weigh the same, and so do the answers to a unit; together it is 1.
    """

    row: Codes
    value: Codes
    cell: Codes
    cells: Cells
    weight: NDArray[np.float64]

    def keep(self, chosen: NDArray[np.bool_]) -> "Answers":
        """Keep some answers."""
        used, cell = np.unique(self.cell[chosen], return_inverse=True)
        who = None if self.cells.annotator is None else _number(self.cells.annotator[used])
        weight = self.weight[chosen]
        cells = Cells(_number(self.cells.cluster[used]), who)
        return Answers(self.row[chosen], self.value[chosen], cell, cells, weight / (weight.sum() or 1))


@dataclass(frozen=True, slots=True)
class Ratings:
    """How often each value was given to a unit, one row per distinct set of answers, and how many units have it.

    The value of a measure of agreement needs no more than this; its interval needs the answers, too. `values` ascend.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    units: NDArray[np.int64]
    answers: Answers

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


def tally(
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
    return Ratings(given, counts, sizes, Answers(row, codes, cell, cells, weight))


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
