"""A suite run on a model: what is stored, what is tried again, what ends the run."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from subitize.errors import BadValueError, ConflictError, NothingToDoError, RunError
from subitize.evaluate.config import RunConfig
from subitize.evaluate.execution import RunTally
from subitize.interfaces import NoEvents
from subitize.records import Drawn, Failed, Known, Refused, Said
from subitize.registry import make_judge, make_model, make_suite
from subitize.store import Folder, Run, latest_attempts
from tests.runs import run_suite

pytestmark = pytest.mark.usefixtures("odd_models")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(Folder(tmp_path / "run"), create=True)


class Watcher(NoEvents):
    """Counts what it is told."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int]] = []
        self.advanced = Counter[bool]()

    def begin(self, what: str, total: int) -> None:
        self.begun.append((what, total))

    def advance(self, *, has_failed: bool = False) -> None:
        self.advanced[has_failed] += 1


def go(run: Run, suite: str, model: str, judge: str | None = None, **options: Any) -> RunTally:  # noqa: ANN401
    return run_suite(run, make_suite(suite), make_model(model), make_judge(judge) if judge else None, **options)


SMALL = "naming:images=2,numbers=1-3,categories=apples+dots,wordings=category,control_question=false"


def test_a_run_ends_with_a_response_per_item_and_repeat(run: Run) -> None:
    summary = go(run, SMALL, "instant", repeats=2)
    assert (summary.answered, summary.failed, summary.already_done) == (24, 0, 0)
    assert Counter(stored.response.trial.repeat for stored in run.responses()) == {0: 12, 1: 12}


def test_the_same_call_again_does_nothing_and_more_repeats_add_only_themselves(run: Run) -> None:
    go(run, SMALL, "instant")
    assert go(run, SMALL, "instant").answered == 0
    summary = go(run, SMALL, "instant", repeats=3)
    assert (summary.answered, summary.already_done) == (24, 12)


def test_a_limit_takes_a_balanced_beginning_and_the_rest_follows(run: Run) -> None:
    assert go(run, SMALL, "instant", limit=6).answered == 6
    items = {item.id: item for item in run.items()}
    done = [items[stored.response.trial.item_id].factors for stored in run.responses()]
    assert Counter((one["category"], one["number"]) for one in done) == {
        (category, number): 1 for category in ("apples", "dots") for number in (1, 2, 3)
    }
    assert go(run, SMALL, "instant").answered == 6


def test_a_transient_error_is_tried_again_within_the_run(run: Run) -> None:
    summary = go(run, SMALL, "flaky:failures=2", tries=3)
    assert (summary.answered, summary.failed) == (12, 0)
    assert {stored.response.tries for stored in run.responses()} == {3}


def test_a_trial_that_ran_out_of_tries_is_tried_again_by_the_next_run(run: Run) -> None:
    summary = go(run, SMALL, "flaky:failures=2", tries=2)
    assert (summary.answered, summary.failed, summary.reasons) == (0, 12, ["try again"])
    assert {stored.response.outcome for stored in run.responses()} == {Failed("try again", is_transient=True)}
    summary = go(run, SMALL, "flaky:failures=2", tries=3)
    assert (summary.answered, summary.already_done) == (12, 0)
    assert {stored.response.outcome for stored in run.responses()} == {Said("3")}


def test_a_trial_that_ran_out_of_tries_gets_a_second_round_in_the_same_call(run: Run) -> None:
    summary = go(run, SMALL, "flaky:failures=3,spares=1", tries=2)
    assert (summary.answered, summary.failed, summary.reasons) == (12, 0, [])


@pytest.mark.slow
def test_an_error_in_a_worker_is_stored_with_its_reason(run: Run) -> None:
    summary = go(run, SMALL, "broken")
    assert (summary.answered, summary.failed) == (0, 12)
    assert summary.reasons == ["RuntimeError: a bug in the plug-in"]


