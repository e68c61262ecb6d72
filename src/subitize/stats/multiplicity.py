"""P-values of many tests, adjusted for their number."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def adjust_holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust p-values so that the chance of any false alarm is bounded (Holm); NaN is no test and stays."""

    def step(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))

    return _adjust(p, step)


def adjust_benjamini_hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust p-values so that the share of false alarms among all is bounded (Benjamini, Hochberg); NaN stays."""

    def step(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _adjust(p, step)


def _adjust(p: NDArray[np.float64], step: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> NDArray[np.float64]:
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    in_order = tested[np.argsort(p[tested])]
    adjusted[in_order] = np.minimum(step(p[in_order]), 1.0)
    return adjusted
