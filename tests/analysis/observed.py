"""Observations row by row, for tests that look at each of them."""

from subitize.frame import Frame, FrameRow


def look_at(observations: Frame) -> list[FrameRow]:
    """Take every row, in order."""
    return [observations.row(row) for row in observations.rows.iter_rows(named=True)]