@pytest.mark.slow
def test_a_model_that_always_fails_is_not_asked_for_ever(run: Run) -> None:
    with pytest.raises(RunError, match=r"failed 26 times in a row.*try again"):
        go(run, "naming:images=1", "flaky:failures=99", tries=1)
    assert len(list(run.responses())) < 100


@pytest.mark.slow
def test_a_worker_that_dies_ends_the_run_with_a_remedy(run: Run) -> None:
    with pytest.raises(RunError, match=r"worker process died.*run the same command again"):
        go(run, SMALL, "crashing")
    assert go(run, SMALL, "instant").answered == 12, "the lease is free again"


def test_bytes_that_are_no_image_are_a_failure_and_leave_no_file(run: Run) -> None:
    summary = go(run, "production:numbers=1-2", "garbage", repeats=1)
    assert summary.failed == 8
    assert list(run.image_files.names()) == []


@pytest.mark.parametrize("gives", ["nothing", "text", "number", "nan", "pixels", "tokens"])
def test_what_is_no_reply_is_a_failure_and_the_run_stays_readable(run: Run, gives: str) -> None:
    summary = go(run, SMALL, f"rude:gives={gives}", "parser")
    assert (summary.answered, summary.failed) == (0, 12)
    assert "rude" in summary.reasons[0]
    assert len(list(run.responses())) == 12


def test_what_cannot_be_encoded_is_stored_as_near_as_may_be_wherever_it_stands(run: Run) -> None:
    assert go(run, SMALL, "rude:gives=surrogates", "parser").refused == 12
    assert {stored.response.outcome for stored in run.responses()} == {Refused("no ?")}
    assert {stored.response.provenance.prompt_rewritten for stored in run.responses()} == {"?"}


