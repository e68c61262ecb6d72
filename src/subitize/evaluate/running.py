"""Runs a suite on a model: asks and judges until nothing is left to ask."""

import asyncio
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from subitize.errors import BadImageError
from subitize.evaluate.costs import Affordable, priced
from subitize.evaluate.driving import Retry, WorkCallbacks, drive, remember
from subitize.evaluate.engines import Caller, Failure, open_caller
from subitize.evaluate.judging import JudgePlan, JudgeTally, judge_run
from subitize.evaluate.pictures import Loader
from subitize.evaluate.plan import SuitePlan, TrialBatch, further_attempts, latest_tried
from subitize.evaluate.processes import result_of
from subitize.evaluate.rendering import Drawing, Renderer, recipe_of
from subitize.evaluate.sampling import batches
from subitize.interfaces import (
    Events,
    Pixels,
    Reply,
    Request,
    Suite,
)
from subitize.io.images import decode, image_format
from subitize.language.numbers import count_noun
from subitize.records import (
    Draw,
    Drawn,
    Failed,
    Item,
    Outcome,
    Refused,
    Response,
    Said,
    Scored,
    Stimulus,
    Stored,
    Trial,
    is_final,
)
from subitize.store import RENEWAL_SECONDS, Lease, Run, codec
from subitize.store.rows import read_trials, read_values

# The trials of one call, with the picture that they are about if it is drawn for them.
_Job = tuple[TrialBatch, Drawing | None]
_MOST_AT_ONCE = 10_000


@dataclass(slots=True)
class RunTally:
    """Outcome counts of one call.

    `impossible`: items whose task the model does not support. `unsettled`: tries that may have been charged without an
    answer.
    """

    answered: int = 0
    refused: int = 0
    failed: int = 0
    already_done: int = 0
    impossible: int = 0
    unsettled: int = 0
    reasons: list[str] = field(default_factory=list)
    judged: JudgeTally | None = None

    def __str__(self) -> str:
        parts = [f"{self.answered} answered", f"{self.refused} refused", f"{self.failed} failed"]
        if self.already_done:
            parts.append(f"{self.already_done} done before")
        if self.impossible:
            parts.append(f"{count_noun(self.impossible, 'item')} it cannot do")
        if self.unsettled:
            parts.append(f"{count_noun(self.unsettled, 'try')} cut short that may have been paid for")
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


def run_suite(plan: SuitePlan, run: Run, events: Events) -> RunTally:
    """Do what is left of a suite on a model; repeating the call continues where a killed one stopped."""
    suite, model = plan.suite, plan.model
    run.add_suite(suite.spec, plan.seed, plan.items, suite.obj.design(), plan.sample())
    _keep_pictures(run, suite.obj, plan.trials.items)
    run.add_model(model.spec, is_stand_in=model.obj.is_stand_in, name=model.name, addresses=model.addresses)
    session = _Session(plan, run, events)
    session.summary.impossible = plan.count_impossible()
    session.go()
    return session.summary


def _keep_pictures(run: Run, suite: Suite, items: Iterable[Item]) -> None:
    """Store the pictures that a suite brings and the run lacks; items name them, so they are not swept."""
    shown = dict.fromkeys(item.task.picture for item in items if not isinstance(item.task, Draw))
    wanted = [one for one in shown if isinstance(one, Stored) and not run.images.path(one).exists()]
    for data in suite.load_pictures(wanted) if wanted else ():
        run.images.save(data, image_format(data))


