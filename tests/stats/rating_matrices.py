"""Answers as a matrix of raters and units."""

import numpy as np
from numpy.typing import NDArray

from subitize.stats.ratings import Ratings, count_ratings


def tally_matrix(
    matrix: NDArray[np.float64],
    *,
    domain: NDArray[np.float64] | None = None,
    clusters: NDArray[np.int64] | None = None,
    are_people: bool = False,
) -> Ratings:
    """Count answers that are given as a matrix (rater, unit) with NaN where there is none.

    `clusters` are those of the units; rows are people if so said.
    """
    units = np.broadcast_to(np.arange(matrix.shape[1]), matrix.shape)
    people = np.broadcast_to(np.arange(len(matrix))[:, None], matrix.shape).ravel() if are_people else None
    own = None if clusters is None else np.broadcast_to(clusters, matrix.shape).ravel()
    return count_ratings(units.ravel(), matrix.ravel(), domain=domain, clusters=own, annotators=people)
