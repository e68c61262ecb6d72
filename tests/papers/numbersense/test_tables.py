"""Numbersense's tables from names of images and from runs: the same figures, the printed ones beside them."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.analysis.papers import Tabulated, read_judged, tabulate
from subitize.analysis.published import CellId, ComparedCell
from subitize.errors import BadFileError, ConflictError, NothingToDoError
from subitize.papers.numbersense import PAPER
from subitize.papers.numbersense.release import read
from subitize.papers.numbersense.tables import PRINTED, TABLE_1, find_model, rows
from subitize.records import Discarded, Drawn, Elsewhere, Known, Spec
from subitize.store import Folder, Run
from tests.commands import call
from tests.papers.numbersense.numbersense_names import touch, write_names
from tests.report import report_runs

Cells = dict[tuple[str, str, str], ComparedCell]


def by_place(comparisons: object) -> Cells:
    assert isinstance(comparisons, list)
    return {(one.table, one.row, one.column): one for one in comparisons}


def reproduce_names(folder: Path, *, extensions: bool = False) -> Tabulated:
    release = read(folder)
    return tabulate(PAPER, rows(release.seen()), extensions=extensions, warnings=release.warnings)


def tabulate_run(run: Run, judge: str | None = None, *, extensions: bool = False) -> Tabulated:
    seen = read_judged(run, "numbersense", PAPER, judge)
    return tabulate(PAPER, rows(seen), seen, extensions=extensions, names=run.model_names())


def reproduce(folder: Path) -> Cells:
    return by_place(reproduce_names(folder).records)


def name_counts(folder: Path, number: int, counts: Iterable[int], category: str = "apples") -> Path:
    return touch(folder, *(f"{number}_{count}_{category}_{index}.png" for index, count in enumerate(counts)))


def test_figures_are_those_that_the_names_tell(tmp_path: Path) -> None:
    name_counts(tmp_path / "mine", 2, [2, 2, 3, 1])
    name_counts(tmp_path / "mine", 4, [4, 8, 0, 4])
    cells = reproduce(tmp_path / "mine")
    # Nothing to count is discarded: of seven images, four are right, and they are off by 1/2, 1/2 and 4/4.
    accuracy, nae = cells["table1_production", "mine", "accuracy"], cells["table1_production", "mine", "nae"]
    assert (accuracy.ours, accuracy.n) == (4 / 7, 7)
    assert nae.ours == pytest.approx(2 / 7)
    assert isinstance(accuracy.low, float)
    assert accuracy.low < 4 / 7
    assert cells["table3", "mine", "apples"].ours == "none"
    assert cells["table3", "mine", "apples_r"].n == 7
    assert {one.verdict for one in cells.values()} == {"not published"}
    assert ("table1_production", "mine", "knower_level") not in cells  # nobody was asked for one


def test_the_printed_figure_stands_beside_a_model_of_the_paper_with_a_verdict(tmp_path: Path) -> None:
    name_counts(tmp_path / "flux", 3, [3] * 11 + [9] * 14)
    cells = reproduce(tmp_path)
    accuracy = cells["table1_production", "flux", "accuracy"]
    assert (accuracy.ours, accuracy.published, accuracy.verdict) == (0.44, 0.44, "exact")
    assert cells["table1_production", "flux", "nae"].verdict == "differs"
    bias = cells["table3", "flux", "apples"]
    assert (bias.ours, bias.published, bias.verdict, bias.n) == ("over", "none", "differs", 25)
    assert cells["table3", "flux", "apples_r"].verdict == "not published"


NAMES = {
    "FLUX": "FLUX",
    "flux": "FLUX",
    "DALL-E 3": "DALLE-3",
    "dalle3": "DALLE-3",
    "Dall·e_2": "DALLE-2",
    "sd 3.5": "SD3.5",
    "folder:images/SD2.1,layout=numbersense": "SD2.1",
    "folder:images/SD2.1/": "SD2.1",
    "FLUX.1-dev": None,
    "painter": None,
    "GPT-4V": None,
    "": None,
}


@pytest.mark.parametrize(("name", "model"), NAMES.items(), ids=map(repr, NAMES))
def test_a_model_of_the_paper_is_known_by_its_name_however_it_is_set(name: str, model: str | None) -> None:
    assert find_model(name, "production") == model


def test_a_model_that_names_is_none_that_draws() -> None:
    assert find_model("openai:gpt-4v", "naming") == "GPT-4V"
    assert find_model("llava34b", "naming") == "LLaVa"
    assert find_model("FLUX", "naming") is None


def test_every_printed_cell_has_its_place_and_its_digits() -> None:
    tables = [place.table for place in PRINTED]
    counted = {table: tables.count(table) for table in dict.fromkeys(tables)}
    assert counted == {
        "table1_naming": 28,
        "table1_production": 20,
        "table2": 35 + 19,
        "table3": 20 + 8,
        "abstraction_naming": 6,
        "abstraction_production": 5,
    }
    assert {place.row for place in PRINTED} == {row.model for row in TABLE_1}
    assert PRINTED[CellId("table3", "SD2.1", "apples_r")] == "0.3"
    assert PRINTED[CellId("table2", "Qwen-7B", "dots_r")] == "0.40"
    assert PRINTED[CellId("table2", "Gemini Pro", "fastcards")] == "over"
    assert PRINTED[CellId("table1_naming", "Qwen-7B", "human_correlation")] == "0.90"


@pytest.mark.slow
def test_a_run_of_the_same_images_has_the_same_tables(tmp_path: Path) -> None:
    for model in ("FLUX", "other"):
        write_names(tmp_path / "images" / model, images=5, numbers=range(1, 6))
    from_names = reproduce_names(tmp_path / "images", extensions=True)
    with Run(Folder(tmp_path / "run"), create=True) as run:
        read(tmp_path / "images").store(run)
        from_run = tabulate_run(run, None, extensions=True)
    assert from_run == from_names
    assert from_run.claims is not None
    assert from_names.claims is not None
    assert from_run.claims() == from_names.claims()
    (numbers, few) = from_run.warnings
    assert "the numbers 1 to 10 of apples, people, butterflies, dots; other or fewer have: FLUX, other" in numbers
    assert "at least 20 usable answers" in few


def test_the_paper_s_design_needs_no_warning(tmp_path: Path) -> None:
    assert not reproduce_names(write_names(tmp_path / "SD3.5")).warnings


def test_images_become_responses_known_by_name_and_counts_readings_of_people(tmp_path: Path) -> None:
    touch(tmp_path / "FLUX", "apples/3_4_apples_17.png", "apples/3_many_apples new2.png", "dots/1_0_dots_0.png")
    with Run(Folder(tmp_path / "run"), create=True) as run:
        summary = read(tmp_path / "FLUX").store(run)
        assert str(summary) == "3 images and 3 readings added"
        outcomes = [(stored.response.trial.item_id, stored.response.outcome) for stored in run.responses("FLUX")]
        assert outcomes == [
            ("production/dots/1", Drawn(Elsewhere("dots/1_0_dots_0.png"))),
            ("production/apples/3", Drawn(Elsewhere("apples/3_4_apples_17.png"))),
            ("production/apples/3", Drawn(Elsewhere("apples/3_many_apples new2.png"))),
        ]
        readings = [stored.reading for stored in run.readings("human")]
        assert [one.value for one in readings] == [Known(0), Known(4), Discarded("vague: 'many'")]
        assert {one.annotator for one in readings} == {"file names"}


def test_a_second_import_adds_only_what_is_new(tmp_path: Path) -> None:
    touch(tmp_path / "images", "FLUX/3_4_apples_1.png")
    with Run(Folder(tmp_path / "run"), create=True) as run:
        read(tmp_path / "images").store(run)
        touch(tmp_path / "images", "FLUX/3_2_apples_2.png", "SD2.1/1_1_dots_0.png")
        again = read(tmp_path / "images").store(run)
        assert (again.responses, again.readings, again.already_there) == (2, 2, 1)
        assert len(list(run.readings())) == 3


def test_images_that_have_changed_are_refused_and_nothing_is_added(tmp_path: Path) -> None:
    touch(tmp_path / "FLUX", "3_4_apples_2.png")
    with Run(Folder(tmp_path / "run"), create=True) as run:
        read(tmp_path / "FLUX").store(run)
        touch(tmp_path / "FLUX", "3_3_apples_1.png")
        with pytest.raises(ConflictError, match=r"has '3_4_apples_2.png' where FLUX now has '3_3_apples_1.png'"):
            read(tmp_path / "FLUX").store(run)
        assert len(list(run.readings())) == len(list(run.responses())) == 1


def test_what_is_no_number_and_what_is_named_otherwise_is_told(tmp_path: Path) -> None:
    touch(tmp_path / "FLUX", *(f"3_{text}_apples_1.png" for text in ("4", "20+", "many", "no", "x")), "cover.png")
    discarded, left = read(tmp_path / "FLUX").warnings
    some = "3_20+_apples_1.png: at least 20, 3_many_apples_1.png: vague: 'many', 3_no_apples_1.png: no number, …"
    assert discarded == f"FLUX: no number in the name, discarded: 4 of 5 ({some})"
    assert left == "FLUX: other files, left alone: 1 (cover.png: not named like 3_4_apples_17.png)"


FAULTS = {
    "no such folder": ((), "nowhere is not a folder; name that of the images, or one with a folder per model"),
    "no images": (("nowhere/readme.txt",), "nowhere has no images named like 3_4_apples_17.png (asked for, counted"),
    "other names": (("nowhere/FLUX/cat.png",), "nowhere has no images named like"),
    "another thing": (
        ("nowhere/FLUX/9_1_cars_0.png",),
        "'9_1_cars_0.png' is of no item of production, which asks for 1 to 10 of apples, people, butterflies, dots",
    ),
    "a larger number": (("nowhere/FLUX/12_1_dots_0.png",), "FLUX: '12_1_dots_0.png' is of no item of production"),
    "both": (
        ("nowhere/FLUX/3_1_dots_0.png", "nowhere/dots/3_1_dots_0.png"),
        "nowhere has images of its own and folders with others (FLUX)",
    ),
    "two endings": (("nowhere/3_1_dots_0.png", "nowhere/3_1_dots_0.jpg"), "which of them is meant?"),
}


@pytest.mark.parametrize(("files", "message"), FAULTS.values(), ids=FAULTS)
def test_a_folder_that_cannot_be_read_is_named_with_the_remedy(
    files: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    touch(tmp_path, *files)
    with pytest.raises(BadFileError) as caught:
        read(Path("nowhere"))
    assert message in str(caught.value)


def test_two_judges_of_one_suite_are_told_apart_by_name(tmp_path: Path) -> None:
    touch(tmp_path / "FLUX", "3_3_apples_1.png", "2_2_apples_1.png")
    with Run(Folder(tmp_path / "run"), create=True) as run:
        with pytest.raises(NothingToDoError, match="has no items of naming or production; first: subitize run"):
            tabulate_run(run)
        read(tmp_path / "FLUX").store(run)
        with pytest.raises(NothingToDoError, match="has no readings by 'nobody'; judges with readings: human"):
            tabulate_run(run, "nobody")
        with run.lease("judge second") as lease:
            run.add_readings(lease, [replace(stored.reading, judge="second") for stored in run.readings()])
        with pytest.raises(NothingToDoError, match="several judges of production: human, second; name one"):
            tabulate_run(run)
        cells = by_place(tabulate_run(run, "second").records)
    assert cells["table1_production", "FLUX", "accuracy"].ours == 1.0


@pytest.mark.slow
def test_models_whose_parameters_were_counted_have_their_size_in_table_1(tmp_path: Path) -> None:
    with report_runs.named(tmp_path / "run") as run:
        items = [item for item in run.items() if item.id not in run.exclusions()]
        report_runs.fill(run, items, Spec("vilt", {}, "vilt"), report_runs.exact, parameter_count=87_400_000)
        cells = by_place(tabulate_run(run).records)
        assert [(place, cell.ours) for place, cell in cells.items() if place[2] == "size"] == [
            (("table1_naming", "vilt", "size"), 0.0874)
        ]
        finished = call("score", tmp_path / "run")
    assert "0.0874" in next(line for line in finished.out.splitlines() if line.split()[:1] == ["vilt"])
