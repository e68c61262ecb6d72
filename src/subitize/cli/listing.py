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
from subitize.errors import BadValueError, UnknownNameError

if TYPE_CHECKING:
    from subitize.records import Item


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command("list")
def list_(
    kind: Annotated[str, typer.Argument(metavar="suites|models|judges|refinements|papers|calibrations")],
    as_json: options.AsJson = False,
) -> None:
    """List suites, models, judges or refinements, with their options and defaults, papers, or saved calibrations."""
    from subitize.registry import KINDS, listings

    if kind == "calibrations":
        return _list_calibrations(as_json=as_json)
    chosen = next((known for known in KINDS if known == kind), None)
    if chosen is None:
        raise UnknownNameError("list", kind, [*KINDS, "calibrations"])
    found = listings(chosen)
    if as_json:
        return print_json(found)
    from subitize.report.terminal.printing import print_listings

    return print_listings(found)


def _list_calibrations(*, as_json: bool) -> None:
    from subitize.calibrations import list_all
    from subitize.labels import make_rule
    from subitize.records import to_plain

    found, faults = list_all()
    print_warnings(faults)
    if as_json:
        return print_json({name: to_plain(one) | {"rule": str(make_rule(one))} for name, one in found.items()})
    from subitize.report.terminal.calibrations import print_saved

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
    """Print a suite's prompts or questions as CSV: id, prompt, the item that it refines, and a column per factor."""
    from subitize.registry import make_refined, make_suite
    from subitize.specs import write_spec

    spec = write_spec(suite, {"prompts": official, "fresh": fresh, "nouns": nouns})
    made = [make_suite(spec), *(make_refined(spec, name) for name in split_refinements(refine))]
    print_notes(made[0].it)
    items = [item for one in made for item in one.it.items(seed or 0)]
    if sheet is None:
        return print(_tabulate(items), end="")
    from subitize.report.document.figures import write_whole

    check_file(sheet)
    repeats = made[0].it.repeats
    write_whole(sheet, [_tabulate(items, repeats).encode()])
    command = f"subitize run {shlex.quote(spec)} --repeats {repeats} --model folder:FOLDER"
    return print(f"{sheet}: {len(items) * repeats} images to make; once they are in a folder: {command}")


def _tabulate(items: Sequence["Item"], repeats: int = 0) -> str:
    """Write items as CSV; with repeats a row per image, and the name by which `folder:` knows it."""
    import csv
    from io import StringIO

    from subitize.models.folder.names import name_file
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
            "prompt": task_text(item.task),
            "base": item.base,
            **item.factors,
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
    from subitize.drawing.contact_sheet import contact_sheet_png
    from subitize.drawing.glyphs import GLYPHS

    if out is not None:
        from subitize.report.document.figures import write_whole

        check_file(out)
        write_whole(out, [contact_sheet_png()])
        return print(out)
    if as_json:
        return print_json({noun: {"drawings": len(g.drawings), "colours": g.colours} for noun, g in GLYPHS.items()})
    from subitize.report.terminal.printing import print_glyphs

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
    seed: options.Seed = None,
    limit: Annotated[int | None, typer.Option(help="Only the first N pictures.", min=1)] = None,
) -> None:
    """Write a suite's pictures as PNG files, a CSV of their magnitudes and one of the correlations among these."""
    from subitize.registry import make_suite
    from subitize.report.terminal.bars import Bar
    from subitize.specs import write_spec
    from subitize.stimulus_files import write_stimuli

    check_folder(out)
    given = {"control": control, "numbers": numbers, "categories": categories, "images": images}
    made = make_suite(write_spec(suite, given | {"background": background, "overlap": overlap}))
    with Bar() as bar:
        listing = write_stimuli(list(made.it.items(seed or 0)), out, bar, limit)
    print(listing)


@app.command()
def doctor(as_json: options.AsJson = False) -> None:
    """Say what is installed, what is missing, and how to get it."""
    from subitize.report.terminal.doctor import examine, print_findings

    findings = examine()
    return print_json(findings) if as_json else print_findings(findings)
