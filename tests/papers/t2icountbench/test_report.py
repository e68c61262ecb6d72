"""What a report says of T2ICountBench: the paper's tables for any models, beside what was published; votes as votes."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
import pytest

from subitize.analysis.agreement import ALL_MODELS, agree_run
from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.score import PromptResult, gather_attempts, rate_passes
from subitize.papers.t2icountbench.beyond import drawn_numbers, thresholds_at_half
from subitize.papers.t2icountbench.claims import claims
from subitize.papers.t2icountbench.tables import (
    AVERAGE,
    CATEGORIES,
    KAPPA,
    MODELS,
    Attempts,
    PaperTables,
    TableCell,
    by_scene,
    list_published,
    show_tables,
    table_2,
    table_3,
)
from subitize.records import Estimate, Provenance, Refused, Response, Spec, Trial
from subitize.report.table import Document, Gallery, Paragraph, Row, Section, Table, Thumbnail, Worded
from subitize.store import Folder, Run
from tests.commands import call
from tests.papers.t2icountbench.attempts import attempt_all, design
from tests.report.report_runs import PAINTERS, check_charts, composed, refined, voted

pytestmark = pytest.mark.slow

DESIGN = "t2icountbench:numbers=1+6+11"
FEW = "t2icountbench:numbers=1+11,objects=apple+cat,scenes=home,styles=plain"


@dataclass(frozen=True)
class Composed:
    """A report, and the attempts that it is of."""

    document: Document
    attempts: list[PromptResult]


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Composed:
    """The report of images that a judge counted, of original prompts and of two refinements."""
    with refined(tmp_path_factory.mktemp("counted") / "run", DESIGN, "grid", "additive") as run:
        return compose_with_attempts(run)


@pytest.fixture(scope="module")
def voted_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Groups of four that people voted on, and of which nobody counted a single image."""
    with voted(tmp_path_factory.mktemp("votes") / "run", DESIGN) as run:
        yield run


@pytest.fixture(scope="module")
def votes(voted_run: Run) -> Composed:
    return compose_with_attempts(voted_run)


def compose_with_attempts(run: Run) -> Composed:
    return Composed(composed(run), gather_attempts(observe_run(run, ReadOptions(agreement="majority"))))


def table(document: Document, name: str) -> Table:
    tables = (*document.tables(), *(figure.data for figure in document.figures()))
    return next(table for table in tables if table.name == name)


def names(document: Document) -> set[str]:
    return {table.name for table in document.tables()} | {figure.name for figure in document.figures()}


def cells(found: Table, *, is_published: bool) -> dict[tuple[object, str], object]:
    """Take the cells of a table by its rows and columns."""
    rows = [row for row in found.rows if (row.badge == "published") == is_published]
    return {
        (row.cells[0], column.name): cell
        for row in rows
        for column, cell in zip(found.columns, row.cells, strict=False)
    }


def sections(document: Document) -> Iterator[Section]:
    def inner(section: Section) -> Iterator[Section]:
        yield section
        for one in section.sections:
            yield from inner(one)

    return (one for section in document.sections for one in inner(section))


def section(document: Document, id: str) -> Section:
    return next(one for one in sections(document) if one.id == id)


def texts(found: Section) -> str:
    return "\n".join(block.text for block in found.blocks if isinstance(block, Paragraph))


def measured(found: Sequence[TableCell], table: str) -> dict[tuple[str, str], object]:
    return {(cell.row, cell.column): cell.value for cell in found if not cell.is_published and cell.table == table}


# Table 1 of the paper; of the other models it has "N/A".
SIZES = {"SD 3.5": "8.1", "WanX2.1": "14", "Hunyuan": "1.5", "GLM-4": "9"}


def test_the_leaderboard_is_table_2_with_the_fifteen_of_the_paper(counted: Composed) -> None:
    found = table(counted.document, "t2icountbench-leaderboard")
    own, printed = cells(found, is_published=False), cells(found, is_published=True)
    for (model, column), value in measured(table_2(Attempts(counted.attempts)), "table2").items():
        assert own[model, "Average" if column == AVERAGE else column] == value
    published = list_published("table2")
    for model in MODELS:
        assert printed[model, "Average"] == float(published[model, AVERAGE])
        assert [printed[model, name] for name in CATEGORIES] == [float(published[model, name]) for name in CATEGORIES]
    sizes = {model: printed[model, "Size (billion)"] for model in MODELS}
    assert {model: size for model, size in sizes.items() if size} == SIZES
    for _, rows in found.groups():
        averages = [row.cells[2] for row in rows]
        values = [one.value if isinstance(one, Estimate) else one for one in averages]
        assert values == sorted(values, key=lambda value: -float(str(value)))


