"""Executes a plan: asks each model behind its sight check, judges, and asks again until nothing is left.

A server may drop the picture, and the model still answer: so a model must first count one to four things in plain
pictures. Blind guesses at one of four numbers pass 5 % of checks; a model that is right in four of five answers fails
0.4 %."""

import asyncio
import math
import shlex
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from subitize.analysis.advice import advise_rules, warn_of_reward_judges
from subitize.errors import BadImageError, BudgetError, NothingToDoError, RunError, UnusableModelError
from subitize.evaluate.costs import Budget, priced
from subitize.evaluate.driving import Given, drive, remember
from subitize.evaluate.engines import Caller, Engine, Failure, started
from subitize.evaluate.judging import JudgePlan, JudgeTally, judge_run, self_test
from subitize.evaluate.pictures import Drawing, Loader, Renderer, recipe_of
from subitize.evaluate.plan import (
    Plan,
    PlannedTrial,
    Planner,
    SuitePlan,
    TrialBatch,
    TriedAttempts,
    check_suites,
    collect_values,
    further_attempts,
)
from subitize.evaluate.processes import result_of
from subitize.evaluate.sampling import batches
from subitize.interfaces import Events, Pixels, Reply, Request, Suite
from subitize.io import codec
from subitize.io.images import decode, image_format
from subitize.language.nouns import singular
from subitize.language.numbers import count_noun
from subitize.records import (
    REFINED,
    SIGHT_CHECK,
    Draw,
    Drawn,
    Failed,
    Item,
    Outcome,
    Refused,
    Response,
    Said,
    Scored,
    Spec,
    Stimulus,
    Stored,
    Task,
    Trial,
    base_suite,
    is_final,
)
from subitize.registry import Resolved, is_outside
from subitize.store import SAMPLED_FROM_AT_MOST, Lease, Run
from subitize.store.rows import read_trials, read_values
from subitize.suites.refined import Refined
from subitize.suites.sight import NEEDED, SightAnswers, SightCheck, read_checks

_REASONS_NAMED = 3
# The trials of one call, with the picture that they are about if it is drawn for them.
_Job = tuple[TrialBatch, Drawing | None]
_Done = tuple[PlannedTrial, Response]
_SIGHT_SUITE: Resolved[Suite] = Resolved(Spec(SIGHT_CHECK, {}, SIGHT_CHECK), SightCheck(), SIGHT_CHECK)
_WRONG_ANSWERS_SHOWN = 4


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


@dataclass(frozen=True, slots=True)
class RunResult:
    """The tallies of an evaluation, model by model, and those of its judge."""

    ran: Sequence[RunTally]
    judged: Sequence[JudgeTally]

    @property
    def failures(self) -> list[str]:
        """The reasons of failures."""
        ran = chain.from_iterable(tally.reasons for tally in self.ran)
        return [*ran, *chain.from_iterable(tally.reasons for tally in self.judged)]


def prepare(plan: Plan, events: Events) -> None:
    """Before a run is made: refuse what cannot work, test the judge, and list which answers are ready."""
    for part in plan.parts:
        if is_outside(part.suite):  # its items are checked as they are made
            deque(islice(part.items, SAMPLED_FROM_AT_MOST), maxlen=0)
        part.model.obj.check()
        if part.judge is not None:
            part.judge.obj.check()
    for note in plan.notes:
        events.warn(note)
    if plan.judge is not None and (line := self_test(plan.judge)):
        events.warn(line)
    for line in chain.from_iterable(part.matched for part in plan.parts):
        events.say(line)


def execute(plan: Plan, run: Run, events: Events, engine: Engine | None = None) -> RunResult:
    """Do what is left to do in a run, model by model, on this machine or by another engine; return the result."""
    with started(engine) as own:
        return _execute(plan, run, own, events)


def _execute(plan: Plan, run: Run, engine: Engine, events: Events) -> RunResult:
    has_refined = bool(plan.config.refine)
    if has_refined:
        check_suites(plan.parts, run)
    plan.budget.begin(run)
    tallies: list[RunTally] = []
    for part in plan.parts:
        if plan.config.sight_check and (line := check_sight(part, run, engine, events)):
            events.warn(line)
        tallies.append(tally := run_suite(part, run, engine, events))
        which = f"{part.suite.spec.name} on " if has_refined else ""
        events.say(f"{which}{part.model}: {tally}")
    for line in _describe_refined(plan.parts):
        events.say(line)
    if plan.judge is not None:
        for line in warn_of_reward_judges(run, plan.judge.spec.text):
            events.warn(line)
    return RunResult(tallies, [tally.judged for tally in tallies if tally.judged is not None])


