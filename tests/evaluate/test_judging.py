"""A judge gets what it may know, answers what it can, and is asked nothing twice."""

from collections import Counter
from pathlib import Path

import pytest

from subitize.analysis.design import with_units
from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.protocols import read_protocols
from subitize.analysis.provenance import read_provenance
from subitize.analysis.score import MEASURES
from subitize.errors import UnknownNameError
from subitize.records import (
    Ask,
    Confirm,
    Count,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    Item,
    MatchesPrompt,
    Outcome,
    Refused,
    Said,
    Trial,
    Words,
)
from subitize.registry import make_judge
from subitize.store import Folder, Run
from tests.analysis.observed import look_at
from tests.commands import call
from tests.runs import judge_run
from tests.samples import MODEL, SUITE, response

PROMPT = "An image with 3 apples"
BLIND = Ask(Count("apple"), "How many apples are in the image?", (3,))
INFORMED = Ask(Confirm("there are 3 apples", is_informed=True), "Are there exactly 3 apples?", (True,))
ITEM = Item("naming/3", Draw(PROMPT), (BLIND, INFORMED), {"number": 3})


pytestmark = pytest.mark.usefixtures("odd_models")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run with three pictures, a refusal and a failure."""
    run = Run(Folder(tmp_path / "run"), create=True)
    run.add_suite(SUITE, 0, [ITEM])
    run.add_model(MODEL, is_stand_in=True)
    trials = [Trial(ITEM.id, MODEL.text, MODEL.options, repeat) for repeat in range(5)]
    pictures = [Drawn(run.image_files.save(bytes([repeat]), "png")) for repeat in range(3)]
    outcomes: list[Outcome] = [*pictures, Refused("no"), Failed("500", is_transient=True)]
    with run.lease("random") as lease:
        run.add_responses(lease, [response(trial, outcome) for trial, outcome in zip(trials, outcomes, strict=True)])
    return run


def test_the_prompt_comes_with_informed_questions_and_never_with_blind_ones(run: Run) -> None:
    judge_run(run, make_judge("nosy"))
    seen = Counter((stored.reading.question.id, stored.reading.evidence) for stored in run.readings())
    assert seen == {
        ("count:apple", Words("I know: nothing")): 3,
        ("confirm:there are 3 apples", Words(f"I know: {PROMPT}")): 3,
    }


def test_refusals_and_failures_are_not_judged_and_nothing_is_judged_twice(run: Run) -> None:
    assert judge_run(run, make_judge("nosy")).readings == 6
    assert judge_run(run, make_judge("nosy")).readings == 0


def test_another_judge_reads_the_same_responses_again(run: Run) -> None:
    judge_run(run, make_judge("nosy"))
    assert judge_run(run, make_judge("nosy:cannot=count")).readings == 3
    assert [entry.spec for entry in run.judges()] == ["nosy", "nosy:cannot=count"]


def test_questions_it_cannot_answer_are_counted(run: Run) -> None:
    summary = judge_run(run, make_judge("nosy:cannot=count"))
    assert (summary.readings, summary.unanswerable) == (3, 3)


def test_a_picture_that_a_judge_chokes_on_does_not_stop_the_others_and_is_looked_at_again(run: Run) -> None:
    summary = judge_run(run, make_judge("nosy:chokes_on=1"))
    assert (summary.readings, summary.failed) == (4, 2)
    assert summary.reasons == ["ValueError: choked"]
    assert judge_run(run, make_judge("nosy:chokes_on=1")).failed == 2


def test_a_bad_picture_is_a_failed_look_of_the_observer(run: Run) -> None:
    summary = judge_run(run, make_judge("observer"))
    assert (summary.readings, summary.failed, summary.unanswerable) == (0, 6, 0)
    assert all("BadImageError" in reason for reason in summary.reasons)


def test_only_the_named_model_is_judged(run: Run) -> None:
    with pytest.raises(UnknownNameError, match="no model in this run named 'another'; known: random"):
        judge_run(run, make_judge("nosy"), model="another")
    assert judge_run(run, make_judge("nosy"), model="random").readings == 6


def test_a_picture_that_is_elsewhere_is_shown_to_no_judge(run: Run) -> None:
    published = Trial(ITEM.id, MODEL.text, MODEL.options, repeat=9)
    with run.lease("random") as lease:
        run.add_responses(lease, [response(published, Drawn(Elsewhere("geckonum_00000_0")))])
    summary = judge_run(run, make_judge("nosy"))
    assert (summary.readings, summary.unanswerable) == (6, 2)


def test_a_question_about_a_group_is_put_once_for_all_of_it(tmp_path: Path) -> None:
    ask = Ask(MatchesPrompt(), "Is one of them right?", (True,), group=2)
    item = Item("naming/3", Draw(PROMPT), (ask,), {"number": 3})
    with Run(Folder(tmp_path / "group"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        trials = [Trial(item.id, MODEL.text, MODEL.options, repeat) for repeat in range(5)]
        with run.lease("random") as lease:
            run.add_responses(lease, [response(trial, Said("three")) for trial in trials])
        summary = judge_run(run, make_judge("parser"))
        assert (summary.readings, summary.unanswerable) == (2, 0), "the fifth waits for a sixth"
        subjects = [stored.reading.subject.trial_ids for stored in run.readings()]
        assert subjects == [(trials[0].id, trials[1].id), (trials[2].id, trials[3].id)]


def test_of_a_group_with_a_refused_member_the_others_are_judged(tmp_path: Path) -> None:
    ask = Ask(MatchesPrompt(), "Is one of them right?", (True,), group=2)
    item = Item("naming/3", Draw(PROMPT), (ask,), {"number": 3})
    outcomes: list[Outcome] = [Refused("no"), Said("yes"), Said("no"), Refused("no"), Refused("no"), Refused("no")]
    with Run(Folder(tmp_path / "group"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        trials = [Trial(item.id, MODEL.text, MODEL.options, repeat) for repeat in range(6)]
        with run.lease("random") as lease:
            run.add_responses(lease, [response(*pair) for pair in zip(trials, outcomes, strict=True)])
        assert judge_run(run, make_judge("parser")).readings == 2, "nothing to see in the third group"
        assert judge_run(run, make_judge("parser")).readings == 0
        found = observe_run(run, ReadOptions())
        gaps = next(iter(read_protocols(run, read_provenance(run)).values())).protocol.unread
    assert [(one.status, one.value) for one in look_at(found)] == [
        ("eligible", True),
        ("eligible", False),
        ("refused", None),
    ]
    share = MEASURES["success"].of(with_units(found).rows)
    assert share is not None
    assert share.value == pytest.approx(1 / 3)
    assert (gaps.wholly, gaps.partly) == (0, 0), "there is nothing left to read"


def test_a_question_about_a_group_may_be_left_to_others(tmp_path: Path) -> None:
    asks = (ITEM.asks[0], Ask(MatchesPrompt(), "Is one of them right?", (True,), group=2))
    item = Item("naming/3", ITEM.task, asks, {"number": 3})
    with Run(Folder(tmp_path / "group"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        with run.lease("random") as lease:
            trials = [Trial(item.id, MODEL.text, MODEL.options, repeat) for repeat in range(2)]
            run.add_responses(lease, [response(trial, Said("three")) for trial in trials])
        summary = judge_run(run, make_judge("nosy:cannot=matches-prompt"))
    assert (summary.readings, summary.unanswerable) == (2, 0)


@pytest.mark.parametrize("gives", ["few", "nothing", "nan"])
def test_a_judge_that_gives_what_is_no_evidence_fails_its_looks(run: Run, gives: str) -> None:
    summary = judge_run(run, make_judge(f"nosy:gives={gives}"))
    assert (summary.readings, summary.failed) == (0, 6)
    assert "nosy" in summary.reasons[0]
    assert list(run.readings()) == []


def test_a_judge_is_tried_again_where_that_may_help(run: Run) -> None:
    assert judge_run(run, make_judge("nosy:gives=flaky"), tries=3).readings == 6
    assert judge_run(run, make_judge("nosy:gives=flaky,cannot=count"), tries=1).failed == 3


def test_tries_that_may_have_been_paid_for_are_written_once_for_all_answers_of_a_look(tmp_path: Path) -> None:
    asks = tuple(Ask(Count(noun), f"How many {noun}s?", (3,)) for noun in ("apple", "cat", "dog"))
    item = Item("naming/3", Draw(PROMPT), asks, {})
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        drawn = Drawn(run.image_files.save(b"a picture", "png"))
        with run.lease("random") as lease:
            run.add_responses(lease, [response(Trial(item.id, MODEL.text, MODEL.options, 0), drawn)])
        summary = judge_run(run, make_judge("nosy:gives=unsettled"))
        assert (summary.readings, summary.unsettled) == (3, 2)
        hows = [stored.reading.provenance for stored in run.readings()]
        assert [how and how.unsettled_tries for how in hows] == [None, 2, 0]


@pytest.mark.parametrize(
    ("gives", "told"),
    [
        ("boxes", "judge 'nosy' gave 1,000,000 boxes; at most 5,000"),
        ("novels", "judge 'nosy' gave 2,000,000 characters; at most 1,000,000"),
        ("tokens", "judge 'nosy' gave what cannot be stored"),
    ],
)
def test_what_a_judge_gives_is_bounded_and_checked_before_anything_is_stored(run: Run, gives: str, told: str) -> None:
    summary = judge_run(run, make_judge(f"nosy:gives={gives}"))
    assert summary.readings == 0
    assert told in summary.reasons[0]
    assert list(run.readings()) == []


def test_a_judge_that_can_answer_nothing_is_an_error(tmp_path: Path) -> None:
    naming = "naming:images=1,numbers=1-2,categories=apples,size_px=128,wordings=category,control_question=false"
    done = call("run", naming, "--model", "random", "--judge", "observer", "--out", tmp_path / "run")
    assert done.code == 2
    assert "2 answered" in done.out
    told = "judge 'observer' answered nothing: it can answer none of the questions here; see: subitize list judges"
    assert told in done.err
    judged = call("judge", tmp_path / "run", "--judge", "observer")
    assert (judged.code, told in judged.err) == (2, True)
    assert call("judge", tmp_path / "run", "--judge", "parser").code == 0
    assert call("judge", tmp_path / "run", "--judge", "parser").code == 0  # all is answered already


def test_an_empty_answer_of_a_model_that_judges_is_a_failed_look(tmp_path: Path) -> None:
    production = "production:numbers=1-2,categories=apples"
    call(
        "run",
        production,
        "--repeats",
        2,
        "--model",
        "painter:size_px=128",
        "--judge",
        "none",
        "--out",
        tmp_path / "run",
    )
    judged = call("judge", tmp_path / "run", "--judge", "vlm:silent")
    assert judged.code == 2
    assert judged.out.startswith("vlm:silent: 0 new readings")
    assert "the model gave an empty answer" in judged.err
