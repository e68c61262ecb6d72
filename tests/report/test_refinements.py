"""Refined prompts in a report: suites of their own after their base, and compared with it prompt by prompt."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from subitize.analysis.compare import RefinementEffect, compare
from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.score import gather_attempts
from subitize.report.table import Document, Figure, Section
from subitize.report.texts import slug
from subitize.store import Run
from tests.report.report_runs import PAINTERS, check_charts, composed, refined

pytestmark = pytest.mark.slow

BASE = "production:categories=apples+people,numbers=1-7"
REFINED = ("production~additive", "production~grid")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with refined(tmp_path_factory.mktemp("refined") / "run", BASE, "grid", "additive", repeats=2) as run:
        yield run


@pytest.fixture(scope="module")
def document(run: Run) -> Document:
    return composed(run)


def find(document: Document, id: str) -> Section:
    return next(one for one in document.sections if one.id == id)


def figures(document: Document) -> dict[str, Figure]:
    return {figure.name: figure for figure in document.figures()}


def compared(run: Run) -> list[RefinementEffect]:
    return compare(gather_attempts(observe_run(run, ReadOptions())))


def test_refined_suites_stand_right_after_their_base(document: Document) -> None:
    expected = ["production", *map(slug, REFINED)]
    assert [one.id for one in document.sections if one.id.startswith("production")] == expected
    assert [one.id for one in find(document, "leaderboard").sections] == [f"{name}-leaderboard" for name in expected]


def test_a_refined_suite_is_titled_by_its_base_and_refinement(document: Document) -> None:
    title = find(document, "production").title
    assert [find(document, slug(name)).title for name in REFINED] == [
        f"{title}, refined: additive",
        f"{title}, refined: grid",
    ]
    assert document.title == title


@pytest.mark.parametrize("suite", REFINED)
def test_a_refined_suite_has_its_score_and_pictures_only(document: Document, suite: str) -> None:
    assert [one.title for one in find(document, slug(suite)).sections] == ["Right and wrong"]


def test_the_base_compares_each_refinement_with_the_original(run: Run, document: Document) -> None:
    rows = figures(document)["production-refinements-accuracy-chart"].data.rows
    expected = {(one.model, one.refinement): one for one in compared(run) if one.measure == "accuracy"}
    assert {row.cells[:2] for row in rows} == expected.keys()
    assert len(rows) == len(PAINTERS) * len(REFINED)
    for row in rows:
        pairing = expected[str(row.cells[0]), str(row.cells[1])].pairing
        assert row.cells[2:7] == (
            pairing.second,
            pairing.first,
            pairing.difference,
            pairing.p_holm,
            pairing.difference.n,
        )


def test_prompts_that_a_refinement_does_not_apply_to_are_counted(document: Document) -> None:
    data = figures(document)["production-refinements-accuracy-chart"].data
    place = [column.name for column in data.columns].index("Fallbacks")
    assert {row.cells[place] for row in data.rows} == {2}  # one apple, and one person


def test_success_of_several_images_is_compared_where_there_are_several(document: Document, tmp_path: Path) -> None:
    figure = figures(document)["production-refinements-success-chart"]
    assert figure.title == "One of 2 images is right"
    with refined(tmp_path / "once", BASE, "grid", repeats=1) as once:
        found = figures(composed(once))
    assert "production-refinements-accuracy-chart" in found
    assert "production-refinements-success-chart" not in found


def test_refined_prompts_alone_are_reported_without_a_comparison(tmp_path: Path) -> None:
    with refined(tmp_path / "run", "production~grid:numbers=1-3") as run:
        document = composed(run)
    assert document.title.endswith(", refined: grid")
    assert not figures(document)


def test_a_suite_without_refinements_has_no_section_of_them(tmp_path: Path) -> None:
    with refined(tmp_path / "run", BASE, repeats=1) as run:
        document = composed(run)
    assert not [name for name in figures(document) if "refinements" in name]


def test_every_chart_of_refinements_is_valid_by_the_schema_of_vega_lite(document: Document) -> None:
    check_charts(document.figures())