def advise(plan: Plan, run: Run, name: str) -> list[str]:
    """Advise how to go on with the run, and which other rule would read discarded answers."""
    go_on = f"score {shlex.quote(name)}" if plan.judge else f"judge {shlex.quote(name)} --judge NAME"
    stored = f"stored in {name}{plan.budget.spending}; see: subitize {go_on}"
    return [stored, *(advise_rules(run, name, plan.judge.spec.text) if plan.judge else [])]


def raise_errors(budget: Budget, result: RunResult, judge: str | None) -> None:
    """Raise an error if money ran out, if something failed, or if a named judge answered nothing."""
    if budget.is_exhausted:
        raise BudgetError(
            f"stopped at `max_cost` {budget.limit_usd:g}: US$ {budget.spent_usd:.4f} are spent or may be; "
            "what was answered is stored: raise the limit, and the same command goes on"
        )
    raise_failures(result.failures)
    if judge and result.judged and all(tally.is_in_vain for tally in result.judged):
        raise NothingToDoError(
            f"judge {judge!r} answered nothing: it can answer none of the questions here; see: subitize list judges"
        )


def raise_failures(reasons: Sequence[str]) -> None:
    """Raise an error with the first reasons, if anything failed."""
    if reasons:
        distinct = list(dict.fromkeys(reasons))
        others = len(distinct) - _REASONS_NAMED
        more = f" (and {count_noun(others, 'other reason')})" if others > 0 else ""
        raise RunError(
            f"some failed: {'; '.join(distinct[:_REASONS_NAMED])}{more}; the same command tries again what may still "
            "succeed"
        )


def _describe_refined(parts: Sequence[SuitePlan]) -> Iterator[str]:
    """Describe how many prompts of each refined suite are unchanged, which matters to a comparison."""
    by_suite = {part.suite.spec.name: part for part in parts if REFINED in part.suite.spec.name}
    for name, part in by_suite.items():
        items = list(part.trials.items)
        kept = sum(item.factors["is_refined"] is False for item in items)
        bases = {item.base for item in items}
        whole = [one for one in parts if one.suite.spec.name == base_suite(name)]
        left_out = [item.id for one in whole[:1] for item in one.trials.items if item.id not in bases]
        if left_out:
            what = "item is" if len(left_out) == 1 else "items are"
            yield (
                f"{name}: {len(left_out):,} {what} left out, the first {left_out[0]}: no single number of one kind of "
                "things is found in its prompt"
            )
        if kept:
            why = part.suite.obj.why_kept if isinstance(part.suite.obj, Refined) else Refined.why_kept
            yield f"{name}: {kept:,} of {len(items):,} prompts as they were ({why})"


def run_suite(plan: SuitePlan, run: Run, engine: Engine, events: Events) -> RunTally:
    """Do what is left of a suite on a model; repeating the call continues where a killed one stopped."""
    suite, model = plan.suite, plan.model
    run.add_suite(suite.spec, plan.seed, plan.items, suite.obj.design(), plan.sample())
    _keep_pictures(run, suite.obj, plan.trials.items)
    run.add_model(model.spec, is_stand_in=model.obj.is_stand_in, name=model.name, addresses=model.addresses)
    session = _Session(plan, run, engine, events)
    session.summary.impossible = plan.count_impossible()
    session.go()
    return session.summary


def _keep_pictures(run: Run, suite: Suite, items: Iterable[Item]) -> None:
    """Store the pictures that a suite brings and the run lacks; items name them, so they are not swept."""
    shown = (item.task.picture for item in items if not isinstance(item.task, Draw))
    stored = dict.fromkeys(one for one in shown if isinstance(one, Stored))
    wanted = [one for one in stored if not run.images.path(one).exists()]
    for data in suite.load_pictures(wanted) if wanted else ():
        run.images.save(data, image_format(data))


