"""A paper's cells beside ours."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

Verdict = Literal["exact", "within 0.1 pp", "within 1 pp", "differs", "not published"]
VERDICTS: tuple[Verdict, ...] = ("exact", "within 0.1 pp", "within 1 pp", "differs", "not published")


class Place(NamedTuple):
    """Where a cell stands."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A cell as printed and as computed; `exact` means that it rounds to what is printed."""

    table: str
    row: str
    column: str
    published: float | str | None
    ours: float | str
    verdict: Verdict
    low: float | None
    high: float | None
    n: int | None


def read_published(file: Path) -> Mapping[Place, str]:
    """Read the cells that a paper prints, as texts: the digits printed are the precision that is claimed.

    Tables stand below one another with an empty line between; each begins with its name and those of its columns, and
    goes on with rows. What is not printed is left empty.
    """
    with file.open(newline="", encoding="utf-8") as lines:
        return MappingProxyType(dict(_read_cells(csv.reader(lines))))


def _read_cells(lines: Iterator[list[str]]) -> Iterator[tuple[Place, str]]:
    for table, *columns in lines:
        for row in lines:
            if not row:
                break
            for column, cell in zip(columns, row[1:], strict=True):
                if cell:
                    yield Place(table, row[0], column), cell