def test_a_model_has_its_rank_among_the_fifteen_and_its_accuracy_per_image(counted: Composed) -> None:
    own = cells(table(counted.document, "t2icountbench-leaderboard"), is_published=False)
    rank, per_image = own["exact", "Rank of 16"], own["shaky", "Accuracy per image"]
    assert isinstance(rank, Estimate)
    assert (rank.value, rank.low, rank.high) == (1, 1, 1)
    average = own["shaky", "Average"]
    assert isinstance(per_image, Estimate)
    assert isinstance(average, Estimate)
    assert per_image.value < average.value


def test_it_is_said_that_judges_differ_and_once_what_is_missing_of_all_models(counted: Composed) -> None:
    told = texts(section(counted.document, "t2icountbench-leaderboard"))
    assert "judges differ: the paper's figures are of five people's votes, these of finder" in told
    assert told.count("420 of the 525 published prompts have no judged images") == 1
    assert "all models: 420 of the 525" in told


def test_figures_show_what_the_analysis_computes(counted: Composed) -> None:
    document, attempts = counted.document, counted.attempts
    scenes = cells(table(document, "t2icountbench-by-scene"), is_published=False)
    for place, value in measured(by_scene(Attempts(attempts)), "figure4").items():
        assert scenes[place] == value
    refinements = cells(table(document, "t2icountbench-table-3"), is_published=False)
    for place, value in measured(table_3(Attempts(attempts)), "table3").items():
        assert refinements[place] == value
    passes = cells(table(document, "t2icountbench-passes"), is_published=False)
    for rate in rate_passes([one for one in attempts if one.item.base is None]):
        assert passes[rate.model, f"pass@{rate.k}"] == rate.estimate


def test_curves_by_number_tell_where_a_model_falls_below_one_half(counted: Composed) -> None:
    own = [one for one in counted.attempts if one.item.base is None]
    shown = cells(table(counted.document, "t2icountbench-half-points"), is_published=False)
    kinds = {1: "One image", 4: "At least one of 4"}
    for half in thresholds_at_half(own, 4):
        assert shown[half.model, kinds[half.k]] == str(half.crossing)
    errors = table(counted.document, "t2icountbench-errors").rows
    assert [(row.cells[0], row.cells[1], row.cells[2]) for row in errors] == [
        (one.model, one.number, one.error) for model in PAINTERS for one in drawn_numbers(own) if one.model == model
    ]


def test_eleven_is_no_more_than_ten_in_the_curves_of_this_suite(counted: Composed) -> None:
    figure = next(one for one in counted.document.figures() if one.name == "t2icountbench-by-number-chart")
    assert ">10" not in str(figure.spec)


def test_observations_have_a_verdict_a_sentence_and_adjusted_tests(counted: Composed) -> None:
    found = claims(Attempts(counted.attempts))
    rows = table(counted.document, "t2icountbench-observations").rows
    assert [row.cells[0] for row in rows] == ["4.1", "4.2", "5.1", "C.1", "C.2", "C.3"]
    shown = [(row.cells[2].word, row.cells[3]) for row in rows if isinstance(row.cells[2], Worded)]
    assert [verdict for verdict, _ in shown] == [one.verdict for one in found]
    tests = table(counted.document, "t2icountbench-comparisons")
    assert len(tests.rows) == sum(len(one.comparisons) for one in found)
    assert "p adjusted" in [column.name for column in tests.columns]


def test_means_over_models_stand_beside_those_of_the_text(counted: Composed) -> None:
    found = table(counted.document, "t2icountbench-averages-by-condition")
    published = cells(found, is_published=True)
    assert (published["all 15 models", "home"], published["all 15 models", "city"]) == (0.42, 0.21)
    assert published["all 15 models", "nature"] is None
    assert "Kendall" in texts(section(counted.document, "t2icountbench-by-condition"))


def test_the_summary_has_one_sentence_of_the_suite_and_none_of_its_refinements(counted: Composed) -> None:
    assert "In t2icountbench, exact does best: for 100 %" in counted.document.summary
    assert "~" not in counted.document.summary


