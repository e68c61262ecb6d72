"""Numbers and factors as the columns of a regression."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

_COLLINEAR = 1e-9  # what is left of a column, relative to its size, once the columns before it are taken out

INTERCEPT = "intercept"


@dataclass(frozen=True, slots=True)
class Design:
    """The columns of a regression (observation, term): the intercept, numbers, and a column per level of a factor.

    `references` are the levels that have no column, as all others are compared with them; `dropped` are the terms
    that follow from the terms before them, and so have none either.
    """

    terms: tuple[str, ...]
    matrix: NDArray[np.float64]
    references: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()


def build_design(
    numbers: Mapping[str, NDArray[Any]],
    factors: Mapping[str, NDArray[Any]],
    references: Mapping[str, str] | None = None,
) -> Design:
    """Put numbers and factors side by side, in this order, each factor against its reference level.

    A level's term is called `factor=level`. Where `references` does not name one, the most frequent level is the
    reference (of equally frequent ones the first in the alphabet), as comparisons with it are the most exact.
    """
    chosen: dict[str, str] = {}
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in numbers.items()}
    for factor, values in factors.items():
        labels = np.asarray(values).astype(str)
        chosen[factor] = _choose_reference(factor, labels, (references or {}).get(factor))
        levels = [level for level in np.unique(labels).tolist() if level != chosen[factor]]
        columns |= {f"{factor}={level}": (labels == level).astype(np.float64) for level in levels}
    n = len(next(iter(columns.values()))) if columns else 0
    columns = {INTERCEPT: np.ones(n), **columns}
    kept = _independent(columns)
    matrix = np.stack([columns[term] for term in kept], axis=1)
    return Design(tuple(kept), matrix, chosen, tuple(term for term in columns if term not in kept))


def _choose_reference(factor: str, labels: NDArray[np.str_], wanted: str | None) -> str:
    levels, counts = np.unique(labels, return_counts=True)
    if wanted is None:
        return str(levels[np.argmax(counts)])
    if wanted not in levels:
        raise ValueError(f"factor {factor!r} has no level {wanted!r}; its levels: {', '.join(levels.tolist())}")
    return wanted


def _independent(columns: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """Name the columns that do not follow from those before them."""
    whole = np.stack(list(columns.values()))
    # Observations that are alike tell nothing twice; they have the same sum, whatever their columns weigh.
    _, distinct = np.unique(np.random.default_rng(0).random(len(whole)) @ whole, return_index=True)
    kept: list[str] = []
    basis = np.empty((len(columns), len(distinct)))
    for term, column in zip(columns, whole[:, distinct], strict=True):
        rest, known = column.copy(), basis[: len(kept)]
        for _ in range(2):  # the second time takes out what rounding left
            rest -= (known @ rest) @ known
        length = float(np.linalg.norm(rest))
        if length > _COLLINEAR * float(np.linalg.norm(column)):
            basis[len(kept)] = rest / length
            kept.append(term)
    return kept
