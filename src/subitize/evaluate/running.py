"""Runs a suite on a model, alone or beside its refinements: plan, ask, judge, until nothing is left to ask.

With refinements the models, judge and items are the same; items that cannot be refined are reported."""

import asyncio
import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Any

from subitize.errors import BadFileError, BadImageError, BadValueError, NothingToDoError
from subitize.evaluate.costs import Affordable, Budget, priced
from subitize.evaluate.driving import Retry, WorkCallbacks, drive, remember
from subitize.evaluate.engines import Caller, Failure, open_caller
from subitize.evaluate.identities import resolve_judge, resolve_models
from subitize.evaluate.judging import JudgeConfig, JudgeTally, judge_run
from subitize.evaluate.pictures import Loader
from subitize.evaluate.plan import TrialBatch, TrialPlan, batches, check_size, further_attempts, items_of, latest_tried
from subitize.evaluate.processes import result_of
from subitize.evaluate.rendering import Drawing, Renderer, recipe_of
from subitize.evaluate.sampling import SCHEME, sample_of
from subitize.interfaces import (
    ComputesSeveral,
    Events,
    Judge,
    Matched,
    Model,
    Pixels,
    Reply,
    Request,
    Suite,
)
from subitize.io.images import decode, image_format
from subitize.language.numbers import count_noun
from subitize.records import (
    REFINED,
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
    base_suite,
    is_final,
)
from subitize.registry import Resolved, is_outside
from subitize.store import RENEWAL_SECONDS, SAMPLED_FROM_AT_MOST, Lease, Run, Sample, codec
from subitize.store.reading import read_trials, read_values
from subitize.suites.refined import Refined

