"""The command that opens the annotation page."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, locate, open_run, print_json, print_warnings
from subitize.report.terminal import print_line


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
        typer.Option(
            help="Only questions of this form: count, click, choose, yes-no, match, text. May be given several times."
        ),
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
        int | None, typer.Option(help="How many images a person is shown at most [all].")
    ] = None,
    images_per_model: Annotated[
        int | None, typer.Option(help="How many images of each model are shown at most, drawn by lot [all].")
    ] = None,
    lease_minutes: Annotated[float, typer.Option(help="How long an image is kept for whoever is shown it.")] = 30.0,
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
        Path | None, typer.Option(metavar="FILE", help="What people are told, as text [ours, by form].")
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
    from subitize.cli.addresses import is_loopback, listen
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
    is_run = location in runs or not runs  # one that is none is refused when it is opened
    with listen(host, port) as listening, Host(runs or [location], listening, host) as hosting:
        first = hosting.open_first(plan) if is_run else None
        if first:
            print_line(first.describe())
            print_warnings(list(first.warn()))
        print_warnings(hosting.reopen_made())
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
    size: Annotated[int, typer.Option("--n", help="How many images people shall read.")],
    by: Annotated[list[str] | None, typer.Option(help="A factor to spread them over. Repeatable.")] = None,
    form: Annotated[list[str] | None, typer.Option(help="As in `annotate`. Repeatable.")] = None,
    name: Annotated[str, typer.Option(help="What to call the sample.")] = "sample",
    seed: Annotated[int, typer.Option(help="Of the lot.")] = 0,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Draw by lot which of a run's images people shall read, and store it before anybody reads."""
    from subitize.annotation.pages import collect_pages
    from subitize.annotation.sampling import describe, draw_sample, store_sample

    with open_run(run, database, images) as opened:
        collected = collect_pages(opened, form or ())
        drawn = draw_sample(collected, name, size, by or (), seed)
        store_sample(opened, drawn)
    if as_json:
        return print_json(drawn)
    for line in describe(drawn, collected):
        print_line(line)
    see = f"subitize annotate {shlex.quote(run)} --sample {shlex.quote(name)}"
    print_line(f"{size} of {drawn.frame}, each by a chance of {drawn.probability:.4g}; see: {see}")
    return None
