"""Commands that show what exists (names, options, prompts, drawings, parts), and those that plan studies."""

import shlex
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from subitize import __version__
from subitize.cli import options
from subitize.cli.expose import emit
from subitize.cli.options import app, emit_lines, open_run, print_notes
from subitize.errors import BadValueError
from subitize.interfaces import watch
from subitize.io.outputs import check_figure, check_file, check_folder
from subitize.report.terminal import TerminalEvents, print_line, print_warnings

if TYPE_CHECKING:
    from subitize.records import Item


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command("list")
def list_(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[suites|models|judges|refinements|papers|datasets|scorers|calibrations|NAME|FILE.yaml]",
            help="What to list, or the name of one to describe [how many there are of each kind].",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List suites, models, judges and what else there is, or describe one of them with its options."""
    from subitize import registry
    from subitize.report.catalog import description_result, listing_result

    if name is None:
        return _count_kinds(as_json=as_json)
    if name == "calibrations":
        return _list_calibrations(as_json=as_json)
    if name == "scorers":
        from subitize.report.alignment import scorers_result

        return emit(scorers_result(), as_json=as_json)
    if name == "datasets":
        return _list_datasets(as_json=as_json)
    if name.endswith((".yaml", ".yml")):
        return _list_file(name, as_json=as_json)
    kind = next((known for known in registry.KINDS if known == name), None)
    if kind is not None:
        found, heading = registry.listings(kind), "reference" if kind == "papers" else "what it does"
        return emit(listing_result(found, heading), as_json=as_json)
    return emit(description_result(registry.describe_all(name.partition(":")[0])), as_json=as_json)


def _count_kinds(*, as_json: bool) -> None:
    from subitize.labels.calibrations import list_all
    from subitize.registry import KINDS, names
    from subitize.report.table import Result, Table
    from subitize.suites.datasets import list_datasets

    counts: dict[str, int] = {kind: len(names(kind)) for kind in KINDS}
    counts |= {"datasets": len(list_datasets()), "calibrations": len(list_all()[0])}
    see = "to list a kind: subitize list KIND; to describe one of them: subitize list NAME"
    emit(Result((Table.of("kinds", "", ("kind", "how many"), counts.items()),), counts, notes=(see,)), as_json=as_json)


def _list_file(path: str, *, as_json: bool) -> None:
    from subitize.registry import make_suite
    from subitize.report.catalog import describe_suite

    found = describe_suite(make_suite(path))
    emit_lines(found, *(f"{name}: {text}" for name, text in found.items()), as_json=as_json)


def _list_datasets(*, as_json: bool) -> None:
    from subitize.suites.datasets import list_datasets

    found = list_datasets()
    lines = [
        line
        for name, one in found.items()
        for line in (f"{name}: {one.citation}", f"  licence: {one.licence}; columns: {', '.join(one.columns)}")
    ]
    emit_lines(found, *lines, "to run one of them: subitize run questions:FILE --model MODEL", as_json=as_json)


def _list_calibrations(*, as_json: bool) -> None:
    from subitize.labels.calibrations import list_all
    from subitize.report.studies import saved_result

    found, faults = list_all()
    print_warnings(*faults)
    emit(saved_result(found), as_json=as_json)


@app.command()
def prompts(
    suite: options.SuiteSpec,
    seed: options.Seed = None,
    official: options.PromptsFile = None,
    fresh: options.FreshSeed = None,
    nouns: options.NounsFile = None,
    refine: options.Refine = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a row per image to this file, with the image's name.")
    ] = None,
) -> None:
    """Print a suite's prompts or questions as CSV.

    Columns: id, prompt, base (the item that it refines, if any), and one for each factor.
    """
    from subitize.evaluate.plan import check_size
    from subitize.io.specs import write_spec
    from subitize.language.numbers import count_noun
    from subitize.registry import make_items, make_refined, make_suite

    spec = write_spec(suite, {"prompts": official, "fresh": fresh, "nouns": nouns})
    made = [make_suite(spec), *(make_refined(spec, name) for name in options.split_refinements(refine))]
    print_notes(made[0].obj)
    for one in made:
        check_size(one, seed or 0)
    items = [item for one in made for item in make_items(one, seed or 0)]
    if sheet is None:
        return print(_tabulate(items), end="")
    from subitize.io.outputs import write_atomic

    check_file(sheet)
    repeats = made[0].obj.repeats
    write_atomic(sheet, [_tabulate(items, repeats).encode()])
    command = f"subitize run {shlex.quote(spec)} --repeats {repeats} --model folder:FOLDER"
    return print_line(
        f"{sheet}: {count_noun(len(items) * repeats, 'image')} to make; once they are in a folder: {command}"
    )


def _tabulate(items: Sequence["Item"], repeats: int = 0) -> str:
    """Write items as CSV; with repeats, one row per image, with the file name that `folder:` expects."""
    import csv
    from io import StringIO

    from subitize.io.files import escape_formula
    from subitize.models.image_folders import name_file
    from subitize.records import Draw, task_text

    if repeats and not all(isinstance(item.task, Draw) for item in items):
        raise BadValueError(
            "--sheet lists images to be made, and this suite shows pictures; for these: subitize stimuli"
        )
    base = ["base"] if any(item.base for item in items) else []
    factors = list(dict.fromkeys(name for item in items for name in item.factors))
    file = ["file"] if repeats else []
    text = StringIO()
    writer = csv.DictWriter(text, [*file, "id", "prompt", *base, *factors], lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(
        {
            "file": name_file(item.id, repeat),
            "id": item.id,
            "prompt": escape_formula(task_text(item.task)),
            "base": item.base,
            **{
                name: escape_formula(value) if isinstance(value, str) else value for name, value in item.factors.items()
            },
        }
        for item in items
        for repeat in range(max(repeats, 1))
    )
    return text.getvalue()


@app.command()
def glyphs(
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write a contact sheet to this PNG file.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """List what the painter can draw and the observer can name."""
    from subitize.stimuli.export import contact_sheet_png
    from subitize.stimuli.glyphs import GLYPHS

    if out is not None:
        from subitize.io.outputs import write_atomic

        check_file(out)
        write_atomic(out, [contact_sheet_png()])
        return print(out)
    from subitize.report.catalog import glyph_result

    return emit(glyph_result(GLYPHS), as_json=as_json)


@app.command()
def stimuli(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to write them.")] = Path("stimuli"),
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="A suite that shows pictures, with its options.")
    ] = "naming",
    control: Annotated[
        str | None, typer.Option(metavar="area|size|hull|density", help="Hold this magnitude constant over numbers.")
    ] = None,
    numbers: Annotated[str | None, typer.Option(metavar="NUMBERS", help="Such as 1-50 or 1+2+5 [1-10].")] = None,
    categories: Annotated[str | None, typer.Option(metavar="NAMES", help="Such as apples+dots [all].")] = None,
    images: Annotated[str | None, typer.Option(metavar="N", help="Pictures per category and number [50].")] = None,
    background: Annotated[
        str | None, typer.Option(metavar="NAME", help="white, grey, cream, sky, gradient, clouds or stripes [white].")
    ] = None,
    overlap: Annotated[
        str | None, typer.Option(metavar="SHARE", help="By how much of their diameters items may overlap [0].")
    ] = None,
    seed: options.Seed = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Only the first N pictures.", min=1)] = None,
) -> None:
    """Write a suite's pictures as PNG files.

    Also writes a CSV of their magnitudes, and one of the correlations between these.
    """
    from subitize.evaluate.plan import check_size
    from subitize.io.specs import write_spec
    from subitize.registry import make_items, make_suite
    from subitize.stimuli.export import write_stimuli

    check_folder(out)
    given = {"control": control, "numbers": numbers, "categories": categories, "images": images}
    made = make_suite(write_spec(suite, given | {"background": background, "overlap": overlap}))
    with TerminalEvents() as events:
        check_size(made, seed or 0, limit)
        listing = write_stimuli(make_items(made, seed or 0), out, events, limit)
    print(listing)


@app.command()
def doctor(as_json: options.AsJson = False) -> None:
    """Show what is installed, what is missing, and how to get it."""
    from subitize.report.catalog import examine, installation_result

    emit(installation_result(examine()), as_json=as_json)


power_app = options.add_group(
    "power", "Plan a study: how many prompts and images per prompt it needs, and what it can show."
)

_STUDIES = {
    "accuracy": "Plan one accuracy, or the success of K images, as score reports it.",
    "error": "Plan a mean error (NAE or MAE), as score reports it.",
    "difference": "Plan a comparison of models on the same prompts, as compare reports it.",
    "kappa": "Plan Fleiss' κ and Krippendorff's α of annotators who say yes or no, as agree reports them.",
}
_OF_IMAGES = "accuracy error difference"
_ImageFolder = Annotated[Path | None, typer.Option(envvar="SUBITIZE_IMAGES", help="Of a --like run in a database.")]


def _option(
    name: str, kind: type, help: str, metavar: str | None = None, default: object = None, of: str = " ".join(_STUDIES)
) -> tuple[str, Parameter]:
    """Make an optional parameter of some of the studies."""
    option = typer.Option(default, help=help, metavar=metavar)
    return of, Parameter(name, Parameter.KEYWORD_ONLY, default=option, annotation=kind | None)


_OPTIONS = (
    _option("rate", float, "Share that is right [0.5].", of="accuracy"),
    _option("at", int, "Success is one of K images right (pass@k).", "K", 1, of="accuracy"),
    _option("mean", float, "Mean error to expect, NAE or MAE.", of="error"),
    _option("sd", float, "Its standard deviation over all images.", of="error"),
    _option("measure", str, "With --like: which error.", "nae|mae", "nae", of="error"),
    _option("models", int, "Models that are compared; Holm's adjustment.", "M", 2, of="difference"),
    _option("rate", float, "Share that is right in the first [0.5].", of="difference"),
    _option("difference", float, "Rate of each model minus that of the one before.", of="difference"),
    _option("correlation", float, "Of prompts' chances in two, within strata [0].", of="difference"),
    _option("raters", int, "How many answer yes or no to each image.", "N", of="kappa"),
    _option("annotators", int, "Size of the pool they come from [--raters].", "N", of="kappa"),
    _option("kappa", float, "What to expect.", of="kappa"),
    _option("share", float, "Share of yes.", default=0.5, of="kappa"),
    _option("icc", float, "Correlation of answers about two images of one prompt.", of="kappa"),
    _option("habit", float, "Share of a person's answers given without looking.", default=0.0, of="kappa"),
    _option("suite", str, "Take prompts, strata and images from a suite.", "NAME"),
    _option("prompts", int, "Number of prompts.", "N"),
    _option("images", int, "Images per prompt [the suite's, else 1].", "N"),
    _option("strata", int, "Strata of equal size [the suite's, else 1].", "N", of=_OF_IMAGES),
    _option("icc", float, "Correlation of two images of one prompt [0.5].", of=_OF_IMAGES),
    _option("icc_within", float, "The same within a stratum [0.2; without strata --icc].", of=_OF_IMAGES),
    _option("like", str, "Learn what is not given from a run.", "RUN", of=_OF_IMAGES),
    _option("model", list[str], "With --like: only this model; or two.", of=_OF_IMAGES),
    _option("of", list[str], "With --like: only this suite; or two.", "SUITE", of=_OF_IMAGES),
    _option("judge", str, "With --like: only the readings of this judge.", of=_OF_IMAGES),
    (_OF_IMAGES, Parameter("database", Parameter.KEYWORD_ONLY, default=None, annotation=options.DatabaseUrl)),
    (_OF_IMAGES, Parameter("image_folder", Parameter.KEYWORD_ONLY, default=None, annotation=_ImageFolder)),
    _option("precision", float, "Find what gives the interval this half-width."),
    _option("against", float, "A value to be told apart from.", "VALUE", of="accuracy error kappa"),
    _option("power", float, "Find what gives this power."),
    _option("confidence", float, "Of the interval.", default=0.95, of="accuracy error"),
    _option("alpha", float, "Level of the test.", default=0.05, of=_OF_IMAGES),
    _option("tests", int, "Tests that share the level (Bonferroni).", "N", 1, of=_OF_IMAGES),
    _option("simulations", int, "Simulated studies [20000; if slow 10000].", "N"),
    _option("seed", int, "Of the simulation.", default=0),
    _option("figure", Path, "Also draw the curve: a .png or .svg.", "FILE"),
    (" ".join(_STUDIES), Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=options.AsJson)),
)


def _add_command(study: str) -> None:
    """Add the command that plans a kind of study."""
    parameters = [parameter for of, parameter in _OPTIONS if study in of.split()]

    def command(**given: Any) -> None:  # noqa: ANN401
        _plan(study, {name: value for name, value in given.items() if value not in (None, [])})

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    power_app.command(study, help=_STUDIES[study])(command)


for _study in _STUDIES:
    _add_command(_study)


def _plan(what: str, given: dict[str, Any]) -> None:
    """Plan a study, and print what it shows."""
    from subitize.analysis.power import plan
    from subitize.report.studies import plan_result, write_power_figure

    figure, as_json = given.pop("figure", None), given.pop("as_json")
    check_figure(figure)
    like, database, folder = (given.get(name) for name in ("like", "database", "image_folder"))
    with open_run(like, database, folder) if like else nullcontext() as run, TerminalEvents() as events:
        found = plan(what, given, run, partial(watch, events), with_curve=figure is not None)
    if figure is not None:
        write_power_figure(found, figure)
    emit(plan_result(found), as_json=as_json)
