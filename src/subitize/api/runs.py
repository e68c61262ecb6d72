"""Verbs that make a run and have it judged."""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union

from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_path, locate, name_of, outside_loop, spec_of, usual_place, verb
from subitize.api.options import AnyModel, AnyPath, AnyRun, InPrograms, Opt
from subitize.errors import BadValueError, NothingToDoError

if TYPE_CHECKING:
    from subitize.evaluate.plan import Plan
    from subitize.interfaces import Events, Judge
    from subitize.report.table import Result
    from subitize.store import Run

SameModel = Annotated[bool, Opt("The model at the new address is the one that the run knows.")]
DryRun = Annotated[bool, Opt("Only show what would be done, and what it may cost.")]


@verb
@outside_loop
def run(
    suite: options.AnySuite,
    models: Annotated[
        AnyModel | Sequence[AnyModel],
        Opt("name or name:key=value,…, or called NAME: NAME=name:… Repeatable [required].", "MODEL", "--model"),
    ] = (),
    out: Annotated[AnyRun | None, Opt("The run to make, or to go on with [runs/SUITE].", "RUN")] = None,
    *,
    judge: Annotated[
        Union[str, "Judge", None], Opt("Who judges the answers; none: no judge yet [the suite's own judge].", "JUDGE")
    ] = None,
    name: Annotated[str | None, InPrograms] = None,
    trained_with: Annotated[str | None, Opt("The judge that rewarded the models in training, if any.", "JUDGE")] = None,
    trained_on: Annotated[
        str | None, Opt("Data sets that the models were trained on: coco+visual7w …", "NAMES")
    ] = None,
    repeats: Annotated[int | None, Opt("How often each item is given [as the suite says].", "N")] = None,
    limit: Annotated[int | None, Opt("Only N items, a sample stratified as the suite is.", "N")] = None,
    seed: Annotated[int | None, Opt("Seed of everything random; a resumed run keeps its own.", "N", shown="0")] = None,
    official: options.Official = None,
    fresh: options.Fresh = None,
    nouns: options.Nouns = None,
    refine: options.Refine = (),
    concurrency: Annotated[int | None, Opt("How many requests are sent at once [as the model says].", "N")] = None,
    only_found: Annotated[bool, Opt("With folder:PATH: run only the items whose images are there.")] = False,
    tries: options.Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.Prices = None,
    sight_check: Annotated[bool, Opt("Check first, on 12 plain pictures, that the model can see.")] = True,
    same_model: SameModel = False,
    report: Annotated[AnyPath | None, Opt("Then write a report: one HTML page.", "FILE")] = None,
    engine: options.Engine = "local",
    ray_address: options.RayAddress = None,
    dry_run: DryRun = False,
    events: "Events" = AS_WARNINGS,
) -> Any:  # noqa: ANN401  # the run, open; of a dry run the forecast
    """Run a suite on models, and judge their answers.

    A run that was stopped or killed goes on with the same command; nothing is asked twice.
    """
    from subitize.api.opened import OpenRun
    from subitize.evaluate.config import RunConfig
    from subitize.evaluate.engines import make_engine
    from subitize.evaluate.execution import advise, execute, prepare, raise_errors
    from subitize.evaluate.identities import open_if_any
    from subitize.evaluate.plan import make_plan
    from subitize.io.outputs import check_file
    from subitize.io.specs import write_spec
    from subitize.records import OF_FILE
    from subitize.registry import make_suite
    from subitize.store import Run

    if not models:
        raise BadValueError(
            "no model given: add `models` observer, or to draw `models` painter; for all see: subitize list models"
        )
    if report is not None:
        from subitize.report.document import Outputs, check_outputs

        check_file(Path(report))
        check_outputs(Outputs(Path(report)), "report")
    given = list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]
    if name is not None and (len(given) > 1 or isinstance(given[0], str)):
        raise BadValueError(f"`name` {name!r} is for one function or object; of a model by its name write {name}=MODEL")
    judging = judge if judge is None else spec_of("judges", judge)
    spec = write_spec(spec_of("suites", suite), {"prompts": official, "fresh": fresh, "nouns": nouns})
    config = RunConfig(
        suite=spec,
        models=tuple(spec_of("models", one, name) for one in given),
        refine=tuple(options.split_refinements(refine)),
        judge=judging,
        seed=seed,
        repeats=repeats,
        limit=limit,
        concurrency=concurrency,
        tries=tries,
        only_found=only_found,
        sight_check=sight_check,
        is_same_model=same_model,
        trained_with=trained_with,
        trained_on=trained_on,
        max_cost_usd=max_cost,
        prices=as_path(prices),
    )
    made = make_suite(spec)
    events.warn(*made.obj.notes)
    place = out or usual_place(made.spec.name.removesuffix(OF_FILE))
    with ExitStack() as stack:
        known = stack.enter_context(open_if_any(locate(place)))
        plan = make_plan(config, known, made)
        if dry_run:
            return _forecast(plan, known, events)
        computing = stack.enter_context(make_engine(engine, ray_address))
        prepare(plan, events, computing)
        own = stack.enter_context(Run(locate(place), create=True)) if known is None else known
        result = execute(plan, own, events, computing)
        advice = advise(plan, own, name_of(place))
        if report is not None:
            _write_report(own, Path(report), events, has_failures=bool(result.failures))
    events.say(*advice)
    raise_errors(plan.budget, result, judging)
    return OpenRun(locate(place))


