"""GeckoNum's tables beside what the paper prints, with a verdict on each cell."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from subitize.analysis.papers.geckonum import Cell, compute_tables
from subitize.analysis.papers.geckonum_extensions import compute_extensions
from subitize.analysis.papers.geckonum_labels import Annotations
from subitize.analysis.papers.geckonum_published import GROUPS, PUBLISHED, Place
from subitize.suites.geckonum.release import MODELS

Verdict = Literal["exact", "within 0.1 pp", "within 1 pp", "differs", "not published"]
VERDICTS: tuple[Verdict, ...] = ("exact", "within 0.1 pp", "within 1 pp", "differs", "not published")

_ROUNDING = 1e-9  # what adding up in floating point may cost


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


def reproduce(annotations: Annotations, *, extensions: bool = False) -> list[Comparison]:
    """Compute the tables, with what the paper has not if wanted, and put the printed figures beside them."""
    cells = compute_tables(annotations)
    if extensions:
        cells += compute_extensions(annotations)
    return compare(cells, annotations.models)


def compare(cells: Iterable[Cell], models: Iterable[str] = ()) -> list[Comparison]:
    """Put every cell beside the printed one; what is pooled over models only if all of them are the paper's."""
    is_pooled = () if set(models) <= set(MODELS) else ("agreement", "krippendorff", "counts")
    return [_compare(cell, None if cell.place.table in is_pooled else PUBLISHED.get(cell.place)) for cell in cells]


def _compare(cell: Cell, printed: str | None) -> Comparison:
    published = printed if printed is None or isinstance(cell.value, str) else float(printed)
    verdict = "not published" if printed is None else _judge(cell, printed)
    return Comparison(*cell.place, published, cell.value, verdict, cell.low, cell.high, cell.n)


def _judge(cell: Cell, printed: str) -> Verdict:
    if isinstance(cell.value, str):
        return "exact" if cell.value == printed else "differs"
    decimals = len(printed.partition(".")[2])
    distance = abs(cell.value - float(printed))
    if distance <= 0.5 * 10**-decimals + _ROUNDING:
        return "exact"
    percentage_points = distance * _percent(cell.place)
    if percentage_points <= 0.1 + _ROUNDING:
        return "within 0.1 pp"
    return "within 1 pp" if percentage_points <= 1 + _ROUNDING else "differs"


def _percent(place: Place) -> float:
    """Tell how many percentage points one unit of a cell is; counts and test statistics are no percentages at all."""
    if place.table in ("counts", "A2") or place.column in ("N", "chi2"):
        return float("inf")
    is_share = place.table == "krippendorff" or (place.table in GROUPS and place.column == "p")
    return 100.0 if is_share else 1.0
