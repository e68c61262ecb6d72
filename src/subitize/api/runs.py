"""Verbs that make a run and have it judged."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_list, locate, opened, outside_loop, verb
from subitize.api.options import AnyRun, Names
from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize.interfaces import Events
    from subitize.store import Run


@verb
@outside_loop
def run(
    suite: str,
    models: Names,
    out: AnyRun | None = None,
    *,
    judge: str | None = None,
    repeats: int | None = None,
    limit: int | None = None,
    seed: int | None = None,
    refine: Names = (),
    sight_check: bool = True,
    events: "Events" = AS_WARNINGS,
) -> "Run":
    """Run a suite on models, judge their answers, and open the run; stored answers are not asked for again.

    Call it under `if __name__ == "__main__":` in a script, because worker processes import the script.
    """
    from subitize.evaluate.config import RunConfig
    from subitize.evaluate.execution import execute, prepare, raise_errors
    from subitize.evaluate.identities import open_if_any
    from subitize.evaluate.plan import make_plan
    from subitize.records import OF_FILE
    from subitize.registry import make_suite
    from subitize.store import Run

    if not models:
        raise BadValueError("no model given: name one, such as observer, or painter to draw")
    config = RunConfig(
        suite=suite,
        models=tuple(as_list(models)),
        refine=tuple(as_list(refine)),
        judge=judge,
        seed=seed,
        repeats=repeats,
        limit=limit,
        sight_check=sight_check,
    )
    made = make_suite(suite)
    events.warn(*made.obj.notes)
    location = locate(out or Path(f"runs/{made.spec.name.removesuffix(OF_FILE)}"))
    with open_if_any(location) as known:
        plan = make_plan(config, known, made)
        prepare(plan, events)
        with Run(location, create=True) if known is None else nullcontext(known) as own:
            result = execute(plan, own, events)
    raise_errors(plan.budget, result, judge)
    return Run(location)


@verb
@outside_loop
def judge(run: options.RunArg, judge: str, *, events: "Events" = AS_WARNINGS) -> None:
    """Let a judge answer the questions of a run; stored readings are not asked for again."""
    from subitize.evaluate.config import JudgeConfig
    from subitize.evaluate.execution import RunResult, raise_errors
    from subitize.evaluate.judging import judge as judge_responses
    from subitize.evaluate.judging import plan_judging

    with opened(run) as (own,):
        plan = plan_judging(JudgeConfig(judge=judge), own)
        events.warn(*plan.notes)
        tally = judge_responses(plan, own, events)
    raise_errors(plan.budget, RunResult([], [tally]), judge)


def open(run: str | Path) -> "Run":
    """Open an existing run; use it in a `with` block, or close it."""
    from subitize.store import Run

    return Run(locate(run))
