"""A paper's cells beside ours, with a verdict on each."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["exact", "within 0.1 pp", "within 1 pp", "differs", "not published"]
VERDICTS: tuple[Verdict, ...] = ("exact", "within 0.1 pp", "within 1 pp", "differs", "not published")

_ROUNDING = 1e-9  # what adding up in floating point may cost


class Place(NamedTuple):
    """Where a cell stands."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure and where it stands; its interval is missing where there is nothing to resample, as for a count."""

    place: Place
    value: float | str
    low: float | None = None
    high: float | None = None
    n: int | None = None


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


def compare_cell(cell: Cell, printed: str | None, *, points: float) -> Comparison:
    """Put a cell beside what is printed, whose digits are the precision that is claimed.

    `points` is how many percentage points one unit of the cell is: 100 for a share, 1 for a percentage, infinity for
    what is neither, which is then exact or differs.
    """
    published = printed if printed is None or isinstance(cell.value, str) else float(printed)
    verdict = "not published" if printed is None else _judge(cell.value, printed, points)
    return Comparison(*cell.place, published, cell.value, verdict, cell.low, cell.high, cell.n)


def _judge(ours: float | str, printed: str, points: float) -> Verdict:
    if isinstance(ours, str):
        return "exact" if ours == printed else "differs"
    decimals = len(printed.partition(".")[2])
    distance = abs(ours - float(printed))
    if distance <= 0.5 * 10**-decimals + _ROUNDING:
        return "exact"
    percentage_points = distance * points
    if percentage_points <= 0.1 + _ROUNDING:
        return "within 0.1 pp"
    return "within 1 pp" if percentage_points <= 1 + _ROUNDING else "differs"
