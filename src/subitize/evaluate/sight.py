"""Checks that a model can see: it must count one to four things in plain pictures before a run goes on.

A server may drop the picture, and the model still answer. Blind guesses at one of four numbers pass 5 % of checks; a
model that is right in four of five answers fails 0.4 %."""

from itertools import islice

from subitize.errors import RunError, UnusableModelError
from subitize.evaluate.engines import Engine
from subitize.evaluate.plan import Planner, SuitePlan
from subitize.evaluate.running import run_suite
from subitize.interfaces import Events, Suite
from subitize.language.nouns import singular
from subitize.language.numbers import count_noun
from subitize.records import SIGHT_CHECK, Item, Outcome, Refused, Said, Spec
from subitize.registry import Resolved
from subitize.store import SAMPLED_FROM_AT_MOST, Run
from subitize.store.rows import read_trials
from subitize.suites.sight import NEEDED, SightAnswers, SightCheck, read_checks

_SUITE: Resolved[Suite] = Resolved(Spec(SIGHT_CHECK, {}, SIGHT_CHECK), SightCheck(), SIGHT_CHECK)
_EXAMPLES = 4


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
    return Planner(plan.config, run, None, plan.budget).plan_all(_SUITE, plan.model, repeats)


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
    examples = "; ".join(f"{_shown(item)}: {_words(outcome)}" for item, outcome in check.wrong[:_EXAMPLES])
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
