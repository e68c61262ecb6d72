"""What a report says of GeckoNum: the paper's tables for any models, beside what was published, and nothing made up."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

from subitize.analysis.published import Cell, CellId
from subitize.papers.geckonum.figures import show_frequencies
from subitize.papers.geckonum.files import MODELS, read_release
from subitize.papers.geckonum.findings import JudgedRun
from subitize.papers.geckonum.importing import import_geckonum
from subitize.papers.geckonum.labels import read_run
from subitize.papers.geckonum.prompts import Prompt
from subitize.papers.geckonum.suite import items_of
from subitize.papers.geckonum.tables import PUBLISHED, compute_extensions, compute_tables
from subitize.records import (
    Ask,
    Count,
    Drawn,
    Estimate,
    Item,
    Known,
    Outcome,
    Provenance,
    Reading,
    Refused,
    Response,
    Scalar,
    Spec,
    Subject,
    Trial,
    Words,
)
from subitize.report.table import Document, Figure, Gallery, Paragraph, PublishedValue, Row, Section, Table
from subitize.report.writers import to_csv, to_html
from subitize.store import Folder, Run
from tests.cases import Case
from tests.papers.geckonum.geckonum_release import PROMPTS, SOME, write_release
from tests.report.report_runs import HOSTILE, check_charts, composed

pytestmark = pytest.mark.xdist_group("report of geckonum")
OF_ALL = {"gaps", "protocol-rows"}  # tables of all suites together
DRAWN = tuple(prompt for prompt in PROMPTS if prompt.index % 11 == 0)
FEW = DRAWN[::2]


@dataclass(frozen=True)
class Released:
    """A small release as a run, its report, and the cells that it should show."""

    document: Document
    cells: dict[CellId, Cell]


@pytest.fixture(scope="module")
def release_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("released")
    with Run(Folder(folder / "released"), create=True) as run:
        import_geckonum(run, read_release(write_release(folder / "files", prompts=SOME)))
        yield run


@pytest.fixture(scope="module")
def released(release_run: Run) -> Released:
    annotations = read_run(release_run)
    cells = [*compute_tables(annotations), *compute_extensions(annotations)]
    return Released(composed(release_run), {cell.place: cell for cell in cells})


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """The report of a run of ours, read by one judge."""
    with drawn_run(tmp_path_factory.mktemp("drawn") / "may") as run:
        return composed(run)


def drawn_run(folder: Path, model: str = HOSTILE, prompts: Sequence[Prompt] = DRAWN) -> Run:
    """Draw a part of the suite: every fourth picture is wrong, and some are refused."""
    items = list(items_of(prompts))
    run = Run(Folder(folder), create=True)
    run.add_suite(Spec("geckonum", {}, "geckonum"), 0, items)
    run.add_model(Spec(model, {}, model), is_stand_in=True)
    run.add_judge(Spec("finder", {}, "finder"), is_stand_in=False)
    file = io.BytesIO()
    Image.new("RGB", (64, 64), (20, 90, 90)).save(file, "PNG")
    picture = run.image_files.save(file.getvalue(), "png")
    responses, readings = [], []
    for place, item in enumerate(items):
        trial = Trial(item.id, model, {})
        outcome: Outcome = Refused("not my thing") if place % 17 == 5 else Drawn(picture)
        responses.append(Response(trial, outcome, Provenance(0, "p")))
        for ask in item.asks if isinstance(outcome, Drawn) else ():
            value = Known(seen(ask, place))
            readings.append(Reading(Subject((trial.id,)), ask.question, "finder", Words(""), "test@1", value))
    with run.lease("test") as lease:
        run.add_responses(lease, responses)
        run.add_readings(lease, readings)
    return run


def seen(ask: Ask, place: int) -> Scalar:
    right = ask.expects[0]
    if place % 4 != 1:
        return right
    return not right if isinstance(right, bool) else 0 if right else 1


def table(document: Document, name: str) -> Table:
    tables = (*document.tables(), *(figure.data for figure in document.figures()))
    return next(table for table in tables if table.name == name)


def measured(found: Table) -> Iterator[tuple[Row, str, object]]:
    """Go through the cells of a table that were measured, with the names of their columns."""
    for row in found.rows:
        if row.badge in ("", "stand-in"):
            for column, cell in zip(found.columns, row.cells, strict=True):
                yield row, column.name, cell


def blocks(sections: Sequence[Section]) -> Iterator[object]:
    for section in sections:
        yield from section.blocks
        yield from blocks(section.sections)


def texts(document: Document) -> list[str]:
    return [block.text for block in blocks(document.sections) if isinstance(block, Paragraph)]


def same(estimate: object, cell: Cell) -> bool:
    assert isinstance(estimate, Estimate)
    return (estimate.value, estimate.low, estimate.high, estimate.n) == (cell.value, cell.low, cell.high, cell.n)


def places(name: str, row: Row, column: str) -> CellId | None:
    """Tell where a measured figure of a table of the report stands among the computed cells."""
    model = str(row.cells[0])
    kind = str(row.cells[1])
    match name:
        case "geckonum-leaderboard":
            task = re.fullmatch(r"Task (\d) \(%\)", column)
            return CellId("table2", model, f"task{task[1]}_acc") if task else None
        case "geckonum-by-type":
            return CellId("figure3_by_type", column, model)
        case "geckonum-by-quantifier":
            return CellId("figure5", column, model)
        case "geckonum-numbers-accuracy" | "geckonum-numbers-by-type-accuracy" | "geckonum-additions-accuracy":
            return CellId(f"magnitude_{kind.replace('-', '_')}", model, column)
        case "geckonum-digits-words":
            return CellId("A3", model, {"digits (%)": "acc_D", "words (%)": "acc_W"}[column])
        case "geckonum-rare-frequent":
            return CellId("A4", model, {"rare (%)": "acc_R", "frequent (%)": "acc_F"}[column])
        case "geckonum-colour":
            return CellId("A6", model, {"plain (%)": "acc_NC", "with a colour (%)": "acc_C"}[column])
        case "geckonum-place":
            return CellId("A8", model, {"plain (%)": "acc_NS", "with a place (%)": "acc_S"}[column])
        case "geckonum-drops":
            return CellId("A5", kind.replace(" → ", "->"), f"{model}_{column}")
        case "geckonum-failures-of-counts" | "geckonum-failures-of-images":
            table = name.removeprefix("geckonum-").replace("-", "_")
            return CellId(table, model, f"{kind}: {column.removesuffix(' (%)')}")
        case "geckonum-numbers-drawn":
            number = "11" if column == ">10" else column
            return CellId("A12", f"{model} {kind.removesuffix(' for')}", number)
        case "geckonum-odds-ratios":
            return None
        case "geckonum-votes":
            return CellId("A10", model, column)
    raise AssertionError(name)


TABLES = (
    "geckonum-leaderboard",
    "geckonum-by-type",
    "geckonum-by-quantifier",
    "geckonum-numbers-accuracy",
    "geckonum-numbers-by-type-accuracy",
    "geckonum-additions-accuracy",
    "geckonum-digits-words",
    "geckonum-rare-frequent",
    "geckonum-colour",
    "geckonum-place",
    "geckonum-drops",
    "geckonum-failures-of-counts",
    "geckonum-failures-of-images",
    "geckonum-numbers-drawn",
    "geckonum-votes",
)


@pytest.mark.slow
def test_every_figure_is_the_computed_one_with_its_interval_and_n(released: Released, case: Case) -> None:
    for name in TABLES:
        with case(name):
            compared = 0
            for row, column, cell in measured(table(released.document, name)):
                place = places(name, row, column) if isinstance(cell, Estimate) else None
                if place is not None:
                    assert same(cell, released.cells[place]), place
                    compared += 1
            assert compared >= 2


def test_tests_and_their_control_stand_beside_what_they_compare(released: Released) -> None:
    found = {
        (row.cells[0], column): cell for row, column, cell in measured(table(released.document, "geckonum-colour"))
    }
    for model in ("dalle_3", "imagen_c"):
        for column, place in (("χ²", "chi2"), ("p", "p"), ("N", "N"), ("Significant shuffles", "shuffled")):
            assert found[model, column] == released.cells[CellId("A6", model, place)].value


def test_models_are_compared_in_pairs_with_the_adjusted_p(released: Released) -> None:
    first = table(released.document, "geckonum-differences").rows[0]
    place = CellId("paired", "dalle_3 - imagen_c", "task1_diff")
    assert first.cells[0] == "dalle_3 − imagen_c"
    assert same(first.cells[1], released.cells[place])
    assert first.cells[2] == released.cells[place._replace(column="task1_p_holm")].value


def test_the_leaderboard_has_the_ranks_of_each_task(released: Released) -> None:
    board = table(released.document, "geckonum-leaderboard")
    place = [column.name for column in board.columns].index("Rank, Task 1")
    ranks = {str(row.cells[0]): row.cells[place] for row in board.rows if row.badge == ""}
    assert ranks == {model: released.cells[CellId("ranks", model, "task1_rank")].value for model in ranks}
    assert len(ranks) > 1
    assert "Rank" not in {column.name for column in board.columns}


def test_agreement_is_shown_with_its_interval_where_several_annotated(released: Released, drawn: Document) -> None:
    row = table(released.document, "geckonum-agreement").rows[0]
    assert same(row.cells[5], released.cells[CellId("krippendorff", "task1", "nominal")])
    assert "geckonum-agreement" not in {found.name for found in drawn.tables()}


def test_the_papers_seven_models_are_marked_as_published_without_an_interval(released: Released) -> None:
    rows = {
        row.cells[0]: row for row in table(released.document, "geckonum-leaderboard").rows if row.badge == "published"
    }
    assert list(rows)[:2] == [MODELS["dalle_3"], MODELS["imagen_c"]]
    assert set(rows) == set(MODELS.values())
    for model, title in MODELS.items():
        value, error = (float(PUBLISHED.cells[CellId("table2", model, f"task1_{what}")]) for what in ("acc", "sem"))
        assert rows[title].cells[1] == PublishedValue(value, error)


def test_published_rows_stand_apart_from_measured_ones(released: Released) -> None:
    kinds = [kind for kind, _ in table(released.document, "geckonum-leaderboard").groups()]
    assert kinds == ["", "baseline", "published"]


def test_published_models_that_were_not_measured_stand_best_first(drawn: Document) -> None:
    rows = [row for row in table(drawn, "geckonum-leaderboard").rows if row.badge == "published"]
    accuracies = [row.cells[1].value for row in rows if isinstance(row.cells[1], PublishedValue)]
    assert len(accuracies) == len(MODELS)
    assert accuracies == sorted(accuracies, reverse=True)


def test_published_rows_are_of_people_and_never_of_a_protocol_of_ours(released: Released) -> None:
    caption = table(released.document, "geckonum-leaderboard").caption
    assert "Published rows were judged by people, under the paper’s protocol." in caption


def test_what_further_things_cost_stands_with_its_n(released: Released) -> None:
    found = table(released.document, "geckonum-drops")
    names = [column.name for column in found.columns]
    for row in found.rows:
        cells = dict(zip(names, row.cells, strict=True))
        for number in ("1", "2", "3"):
            estimate = cells[number]
            assert cells[f"n {number}"] == (estimate.n if isinstance(estimate, Estimate) else None)


def test_the_standard_error_of_a_published_figure_has_its_column_in_csv(released: Released) -> None:
    rows = csv.DictReader(to_csv(table(released.document, "geckonum-leaderboard")).splitlines())
    muse = next(row for row in rows if row["Model"] == "Muse-B")
    cells = [muse[f"Task 1 (%){part}"] for part in ("", " low", " high", " n", " standard error")]
    assert cells == ["39.8", "", "", "", "0.5"]


def test_every_table_and_figure_of_the_suite_bears_its_name(released: Released) -> None:
    figures = list(released.document.figures())
    names = [found.name for found in released.document.tables() if found.name not in OF_ALL]
    names += [name for figure in figures for name in (figure.name, figure.data.name)]
    assert all(name.startswith("geckonum-") for name in names)
    assert len(names) == len(set(names))


@pytest.mark.proof("subitize.report")
def test_every_chart_is_valid_by_the_schema_of_vega_lite(released: Released, drawn: Document) -> None:
    figures = {figure.name: figure for figure in (*drawn.figures(), *released.document.figures())}
    assert {"geckonum-words-by-count", "geckonum-odds"} <= set(figures)
    check_charts(figures.values())


@pytest.mark.slow
def test_models_too_many_for_one_panel_have_their_own(tmp_path: Path) -> None:
    simple = [prompt for prompt in SOME if prompt.type in ("numeric_simple", "2-additive")][::4]
    with Run(Folder(tmp_path / "run"), create=True) as run:
        import_geckonum(run, read_release(write_release(tmp_path / "files", list(MODELS), prompts=simple, seeds=1)))
        figures = {figure.name: figure for figure in composed(run).figures()}
    own = [figures["geckonum-numbers"], figures["geckonum-numbers-by-type"]]
    assert [figure.spec["facet"]["sort"] for figure in own] == [list(MODELS)] * 2
    check_charts(own)


def test_figures_say_what_they_show_in_words_and_numbers(released: Released, drawn: Document) -> None:
    for figure in (*released.document.figures(), *drawn.figures()):
        assert figure.alt.endswith(".")
        assert figure.caption.endswith(".")
        assert figure.data.rows


def test_pictures_known_by_name_only_are_no_empty_frames(released: Released) -> None:
    assert "The pictures are known by name only; there is none to show." in texts(released.document)
    assert not any(isinstance(block, Gallery) for block in blocks(released.document.sections))


@pytest.mark.slow
def test_the_gallery_leaves_out_what_is_elsewhere_and_shows_the_rest(release_run: Run, tmp_path: Path) -> None:
    with drawn_run(tmp_path / "may", "drawer", FEW) as drawn:
        document = composed(release_run, drawn)
    (gallery,) = (block for block in blocks(document.sections) if isinstance(block, Gallery))
    assert {card.model for card in gallery.cards} == {"drawer"}
    assert "known by name only are left out" in gallery.caption


def test_the_gallery_tells_answers_as_people_would(drawn: Document) -> None:
    (gallery,) = (block for block in blocks(drawn.sections) if isinstance(block, Gallery))
    by_type = {card.category: card for card in gallery.cards if card.outcome == "right"}
    assert by_type["part-whole"].target == by_type["part-whole"].response == "yes"
    details = dict(by_type["approx-1-entity"].details)
    assert details["Right would be"].startswith("An image of a")
    assert by_type["approx-1-entity"].response in ("no", "only a few", "many")
    assert by_type["3-additive"].subject in dict(by_type["3-additive"].details)["Asked"]


def test_an_image_is_shown_once_whatever_is_asked_about_it(drawn: Document) -> None:
    (gallery,) = (block for block in blocks(drawn.sections) if isinstance(block, Gallery))
    shown = [(card.outcome, dict(card.details)["Item"]) for card in gallery.cards]
    assert len(shown) == len(set(shown))


def test_refused_images_are_named_as_in_no_figure(drawn: Document) -> None:
    refused = len(range(5, len(DRAWN), 17))
    assert f"{HOSTILE}: {refused} images were refused and in no figure here" in " ".join(texts(drawn))


@pytest.mark.slow
def test_names_are_escaped_wherever_they_stand(drawn: Document) -> None:
    page = "".join(to_html(drawn))
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(&#39;model&#39;)&lt;/script&gt;" in page


def test_the_summary_tells_of_each_task(drawn: Document) -> None:
    assert re.search(r"In geckonum, right most often: .*\(Task 1: .*\(Task 2: .*\(Task 3: ", drawn.summary)


def test_the_scene_graph_has_a_column_where_questions_rest_on_others(drawn: Document, tmp_path: Path) -> None:
    simple = [prompt for prompt in DRAWN if prompt.type == "numeric_simple"]
    with drawn_run(tmp_path / "run", "drawer", simple) as run:
        documents = drawn, composed(run)
    columns = [table(document, "geckonum-leaderboard").columns for document in documents]
    found = ["Task 3 by scene graph (%)" in {column.name for column in own} for own in columns]
    assert found == [True, False]


@pytest.mark.slow
def test_the_same_model_in_two_runs_has_a_line_for_each(tmp_path: Path) -> None:
    with drawn_run(tmp_path / "may", "drawer", FEW) as may, drawn_run(tmp_path / "june", "drawer", FEW) as june:
        exclude(june, "part-whole")
        document = composed(may, june)
    labels = {"drawer (may)", "drawer (june)"}
    for figure in document.figures():
        of_models = figure.data.columns[0].name == "Model"
        assert not of_models or labels <= {row.cells[0] for row in figure.data.rows}, figure.name
    by_type = table(document, "geckonum-by-type")
    place = [column.name for column in by_type.columns].index("part-whole")
    found = {row.cells[0]: row.cells[place] for row in by_type.rows}
    assert found["drawer (june)"] is None
    assert isinstance(found["drawer (may)"], Estimate)


def exclude(run: Run, type: str) -> None:
    for item in run.items():
        if item.factors["type"] == type:
            run.exclude(item.id, "misprinted")


@pytest.mark.slow
def test_numbers_above_ten_are_taken_together(tmp_path: Path) -> None:
    with drawn_run(tmp_path / "may", "drawer", FEW) as run:
        overcount(run)
        rows = table(composed(run), "geckonum-numbers-drawn").rows
    (many,) = (row.cells[-1] for row in rows if row.cells[:2] == ("drawer · generous", "drawn"))
    assert isinstance(many, Estimate)
    assert many.value == 100


def overcount(run: Run) -> None:
    """Have all counts read anew, as 11, 12 or 13."""
    items = {item.id: item for item in run.items()}
    readings = [
        Reading(Subject((stored.trial_id,)), ask.question, "generous", Words(""), "test@1", Known(11 + place % 3))
        for stored in run.responses()
        for place, ask in enumerate(items[stored.response.trial.item_id].asks)
        if isinstance(ask.question, Count) and isinstance(stored.response.outcome, Drawn)
    ]
    run.add_judge(Spec("generous", {}, "generous"), is_stand_in=False)
    with run.lease("test") as lease:
        run.add_readings(lease, readings)


@pytest.mark.slow
def test_a_model_of_which_nothing_was_read_is_a_note(tmp_path: Path) -> None:
    with drawn_run(tmp_path / "may", "drawer", FEW) as run:
        refuse_all(run, run.items())
        document = composed(run)
    assert "shy: no answer about its images has a value; it is in no figure." in texts(document)
    assert "shy" not in {row.cells[0] for row in table(document, "geckonum-leaderboard").rows}


def refuse_all(run: Run, items: Sequence[Item]) -> None:
    run.add_model(Spec("shy", {}, "shy"), is_stand_in=False)
    refusals = [Response(Trial(item.id, "shy", {}), Refused("no"), Provenance(0, "p")) for item in items]
    with run.lease("test") as lease:
        run.add_responses(lease, refusals)


@pytest.mark.slow
def test_word_frequencies_of_the_papers_nouns_are_shown() -> None:
    assert show_frequencies([JudgedRun("run · judge", (), {}, 1, {"dog": "frequent", "alpaca": "rare"})]) == []
    (figure,) = show_frequencies([JudgedRun("run · judge", (), {}, 1, {"dog": "frequent", "cinnamon stick": "rare"})])
    assert isinstance(figure, Figure)
    assert [row.cells for row in figure.data.rows] == [("dog", "frequent", 5.1), ("cinnamon stick", "rare", 3.7)]
    check_charts([figure])


@pytest.mark.slow
def test_judges_are_not_ranked_as_if_they_were_models(tmp_path: Path) -> None:
    with drawn_run(tmp_path / "judged", "muse_a", FEW) as run:
        items = list(items_of(FEW))
        run.add_model(Spec("other", {}, "other"), is_stand_in=False)
        (first, *_) = (one.response for one in run.responses() if isinstance(one.response.outcome, Drawn))
        responses, readings = [], []
        for place, item in enumerate(items):
            mine, other = (Trial(item.id, model, {}) for model in ("muse_a", "other"))
            responses.append(Response(other, first.outcome, Provenance(0, "p")))
            # What people say of both is wrong more often than what the finder says of one.
            is_refused = place % 17 == 5
            readings += [
                Reading(
                    Subject((of.id,)), ask.question, "people", Words(""), "test@1", Known(seen(ask, place % 2)), who
                )
                for of in ((other,) if is_refused else (mine, other))
                for ask in item.asks
                for who in ("ann", "ben", "cem")
            ]
        with run.lease("test") as lease:
            run.add_responses(lease, responses)
            run.add_readings(lease, readings)
        document = composed(run)
    board = table(document, "geckonum-leaderboard")
    shown = [str(row.cells[0]) for row in board.rows if row.badge in ("", "stand-in")]
    assert sorted(shown) == ["muse_a · finder", "muse_a · people", "other"]
    # Those of one judge stand together, wherever the others would stand among them.
    assert abs(shown.index("muse_a · people") - shown.index("other")) == 1
    assert "Judges are not ranked" in board.caption
    assert [row.cells[0] for row in board.rows if row.badge == "published"].count(MODELS["muse_a"]) == 1
    ranks = {str(row.cells[0]): row.cells[10] for row in board.rows}
    assert ranks["muse_a · finder"] is None
    assert ranks["other"] is not None
    assert "as read by finder, muse_a · finder with exact numbers" in document.summary
    assert re.search(r"as read by people, .* cannot be told apart from", document.summary)
    assert "cannot be told apart from muse_a · finder" not in document.summary
    votes = table(document, "geckonum-votes")
    assert [column.name for column in votes.columns][:9] == [
        "Model",
        *(f"{n}/5" for n in range(5, 0, -1)),
        "3/3",
        "2/3",
        "1/3",
    ]
    (of_other,) = [row.cells for row in votes.rows if row.cells[0] == "other"]
    assert [cell.value if isinstance(cell, Estimate) else cell for cell in of_other[1:9]] == [None] * 5 + [
        100.0,
        0.0,
        0.0,
    ]
