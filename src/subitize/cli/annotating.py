"""The command that opens the annotation page."""

import shlex
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, open_run, print_json, print_warnings
from subitize.cli.serving import is_loopback

if TYPE_CHECKING:
    from subitize.annotation.study import Study


@app.command()
def annotate(
    run: options.RunName,
    person: Annotated[
        list[str] | None,
        typer.Option(help="Who answers; a link for each. Repeatable [annotator]."),
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
    lease_minutes: Annotated[float, typer.Option(help="How long an image is kept for whoever is shown it.")] = 30.0,
    gold: Annotated[
        str | None, typer.Option(metavar="JUDGE", help="Whose readings of this run are known to be right.")
    ] = None,
    training: Annotated[int, typer.Option(help="Pages of --gold that are shown first, with the right answer.")] = 0,
    pass_mark: Annotated[float, typer.Option(help="The share of them to get right, by the second chance.")] = 0.8,
    second_look: Annotated[float, typer.Option(help="The share of pages that a person is shown again.")] = 0.0,
    pilot: Annotated[bool, typer.Option("--pilot", help="Answers enter no figure.")] = False,
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
    """Open a page where people answer the questions about a run's images. Ctrl-C ends it, the same command goes on."""
    from subitize.annotation.pages import collect_pages
    from subitize.annotation.samples import take_sample
    from subitize.annotation.serving import invite_all, recruiting_link, require_parts, serve
    from subitize.annotation.study import Settings, Study, default_rule
    from subitize.annotation.texts import Texts, default_instructions, read_paragraphs
    from subitize.rewards.endpoint import listen

    require_parts()
    names = person or ([] if recruit else ["annotator"])
    with open_run(run, database, images) as opened, listen(host, port) as listening:
        settings = Settings(
            judge,
            rule or default_rule(opened),
            (5 if recruit else min(5, len(names))) if people_per_image is None else people_per_image,
            lease_minutes,
            images_per_person,
            gold=gold,
            training=training,
            pass_mark=pass_mark,
            second_look=second_look,
            is_pilot=pilot,
        )
        with opened.lease(f"judge {judge}") as lease:
            collection = collect_pages(opened, form or ())
            if sample is not None:
                collection = take_sample(opened, sample, collection)
            made = Study(opened, lease, study, settings, collection)
            address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
            told = read_paragraphs(instructions) if instructions else default_instructions(made.pages)
            agreed = "\n\n".join(read_paragraphs(consent)) if consent else None
            texts = Texts(told, agreed, recruit, completion_code, failure_code)
            links = invite_all(made, names, address)
            if recruit:
                links["everybody"] = recruiting_link(made, address)
            _tell(made, links, collection.without_image)

            def open_first() -> None:
                if browser and is_loopback(host):
                    webbrowser.open(next(iter(links.values())))

            serve(made, texts, opened, lease, listening, open_first)
    name = shlex.quote(run)
    print(f"stopped; every answer is stored; see: subitize score {name} --judge {shlex.quote(judge)}")


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
    from subitize.annotation.samples import describe, draw_sample, store_sample

    with open_run(run, database, images) as opened:
        collected = collect_pages(opened, form or ())
        drawn = draw_sample(collected, name, size, by or (), seed)
        store_sample(opened, drawn)
    if as_json:
        return print_json(drawn)
    for line in describe(drawn, collected):
        print(line)
    see = f"subitize annotate {shlex.quote(run)} --sample {shlex.quote(name)}"
    print(f"{size} of {drawn.frame}, each by a chance of {drawn.probability:.4g}; see: {see}")
    return None


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
