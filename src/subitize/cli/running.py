"""Commands that do the work: run a suite, judge a run."""

import contextlib
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.options import (
    app,
    check_file,
    locate,
    open_run,
    print_json,
    print_notes,
    print_warnings,
    split_refinements,
)
from subitize.cli.rules import is_same_rule, rule_for
from subitize.errors import BadValueError, BudgetError, NothingToDoError, RunError
from subitize.report.terminal.layout import say

if TYPE_CHECKING:
    from subitize.interfaces import Model
    from subitize.registry import Made
    from subitize.report.terminal.bars import Bar
    from subitize.runner.costs import Ledger
    from subitize.runner.judging import JudgeSummary
    from subitize.runner.running import Settings
    from subitize.store import Location, Run

Tries = Annotated[int, typer.Option(help="Times a request is sent before it counts as failed.")]
SameModel = Annotated[
    bool, typer.Option("--same-model", help="What is now at another address is the same model as before.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done, and what it may cost.")]


@contextlib.contextmanager
def stopping() -> Iterator[None]:
    """Say that a stopped command can go on."""
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
        typer.Option(help="[NAME=]model or [NAME=]model:key=value,…; may be given several times [required]."),
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="RUN", help="The run to make or go on with [runs/SUITE].")] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who judges the answers, [NAME=]judge; none: nobody yet [the suite's own].")
    ] = None,
    reward_judge: Annotated[
        str | None,
        typer.Option("--trained-with", metavar="JUDGE", help="The judge that rewarded the models in training."),
    ] = None,
    corpora: Annotated[
        str | None,
        typer.Option("--trained-on", metavar="NAMES", help="Data sets the models were trained on: coco+visual7w …"),
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Times each item is given [the suite's own].")] = None,
    limit: Annotated[int | None, typer.Option(help="Only N items: a sample over the suite's strata.")] = None,
    seed: options.Seed = None,
    official: options.PromptsFile = None,
    fresh: options.FreshSeed = None,
    nouns: options.NounsFile = None,
    refine: options.Refine = None,
    concurrency: Annotated[int | None, typer.Option(help="Requests under way at once [the model's own].")] = None,
    only_found: Annotated[
        bool, typer.Option("--only-found", help="With folder:PATH: run only the items whose images are there.")
    ] = False,
    tries: Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.PricesFile = None,
    sight_check: Annotated[
        bool, typer.Option("--sight-check/--no-sight-check", help="First see that the model sees: 12 plain pictures.")
    ] = True,
    same_model: SameModel = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Then write a report of the run: one HTML page.")
    ] = None,
    dry_run: DryRun = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --dry-run: print JSON for programs.")] = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Run a suite on models. The same command goes on where a stopped or killed one was."""
    from subitize.analysis.discards import advise_rules
    from subitize.analysis.reward_judges import warn_of_reward_judges
    from subitize.prices import load_prices
    from subitize.records import OF_FILE
    from subitize.registry import make_judge, make_refined, make_suite
    from subitize.report.terminal.bars import Bar
    from subitize.runner.costs import Ledger
    from subitize.runner.identities import open_if_any, recall_judge, recall_model, settle_judge, settle_models
    from subitize.runner.judging import admit, check_default
    from subitize.runner.refining import describe_refined, pair_settings
    from subitize.runner.running import Settings, check_suites, list_matches, run_suite
    from subitize.runner.sight import check_sight
    from subitize.specs import write_spec

    if not model:
        raise BadValueError(
            "no model given: add --model observer, or to draw --model painter; for all see: subitize list models"
        )
    if report is not None:
        check_file(report)
    spec = write_spec(suite, {"prompts": official, "fresh": fresh, "nouns": nouns})
    made_suite = make_suite(spec)
    print_notes(made_suite.it)
    refined = [make_refined(spec, text) for text in split_refinements(refine)]
    plain_name = made_suite.spec.name.removesuffix(OF_FILE)
    name = out or (plain_name if database else f"runs/{plain_name}")
    location = locate(name, database, images)
    with open_if_any(location) as before:
        judge_name = recall_judge(before, judge) if judge else made_suite.it.judge
        made_judge = None if judge_name == "none" else make_judge(judge_name)
        model = [recall_model(before, text) for text in model]
        models = _make_models(model, concurrency, reward_judge, corpora)
        models, notes = settle_models(before, models, is_same_model=same_model)
        if made_judge is not None:
            made_judge, more = settle_judge(before, made_judge, is_same_model=same_model)
            notes += more
    ledger = Ledger(load_prices(prices), max_cost)
    how = (made_judge, seed, repeats, limit, concurrency, tries, ledger)
    each = pair_settings([Settings(made_suite, made, *how, only_found=only_found) for made in models], refined)
    if judge is None and made_judge is not None:
        check_default(made_judge, made_suite.spec.name, models, location)
    if dry_run:
        return _print_forecast(each, location, as_json=as_json, sight_check=sight_check)
    if as_json:
        raise BadValueError("run prints JSON with --dry-run only; for its results: subitize score RUN --json")
    for settings in each:
        settings.check()
    print_warnings(notes)
    if made_judge is not None:
        print_warnings(filter(None, [admit(made_judge)]))
    for settings in each:
        for line in list_matches(settings):
            say(line)
    failures: list[str] = []
    judged: list[JudgeSummary] = []
    with open_run(name, database, images, create=True) as opened, Bar() as bar:
        if refined:
            check_suites(opened, each)
        ledger.images = opened.images
        if max_cost is not None:
            ledger.enter(opened)
        for settings in each:
            if sight_check:
                print_warnings(filter(None, [check_sight(opened, settings, bar)]))
            summary = run_suite(opened, settings, bar)
            which = f"{settings.suite.spec.name} on " if refined else ""
            say(f"{which}{settings.model}: {summary}")
            failures += [*summary.reasons, *(summary.judged.reasons if summary.judged else [])]
            judged += [summary.judged] if summary.judged else []
        for line in describe_refined(each, opened):
            say(line)
        advice = advise_rules(opened, name, made_judge.spec.shown) if made_judge else []
        print_warnings(warn_of_reward_judges(opened, made_judge.spec.shown) if made_judge else ())
        if report is not None:
            _write_report(opened, report, bar, has_failures=bool(failures))
    next_step = f"score {shlex.quote(name)}" if made_judge else f"judge {shlex.quote(name)} --judge NAME"
    say(f"stored in {name}{_spent(ledger)}; see: subitize {next_step}")
    for line in advice:
        say(line)
    _raise_if_exhausted(ledger)
    raise_failures(failures)
    return _raise_if_in_vain(judge, judged)


def _make_models(
    texts: Sequence[str], concurrency: int | None, reward_judge: str | None, corpora: str | None
) -> "list[Made[Model]]":
    """Make the models, with what is said of how they were trained."""
    from subitize.registry import make_model, trained_on, trained_with

    slots = {} if concurrency is None else {"concurrency": str(concurrency)}
    models = [make_model(text, **slots) for text in texts]
    if reward_judge is not None:
        models = [trained_with(made, reward_judge) for made in models]
    if corpora is not None:
        models = [trained_on(made, corpora) for made in models]
    return models


def _write_report(run: "Run", page: Path, bar: "Bar", *, has_failures: bool) -> None:
    from subitize.report.writing import Outputs, write_report

    try:
        for path in write_report([run], Outputs(page), bar):
            print(path)
    except NothingToDoError:
        if not has_failures:  # which say why there is nothing to report
            raise


def _print_forecast(each: "Sequence[Settings]", location: "Location", *, as_json: bool, sight_check: bool) -> None:
    from subitize.report.terminal.forecasts import print_forecasts
    from subitize.runner.forecasts import forecast_runs

    forecasts = forecast_runs(location, each, sight_check=sight_check)
    ledger = each[0].ledger
    print_json(forecasts) if as_json else print_forecasts(forecasts, ledger.spent_usd)
    _print_age(ledger)


def _print_age(ledger: "Ledger") -> None:
    from datetime import UTC, datetime

    from subitize.prices import warn_of_age

    print_warnings(filter(None, [warn_of_age(ledger.used, datetime.now(UTC).date())]))


@app.command("judge")
@stopping()
def judge_(
    run: options.RunName,
    judge: Annotated[str, typer.Option(help="[NAME=]judge or [NAME=]judge:key=value,…")],
    model: Annotated[str | None, typer.Option(help="Only the responses of this model.")] = None,
    rule: Annotated[
        str | None, typer.Option(help="How its evidence is read: boxes>=0.4,iou=0.95, calibrated:NAME … [its own].")
    ] = None,
    tries: Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.PricesFile = None,
    same_model: SameModel = False,
    dry_run: DryRun = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Have a judge answer the questions of a run; what it answered before is not asked again."""
    from subitize.analysis.reward_judges import warn_of_reward_judges
    from subitize.prices import load_prices
    from subitize.registry import make_judge
    from subitize.report.terminal.bars import Bar
    from subitize.report.terminal.forecasts import print_expenses
    from subitize.runner.costs import Ledger
    from subitize.runner.forecasts import forecast_judging
    from subitize.runner.identities import open_if_any, recall_judge, settle_judge
    from subitize.runner.judging import Scope, admit, judge_run
    from subitize.store.rows import read_judgings

    with open_if_any(locate(run, database, images)) as before:
        judge = recall_judge(before, judge)
    made = make_judge(judge)
    read_by = rule_for(made, rule)
    ledger = Ledger(load_prices(prices), max_cost)
    if not dry_run:
        print_warnings(filter(None, [admit(made)]))
    with open_run(run, database, images) as opened, Bar() as bar:
        made, notes = settle_judge(opened, made, is_same_model=same_model)
        model = model and opened.find_model(model)
        print_warnings(notes)
        ledger.images = opened.images
        if dry_run or max_cost is not None:
            ledger.enter(opened)
        if dry_run:
            return print_expenses([forecast_judging(opened, made, model, ledger)], ledger.spent_usd)
        summary = judge_run(
            opened, made, bar, Scope(model=model, tries=tries, ledger=ledger, rule=str(read_by) if read_by else None)
        )
        stored = {one.rule for one in read_judgings(opened) if one.judge == made.spec.shown}
        earlier = {rule for rule in stored if read_by and not is_same_rule(rule, read_by)}
        print_warnings(warn_of_reward_judges(opened, made.spec.shown))
    say(f"{made}: {summary}{_spent(ledger)}")
    if earlier:
        anew = shlex.join(["score", run, "--judge", str(made), "--rule", str(read_by)])
        print_warnings([f"what was read before, by {', '.join(sorted(earlier))}, stays so; anew: subitize {anew}"])
    _raise_if_exhausted(ledger)
    raise_failures(summary.reasons)
    return _raise_if_in_vain(judge, [summary])


def _raise_if_in_vain(judge: str | None, each: "Sequence[JudgeSummary]") -> None:
    if judge and each and all(summary.is_in_vain for summary in each):
        raise NothingToDoError(
            f"judge {judge!r} answered nothing: it can answer none of the questions here; see: subitize list judges"
        )


def _spent(ledger: "Ledger") -> str:
    return f" (spent: US$ {ledger.spent_usd:.4f})" if ledger.spent_usd else ""


def _raise_if_exhausted(ledger: "Ledger") -> None:
    if ledger.is_exhausted:
        raise BudgetError(
            f"stopped at --max-cost {ledger.limit_usd:g}: US$ {ledger.spent_usd:.4f} are spent or may be; "
            "what was answered is stored: raise it, and the same command goes on"
        )


def raise_failures(reasons: list[str]) -> None:
    """End with the first reasons why something failed, if anything did."""
    if reasons:
        distinct = list(dict.fromkeys(reasons))
        more = f" (and {len(distinct) - 3} other reasons)" if len(distinct) > 3 else ""
        raise RunError(
            f"some failed: {'; '.join(distinct[:3])}{more}; the same command tries again what may still succeed"
        )
