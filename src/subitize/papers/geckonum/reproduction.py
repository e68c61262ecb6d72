"""GeckoNum's tables beside what the paper prints, with a verdict on each cell."""

from collections.abc import Iterable
from pathlib import Path

from subitize.analysis.reproduction import Comparison, Place, Verdict
from subitize.errors import BadValueError
from subitize.interfaces import Tables
from subitize.papers.geckonum.annotations import Annotations
from subitize.papers.geckonum.extensions import compute_extensions
from subitize.papers.geckonum.published import GROUPS, PUBLISHED
from subitize.papers.geckonum.release import LICENCE, MODELS, read_release
from subitize.papers.geckonum.released import read_released
from subitize.papers.geckonum.runs import read_run
from subitize.papers.geckonum.tables import Cell, compute_tables
from subitize.store import Run

_ROUNDING = 1e-9  # what adding up in floating point may cost
_PRINTED_BY = "subitize.report.terminal.reproduction:print_reproduction"


def reproduce_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the tables from the released files."""
    if folder is None:
        raise BadValueError("geckonum needs its release: subitize reproduce geckonum DIR")
    release = read_release(folder)
    found = reproduce(read_released(release), extensions=extensions)
    return Tables(found, _PRINTED_BY, (*release.warnings, LICENCE))


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables from the answers in a run."""
    return Tables(reproduce(read_run(run, judge), extensions=extensions), _PRINTED_BY)


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
