"""Verbs on the data of a run: look into it, leave an item out, and write it to files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_path, choose, name_of, opened, refuse_beside, told, verb
from subitize.api.options import AnyPath, AnyRun, Arg, Opt
from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize.api.opened import OpenRun
    from subitize.interfaces import Events
    from subitize.report.table import Result
    from subitize.store import Run

WithPeople = Annotated[bool, Opt("With people's names; otherwise they are numbered.")]


def open(run: AnyRun) -> "OpenRun":
    """Open an existing run; use it in a `with` block, or close it."""
    from subitize.api.calls import locate
    from subitize.api.opened import OpenRun

    return OpenRun(locate(run))


@verb
def show(
    run: options.RunArg,
    item: Annotated[str | None, Arg("One item, with its responses and readings.")] = None,
    *,
    exclude: Annotated[str | None, Opt("Leave this item out of every figure. Nothing is deleted.", "ITEM")] = None,
    reason: Annotated[str | None, Opt("Why; shown wherever the item is missing.", "TEXT")] = None,
    undo: Annotated[bool, Opt("Take the exclusion back.")] = False,
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Show what is in a run, or everything about one item; or leave an item out of every figure (--exclude)."""
    from subitize.analysis.overview import describe_samples, item_story, overview, read_names
    from subitize.report.scores import show_overview, show_story

    if exclude is None and (undo or reason is not None):
        raise BadValueError("`reason` and `undo` go with `exclude` ITEM")
    if exclude is not None and item is not None:
        raise BadValueError(f"item {item!r} beside `exclude` {exclude}: show it or leave it out, not both at once")
    with opened(run) as (own,):
        if exclude is not None:
            return _exclude(own, exclude, reason, undo=undo, name=name_of(run))
        if item:
            return show_story(item_story(own, item), read_names(own))
        return show_overview(overview(own), read_names(own), describe_samples(own))


def _exclude(run: "Run", item: str, reason: str | None, *, undo: bool, name: str) -> "Result":
    from subitize.language.numbers import count_noun

    if reason is None:
        raise BadValueError(f"`exclude` {item}: say why with `reason` TEXT")
    (run.include if undo else run.exclude)(item, reason)
    excluded = run.exclusions()
    return told(excluded, f"excluded from {name}: {count_noun(len(excluded), 'item')}")


@verb
def export(
    run: options.RunArg,
    *,
    format: Annotated[str, Opt("The format of the files.", "parquet|csv|jsonl")] = "parquet",
    out: Annotated[AnyPath | None, Opt("A folder for the files [RUN-export].", "DIR", "--out -o")] = None,
    with_people: WithPeople = False,
    events: "Events" = AS_WARNINGS,
) -> list[Path]:
    """Export a run's tables, and the frame that all figures are computed from.

    docs/frame.md explains the columns.
    """
    from subitize.analysis.export import FORMATS
    from subitize.analysis.export import export as export_run
    from subitize.annotation.exchange.ratings import mask_people

    chosen = choose("format", format, FORMATS)
    with opened(run) as (own,):
        masked = {} if with_people else mask_people(own)
        return export_run(own, as_path(out) or Path(f"{name_of(run)}-export"), chosen, events, masked)


@verb
def export_ratings(
    run: options.RunArg,
    *,
    format: Annotated[str, Opt("The format.", "csv|parquet|label-studio|potato")] = "csv",
    out: Annotated[
        AnyPath | None, Opt("A file, or of projects a new folder [RUN-ratings…].", "FILE", "--out -o")
    ] = None,
    paper: Annotated[str | None, Opt("In the columns of this paper's file [RUN.csv].", "PAPER")] = None,
    judge: Annotated[str | None, Opt("Whose answers; needed where there are several.", "JUDGE")] = None,
    pictures: Annotated[
        str | None, Opt("Of a project: write its pictures, too.", "all|blur-faces|without-faces")
    ] = None,
    with_people: WithPeople = False,
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Write people's answers, one by one, as a table or as a project of another tool; people are numbers."""
    from subitize.annotation.exchange.files import RATING_FORMATS
    from subitize.annotation.exchange.files import export_ratings as write_ratings
    from subitize.annotation.exchange.projects import FACE_CHOICES, PICTURE_CHOICES
    from subitize.annotation.screening import MAY_BE_MISSED
    from subitize.io.outputs import check_file
    from subitize.language.numbers import count_noun

    if paper is not None:
        refuse_beside("paper", format=format != "csv" and format, pictures=pictures, with_people=with_people)
        return _export_to_paper(run, paper, as_path(out) or Path(f"{name_of(run)}.csv"), judge)
    chosen = choose("format", format, RATING_FORMATS)
    shown = None if pictures is None else choose("choice of `pictures`", pictures, PICTURE_CHOICES)
    usual = f"{name_of(run)}-ratings.{chosen}" if chosen in ("csv", "parquet") else f"{name_of(run)}-{chosen}"
    path = as_path(out) or Path(usual)
    check_file(path)
    with opened(run) as (own,):
        done = write_ratings(own, chosen, path, judge=judge, with_people=with_people, pictures=shown)
    if shown in FACE_CHOICES:
        events.warn(MAY_BE_MISSED)
    line = f"{count_noun(done.answers, 'answer')} by {count_noun(done.people, 'person')} in {done.path}"
    return told({"answers": done.answers, "people": done.people, "path": str(done.path)}, line)


def _export_to_paper(run: AnyRun, paper: str, file: Path, judge: str | None) -> "Result":
    from subitize.api.papers import find_able
    from subitize.io.outputs import check_file
    from subitize.language.numbers import count_noun

    write = find_able(paper, "exported to", "export").load("export").write
    check_file(file)
    with opened(run) as (own,):
        count, place = write(own, judge, file)
    return told({"answers": count, "path": str(place)}, f"{count_noun(count, 'rating')} in {place}")
