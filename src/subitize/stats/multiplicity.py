"""P-values of many tests, adjusted for their number."""

import numpy as np
from numpy.typing import NDArray


def adjust_holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust p-values so that the chance of any false alarm is bounded (Holm); NaN is no test and stays."""
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    in_order = tested[np.argsort(p[tested])]
    steps = np.maximum.accumulate(p[in_order] * np.arange(len(in_order), 0, -1))
    adjusted[in_order] = np.minimum(steps, 1.0)
    return adjusted
