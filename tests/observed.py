"""Observations row by row, for tests that look at each of them."""

from subitize.analysis.observations import Observations, Seen


def look_at(observations: Observations) -> list[Seen]:
    """Take every row, in order."""
    return [observations.look(row) for row in observations.rows.iter_rows(named=True)]
