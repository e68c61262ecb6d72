"""Frames of rows; they need no store, which takes longer to import than many a table to compute."""

from collections.abc import Iterable, Mapping

import polars as pl


def make_frame(rows: Iterable[tuple[object, ...]], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Make a frame of rows, with columns of these types even where there is no row."""
    known = list(rows)
    return pl.DataFrame(
        [pl.Series(name, [row[place] for row in known], dtype) for place, (name, dtype) in enumerate(schema.items())]
    )
