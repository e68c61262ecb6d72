"""Verbs that make a run and have it judged."""

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
    from subitize.evaluate.evaluation import RunConfig, make_plan, raise_errors
    from subitize.evaluate.identities import expand_name, open_if_any, recall_judge
    from subitize.records import OF_FILE
    from subitize.registry import make_model, make_refined, make_suite
    from subitize.store import Run

    if not models:
        raise BadValueError("no model given: name one, such as observer, or painter to draw")
    made = make_suite(suite)
    events.warn(*made.obj.notes)
    location = locate(out or Path(f"runs/{made.spec.name.removesuffix(OF_FILE)}"))
    with open_if_any(location) as before:
        chosen = [expand_name(before, text) for text in as_list(models)]
        judge = judge and recall_judge(before, judge)
    order = RunConfig(
        made,
        [make_model(text) for text in chosen],
        [make_refined(suite, text) for text in as_list(refine)],
        judge=judge,
        seed=seed,
        repeats=repeats,
        limit=limit,
        sight_check=sight_check,
    )
    evaluation = make_plan(order, location)
    evaluation.check(events)
    with Run(location, create=True) as made_run:
        outcome = evaluation.perform(made_run, events)
    raise_errors(order.ledger, outcome, judge)
    return Run(location)


@verb
@outside_loop
def judge(run: options.RunArg, judge: str, *, events: "Events" = AS_WARNINGS) -> None:
    """Let a judge answer the questions of a run; stored readings are not asked for again."""
    from subitize.evaluate.costs import Budget
    from subitize.evaluate.evaluation import RunResult, judge_anew, raise_errors
    from subitize.evaluate.identities import recall_judge, resolve_judge
    from subitize.evaluate.judging import JudgeConfig
    from subitize.registry import make_judge

    ledger = Budget()
    with opened(run) as (own,):
        made, notes = resolve_judge(own, make_judge(recall_judge(own, judge)))
        events.warn(*notes)
        summary = judge_anew(own, made, JudgeConfig(ledger=ledger), events)
    raise_errors(ledger, RunResult(summary.reasons, [summary]), judge)


def open(run: str | Path) -> "Run":
    """Open an existing run; use it in a `with` block, or close it."""
    from subitize.store import Run

    return Run(locate(run))
