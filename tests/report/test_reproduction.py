"""A paper's tables on the terminal."""

import math

import pytest

from subitize.analysis.published import Cell, CellId, CellMatch, compare_cell
from subitize.papers.geckonum.tables import PUBLISHED
from subitize.report.claims import reproduction_result
from tests.cases import Case


def test_a_figure_that_cannot_be_computed_is_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [Cell(CellId("A3", "painter", "chi2"), math.nan, n=4), Cell(CellId("A3", "painter", "N"), 4, n=4)]
    print(reproduction_result(PUBLISHED.compare(cells, ())))
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "painter" in line)
    assert line.split() == ["painter", "–", "4"]


def test_a_verdict_knows_bounds_and_what_a_paper_cuts(case: Case) -> None:
    judged: list[tuple[float, str, bool, CellMatch]] = [
        (54.74, "54", True, "truncated"),
        (54.74, "54", False, "within 1 pp"),
        (53.6, "54", True, "exact"),
        (-0.19, "-0.1", True, "truncated"),
        (0.0970, "0.09", True, "truncated"),
        (0.1, "0.09", True, "within 0.1 pp"),
        (0.0047, "<0.01", True, "exact"),
        (0.01, "<0.01", True, "differs"),
        (math.nan, "54", True, "differs"),
    ]
    for ours, printed, is_truncated, verdict in judged:
        with case((ours, printed, is_truncated)):
            found = compare_cell(Cell(CellId("t", "r", "c"), ours), printed, points=1.0, is_truncated=is_truncated)
            assert found.verdict == verdict
            assert found.published == (printed if printed.startswith("<") else pytest.approx(float(printed)))


def test_only_papers_that_cut_have_a_column_for_it(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    for is_truncated in (True, False):
        with case(is_truncated):
            cell = compare_cell(Cell(CellId("t", "r", "c"), 54.74), "54", points=1.0, is_truncated=is_truncated)
            print(reproduction_result([cell]))
            assert ("truncated" in capsys.readouterr().out) == is_truncated


def test_a_figure_and_its_interval_have_the_same_decimals(capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"level": (10, 0, 10), "percent": (33.333, 0.069, 99.7), "share": (-0.0531, -1, 1), "nae": (2.496, 2, 3)}
    print(
        reproduction_result(
            PUBLISHED.compare((Cell(CellId("A3", "painter", name), *figure) for name, figure in figures.items()), ())
        )
    )
    out = capsys.readouterr().out
    assert "10 [0, 10]  33.3 [0.1, 99.7]  −0.053 [−1.000, 1.000]  2.496 [2.000, 3.000]" in out
    assert "verdicts" not in out, "the paper prints nothing of these"