def test_asking_again_that_failed_is_taken_up_by_the_next_run_and_undoes_nothing(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.touch()
    suite = "naming:images=1,numbers=1-3,categories=apples+dots,wordings=category,control_question=false"
    first = go(run, suite, f"relapsing:{broken}", "parser", tries=1)
    assert (first.answered, first.failed, first.reasons) == (6, 6, ["down"])
    assert {stored.response.outcome for stored in latest_attempts(run.responses())} == {Said("a few")}
    broken.unlink()
    second = go(run, suite, f"relapsing:{broken}", "parser", tries=1)
    assert (second.answered, second.failed) == (6, 0)
    assert {stored.response.outcome for stored in latest_attempts(run.responses())} == {Said("3")}


def test_what_a_judge_could_not_do_is_told_with_the_run(run: Run) -> None:
    summary = go(run, SMALL, "instant", "nosy:gives=few")
    assert summary.judged is not None
    assert (summary.judged.failed, summary.judged.reasons != []) == (12, True)
    assert "12 looks failed" in str(summary)
    summary = go(run, SMALL, "instant", "observer")
    assert "12 questions it cannot answer" in str(summary)


def test_text_that_no_encoding_can_store_is_stored_as_near_as_may_be(run: Run) -> None:
    assert go(run, SMALL, "babbling", "parser").answered == 12
    assert {stored.response.outcome for stored in run.responses()} == {Said("3 ? \x00 apples \x1b[31m")}


def test_an_endless_answer_is_a_failure(run: Run) -> None:
    summary = go(
        run, "naming:images=1,numbers=1,categories=dots,wordings=category", "babbling:characters=1000001", "parser"
    )
    assert summary.reasons == ["naming/dots/1/0/category: an answer of 1,000,001 characters; at most 1,000,000"]


def test_refusals_are_final(run: Run) -> None:
    summary = go(run, SMALL, "refusing", "parser")
    assert summary.refused > 0
    assert summary.refused + summary.answered == 12
    assert go(run, SMALL, "refusing", "parser").already_done == 12
    kinds = Counter(type(stored.response.outcome) for stored in run.responses())
    assert kinds == {Refused: summary.refused, Said: summary.answered}


def test_what_came_out_empty_is_asked_again_until_it_is_not(run: Run) -> None:
    summary = go(run, "production:categories=apples,numbers=3", "blank:blanks=2", "observer", repeats=2)
    assert summary.answered == 6
    attempts = Counter(stored.response.trial.attempt for stored in run.responses())
    assert attempts == {0: 2, 1: 2, 2: 2}
    values = [stored.reading.value for stored in run.readings("observer")]
    assert Counter(values) == {Known(0): 4, Known(3): 2}
    assert go(run, "production:categories=apples,numbers=3", "blank:blanks=2", "observer", repeats=2).answered == 0


def test_asking_again_ends_at_the_suites_cap(run: Run) -> None:
    suite = "production:categories=apples,numbers=3,max_attempts=3"
    assert go(run, suite, "blank:blanks=99", "observer", repeats=1).answered == 3


def test_an_interrupted_round_of_asking_again_is_taken_up(run: Run) -> None:
    suite = "production:categories=apples,numbers=3"
    go(run, suite, "blank", repeats=3)
    assert go(run, suite, "blank", "observer", repeats=3).answered == 3
    assert {type(stored.response.outcome) for stored in run.responses()} == {Drawn}


def test_a_model_that_cannot_do_the_task_is_said_so(run: Run) -> None:
    with pytest.raises(NothingToDoError, match=r"'noisy' cannot do 'naming': it can draw, the suite asks to answer"):
        go(run, SMALL, "noisy")


def test_a_resumed_run_keeps_its_seed_and_refuses_another(run: Run) -> None:
    go(run, SMALL, "instant", seed=7)
    go(run, SMALL, "instant")
    with pytest.raises(ConflictError, match="`seed` 7, not 8"):
        go(run, SMALL, "instant", seed=8)
    with pytest.raises(ConflictError, match="naming:"):
        go(run, "naming:images=3,numbers=1-3", "instant")


@pytest.mark.parametrize("option", ["repeats", "limit", "concurrency", "tries"])
def test_numbers_below_one_are_refused(option: str) -> None:
    changed: dict[str, Any] = {option: 0}
    with pytest.raises(BadValueError, match=f"`{option}` 0: should be at least 1"):
        RunConfig(suite=SMALL, models=("instant",), **changed)


def test_progress_is_told_for_the_model_and_the_judge(run: Run) -> None:
    watcher = Watcher()
    go(run, SMALL, "instant", "parser", events=watcher)
    assert watcher.begun == [("instant", 12), ("judge parser on instant", 12)]
    assert watcher.advanced == {False: 24}


def test_an_embedded_model_gives_the_same_answers_in_any_order_and_place(tmp_path: Path) -> None:
    suite, answers = f"{SMALL},size_px=128", []
    for name, limit in (("one", None), ("other", 5)):
        with Run(Folder(tmp_path / name), create=True) as run:
            if limit:
                go(run, suite, "ideal-human", limit=limit)
            go(run, suite, "ideal-human")
            answers.append({s.trial_id: s.response.outcome for s in run.responses()})
    assert answers[0] == answers[1]
    assert len(answers[0]) == 12


def test_a_summary_says_the_commonest_reasons_of_refusals_each_with_an_example() -> None:
    tally = RunTally()
    for place, noun in enumerate(("zorg", "blip", "zorg", "flurb")):
        tally.count(Refused(f"no drawing of '{noun}'; known: apple, cat"), f"own/{place}")
    for reason in ("content filter", "the word 'x' in 'x y'", "the word 'z' in 'z y'", "rare"):
        tally.count(Refused(reason), "own/9")
    assert [*tally.explain_refusals("runs/own run")] == [
        "  4 refused, as own/0: no drawing of 'zorg'; known: apple, cat",
        "  2 refused, as own/9: the word 'x' in 'x y'",
        "  1 refused, as own/9: content filter",
        "  look at one: subitize show 'runs/own run' own/0",
    ]


def test_reasons_that_all_differ_do_not_grow_a_summary_without_end() -> None:
    tally = RunTally()
    for number in range(2_000):
        tally.count(Refused("x" * number), "own/0")
    assert (tally.refused, len(tally.refusals)) == (2_000, 1_000)