def test_a_stand_in_is_not_called_best_beside_a_real_model(tmp_path: Path) -> None:
    votes, run = tmp_path / "votes.csv", tmp_path / "run"
    votes.write_text("annotator,model,item,vote\nann,imagen-3,t2icountbench/apple/home/plain/1,no\n")
    assert call("import", "votes", votes, "--run", run, "--suite", FEW).code == 0
    painted = call("run", FEW, "--limit", 1, "--repeats", 1, "--model", "painter:size_px=256", "--out", run)
    assert painted.code == 0, painted.err
    with Run(Folder(run)) as opened:
        assert "In t2icountbench, imagen-3 does best: for 0 %" in composed(opened).summary


@pytest.mark.parametrize("model", ["glm", "imagen-3"], ids=["all models", "one of two"])
def test_a_model_whose_votes_are_all_tied_is_named_and_in_no_figure(tmp_path: Path, model: str) -> None:
    item, votes, run = "t2icountbench/apple/home/plain/1", tmp_path / "votes.csv", tmp_path / "run"
    lines = ["annotator,model,item,vote", f"ann,glm,{item},no", f"ben,glm,{item},yes", f"ann,{model},{item},no"]
    votes.write_text("\n".join(lines[: 4 if model != "glm" else 3]) + "\n")
    assert call("import", "votes", votes, "--run", run, "--suite", FEW).code == 0
    with Run(Folder(run)) as opened:
        told = [texts(one) for one in sections(composed(opened))]
    assert any("glm: no answer about its images has a value; it is in no figure." in text for text in told)
    assert any("No prompt has a result yet" in text for text in told) == (model == "glm")


def test_votes_on_groups_are_success_and_leave_out_all_that_needs_counts(votes: Composed) -> None:
    found = names(votes.document)
    assert {"t2icountbench-leaderboard", "t2icountbench-by-difficulty-chart", "t2icountbench-agreement"} <= found
    assert "t2icountbench-errors-chart" not in found
    assert "t2icountbench-confusion" not in found
    own = cells(table(votes.document, "t2icountbench-leaderboard"), is_published=False)
    assert all(own[model, "Accuracy per image"] is None for model in PAINTERS)
    for (model, column), value in measured(table_2(Attempts(votes.attempts)), "table2").items():
        assert own[model, "Average" if column == AVERAGE else column] == value
    passes = table(votes.document, "t2icountbench-passes")
    assert [column.name for column in passes.columns] == ["Model", "pass@4"]


def test_the_agreement_of_annotators_stands_beside_the_papers(votes: Composed, voted_run: Run) -> None:
    found = table(votes.document, "t2icountbench-agreement")
    published = next(row for row in found.rows if row.badge == "published")
    assert published.cells[2] == float(KAPPA)
    whole = next(one for one in agree_run(voted_run, "human") if one.model == ALL_MODELS)
    assert next(row for row in found.rows if row.cells[0] == ALL_MODELS).cells[2] == whole.kappa


def test_there_is_no_agreement_of_one_judge(counted: Composed) -> None:
    assert "t2icountbench-agreement" not in names(counted.document)


def test_a_tie_of_annotators_is_in_no_figure(tmp_path: Path) -> None:
    with voted(tmp_path / "run", FEW, annotators=2) as run:
        document = composed(run)
        observed = observe_run(run, ReadOptions(agreement="majority")).filter(pl.col("model") == "low")
    ties = (observed.rows["status"] == "discarded").sum()
    average = cells(table(document, "t2icountbench-leaderboard"), is_published=False)["low", "Average"]
    assert isinstance(average, Estimate)
    assert (ties, average.n) == (1, 3)


def test_two_judges_of_one_run_are_told_apart(tmp_path: Path) -> None:
    with refined(tmp_path / "counted", FEW) as one, voted(tmp_path / "voted", FEW) as other:
        document = composed(one, other)
    own = cells(table(document, "t2icountbench-leaderboard"), is_published=False)
    assert {str(model) for model, _ in own} == {f"{name} ({run})" for name in PAINTERS for run in ("counted", "voted")}
    assert {"t2icountbench-observations-1", "t2icountbench-observations-2"} <= names(document)


def test_what_was_excluded_by_hand_is_a_note(tmp_path: Path) -> None:
    with refined(tmp_path / "run", FEW, "grid") as run:
        for item in run.items():
            if item.base is None:
                run.exclude(item.id, "misprinted")
        document = composed(run)
    assert "exact: all 16 observations are excluded by hand; it is in no figure." in texts(
        section(document, "t2icountbench-leaderboard")
    )


