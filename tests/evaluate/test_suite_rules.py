"""By which rule the answers to a suite are read, and what is said where a rule discards many."""

import os
from pathlib import Path

import pytest

from subitize.store import Folder, Run
from subitize.store.rows import list_sources
from tests.commands import PLUGINS, Finished, call

NAMING = "naming:categories=dots,numbers=1-5,images=2,wordings=things,control_question=false,size_px=128,max_attempts=1"


@pytest.fixture(autouse=True)
def _chatty(odd_models: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outside package with suites of no paper is installed."""
    monkeypatch.syspath_prepend(str(PLUGINS / "chatty"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (PLUGINS / "chatty", PLUGINS))))


def run(suite: str, out: Path, *options: object) -> Finished:
    finished = call("run", suite, "--model", "thinker", "--out", out, *options)
    assert finished.code == 0, finished.err
    return finished


def rules_in(folder: Path) -> list[str]:
    with Run(Folder(folder)) as opened:
        return [one.rule for one in list_sources(opened)]


@pytest.mark.parametrize(
    ("suite", "judge", "rule"),
    [
        ("tally", "parser", "final@2"),
        ("tally-total", "parser", "total@2"),
        ("tally-judge", "parser", "strict@2"),
        ("tally", "parser:policy=strict", "strict@2"),
        ("tally", "parser:policy=total", "total@2"),
        (NAMING, "parser", "strict@2"),
    ],
    ids=["no paper", "its own", "the judge's", "strict by name", "total by name", "a paper's"],
)
def test_the_rule_is_the_suite_s_unless_the_judge_is_given_one(
    suite: str, judge: str, rule: str, tmp_path: Path
) -> None:
    run(suite, tmp_path / "run", "--judge", judge)
    assert rules_in(tmp_path / "run") == [rule]


def test_judging_later_reads_by_the_same_rule(tmp_path: Path) -> None:
    run("tally", tmp_path / "run", "--judge", "none")
    assert call("judge", tmp_path / "run", "--judge", "parser").code == 0
    assert rules_in(tmp_path / "run") == ["final@2"]


def test_a_rule_named_when_judging_holds(tmp_path: Path) -> None:
    run("tally", tmp_path / "run", "--judge", "none")
    assert call("judge", tmp_path / "run", "--judge", "parser", "--rule", "total").code == 0
    assert rules_in(tmp_path / "run") == ["total@2"]


def test_what_was_begun_by_the_judge_s_own_rule_goes_on_so(tmp_path: Path) -> None:
    run("tally", tmp_path / "run", "--judge", "parser:policy=strict", "--limit", 3)
    run("tally", tmp_path / "run")
    run("tally-judge", tmp_path / "run")
    run("tally-total", tmp_path / "run")
    assert rules_in(tmp_path / "run") == ["strict@2", "total@2"]


def test_a_judge_of_boxes_is_not_asked_to_read_words(tmp_path: Path) -> None:
    run("tally", tmp_path / "run", "--judge", "none")
    judged = call("judge", tmp_path / "run", "--judge", "observer")
    assert "observer: 0 new readings, 10 questions it cannot answer" in judged.out


@pytest.mark.slow
def test_where_many_answers_are_discarded_the_rule_that_reads_them_is_named(tmp_path: Path) -> None:
    out = tmp_path / "run"
    advice = f"10 of 10 answers were discarded by strict; final reads 10 of them: subitize score {out} --rule final\n"
    assert advice in run(NAMING, out).out
    assert advice in call("score", out).out
    assert "were discarded" not in call("score", out, "--rule", "final").out
    found = call("score", out, "--rule", "final", "--json").json()
    assert next(one["value"] for one in found if one["measure"] == "accuracy") == pytest.approx(0.2)


def test_a_judge_is_named_where_there_are_several(tmp_path: Path) -> None:
    run(NAMING, tmp_path / "run")
    assert call("judge", tmp_path / "run", "--judge", "parser:policy=final").code == 0
    assert f"subitize score {tmp_path / 'run'} --judge parser --rule final\n" in call("score", tmp_path / "run").out


def test_a_tenth_is_not_many(tmp_path: Path) -> None:
    assert "were discarded" not in run("tally", tmp_path / "run").out
    with Run(Folder(tmp_path / "run")) as opened:
        assert sum(reading.reading.value.kind == "discarded" for reading in opened.readings()) == 1


@pytest.mark.parametrize("rule", ["strict", "total", "final"])
def test_reasoning_that_is_marked_is_no_part_of_an_answer_for_any_rule(rule: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    judge = ("--judge", f"parser:policy={rule}", "--no-sight-check")
    assert call("run", NAMING, "--model", "reasoner", "--out", out, *judge).code == 0
    rows = call("score", out, "--json").json()
    assert [row["value"] for row in rows if (row["measure"], row["group"]) == ("accuracy", "all")] == [1]
    with Run(Folder(out)) as opened:
        assert all("<think>" in stored.response.outcome.text for stored in opened.responses())  # type: ignore[union-attr]


def test_where_a_rule_discards_what_final_reads_every_figure_says_so_of_that_model(tmp_path: Path) -> None:
    out, page = tmp_path / "run", tmp_path / "report.html"
    models = ("--model", "reasoner", "--model", "talker")
    assert call("run", NAMING, *models, "--out", out, "--no-sight-check").code == 0
    line = "talker: 10 of 10 answers in naming are discarded, of which final reads 10 of 10"
    assert line in call("score", out).out
    assert line in call("compare", out).out
    assert "reasoner: " not in call("score", out).out
    assert call("report", out, "-o", page).code == 0
    assert line in page.read_text(encoding="utf-8")
    for command in ("score", "compare"):
        assert line not in call(command, out, "--rule", "final").out
