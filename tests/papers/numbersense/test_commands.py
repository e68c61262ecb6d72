"""Numbersense on the command line: import, reproduce, tables; what is wrong is told in one line, with code 2."""

from pathlib import Path

import pytest

from tests.commands import call
from tests.papers.numbersense.numbersense_names import touch, write_names


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "images"
    for model in ("FLUX", "dall-e_3"):
        write_names(folder / model, numbers=range(1, 5), images=4)
    return folder


def test_the_tables_of_an_imported_run_are_those_of_the_names(images: Path, tmp_path: Path) -> None:
    done = call("import", "release", "numbersense", images, "--out", tmp_path / "run")
    assert done.code == 0, done.err
    assert done.out.startswith("128 images and 128 readings added; see: subitize report tables ")
    from_names = call("report", "reproduce", "numbersense", images, "--json")
    from_run = call("report", "tables", tmp_path / "run", "--paper", "numbersense", "--json")
    assert from_names.out == from_run.out
    (accuracy,) = (
        cell
        for cell in from_run.json()
        if (cell["table"], cell["row"], cell["column"]) == ("table1_production", "FLUX", "accuracy")
    )
    keys = {"table", "row", "column", "published", "ours", "verdict", "low", "high", "n", "method", "caution"}
    assert accuracy.keys() == keys
    assert (accuracy["published"], accuracy["n"]) == (0.44, 64)


def test_without_images_the_claims_are_held_against_the_printed_tables() -> None:
    found = call("report", "reproduce", "numbersense", "--json").json()
    assert found == call("report", "reproduce", "numbersense", "--claims", "--json").json()
    assert found[0].keys() == {"id", "verdict", "sentence", "comparisons", "claim"}
    printed = call("report", "reproduce", "numbersense").out
    assert printed.count("3a holds: No model is right throughout.") == 1


@pytest.mark.slow
def test_the_claims_stand_below_the_tables_and_alone(images: Path) -> None:
    whole, alone = (call("report", "reproduce", "numbersense", images, *more).out for more in ((), ("--claims",)))
    assert whole.endswith(alone)
    assert alone.startswith("claims\n1 undecided: ")
    assert "the claim is of the whole design, of which these have a part: FLUX, dall-e_3" in alone


def test_the_tables_are_printed_for_people(images: Path) -> None:
    text = call("report", "reproduce", "numbersense", images, "--extensions").out
    for expected in ("table1_production", "table3", "FLUX", "(0.44)", "butterflies_r", "verdicts", "weber"):
        assert expected in text


@pytest.mark.slow
def test_the_tables_of_a_run_are_what_it_measures(tmp_path: Path) -> None:
    run = tmp_path / "run"
    suite = "naming:images=1,numbers=1-3,categories=apples+dots,size_px=128,wordings=things"
    assert call("run", suite, "--model", "random", "--out", run).code == 0
    assert (
        call("run", "production:numbers=1-2", "--repeats", 1, "--model", "painter:size_px=128", "--out", run).code == 0
    )
    cells = call("report", "tables", run, "--paper", "numbersense", "--json").json()
    assert {cell["table"] for cell in cells} >= {"table1_naming", "table2", "table1_production", "table3"}
    for measured in call("measure", run, "--json").json():
        found = {cell["column"]: cell for cell in cells if cell["row"] == measured["model"]}
        for name in ("accuracy", "nae", "human_correlation"):
            assert {key: measured[name][key] for key in ("low", "high", "n")}.items() <= found[name].items()
            assert measured[name]["value"] == found[name]["ours"]
        for bias in measured["biases"]:
            if bias["category"] != "all":
                assert found[bias["category"]]["ours"] == bias["direction"]
                assert found[f"{bias['category']}_r"]["ours"] == bias["r"]["value"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["report", "reproduce", "numbersense", "--extensions"],
            "--extensions needs images: subitize report reproduce numbersense DIR",
        ),
        (["report", "reproduce", "numbersense", "nowhere"], "nowhere is not a folder"),
        (["import", "release", "numbersense", "nowhere", "--out", "run"], "nowhere is not a folder"),
        (["import", "release", "numbersense", ".", "--out", "run"], ". has no images named like 3_4_apples_17.png"),
        (["report", "tables", "run", "--paper", "numbersense"], "run is not a run"),
    ],
)
def test_wrong_input_is_named_in_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(*arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_category_leaves_no_run(tmp_path: Path) -> None:
    touch(tmp_path / "images", "3_3_apples_0.png", "3_3_cars_0.png")
    done = call("import", "release", "numbersense", tmp_path / "images", "--out", tmp_path / "run")
    assert done.code == 2
    assert "'3_3_cars_0.png' is of no item of production" in done.err
    assert not (tmp_path / "run").exists()


def test_a_run_of_another_suite_says_what_to_do_first(tmp_path: Path) -> None:
    suite = "t2icountbench:objects=apple,numbers=1,scenes=home,styles=plain"
    call("run", suite, "--model", "painter:size_px=128", "--repeats", 1, "--out", tmp_path / "run")
    done = call("report", "tables", tmp_path / "run", "--paper", "numbersense")
    assert done.code == 2
    assert "has no items of naming or production; first: subitize run production" in done.err
