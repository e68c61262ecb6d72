"""What several raters said of each unit, counted: units that were answered alike are kept as one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ratings:
    """How often each value was given to a unit, one row per distinct set of answers, and how many units have it.

    Measures of agreement need no more than this, whoever gave which answer; and resampling units is drawing how many
    there are of each row. `values` ascend.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    units: NDArray[np.int64]

    @property
    def raters(self) -> NDArray[np.float64]:
        """How many answers a unit of each row has."""
        return np.asarray(self.counts.sum(axis=1))

    def keep(self, rows: NDArray[np.bool_]) -> "Ratings":
        """Keep some rows, and all values."""
        if rows.all():
            return self
        return Ratings(self.values, self.counts[rows], self.units[rows])


def tally(
    units: NDArray[np.int64], values: NDArray[np.float64], *, domain: NDArray[np.float64] | None = None
) -> Ratings:
    """Count answers that are given one by one: `values[i]` is an answer about unit `units[i]`; NaN is no answer.

    Units are whole numbers; one without an answer is left out. `domain` are the values that could have been given,
    where not all of them were.
    """
    values = np.asarray(values, dtype=np.float64)
    is_answer = ~np.isnan(values)
    given, codes = np.unique(values[is_answer], return_inverse=True)
    if domain is not None:
        given, codes = _place(given, codes, np.unique(domain))
    # As one number, unit and value sort ten times as fast as they do as two keys.
    in_order = np.sort(units[is_answer].astype(np.int64) * len(given) + codes)
    unit, code = np.divmod(in_order, max(1, len(given)))
    return _count_patterns(given, unit, code)


def _place(
    given: NDArray[np.float64], codes: NDArray[np.int64], domain: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    foreign = given[~np.isin(given, domain)]
    if foreign.size:
        raise ValueError(f"value {foreign[0]:g} was given but is not in the domain {domain.tolist()}; add it there")
    return domain, np.searchsorted(domain, given)[codes]


def _count_patterns(values: NDArray[np.float64], unit: NDArray[np.int64], code: NDArray[np.int64]) -> Ratings:
    """Find the distinct sets of answers: rows of sorted codes, filled up with one that stands for no answer."""
    no_answer = len(values)
    first = np.flatnonzero(np.diff(unit, prepend=unit[:1] - 1))
    size = np.diff(first, append=len(unit))
    rows = np.full((len(size), int(size.max(initial=1))), no_answer, dtype=np.min_scalar_type(no_answer))
    rows[np.repeat(np.arange(len(size)), size), np.arange(len(code)) - np.repeat(first, size)] = code
    rows = rows[np.lexsort(rows.T)]
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    patterns = rows[is_new]
    counts = np.zeros((len(patterns), len(values)))
    row, column = np.nonzero(patterns != no_answer)
    np.add.at(counts, (row, patterns[row, column]), 1)
    return Ratings(values, counts, np.diff(np.flatnonzero(np.append(is_new, True))))