class _Session:
    """One call of run_suite, under the lease on its model; the work that is driven."""

    def __init__(self, plan: SuitePlan, run: Run, engine: Engine, events: Events) -> None:
        self._plan, self._run, self._engine, self._events = plan, run, engine, events
        self._trials, self._config = plan.trials, plan.config
        self._renderer = Renderer(engine.submit)
        self._unlucky: dict[str, _Done] = {}
        self._failed: set[str] = set()
        self._lease: Lease
        self.who = f"model {str(plan.model)!r}"
        self.summary = RunTally()

    def go(self) -> None:
        model = self._plan.model
        with self._run.lease(model.spec.text) as self._lease, self._engine.start("model", model) as caller:
            self._run.sweep(self._lease)
            finished = self._run.finished(model.spec.text)
            # Planned twice, once to count, as a list of all trials would grow with the run.
            total = self._trials.total
            left = sum(len(group) for group in self._trials.left(finished)) if finished else total
            self.summary.already_done = total - left
            groups: Iterable[TrialBatch] = self._trials.left(finished)
            while True:
                is_out_of_money = self._do(groups, left, caller)
                # What failed in this call is left for the next.
                again = [one for one in self._ask_again() if one.trial.id not in self._failed]
                groups, left = batches(again, self._trials.batch_size), len(again)
                if not left or is_out_of_money:
                    return

    def _ask_again(self) -> list[PlannedTrial]:
        plan, judge, model, suite = self._plan, self._plan.judge, self._plan.model.spec, self._plan.suite
        if judge is None:
            return []
        judging = JudgePlan(judge, suite.spec.name, model.text, tries=plan.config.tries, budget=plan.budget)
        judged = judge_run(judging, self._run, self._engine, self._events, self.renew)
        if self.summary.judged is not None:
            judged.readings += self.summary.judged.readings
            judged.unsettled += self.summary.judged.unsettled
        self.summary.judged = judged
        # A model that has its answers ready would give the same again.
        if suite.obj.max_attempts == 1 or plan.model.obj.is_ready_made:
            return []
        values = collect_values(read_values(self._run, judge.spec.text))
        tried = TriedAttempts(plan.trials.items, read_trials(self._run, model.text), values)
        again = list(further_attempts(suite.obj, model, tried))
        finished = self._run.finished(model.text) if again else ()
        return [one for one in again if one.trial.id not in finished]

    def _do(self, groups: Iterable[TrialBatch], total: int, caller: Caller) -> bool:
        """Do the trials; those that ran out of tries get a second round, if any other succeeded.

        Return whether money ran out.
        """
        if not total:
            return False
        name = str(self._plan.model)
        self._events.begin(name, total)
        if caller.is_waiting:
            self._renderer.expect(total * self._mean_pixels())
        is_out_of_money = self._ask(groups, caller)
        is_worth_it = bool(self.summary.answered) and not self._plan.model.obj.is_ready_made
        if self._unlucky and is_worth_it:
            self._events.begin(f"{name}, once more", len(self._unlucky))
            again = [planned for planned, _ in self._unlucky.values()]
            is_out_of_money = self._ask(batches(again, self._trials.batch_size), caller)
        for _, response in self._unlucky.values():
            self._count(response)
        self._unlucky = {}
        return is_out_of_money

    def _ask(self, groups: Iterable[TrialBatch], caller: Caller) -> bool:
        jobs = self._renderer.draw_ahead(groups, self._recipe_of)
        meter, config = self._plan.budget.meter(self._plan.model), self._config
        return drive(jobs, self, caller, meter, tries=config.tries, slots=config.concurrency)

    def tasks(self, job: _Job) -> Iterator[Task]:
        return (one.item.task for one in job[0])

    async def requests(self, job: _Job) -> Sequence[Request]:
        group, drawing = job
        load = Loader(self._run.images, await result_of(drawing) if drawing else {})
        return tuple(self._request(one, load) for one in group)

    async def finish(self, job: _Job, requests: Sequence[Request], given: Given) -> list[_Done]:
        group, responses = job[0], []
        fault = next(filter(None, map(_fault_of, given.each)), "")
        for planned, request, one, usd in zip(group, requests, given.each, given.usd, strict=True):
            # Tries that may have been charged are stored with the first trial of their call: each was one call.
            unsettled = given.unsettled if planned is group[0] else 0
            if fault or isinstance(one, Failure):
                outcome: Outcome = Failed(f"{self.who} {fault}" if fault else one.reason, is_transient=True)
                provenance, seconds = request.provenance(), 0.0 if fault else given.seconds
            else:
                outcome, provenance = await self._keep(planned.trial, one), one.provenance
                seconds = given.seconds if one.seconds is None else one.seconds
            how = priced(provenance, usd[0] if usd else None, unsettled)
            response = Response(planned.trial, outcome, how, given.tries, seconds)
            responses.append((planned, response))
        return responses

    def commit(self, done: Sequence[list[_Done]]) -> None:
        self._run.add_responses(self._lease, [response for _, response in chain.from_iterable(done)])

    def renew(self) -> None:
        self._run.renew(self._lease)

    def tell(self, done: list[_Done]) -> None:
        """Count the responses, and remember the failed ones for which trying later may help."""
        for planned, response in done:
            self._unlucky.pop(response.trial.id, None)
            self._events.advance(has_failed=isinstance(response.outcome, Failed))
            self.summary.unsettled += response.provenance.unsettled_tries
            if is_final(response.outcome):
                self._count(response)
            else:
                self._unlucky[response.trial.id] = planned, response

    def _recipe_of(self, group: TrialBatch) -> Stimulus | None:
        return recipe_of(group[0].item.task)

    def _mean_pixels(self) -> float:
        """Return the mean number of pixels to draw per trial; questions about one picture come in a row."""
        count, pixels, latest = 0, 0, None
        for item in self._trials.items:
            recipe, count = recipe_of(item.task), count + 1
            pixels += recipe.size_px**2 if recipe is not None and recipe != latest else 0
            latest = recipe
        return pixels / count

    def _request(self, planned: PlannedTrial, load: Loader) -> Request:
        trial, item = planned
        return Request(item.id, item.task, trial.repeat, trial.attempt, trial.seed(self._plan.seed), load, trial.id)

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


