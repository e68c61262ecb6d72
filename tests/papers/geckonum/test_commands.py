"""GeckoNum on the command line: import, reproduce, tables; what is wrong is told in one line, with code 2."""

from pathlib import Path

import pytest

from tests.commands import call
from tests.papers.geckonum.geckonum_release import SOME, write_release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("cli") / "release", prompts=SOME[::4])


@pytest.mark.slow
def test_the_tables_of_an_imported_run_are_those_of_the_files(release: Path, tmp_path: Path) -> None:
    done = call("import", "release", "geckonum", release, "--out", tmp_path / "run")
    assert done.code == 0, done.err
    assert "readings added" in done.out
    assert "CC BY 4.0" in done.err
    from_files = call("report", "reproduce", "geckonum", release, "--json", "--extensions")
    from_run = call("report", "tables", tmp_path / "run", "--paper", "geckonum", "--json", "--extensions")
    assert from_files.out == from_run.out


def test_reproduce_prints_one_object_per_cell(release: Path) -> None:
    cells = call("report", "reproduce", "geckonum", release, "--json").json()
    assert {"table", "row", "column", "published", "ours", "verdict"} <= cells[0].keys()
    found = {(cell["table"], cell["row"], cell["column"]): cell for cell in cells}
    assert found["table2", "dalle_3", "task1_acc"]["published"] == 45.2
    assert 0 <= found["table2", "dalle_3", "task1_acc"]["ours"] <= 100
    assert found["magnitude_numeric_simple", "imagen_c", "10"]["verdict"] == "not published"
    tables = {cell["table"] for cell in cells}
    named = {"table2", "figure3_by_type", "figure5", "A3", "A4", "A5", "A6", "A7", "A8", "A10", "agreement"}
    assert named | {"krippendorff", "counts", "A2"} <= tables
    assert not any(cell["row"] == "muse_a" for cell in cells)


def test_reproduce_prints_tables_for_people(release: Path) -> None:
    text = call("report", "reproduce", "geckonum", release).out
    for expected in ("table2", "figure5", "verdicts", "dalle_3", "(45.2)", "within 0.1 pp"):
        assert expected in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "reproduce", "gecko", "."], "no paper named 'gecko'; known: geckonum"),
        (["report", "reproduce", "geckonum", "nowhere"], "no prompts.csv in nowhere"),
        (["import", "release", "geckonum", "nowhere", "--out", "run"], "no prompts.csv in nowhere"),
        (["report", "tables", "run", "--paper", "gecko"], "no paper named 'gecko'"),
        (["report", "tables", "run", "--paper", "geckonum"], "run is not a run"),
        (["make", "prompts", "geckonum", "--prompts", "nowhere.csv"], "nowhere.csv"),
        (["make", "prompts", "geckonum", "--fresh", "x"], "fresh"),
        (
            ["make", "prompts", "geckonum", "--nouns", "nowhere.txt", "--fresh", "1"],
            "nouns= are no longer taken; fresh=1",
        ),
        (["make", "prompts", "naming", "--fresh", "1"], "suite 'naming' has no option 'fresh'"),
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


def test_a_bad_file_leaves_no_run(release: Path, tmp_path: Path) -> None:
    copy = write_release(tmp_path / "release", prompts=SOME[::8])
    path = copy / "task_3_imagen_c.csv"
    path.write_bytes(path.read_bytes()[:-40])
    done = call("import", "release", "geckonum", copy, "--out", tmp_path / "run")
    assert done.code == 2
    assert "task_3_imagen_c.csv line" in done.err
    assert not (tmp_path / "run").exists()
