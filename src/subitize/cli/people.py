"""Commands on people's answers: open the annotation page, draw samples, export answers, hold back images."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, check_file, emit_lines, locate, open_run
from subitize.errors import BadValueError, UnknownNameError
from subitize.report.terminal import TerminalEvents, print_line, print_warnings


@app.command()
def annotate(
    run: options.RunName,
    person: Annotated[
        list[str] | None,
        typer.Option(help="Who answers; a link for each. Repeatable [annotator]."),
    ] = None,
    reviewer: Annotated[
        list[str] | None, typer.Option(help="Who checks a share of the answers, see --review. Repeatable.")
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(help="Only questions of this form: count, click, choose, yes-no, match, text. Repeatable."),
    ] = None,
    sample: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only the images of this sample; see: subitize sample.")
    ] = None,
    people_per_image: Annotated[
        int | None, typer.Option(help="How many people answer about each image [everybody, at most 5].")
    ] = None,
    rule: Annotated[str | None, typer.Option(help="How counts are read [the suite's own, else strict].")] = None,
    judge: Annotated[str, typer.Option(help="What to call this way of looking.")] = "human",
    study: Annotated[str, typer.Option(help="The study's name; the same name goes on.")] = "study",
    images_per_person: Annotated[
        int | None, typer.Option(help="At most how many images a person is shown [all].")
    ] = None,
    images_per_model: Annotated[
        int | None, typer.Option(help="At most how many images of each model are shown, chosen at random [all].")
    ] = None,
    lease_minutes: Annotated[
        float, typer.Option(help="Minutes an image stays reserved for the person viewing it.")
    ] = 30.0,
    gold: Annotated[
        str | None, typer.Option(metavar="JUDGE", help="Whose readings of this run are known to be right.")
    ] = None,
    training: Annotated[int, typer.Option(help="Pages of --gold that are shown first, with the right answer.")] = 0,
    pass_mark: Annotated[float, typer.Option(help="The share of them to get right, by the second chance.")] = 0.8,
    second_look: Annotated[float, typer.Option(help="The share of pages that a person is shown again.")] = 0.0,
    review: Annotated[float, typer.Option(help="The share of the answered pages that reviewers check.")] = 0.0,
    adjudicator: Annotated[
        str, typer.Option(metavar="reviewer|owner", help="Who settles what people disagree about.")
    ] = "owner",
    pilot: Annotated[bool, typer.Option("--pilot", help="Answers enter no figure.")] = False,
    hold_flagged: Annotated[
        bool, typer.Option("--hold-flagged", help="Hold back from others what somebody flags; see: subitize screen.")
    ] = False,
    instructions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instructions for people, as text [ours, by form].")
    ] = None,
    consent: Annotated[Path | None, typer.Option(metavar="FILE", help="What people agree to first, as text.")] = None,
    recruit: Annotated[bool, typer.Option("--recruit", help="Print one link for everybody, for Prolific.")] = False,
    completion_code: Annotated[
        str | None, typer.Option(metavar="CODE", help="What Prolific hears when all is answered.")
    ] = None,
    failure_code: Annotated[
        str | None, typer.Option(metavar="CODE", help="What Prolific hears when the training is not passed.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for a team.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at; 0: any that is free.")] = 8421,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the first link.")] = True,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Open a page where people answer the questions about a run's images. Ctrl-C ends it, the same command goes on.

    RUN may be a folder of runs: their studies are made in the browser.
    """
    from subitize.annotation.plan import require_parts

    require_parts()
    import webbrowser

    from subitize.annotation.host import Host
    from subitize.annotation.plan import StudyPlan
    from subitize.annotation.settings import read_text_file
    from subitize.cli.serving import is_loopback, listen
    from subitize.store import list_runs

    plan = StudyPlan(
        name=study,
        judge=judge,
        rule=rule,
        forms=tuple(form or ()),
        sample=sample,
        images_per_model=images_per_model,
        people=tuple(person or (() if recruit else ("annotator",))),
        reviewers=tuple(reviewer or ()),
        people_per_image=people_per_image,
        images_per_person=images_per_person,
        lease_minutes=lease_minutes,
        gold=gold,
        training=training,
        pass_mark=pass_mark,
        second_look=second_look,
        review=review,
        adjudicator=adjudicator,  # type: ignore[arg-type]  # the study checks it
        is_pilot=pilot,
        holds_flagged=hold_flagged,
        instructions=read_text_file(instructions) if instructions else "",
        consent=read_text_file(consent) if consent else "",
        is_recruiting=recruit,
        completion_code=completion_code,
        failure_code=failure_code,
    )
    location = locate(run, database, images)
    runs = list_runs(location)
    is_run = location in runs or not runs  # a folder without a run is refused when it is opened
    with listen(host, port) as listening, Host(runs or [location], listening, host) as hosting:
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
        hosting.serve(lambda: webbrowser.open(opened_at) if browser and is_loopback(host) else None)
    see = f"subitize score {shlex.quote(run)} --judge {shlex.quote(judge)}" if is_run else "subitize score RUN"
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
