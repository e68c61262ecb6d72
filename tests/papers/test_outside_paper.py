"""A paper of an outside package, one folder and one entry point, does all that ours do; a broken one breaks nothing."""

import os
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from subitize.papers import Paper, Part
from subitize.records import Stimulus
from subitize.stimuli.recipes import render
from tests.commands import PLUGINS, Finished, call

PAPERS = PLUGINS / "papers"

ANSWERS = """model,animal,number,image,answer
kennel-1,dog,1,pet-dog-1-0.png,1
kennel-1,dog,2,pet-dog-2-0.png,a brace
kennel-1,cat,2,pet-cat-2-0.png,two
kennel-1,cat,3,pet-cat-3-0.png,4
other,dog,2,pet-dog-2-0.png,3
"""


@pytest.fixture(autouse=True)
def _outside_papers(odd_models: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outside package with a paper is installed, and one with papers that cannot be loaded."""
    monkeypatch.syspath_prepend(str(PAPERS))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (PAPERS, PLUGINS))))


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    return tmp_path / "release"


def done(*arguments: object) -> Finished:
    finished = call(*arguments)
    assert finished.code == 0, finished.err
    return finished


def test_it_is_listed_with_what_it_brings() -> None:
    (pets,) = (one for one in done("list", "papers", "--json").json() if one["name"] == "pets")
    assert pets["summary"] == "Doe, J. (2026). Pets in Pairs. Journal of Examples, 1, 1–2."
    brought = {"suites": "pets", "rules": "pets", "layouts": "pets"}
    assert pets["options"] == brought | dict.fromkeys(("reproduce", "tables", "import"), "yes")
    assert "pets" in done("list", "suites").out


@pytest.mark.slow
def test_its_suite_is_run_tabulated_and_reported_with_its_section(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done("run", "pets:numbers=1-2", "--model", "painter:size_px=256", "--out", run)
    (cell,) = done("report", "tables", run, "--paper", "pets", "--json").json()
    assert (cell["ours"], cell["n"], cell["verdict"]) == (1.0, 8, "not published")
    done("report", run, "-o", tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    named = (
        "Pairs of pets",
        "4 of 4 pairs of pets are pairs.",
        "Doe, J. (2026)",
        "Published rows were judged by people",
    )
    for expected in named:
        assert expected in report


def test_its_release_is_reproduced_and_imported_and_both_have_the_same_table(release: Path, tmp_path: Path) -> None:
    from_files = done("report", "reproduce", "pets", release, "--json")
    cells = {cell["row"]: cell for cell in from_files.json()}
    assert (cells["kennel-1"]["ours"], cells["kennel-1"]["published"], cells["kennel-1"]["verdict"]) == (
        0.75,
        0.75,
        "exact",
    )
    assert "please cite Doe (2026)" in from_files.err
    imported = done("import", "release", "pets", release, "--out", tmp_path / "run")
    assert imported.out.startswith("5 images and 5 readings added; see: subitize report tables ")
    assert done("import", "release", "pets", release, "--out", tmp_path / "run").out.startswith(
        "0 images and 0 readings added, 5 readings there already"
    )
    assert done("report", "tables", tmp_path / "run", "--paper", "pets", "--json").out == from_files.out
    without = call("report", "tables", tmp_path / "run", "--paper", "pets", "--claims")
    assert (without.code, without.err.count("\n")) == (2, 1)
    assert "this paper's conclusions are not computed" in without.err
    assert "0.750 [0.301, 0.954] = (0.75)" in done("report", "tables", tmp_path / "run", "--paper", "pets").out


def test_its_rule_reads_answers_as_the_paper_does(release: Path, tmp_path: Path) -> None:
    done("import", "release", "pets", release, "--out", tmp_path / "run")
    rows = done("score", tmp_path / "run", "--rule", "pets", "--json").json()
    discarded = done("score", tmp_path / "run", "--rule", "strict", "--json").json()
    assert _accuracy(rows) == (0.75, 4)
    assert _accuracy(discarded) == (0.5, 4)  # "a brace" is no number


def _accuracy(rows: list[dict[str, object]]) -> tuple[object, object]:
    (row,) = (row for row in rows if (row["model"], row["measure"], row["group"]) == ("kennel-1", "accuracy", "all"))
    return row["value"], row["n"]


def test_its_layout_is_found_from_the_names_and_its_images_are_attached(release: Path, tmp_path: Path) -> None:
    images = tmp_path / "kennel-1"
    images.mkdir()
    for animal, number in (("dog", 1), ("dog", 2)):
        (images / f"pet-{animal}-{number}-0.png").write_bytes(render(Stimulus("dots", number, 1, 128)).png)
    command = ["run", "pets:animals=dog,numbers=1-2", "--repeats", 1, "--judge", "none", "--out", tmp_path / "a"]
    taken = done(*command, "--model", f"folder:{images}")
    assert "layout pets: 2 of 2 images found" in taken.out
    done("import", "release", "pets", release, "--out", tmp_path / "b")
    assert "kennel-1: 2 of 4 images attached (by names)" in done("import", "attachments", tmp_path / "b", tmp_path).out


def test_a_wrong_line_of_its_release_is_named_and_leaves_no_run(release: Path, tmp_path: Path) -> None:
    (release / "answers.csv").write_text(ANSWERS.replace("cat,3", "cow,3"), encoding="utf-8")
    finished = call("import", "release", "pets", release, "--out", tmp_path / "run")
    assert (finished.code, finished.err.count("\n")) == (2, 1)
    assert "answers.csv line 5: no item of pets asks for 3 of 'cow'" in finished.err
    assert not (tmp_path / "run").exists()


def test_a_broken_paper_is_named_where_papers_are_listed() -> None:
    found = {one["name"]: one["summary"] for one in done("list", "papers", "--json").json()}
    assert found["exploding"] == "paper 'exploding' (exploding:PAPER) cannot be loaded: boom"
    assert found["number"] == "paper 'number' (odd_papers:NUMBER) should be a Paper, not 7"
    assert found["half"].startswith("Roe, R. (2026). Half a paper.; exploding.release cannot be loaded: boom")
    assert found["numbersense"].startswith("Testolin, A.")


def test_all_that_a_listed_paper_names_and_is_not_there_is_told() -> None:
    (told,) = (one["summary"] for one in done("list", "papers", "--json").json() if one["name"] == "empty")
    by_itself = {"package", "title", "references", "parts", "picture_suites", "judged_by", "thresholds", "kappas"}
    names = [one.name for one in fields(Paper) if one.name not in by_itself]
    assert re.findall(r"odd_papers:NO\.(\w+) cannot be loaded", told) == names
    assert re.findall(r"odd_papers\.(\w+) cannot be loaded", told) == list(get_args(Part))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "reproduce", "exploding"], "paper 'exploding' (exploding:PAPER) cannot be loaded: boom"),
        (["report", "reproduce", "half"], "exploding.reproduction cannot be loaded: boom"),
        (
            ["import", "release", "number", ".", "--out", "run"],
            "paper 'number' (odd_papers:NUMBER) should be a Paper, not 7",
        ),
        (["import", "release", "half", ".", "--out", "run"], "exploding.release cannot be loaded: boom"),
        (["run", "half", "--model", "painter", "--out", "run"], "suite 'half' (exploding:PART) cannot be loaded: boom"),
        (
            ["import", "release", "t2icountbench", ".", "--out", "run"],
            "t2icountbench cannot be imported; those that can: ",
        ),
        (["score", "run", "--rule", "half"], "exploding:PART cannot be loaded: boom"),
    ],
)
def test_a_broken_paper_that_is_asked_for_is_told_in_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    finished = call(*arguments)
    assert (finished.code, finished.err.count("\n")) == (2, 1)
    assert message in finished.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_broken_papers_break_no_other_command(tmp_path: Path) -> None:
    run, images = tmp_path / "run", tmp_path / "images"
    images.mkdir()
    (images / "apples_2_0.png").write_bytes(render(Stimulus("apples", 2, 1, 128)).png)
    suite = "production:numbers=2,categories=apples"
    done("run", suite, "--model", "painter:size_px=128", "--repeats", 1, "--out", run)
    done("run", suite, "--model", f"folder:{images}", "--judge", "observer", "--repeats", 1, "--out", run)
    for command in (
        ["score", run, "--rule", "boxes"],
        ["measure", run],
        ["show", run],
        ["list", "parts"],
        ["list", "suites"],
    ):
        done(*command)
    done("report", "tables", run, "--paper", "numbersense")
    done("report", run, "-o", tmp_path / "report.html")
    unknown = call("score", run, "--rule", "nonsense")
    assert unknown.code == 2
    assert (
        "no rule named 'nonsense'; known: boxes, compared, final, geckonum, pets, strict, total, votes" in unknown.err
    )
