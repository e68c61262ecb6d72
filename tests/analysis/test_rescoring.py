"""Replies by others' rules beside our own reading: both figures, and the reason for each difference."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from subitize.analysis.rescoring import REASONS, find_reason, rescore_run
from subitize.analysis.scorers import SCORERS, ScoredReply
from subitize.errors import NothingToDoError
from subitize.imports.outputs.importing import import_outputs
from subitize.records import Ask, Count, Fit, Known, Question, Reading, Scalar, Spec, Subject, Words
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.judges.drawn_prompts import EXACT, item, new_run, store
from tests.samples import trial

# Scorer, reply, right count, whether our reading is right, and the reason why they differ.
DIFFERENT = [
    ("lmms-eval:countbench", "There are 4.", 4, True, "sentence"),
    ("lmms-eval:countbench", "**4**", 4, True, "punctuation"),
    ("lmms-eval:countbenchqa", "four", 4, True, "number word"),
    ("lmms-eval:pixmo_count", "row 1 has 3, so 7 in total", 7, True, "first integer"),
    ("lmms-eval:pixmo_count", "row 1 has 3, so 7 in total", 1, False, "first integer"),
    ("lmms-eval:pixmo_count", "<think>maybe 3</think>4", 4, True, "reasoning"),
    ("vlmevalkit:countbenchqa", "12", 2, False, "substring"),
    ("vlmevalkit:countbenchqa", "3 or 4", 3, False, "no one count"),
    ("vlmevalkit:tallyqa", "There are 25 birds.", 25, True, "larger than 20"),
    ("evalscope:count_qa-relaxed", "98", 100, False, "near miss"),
    ("molmo:point-count-within-1", "5", 4, False, "near miss"),
]


def test_each_difference_has_its_reason(case: Case) -> None:
    for name, text, expected, is_right, reason in DIFFERENT:
        with case(f"{name} {text!r}"):
            scorer, reply = SCORERS[name], ScoredReply(text, expected)
            credit = scorer.credit(reply)
            assert credit == float(not is_right)
            assert find_reason(reply, credit, scorer, is_right=is_right) == reason
            assert reason in REASONS


def test_a_recorded_score_has_reasons_too() -> None:
    assert find_reason(ScoredReply("25", 25), 0.0, is_right=True) == "larger than 20"
    assert find_reason(ScoredReply("4", 4), 0.0, is_right=True) == "other"
    assert find_reason(ScoredReply("4", 4), 0.5, is_right=True) == "part of the credit"


@pytest.fixture
def run_path(tmp_path: Path) -> Path:
    rows = ["index\tquestion\tanswer\ttask\tprediction"]
    rows += [f"{n}\tHow many squares?\t{n}\tsquares\t{n}" for n in range(2, 8)]
    rows += [f"{n}\tHow many crossings?\t{n}\tlines\t{n}{n}" for n in range(10, 14)]
    (tmp_path / "llava_Blind.tsv").write_text("\n".join(rows), encoding="utf-8")
    import_outputs(Folder(tmp_path / "run"), tmp_path / "llava_Blind.tsv")
    return tmp_path / "run"


def test_any_run_of_replies_can_be_scored_by_all_published_rules(run_path: Path) -> None:
    with Run(Folder(run_path)) as run:
        found = {one.scorer: one for one in rescore_run(run)}
        assert found["vlmevalkit:countbenchqa"].theirs.value == 1.0
        assert found["vlmevalkit:countbenchqa"].ours.value == 0.6
        assert found["vlmevalkit:countbenchqa"].different == 4
        assert found["lmms-eval:vlmsareblind"].theirs.value == 0.6
        assert found["lmms-eval:vlmsareblind"].their_average == 1.0  # the task with nothing right is left out
        assert not {"tallyqacode", "geneval2:first-token"} & set(found)  # they have nothing to go by
        with pytest.raises(NothingToDoError, match="nothing that tallyqacode can score"):
            rescore_run(run, ["tallyqacode"])


def _add_readings(run: Run, judge: str, question: Question, values: Mapping[str, Scalar]) -> None:
    run.add_judge(Spec(judge, {}, judge), is_stand_in=False)
    with run.lease("judge") as lease:
        run.add_readings(
            lease,
            [
                Reading(Subject((trial_id,)), question, judge, Words(""), "strict@2", Known(value))
                for trial_id, value in values.items()
            ],
        )


def test_a_recorded_score_that_is_no_finite_number_is_left_out(run_path: Path) -> None:
    with Run(Folder(run_path)) as run:
        first, *others = (one.trial_id for one in run.responses())
        _add_readings(run, "lmms-eval", Fit("exact"), {first: 10**400, **dict.fromkeys(others, 1.0)})
        (found,) = rescore_run(run)
        assert (found.scorer, found.theirs.value, found.theirs.n, found.left_out) == ("lmms-eval: exact", 1.0, 9, 1)


def test_a_number_larger_than_any_float_is_a_surplus(tmp_path: Path) -> None:
    asks = [Ask(Count("apple"), "", (3,))]
    with new_run(tmp_path / "run", [item(0, "three apples", asks), item(1, "3 apples", asks)]) as run:
        trials = [trial(one, model=EXACT) for one in run.items()]
        store(run, [(one, b"") for one in trials])
        _add_readings(run, "counter", Count("apple"), {trials[0].id: 3, trials[1].id: 10**400})
        (found,) = rescore_run(run, ["t2i-compbench:numeracy"])
        assert (found.theirs.value, found.ours.value) == (0.75, 0.5)


def test_the_command_lists_the_scorers_and_refuses_unknown_ones(run_path: Path) -> None:
    assert "vlmevalkit:countbenchqa" in call("list", "scorers").out
    assert "no scorer named 'x'" in call("score", run_path, "--scorer", "x").err
    done = call("score", run_path, "--scorer", "lmms-eval:vlmsareblind")
    assert "Their average: As they print it: the mean of tasks, without those with nothing right." in done.out
    assert "1.000" in done.out
    assert "all are read alike" in done.out
