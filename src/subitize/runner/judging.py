"""Puts the questions of a run to a judge and stores what it reads."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from subitize.errors import UnknownNameError
from subitize.interfaces import Exhibit, Inquiry, Judge
from subitize.labels import Rule, interpret, parse_rule
from subitize.records import (
    Ask,
    Boxes,
    Draw,
    Drawn,
    Elsewhere,
    Evidence,
    Item,
    Measured,
    Outcome,
    Reading,
    Refused,
    Subject,
    Words,
)
from subitize.registry import Made
from subitize.runner.engine import Bench, work
from subitize.runner.pictures import Loader
from subitize.runner.progress import Progress
from subitize.runner.trying import GaveUp, Trier, remember
from subitize.runner.workers import staffed
from subitize.store import RENEWAL_SECONDS, Lease, Run, StoredResponse, exhibited


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

    def count(self, look: "_Look") -> None:
        """Add one look."""
        self.readings += len(look.readings)
        if look.failure:
            self.failed += 1
            remember(look.failure, self.reasons)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which responses to judge (None: all), how often to try, and what else to keep alive meanwhile."""

    suite: str | None = None
    model: str | None = None
    tries: int = 5
    keep_alive: Callable[[], None] = lambda: None


def judge_run(run: Run, judge: Made[Judge], progress: Progress, scope: Scope | None = None) -> JudgeSummary:
    """Have the judge answer every question it can and has not yet answered, model by model."""
    scope = scope or Scope()
    models = [entry.name for entry in run.models()]
    if scope.model is not None and scope.model not in models:
        raise UnknownNameError("model in this run", scope.model, models)
    summary = JudgeSummary()
    for model in models if scope.model is None else [scope.model]:
        # By model, so that runs of several models on one suite can judge at the same time.
        with run.lease(f"judge {judge.spec.shown} on {model}") as lease:
            run.add_judge(judge.spec, is_stand_in=judge.it.is_stand_in)
            jobs, unanswerable = _plan(run, judge, scope.suite, model)
            summary.unanswerable += unanswerable
            if jobs:
                progress.begin(f"judge {judge.spec.shown} on {model}", len(jobs))
                _Round(run, judge, scope, lease).go(jobs, summary, progress)
    return summary


@dataclass(frozen=True, slots=True)
class _Job:
    subject: Subject
    exhibit: Exhibit


@dataclass(frozen=True, slots=True)
class _Look:
    readings: list[Reading]
    failure: str = ""


def _plan(run: Run, judge: Made[Judge], suite: str | None, model: str) -> tuple[list[_Job], int]:
    done = {(s.reading.subject.id, s.reading.question.id) for s in run.readings(judge.spec.shown)}
    by_item: dict[str, list[StoredResponse]] = defaultdict(list)
    for stored in run.responses(model):
        by_item[stored.response.trial.item_id].append(stored)
    load = Loader(run.images)
    jobs, unanswerable = [], 0
    for item in run.items(suite):
        inquiries: dict[Subject, list[Inquiry]] = defaultdict(list)
        outcomes: dict[Subject, tuple[Outcome, ...]] = {}
        for ask, subject, shown in _open_asks(item, by_item[item.id], done):
            if _is_visible(shown) and judge.it.can_answer(ask.question, shown):
                inquiries[subject].append(Inquiry(ask.question, ask.wording))
                outcomes[subject] = shown
            else:
                unanswerable += 1
        for subject, asked in inquiries.items():
            jobs += [_Job(subject, exhibit) for exhibit in _exhibits(item, outcomes[subject], asked, load)]
    return jobs, unanswerable


def _open_asks(
    item: Item, responses: Sequence[StoredResponse], done: set[tuple[str, str]]
) -> Iterator[tuple[Ask, Subject, tuple[Outcome, ...]]]:
    for ask in item.asks:
        for one in exhibited(ask, responses):
            shown = tuple(stored.response.outcome for stored in one.members)
            is_refused = any(isinstance(outcome, Refused) for outcome in shown)
            if not is_refused and (one.subject.id, ask.question.id) not in done:
                yield ask, one.subject, shown