# The trials of one call, with the picture that they are about if it is drawn for them.
_Job = tuple[TrialBatch, Drawing | None]
_MOST_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What to run and how. With a judge, a suite can retry items whose picture showed nothing.

    With a `base`, a limit takes the items refined from those it takes of the base, so that the two can be compared.
    """

    suite: Resolved[Suite]
    model: Resolved[Model]
    judge: Resolved[Judge] | None = None
    seed: int | None = None
    repeats: int | None = None
    limit: int | None = None
    concurrency: int | None = None
    tries: int = 5
    ledger: Budget = field(default_factory=Budget)
    base: Resolved[Suite] | None = None
    only_found: bool = False
    """Whether to ask a model that has its answers ready only for those that it has."""

    def __post_init__(self) -> None:
        if self.only_found and not self.model.obj.is_ready_made:
            raise BadValueError(
                f"--only-found is for models that have their images ready, as folder:PATH; not {self.model}"
            )
        for name in ("repeats", "limit", "concurrency", "tries"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadValueError(f"--{name} {value}: should be at least 1")
        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise BadValueError(f"--seed {self.seed}: should be from 0 to {2**63 - 1}")
        if self.concurrency is not None and self.concurrency > _MOST_AT_ONCE:
            raise BadValueError(f"--concurrency {self.concurrency:,}: should be at most {_MOST_AT_ONCE:,}")
        check_size(self.suite, self.seed or 0, self.limit, self.repeats or self.suite.obj.repeats)
        items = items_of(self.suite, self.seed or 0)
        first = next(
            (item for item in islice(items, SAMPLED_FROM_AT_MOST) if item.task.kind in self.model.obj.tasks), None
        )
        # A limit without a price is refused before there is a run.
        if first is not None:
            self.ledger.meter(self.model).expect_usd([first.task])
        if self.judge is not None:
            self.ledger.meter(self.judge)
        if first is None:
            kinds = sorted({item.task.kind for item in islice(items, SAMPLED_FROM_AT_MOST)})
            raise NothingToDoError(
                f"model {str(self.model)!r} cannot do {self.suite.spec.name!r}: "
                f"it can {', '.join(sorted(self.model.obj.tasks))}, the suite asks to {', '.join(kinds)}"
            )

    def check(self) -> None:
        """Refuse what cannot work before anything is made: a model without its key, a suite of bad items."""
        if is_outside(self.suite):
            deque(islice(items_of(self.suite, self.seed or 0), SAMPLED_FROM_AT_MOST), maxlen=0)
        self.model.obj.check()
        if self.judge is not None:
            self.judge.obj.check()


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


def run_suite(run: Run, settings: RunSettings, events: Events) -> RunTally:
    """Do what is left of a suite on a model; repeating the call continues where a killed one stopped."""
    (model,), _ = resolve_models(run, [settings.model])
    judge = settings.judge and resolve_judge(run, settings.judge)[0]
    settings, suite = replace(settings, model=model, judge=judge), settings.suite
    setup = settle(run, suite.spec.name, settings.seed)
    matched = match_suite(settings, setup.seed)
    selected, items = select_items(settings, setup), items_of(suite, setup.seed)
    run.add_suite(suite.spec, setup.seed, items, suite.obj.design(), _sample(settings, setup, selected))
    _keep_pictures(run, suite.obj, selected)
    run.add_model(model.spec, is_stand_in=model.obj.is_stand_in, name=model.name, addresses=model.addresses)
    session = _Session(run, settings, setup.seed, plan_suite(settings, selected, matched), events)
    looked_at = items if settings.limit is None else islice(items, SAMPLED_FROM_AT_MOST)
    session.summary.impossible = sum(item.task.kind not in model.obj.tasks for item in looked_at)
    session.go()
    return session.summary


def _keep_pictures(run: Run, suite: Suite, items: Iterable[Item]) -> None:
    """Store the pictures that a suite brings and the run lacks; items name them, so they are not swept."""
    shown = dict.fromkeys(item.task.picture for item in items if not isinstance(item.task, Draw))
    wanted = [one for one in shown if isinstance(one, Stored) and not run.images.path(one).exists()]
    for data in suite.load_pictures(wanted) if wanted else ():
        run.images.save(data, image_format(data))


def check_suites(run: Run, each: Iterable[RunSettings]) -> None:
    """Refuse suites that the run has with other items, before a model is asked anything."""
    for settings in {settings.suite.spec.name: settings for settings in each}.values():
        suite = settings.suite
        setup = settle(run, suite.spec.name, settings.seed)
        run.check_suite(suite.spec, setup.seed, items_of(suite, setup.seed))
        select_items(settings, setup)


def plan_suite(settings: RunSettings, selected: Sequence[Item], matched: Matched | None) -> TrialPlan:
    """Plan the trials of the selected items; with `only_found`, just those that the model has ready."""
    model, suite = settings.model, settings.suite.obj
    batch_size = model.obj.batch_size if isinstance(model.obj, ComputesSeveral) else 1
    absent: frozenset[tuple[str, int]] = frozenset()
    if settings.only_found and matched is not None:
        ids = {item.id for item in selected}
        absent = frozenset(trial for trial in matched.absent if trial[0] in ids)
    return TrialPlan(
        selected, model.spec, settings.repeats or suite.repeats, model.obj.repeats_per_call, batch_size, absent
    )


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """The seed of a suite's items, and the scheme by which a limit samples them; None: it takes the first."""

    seed: int = 0
    sampling: str | None = SCHEME


def select_items(settings: RunSettings, setup: SuitePlan) -> list[Item]:
    """Select the items that the model can do and the limit takes, in suite order."""
    possible = (item for item in items_of(settings.suite, setup.seed) if item.task.kind in settings.model.obj.tasks)
    if settings.limit is None:
        return list(possible)
    taken = _take(settings, setup, settings.limit)
    if settings.base is None:
        return list(islice((item for item in possible if item.id in taken), len(taken)))
    refined = [item for item in possible if item.base in taken]
    if not refined:
        raise NothingToDoError(
            f"{settings.suite.spec.name}: none of the {settings.limit:,} items that --limit takes can be refined; "
            "raise it"
        )
    return refined


