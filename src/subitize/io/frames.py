"""Opens tables as polars frames, groups records and turns them into frames, without importing the store."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from subitize.io.files import check_input

RowT = TypeVar("RowT")
KeyT = TypeVar("KeyT")


_LARGEST_CSV_BYTES = 1_000_000_000


def scan_parquet(path: Path) -> pl.LazyFrame:
    """Open a Parquet file that a user named, of any size."""
    check_input(path, None)
    return pl.scan_parquet(path, glob=False)


def read_csv(path: Path, **options: Any) -> pl.DataFrame:  # noqa: ANN401
    """Read a CSV that a user named, with options of polars."""
    check_input(path, _LARGEST_CSV_BYTES)
    return pl.read_csv(path, glob=False, **options)


def group_rows(rows: Iterable[RowT], key: Callable[[RowT], KeyT]) -> dict[KeyT, list[RowT]]:
    """Group rows by key, in the order of each key's first row."""
    found: dict[KeyT, list[RowT]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return dict(found)


def make_frame(rows: Iterable[tuple[object, ...]], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Make a frame of rows; its columns have these types even if there are no rows."""
    remaining = iter(rows)
    # In parts: rows take many times the memory of columns.
    parts = [_make_part(part, schema) for part in iter(lambda: list(islice(remaining, _ROWS_AT_ONCE)), [])]
    return pl.concat(parts, rechunk=True) if len(parts) > 1 else parts[0] if parts else _make_part((), schema)


_ROWS_AT_ONCE = 2_000


def _make_part(rows: Sequence[tuple[object, ...]], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pl.DataFrame(
        [pl.Series(name, values, dtype) for (name, dtype), values in zip(schema.items(), columns, strict=True)]
    )


def add_columns(rows: pl.DataFrame, known: pl.DataFrame, *on: str) -> pl.DataFrame:
    """Add the other columns of the row that has the same values in some; a join would copy those that are there."""
    return rows.with_columns(rows.select(on).join(known, on=on, how="left", maintain_order="left").drop(on))


def lay_out_beside(
    rows: pl.DataFrame, column: str, schema: Mapping[str, pl.DataType], read: Callable[[str], tuple[object, ...]]
) -> pl.DataFrame:
    """Add what a column of texts says as columns of these types; each distinct text is read once."""
    parsed = make_frame(((text, *read(text)) for text in rows[column].unique()), {column: pl.String(), **schema})
    return add_columns(rows, parsed, column)
