"""A paper's tables on the terminal."""

import io
import math

from rich.console import Console

from subitize.analysis.reproduction import Cell, Place
from subitize.papers.geckonum.reproduction import compare
from subitize.report.terminal.reproduction import print_reproduction


def test_a_figure_that_cannot_be_computed_is_a_dash() -> None:
    screen = io.StringIO()
    cells = [Cell(Place("A3", "painter", "chi2"), math.nan, n=4), Cell(Place("A3", "painter", "N"), 4, n=4)]
    print_reproduction(compare(cells), Console(file=screen, width=80))
    (line,) = (line for line in screen.getvalue().splitlines() if "painter" in line)
    assert line.split() == ["painter", "–", "4"]
