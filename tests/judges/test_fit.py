"""Any model that scores texts as a judge of whole prompts, however it works."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from subitize.analysis.alignment import align_run
from subitize.errors import BadValueError
from subitize.interfaces import (
    Computes,
    ComputesSeveral,
    JudgeQuestion,
    JudgeRequest,
    Model,
    Reply,
    Request,
    Responds,
)
from subitize.judges.asking import FIT_QUESTION, FitJudge
from subitize.records import (
    Count,
    Drawn,
    Failed,
    Fit,
    Known,
    Match,
    Measured,
    Refused,
    Said,
    Scored,
    Stored,
)
from subitize.registry import make_judge
from tests.judges.drawn_prompts import item, made, new_run, paint_all
from tests.runs import judge_run

PICTURE = Drawn(Stored("0" * 64, "png"))
EXHIBIT = JudgeRequest((PICTURE,), (JudgeQuestion(Fit("three apples"), FIT_QUESTION),), lambda _: b"", "three apples")


class Scoring(Model):
    """Scores a text by its length, or gives what it is told to give."""

    tasks = frozenset({"match"})

    def __init__(self, content: Scored | Said | Refused | Failed | None = None) -> None:
        self._content = content

    def reply(self, request: Request) -> Reply:
        assert isinstance(request.task, Match)
        scores = {"logit": 3.0, "match": len(request.text) / 100}
        return Reply(self._content or Scored(scores), request.provenance())


class Waiting(Scoring):
    concurrency = 3

    async def respond(self, request: Request, /) -> Reply:
        return self.reply(request)


class Computing(Scoring):
    def compute(self, request: Request, /) -> Reply:
        return self.reply(request)


class Batching(Scoring):
    batch_size = 2

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        assert len(requests) <= self.batch_size
        return [self.reply(request) for request in requests]


def found(model: Model) -> list[object]:
    judge = FitJudge(model)
    if isinstance(judge, Responds):
        findings = asyncio.run(judge.respond(EXHIBIT))
    elif isinstance(judge, ComputesSeveral):
        (findings,) = judge.compute_all([EXHIBIT])
    else:
        assert isinstance(judge, Computes)
        findings = judge.compute(EXHIBIT)
    return [finding.evidence for finding in findings]


@pytest.mark.parametrize("model", [Waiting(), Computing(), Batching()], ids=["waits", "computes", "in batches"])
def test_the_score_named_match_is_the_evidence_however_the_model_works(model: Model) -> None:
    assert found(model) == [Measured(0.12)]
    judge = FitJudge(model)
    assert judge.can_answer(Fit("three apples"), [PICTURE])
    assert not judge.can_answer(Count("apple"), [PICTURE])
    assert not judge.can_answer(Fit("three apples"), [PICTURE, PICTURE])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (Scored({"logit": 1.0}), "a score named match"),
        (Said("0.7"), "a score named match"),
        (Refused("no pictures of apples"), "refused to score the text: no pictures of apples"),
        (Failed("out of order", is_transient=False), "out of order"),
    ],
    ids=["another score", "words", "refusal", "failure"],
)
def test_what_is_no_score_is_a_failed_look(content: Scored | Said | Refused | Failed, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        found(Batching(content))


def test_every_drawing_is_scored_against_its_prompt(tmp_path: Path) -> None:
    prompts = ["Three apples.", "2 dogs above a cat.", "A watermelon with no seeds"]
    with new_run(tmp_path / "run", [item(index, prompt) for index, prompt in enumerate(prompts)]) as run:
        paint_all(run)
        summary = judge_run(run, made("fit:batching", FitJudge(Batching())))
        assert (summary.readings, summary.failed, summary.unanswerable) == (3, 0, 0)
        readings = [stored.reading for stored in run.readings()]
        assert {(one.question.id, one.value) for one in readings} == {
            (f"fit:{prompt}", Known(len(prompt) / 100)) for prompt in prompts
        }
        assert all(one.question.is_informed for one in readings)
        (aligned,) = align_run(run)
        assert aligned.measure == "fit"
        assert aligned.estimate.value == pytest.approx(sum(map(len, prompts)) / 300)
        assert aligned.estimate.n == 3


@pytest.mark.parametrize("spec", ["fit:painter", "fit:observer"])
def test_a_model_that_scores_nothing_is_refused(spec: str) -> None:
    with pytest.raises(BadValueError, match=r"does not score any \(it can: \w+\); take fit:transformers"):
        make_judge(spec)
