"""T2ICountBench on the command line: the check of its printed figures, and the tables of a run."""

from pathlib import Path

import pytest

from subitize.records import Provenance, Refused, Response, Trial
from subitize.registry import make_suite
from subitize.store import Folder, Run
from tests.commands import call
from tests.report.report_runs import refined


def test_reproduce_needs_no_folder_and_lists_what_does_not_add_up() -> None:
    done = call("report", "reproduce", "t2icountbench")
    assert done.code == 0, done.err
    for part in ("Star-3 Alpha", "by rounding", "half way", "does not agree", "original − position"):
        assert part in done.out


def test_reproduce_prints_json() -> None:
    found = call("report", "reproduce", "t2icountbench", "--json").json()
    assert call("report", "reproduce", "t2icountbench", "--claims", "--json").json() == found["statements"]
    assert call("report", "reproduce", "t2icountbench").out.count("4.1 holds") == 1
    assert {"citation", "means", "text", "statements"} == found.keys()
    assert len(found["means"]) == 37


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "reproduce", "geckonum"], "geckonum needs its release: subitize report reproduce geckonum DIR"),
        (["report", "reproduce", "t2icountbench", "folder"], "nothing was released"),
        (["report", "reproduce", "t2icountbench", "--extensions"], "--extensions needs images that were judged"),
        (["report", "tables", "run", "--paper", "t2icountbench"], "run is not a run"),
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


def test_a_run_of_something_else_is_told(tmp_path: Path) -> None:
    refined(tmp_path / "run", "production:numbers=1-2,categories=dots", repeats=1).close()
    done = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench")
    assert done.code == 2
    assert "has no items of t2icountbench" in done.err


@pytest.mark.slow
def test_the_tables_of_a_small_run(tmp_path: Path) -> None:
    suite = "t2icountbench:numbers=1+3,objects=apple+cat"
    model = "painter:size_px=256,weber=0.3"
    done = call("run", suite, "--model", model, "--refine", "grid", "--out", tmp_path / "run")
    assert done.code == 0, done.err
    printed = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench", "--extensions")
    assert printed.code == 0, printed.err
    for part in (
        "Table 2",
        "Imagen-3 (paper)",
        "Figure 5",
        "Table 3",
        "unrefined",
        "numbers drawn",
        "above",
        "undecided",
    ):
        assert part in printed.out
    assert "judges differ" in printed.err
    assert "505 of the 525 published prompts" in printed.err
    found = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench", "--extensions", "--json").json()
    assert found["k"] == 4
    assert {one["id"] for one in found["statements"]} == {"4.1", "4.2", "5.1", "C.1", "C.2", "C.3"}
    assert {one["refinement"] for one in found["beyond"]["refinements"]} == {"grid"}


