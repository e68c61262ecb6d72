"""Puts the questions of a run to a judge and stores what it reads."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from subitize.errors import RunError, StorageError
from subitize.interfaces import Exhibit, Inquiry, Judge
from subitize.labels import Rule, interpret, parse_rule
from subitize.records import Draw, Evidence, Failed, Item, Outcome, Reading, Refused, Subject
from subitize.registry import Made
from subitize.runner.engine import Bench, work
from subitize.runner.pictures import Loader
from subitize.runner.progress import Progress
from subitize.runner.workers import Call, describe, staffed
from subitize.store import RENEWAL_SECONDS, Run


@dataclass(frozen=True, slots=True)
class _Job:
    subject: Subject
    exhibit: Exhibit


@dataclass(frozen=True, slots=True)
class _Look:
    readings: list[Reading]
    failure: str = ""


@dataclass(slots=True)
class JudgeSummary:
    """What came of one call: readings made, looks that failed, and questions the judge cannot answer."""

    readings: int = 0
    failed: int = 0
    unanswerable: int = 0
    reasons: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [f"{self.readings} new readings"]
        if self.failed:
            parts.append(f"{self.failed} looks failed")
        if self.unanswerable:
            parts.append(f"{self.unanswerable} questions it cannot answer")
        return ", ".join(parts)


def judge_run(
    run: Run, judge: Made[Judge], progress: Progress, *, suite: str | None = None, model: str | None = None
) -> JudgeSummary:
    """Have the judge answer every question it can and has not yet answered."""
    name = judge.spec.shown
    with run.lease(f"judge {name}") as lease:
        run.add_judge(judge.spec, is_stand_in=judge.it.is_stand_in)
        summary = JudgeSummary()
        jobs, summary.unanswerable = _plan(run, judge, suite, model)
        if not jobs:
            return summary
        rule = parse_rule(judge.it.rule)

        def count(look: _Look) -> None:
            summary.readings += len(look.readings)
            if look.failure:
                summary.failed += 1
                summary.reasons.append(look.failure)
            progress.advance(has_failed=bool(look.failure))

        progress.begin(f"judge {name}", len(jobs))
        with staffed("judge", judge) as (call, concurrency):
            bench: Bench[_Job, _Look] = Bench(
                perform=lambda job: _look(job, call, name, rule),
                commit=lambda looks: run.add_readings(lease, [reading for look in looks for reading in look.readings]),
                renew=lambda: run.renew(lease),
                renewal_seconds=RENEWAL_SECONDS,
                concurrency=min(concurrency, len(jobs)),
                on_committed=count,
            )
            asyncio.run(work(jobs, bench))
    return summary


def _plan(run: Run, judge: Made[Judge], suite: str | None, model: str | None) -> tuple[list[_Job], int]:
    items = {item.id: item for item in run.items(suite)}
    done = {(s.reading.subject.id, s.reading.question.id) for s in run.readings(judge.spec.shown)}
    load = Loader(run.images)
    jobs, unanswerable = [], 0
    for stored in run.responses(model):
        item, outcome = items.get(stored.response.trial.item_id), stored.response.outcome
        if item is None or isinstance(outcome, Failed | Refused):
            continue
        subject = Subject((stored.trial_id,))
        open_asks = [ask for ask in item.asks if (subject.id, ask.question.id) not in done]
        can = [ask for ask in open_asks if judge.it.can_answer(ask.question, (outcome,))]
        unanswerable += len(open_asks) - len(can)
        for exhibit in _exhibits(item, outcome, [Inquiry(ask.question, ask.wording) for ask in can], load):
            jobs.append(_Job(subject, exhibit))
    return jobs, unanswerable


def _exhibits(item: Item, outcome: Outcome, inquiries: list[Inquiry], load: Loader) -> Iterator[Exhibit]:
    """Put blind and informed questions apart, so that the prompt never comes with a blind one."""
    prompt = item.task.prompt if isinstance(item.task, Draw) else None
    blind = tuple(inquiry for inquiry in inquiries if not inquiry.question.is_informed)
    informed = tuple(inquiry for inquiry in inquiries if inquiry.question.is_informed)
    if blind:
        yield Exhibit((outcome,), blind, load)
    if informed:
        yield Exhibit((outcome,), informed, load, prompt)


async def _look(job: _Job, call: Call[Exhibit, tuple[Evidence, ...]], judge: str, rule: Rule) -> _Look:
    try:
        found = await call(job.exhibit)
    except (RunError, StorageError):
        raise
    except Exception as error:
        # One picture that a judge chokes on must not stop the others; it is looked at again next time.
        return _Look([], describe(error))
    readings = [
        Reading(job.subject, inquiry.question, judge, evidence, str(rule), interpret(evidence, inquiry.question, rule))
        for inquiry, evidence in zip(job.exhibit.inquiries, found, strict=True)
    ]
    return _Look(readings)
