"""GIMBRR's tables on the terminal, the authors' algorithms by their full names."""

from collections.abc import Sequence
from dataclasses import replace

from subitize.analysis.published import ComparedCell
from subitize.papers.gimbrr.release import MODELS
from subitize.papers.gimbrr.tables import CONVENTION
from subitize.report.claims import print_reproduction
from subitize.report.terminal import print_line


def print_tables(comparisons: Sequence[ComparedCell]) -> None:
    """Print each table; how regressions were done stands below."""
    cells = [one for one in comparisons if one.column != CONVENTION]
    print_reproduction([replace(one, column=MODELS.get(one.column, one.column)) for one in cells])
    for one in comparisons:
        if one.column == CONVENTION:
            print_line(f"{one.row}: {one.ours}")
