"""Models and judges that compute a batch at a time: which batches, what one bad one costs, and what ends a run."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from subitize.errors import RunError, UnusableModelError
from subitize.interfaces import Finding, Judge, JudgeRequest, Model, Pixels, Reply, Request
from subitize.records import Count, Drawn, Failed, Known, Outcome, Question, Said, Spec, Stimulus, Words
from subitize.registry import Resolved, make_suite
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.runs import judge_run, run_suite

NAMING = "naming:images=1,numbers=1-7,categories=apples,size_px=128,wordings=category,control_question=false"


class Batching(Model):
    """Says the seed of every request, and remembers the batches it was given."""

    tasks = frozenset({"answer"})
    is_stand_in = True

    def __init__(self, batch_size: int, trouble: Callable[[Request], Exception | None] = lambda _: None) -> None:
        self.batch_size, self.batches = batch_size, list[list[int]]()
        self._trouble = trouble

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        self.batches.append([request.seed for request in requests])
        for request in requests:
            if error := self._trouble(request):
                raise error
        return [Reply(Said(str(request.seed)), request.provenance()) for request in requests]


def run_batches(run: Run, model: Batching, repeats: int = 1) -> Run:
    made: Resolved[Model] = Resolved(Spec("batching", {}, "batching"), model, "batching")
    run_suite(run, make_suite(NAMING), made, repeats=repeats)
    return run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(Folder(tmp_path / "run"), create=True)


def outcomes(run: Run) -> list[Outcome]:
    return [stored.response.outcome for stored in run.responses()]


def test_batches_are_full_as_planned_and_every_trial_gets_its_own_answer(run: Run) -> None:
    model = Batching(3)
    run_batches(run, model, repeats=2)
    assert [len(batch) for batch in model.batches] == [3, 3, 3, 3, 2]
    for stored in run.responses():
        assert stored.response.outcome == Said(str(stored.response.provenance.seed))
    again = Batching(3)
    run_batches(run, again, repeats=2)
    assert again.batches == []


def test_two_runs_put_the_same_trials_together(run: Run, tmp_path: Path) -> None:
    one, other = Batching(4), Batching(4)
    run_batches(run, one)
    run_batches(Run(Folder(tmp_path / "other"), create=True), other)
    assert one.batches == other.batches


def test_one_bad_picture_costs_only_itself(run: Run) -> None:
    bad: list[str] = []

    def trouble(request: Request) -> Exception | None:
        bad[:] = bad or [request.item_id]
        return ValueError("cannot look at this one") if request.item_id == bad[0] else None

    run_batches(run, Batching(4, trouble))
    failed = [outcome for outcome in outcomes(run) if isinstance(outcome, Failed)]
    assert failed == [Failed("ValueError: cannot look at this one", is_transient=True)]
    assert len(outcomes(run)) == 7
    run_batches(run, Batching(4))
    assert all(isinstance(outcome, Said) for outcome in outcomes(run))


def test_a_batch_that_is_too_large_for_the_memory_is_halved(run: Run) -> None:
    class Small(Batching):
        def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
            if len(requests) > 1:
                raise MemoryError("not enough memory")
            return super().compute_all(requests)

    run_batches(run, Small(4))
    assert all(isinstance(outcome, Said) for outcome in outcomes(run))


def test_too_little_memory_for_one_ends_the_run_with_the_remedy(run: Run) -> None:
    with pytest.raises(UnusableModelError, match=r"not enough memory, even for one .*dtype=bfloat16"):
        run_batches(run, Batching(4, lambda _: MemoryError("not enough memory")))
    assert outcomes(run) == []


def test_a_model_that_cannot_be_used_ends_the_run_at_once(run: Run) -> None:
    model = Batching(4, lambda _: UnusableModelError("no such weights"))
    with pytest.raises(UnusableModelError, match="no such weights"):
        run_batches(run, model)
    assert len(model.batches) <= 2


def test_a_model_that_never_works_is_given_up(run: Run) -> None:
    with pytest.raises(RunError, match="failed 26 times in a row"):
        run_batches(run, Batching(4, lambda _: ValueError("never")), repeats=5)


def test_a_model_that_gives_too_few_replies_is_told_so(run: Run) -> None:
    class Forgetful(Batching):
        def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
            return super().compute_all(requests)[1:]

    run_batches(run, Forgetful(4))
    reasons = {outcome.reason for outcome in outcomes(run) if isinstance(outcome, Failed)}
    assert any("should give 4 replies" in reason for reason in reasons)
    assert not any(isinstance(outcome, Said) for outcome in outcomes(run))


class BatchingJudge(Judge):
    """Says 3 of every picture; about some pictures it stumbles."""

    is_stand_in = True
    asks_together = True

    def __init__(self, batch_size: int, stumbles_at: str = "") -> None:
        self.batch_size, self.sizes, self._stumbles_at = batch_size, list[int](), stumbles_at

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        return isinstance(question, Count) and all(isinstance(outcome, Drawn) for outcome in outcomes)

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        self.sizes.append(len(exhibits))
        if any(inquiry.question.id == self._stumbles_at for exhibit in exhibits for inquiry in exhibit.inquiries):
            raise ValueError("stumbled")
        return [tuple(Finding(Words("3")) for _ in exhibit.inquiries) for exhibit in exhibits]


class Drawing(Model):
    """Draws what it is asked for, in this process."""

    tasks = frozenset({"draw"})
    is_stand_in = True
    batch_size = 4

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        png = render(Stimulus("apples", 3, 1, 128)).png
        return [Reply(Pixels(png), request.provenance()) for request in requests]


@pytest.fixture
def drawn(run: Run) -> Run:
    suite = make_suite("production:numbers=1-3,categories=apples+dots")
    model: Resolved[Model] = Resolved(Spec("drawing", {}, "drawing"), Drawing(), "drawing")
    run_suite(run, suite, model, repeats=1)
    return run


def judge(it: BatchingJudge) -> Resolved[Judge]:
    return Resolved(Spec("batching", {}, "batching"), it, "batching")


def test_a_judge_looks_at_batches_and_reads_each_picture_once(drawn: Run) -> None:
    it = BatchingJudge(4)
    summary = judge_run(drawn, judge(it))
    assert it.sizes == [4, 2]
    assert (summary.readings, summary.failed) == (6, 0)
    assert {stored.reading.value for stored in drawn.readings("batching")} == {Known(3)}
    assert judge_run(drawn, judge(BatchingJudge(4))).readings == 0


def test_a_picture_that_a_judge_chokes_on_costs_only_itself_and_is_looked_at_again(drawn: Run) -> None:
    summary = judge_run(drawn, judge(BatchingJudge(4, "count:dot")))
    assert (summary.readings, summary.failed, summary.reasons) == (3, 3, ["ValueError: stumbled"])
    assert judge_run(drawn, judge(BatchingJudge(4))).readings == 3


def test_another_rule_reads_the_evidence_of_a_judge(drawn: Run) -> None:
    judge_run(drawn, judge(BatchingJudge(4)), rule="total")
    assert {stored.reading.rule for stored in drawn.readings("batching")} == {"total@2"}