def _take(settings: RunSettings, setup: SuitePlan, limit: int) -> set[str]:
    """Return the ids of the first `limit` items of the suite, or of its base, that the model can do."""
    suite = settings.base or settings.suite
    order = items_of(suite, setup.seed) if setup.sampling is None else sample_of(suite, setup.seed, setup.sampling)
    return {item.id for item in islice((one for one in order if one.task.kind in settings.model.obj.tasks), limit)}


def _sample(settings: RunSettings, setup: SuitePlan, selected: Sequence[Item]) -> Sample | None:
    """Return the sample to be stored: the selected items, or all without a limit; None if the run does not sample."""
    if setup.sampling is None:
        return None
    placed = enumerate(items_of(settings.suite, setup.seed))
    if settings.limit is None:
        return Sample(setup.sampling, list(placed))
    taken = {item.id for item in selected}
    return Sample(setup.sampling, list(islice((one for one in placed if one[1].id in taken), len(taken))))


def match_suite(settings: RunSettings, seed: int) -> Matched | None:
    """Find the answers of a model that has them ready; refuse if none fits the suite, before anything is stored."""
    model, suite = settings.model, settings.suite
    if not model.obj.is_ready_made:
        return None
    matched = model.obj.match(list(items_of(suite, seed)), settings.repeats or suite.obj.repeats)
    if not matched.count:
        raise BadFileError(f"{model} has nothing for suite {suite.spec.name!r}: {'; '.join(matched.lines())}")
    return matched


def list_matches(settings: RunSettings) -> list[str]:
    """Describe which ready answers of a model fit the suite, before anything is stored."""
    matched = match_suite(settings, settings.seed or 0)
    return [] if matched is None else matched.lines()


def settle(run: Run | None, suite: str, seed: int | None) -> SuitePlan:
    """Choose the seed (given, else the run's, else 0), and the sampling of the run's suite or its base suite."""
    known = {} if run is None else {entry.name: entry for entry in run.suites()}
    like = known.get(suite) or known.get(base_suite(suite))
    if run is None or like is None:
        return SuitePlan(seed or 0)
    sampling = run.samplings().get(like.name)
    return SuitePlan(like.seed if seed is None else seed, sampling.scheme if sampling else None)


