"""The command line: a command parses, calls one function and prints; heavy imports wait until it runs."""

import contextlib
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from subitize import __version__
from subitize.errors import BadValueError, BudgetError, RunError, SubitizeError, UnknownNameError

if TYPE_CHECKING:
    from subitize.analysis.papers.geckonum_labels import Annotations
    from subitize.analysis.papers.numbersense import Enumeration
    from subitize.analysis.scoring import Score
    from subitize.interfaces import Judge
    from subitize.labels import Rule
    from subitize.registry import Made
    from subitize.report.terminal import Bar
    from subitize.runner.costs import Ledger
    from subitize.runner.running import Settings
    from subitize.store import Location, Run

T = TypeVar("T")

app = typer.Typer(
    help="Measure how well image models understand number.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
import_app = typer.Typer(help="Bring data made elsewhere into a run.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(import_app, name="import")

RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run's folder; with --database, its name there.")]
DatabaseUrl = Annotated[
    str | None,
    typer.Option("--database", envvar="SUBITIZE_DATABASE", help="postgresql://… for runs that a team shares."),
]
ImagesFolder = Annotated[
    Path | None,
    typer.Option("--images", envvar="SUBITIZE_IMAGES", help="Where the images of --database runs are kept."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
PromptsFile = Annotated[
    str | None, typer.Option("--prompts", metavar="FILE", help="The suite's official prompts [its own].")
]
FreshSeed = Annotated[
    str | None, typer.Option("--fresh", metavar="SEED", help="Draw new prompts of the same design, never published.")
]
NounsFile = Annotated[str | None, typer.Option("--nouns", metavar="FILE", help="Own nouns for fresh prompts.")]
SuiteSpec = Annotated[str, typer.Argument(metavar="SUITE", help="name or name:key=value,key=value")]
Tries = Annotated[int, typer.Option(help="Times a request is sent before it counts as failed.")]
MaxCost = Annotated[
    float | None, typer.Option(metavar="USD", help="Stop before the run has cost more than this in all.")
]
PricesFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Your prices, laid over ours (TOML).")]
RuleText = Annotated[
    str | None,
    typer.Option(
        "--rule",
        help="Read the evidence anew: total, strict, boxes>=0.4,iou=0.95 (left out: as stored), calibrated:NAME …",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done, and what it may cost.")]
Seed = Annotated[int | None, typer.Option(help="Of everything random; a resumed run keeps its own.", show_default="0")]


def main() -> None:
    """Run the command line; an error that a user can mend is one line on stderr and exit code 2."""
    try:
        _check_arguments(sys.argv[1:])
        app()
    except SubitizeError as error:
        message = "".join(char if char.isprintable() else " " for char in str(error))
        print(f"subitize: {message}", file=sys.stderr)
        sys.exit(error.exit_code)


@contextlib.contextmanager
def _stopping() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        print("subitize: stopped; what was answered is stored, and the same command goes on", file=sys.stderr)
        raise typer.Exit(130) from None


def _check_arguments(arguments: list[str]) -> None:
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise BadValueError(f"argument {os.fsencode(argument)!r} is not UTF-8") from None


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command("list")
def list_(
    kind: Annotated[str, typer.Argument(metavar="suites|models|judges|calibrations")], as_json: AsJson = False
) -> None:
    """List the suites, models or judges, with their options and defaults, or the calibrations that were saved."""
    from subitize.registry import KINDS, listings

    if kind == "calibrations":
        return _list_calibrations(as_json=as_json)
    chosen = next((known for known in KINDS if known == kind), None)
    if chosen is None:
        raise UnknownNameError("list", kind, [*KINDS, "calibrations"])
    found = listings(chosen)
    if as_json:
        return _print_json(found)
    from subitize.report.terminal import print_listings

    return print_listings(found)


def _list_calibrations(*, as_json: bool) -> None:
    from subitize.calibrations import list_all

    found, faults = list_all()
    _print_warnings(faults)
    if as_json:
        return _print_json(found)
    from subitize.report.calibrations import print_saved

    return print_saved(found)


@app.command()
def prompts(
    suite: SuiteSpec,
    seed: Seed = None,
    official: PromptsFile = None,
    fresh: FreshSeed = None,
    nouns: NounsFile = None,
) -> None:
    """Print a suite's prompts or questions as CSV: id, prompt, and a column per factor."""
    import csv

    from subitize.records import task_text
    from subitize.registry import make_suite

    spec = _with_options(suite, {"prompts": official, "fresh": fresh, "nouns": nouns})
    items = list(make_suite(spec).it.items(seed or 0))
    factors = list(dict.fromkeys(name for item in items for name in item.factors))
    writer = csv.DictWriter(sys.stdout, ["id", "prompt", *factors], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"id": item.id, "prompt": task_text(item.task), **item.factors} for item in items)


@app.command()
def glyphs(
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write a contact sheet to this PNG file.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what the painter can draw and the observer can name."""
    from subitize.drawing.contact_sheet import write_contact_sheet
    from subitize.drawing.glyphs import GLYPHS

    if out is not None:
        _check_file(out)
        write_contact_sheet(out)
        return print(out)
    if as_json:
        return _print_json({noun: {"drawings": len(g.drawings), "colours": g.colours} for noun, g in GLYPHS.items()})
    from subitize.report.terminal import print_glyphs

    return print_glyphs(GLYPHS.values())


@app.command()
def stimuli(
    out: Annotated[Path, typer.Option(help="Where to write them.")] = Path("stimuli"),
    suite: Annotated[str, typer.Option(help="A suite that shows pictures, with its options.")] = "naming",
    control: Annotated[
        str | None, typer.Option(metavar="area|size|hull|density", help="Hold this magnitude constant over numbers.")
    ] = None,
    numbers: Annotated[str | None, typer.Option(help="As in 1-50 or 1+2+5 [1-10].")] = None,
    categories: Annotated[str | None, typer.Option(help="As in apples+dots [all].")] = None,
    images: Annotated[str | None, typer.Option(help="Pictures per category and number [50].")] = None,
    background: Annotated[str | None, typer.Option(help="white, grey, cream, sky, gradient, clouds, stripes.")] = None,
    overlap: Annotated[
        str | None, typer.Option(help="Share of their diameters by which items may overlap [0].")
    ] = None,
    seed: Seed = None,
    limit: Annotated[int | None, typer.Option(help="Only the first N pictures.", min=1)] = None,
) -> None:
    """Write a suite's pictures as PNG files, a CSV of their magnitudes and one of the correlations among these."""
    from subitize.registry import make_suite
    from subitize.report.terminal import Bar
    from subitize.runner.stimuli import write_stimuli

    _check_folder(out)
    options = {"control": control, "numbers": numbers, "categories": categories, "images": images}
    made = make_suite(_with_options(suite, options | {"background": background, "overlap": overlap}))
    with Bar() as bar:
        listing = write_stimuli(list(made.it.items(seed or 0)), out, bar, limit)
    print(listing)


def _check_file(path: Path) -> None:
    """Refuse to write over a run: one slip of the hand would cost all its answers."""
    if path.name.startswith("run.sqlite"):
        raise BadValueError(f"{path} is the name of a run's database; name another file")
    _check_folder(path.parent)


def _check_folder(folder: Path) -> None:
    for path in (folder, *folder.parents):
        if path.is_file():
            raise BadValueError(f"{path} is a file, not a folder, so that nothing can be written there; name another")


def _with_options(spec: str, options: Mapping[str, str | None]) -> str:
    """Add the options that were given to a spec as if they had been written in it."""
    from subitize.registry import write_spec

    return write_spec(spec, {name: value for name, value in options.items() if value is not None})


@app.command()
@_stopping()
def run(
    suite: SuiteSpec,
    model: Annotated[
        list[str] | None, typer.Option(help="name or name:key=value,…; may be given several times [required].")
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="RUN", help="The run to make or go on with [runs/SUITE].")] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who judges the answers; none: nobody yet [the suite's own].")
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Times each item is given [the suite's own].")] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first N items.")] = None,
    seed: Seed = None,
    official: PromptsFile = None,
    fresh: FreshSeed = None,
    nouns: NounsFile = None,
    concurrency: Annotated[int | None, typer.Option(help="Requests under way at once [the model's own].")] = None,
    tries: Tries = 5,
    max_cost: MaxCost = None,
    prices: PricesFile = None,
    dry_run: DryRun = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --dry-run: print JSON for programs.")] = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Run a suite on models. The same command goes on where a stopped or killed one was."""
    from subitize.prices import load_prices
    from subitize.registry import make_judge, make_model, make_suite
    from subitize.report.terminal import Bar
    from subitize.runner.costs import Ledger
    from subitize.runner.judging import admit
    from subitize.runner.running import Settings, list_matches, run_suite

    if not model:
        raise BadValueError(
            "no model given: add --model observer, or to draw --model painter; for all see: subitize list models"
        )
    made_suite = make_suite(_with_options(suite, {"prompts": official, "fresh": fresh, "nouns": nouns}))
    judge_name = judge or made_suite.it.judge
    made_judge = None if judge_name == "none" else make_judge(judge_name)
    ledger = Ledger(load_prices(prices), max_cost)
    how = (made_judge, seed, repeats, limit, concurrency, tries, ledger)
    slots = {} if concurrency is None else {"concurrency": str(concurrency)}
    each = [Settings(made_suite, make_model(text, **slots), *how) for text in model]
    name = out or (made_suite.spec.name if database else f"runs/{made_suite.spec.name}")
    if dry_run:
        return _print_forecast(each, _locate(name, database, images), as_json=as_json)
    if as_json:
        raise BadValueError("run prints JSON with --dry-run only; for its results: subitize score RUN --json")
    for settings in each:
        settings.check()
    if made_judge is not None:
        _print_warnings(filter(None, [admit(made_judge)]))
    for settings in each:
        for line in list_matches(settings):
            print(line)
    failures: list[str] = []
    with _open(name, database, images, create=True) as opened, Bar() as bar:
        ledger.images = opened.images
        if max_cost is not None:
            ledger.enter(opened)
        for settings in each:
            summary = run_suite(opened, settings, bar)
            print(f"{settings.model.spec.shown}: {summary}")
            failures += [*summary.reasons, *(summary.judged.reasons if summary.judged else [])]
    next_step = f"score {shlex.quote(name)}" if made_judge else f"judge {shlex.quote(name)} --judge NAME"
    print(f"stored in {name}{_spent(ledger)}; see: subitize {next_step}")
    _raise_if_exhausted(ledger)
    return _raise_failures(failures)


def _print_forecast(each: "Sequence[Settings]", location: "Location", *, as_json: bool) -> None:
    from subitize.report.forecasts import print_forecasts
    from subitize.runner.forecasts import forecast_runs

    forecasts = forecast_runs(location, each)
    ledger = each[0].ledger
    _print_json(forecasts) if as_json else print_forecasts(forecasts, ledger.spent_usd)
    _print_age(ledger)


def _print_age(ledger: "Ledger") -> None:
    from datetime import UTC, datetime

    from subitize.prices import warn_of_age

    _print_warnings(filter(None, [warn_of_age(ledger.used, datetime.now(UTC).date())]))


@app.command("judge")
@_stopping()
def judge_(
    run: RunName,
    judge: Annotated[str, typer.Option(help="name or name:key=value,…")],
    model: Annotated[str | None, typer.Option(help="Only the responses of this model.")] = None,
    rule: Annotated[
        str | None, typer.Option(help="How its evidence is read: boxes>=0.4,iou=0.95, calibrated:NAME … [its own].")
    ] = None,
    tries: Tries = 5,
    max_cost: MaxCost = None,
    prices: PricesFile = None,
    dry_run: DryRun = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Have a judge answer the questions of a run; what it answered before is not asked again."""
    from subitize.prices import load_prices
    from subitize.registry import make_judge
    from subitize.report.forecasts import print_expenses
    from subitize.report.terminal import Bar
    from subitize.runner.costs import Ledger
    from subitize.runner.forecasts import forecast_judging
    from subitize.runner.judging import Scope, admit, judge_run
    from subitize.store.rows import read_judgings

    made = make_judge(judge)
    read_by = _rule_for(made, rule)
    ledger = Ledger(load_prices(prices), max_cost)
    if not dry_run:
        _print_warnings(filter(None, [admit(made)]))
    with _open(run, database, images) as opened, Bar() as bar:
        ledger.images = opened.images
        if dry_run or max_cost is not None:
            ledger.enter(opened)
        if dry_run:
            return print_expenses([forecast_judging(opened, made, model, ledger)], ledger.spent_usd)
        summary = judge_run(
            opened, made, bar, Scope(model=model, tries=tries, ledger=ledger, rule=str(read_by) if read_by else None)
        )
        earlier = {one.rule for one in read_judgings(opened) if one.judge == made.spec.shown} - {str(read_by)}
    print(f"{made.spec.shown}: {summary}{_spent(ledger)}")
    if read_by and earlier:
        anew = shlex.join(["score", run, "--judge", made.spec.shown, "--rule", str(read_by)])
        _print_warnings([f"what was read before, by {', '.join(sorted(earlier))}, stays so; anew: subitize {anew}"])
    _raise_if_exhausted(ledger)
    return _raise_failures(summary.reasons)


@app.command()
def score(
    run: RunName,
    by: Annotated[list[str] | None, typer.Option(help="A factor to group by; may be given several times.")] = None,
    judge: Annotated[str | None, typer.Option(help="Only the readings of this judge.")] = None,
    rule: RuleText = None,
    agreement: Annotated[str, typer.Option(help="How several people's answers become one.")] = "mode",
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Compute accuracy, MAE and NAE with intervals, on the whole and by factor."""
    from subitize.analysis.observations import Reader, find_gaps, observe_run
    from subitize.analysis.overview import find_stand_ins
    from subitize.analysis.protocols import fingerprints
    from subitize.analysis.scoring import score as score_observations

    reader = Reader(*_choose(judge, rule), agreement)
    with _open(run, database, images) as opened:
        observations = observe_run(opened, reader)
        stand_ins = find_stand_ins(opened)
        protocols = fingerprints(opened, reader)
        gaps = None if as_json else find_gaps(opened)
    scores = score_observations(observations, by)
    if gaps is None:
        marks = [(one.model in stand_ins.models, protocols.get((one.suite, one.model, one.judge))) for one in scores]
        return _print_json([_score_row(one, *mark) for one, mark in zip(scores, marks, strict=True)])
    from subitize.report.terminal import print_gaps, print_scores

    print_scores(scores, stand_ins, by or ["category"], protocols)
    return print_gaps(gaps)


@app.command()
def measure(
    runs: Annotated[list[str], typer.Argument(metavar="RUN…", help="The runs' folders; with --database, their names.")],
    judge: Annotated[str | None, typer.Option(help="Only the readings of this judge.")] = None,
    rule: RuleText = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Compute the measures of number sense: knower level, likeness to people, abstraction, biases, Weber fraction."""
    from subitize.analysis.observations import Reader, observe_run
    from subitize.analysis.overview import StandIns, find_stand_ins
    from subitize.analysis.papers.numbersense import evaluate
    from subitize.analysis.papers.numbersense_control import observe_controls

    reader = Reader(*_choose(judge, rule))
    observed, stand_ins = {}, StandIns(frozenset(), frozenset())
    for name in runs:
        with _open(name, database, images) as opened:
            observed[name] = [*observe_run(opened, reader), *observe_controls(opened, reader)]
            found = find_stand_ins(opened)
        stand_ins = StandIns(stand_ins.models | found.models, stand_ins.judges | found.judges)
    enumerations = evaluate(observed)
    if as_json:
        return _print_json([_enumeration_row(one, is_stand_in=one.model in stand_ins.models) for one in enumerations])
    from subitize.report.terminal import print_enumerations

    return print_enumerations(enumerations, stand_ins)


@app.command()
def calibrate(
    run: RunName,
    judge: Annotated[str, typer.Option(help="Whose boxes, as `show` names it.")],
    against: Annotated[str, typer.Option(help="Whose counts are taken for true.")] = "human",
    metric: Annotated[str, typer.Option(metavar="nae|accuracy", help="What is best.")] = "nae",
    iou: Annotated[bool, typer.Option("--iou", help="Also search from which overlap on two boxes are one.")] = False,
    folds: Annotated[int, typer.Option(help="Parts for cross-validation.")] = 10,
    seed: Seed = None,
    save: Annotated[str | None, typer.Option(metavar="NAME", help="Keep it under this name [the judge's].")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace another judge's of that name.")] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A .png or .svg of the curve [RUN/calibration-NAME.png].")
    ] = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Find the score from which a judge's boxes should count, so that it counts as people do, and keep it by name."""
    from subitize import calibrations
    from subitize.analysis.calibration import Search
    from subitize.analysis.calibration import calibrate as search_threshold
    from subitize.labels import make_rule
    from subitize.report.calibrations import check_figure, print_calibration, write_figure
    from subitize.report.terminal import Bar

    name = save or calibrations.name_safely(judge)
    calibrations.check_free(name, judge, force=force)
    with _open(run, database, images) as opened, Bar() as bar:
        picture = figure or Path("." if database else run, f"calibration-{name}.png")
        _check_file(picture)
        check_figure(picture)
        search = Search(judge, against, metric, iou, folds, seed or 0)
        found = search_threshold(opened, search, lambda pictures: _watch(bar, "pictures", pictures))
    kept, drawn = calibrations.save(name, found.result, force=force), write_figure(found, picture)
    if as_json:
        rule = str(make_rule(found.result))
        return _print_json(asdict(found) | {"rule": rule, "saved": str(kept), "figure": str(drawn)})
    print_calibration(found)
    print(f"saved in {kept}, drawn in {drawn}; use it with: --rule {calibrations.PREFIX}{name}")
    return None


def _watch(bar: "Bar", what: str, each: Sequence[T]) -> Iterator[T]:
    bar.begin(what, len(each))
    for one in each:
        yield one
        bar.advance(has_failed=False)


@app.command()
def align(
    run: RunName,
    judge: Annotated[str | None, typer.Option(help="Only the readings of this judge.")] = None,
    by: Annotated[list[str] | None, typer.Option(help="A factor to group by; may be given several times.")] = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Compute how well drawings fit their prompts: by scene graph, by a network's score, by the text written."""
    from subitize.analysis.alignment import align_run
    from subitize.analysis.overview import find_stand_ins
    from subitize.report.alignments import alignment_row, print_alignments

    with _open(run, database, images) as opened:
        alignments = align_run(opened, judge, list(dict.fromkeys(by or ())))
        stand_ins = find_stand_ins(opened)
    if as_json:
        return _print_json([alignment_row(one, stand_ins) for one in alignments])
    return print_alignments(alignments, stand_ins)


@app.command()
def report(
    runs: Annotated[list[str], typer.Argument(metavar="RUN…", help="The runs' folders; with --database, their names.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("report.html"),
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write every figure here, as PNG and SVG.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write every table here, as CSV, Markdown and LaTeX.")
    ] = None,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Write a report of one or several runs: one HTML page that needs no network."""
    from subitize.report.terminal import Bar
    from subitize.report.writing import Outputs, write_report

    _check_file(out)
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(_open(name, database, images)) for name in runs]
        for path in write_report(opened, Outputs(out, figures, tables), stack.enter_context(Bar())):
            print(path)


@app.command()
def show(
    run: RunName,
    item: Annotated[str | None, typer.Argument(help="One item, with all that came of it.")] = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Show what is in a run, or everything about one item."""
    from subitize.analysis.overview import item_story, overview
    from subitize.report.terminal import print_overview, print_story

    with _open(run, database, images) as opened:
        if item:
            story = item_story(opened, item)
            _print_json(story) if as_json else print_story(story)
        else:
            found = overview(opened)
            _print_json(found) if as_json else print_overview(found)


@app.command()
def exclude(
    run: RunName,
    item: Annotated[str, typer.Argument(help="The item's id, as `subitize prompts` lists it.")],
    reason: Annotated[str, typer.Option(help="Why; shown wherever the item is missing.")],
    undo: Annotated[bool, typer.Option("--undo", help="Take the exclusion back.")] = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Leave an item out of every figure; nothing is deleted, and --undo takes it back."""
    with _open(run, database, images) as opened:
        if undo:
            opened.include(item, reason)
        else:
            opened.exclude(item, reason)
        print(f"{len(opened.exclusions())} items are excluded from {run}")


@app.command()
def export(
    run: RunName,
    format: Annotated[str, typer.Option(metavar="parquet|csv|jsonl")] = "parquet",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A folder for the files [RUN-export].")] = None,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Write a run's items, responses, readings and exclusions as files."""
    from subitize.analysis.exports import FORMATS
    from subitize.analysis.exports import export as export_run

    chosen = next((known for known in FORMATS if known == format), None)
    if chosen is None:
        raise UnknownNameError("format", format, FORMATS)
    with _open(run, database, images) as opened:
        for path in export_run(opened, out or Path(f"{run}-export"), chosen):
            print(path)


@import_app.command("readings")
def import_readings_(
    csv_file: Annotated[Path, typer.Argument(metavar="CSV", help="annotator, item or image, question, answer")],
    run: Annotated[str, typer.Option(metavar="RUN", help="The run they are about.")],
    judge: Annotated[str, typer.Option(help="What to call this way of looking.")] = "human",
    rule: Annotated[str, typer.Option(help="How the answers are read.")] = "strict",
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Add people's answers about the responses of a run: all of the file, or on an error nothing."""
    from subitize.importers.readings import import_readings
    from subitize.labels import parse_rule

    with _open(run, database, images) as opened:
        summary = import_readings(opened, csv_file, judge=judge, rule=parse_rule(rule))
    print(summary)


@import_app.command("named-counts")
def import_named_counts_(
    run: RunName,
    model: Annotated[str, typer.Option(help="The folder: model whose files carry counts, as `show` names it.")],
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Add the counts that stand in the names of a run's image files, as the readings of one annotator."""
    from subitize.importers.named_counts import import_named_counts

    with _open(run, database, images) as opened:
        print(f"{import_named_counts(opened, model)} counts from file names stored as readings by human")


@import_app.command("geckonum")
def import_geckonum_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="prompts.csv and task_N_MODEL.csv, as released.")],
    out: Annotated[str, typer.Option(metavar="RUN", help="The run to make or add to.")],
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Read GeckoNum's released annotations into a run: its images as responses, its annotators as a judge."""
    from subitize.importers.geckonum import import_geckonum
    from subitize.suites.geckonum.release import LICENCE, read_release
    from subitize.suites.geckonum.released_questions import released_items

    release = read_release(folder)
    items = released_items(release)  # before there is a run: what is wrong with the files leaves none behind
    with _open(out, database, images, create=True) as opened:
        summary = import_geckonum(opened, release, items)
    _print_warnings([*release.warnings, LICENCE])
    print(f"{summary}; see: subitize tables {shlex.quote(out)} --paper geckonum")


Paper = Annotated[str, typer.Argument(metavar="PAPER", help="geckonum")]
Extensions = Annotated[
    bool, typer.Option("--extensions", help="Also what the paper has not: failures, odds ratios, paired differences.")
]


@app.command()
def reproduce(
    paper: Paper,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The authors' release.")],
    extensions: Extensions = False,
    as_json: AsJson = False,
) -> None:
    """Compute a paper's tables from its released data, beside the published figures, with a verdict on each."""
    _check_paper(paper)
    from subitize.analysis.papers.geckonum_release import read_released
    from subitize.suites.geckonum.release import LICENCE, read_release

    release = read_release(folder)
    _print_warnings([*release.warnings, LICENCE])
    _print_tables(read_released(release), extensions=extensions, as_json=as_json)


@app.command()
def tables(
    run: RunName,
    paper: Annotated[str, typer.Option(metavar="PAPER", help="Whose tables: geckonum.")],
    judge: Annotated[str | None, typer.Option(help="Whose readings; needed where there are several.")] = None,
    extensions: Extensions = False,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Compute a paper's tables from the answers in a run, published figures beside those of the paper's models."""
    _check_paper(paper)
    from subitize.analysis.papers.geckonum_runs import read_run

    with _open(run, database, images) as opened:
        annotations = read_run(opened, judge)
    _print_tables(annotations, extensions=extensions, as_json=as_json)


def _check_paper(paper: str) -> None:
    known = ("geckonum",)
    if paper not in known:
        raise UnknownNameError("paper", paper, known)


def _print_tables(annotations: "Annotations", *, extensions: bool, as_json: bool) -> None:
    from subitize.analysis.papers.geckonum_reproduction import reproduce

    found = reproduce(annotations, extensions=extensions)
    if as_json:
        return _print_json(found)
    from subitize.report.reproduction import print_reproduction

    return print_reproduction(found)


def _print_warnings(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"subitize: {line}", file=sys.stderr)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what is installed, what is missing, and how to get it."""
    from subitize.report.doctor import examine, print_findings

    findings = examine()
    return _print_json(findings) if as_json else print_findings(findings)


def _choose(judge: str | None, text: str | None) -> "tuple[str | None, Rule | None]":
    """Choose whose readings are read, and by which rule; a calibration is for the judge it was made for."""
    rule, made_for = _rule(text)
    if made_for is None or judge is not None:
        _warn_of_other(text, made_for, judge)
        return judge, rule
    _print_warnings([f"--rule {text}: only the readings of {made_for!r}, which it was made for; others with --judge"])
    return made_for, rule


def _rule_for(judge: "Made[Judge]", text: str | None) -> "Rule | None":
    """Read the rule by which a judge's evidence is to be read, before it looks at anything."""
    from subitize.labels import check_floor, check_kind, parse_rule

    rule, made_for = _rule(text)
    if rule is None:
        return None
    name, own = judge.spec.shown, parse_rule(judge.it.rule)
    _warn_of_other(text, made_for, name)
    check_kind(rule, own, name)
    check_floor(rule, judge.spec.options, name)
    return rule.over(own)


def _rule(text: str | None) -> "tuple[Rule | None, str | None]":
    """Read a rule as users write it, and of a calibration the judge that it was made for."""
    from subitize.calibrations import PREFIX, load
    from subitize.labels import make_rule, parse_rule

    if text is None or not text.startswith(PREFIX):
        return parse_rule(text) if text else None, None
    found = load(text.removeprefix(PREFIX))
    return make_rule(found), found.judge


def _warn_of_other(text: str | None, made_for: str | None, judge: str | None) -> None:
    if made_for not in (None, judge):
        _print_warnings([f"--rule {text} was calibrated for judge {made_for!r}, not {judge!r}"])


def _open(name: str, database: str | None, images: Path | None, *, create: bool = False) -> "Run":
    from subitize.store import Run

    return Run(_locate(name, database, images), create=create)


def _locate(name: str, database: str | None, images: Path | None) -> "Location":
    from subitize.store import Database, Folder

    if database is None:
        return Folder(Path(name))
    if images is None:
        raise BadValueError("a run in a database needs --images DIR (or SUBITIZE_IMAGES) for its images")
    return Database(database, name, images)


def _spent(ledger: "Ledger") -> str:
    return f" (spent: US$ {ledger.spent_usd:.4f})" if ledger.spent_usd else ""


def _raise_if_exhausted(ledger: "Ledger") -> None:
    if ledger.is_exhausted:
        raise BudgetError(
            f"stopped at --max-cost {ledger.limit_usd:g}: US$ {ledger.spent_usd:.4f} are spent or may be; "
            "what was answered is stored: raise it, and the same command goes on"
        )


def _raise_failures(reasons: list[str]) -> None:
    if reasons:
        distinct = list(dict.fromkeys(reasons))
        more = f" (and {len(distinct) - 3} other reasons)" if len(distinct) > 3 else ""
        raise RunError(
            f"some failed: {'; '.join(distinct[:3])}{more}; the same command tries again what may still succeed"
        )


def _score_row(score: "Score", is_stand_in: bool, protocol: str | None) -> dict[str, object]:
    names = {name: value for name, value in asdict(score).items() if name != "estimate"}
    return names | asdict(score.estimate) | {"is_stand_in": is_stand_in, "protocol": protocol}


def _enumeration_row(one: "Enumeration", *, is_stand_in: bool) -> dict[str, object]:
    matrices = {category: matrix.tolist() for category, matrix in one.matrices.items()}
    return asdict(one) | {"matrices": matrices, "is_stand_in": is_stand_in}


def _print_json(found: object) -> None:
    """Print records as JSON; what is not finite, as the interval of a single observation, is null."""
    from pydantic_core import to_json

    print(to_json(found, indent=2, inf_nan_mode="null").decode())
