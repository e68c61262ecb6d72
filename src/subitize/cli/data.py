"""Commands on a run's data: show, exclude, export, attach, import."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from subitize.cli import options
from subitize.cli.expose import emit
from subitize.cli.options import app, emit_lines, import_app, locate, open_run, read_names
from subitize.errors import BadValueError, UnknownNameError
from subitize.io.outputs import check_file
from subitize.report.terminal import TerminalEvents, print_line


@app.command()
def show(
    run: options.RunName,
    item: Annotated[str | None, typer.Argument(help="One item, with its responses and readings.")] = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Show what is in a run, or everything about one item."""
    from subitize.analysis.overview import describe_samples, item_story, overview
    from subitize.report.scores import show_overview, show_story

    with open_run(run, database, images) as opened:
        names = read_names(opened)
        if item:
            found = show_story(item_story(opened, item), names)
        else:
            found = show_overview(overview(opened), names, describe_samples(opened))
        emit(found, as_json=as_json)


@app.command()
def exclude(
    run: options.RunName,
    item: Annotated[str, typer.Argument(help="The item's id, as `subitize prompts` lists it.")],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; shown wherever the item is missing.")],
    undo: Annotated[bool, typer.Option("--undo", help="Take the exclusion back.")] = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Leave an item out of every figure, or take it back in (--undo).

    Nothing is deleted.
    """
    from subitize.language.numbers import count_noun

    with open_run(run, database, images) as opened:
        if undo:
            opened.include(item, reason)
        else:
            opened.exclude(item, reason)
        print_line(f"excluded from {run}: {count_noun(len(opened.exclusions()), 'item')}")


@app.command()
def export(
    run: options.RunName,
    format: Annotated[str, typer.Option(metavar="parquet|csv|jsonl", help="The format of the files.")] = "parquet",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="A folder for the files [RUN-export].")
    ] = None,
    paper: Annotated[
        str | None, typer.Option(metavar="PAPER", help="Only ratings, in the columns of this paper's file [RUN.csv].")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="JUDGE", help="With --paper: whose ratings, where there are several.")
    ] = None,
    with_people: options.WithPeople = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Export a run's tables, and the frame that all figures are computed from.

    docs/frame.md explains the columns.
    """
    from subitize.cli.papers import find_ability
    from subitize.language.numbers import count_noun
    from subitize.papers import load

    if paper is not None:
        write, file = load(find_ability(paper, "export_ratings", "exported to")), out or Path(f"{run}.csv")
        check_file(file)
        with open_run(run, database, images) as opened:
            count, place = write(opened, judge, file)
        return print_line(f"{count_noun(count, 'rating')} in {place}")
    if judge is not None:
        raise BadValueError("--judge goes with --paper; without it, all judges are exported")
    from subitize.analysis.export import FORMATS
    from subitize.analysis.export import export as export_run
    from subitize.annotation.exchange.ratings import mask_people

    chosen = next((known for known in FORMATS if known == format), None)
    if chosen is None:
        raise UnknownNameError("format", format, FORMATS)
    with open_run(run, database, images) as opened, TerminalEvents() as events:
        masked = {} if with_people else mask_people(opened)
        paths = export_run(opened, out or Path(f"{run}-export"), chosen, events, masked)
    for path in paths:
        print(path)
    return None


@app.command()
def attach(
    run: options.RunName,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="One model's images, or a folder per model.")],
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Only this model's images, as `subitize show` names it.")
    ] = None,
    layout: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How the files are named, unless like the responses; see docs/images-made-elsewhere.md.",
        ),
    ] = "auto",
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Attach image files to responses that are known by name only, so that judges can look at them."""
    from subitize.imports.attachments import attach_images

    with open_run(run, database, images) as opened, TerminalEvents() as events:
        chosen, names = model and opened.find_model(model), read_names(opened)
        found = attach_images(opened, folder, events, model=chosen, layout=layout)
    lines = [line for one in found for line in names.rename(one).lines()]
    see = f"see: subitize judge {shlex.quote(run)} --judge JUDGE"
    emit_lines(names.plain(found), *lines, see, as_json=as_json)


@import_app.command("images")
def import_images_(
    source: Annotated[Path, typer.Argument(metavar="FOLDER|ZIP", help="Pictures, also in folders within.")],
    out: Annotated[str, typer.Option(metavar="RUN", help="The run to make or add to.")],
    question: Annotated[
        list[str],
        typer.Option(
            help="How many X …? | What …? | any other: yes or no | 'one line | another': a choice. Repeatable."
        ),
    ],
    model: Annotated[str, typer.Option(help="Who made them [the folder's or zip's name].")] = "",
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Make a run of your own pictures, with questions about each for people to answer.

    All pictures are added or, if there is an error, none.
    """
    from subitize.imports.pictures import open_pictures, read_asks
    from subitize.language.numbers import count_noun

    asks, pictures = read_asks(question), open_pictures(source, model)
    with open_run(out, database, images, create=True) as opened, TerminalEvents() as events:
        added = pictures.store(opened, asks, events)
    there = len(pictures.source.names) - added
    known = f", {there} there already" if there else ""
    print_line(f"{count_noun(added, 'image')} added{known}; see: subitize annotate {shlex.quote(out)}")


