"""A whole evaluation, as one command makes it: runs models on a suite and its refinements, then judges."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from subitize.analysis.advice import advise_rules, warn_of_reward_judges
from subitize.errors import BudgetError, NothingToDoError, RunError, SubitizeError
from subitize.evaluate.costs import Budget
from subitize.evaluate.identities import open_if_any, resolve_judge, resolve_models
from subitize.evaluate.judging import JudgeConfig, JudgeTally, check_default, judge_run, self_test
from subitize.evaluate.running import (
    RunSettings,
    check_suites,
    describe_refined,
    list_matches,
    pair_settings,
    run_suite,
)
from subitize.evaluate.sight import check_sight
from subitize.interfaces import Events, Judge, Model, Suite
from subitize.labels import Rule, parse_rule
from subitize.language.numbers import count_noun
from subitize.registry import Resolved, make_judge
from subitize.store import Location, Run
from subitize.store.reading import read_judgings

NO_JUDGE = "none"
_REASONS_NAMED = 3


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What to evaluate, and how; `judge` None stands for the suite's own judge."""

    suite: Resolved[Suite]
    models: Sequence[Resolved[Model]]
    refined: Sequence[Resolved[Suite]] = ()
    judge: str | None = None
    seed: int | None = None
    repeats: int | None = None
    limit: int | None = None
    concurrency: int | None = None
    tries: int = 5
    only_found: bool = False
    sight_check: bool = True
    is_same_model: bool = False
    ledger: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked configuration: each suite on each model, the judge, and notes on changes in the run."""

    order: RunConfig
    each: Sequence[RunSettings]
    judge: Resolved[Judge] | None
    notes: Sequence[str]

    def check(self, events: Events) -> None:
        """Before a run is made: refuse what cannot work, test the judge, and list which answers are ready."""
        for settings in self.each:
            settings.check()
        for note in self.notes:
            events.warn(note)
        if self.judge is not None and (line := self_test(self.judge)):
            events.warn(line)
        for settings in self.each:
            for line in list_matches(settings):
                events.say(line)

    def perform(self, run: Run, events: Events) -> "RunResult":
        """Do what is left to do in a run, model by model, and return the result."""
        outcome = RunResult([], [])
        if self.order.refined:
            check_suites(run, self.each)
        _begin(self.order.ledger, run)
        for settings in self.each:
            if self.order.sight_check and (line := check_sight(run, settings, events)):
                events.warn(line)
            summary = run_suite(run, settings, events)
            which = f"{settings.suite.spec.name} on " if self.order.refined else ""
            events.say(f"{which}{settings.model}: {summary}")
            outcome.failures.extend(summary.reasons)
            if summary.judged is not None:
                outcome.failures.extend(summary.judged.reasons)
                outcome.judged.append(summary.judged)
        for line in describe_refined(self.each, run):
            events.say(line)
        if self.judge is not None:
            for line in warn_of_reward_judges(run, self.judge.spec.text):
                events.warn(line)
        return outcome

    def advise(self, run: Run, name: str) -> list[str]:
        """Advise how to go on with the run, and which other rule would read discarded answers."""
        go_on = f"score {shlex.quote(name)}" if self.judge else f"judge {shlex.quote(name)} --judge NAME"
        stored = f"stored in {name}{_describe_spending(self.order.ledger)}; see: subitize {go_on}"
        return [stored, *(advise_rules(run, name, self.judge.spec.text) if self.judge else [])]


class RunResult(NamedTuple):
    """The reasons of failures in an evaluation, and the tallies of its judge."""

    failures: list[str]
    judged: list[JudgeTally]


def make_plan(order: RunConfig, location: Location) -> Plan:
    """Match a configuration with the run at a location, if there is one; nothing is written."""
    named = order.judge or order.suite.obj.judge
    judge = None if named == NO_JUDGE else make_judge(named)
    with open_if_any(location) as run:
        models, notes = resolve_models(run, order.models, is_same_model=order.is_same_model)
        if judge is not None:
            judge, more = resolve_judge(run, judge, is_same_model=order.is_same_model)
            notes += more
    how = (judge, order.seed, order.repeats, order.limit, order.concurrency, order.tries, order.ledger)
    base = [RunSettings(order.suite, model, *how, only_found=order.only_found) for model in models]
    if order.judge is None and judge is not None:
        check_default(judge, order.suite.spec.name, models, location)
    return Plan(order, pair_settings(base, order.refined), judge, notes)


def judge_anew(run: Run, judge: Resolved[Judge], scope: JudgeConfig, events: Events) -> JudgeTally:
    """Test a judge, and let it answer its open questions in a run."""
    if line := self_test(judge):
        events.warn(line)
    _begin(scope.ledger, run)
    summary = judge_run(run, judge, events, scope)
    events.say(f"{judge}: {summary}{_describe_spending(scope.ledger)}")
    for line in warn_of_reward_judges(run, judge.spec.text):
        events.warn(line)
    return summary


def find_other_rules(run: Run, judge: Resolved[Judge], rule: Rule) -> list[str]:
    """Find the other rules by which a judge's evidence was read."""
    stored = {one.rule for one in read_judgings(run) if one.judge == judge.spec.text}
    return sorted(one for one in stored if not _is_same_rule(one, rule))


def raise_errors(ledger: Budget, outcome: RunResult, judge: str | None) -> None:
    """Raise an error if money ran out, if something failed, or if a named judge answered nothing."""
    if ledger.is_exhausted:
        raise BudgetError(
            f"stopped at --max-cost {ledger.limit_usd:g}: US$ {ledger.spent_usd:.4f} are spent or may be; "
            "what was answered is stored: raise the limit, and the same command goes on"
        )
    raise_failures(outcome.failures)
    if judge and outcome.judged and all(summary.is_in_vain for summary in outcome.judged):
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


def _begin(ledger: Budget, run: Run) -> None:
    """Give a budget the run's pictures and, if it has a limit, what the run has cost so far."""
    ledger.images = run.images
    if ledger.limit_usd is not None:
        ledger.enter(run)


def _describe_spending(ledger: Budget) -> str:
    return f" (spent: US$ {ledger.spent_usd:.4f})" if ledger.spent_usd else ""


def _is_same_rule(stored: str, rule: Rule) -> bool:
    """Return whether a stored rule, perhaps of an older version, means the same as another."""
    try:
        return str(parse_rule(stored)) == str(rule)
    except SubitizeError:
        return False  # a version that no longer exists