@pytest.mark.slow
def test_tables_of_peoples_votes_on_groups_have_kappa_and_no_single_images(tmp_path: Path) -> None:
    suite = "t2icountbench:numbers=1+3,objects=apple+cat,scenes=home,styles=plain"
    model = "painter:size_px=256"
    assert call("run", suite, "--model", model, "--out", tmp_path / "run").code == 0
    lines = ["annotator,model,item,vote"]
    for place, (thing, number) in enumerate((thing, number) for thing in ("apple", "cat") for number in (1, 3)):
        for person in range(3):
            vote = "success" if person < place else "failure"
            lines.append(f'{person},"{model}",t2icountbench/{thing}/home/plain/{number},{vote}')
    (tmp_path / "votes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = call("import", "votes", tmp_path / "votes.csv", "--run", tmp_path / "run")
    assert done.code == 0, done.err
    several = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench")
    assert several.code == 2
    assert "has several judges: human, observer; name one with --judge" in several.err
    found = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench", "--judge", "human", "--json").json()
    averages = [cell["value"] for cell in found["cells"] if cell["table"] == "table2" and cell["column"] == "average"]
    assert [one["value"] for one in averages if isinstance(one, dict)] == [0.5]
    assert found["placements"] == []
    printed = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench", "--judge", "human", "--extensions")
    assert "numbers drawn" not in printed.out
    assert "not placed among the fifteen" in printed.err
    assert "over 4 groups" in found["statements"][-1]["sentence"]
    assert all(cell["per_image"] is None for cell in found["cells"])


def write_votes(path: Path, votes: list[str]) -> None:
    path.write_text("\n".join(["annotator,model,item,vote", *votes]) + "\n", encoding="utf-8")


def test_ties_are_counted_and_where_all_are_tied_it_is_said(tmp_path: Path) -> None:
    suite = "t2icountbench:numbers=1+3,objects=apple,scenes=home,styles=plain"
    one, three = (f"glm,t2icountbench/apple/home/plain/{number}" for number in (1, 3))
    write_votes(tmp_path / "tied.csv", [f"ann,{one},yes", f"ben,{one},no"])
    call("import", "votes", tmp_path / "tied.csv", "--run", tmp_path / "run", "--suite", suite)
    done = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench")
    assert done.code == 2
    assert "has no prompt of t2icountbench that is decided: 1 undecided, as their votes are tied" in done.err
    write_votes(tmp_path / "more.csv", [f"ann,{three},yes", f"ben,{three},yes"])
    call("import", "votes", tmp_path / "more.csv", "--run", tmp_path / "run", "--suite", suite)
    done = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench")
    assert done.code == 0, done.err
    assert "glm: 1 prompt is undecided: votes are tied" in done.err
    assert "523 of the 525 published prompts" in done.err
    call("show", tmp_path / "run", "--exclude", "t2icountbench/apple/home/plain/1", "--reason", "misprinted")
    done = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench")
    assert "1 prompt is excluded by hand" in done.err
    assert "523 of the 525 published prompts" in done.err


@pytest.mark.slow
def test_a_refinement_of_which_all_was_refused_has_the_judge_of_the_rest(tmp_path: Path) -> None:
    suite = "t2icountbench:numbers=2-3,objects=apple,scenes=home,styles=plain"
    model = "painter:size_px=256"
    assert call("run", suite, "--model", model, "--out", tmp_path / "run").code == 0
    grid = make_suite(suite.replace("t2icountbench", "t2icountbench~grid"))
    items = list(grid.obj.items(0))
    with Run(Folder(tmp_path / "run")) as run:
        run.add_suite(grid.spec, 0, items)
        trials = [Trial(item.id, model, {}, repeat) for item in items for repeat in range(4)]
        with run.lease("model") as lease:
            run.add_responses(lease, [Response(one, Refused("no"), Provenance(0, "p")) for one in trials])
    done = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench", "--json")
    assert done.code == 0, done.err
    assert done.json()["judge"] == "observer"
    cells = [cell for cell in done.json()["cells"] if cell["column"] == "grid" and isinstance(cell["value"], dict)]
    assert {cell["value"]["value"] for cell in cells} == {0}
    rows = call("compare", tmp_path / "run", "--refined", "--json").json()
    assert {(row["refinement"], row["judge"], row["pairing"]["difference"]["n"]) for row in rows} == {
        ("grid", "observer", 2)
    }
    passes = call("score", tmp_path / "run", "--pass-at-k")
    assert "‡" not in passes.out
    assert "†" not in passes.out


@pytest.mark.slow
def test_a_painter_without_slips_is_above_all_and_a_poor_one_below_it(tmp_path: Path) -> None:
    suite = "t2icountbench:numbers=2+7+12,objects=apple+cat+triangle,scenes=home,styles=plain"
    models = [f"painter:size_px=256{slips}" for slips in ("", ",weber=0.1", ",weber=0.3")]
    chosen = [part for model in models for part in ("--model", model)]
    assert call("run", suite, *chosen, "--out", tmp_path / "run").code == 0
    found = call("report", "tables", tmp_path / "run", "--paper", "t2icountbench", "--json").json()
    rows = [cell["value"] for cell in found["cells"] if cell["table"] == "table2" and cell["column"] == "average"]
    averages = [one["value"] for one in rows if isinstance(one, dict)]
    assert averages == sorted(averages)
    assert averages[-1] > 0.9
