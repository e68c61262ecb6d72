"""What a report says of GIMBRR: the cognitive profile of any models, with n, intervals and plain warnings."""

from itertools import pairwise
from pathlib import Path

import pytest

from subitize.labels import Rule, interpret
from subitize.papers.gimbrr import PAPER
from subitize.papers.gimbrr.figures import find_failure
from subitize.records import Estimate, Provenance, Reading, Refused, Response, Spec, Trial, Words
from subitize.report.charts import Palette
from subitize.report.papers import report_paper
from subitize.report.series import list_series, read_sources
from subitize.report.table import Document, Figure, Paragraph, SuiteReport, Table
from subitize.store import Folder, Run
from tests.commands import call
from tests.report.report_runs import check_charts


def write_account(run: Run) -> SuiteReport:
    series = list_series(read_sources([run]))
    return report_paper(PAPER, "gimbrr", series, Palette(tuple(one.label for one in series)))


@pytest.fixture(scope="module")
def imported(made_up: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "run"
    assert call("import", "release", "gimbrr", made_up, "--out", folder).code == 0
    return folder


@pytest.fixture(scope="module")
def account(imported: Path) -> SuiteReport:
    with Run(Folder(imported)) as run:
        return write_account(run)


def document(account: SuiteReport) -> Document:
    return Document("GIMBRR", account.headline, tuple(account.sections))


def figures(account: SuiteReport) -> dict[str, Figure]:
    return {figure.name.removeprefix("gimbrr-"): figure for figure in document(account).figures()}


@pytest.mark.slow
def test_the_profile_has_all_its_pictures(account: SuiteReport) -> None:
    found = figures(account)
    ladders = {name for name in found if name.startswith("ladder-")}
    assert len(ladders) == 5  # four models, and all side by side
    assert set(found) - ladders == {
        "steps-chart",
        "over-single-chart",
        "over-multiple-chart",
        "together-chart",
        "by-number-chart",
        "by-size-chart",
        "conditions-chart",
        "comparisons-chart",
    }


@pytest.mark.slow
def test_charts_follow_the_schema_of_vega_lite(account: SuiteReport) -> None:
    check_charts(figures(account).values())


def test_a_ladder_has_the_easiest_task_on_top(account: SuiteReport) -> None:
    rows = figures(account)["ladder-all-chart"].data.rows
    means = [sum(cell.value for cell in row.cells[1:] if isinstance(cell, Estimate)) for row in rows]
    assert means == sorted(means, reverse=True)
    assert len(rows) == 12
    assert all(isinstance(cell, Estimate) for row in rows for cell in row.cells[1:])


def test_the_breakdown_tells_where_a_model_fails_and_what_each_step_costs(account: SuiteReport) -> None:
    steps = figures(account)["steps-chart"].data
    assert [column.name for column in steps.columns[1:6]] == [
        "one object",
        "two objects",
        "counting one kind",
        "counting two kinds",
        "arithmetic",
    ]
    (losses,) = (table for table in document(account).tables() if table.name == "gimbrr-losses")
    for before, after in zip(steps.rows, losses.rows, strict=True):
        shares = [cell.value for cell in before.cells[1:6] if isinstance(cell, Estimate)]
        lost = [cell.value for cell in after.cells[1:5] if isinstance(cell, Estimate)]
        assert lost == pytest.approx([one - other for one, other in pairwise(shares)])


def test_a_failure_is_the_first_step_below_one_half() -> None:
    def share(value: float, high: float) -> Estimate:
        return Estimate(value, 0.0, high, 100, "share")

    sure = {"controlled-single": share(0.9, 1.0), "controlled-counting": share(0.2, 0.3)}
    assert find_failure(sure) == "counting one kind"
    assert find_failure({**sure, "controlled-multiple": share(0.45, 0.6)}) == "two objects (not certain)"
    assert find_failure({"controlled-single": share(0.9, 1.0)}) == ""


def test_few_models_bring_plain_warnings(account: SuiteReport) -> None:
    texts = [
        block.text
        for section in account.sections
        for block in section.blocks
        if isinstance(block, Paragraph) and block.is_warning
    ]
    assert texts[0].startswith("Only 4 models: too few to tell what carries over.")
    assert texts[1].startswith("Only 4 models: by chance alone, one pair of tasks in twenty correlates by 0.95 or more")


def test_lines_stand_in_bands_of_ten_thousand_resamples(account: SuiteReport) -> None:
    figure = figures(account)["over-multiple-chart"]
    assert "10,000 lines through resampled points" in figure.caption
    assert "related b " in figure.caption
    assert "unrelated b " in figure.caption
    layers = figure.spec["layer"]
    assert [one["mark"]["type"] for one in layers] == ["area", "line", "area", "line", "point"]
    assert len(layers[-1]["data"]["values"]) == 20


def test_the_leaderboard_has_the_papers_figures_as_printed(account: SuiteReport) -> None:
    table = account.leaderboard[0]
    assert isinstance(table, Table)
    published = {row.cells[0]: row.cells[1] for row in table.rows if row.badge == "published"}
    assert published == {"DALL-E 2": 0.54, "Midjourney": 0.46, "SD 2.1": 0.34}
    assert account.headline.startswith("In gimbrr, Dalle does best: ")


def test_one_model_has_a_profile_without_relations(imported: Path) -> None:
    with Run(Folder(imported)) as run:
        series = [one for one in list_series(read_sources([run])) if one.model == "MJ"]
        account = report_paper(PAPER, "gimbrr", series, Palette(("MJ",)))
    names = figures(account)
    assert {"steps-chart", "over-single-chart", "by-number-chart"} <= set(names)
    assert not {"over-multiple-chart", "together-chart"} & set(names)
    assert [name for name in names if name.startswith("ladder-")] == ["ladder-mj-92078b39-chart"]


def test_a_model_that_only_refuses_is_beside_the_others(made_up: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert call("import", "release", "gimbrr", made_up, "--out", folder).code == 0
    with Run(Folder(folder)) as run:
        run.add_model(Spec("refuser", {}, "refuser"), is_stand_in=False)
        trials = [Trial(item.id, "refuser", {}) for item in run.items()]
        with run.lease("test") as lease:
            run.add_judged(lease, [Response(one, Refused("no"), Provenance(0, "")) for one in trials], [])
        account = write_account(run)
    leaders = account.leaderboard[0]
    assert isinstance(leaders, Table)
    assert {"Dalle", "refuser"} <= {str(row.cells[0]) for row in leaders.rows}
    names = [block.name for section in account.sections for block in section.all_blocks() if isinstance(block, Table)]
    assert "gimbrr-claims" in names  # of one group, not of two


@pytest.mark.slow
def test_two_judges_are_told_apart_and_each_has_its_relations(made_up: Path, tmp_path: Path) -> None:
    folder, yes, rule = tmp_path / "run", Words("yes"), Rule("votes")
    assert call("import", "release", "gimbrr", made_up, "--out", folder).code == 0
    with Run(Folder(folder)) as run:
        run.add_judge(Spec("second", {}, "second"), is_stand_in=False)
        rated = [stored.reading for stored in run.readings("gimbrr-annotators")]
        with run.lease("test") as lease:
            value = interpret(yes, rated[0].question, rule)
            run.add_readings(
                lease, [Reading(one.subject, one.question, "second", yes, str(rule), value) for one in rated]
            )
        names = set(figures(write_account(run)))
    assert {"over-single-1-chart", "over-multiple-1-chart"} <= names
    several = call("report", "tables", folder, "--paper", "gimbrr")
    assert several.code == 2
    assert "has several judges: gimbrr-annotators, second; name one with --judge" in several.err
    cells = call("report", "tables", folder, "--paper", "gimbrr", "--judge", "second", "--json").json()
    assert {cell["ours"] for cell in cells if cell["table"] == "tasks"} == {100}
