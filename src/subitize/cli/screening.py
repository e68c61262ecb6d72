"""Commands on a study's exports: people's answers as files, pictures withheld."""

import shlex
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, check_file, open_run, print_json, print_warnings, watch
from subitize.errors import BadValueError, UnknownNameError
from subitize.report.terminal import print_line


@app.command()
def ratings(
    run: options.RunName,
    format: Annotated[str, typer.Option(metavar="csv|parquet|label-studio|potato")] = "csv",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file, or of projects a new folder [RUN-ratings…].")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Whose answers; needed where there are several.")] = None,
    pictures: Annotated[
        str | None,
        typer.Option(metavar="all|blur-faces|without-faces", help="Of a project: write its pictures, too."),
    ] = None,
    with_people: options.WithPeople = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Write people's answers, one by one, as a table or as a project of another tool; people are numbers."""
    from subitize.annotation.exchange.files import RATING_FORMATS, export_ratings
    from subitize.annotation.exchange.projects import FACE_CHOICES, PICTURE_CHOICES
    from subitize.annotation.screening import MAY_BE_MISSED
    from subitize.language.numbers import count_noun

    chosen = next((known for known in RATING_FORMATS if known == format), None)
    if chosen is None:
        raise UnknownNameError("format", format, RATING_FORMATS)
    shown = next((known for known in PICTURE_CHOICES if known == pictures), None)
    if pictures is not None and shown is None:
        raise UnknownNameError("choice of --pictures", pictures, PICTURE_CHOICES)
    path = out or Path(f"{run}-ratings.{chosen}" if chosen in ("csv", "parquet") else f"{run}-{chosen}")
    check_file(path)
    with open_run(run, database, images) as opened:
        done = export_ratings(opened, chosen, path, judge=judge, with_people=with_people, pictures=shown)
    if shown in FACE_CHOICES:
        print_warnings([MAY_BE_MISSED])
    print_line(f"{count_noun(done.answers, 'answer')} by {count_noun(done.people, 'person')} in {done.path}")


@app.command()
def screen(
    run: options.RunName,
    hold: Annotated[list[str] | None, typer.Option(metavar="IMAGE", help="Hold this image back. Repeatable.")] = None,
    hold_list: Annotated[
        Path | None, typer.Option("--list", metavar="CSV", help="Hold back: image or item, model, repeat; reason.")
    ] = None,
    flagged: Annotated[bool, typer.Option("--flagged", help="Hold back what people flagged on the page.")] = False,
    faces: Annotated[bool, typer.Option("--faces", help="Hold back where a detector sees faces.")] = False,
    reason: Annotated[str, typer.Option(help="Why; of --list, where it does not say.")] = "",
    release: Annotated[
        list[str] | None, typer.Option(metavar="IMAGE", help="Show this image again. Repeatable.")
    ] = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Hold images back from people and from exported projects, or list those that are held back."""
    from subitize.annotation import screening
    from subitize.annotation.screening import MAY_BE_MISSED
    from subitize.language.numbers import count_noun
    from subitize.report.terminal import Bar

    if hold and not reason.strip():
        raise BadValueError("--hold needs a --reason, so that others can judge it")
    with open_run(run, database, images) as opened, Bar() as bar:
        found = screening.find_images(opened, hold or (), reason)
        found |= screening.read_list(opened, hold_list, reason) if hold_list else {}
        found |= screening.find_flagged(opened, screening.name_images(opened)) if flagged else {}
        found |= screening.find_with_faces(opened, partial(watch, bar, "images")) if faces else {}
        screening.check_held(opened, release or ())
        screening.hold_back(opened, found)
        screening.release(opened, release or ())
        held = screening.read_held(opened)
    if faces:
        print_warnings([MAY_BE_MISSED])
    if as_json:
        return print_json(held)
    for image, why in held.items():
        print_line(f"{image}: {why}")
    print_line(f"held back: {count_noun(len(held), 'image')}; see: subitize annotate {shlex.quote(run)}")
    return None
