"""Answers as a matrix of raters and units."""

import numpy as np
from numpy.typing import NDArray

from subitize.stats.ratings import Ratings, tally


def tally_matrix(matrix: NDArray[np.float64], *, domain: NDArray[np.float64] | None = None) -> Ratings:
    """Count answers that are given as a matrix (rater, unit) with NaN where there is none."""
    units = np.broadcast_to(np.arange(matrix.shape[1]), matrix.shape)
    return tally(units.ravel(), matrix.ravel(), domain=domain)
