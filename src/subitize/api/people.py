"""Verbs on people's work: open the annotation page, draw samples, hold images back."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_origin, get_type_hints

from subitize.annotation import sampling, screening
from subitize.annotation.pages import collect_pages
from subitize.annotation.plan import StudyPlan, describe_options, list_options
from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_list, locate, name_of, opened, told, verb
from subitize.api.options import AnyPath, Names, Opt
from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import Events
from subitize.io.files import read_text
from subitize.language.numbers import count_noun
from subitize.report.table import Result


@verb
def annotate(
    run: options.RunArg,
    *,
    host: Annotated[str, Opt("The address to listen at; 0.0.0.0 for a team.")] = "127.0.0.1",
    port: Annotated[int, Opt("The port to listen at; 0: any that is free.")] = 8421,
    browser: Annotated[bool, Opt("Open the first link.")] = True,
    events: Events = AS_WARNINGS,
    **study: Any,  # noqa: ANN401
) -> None:
    """Open a page where people answer the questions about a run's images. Ctrl-C ends it, the same command goes on.

    RUN may be a folder of runs: their studies are made in the browser. Without --person and --recruit there is one
    annotator.
    """
    from subitize.web.hosting import address_at, is_loopback, listen, require_parts, serve

    require_parts()
    import webbrowser

    from subitize.annotation.host import Host
    from subitize.store import list_runs

    plan, location = _read_plan(study), locate(run)
    runs = list_runs(location)
    is_run = location in runs or not runs  # a folder without a run is refused when it is opened
    with listen(host, port) as listening, Host(runs or [location], address_at(host, listening)) as hosting:
        first = hosting.open_first(plan) if is_run else None
        if first:
            events.say(first.describe())
            events.warn(*first.warn())
        events.warn(*hosting.reopen_made())
        links = hosting.make_links(first)
        for name, link in links.items():
            print(f"{name}: {link}")
        print("Ctrl-C ends it; the same command goes on.", flush=True)
        opened_at = next(iter(links.values()))
        serve(hosting.app, listening, lambda: webbrowser.open(opened_at) if browser and is_loopback(host) else None)
    name = name_of(run)
    see = f"subitize score {shlex.quote(name)} --judge {shlex.quote(plan.judge)}" if is_run else "subitize score RUN"
    events.say(f"stopped; every answer is stored; see: {see}")


def _plan_parameters() -> Iterator[Parameter]:
    """Make a parameter of each field of a study's plan."""
    kinds: dict[str, Any] = get_type_hints(StudyPlan)
    for one in fields(StudyPlan):
        option, kind, help = list_options()[one.name], kinds[one.name], describe_options()[one.name]
        metavar = "NAME" if get_origin(kind) is tuple else None
        if metavar is not None:
            kind, help = Names | None, f"{help}. Repeatable"
        elif option.group == "Texts":
            kind = AnyPath | None
        annotation: Any = Annotated[kind, Opt(f"{help}.", metavar, option.flag or "")]
        default = None if one.default in ((), "") else one.default
        yield Parameter(one.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


_RUN, *_OTHERS = (one for one in signature(annotate).parameters.values() if one.kind is not Parameter.VAR_KEYWORD)
annotate.__signature__ = Signature([_RUN, *_plan_parameters(), *_OTHERS])  # type: ignore[attr-defined]


def _read_plan(study: Mapping[str, Any]) -> StudyPlan:
    """Make a plan of the options given; by default, one annotator takes part."""
    kinds: dict[str, Any] = get_type_hints(StudyPlan)
    given: dict[str, Any] = {name: value for name, value in study.items() if value is not None}
    given |= {name: _read_text(value) for name, value in given.items() if isinstance(value, Path)}
    given |= {name: tuple(as_list(given[name])) for name in given if get_origin(kinds.get(name)) is tuple}
    alone = {} if given.get("is_recruiting") or given.get("people") else {"people": ("annotator",)}
    return StudyPlan(**given | alone)


def _read_text(path: Path) -> str:
    """Read a text to show to people."""
    text = read_text(path)
    if not text.strip():
        raise BadFileError(f"{path} is empty; write what people should read, or leave the option out")
    return text


@verb
def draw_sample(
    run: options.RunArg,
    size: Annotated[int, Opt("Number of images in the sample.", flags="--n")],
    *,
    by: Annotated[Names, Opt("A factor to spread them over. Repeatable.")] = (),
    form: Annotated[Names, Opt("As in `annotate`. Repeatable.")] = (),
    name: Annotated[str, Opt("What to call the sample.")] = "sample",
    seed: Annotated[int, Opt("Seed of the random choice.")] = 0,
    events: Events = AS_WARNINGS,
) -> Result:
    """Choose at random which of a run's images people read, and store the sample before anybody reads."""
    with opened(run) as (own,):
        collected = collect_pages(own, as_list(form))
        drawn = sampling.draw_sample(collected, name, size, as_list(by), seed)
        sampling.store_sample(own, drawn)
    see = f"subitize annotate {shlex.quote(name_of(run))} --sample {shlex.quote(name)}"
    size_line = f"{size} of {drawn.frame}, each by a chance of {drawn.probability:.4g}; see: {see}"
    return told(drawn, *sampling.describe(drawn, collected), size_line)


@verb
def screen(
    run: options.RunArg,
    *,
    hold: Annotated[Names, Opt("Hold this image back. Repeatable.", "IMAGE")] = (),
    hold_list: Annotated[
        AnyPath | None, Opt("Hold back: image or item, model, repeat; reason.", "CSV", "--list")
    ] = None,
    flagged: Annotated[bool, Opt("Hold back what people flagged on the page.")] = False,
    faces: Annotated[bool, Opt("Hold back where a detector sees faces.")] = False,
    reason: Annotated[str, Opt("Why; of --list, where it does not say.")] = "",
    release: Annotated[Names, Opt("Show this image again. Repeatable.", "IMAGE")] = (),
    events: Events = AS_WARNINGS,
) -> Result:
    """Hold images back from people and from exported projects, or list those that are held back."""
    if hold and not reason.strip():
        raise BadValueError("`hold` needs a `reason`, so that others can judge it")
    with opened(run) as (own,):
        found = screening.find_images(own, as_list(hold), reason)
        found |= screening.read_list(own, Path(hold_list), reason) if hold_list else {}
        found |= screening.find_flagged(own, screening.name_images(own)) if flagged else {}
        found |= screening.find_with_faces(own, events) if faces else {}
        screening.check_held(own, as_list(release))
        screening.hold_back(own, found)
        screening.release(own, as_list(release))
        held = screening.read_held(own)
    if faces:
        events.warn(screening.MAY_BE_MISSED)
    lines = [f"{image}: {why}" for image, why in held.items()]
    count = f"held back: {count_noun(len(held), 'image')}; see: subitize annotate {shlex.quote(name_of(run))}"
    return told(held, *lines, count)
