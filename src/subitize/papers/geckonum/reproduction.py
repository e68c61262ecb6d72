"""GeckoNum's tables next to the printed figures, with a verdict for each cell."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from subitize.analysis.published import Cell, CellId, ComparedCell, compare_cell
from subitize.errors import BadValueError
from subitize.interfaces import Tables
from subitize.papers.geckonum.labels import Annotations, read_released, read_run
from subitize.papers.geckonum.release import LICENCE, MODELS, read_release
from subitize.papers.geckonum.tables import GROUPS, PUBLISHED, compute_extensions, compute_tables

if TYPE_CHECKING:
    from subitize.analysis.claims import Claim
    from subitize.store import Run


def reproduce_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the tables from the released files."""
    if folder is None:
        raise BadValueError("geckonum needs its release: subitize report reproduce geckonum DIR")
    release = read_release(folder)
    return _tabulate(read_released(release), (*release.warnings, LICENCE), extensions=extensions)


def tabulate_run(run: "Run", judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables from the answers in a run."""
    return _tabulate(read_run(run, judge), extensions=extensions)


def _tabulate(annotations: Annotations, warnings: Sequence[str] = (), *, extensions: bool) -> Tables:
    found = reproduce(annotations, extensions=extensions)
    return Tables(found, warnings, lambda: _observe(annotations))


def _observe(annotations: Annotations) -> "Sequence[Claim]":
    from subitize.papers.geckonum.claims import claims

    return claims(annotations)


def reproduce(annotations: Annotations, *, extensions: bool = False) -> list[ComparedCell]:
    """Compute the tables, on request with our extensions, and compare them with the printed figures."""
    cells = compute_tables(annotations)
    if extensions:
        cells += compute_extensions(annotations)
    return compare(cells, annotations.models)


def compare(cells: Iterable[Cell], models: Iterable[str] = ()) -> list[ComparedCell]:
    """Compare cells with the printed ones; pooled tables only if all models are the paper's."""
    is_pooled = () if set(models) <= set(MODELS) else ("agreement", "krippendorff", "counts")
    printed = {place: text for place, text in PUBLISHED.items() if place.table not in is_pooled}
    return [compare_cell(cell, printed.get(cell.place), points=_points(cell.place)) for cell in cells]


def _points(place: CellId) -> float:
    """Return how many percentage points one unit of a cell is; infinite for counts and test statistics."""
    if place.table in ("counts", "A2") or place.column in ("N", "chi2"):
        return float("inf")
    is_share = place.table == "krippendorff" or (place.table in GROUPS and place.column == "p")
    return 100.0 if is_share else 1.0
