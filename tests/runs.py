"""Runs of suites, models and judges that are made already, without a word to anybody."""

from typing import Any

from subitize.evaluate.config import NO_JUDGE, RunConfig
from subitize.evaluate.engines import Engine, started
from subitize.evaluate.execution import RunTally
from subitize.evaluate.execution import run_suite as run_planned
from subitize.evaluate.identities import resolve_judge
from subitize.evaluate.judging import JudgePlan, JudgeTally
from subitize.evaluate.judging import judge_run as judge_planned
from subitize.evaluate.plan import Chosen, SuitePlan, plan_chosen
from subitize.interfaces import Events, Judge, Model, NoEvents, Suite
from subitize.registry import Resolved
from subitize.store import Run


def plan_suite(
    run: Run | None,
    suite: Resolved[Suite],
    model: Resolved[Model],
    judge: Resolved[Judge] | None = None,
    **options: Any,  # noqa: ANN401
) -> SuitePlan:
    """Plan a suite on a model; the options are those of a RunConfig."""
    judged_by = NO_JUDGE if judge is None else judge.spec.text
    config = RunConfig(suite=suite.spec.text, models=(model.spec.text,), judge=judged_by, **options)
    (part,) = plan_chosen(config, Chosen(suite, [model], judge=judge), run).parts
    return part


def run_suite(
    run: Run,
    suite: Resolved[Suite],
    model: Resolved[Model],
    judge: Resolved[Judge] | None = None,
    *,
    engine: Engine | None = None,
    events: Events | None = None,
    **options: Any,  # noqa: ANN401
) -> RunTally:
    """Run a suite on a model, without a sight check."""
    planned = plan_suite(run, suite, model, judge, **options)
    with started(engine) as own:
        return run_planned(planned, run, own, events or NoEvents())


def judge_run(run: Run, judge: Resolved[Judge], *, engine: Engine | None = None, **options: Any) -> JudgeTally:  # noqa: ANN401
    """Let a judge answer its open questions, without a self-test; the options are those of a JudgePlan."""
    with started(engine) as own:
        return judge_planned(JudgePlan(resolve_judge(run, judge)[0], **options), run, own, NoEvents())
