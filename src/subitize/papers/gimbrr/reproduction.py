"""GIMBRR's tables next to the printed figures, with a verdict for each cell."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from subitize.analysis.published import Cell, ComparedCell, compare_cell
from subitize.errors import BadValueError
from subitize.interfaces import Tables
from subitize.papers.gimbrr.claims import claims
from subitize.papers.gimbrr.ratings import TaskRatings
from subitize.papers.gimbrr.release import LICENCE, MODELS, read_release, take_released
from subitize.papers.gimbrr.tables import CONVENTION, PUBLISHED, compute_tables, correlations
from subitize.report.claims import reproduction_result
from subitize.report.table import Result

if TYPE_CHECKING:
    from subitize.store import Run


def reproduce_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the tables from the released files, on request with our extensions."""
    if folder is None:
        raise BadValueError("gimbrr needs its release: subitize report reproduce gimbrr DIR")
    release = read_release(folder)
    ratings = take_released(release)
    return _tabulate(ratings, (*ratings.warnings(), *release.warnings, LICENCE), extensions=extensions, names={})


def tabulate_run(run: "Run", judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables from the ratings in a run, on request with our extensions."""
    from subitize.papers.gimbrr.ratings import read_run  # not needed for released files

    names = {spec: name for spec, name in run.model_names().items() if spec not in MODELS}
    return _tabulate(*read_run(run, judge), extensions=extensions, names=names)


def compare(cells: Iterable[Cell], models: Iterable[str]) -> list[ComparedCell]:
    """Compare cells with the printed ones; regressions pool all models, so only if these are the paper's."""
    is_same = set(models) == set(MODELS)
    printed = {place: text for place, text in PUBLISHED.items() if is_same or place.table != "regressions"}
    return [
        compare_cell(
            cell,
            printed.get(cell.place),
            points=math.inf if cell.place.table == "regressions" else 1.0,
            is_truncated=True,
        )
        for cell in cells
    ]


def _tabulate(ratings: TaskRatings, warnings: Sequence[str], *, extensions: bool, names: Mapping[str, str]) -> Tables:
    cells = [*compute_tables(ratings), *(correlations(ratings) if extensions else ())]
    found = compare(cells, ratings.models)
    return Tables(found, warnings, lambda: claims(ratings.rename(names)), show_tables)


def show_tables(comparisons: Sequence[ComparedCell]) -> Result:
    """Show each table, and below it how regressions were computed."""
    cells = [one for one in comparisons if one.column != CONVENTION]
    found = reproduction_result([replace(one, column=MODELS.get(one.column, one.column)) for one in cells])
    conventions = [f"{one.row}: {one.ours}" for one in comparisons if one.column == CONVENTION]
    return replace(found, notes=(*found.notes, *conventions))
