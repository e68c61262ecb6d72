"""What people see: whole tables, marks on what is no real model, and nothing that steers their terminal."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.analysis.counting import measure_counting
from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.overview import ItemStory, JudgeProgress, ModelProgress, Names, Overview
from subitize.analysis.score import Score
from subitize.records import Discarded, Estimate, Known, Name, Question, Refused, Said, Spec, Value, Words
from subitize.report import terminal as terminal_
from subitize.report.catalog import listing_result
from subitize.report.listing import Listing
from subitize.report.number_sense import counting_result
from subitize.report.scores import score_result, show_overview, show_story
from subitize.report.terminal import TerminalEvents
from subitize.report.writers import print_result
from subitize.store import StoredReading, StoredResponse, StoredSuite
from tests.report.report_runs import exact, fill, naming_items, new_run
from tests.samples import naming_item, reading, response, trial

ITEM = naming_item()
THREE = Known(3)
EVIL = "3\x1b]0;owned\x07\x1b[2J\x9b31m\r\x08\u202e apples"
NO_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")


def score(
    measure: str = "accuracy_answered",
    *,
    model: str = "random",
    factor: str = "all",
    group: str = "all",
    excluded: int = 0,
    is_informed: bool = False,
    value: float = 0.5,
) -> Score:
    estimate = Estimate(value, 0.25, 0.75, 12, "share, Wilson interval")
    return Score("naming", model, "parser", factor, group, measure, estimate, excluded, is_informed)


def shown(
    capsys: pytest.CaptureFixture[str], scores: Sequence[Score], *, stand_ins: str = "", factors: Sequence[str] = ()
) -> str:
    print_result(score_result(scores, Names(frozenset(stand_ins.split()), frozenset({"observer"})), factors))
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def row(out: str, start: str) -> list[str]:
    (line,) = [line for line in out.splitlines() if start in line]
    return re.split(r" {2,}", line.strip())


def test_a_row_has_each_measure_with_its_interval_and_n(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, [score("accuracy"), score("accuracy_answered"), score("nae"), score("refused")])
    measures = ["accuracy", "accuracy_answered", "nae", "refused"]
    assert row(out, "model") == ["model", "group", *measures, "n"]
    assert row(out, "random") == ["random", "all", *["0.500 [0.250, 0.750]"] * 4, "12 + 6 refused"]
    assert out.startswith("naming, judged by parser\n")
    assert "95 % interval" in out
    assert "accuracy_answered: without refused and discarded answers, which accuracy counts as wrong" in out


def test_each_suite_has_a_table_and_judges_are_a_column_where_there_are_several(
    capsys: pytest.CaptureFixture[str],
) -> None:
    judged = [replace(score("accuracy"), suite="production", judge=judge) for judge in ("human", "observer")]
    out = shown(capsys, [score("accuracy"), *judged])
    named, drawn = out.split("\nproduction\n")
    assert named.startswith("naming, judged by parser\n")
    assert row(named, "model") == ["model", "group", "accuracy", "n"]
    assert row(drawn, "judge ") == ["model", "judge", "group", "accuracy", "n"]
    assert row(drawn, "human")[:3] == ["random", "human", "all"]


def test_protocols_are_numbered_where_they_differ_and_no_hash_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    scores, nobody = [score("accuracy"), score("accuracy", model="painter")], Names(frozenset(), frozenset())
    places = [("naming", model, "parser") for model in ("random", "painter")]
    print_result(score_result(scores, nobody, [], dict.fromkeys(places, "0123abcd")))
    alike = capsys.readouterr().out
    assert alike.startswith("naming, judged by parser\n")
    assert "protocol" not in alike
    print_result(score_result(scores, nobody, [], dict(zip(places, ("0123abcd", "4567ef01"), strict=True))))
    out = capsys.readouterr().out
    assert row(out, "painter")[:3] == ["painter", "all", "2"]
    assert "only rows with the same number may be compared" in out
    assert "4567" not in alike + out


def test_a_protocol_is_no_column_where_the_judge_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    scores = [score("accuracy"), replace(score("accuracy"), judge="human")]
    protocols = {("naming", "random", "parser"): "0123abcd", ("naming", "random", "human"): "4567ef01"}
    print_result(score_result(scores, Names(), [], protocols))
    assert row(capsys.readouterr().out, "model") == ["model", "judge", "group", "accuracy", "n"]


def test_sizes_are_a_column_where_one_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    scores, nobody = [score("accuracy"), score("accuracy", model="vilt")], Names(frozenset(), frozenset())
    print_result(score_result(scores, nobody, [], {}, {"vilt": 87_400_000}))
    out = capsys.readouterr().out
    assert row(out, "vilt")[:3] == ["vilt", "0.0874", "all"]
    assert row(out, "random")[:2] == ["random", "all"]
    assert "size: billions of parameters" in out
    print_result(score_result(scores, nobody, [], {}, {}))
    assert "size" not in capsys.readouterr().out


def test_columns_that_would_say_nothing_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = [score("refused", value=0.0), score("discarded", value=0.0)]
    out = shown(capsys, [score("accuracy"), score("accuracy_answered"), *quiet])
    assert row(out, "model") == ["model", "group", "accuracy", "n"]
    assert "refusals" not in out
    assert "discarded" not in out


def test_informed_figures_and_stand_in_judges_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, [score("accuracy", is_informed=True)])
    assert "judged by parser †" in out
    assert "† informed: the judge knew what was asked for" in out
    out = shown(capsys, [replace(score("accuracy"), judge="observer")])
    assert "judged by observer *" in out
    assert "* an embedded stand-in, not a real model or judge" in out


def test_a_measure_that_one_model_lacks_is_an_empty_cell(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, [score("accuracy"), score("accuracy_answered"), score("accuracy", model="refusing")])
    assert row(out, "refusing") == ["refusing", "all", "0.500 [0.250, 0.750]", "0"]


@pytest.mark.parametrize(
    ("stand_ins", "mark"), [("random", "random *"), ("other", "random"), ("", "random")], ids=["it", "another", "none"]
)
def test_a_stand_in_is_marked_and_the_mark_explained(
    capsys: pytest.CaptureFixture[str], stand_ins: str, mark: str
) -> None:
    out = shown(capsys, [score()], stand_ins=stand_ins)
    assert row(out, "random")[0] == mark
    assert ("* an embedded stand-in, not a real model" in out) is mark.endswith("*")


@pytest.mark.parametrize(("excluded", "n"), [(0, "12"), (3, "12 (3 excluded)")])
def test_what_was_excluded_by_hand_is_counted_beside_n(
    capsys: pytest.CaptureFixture[str], excluded: int, n: str
) -> None:
    assert row(shown(capsys, [score(excluded=excluded)]), "random")[-1] == n


def test_groups_are_shown_for_the_chosen_factors_alone(capsys: pytest.CaptureFixture[str]) -> None:
    scores = [score(), *(score(factor=f, group=g) for f, g in [("category", "dots"), ("number", "7"), ("key", "k9")])]
    out = shown(capsys, scores, factors=["category", "number"])
    assert [row(out, name)[1] for name in ("dots", "number=7")] == ["dots", "number=7"]
    assert "k9" not in out


@pytest.mark.parametrize("model", ["openai:[bold]gpt[/bold]", "folder:/a[/]b", ":smile:", "[link=http://x]y", "a\\[b"])
def test_a_name_with_brackets_is_a_name_and_no_markup(capsys: pytest.CaptureFixture[str], model: str) -> None:
    assert row(shown(capsys, [score(model=model)]), " all ")[0] == model


def test_a_long_name_does_not_break_the_lines_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    model = "folder:" + "/very/long/path" * 30
    out = shown(
        capsys, [score(measure, model=model) for measure in ("accuracy", "accuracy_answered", "mae", "refused")]
    )
    assert row(out, model) == [model, "all", *["0.500 [0.250, 0.750]"] * 4, "12 + 6 refused"]
    assert all(line == line.rstrip() or len(line) < 700 for line in out.splitlines())


def test_an_unbounded_interval_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    lone = replace(score("mae"), estimate=Estimate(1.0, 0.0, float("inf"), 1, "mean"))
    assert "1.000 [0.000, ∞]" in shown(capsys, [lone])


@pytest.mark.slow
def test_each_set_of_numbers_has_its_own_exact_observers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    observed = {}
    for name, most in (("a", 6), ("b", 3)):
        items = [item for item in naming_items() if int(item.factors["number"]) <= most]
        with new_run(tmp_path / name, "naming", items) as run:
            fill(run, items, Spec("sure", {}, "sure"), exact)
            observed[name] = observe_run(run, ReadOptions())
    nobody = Names(frozenset(), frozenset())
    print_result(counting_result(measure_counting({"a": observed["a"]}), nobody))
    assert "(ideal human, exact)" in capsys.readouterr().out
    print_result(counting_result(measure_counting(observed), nobody))
    out = capsys.readouterr().out
    assert [out.count(f"({name}, {n}, exact)") for name in ("ideal human", "random") for n in ("1–3", "1–6")] == [1] * 4


OVERVIEW = Overview(
    [StoredSuite("naming", "naming:images=3", 5)],
    {"naming": 60},
    [
        ModelProgress("naming", "random", True, {"said": 58, "failed": 2}, ()),
        ModelProgress("naming", "openai:[x]", False, {"said": 60}, ("http://here/v1",)),
    ],
    [JudgeProgress("human", False, 3, 90, 4, ())],
    {"naming/apples/3/0/category": "a smudge [sic]"},
)


def test_an_overview_shows_progress_judges_and_exclusions(capsys: pytest.CaptureFixture[str]) -> None:
    stand_ins = Names(frozenset({"random"}), model_names={"openai:[x]": "a [bold]"})
    print_result(show_overview(OVERVIEW, stand_ins, {}))
    out = capsys.readouterr().out
    assert "suite naming:images=3: 60 items, seed 5\n" in out
    assert row(out, "random") == ["naming", "random *", "60", "2 failed, 58 said"]
    assert row(out, "openai") == ["naming", "a [bold]", "60", "60 said", "openai:[x]", "http://here/v1"]
    assert row(out, "human") == ["human", "3", "90", "4"]
    assert "* an embedded stand-in, not a real model" in out
    assert "excluded: naming/apples/3/0/category (a smudge [sic])\n" in out


def test_an_empty_overview_shows_no_empty_tables(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(show_overview(Overview([StoredSuite("naming", "naming", 0)], {}, [], [], {}), Names(), {}))
    assert capsys.readouterr().out == "suite naming: 0 items, seed 0\n"


def story(
    text: str = "3", value: Value = THREE, *, excluded: str | None = None, question: Question | None = None
) -> ItemStory:
    one = trial(ITEM, repeat=1)
    read = replace(reading(one, "3", annotator="ada", question=question), evidence=Words(text), value=value)
    responses = [
        StoredResponse(one.id, response(one, Said(text)), 0.0),
        StoredResponse("b", response(one, Refused(text)), 0.0),
    ]
    return ItemStory(ITEM, excluded, responses, [StoredReading(8, read, 0.0)])


def test_a_story_tells_the_task_the_asks_the_responses_and_the_readings(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(show_story(story(excluded="a smudge"), Names()))
    assert capsys.readouterr().out.splitlines() == [
        f"item {ITEM.id}",
        "task answer: How many apples are there in the picture?",
        "excluded: a smudge",
        "question count:apple: How many apples are there in the picture? Right: 3",
        "random, repeat 1: said '3'",
        "random, repeat 1: refused, 3",
        "reading 8 by human ada of random, repeat 1: count:apple = 3 (strict@1)",
    ]


def test_a_discarded_reading_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(show_story(story(value=Discarded("a few")), Names()))
    assert "count:apple = discarded, a few (strict@1)" in capsys.readouterr().out


@pytest.mark.parametrize("value", [Known(EVIL), Discarded(EVIL)], ids=["value", "reason"])
def test_what_a_model_wrote_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str], value: Value) -> None:
    print_result(show_story(story(EVIL, value, excluded=EVIL, question=Name()), Names()))
    out = capsys.readouterr().out
    assert not NO_CONTROL.search(out)
    assert r"\x1b]0;owned\x07" in out
    assert len(out.splitlines()) == 7, "a newline cannot fake a line of ours"


def test_a_newline_in_an_answer_cannot_fake_a_line_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(
        show_story(story(value=Known("3\nreading 9 of x by human ada: count:apple = 7"), question=Name()), Names())
    )
    assert not any(line.startswith("reading 9") for line in capsys.readouterr().out.splitlines())


def test_tables_and_overviews_hold_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(
        score_result([score(model=EVIL, factor="category", group=EVIL)], Names(frozenset(), frozenset()), ["category"])
    )
    judges = [JudgeProgress(EVIL, False, 1, 1, 0, ())]
    print_result(show_overview(replace(OVERVIEW, exclusions={"a": EVIL}, judges=judges), Names(), {}))
    assert not NO_CONTROL.search(capsys.readouterr().out)


def test_a_listing_shows_the_target_and_where_options_are_described(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(
        listing_result([Listing("folder", "Take [old] images.", "path", {"a": "1"}), Listing("p", "Q.", None, {})])
    )
    out = capsys.readouterr().out
    lines = [re.split(r" {2,}", line.strip()) for line in out.splitlines()]
    assert ["folder:PATH", "Take [old] images."] in lines
    assert ["p", "Q."] in lines
    assert "subitize list NAME" in out


def test_a_bar_prints_nothing_where_nobody_watches_and_work_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalEvents() as events:
        for what in ("naming × random", "[red]judging[/]"):
            events.begin(what, 3)
            for _ in range(3):
                events.advance()
        events.begin("nothing", 0)
    assert capsys.readouterr() == ("", "")


def test_long_work_tells_its_progress_on_stderr_in_plain_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal_, "_LINE_EVERY_SECONDS", 0.0)
    with TerminalEvents() as events:
        events.begin(f"[red]{EVIL}", 3)
        events.advance(has_failed=True)
        events.advance()
    captured = capsys.readouterr()
    assert captured.out == ""
    first, second = captured.err.splitlines()
    assert first.startswith("[red]")
    assert re.search(r": 1/3, [\d.]+/s, 1 errors, \d+ s left$", first)
    assert re.search(r": 2/3, [\d.]+/s, 1 errors, \d+ s left$", second)
    assert not NO_CONTROL.search(captured.err)


def test_results_go_to_stdout_and_warnings_to_stderr_under_our_name(capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalEvents() as events:
        events.say("one", "two")
        events.warn("three", "four")
    assert capsys.readouterr() == ("one\ntwo\n", "subitize: three\nsubitize: four\n")


def _break_off() -> None:
    with TerminalEvents() as events:
        events.begin("work", 2)
        events.advance()
        raise KeyboardInterrupt


def test_work_that_breaks_off_leaves_nothing_that_disturbs_the_next_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        _break_off()
    with TerminalEvents() as again:
        again.begin("work", 1)
        again.advance()
    assert capsys.readouterr() == ("", "")


def test_results_leave_the_terminal_alone_while_a_bar_is_live(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    code = (
        "from subitize.report.terminal import TerminalEvents\n"
        "with TerminalEvents() as events:\n"
        "    events.begin('pictures', 2)\n"
        "    print('report.html', flush=True)\n"
        "    events.advance()\n"
    )
    ours, theirs = pty.openpty()
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    os.close(ours)
    assert done.stdout == b"report.html\n"