@import_app.command("readings")
def import_readings_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV: annotator, item or image, question, answer; or whatever `ratings` or `export --paper` wrote.",
        ),
    ],
    run: Annotated[str, typer.Option(metavar="RUN", help="The run they are about.")],
    judge: Annotated[str, typer.Option(metavar="NAME", help="The name under which the answers are stored.")] = "human",
    rule: Annotated[str | None, typer.Option(help="How the answers are read [as the file says, else strict].")] = None,
    people: Annotated[
        Path | None, typer.Option(metavar="CSV", help="The names behind the numbers: annotator, name.")
    ] = None,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Add people's answers about the responses of a run.

    All rows of the file are added or, if there is an error, none.
    """
    from subitize.annotation.exchange.files import import_ratings
    from subitize.labels import parse_rule

    with open_run(run, database, images) as opened:
        given = parse_rule(rule) if rule is not None else None
        summary = import_ratings(opened, file, judge=judge, rule=given, people=people)
    print_line(str(summary))


@import_app.command("votes")
def import_votes_(
    csv_file: Annotated[Path, typer.Argument(metavar="CSV", help="annotator, model, item, vote; optional: group")],
    run: Annotated[str, typer.Option(metavar="RUN", help="The run they are about.")],
    judge: Annotated[str, typer.Option(metavar="NAME", help="The name under which the answers are stored.")] = "human",
    suite: Annotated[
        list[str] | None, typer.Option(metavar="SUITE", help="Of images that are elsewhere: makes the run. Repeatable.")
    ] = None,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Add people's votes on groups of images: success or failure.

    All rows of the file are added or, if there is an error, none.
    """
    from subitize.imports.votes import import_votes_at
    from subitize.registry import make_suite

    suites = [make_suite(text) for text in suite or ()]
    summary = import_votes_at(locate(run, database, images), csv_file, judge=judge, suites=suites)
    name = shlex.quote(run)
    print_line(f"{summary}; see: subitize score {name} --pass-at-k, subitize agree {name}")


@import_app.command("named-counts")
def import_named_counts_(
    run: options.RunName,
    model: Annotated[str, typer.Option(help="The folder: model whose files carry counts, as `show` names it.")],
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Add the counts in the names of a run's image files, as the readings of one annotator."""
    from subitize.imports.releases import import_named_counts
    from subitize.language.numbers import count_noun

    with open_run(run, database, images) as opened:
        count = import_named_counts(opened, opened.find_model(model))
    print_line(f"{count_noun(count, 'count')} from file names stored as readings by human")


@import_app.command("outputs")
def import_outputs_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Samples, predictions, reviews or a log.")],
    out: Annotated[str, typer.Option(metavar="RUN", help="The run to make or add to.")],
    format: Annotated[
        str | None, typer.Option(metavar="lmms-eval|vlmevalkit|inspect|evalscope", help="[found from the file]")
    ] = None,
    model: Annotated[str | None, typer.Option(help="What to call the model [as the file or its folder does].")] = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Make a run of another program's outputs: read the replies again, and show the recorded score beside ours."""
    from subitize.analysis.rescoring import rescore_import
    from subitize.imports.outputs.importing import import_outputs
    from subitize.report.alignment import rescoring_result

    summary = import_outputs(locate(out, database, images), file, format, model)
    with open_run(out, database, images) as opened:
        rescored, names = rescore_import(opened, summary), read_names(opened)
    records, name = names.plain({"imported": summary, "rescored": rescored}), shlex.quote(out)
    see = f"see: subitize score {name}, subitize score {name} --scorer NAME, subitize report {name}"
    found = rescoring_result(rescored, names).say(see)
    emit(replace(found, records=records, lead=tuple(summary.lines())), as_json=as_json)
