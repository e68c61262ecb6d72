"""A judge gets what it may know, answers what it can, and is asked nothing twice."""

from collections import Counter
from pathlib import Path

import pytest

from commands import PLUGINS
from samples import MODEL, SUITE, response
from subitize.records import Ask, Confirm, Count, Draw, Drawn, Failed, Item, Known, Outcome, Refused, Trial, Words
from subitize.registry import make_judge
from subitize.runner import Silent, judge_run
from subitize.store import Folder, Run

PROMPT = "An image with 3 apples"
BLIND = Ask(Count("apple"), "How many apples are in the image?", (3,))
INFORMED = Ask(Confirm("there are 3 apples", is_informed=True), "Are there exactly 3 apples?", (True,))
ITEM = Item("naming/3", Draw(PROMPT), (BLIND, INFORMED), {"number": 3})


@pytest.fixture(autouse=True)
def _odd_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PLUGINS))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run with three pictures, a refusal and a failure."""
    run = Run(Folder(tmp_path / "run"), create=True)
    run.add_suite(SUITE, 0, [ITEM])
    run.add_model(MODEL, is_stand_in=True)
    trials = [Trial(ITEM.id, MODEL.shown, MODEL.options, repeat) for repeat in range(5)]
    pictures = [Drawn(run.images.save(bytes([repeat]), "png")) for repeat in range(3)]
    outcomes: list[Outcome] = [*pictures, Refused("no"), Failed("500", is_transient=True)]
    with run.lease("random") as lease:
        run.add_responses(lease, [response(trial, outcome) for trial, outcome in zip(trials, outcomes, strict=True)])
    return run


def test_the_prompt_comes_with_informed_questions_and_never_with_blind_ones(run: Run) -> None:
    judge_run(run, make_judge("nosy"), Silent())
    seen = Counter((stored.reading.question.id, stored.reading.evidence) for stored in run.readings())
    assert seen == {
        ("count:apple", Words("I know: nothing")): 3,
        ("confirm:there are 3 apples", Words(f"I know: {PROMPT}")): 3,
    }


def test_refusals_and_failures_are_not_judged_and_nothing_is_judged_twice(run: Run) -> None:
    assert judge_run(run, make_judge("nosy"), Silent()).readings == 6
    assert judge_run(run, make_judge("nosy"), Silent()).readings == 0


def test_another_judge_reads_the_same_responses_again(run: Run) -> None:
    judge_run(run, make_judge("nosy"), Silent())
    assert judge_run(run, make_judge("nosy:cannot=count"), Silent()).readings == 3
    assert [entry.name for entry in run.judges()] == ["nosy", "nosy:cannot=count"]


def test_questions_it_cannot_answer_are_counted(run: Run) -> None:
    summary = judge_run(run, make_judge("nosy:cannot=count"), Silent())
    assert (summary.readings, summary.unanswerable) == (3, 3)


def test_a_picture_that_a_judge_chokes_on_does_not_stop_the_others_and_is_looked_at_again(run: Run) -> None:
    summary = judge_run(run, make_judge("nosy:chokes_on=1"), Silent())
    assert (summary.readings, summary.failed) == (4, 2)
    assert summary.reasons == ["ValueError: choked"] * 2
    assert judge_run(run, make_judge("nosy:chokes_on=1"), Silent()).failed == 2


def test_a_bad_picture_is_a_failed_look_of_the_observer(run: Run) -> None:
    summary = judge_run(run, make_judge("observer"), Silent())
    assert (summary.readings, summary.failed, summary.unanswerable) == (0, 3, 3)
    assert all("BadImageError" in reason for reason in summary.reasons)


def test_only_the_named_model_is_judged(run: Run) -> None:
    assert judge_run(run, make_judge("nosy"), Silent(), model="another").readings == 0
    assert judge_run(run, make_judge("nosy"), Silent(), model="random").readings == 6
    assert {stored.reading.value for stored in run.readings()} != {Known(3)}
