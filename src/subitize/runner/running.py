"""Runs a suite on a model: plan, do, judge, and plan again until nothing is left to ask."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from subitize.errors import BadImageError, BadValueError, NothingToDoError
from subitize.interfaces import Judge, Model, Pixels, Reply, Request, Suite
from subitize.records import Drawn, Failed, Item, Outcome, Refused, Response, Said, Scored, Trial
from subitize.registry import Made
from subitize.runner.engine import Bench, work
from subitize.runner.judging import JudgeSummary, Scope, judge_run
from subitize.runner.pictures import Loader
from subitize.runner.planning import first_attempts, further_attempts, latest_tried
from subitize.runner.progress import Progress
from subitize.runner.trying import GaveUp, Trier, remember
from subitize.runner.workers import staffed
from subitize.store import RENEWAL_SECONDS, Lease, Run, codec
from subitize.vision.pixels import decode, image_format

_LONGEST_TEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """What to run and how; a judge lets a suite ask again what came out as nothing."""

    suite: Made[Suite]
    model: Made[Model]
    judge: Made[Judge] | None = None
    seed: int | None = None
    repeats: int | None = None
    limit: int | None = None
    concurrency: int | None = None
    tries: int = 5

    def __post_init__(self) -> None:
        for name in ("repeats", "limit", "concurrency", "tries"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadValueError(f"--{name} {value}: should be at least 1")
        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise BadValueError(f"--seed {self.seed}: should be from 0 to {2**63 - 1}")
        if not any(item.task.kind in self.model.it.tasks for item in self.suite.it.items(self.seed or 0)):
            kinds = sorted({item.task.kind for item in self.suite.it.items(self.seed or 0)})
            raise NothingToDoError(
                f"model {self.model.spec.shown!r} cannot do {self.suite.spec.name!r}: "
                f"it can {', '.join(sorted(self.model.it.tasks))}, the suite asks to {', '.join(kinds)}"
            )


@dataclass(slots=True)
class Summary:
    """What came of the trials of one call; `impossible` counts the items whose task the model cannot do."""

    answered: int = 0
    refused: int = 0
    failed: int = 0
    already_done: int = 0
    impossible: int = 0
    reasons: list[str] = field(default_factory=list)
    judged: JudgeSummary | None = None

    def __str__(self) -> str:
        parts = [f"{self.answered} answered", f"{self.refused} refused", f"{self.failed} failed"]
        if self.already_done:
            parts.append(f"{self.already_done} done before")
        if self.impossible:
            parts.append(f"{self.impossible} items it cannot do")
        if self.judged is not None:
            parts.append(str(self.judged))
        return ", ".join(parts)

    def count(self, outcome: Outcome) -> None:
        """Add one outcome."""
        if isinstance(outcome, Failed):
            self.failed += 1
            remember(outcome.reason, self.reasons)
        elif isinstance(outcome, Refused):
            self.refused += 1
        else:
            self.answered += 1


def run_suite(run: Run, settings: Settings, progress: Progress) -> Summary:
    """Do what is left of a suite on a model; the same call goes on where a killed one was."""
    suite, model = settings.suite, settings.model
    seed = _settle_seed(run, suite.spec.name, settings.seed)
    run.add_suite(suite.spec, seed, suite.it.items(seed))
    items = run.items(suite.spec.name)
    possible = [item for item in items if item.task.kind in model.it.tasks]
    run.add_model(model.spec, is_stand_in=model.it.is_stand_in)
    session = _Session(run, settings, seed, possible[: settings.limit], progress)
    session.summary.impossible = len(items) - len(possible)
    session.go()
    return session.summary


def _settle_seed(run: Run, suite: str, wanted: int | None) -> int:
    if wanted is not None:
        return wanted
    return next((entry.seed for entry in run.suites() if entry.name == suite), 0)


class _Session:
    """One call of run_suite, under the lease on its model."""

    def __init__(self, run: Run, settings: Settings, seed: int, items: Sequence[Item], progress: Progress) -> None:
        self._run, self._settings, self._seed, self._progress = run, settings, seed, progress
        self._items = {item.id: item for item in items}
        self._load = Loader(run.images)
        self._attempted: set[str] = set()
        self.summary = Summary()

    def go(self) -> None:
        suite, model = self._settings.suite.it, self._settings.model.spec
        repeats = self._settings.repeats or suite.repeats
        with self._run.lease(model.shown) as lease, staffed("model", self._settings.model) as (call, concurrency):
            trier: Trier[Request, Reply] = Trier(f"model {model.shown!r}", call, self._settings.tries)
            self._run.sweep(lease)
            finished = self._run.finished(model.shown)
            trials = list(first_attempts(list(self._items.values()), model, repeats, finished))
            self.summary.already_done = len(self._items) * repeats - len(trials)
            while True:
                self._do(trials, lease, trier, self._settings.concurrency or concurrency)
                # What failed again in this call is left for the next.
                trials = [trial for trial in self._ask_again(lease) if trial.id not in self._attempted]
                if not trials:
                    return

    def _ask_again(self, lease: Lease) -> Iterator[Trial]:
        judge, model, suite = self._settings.judge, self._settings.model.spec, self._settings.suite
        if judge is None:
            return iter(())
        scope = Scope(suite.spec.name, model.shown, self._settings.tries, lambda: self._run.renew(lease))
        judged = judge_run(self._run, judge, self._progress, scope)
        if self.summary.judged is not None:
            judged.readings += self.summary.judged.readings
        self.summary.judged = judged
        tried = latest_tried(
            self._items.values(), self._run.responses(model.shown), self._run.readings(judge.spec.shown)
        )
        return further_attempts(suite.it, model, tried, self._run.finished(model.shown))

    def _do(self, trials: Sequence[Trial], lease: Lease, trier: Trier[Request, Reply], concurrency: int) -> None:
        if not trials:
            return
        self._attempted.update(trial.id for trial in trials)
        self._progress.begin(self._settings.model.spec.shown, len(trials))
        bench: Bench[Trial, Response] = Bench(
            perform=lambda trial: self._perform(trial, trier),
            commit=lambda responses: self._run.add_responses(lease, responses),
            renew=lambda: self._run.renew(lease),
            renewal_seconds=RENEWAL_SECONDS,
            concurrency=min(concurrency, len(trials)),
            on_committed=self._count,
        )
        asyncio.run(work(trials, bench))

    async def _perform(self, trial: Trial, trier: Trier[Request, Reply]) -> Response:
        task = self._items[trial.item_id].task
        request = Request(trial.item_id, task, trial.repeat, trial.attempt, trial.seed(self._seed), self._load)
        given = await trier.ask(request)
        if isinstance(given, GaveUp):
            return Response(trial, Failed(given.reason, is_transient=True), request.provenance(), given.tries)
        fault = _fault(given.it)
        if fault:
            failure = Failed(f"model {trial.model!r} {fault}", is_transient=True)
            return Response(trial, failure, request.provenance(), given.tries, given.seconds)
        return Response(trial, await self._keep(trial, given.it), given.it.provenance, given.tries, given.seconds)

    async def _keep(self, trial: Trial, reply: Reply) -> Outcome:
        """Store the picture, if it is one. What a model hands over is bounded and checked before it is trusted."""
        match reply.content:
            case Said(text=text) if len(text) > _LONGEST_TEXT:
                return Failed(
                    f"{trial.item_id}: an answer of {len(text):,} characters; at most {_LONGEST_TEXT:,}", True
                )
            case Pixels(data=data):
                pass
            case other:
                return other
        try:
            await asyncio.to_thread(decode, data)
            return Drawn(await asyncio.to_thread(self._run.images.save, data, image_format(data)))
        except BadImageError as error:
            return Failed(f"{reply.provenance.parameters.get('file', trial.item_id)}: {error}", is_transient=True)

    def _count(self, response: Response) -> None:
        self.summary.count(response.outcome)
        self._progress.advance(has_failed=isinstance(response.outcome, Failed))


def _fault(reply: object) -> str:
    """Say what is wrong with a reply that could not be stored or read back, or nothing."""
    if not isinstance(reply, Reply):
        return f"should give a Reply, not {reply!r:.80}"
    match reply.content:
        case Pixels(data=data):
            return "" if isinstance(data, bytes) else f"gave pixels that are no bytes: {data!r:.80}"
        case Scored(scores=scores) if not all(math.isfinite(score) for score in scores.values()):
            return f"gave scores that are no numbers: {scores!r:.80}"
        case content:
            return codec.fault(codec.outcome, content) or codec.fault(codec.provenance, reply.provenance)
