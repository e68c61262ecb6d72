"""Printed figures beside computed ones: cells, their precision, and a verdict on each."""

import csv
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from subitize.io.files import read_text
from subitize.records import Estimate
from subitize.stats.answers import Direction

CellMatch = Literal["exact", "truncated", "within 0.1 pp", "within 1 pp", "differs", "not published"]
VERDICTS: tuple[CellMatch, ...] = ("exact", "truncated", "within 0.1 pp", "within 1 pp", "differs", "not published")

AS_THE_PAPER = "as the paper computes it"
"""The beginning of the method of figures that a paper computes in another way than subitize would."""
_BELOW = "<"
_ROUNDING = 1e-9  # the error that floating-point sums may have


class CellId(NamedTuple):
    """The table, row and column of a cell."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure and its position, with its method and reasons for caution; a count has no interval.

    `parts` say what it is of, the model first, where row or column write several things in one text.
    """

    place: CellId
    value: float | str
    low: float | None = None
    high: float | None = None
    n: int | None = None
    method: str = ""
    caution: str = ""
    parts: tuple[Any, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What it is of: its parts, or else its row and column."""
        return self.parts or self.place[1:]

    @property
    def estimate(self) -> Estimate | None:
        """The figure with its interval; None if it has none."""
        if self.low is None or self.high is None or self.n is None or isinstance(self.value, str):
            return None
        value, low, high = float(self.value), float(self.low), float(self.high)
        return Estimate(value, low, high, self.n, self.method, caution=self.caution)


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A cell as printed and as computed; `exact`: ours rounds to the printed one, or is below it (`<0.01`)."""

    table: str
    row: str
    column: str
    published: float | str | None
    ours: float | str
    verdict: CellMatch
    low: float | None
    high: float | None
    n: int | None
    method: str = ""
    caution: str = ""


def make_cell(place: CellId, estimate: Estimate, *parts: object, scale: float = 1.0) -> Cell:
    """Make a cell of an estimate; a scale of 100 turns a share into a percentage."""
    figures = (scale * estimate.value, scale * estimate.low, scale * estimate.high)
    return Cell(place, *figures, estimate.n, estimate.method, estimate.caution, parts)


def read_published(file: Path) -> Mapping[CellId, str]:
    """Read the cells that a paper prints, as texts: the printed digits are the precision claimed.

    Tables are separated by an empty line. Each begins with its name and those of its columns, followed by its rows.
    Cells that are not printed are empty.
    """
    return MappingProxyType(dict(_read_cells(csv.reader(read_text(file).splitlines()))))


def _read_cells(lines: Iterator[list[str]]) -> Iterator[tuple[CellId, str]]:
    for table, *columns in lines:
        for row in lines:
            if not row:
                break
            for column, cell in zip(columns, row[1:], strict=True):
                if cell:
                    yield CellId(table, row[0], column), cell


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper prints, and how cells are compared with it.

    `models` are the paper's own, by their names in its data, with those in print. Tables in `pooled` are of all models
    together: they are compared only where these are the paper's. `points` are those of `compare_cell`, by cell.
    """

    cells: Mapping[CellId, str]
    points: Callable[[CellId], float]
    models: Mapping[str, str] = field(default_factory=dict)
    pooled: Collection[str] = ()
    is_pooled_of: Callable[[Set[str], Set[str]], bool] = operator.eq
    """Whether models are the paper's: the same (`operator.eq`), or some of them (`operator.le`)."""
    find: Callable[[Cell], CellId] = attrgetter("place")
    """Where the paper prints a cell."""
    is_truncated: bool = False

    def compare(self, cells: Iterable[Cell], models: Iterable[str]) -> list[ComparedCell]:
        """Compare the cells computed of these models with the printed ones."""
        are_theirs = self.is_pooled_of({*models}, {*self.models})
        return [
            compare_cell(
                cell,
                self.cells.get(self.find(cell)) if are_theirs or cell.place.table not in self.pooled else None,
                points=self.points(cell.place),
                is_truncated=self.is_truncated,
            )
            for cell in cells
        ]


def compare_cell(cell: Cell, printed: str | None, *, points: float, is_truncated: bool = False) -> ComparedCell:
    """Compare a cell with the printed one, whose digits are the precision claimed.

    `points` is the number of percentage points per unit of the cell: 100 for a share, 1 for a percentage, infinity for
    anything else, which is then either exact or differs. `is_truncated` is for papers that may print 54 for 54.7.
    """
    is_text = printed is None or isinstance(cell.value, str) or printed.startswith(_BELOW)
    published = printed if printed is None or is_text else float(printed)
    verdict = "not published" if printed is None else _judge(cell.value, printed, points, is_truncated=is_truncated)
    return ComparedCell(
        *cell.place, published, cell.value, verdict, cell.low, cell.high, cell.n, cell.method, cell.caution
    )


def _judge(ours: float | str, printed: str, points: float, *, is_truncated: bool) -> CellMatch:
    if isinstance(ours, str):
        return "exact" if ours == printed else "differs"
    if printed.startswith(_BELOW):
        return "exact" if ours < float(printed.removeprefix(_BELOW)) else "differs"
    decimals = len(printed.partition(".")[2])
    distance = abs(ours - float(printed))
    if distance <= 0.5 * 10**-decimals + _ROUNDING:
        return "exact"
    cut = math.trunc(ours * 10**decimals) if math.isfinite(ours) else math.nan
    if is_truncated and math.isclose(cut, float(printed) * 10**decimals):
        return "truncated"
    percentage_points = distance * points
    if percentage_points <= 0.1 + _ROUNDING:
        return "within 0.1 pp"
    return "within 1 pp" if percentage_points <= 1 + _ROUNDING else "differs"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a leaderboard. The size is in billions of parameters, with the paper's own doubts."""

    suite: str
    model: str
    accuracy: float
    nae: float
    level: int
    human_correlation: float
    size_billion: str


@dataclass(frozen=True, slots=True)
class PublishedBias:
    """Whether a model errs one way in a category; r is printed only if there is a bias."""

    suite: str
    model: str
    category: str
    direction: Direction
    r: float | None


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """All that is printed on the models of one suite, and its design; categories have our names."""

    source: str
    rows: Sequence[PublishedRow]
    biases: Sequence[PublishedBias]
    abstractions: Mapping[str, float]
    """The smallest correlation between the confusion matrices of two categories, by model."""
    numbers: Sequence[int]
    categories: Sequence[str]
