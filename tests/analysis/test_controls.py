"""Answers to the control question are found in a run, by judge, the latest attempt only."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from subitize.analysis.counting import measure_counting
from subitize.analysis.frame import ReadOptions, observe_run, read_frame
from subitize.frame import Frame
from subitize.records import (
    Ask,
    Count,
    Failed,
    Item,
    Known,
    Name,
    Outcome,
    Question,
    Reading,
    Refused,
    Said,
    Scalar,
    Subject,
    Trial,
    Words,
)
from subitize.store import Folder, Run
from tests.analysis.observed import look_at
from tests.samples import MODEL, SUITE, naming_item, response, trial


def control_item(index: int) -> Item:
    factors: dict[str, Scalar] = {"category": "apples", "number": 3, "wording": "control"}
    ask = Ask(Name(), "What does the image represent?", ("apple", "fruit"), is_relevant=False)
    return replace(naming_item(index), id=f"naming/apples/3/{index}/control", asks=(ask,), factors=factors)


CONTROLS = [control_item(index) for index in range(4)]
COUNTED = naming_item()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(SUITE, 0, [COUNTED, *CONTROLS])
        run.add_model(MODEL, is_stand_in=True)
        yield run


def answer(run: Run, of: Trial, outcome: Outcome) -> None:
    with run.lease("model") as lease:
        run.add_responses(lease, [response(of, outcome)])


def say(run: Run, of: Trial, text: str, *, question: Question | None = None, judge: str = "parser") -> None:
    value = Known(text) if question is None else Known(int(text))
    answer(run, of, Said(text))
    with run.lease("judge") as lease:
        run.add_readings(lease, [Reading(Subject((of.id,)), question or Name(), judge, Words(text), "strict@1", value)])


def count(run: Run) -> None:
    """Give the run what enters a score: without that it has nothing to survey."""
    say(run, trial(COUNTED), "3", question=Count("apple"))


def observe_controls(run: Run, reader: ReadOptions | None = None) -> Frame:
    return read_frame(run, reader).whole.filter(~pl.col("is_relevant"))


def test_an_answer_to_the_control_question_is_found_and_scored_apart(run: Run) -> None:
    count(run)
    say(run, trial(CONTROLS[0]), "three apples")
    say(run, trial(CONTROLS[1]), "three balls")
    assert len(observe_run(run, ReadOptions())) == 1
    assert len(observe_controls(run)) == 2
    (found,) = measure_counting({"run": read_frame(run).whole})
    assert found.control is not None
    assert (found.control.value, found.control.n) == (0.5, 2)
    assert found.eligible == 1


def test_the_latest_attempt_counts_and_a_failure_does_not(run: Run) -> None:
    count(run)
    say(run, trial(CONTROLS[0]), "balls")
    say(run, trial(CONTROLS[0], attempt=1), "apples")
    answer(run, trial(CONTROLS[0], attempt=2), Failed("503", True))
    (found,) = look_at(observe_controls(run))
    assert (found.item.id, found.status, found.value) == (CONTROLS[0].id, "eligible", "apples")


def test_a_refusal_stands_for_every_judge_of_the_question(run: Run) -> None:
    count(run)
    say(run, trial(COUNTED, repeat=1), "3", question=Count("apple"), judge="human")
    say(run, trial(CONTROLS[0]), "apples")
    say(run, trial(CONTROLS[1]), "apples", judge="human")
    answer(run, trial(CONTROLS[2]), Refused("no"))
    refused = [(one.judge, one.value) for one in look_at(observe_controls(run)) if one.status == "refused"]
    assert sorted(refused) == [("human", None), ("parser", None)]
    assert observe_controls(run, ReadOptions(judge="human")).rows["judge"].to_list() == ["human", "human"]


def test_a_model_that_refuses_every_control_question_has_none_right(run: Run) -> None:
    count(run)
    for item in CONTROLS:
        answer(run, trial(item), Refused("no"))
    (found,) = measure_counting({"run": read_frame(run).whole})
    assert found.control is not None
    assert (found.judge, found.control.value, found.control.n) == ("parser", 0.0, 4)


def test_an_excluded_control_item_is_marked(run: Run) -> None:
    count(run)
    say(run, trial(CONTROLS[0]), "apples")
    run.exclude(CONTROLS[0].id, "a smudge")
    assert observe_controls(run).rows["is_excluded"].to_list() == [True]


def test_a_run_without_control_items_has_none(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "other"), create=True) as run:
        run.add_suite(SUITE, 0, [COUNTED])
        run.add_model(MODEL, is_stand_in=True)
        count(run)
        assert len(observe_controls(run)) == 0
