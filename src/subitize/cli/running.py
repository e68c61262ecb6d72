"""Commands that call models: run a suite, judge a run, rewrite prompts with a language model."""

import contextlib
import shlex
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.expose import emit
from subitize.cli.options import app, locate, open_run, print_notes
from subitize.errors import BadValueError, NothingToDoError
from subitize.io.outputs import check_file
from subitize.report.terminal import TerminalEvents, print_line, print_warnings

if TYPE_CHECKING:
    from subitize.evaluate.plan import Plan
    from subitize.store import Run


Tries = Annotated[int, typer.Option(metavar="N", help="How often a request is sent before it counts as failed.")]
SameModel = Annotated[
    bool, typer.Option("--same-model", help="The model at the new address is the one that the run knows.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done, and what it may cost.")]


@contextlib.contextmanager
def stopping() -> Iterator[None]:
    """Turn Ctrl-C into a message that the command can be resumed."""
    try:
        yield
    except KeyboardInterrupt:
        print("subitize: stopped; what was answered is stored, and the same command goes on", file=sys.stderr)
        raise typer.Exit(130) from None


@app.command()
@stopping()
def run(
    suite: options.SuiteSpec,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL", help="name or name:key=value,…, or called NAME: NAME=name:… Repeatable [required]."
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="RUN", help="The run to make, or to go on with [runs/SUITE].")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(metavar="JUDGE", help="Who judges the answers; none: no judge yet [the suite's own judge]."),
    ] = None,
    reward_judge: Annotated[
        str | None,
        typer.Option("--trained-with", metavar="JUDGE", help="The judge that rewarded the models in training, if any."),
    ] = None,
    corpora: Annotated[
        str | None,
        typer.Option(
            "--trained-on", metavar="NAMES", help="Data sets that the models were trained on: coco+visual7w …"
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(metavar="N", help="How often each item is given [as the suite says].")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Only N items, a sample stratified as the suite is.")
    ] = None,
    seed: options.SeedOfRun = None,
    official: options.PromptsFile = None,
    fresh: options.FreshSeed = None,
    nouns: options.NounsFile = None,
    refine: options.Refine = None,
    concurrency: Annotated[
        int | None, typer.Option(metavar="N", help="How many requests are sent at once [as the model says].")
    ] = None,
    only_found: Annotated[
        bool, typer.Option("--only-found", help="With folder:PATH: run only the items whose images are there.")
    ] = False,
    tries: Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.PricesFile = None,
    sight_check: Annotated[
        bool,
        typer.Option(
            "--sight-check/--no-sight-check", help="Check first, on 12 plain pictures, that the model can see."
        ),
    ] = True,
    same_model: SameModel = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Then write a report: one HTML page.")] = None,
    dry_run: DryRun = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --dry-run: print JSON for programs.")] = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Run a suite on models, and judge their answers.

    A run that was stopped or killed goes on with the same command; nothing is asked twice.
    """
    from subitize.evaluate.config import RunConfig
    from subitize.evaluate.execution import advise, execute, prepare, raise_errors
    from subitize.evaluate.identities import open_if_any
    from subitize.evaluate.plan import make_plan
    from subitize.io.specs import write_spec
    from subitize.records import OF_FILE
    from subitize.registry import make_suite
    from subitize.store import Run

    if not model:
        raise BadValueError(
            "no model given: add --model observer, or to draw --model painter; for all see: subitize list models"
        )
    if as_json and not dry_run:
        raise BadValueError("run prints JSON with --dry-run only; for its results: subitize score RUN --json")
    if report is not None:
        check_file(report)
    spec = write_spec(suite, {"prompts": official, "fresh": fresh, "nouns": nouns})
    config = RunConfig(
        suite=spec,
        models=tuple(model),
        refine=tuple(options.split_refinements(refine)),
        judge=judge,
        seed=seed,
        repeats=repeats,
        limit=limit,
        concurrency=concurrency,
        tries=tries,
        only_found=only_found,
        sight_check=sight_check,
        is_same_model=same_model,
        trained_with=reward_judge,
        trained_on=corpora,
        max_cost_usd=max_cost,
        prices=prices,
    )
    made = make_suite(spec)
    print_notes(made.obj)
    plain_name = made.spec.name.removesuffix(OF_FILE)
    name = out or (plain_name if database else f"runs/{plain_name}")
    location = locate(name, database, images)
    with contextlib.ExitStack() as stack:
        known = stack.enter_context(open_if_any(location))
        plan = make_plan(config, known, made)
        if dry_run:
            return _print_forecast(plan, known, as_json=as_json)
        events = stack.enter_context(TerminalEvents())
        prepare(plan, events)
        opened = stack.enter_context(Run(location, create=True)) if known is None else known
        result = execute(plan, opened, events)
        advice = advise(plan, opened, name)
        if report is not None:
            _write_report(opened, report, events, has_failures=bool(result.failures))
    print_line(*advice)
    return raise_errors(plan.budget, result, judge)


def _write_report(run: "Run", page: Path, events: TerminalEvents, *, has_failures: bool) -> None:
    from subitize.report.document import Outputs, write_report

    try:
        for path in write_report([run], Outputs(page), events):
            print(path)
    except NothingToDoError:
        if not has_failures:  # the failures say why there is nothing to report
            raise


def _print_forecast(plan: "Plan", run: "Run | None", *, as_json: bool) -> None:
    from subitize.evaluate.forecast import forecast
    from subitize.io.prices import warn_of_age
    from subitize.report.costs import forecast_result

    emit(forecast_result(forecast(plan, run), plan.budget.spent_usd), as_json=as_json)
    print_warnings(*filter(None, [warn_of_age(plan.budget.used, datetime.now(UTC).date())]))


@app.command("judge")
@stopping()
def judge_(
    run: options.RunName,
    judge: Annotated[str, typer.Option(metavar="JUDGE", help="name or name:key=value,…, or called NAME: NAME=name:…")],
    model: Annotated[str | None, typer.Option(metavar="MODEL", help="Only the responses of this model.")] = None,
    rule: options.JudgeRule = None,
    tries: Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.PricesFile = None,
    same_model: SameModel = False,
    dry_run: DryRun = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Have a judge answer the questions of a run.

    What it answered before is not asked again.
    """
    from subitize.evaluate.config import JudgeConfig
    from subitize.evaluate.execution import RunResult, raise_errors
    from subitize.evaluate.forecast import forecast_judging
    from subitize.evaluate.judging import find_other_rules, plan_judging
    from subitize.evaluate.judging import judge as judge_responses
    from subitize.report.costs import expense_result

    config = JudgeConfig(
        judge=judge,
        model=model,
        rule=rule,
        tries=tries,
        is_same_model=same_model,
        max_cost_usd=max_cost,
        prices=prices,
    )
    with open_run(run, database, images) as opened, TerminalEvents() as events:
        plan = plan_judging(config, opened)
        print_warnings(*plan.notes)
        if dry_run:
            return emit(expense_result([forecast_judging(plan, opened)], plan.budget.spent_usd))
        tally = judge_responses(plan, opened, events)
        earlier = find_other_rules(plan, opened)
    if earlier:
        anew = shlex.join(["score", run, "--judge", str(plan.judge), "--rule", str(plan.rule)])
        print_warnings(f"what was read before, by {', '.join(earlier)}, stays so; to read it anew: subitize {anew}")
    return raise_errors(plan.budget, RunResult([], [tally]), judge)


@app.command()
@stopping()
def rewrite(
    suite: options.SuiteSpec,
    model: Annotated[str, typer.Option(help="A model that writes texts: openai:MODEL,base_url=…")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The CSV file to write or go on with.")] = Path(
        "rewritten.csv"
    ),
    instruction: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the model is asked to do with a prompt [see --dry-run].")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Only N prompts: those that run --limit takes first.")] = None,
    seed: options.Seed = None,
    tries: Tries = 5,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be sent first.")] = False,
) -> None:
    """Have a language model rewrite a suite's prompts.

    To run them: subitize run SUITE --refine rewritten:file=FILE.
    """
    from subitize.evaluate.execution import raise_failures
    from subitize.evaluate.rewriting import INSTRUCTION, Rewriting, rewrite_suite
    from subitize.language.numbers import count_noun
    from subitize.registry import make_model, make_suite

    check_file(out)
    text = INSTRUCTION if instruction is None else instruction
    rewriting = Rewriting(make_suite(suite), make_model(model), out, text, limit, seed or 0, tries)
    if dry_run:
        items = rewriting.items()
        return print(
            f"{count_noun(len(items), 'prompt')}; the first would be sent as:\n\n{rewriting.text_for(items[0])}"
        )
    with TerminalEvents() as events:
        summary = rewrite_suite(rewriting, events)
    print_line(f"{rewriting.model}: {summary}")
    if summary.written or summary.already_done:
        next_step = shlex.join(["run", suite, "--refine", f"rewritten:file={out}", "--model", "NAME"])
        print_line(f"written to {out}; see: subitize {next_step}")
    return raise_failures(summary.reasons)