def _fault_of(reply: object) -> str:
    """Return why a reply could not be stored or read back, or an empty text."""
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


def plan_check(plan: SuitePlan, run: Run | None) -> SuitePlan | None:
    """Plan the sight check of a model that answers about pictures, unless it has passed or already has answers.

    A failed check is repeated: the server may have been fixed.
    """
    if not _needs_check(plan, run):
        return None
    checks = [] if run is None else read_checks(run, plan.model.spec.text)
    if checks and checks[-1].is_passed:
        return None
    repeats = len(checks) + (not checks or checks[-1].is_whole)
    return Planner(plan.config, run, None, plan.budget).plan_all(_SIGHT_SUITE, plan.model, repeats)


def check_sight(plan: SuitePlan, run: Run, engine: Engine, events: Events) -> str:
    """Run the sight check, if the model needs one; return a line about its result, or an empty text."""
    planned, model = plan_check(plan, run), str(plan.model)
    if planned is None:
        return ""
    summary = run_suite(planned, run, engine, events)
    if plan.budget.is_exhausted:
        return ""
    check = next(reversed(read_checks(run, plan.model.spec.text)), SightAnswers({}))
    if not check.is_whole:
        raise RunError(f"the sight check of {model} is not finished: {'; '.join(summary.reasons)}")
    if not check.is_passed:
        raise UnusableModelError(_complain(model, check))
    return f"sight check of {model}: {check}"


def _needs_check(plan: SuitePlan, run: Run | None) -> bool:
    """Return whether a real model is about to be asked about pictures of this suite for the first time."""
    model = plan.model
    if model.obj.is_stand_in or model.obj.is_self_tested or "answer" not in model.obj.tasks:
        return False
    # A suite may have more items than can be made.
    if not any(item.task.kind == "answer" for item in islice(plan.items, SAMPLED_FROM_AT_MOST)):
        return False
    begun = read_trials(run, model.spec.text) if run else ()
    return not any(row.item_id.startswith(f"{plan.suite.spec.name}/") for row in begun)


def _complain(model: str, check: SightAnswers) -> str:
    examples = "; ".join(f"{_shown(item)}: {_words(outcome)}" for item, outcome in check.wrong[:_WRONG_ANSWERS_SHOWN])
    return (
        f"{model} named the number in {check.right} of {len(check.said)} plain pictures of one to four things, and "
        f"{NEEDED} are needed ({examples}). Does the server hand the picture on to the model? To run it all the same: "
        "--no-sight-check"
    )


def _shown(item: Item) -> str:
    _, category, number = item.id.split("/")
    return count_noun(int(number), singular(category))


def _words(outcome: Outcome) -> str:
    match outcome:
        case Said(text=text):
            return repr(text[:40])
        case Refused(reason=reason):
            return f"refused, {reason[:40]!r}"
    return outcome.kind
