"""Commands that show what there is: names and options, prompts, drawings, parts."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize import __version__
from subitize.cli import options
from subitize.cli.options import (
    app,
    check_file,
    check_folder,
    print_json,
    print_notes,
    print_warnings,
    split_refinements,
)
from subitize.errors import BadValueError
from subitize.report.terminal import print_line

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
            metavar="[suites|models|judges|refinements|papers|datasets|calibrations|NAME|FILE.yaml]",
            help="What to list, or the name of one to describe [how many there are of each kind].",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List suites, models, judges and what else there is, or describe one of them with its options."""
    from subitize import registry
    from subitize.report.catalog import print_descriptions, print_listings

    if name is None:
        return _count_kinds(as_json=as_json)
    if name == "calibrations":
        return _list_calibrations(as_json=as_json)
    if name == "datasets":
        return _list_datasets(as_json=as_json)
    if name.endswith((".yaml", ".yml")):
        return _list_file(name, as_json=as_json)
    kind = next((known for known in registry.KINDS if known == name), None)
    if kind is not None:
        found = registry.listings(kind)
        if as_json:
            return print_json(found)
        return print_listings(found, "reference" if kind == "papers" else "what it does")
    described = registry.describe_all(name.partition(":")[0])
    return print_json(described) if as_json else print_descriptions(described)


def _count_kinds(*, as_json: bool) -> None:
    from subitize.labels.calibrations import list_all
    from subitize.registry import KINDS, names
    from subitize.report.terminal import print_table
    from subitize.suites.datasets import list_datasets

    counts: dict[str, int] = {kind: len(names(kind)) for kind in KINDS}
    counts |= {"datasets": len(list_datasets()), "calibrations": len(list_all()[0])}
    if as_json:
        return print_json(counts)
    print_table(("kind", "how many"), ((kind, str(count)) for kind, count in counts.items()))
    return print_line("to list a kind: subitize list KIND; to describe one of them: subitize list NAME")


def _list_file(path: str, *, as_json: bool) -> None:
    from subitize.registry import make_suite
    from subitize.report.catalog import describe_suite

    found = describe_suite(make_suite(path))
    if as_json:
        return print_json(found)
    for name, text in found.items():
        print_line(f"{name}: {text}")
    return None


def _list_datasets(*, as_json: bool) -> None:
    from subitize.suites.datasets import list_datasets

    found = list_datasets()
    if as_json:
        return print_json(found)
    for name, one in found.items():
        print_line(f"{name}: {one.citation}")
        print_line(f"  licence: {one.licence}; columns: {', '.join(one.columns)}")
    return print_line("to run one of them: subitize run questions:FILE --model MODEL")


def _list_calibrations(*, as_json: bool) -> None:
    from subitize.labels import make_rule
    from subitize.labels.calibrations import list_all
    from subitize.records import to_plain

    found, faults = list_all()
    print_warnings(faults)
    if as_json:
        return print_json({name: to_plain(one) | {"rule": str(make_rule(one))} for name, one in found.items()})
    from subitize.report.studies import print_saved

    return print_saved(found)


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
    made = [make_suite(spec), *(make_refined(spec, name) for name in split_refinements(refine))]
    print_notes(made[0].it)
    for one in made:
        check_size(one, seed or 0)
    items = [item for one in made for item in make_items(one, seed or 0)]
    if sheet is None:
        return print(_tabulate(items), end="")
    from subitize.io.outputs import write_atomic

    check_file(sheet)
    repeats = made[0].it.repeats
    write_atomic(sheet, [_tabulate(items, repeats).encode()])
    command = f"subitize run {shlex.quote(spec)} --repeats {repeats} --model folder:FOLDER"
    return print_line(
        f"{sheet}: {count_noun(len(items) * repeats, 'image')} to make; once they are in a folder: {command}"
    )


def _tabulate(items: Sequence["Item"], repeats: int = 0) -> str:
    """Write items as CSV; with repeats a row per image, and the name by which `folder:` knows it."""
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
    if as_json:
        return print_json({noun: {"drawings": len(g.drawings), "colours": g.colours} for noun, g in GLYPHS.items()})
    from subitize.report.catalog import print_glyphs

    return print_glyphs(GLYPHS.values())


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

    Beside them stand a CSV of their magnitudes and one of the correlations between these.
    """
    from subitize.evaluate.plan import check_size
    from subitize.io.specs import write_spec
    from subitize.registry import make_items, make_suite
    from subitize.report.terminal import Bar
    from subitize.stimuli.export import write_stimuli

    check_folder(out)
    given = {"control": control, "numbers": numbers, "categories": categories, "images": images}
    made = make_suite(write_spec(suite, given | {"background": background, "overlap": overlap}))
    with Bar() as bar:
        check_size(made, seed or 0, limit)
        listing = write_stimuli(make_items(made, seed or 0), out, bar, limit)
    print(listing)


@app.command()
def doctor(as_json: options.AsJson = False) -> None:
    """Show what is installed, what is missing, and how to get it."""
    from subitize.report.catalog import examine, print_findings

    findings = examine()
    return print_json(findings) if as_json else print_findings(findings)