def test_a_group_is_shown_with_all_its_images_and_what_was_voted(votes: Composed) -> None:
    (gallery,) = section(votes.document, "t2icountbench-pictures").blocks
    assert isinstance(gallery, Gallery)
    shown = [card.thumbnail for card in gallery.cards if isinstance(card.thumbnail, Thumbnail)]
    # Four images of 64 by 64 pixels, in one of 160 by 160.
    assert [(one.width_px, one.height_px) for one in shown] == [(160, 160)] * len(gallery.cards)
    assert {(card.target, card.response, card.outcome) for card in gallery.cards} == {
        ("yes", "yes", "right"),
        ("yes", "no", "wrong"),
    }


@pytest.mark.parametrize(
    ("design", "repeats"),
    [
        ("t2icountbench:numbers=20-22,objects=cat,scenes=home,styles=plain", 1),
        ("t2icountbench:numbers=1-2,objects=human,scenes=city+home,styles=plain", 4),
        ("t2icountbench:numbers=3,objects=plant,cross=true", 5),
    ],
    ids=["beyond the paper, one image each", "two scenes", "one number in all conditions, five images each"],
)
def test_any_part_of_the_suite_can_be_reported(tmp_path: Path, design: str, repeats: int) -> None:
    with refined(tmp_path / "run", design, "grid", repeats=repeats) as run:
        document = composed(run)
    own = cells(table(document, "t2icountbench-leaderboard"), is_published=False)
    assert {model for model, _ in own} == {*PAINTERS}
    assert "these of finder" in texts(section(document, "t2icountbench-leaderboard"))
    for figure in document.figures():
        json.dumps(figure.spec, allow_nan=False)  # of one prompt alone an interval may be infinite; no chart can be


def test_refusals_are_images_that_are_not_right(tmp_path: Path) -> None:
    with refined(tmp_path / "run", FEW) as run:
        run.add_model(Spec("shy", {}, "shy"), is_stand_in=False)
        trials = [Trial(item.id, "shy", {}, repeat) for item in run.items() for repeat in range(4)]
        with run.lease("test") as lease:
            run.add_responses(lease, [Response(one, Refused("no"), Provenance(0, "p")) for one in trials])
        document = composed(run)
    average = cells(table(document, "t2icountbench-leaderboard"), is_published=False)["shy", "Average"]
    assert isinstance(average, Estimate)
    assert (average.value, average.n) == (0.0, 4)
    told = texts(section(document, "t2icountbench-leaderboard"))
    assert "these of finder;" in told
    assert "t2icountbench-observations" in names(document)
    assert "not placed among the fifteen" in told


def test_ties_and_exclusions_are_told(tmp_path: Path) -> None:
    with voted(tmp_path / "run", FEW, annotators=2) as run:
        run.exclude("t2icountbench/apple/home/plain/1", "misprinted")
        document = composed(run)
    told = texts(section(document, "t2icountbench-leaderboard"))
    assert "1 prompt is excluded by hand." in told
    assert "1 prompt is undecided: votes are tied" in told
    own = cells(table(document, "t2icountbench-leaderboard"), is_published=False)
    assert {own[model, "Rank of 16"] for model in PAINTERS} == {None}
    assert "rank" not in document.summary


def test_columns_stand_in_the_papers_order_and_n_of_images_where_it_is_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = attempt_all("one", design(objects=["plant", "cat", "apple"]), lambda _: 0.3)
    made = [replace(made[0], images=3, right=1), *made[1:]]
    found = PaperTables("observer", 4, [], table_2(Attempts(made)), [], [], None)
    print(show_tables(found))
    out = capsys.readouterr().out
    heads = next(line.split() for line in out.splitlines() if "fruit" in line)
    assert heads == [*CATEGORIES, "average"]
    ours = next(line for line in out.splitlines() if line.strip().startswith("one "))
    images = next(line for line in out.splitlines() if line.strip().startswith("per image"))
    assert ours.split()[-1] == "224"
    assert images.split()[-1] == "225"
    assert images.count("]") > images.count("] 75")


def test_a_row_has_a_cell_for_each_column_and_every_estimate_its_n(counted: Composed, votes: Composed) -> None:
    for document in (counted.document, votes.document):
        for found in (*document.tables(), *(figure.data for figure in document.figures())):
            for row in found.rows:
                assert len(row.cells) == len(found.columns), found.name
                assert all(cell.n >= 1 and cell.low <= cell.value <= cell.high for cell in _estimates(row)), found.name


def _estimates(row: Row) -> list[Estimate]:
    return [cell for cell in row.cells if isinstance(cell, Estimate)]


@pytest.mark.proof("subitize.report")
def test_every_chart_is_valid_by_the_schema_of_vega_lite(counted: Composed, votes: Composed) -> None:
    check_charts((*counted.document.figures(), *votes.document.figures()))