class _Session:
    """One call of run_suite, under the lease on its model."""

    def __init__(self, run: Run, settings: RunSettings, seed: int, plan: TrialPlan, events: Events) -> None:
        self._run, self._settings, self._seed, self._plan, self._events = run, settings, seed, plan, events
        self._items = {item.id: item for item in plan.items}
        self._renderer = Renderer()
        self._meter = settings.ledger.meter(settings.model)
        self._failed: set[str] = set()
        self._is_out_of_money = False
        self.summary = RunTally()

    def go(self) -> None:
        model = self._settings.model
        opened = open_caller("model", model)
        with self._run.lease(model.spec.text) as lease, opened as executor, closing(self._renderer):
            self._run.sweep(lease)
            finished = self._run.finished(model.spec.text)
            # Planned twice, once to count, as a list of all trials would grow with the run.
            left = sum(len(group) for group in self._plan.left(finished)) if finished else self._plan.total
            self.summary.already_done = self._plan.total - left
            groups: Iterable[TrialBatch] = self._plan.left(finished)
            while True:
                self._do(groups, left, lease, executor)
                # What failed in this call is left for the next.
                trials = [trial for (trial,) in self._ask_again(lease) if trial.id not in self._failed]
                groups, left = batches(trials, self._plan.batch_size), len(trials)
                if not left or self._is_out_of_money:
                    return

    def _ask_again(self, lease: Lease) -> Iterator[TrialBatch]:
        settings = self._settings
        judge, model, suite = settings.judge, settings.model.spec, settings.suite
        if judge is None:
            return iter(())
        keep_alive = partial(self._run.renew, lease)
        scope = JudgeConfig(suite.spec.name, model.text, settings.tries, keep_alive, settings.ledger)
        judged = judge_run(self._run, judge, self._events, scope)
        if self.summary.judged is not None:
            judged.readings += self.summary.judged.readings
            judged.unsettled += self.summary.judged.unsettled
        self.summary.judged = judged
        # A model that has its answers ready would give the same again.
        if suite.obj.max_attempts == 1 or settings.model.obj.is_ready_made:
            return iter(())
        trials, values = read_trials(self._run, model.text), read_values(self._run, judge.spec.text)
        tried = latest_tried(self._items.values(), trials, values)
        return further_attempts(suite.obj, model, tried, self._run.finished(model.text))

    def _do(self, groups: Iterable[TrialBatch], total: int, lease: Lease, executor: Caller) -> None:
        """Do the trials; those that ran out of tries get a second round, if any other succeeded."""
        if not total:
            return
        name = str(self._settings.model)
        self._events.begin(name, total)
        if executor.is_waiting:
            self._renderer.expect(total * self._mean_pixels())
        unlucky = self._work(groups, lease, executor)
        is_worth_it = bool(self.summary.answered) and not self._settings.model.obj.is_ready_made
        if unlucky and is_worth_it:
            self._events.begin(f"{name}, once more", len(unlucky))
            groups = batches([response.trial for response in unlucky.values()], self._plan.batch_size)
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

        who = f"model {str(self._settings.model)!r}"
        retry: Retry[Any, Any] = Retry(who, executor.call, self._settings.tries)
        callbacks: WorkCallbacks[tuple[_Job, float], list[Response]] = WorkCallbacks(
            perform=lambda funded: self._perform(funded, retry),
            commit=lambda done: self._run.add_responses(lease, list(chain.from_iterable(done))),
            renew=lambda: self._run.renew(lease),
            renewal_seconds=RENEWAL_SECONDS,
            concurrency=self._settings.concurrency or executor.concurrency,
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
        recipes = {recipe_of(item.task) for item in self._plan.items}
        return sum(recipe.size_px**2 for recipe in recipes if recipe) / len(self._plan.items)

    async def _perform(self, funded: tuple[_Job, float], retry: Retry[Any, Any]) -> list[Response]:
        (group, drawing), reserved_usd = funded
        load = Loader(self._run.images, await result_of(drawing) if drawing else {})
        requests = tuple(self._request(trial, load) for trial in group)
        given = await retry.ask(requests, lambda: self._meter.write_off(reserved_usd))
        if fault := _fault(given.each, len(group)):
            broken = [Failure(f"model {str(self._settings.model)!r} {fault}")] * len(group)
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
        task, seed = self._items[trial.item_id].task, trial.seed(self._seed)
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


def pair_settings(base: Sequence[RunSettings], refined: Sequence[Resolved[Suite]]) -> list[RunSettings]:
    """Combine a suite and then its refinements with each model; a limit takes the same items of each."""
    return [*base, *(replace(settings, suite=suite, base=settings.suite) for suite in refined for settings in base)]


def describe_refined(each: Sequence[RunSettings], run: Run) -> Iterator[str]:
    """Describe how many prompts of each refined suite are unchanged, which matters to a comparison."""
    by_suite = {settings.suite.spec.name: settings for settings in each if REFINED in settings.suite.spec.name}
    for name, settings in by_suite.items():
        items = _select(settings, run)
        kept = sum(item.factors["is_refined"] is False for item in items)
        bases = {item.base for item in items}
        whole = [one for one in each if one.suite.spec.name == base_suite(name)]
        left_out = [item.id for one in whole[:1] for item in _select(one, run) if item.id not in bases]
        if left_out:
            what = "item is" if len(left_out) == 1 else "items are"
            yield (
                f"{name}: {len(left_out):,} {what} left out, the first {left_out[0]}: no single number of one kind of "
                "things is found in its prompt"
            )
        if kept:
            why = settings.suite.obj.why_kept if isinstance(settings.suite.obj, Refined) else Refined.why_kept
            yield f"{name}: {kept:,} of {len(items):,} prompts as they were ({why})"


def _select(settings: RunSettings, run: Run) -> list[Item]:
    return select_items(settings, settle(run, settings.suite.spec.name, settings.seed))