def _is_visible(shown: Iterable[Outcome]) -> bool:
    return not any(isinstance(outcome, Drawn) and isinstance(outcome.picture, Elsewhere) for outcome in shown)


def _exhibits(
    item: Item, outcomes: tuple[Outcome, ...], inquiries: Sequence[Inquiry], load: Loader
) -> Iterator[Exhibit]:
    """Put blind and informed questions apart, so that the prompt never comes with a blind one."""
    prompt = item.task.prompt if isinstance(item.task, Draw) else None
    blind = tuple(inquiry for inquiry in inquiries if not inquiry.question.is_informed)
    informed = tuple(inquiry for inquiry in inquiries if inquiry.question.is_informed)
    if blind:
        yield Exhibit(outcomes, blind, load)
    if informed:
        yield Exhibit(outcomes, informed, load, prompt)


class _Round:
    """One judge at work on one model's responses, under a lease."""

    def __init__(self, run: Run, judge: Made[Judge], scope: Scope, lease: Lease) -> None:
        self._run, self._judge, self._scope, self._lease = run, judge, scope, lease
        self._rule = parse_rule(judge.it.rule)

    def go(self, jobs: Sequence[_Job], summary: JudgeSummary, progress: Progress) -> None:
        def tell(look: _Look) -> None:
            summary.count(look)
            progress.advance(has_failed=bool(look.failure))

        with staffed("judge", self._judge) as (call, concurrency):
            trier: Trier[Exhibit, tuple[Evidence, ...]] = Trier(
                f"judge {self._judge.spec.shown!r}", call, self._scope.tries
            )
            bench: Bench[_Job, _Look] = Bench(
                perform=lambda job: self._look(job, trier),
                commit=self._commit,
                renew=self._renew,
                renewal_seconds=RENEWAL_SECONDS,
                concurrency=min(concurrency, len(jobs)),
                on_committed=tell,
            )
            asyncio.run(work(jobs, bench))

    async def _look(self, job: _Job, trier: Trier[Exhibit, tuple[Evidence, ...]]) -> _Look:
        found = await trier.ask(job.exhibit)
        # One picture that a judge chokes on must not stop the others; it is looked at again next time.
        if isinstance(found, GaveUp):
            return _Look([], found.reason)
        fault = _fault(found.it, len(job.exhibit.inquiries))
        if fault:
            return _Look([], f"judge {self._judge.spec.shown!r} {fault}")
        return _Look(
            [
                _reading(job.subject, inquiry, self._judge.spec.shown, evidence, self._rule)
                for inquiry, evidence in zip(job.exhibit.inquiries, found.it, strict=True)
            ]
        )

    def _commit(self, looks: Sequence[_Look]) -> None:
        self._run.add_readings(self._lease, [reading for look in looks for reading in look.readings])

    def _renew(self) -> None:
        self._run.renew(self._lease)
        self._scope.keep_alive()


def _fault(found: object, wanted: int) -> str:
    """Say what is wrong with what a judge gave, or nothing."""
    if not isinstance(found, tuple) or len(found) != wanted:
        return f"should give {wanted} pieces of evidence, not {found!r:.80}"
    for evidence in found:
        match evidence:
            case Words():
                continue
            case Measured(score=score) if math.isfinite(score):
                continue
            case Boxes(boxes=boxes) if all(math.isfinite(number) for box in boxes for number in (box.score, *box.xyxy)):
                continue
        return f"gave what is no evidence: {evidence!r:.80}"
    return ""


def _reading(subject: Subject, inquiry: Inquiry, judge: str, evidence: Evidence, rule: Rule) -> Reading:
    value = interpret(evidence, inquiry.question, rule)
    return Reading(subject, inquiry.question, judge, evidence, str(rule), value)
