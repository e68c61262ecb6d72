"""Executes a plan: suite by suite and model by model, each behind its sight check, and says what was done."""

import shlex
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from subitize.analysis.advice import advise_rules, warn_of_reward_judges
from subitize.errors import BudgetError, NothingToDoError, RunError
from subitize.evaluate.costs import Budget
from subitize.evaluate.engines import Engine, started
from subitize.evaluate.judging import JudgeTally, self_test
from subitize.evaluate.plan import Plan, SuitePlan, check_suites
from subitize.evaluate.running import RunTally, run_suite
from subitize.evaluate.sight import check_sight
from subitize.interfaces import Events
from subitize.language.numbers import count_noun
from subitize.records import REFINED, base_suite
from subitize.registry import is_outside
from subitize.store import SAMPLED_FROM_AT_MOST, Run
from subitize.suites.refined import Refined

_REASONS_NAMED = 3


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
            f"stopped at --max-cost {budget.limit_usd:g}: US$ {budget.spent_usd:.4f} are spent or may be; "
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