def _forecast(plan: "Plan", run: "Run | None", events: "Events") -> "Result":
    from subitize.evaluate.forecast import forecast
    from subitize.io.prices import warn_of_age
    from subitize.report.costs import forecast_result

    found = forecast_result(forecast(plan, run), plan.budget.spent_usd)
    events.warn(*filter(None, [warn_of_age(plan.budget.used, datetime.now(UTC).date())]))
    return found


def _write_report(run: "Run", page: Path, events: "Events", *, has_failures: bool) -> None:
    from subitize.report.document import Outputs, write_report

    try:
        events.say(*map(str, write_report([run], Outputs(page), events)))
    except NothingToDoError:
        if not has_failures:  # the failures say why there is nothing to report
            raise


@verb
@outside_loop
def judge(
    run: options.RunArg,
    judge: Annotated[Union[str, "Judge"], Opt("name or name:key=value,…, or called NAME: NAME=name:…", "JUDGE")],
    *,
    model: Annotated[str | None, Opt("Only the responses of this model.", "MODEL")] = None,
    rule: options.JudgeRule = None,
    tries: options.Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.Prices = None,
    same_model: SameModel = False,
    engine: options.Engine = "local",
    ray_address: options.RayAddress = None,
    dry_run: DryRun = False,
    events: "Events" = AS_WARNINGS,
) -> "Result | None":
    """Have a judge answer the questions of a run.

    What it answered before is not asked again.
    """
    from subitize.evaluate.config import JudgeConfig
    from subitize.evaluate.engines import make_engine
    from subitize.evaluate.execution import RunResult, raise_errors
    from subitize.evaluate.forecast import forecast_judging
    from subitize.evaluate.identities import open_if_any
    from subitize.evaluate.judging import find_other_rules, plan_judging
    from subitize.evaluate.judging import judge as judge_responses
    from subitize.report.costs import expense_result
    from subitize.store import Run

    spec = spec_of("judges", judge)
    config = JudgeConfig(
        judge=spec,
        model=model,
        rule=rule,
        tries=tries,
        is_same_model=same_model,
        max_cost_usd=max_cost,
        prices=as_path(prices),
    )
    with nullcontext(run) if isinstance(run, Run) else open_if_any(locate(run)) as known:
        plan = plan_judging(config, known)  # what is wrong with the judge is said before there is no run
        own = Run(locate(run)) if known is None else known
        events.warn(*plan.notes)
        if dry_run:
            return expense_result([forecast_judging(plan, own)], plan.budget.spent_usd)
        with make_engine(engine, ray_address) as computing:
            tally = judge_responses(plan, own, events, computing)
        earlier = find_other_rules(plan, own)
    if earlier:
        again = shlex.join(["score", name_of(run), "--judge", str(plan.judge), "--rule", str(plan.rule)])
        events.warn(f"what was read before keeps its rule, {', '.join(earlier)}; to read it again: subitize {again}")
    raise_errors(plan.budget, RunResult([], [tally]), spec)
    return None