class _Session:
    """One call of run_suite, under the lease on its model."""

    def __init__(self, plan: SuitePlan, run: Run, events: Events) -> None:
        self._plan, self._run, self._events = plan, run, events
        self._trials, self._config = plan.trials, plan.config
        self._items = {item.id: item for item in plan.trials.items}
        self._renderer = Renderer()
        self._meter = plan.budget.meter(plan.model)
        self._failed: set[str] = set()
        self._is_out_of_money = False
        self.summary = RunTally()

    def go(self) -> None:
        model = self._plan.model
        opened = open_caller("model", model)
        with self._run.lease(model.spec.text) as lease, opened as executor, closing(self._renderer):
            self._run.sweep(lease)
            finished = self._run.finished(model.spec.text)
            # Planned twice, once to count, as a list of all trials would grow with the run.
            left = sum(len(group) for group in self._trials.left(finished)) if finished else self._trials.total
            self.summary.already_done = self._trials.total - left
            groups: Iterable[TrialBatch] = self._trials.left(finished)
            while True:
                self._do(groups, left, lease, executor)
                # What failed in this call is left for the next.
                trials = [trial for (trial,) in self._ask_again(lease) if trial.id not in self._failed]
                groups, left = batches(trials, self._trials.batch_size), len(trials)
                if not left or self._is_out_of_money:
                    return

    def _ask_again(self, lease: Lease) -> Iterator[TrialBatch]:
        plan, judge, model, suite = self._plan, self._plan.judge, self._plan.model.spec, self._plan.suite
        if judge is None:
            return iter(())
        judging = JudgePlan(judge, suite.spec.name, model.text, tries=plan.config.tries, budget=plan.budget)
        judged = judge_run(judging, self._run, self._events, partial(self._run.renew, lease))
        if self.summary.judged is not None:
            judged.readings += self.summary.judged.readings
            judged.unsettled += self.summary.judged.unsettled
        self.summary.judged = judged
        # A model that has its answers ready would give the same again.
        if suite.obj.max_attempts == 1 or plan.model.obj.is_ready_made:
            return iter(())
        trials, values = read_trials(self._run, model.text), read_values(self._run, judge.spec.text)
        tried = latest_tried(self._items.values(), trials, values)
        return further_attempts(suite.obj, model, tried, self._run.finished(model.text))

    def _do(self, groups: Iterable[TrialBatch], total: int, lease: Lease, executor: Caller) -> None:
        """Do the trials; those that ran out of tries get a second round, if any other succeeded."""
        if not total:
            return
        name = str(self._plan.model)
        self._events.begin(name, total)
        if executor.is_waiting:
            self._renderer.expect(total * self._mean_pixels())
        unlucky = self._work(groups, lease, executor)
        is_worth_it = bool(self.summary.answered) and not self._plan.model.obj.is_ready_made
        if unlucky and is_worth_it:
            self._events.begin(f"{name}, once more", len(unlucky))
            groups = batches([response.trial for response in unlucky.values()], self._trials.batch_size)
            unlucky |= self._work(groups, lease, executor, unlucky)
        for response in unlucky.values():
            self._count(response)

    def _work(
        self, groups: Iterable[TrialBatch], lease: Lease, executor: Caller, before: dict[str, Response] | None = None
    ) -> dict[str, Response]:
        """Do the trials, and return the failed responses of those for which trying later may help.

        `before` holds those of an earlier round; what is done now is removed from it.
        """
        unlucky: dict[str, Response] = {}

        def tell(responses: list[Response]) -> None:
            for response in responses:
                (before or {}).pop(response.trial.id, None)
                self._events.advance(has_failed=isinstance(response.outcome, Failed))
                self.summary.unsettled += response.provenance.unsettled_tries
                if is_final(response.outcome):
                    self._count(response)
                else:
                    unlucky[response.trial.id] = response

        who = f"model {str(self._plan.model)!r}"
        retry: Retry[Any, Any] = Retry(who, executor.call, self._config.tries)
        callbacks: WorkCallbacks[tuple[_Job, float], list[Response]] = WorkCallbacks(
            perform=lambda funded: self._perform(funded, retry),
            commit=lambda done: self._run.add_responses(lease, list(chain.from_iterable(done))),
            renew=lambda: self._run.renew(lease),
            renewal_seconds=RENEWAL_SECONDS,
            concurrency=self._config.concurrency or executor.concurrency,
            on_committed=tell,
        )
        jobs = self._renderer.draw_ahead(groups, self._recipe_of)
        affordable = Affordable(jobs, self._meter, lambda job: (self._items[one.item_id].task for one in job[0]))
        self._is_out_of_money = affordable.work_off(lambda: executor.run(lambda: drive(affordable, callbacks)))
        return unlucky

    def _recipe_of(self, group: TrialBatch) -> Stimulus | None:
        return recipe_of(self._items[group[0].item_id].task)

    def _mean_pixels(self) -> float:
        """Return the mean number of pixels to draw per trial; questions about one picture come in a row."""
        recipes = {recipe_of(item.task) for item in self._trials.items}
        return sum(recipe.size_px**2 for recipe in recipes if recipe) / len(self._trials.items)

    async def _perform(self, funded: tuple[_Job, float], retry: Retry[Any, Any]) -> list[Response]:
        (group, drawing), reserved_usd = funded
        load = Loader(self._run.images, await result_of(drawing) if drawing else {})
        requests = tuple(self._request(trial, load) for trial in group)
        given = await retry.ask(requests, lambda: self._meter.write_off(reserved_usd))
        if fault := _fault(given.each, len(group)):
            broken = [Failure(f"model {str(self._plan.model)!r} {fault}")] * len(group)
            given = replace(given, each=broken, seconds=0.0)
        usd = iter(self._meter.settle(reserved_usd, [one.usage for one in given.each if isinstance(one, Reply)]))
        responses = []
        for trial, request, one in zip(group, requests, given.each, strict=True):
            # Tries that may have been charged are stored with the first trial of their call: each was one call.
            unsettled = given.unsettled if trial is group[0] else 0
            if isinstance(one, Failure):
                outcome: Outcome = Failed(one.reason, is_transient=True)
                provenance, seconds = priced(request.provenance(), None, unsettled), given.seconds
            else:
                outcome = await self._keep(trial, one)
                provenance = priced(one.provenance, next(usd), unsettled)
                seconds = given.seconds if one.seconds is None else one.seconds
            responses.append(Response(trial, outcome, provenance, given.tries, seconds))
        return responses

    def _request(self, trial: Trial, load: Loader) -> Request:
        task, seed = self._items[trial.item_id].task, trial.seed(self._plan.seed)
        return Request(trial.item_id, task, trial.repeat, trial.attempt, seed, load, trial.id)

    async def _keep(self, trial: Trial, reply: Reply) -> Outcome:
        """Store the picture, if it is one. What a model returns is bounded and checked before it is trusted."""
        match reply.content:
            case Said(text=text) if len(text) > codec.LONGEST_TEXT:
                most = f"at most {codec.LONGEST_TEXT:,}"
                return Failed(f"{trial.item_id}: an answer of {len(text):,} characters; {most}", True)
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
        if isinstance(response.outcome, Failed):
            self._failed.add(response.trial.id)


def _fault(replies: object, wanted: int) -> str:
    """Return why replies could not be stored or read back, or an empty text."""
    if not isinstance(replies, Sequence) or len(replies) != wanted:
        return f"should give {wanted} replies, not {replies!r:.80}"
    return next(filter(None, map(_fault_of, replies)), "")


def _fault_of(reply: object) -> str:
    if isinstance(reply, Failure):
        return ""
    if not isinstance(reply, Reply):
        return f"should give a Reply, not {reply!r:.80}"
    match reply.content:
        case Pixels(data=data):
            return "" if isinstance(data, bytes) else f"gave pixels that are no bytes: {data!r:.80}"
        case Scored(scores=scores) if not all(math.isfinite(score) for score in scores.values()):
            return f"gave scores that are no numbers: {scores!r:.80}"
        case Said(text=str(), tokens=(), kind="said"):  # any text can be stored
            return codec.fault(codec.provenance, reply.provenance)
        case content:
            return codec.fault(codec.outcome, content) or codec.fault(codec.provenance, reply.provenance)
