"""The command that opens the annotation page."""

import shlex
import webbrowser
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, open_run, print_warnings
from subitize.cli.serving import is_loopback

if TYPE_CHECKING:
    from subitize.annotation.study import Study


@app.command()
def annotate(
    run: options.RunName,
    person: Annotated[
        list[str] | None, typer.Option(help="Who answers; a link for each. May be given several times [annotator].")
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            help="Only questions of this form: count, click, choose, yes-no, match, text. May be given several times."
        ),
    ] = None,
    people_per_image: Annotated[
        int | None, typer.Option(help="How many people answer about each image [everybody, at most 5].")
    ] = None,
    rule: Annotated[str | None, typer.Option(help="How counts are read [the suite's own, else strict].")] = None,
    judge: Annotated[str, typer.Option(help="What to call this way of looking.")] = "human",
    study: Annotated[str, typer.Option(help="The study's name; the same name goes on.")] = "study",
    lease_minutes: Annotated[float, typer.Option(help="How long an image is kept for whoever is shown it.")] = 30.0,
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for a team.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at; 0: any that is free.")] = 8421,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the first link.")] = True,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Open a page where people answer the questions about a run's images. Ctrl-C ends it, the same command goes on."""
    from subitize.annotation.pages import collect_pages
    from subitize.annotation.serving import invite_all, require_parts, serve
    from subitize.annotation.study import Settings, Study, default_rule
    from subitize.rewards.endpoint import listen

    require_parts()
    names = person or ["annotator"]
    with open_run(run, database, images) as opened, listen(host, port) as listening:
        settings = Settings(judge, rule or default_rule(opened), people_per_image or min(5, len(names)), lease_minutes)
        with opened.lease(f"judge {judge}") as lease:
            collection = collect_pages(opened, form or ())
            made = Study(opened, lease, study, settings, collection)
            address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
            links = invite_all(made, names, address)
            _tell(made, links, collection.without_image)

            def open_first() -> None:
                if browser and is_loopback(host):
                    webbrowser.open(links[names[0]])

            serve(made, opened, lease, listening, open_first)
    name = shlex.quote(run)
    print(f"stopped; every answer is stored; see: subitize score {name} --judge {shlex.quote(judge)}")


def _people_per_page(given: int | None, names: Sequence[str]) -> int:
    return min(5, len(names)) if given is None else given


def _tell(study: "Study", links: Mapping[str, str], without_image: int) -> None:
    settings = study.settings
    each = "one person" if settings.people_per_page == 1 else f"{settings.people_per_page} people"
    questions = sum(len(page.asks) for page in study.pages)
    print(f"{len(study.pages)} pages, {questions} questions, {each} for each; counts are read by {settings.rule}")
    if without_image:
        print_warnings([f"{without_image} images are known by name only and are not shown; see: subitize attach"])
    for name, link in links.items():
        print(f"{name}: {link}")
    print("Ctrl-C ends it; the same command goes on.", flush=True)
