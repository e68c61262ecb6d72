"""Verbs that bring data made elsewhere into a run."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from subitize import registry
from subitize.analysis.overview import read_names
from subitize.analysis.rescoring import rescore_import
from subitize.annotation.exchange.files import import_ratings
from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_list, as_path, locate, name_of, opened, told, verb
from subitize.api.options import AnyPath, AnyRun, Arg, Names, Opt
from subitize.api.papers import find_able, list_able
from subitize.errors import BadValueError, UnknownNameError
from subitize.imports.attachments import attach_images
from subitize.imports.outputs import importing
from subitize.imports.pictures import open_pictures, read_asks
from subitize.imports.releases import import_named_counts
from subitize.imports.votes import import_votes_at
from subitize.interfaces import Events
from subitize.labels import parse_rule
from subitize.language.numbers import count_noun
from subitize.report.alignment import rescoring_result
from subitize.report.table import Result

About = Annotated[AnyRun, Opt("The run they are about.", "RUN")]
Annotator = Annotated[str, Opt("The name under which the answers are stored.", "NAME")]


@verb
def import_images(
    source: Annotated[AnyPath, Arg("Pictures, also in folders within.", "FOLDER|ZIP")],
    out: options.MadeRun,
    question: Annotated[
        Names, Opt("How many X …? | What …? | any other: yes or no | 'one line | another': a choice. Repeatable.")
    ],
    *,
    model: Annotated[str, Opt("Who made them [the folder's or zip's name].")] = "",
    events: Events = AS_WARNINGS,
) -> Result:
    """Make a run of your own pictures, with questions about each for people to answer.

    All pictures are added or, if there is an error, none.
    """
    asks, pictures = read_asks(as_list(question)), open_pictures(Path(source), model)
    with opened(out, create=True) as (own,):
        added = pictures.store(own, asks, events)
    there = len(pictures.source.names) - added
    known = f", {there} there already" if there else ""
    see = f"see: subitize annotate {shlex.quote(name_of(out))}"
    return told({"added": added, "there": there}, f"{count_noun(added, 'image')} added{known}; {see}")


@verb
def import_readings(
    file: Annotated[
        AnyPath | None,
        Arg("CSV: annotator, item or image, question, answer; or whatever `export ratings` wrote.", "[FILE]"),
    ] = None,
    *,
    run: About,
    judge: Annotator = "human",
    rule: Annotated[str | None, Opt("How the answers are read [as the file says, else strict].")] = None,
    people: Annotated[AnyPath | None, Opt("The names behind the numbers: annotator, name.", "CSV")] = None,
    from_file_names: Annotated[
        str | None, Opt("Instead, the counts in the names of this model's image files, as one annotator's.", "MODEL")
    ] = None,
    events: Events = AS_WARNINGS,
) -> Result:
    """Add people's answers about the responses of a run.

    All rows of the file are added or, if there is an error, none.
    """
    path = as_path(file)
    with opened(run) as (own,):
        if path is None:
            if from_file_names is None:
                raise BadValueError("no file given; name one, or a model with `from_file_names` MODEL")
            count = import_named_counts(own, own.find_model(from_file_names))
            line = f"{count_noun(count, 'count')} from file names stored as readings by human"
            return told({"added": count}, line)
        given = parse_rule(rule) if rule is not None else None
        summary = import_ratings(own, path, judge=judge, rule=given, people=as_path(people))
    return told(None, str(summary))


@verb
def import_votes(
    csv_file: Annotated[AnyPath, Arg("annotator, model, item, vote; optional: group", "CSV")],
    *,
    run: About,
    judge: Annotator = "human",
    suite: Annotated[Names, Opt("Of images that are elsewhere: makes the run. Repeatable.", "SUITE")] = (),
    events: Events = AS_WARNINGS,
) -> Result:
    """Add people's votes on groups of images: success or failure.

    All rows of the file are added or, if there is an error, none.
    """
    suites = [registry.make_suite(text) for text in as_list(suite)]
    summary = import_votes_at(locate(run), Path(csv_file), judge=judge, suites=suites)
    name = shlex.quote(name_of(run))
    return told(None, f"{summary}; see: subitize score {name} --pass-at-k, subitize agree {name}")


@verb
def import_outputs(
    file: Annotated[AnyPath, Arg("Samples, predictions, reviews or a log.", "FILE")],
    out: options.MadeRun,
    *,
    format: Annotated[str | None, Opt("[found from the file]", "lmms-eval|vlmevalkit|inspect|evalscope")] = None,
    model: Annotated[str | None, Opt("What to call the model [as the file or its folder does].")] = None,
    events: Events = AS_WARNINGS,
) -> Result:
    """Make a run of another program's outputs: read the replies again, and show the recorded score beside ours."""
    summary = importing.import_outputs(locate(out), Path(file), format, model)
    with opened(out) as (own,):
        rescored, names = rescore_import(own, summary), read_names(own)
    records, name = names.plain({"imported": summary, "rescored": rescored}), shlex.quote(name_of(out))
    see = f"see: subitize score {name}, subitize score {name} --scorer NAME, subitize report {name}"
    found = rescoring_result(rescored, names).say(see)
    return replace(found, records=records, lead=tuple(summary.lines()))


@verb
def import_release(
    paper: Annotated[str, Arg("One of: subitize list papers.", "PAPER")],
    folder: Annotated[AnyPath, Arg("The files, as released.", "DIR")],
    out: options.MadeRun,
    *,
    events: Events = AS_WARNINGS,
) -> Result:
    """Import a paper's released data: its images as responses, its annotators as a judge."""
    if paper not in registry.names("papers"):
        raise UnknownNameError("import", paper, [*KINDS, *list_able("release")])
    release = find_able(paper, "imported", "release").load("release").read(Path(folder))
    if not callable(getattr(release, "store", None)):
        raise BadValueError(f"paper {paper!r}: its release should be read as a Release, not {release!r:.60}")
    with opened(out, create=True) as (own,):
        summary = release.store(own)
    events.warn(*release.warnings)
    return told(None, f"{summary}; see: subitize report tables {shlex.quote(name_of(out))} --paper {paper}")


@verb
def import_attachments(
    run: options.RunArg,
    folder: Annotated[AnyPath, Arg("One model's images, or a folder per model.", "FOLDER")],
    *,
    model: Annotated[str | None, Opt("Only this model's images, as `subitize show` names it.", "MODEL")] = None,
    layout: Annotated[
        str, Opt("How the files are named, unless like the responses; see docs/images-made-elsewhere.md.", "NAME")
    ] = "auto",
    events: Events = AS_WARNINGS,
) -> Result:
    """Attach image files to responses that are known by name only, so that judges can look at them."""
    with opened(run) as (own,):
        chosen, names = model and own.find_model(model), read_names(own)
        found = attach_images(own, Path(folder), events, model=chosen, layout=layout)
    lines = [line for one in found for line in names.rename(one).lines()]
    return told(names.plain(found), *lines, f"see: subitize judge {shlex.quote(name_of(run))} --judge JUDGE")


KINDS: dict[str, Callable[..., Result]] = {
    "images": import_images,
    "readings": import_readings,
    "votes": import_votes,
    "outputs": import_outputs,
    "release": import_release,
    "attachments": import_attachments,
}
"""What can be imported, by kind."""


def import_(kind: str, *given: Any, **chosen: Any) -> Result:  # noqa: ANN401
    """Bring data made elsewhere into a run: `import_("votes", "votes.csv", run="runs/votes")`."""
    if kind not in KINDS:
        raise UnknownNameError("import", kind, KINDS)
    return KINDS[kind](*given, **chosen)
