"""Commands on people's answers: open the annotation page, draw samples, export answers, hold back images."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from subitize.annotation.plan import StudyPlan, describe_options, list_options
from subitize.cli import options
from subitize.cli.options import app, emit_lines, locate, open_run
from subitize.errors import BadFileError, BadValueError, UnknownNameError
from subitize.io.outputs import check_file
from subitize.report.terminal import TerminalEvents, print_line, print_warnings
from subitize.web.hosting import address_at, is_loopback, listen, require_parts, serve


def _plan_parameters() -> Iterator[Parameter]:
    """Make an option of the command line for each field of a study's plan."""
    kinds: dict[str, Any] = get_type_hints(StudyPlan)
    for one in fields(StudyPlan):
        option, kind, help = list_options()[one.name], kinds[one.name], describe_options()[one.name]
        name = "NAME" if get_origin(kind) is tuple else None
        if name is not None:
            kind, help = list[str] | None, f"{help}. Repeatable"
        elif option.group == "Texts":
            kind = Path | None
        flag = option.flag or f"--{one.name.replace('_', '-')}"
        annotation = Annotated[kind, typer.Option(flag, metavar=name, help=f"{help}.")]  # type: ignore[valid-type]
        default = None if one.default in ((), "") else one.default
        yield Parameter(one.name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


def _with_plan(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a study's plan, in place of `**options`."""
    run, *others = (one for one in signature(command).parameters.values() if one.kind is not Parameter.VAR_KEYWORD)
    command.__signature__ = Signature([run, *_plan_parameters(), *others])  # type: ignore[attr-defined]
    return command


def _read_plan(options: Mapping[str, Any]) -> StudyPlan:
    """Make a plan of what the command line gives; by default, one annotator takes part."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else _read_text(value) if isinstance(value, Path) else value
        for name, value in options.items()
        if value is not None
    }
    alone = {} if given.get("is_recruiting") or given.get("people") else {"people": ("annotator",)}
    return StudyPlan(**given | alone)


def _read_text(path: Path) -> str:
    """Read a text to show to people."""
    from subitize.io.files import read_text

    text = read_text(path)
    if not text.strip():
        raise BadFileError(f"{path} is empty; write what people should read, or leave the option out")
    return text


@app.command()
@_with_plan
def annotate(
    run: options.RunName,
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for a team.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at; 0: any that is free.")] = 8421,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the first link.")] = True,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
    **plan_options: Any,  # noqa: ANN401
) -> None:
    """Open a page where people answer the questions about a run's images. Ctrl-C ends it, the same command goes on.

    RUN may be a folder of runs: their studies are made in the browser. Without --person and --recruit there is one
    annotator.
    """
    require_parts()
    import webbrowser

    from subitize.annotation.host import Host
    from subitize.store import list_runs

    plan = _read_plan(plan_options)
    location = locate(run, database, images)
    runs = list_runs(location)
    is_run = location in runs or not runs  # a folder without a run is refused when it is opened
    with listen(host, port) as listening, Host(runs or [location], address_at(host, listening)) as hosting:
        first = hosting.open_first(plan) if is_run else None
        if first:
            print_line(first.describe())
            print_warnings(*first.warn())
        print_warnings(*hosting.reopen_made())
        links = hosting.make_links(first)
        for name, link in links.items():
            print(f"{name}: {link}")
        print("Ctrl-C ends it; the same command goes on.", flush=True)
        opened_at = next(iter(links.values()))
        serve(hosting.app, listening, lambda: webbrowser.open(opened_at) if browser and is_loopback(host) else None)
    see = f"subitize score {shlex.quote(run)} --judge {shlex.quote(plan.judge)}" if is_run else "subitize score RUN"
    print_line(f"stopped; every answer is stored; see: {see}")


@app.command("sample")
def sample_(
    run: options.RunName,
    size: Annotated[int, typer.Option("--n", help="Number of images in the sample.")],
    by: Annotated[list[str] | None, typer.Option(help="A factor to spread them over. Repeatable.")] = None,
    form: Annotated[list[str] | None, typer.Option(help="As in `annotate`. Repeatable.")] = None,
    name: Annotated[str, typer.Option(help="What to call the sample.")] = "sample",
    seed: Annotated[int, typer.Option(help="Seed of the random choice.")] = 0,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Choose at random which of a run's images people read, and store the sample before anybody reads."""
    from subitize.annotation.pages import collect_pages
    from subitize.annotation.sampling import describe, draw_sample, store_sample

    with open_run(run, database, images) as opened:
        collected = collect_pages(opened, form or ())
        drawn = draw_sample(collected, name, size, by or (), seed)
        store_sample(opened, drawn)
    see = f"subitize annotate {shlex.quote(run)} --sample {shlex.quote(name)}"
    size_line = f"{size} of {drawn.frame}, each by a chance of {drawn.probability:.4g}; see: {see}"
    emit_lines(drawn, *describe(drawn, collected), size_line, as_json=as_json)


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
        print_warnings(MAY_BE_MISSED)
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

    if hold and not reason.strip():
        raise BadValueError("--hold needs a --reason, so that others can judge it")
    with open_run(run, database, images) as opened, TerminalEvents() as events:
        found = screening.find_images(opened, hold or (), reason)
        found |= screening.read_list(opened, hold_list, reason) if hold_list else {}
        found |= screening.find_flagged(opened, screening.name_images(opened)) if flagged else {}
        found |= screening.find_with_faces(opened, events) if faces else {}
        screening.check_held(opened, release or ())
        screening.hold_back(opened, found)
        screening.release(opened, release or ())
        held = screening.read_held(opened)
    if faces:
        print_warnings(MAY_BE_MISSED)
    lines = [f"{image}: {why}" for image, why in held.items()]
    count = f"held back: {count_noun(len(held), 'image')}; see: subitize annotate {shlex.quote(run)}"
    emit_lines(held, *lines, count, as_json=as_json)
