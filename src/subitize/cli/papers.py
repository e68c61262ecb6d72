"""Commands on published figures: a paper's tables from its data, or from a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli.options import AsJson, DatabaseUrl, ImagesFolder, RunName, app, open_run, print_json, print_warnings
from subitize.errors import BadValueError, UnknownNameError

if TYPE_CHECKING:
    from subitize.analysis.papers.geckonum_labels import Annotations
    from subitize.store import Run

Paper = Annotated[str, typer.Argument(metavar="PAPER", help="geckonum or t2icountbench")]
Extensions = Annotated[
    bool, typer.Option("--extensions", help="Also what the paper has not: how it fails, and by how much.")
]


@app.command()
def reproduce(
    paper: Paper,
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The authors' release; t2icountbench has none.")
    ] = None,
    extensions: Extensions = False,
    as_json: AsJson = False,
) -> None:
    """Compute a paper's tables from its released data, beside the published figures, with a verdict on each.

    Of t2icountbench nothing was released: its printed figures are checked against one another.
    """
    _check_paper(paper)
    if paper == "t2icountbench":
        if extensions:
            raise BadValueError("--extensions needs images that were judged: subitize tables RUN --paper t2icountbench")
        return _check_t2icountbench(folder, as_json=as_json)
    if folder is None:
        raise BadValueError(f"{paper} needs its release: subitize reproduce {paper} DIR")
    from subitize.analysis.papers.geckonum_release import read_released
    from subitize.suites.geckonum.release import LICENCE, read_release

    release = read_release(folder)
    print_warnings([*release.warnings, LICENCE])
    return _print_tables(read_released(release), extensions=extensions, as_json=as_json)


@app.command()
def tables(
    run: RunName,
    paper: Annotated[str, typer.Option(metavar="PAPER", help="Whose tables: geckonum or t2icountbench.")],
    judge: Annotated[str | None, typer.Option(help="Whose readings; needed where there are several.")] = None,
    extensions: Extensions = False,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Compute a paper's tables from the answers in a run, published figures beside those of the paper's models."""
    _check_paper(paper)
    with open_run(run, database, images) as opened:
        if paper == "t2icountbench":
            return _print_t2icountbench(opened, judge, extensions=extensions, as_json=as_json)
        from subitize.analysis.papers.geckonum_runs import read_run

        annotations = read_run(opened, judge)
    return _print_tables(annotations, extensions=extensions, as_json=as_json)


def _check_paper(paper: str) -> None:
    known = ("geckonum", "t2icountbench")
    if paper not in known:
        raise UnknownNameError("paper", paper, known)


def _print_tables(annotations: "Annotations", *, extensions: bool, as_json: bool) -> None:
    from subitize.analysis.papers.geckonum_reproduction import reproduce

    found = reproduce(annotations, extensions=extensions)
    if as_json:
        return print_json(found)
    from subitize.report.reproduction import print_reproduction

    return print_reproduction(found)


def _check_t2icountbench(folder: Path | None, *, as_json: bool) -> None:
    if folder is not None:
        raise BadValueError(
            f"of t2icountbench nothing was released, so that {str(folder)!r} cannot be read; leave it out"
        )
    from subitize.analysis.papers.t2icountbench_reproduction import reproduce

    found = reproduce()
    if as_json:
        return print_json(found)
    from subitize.report.t2icountbench_tables import print_checks

    return print_checks(found)


def _print_t2icountbench(run: "Run", judge: str | None, *, extensions: bool, as_json: bool) -> None:
    from subitize.analysis.papers.t2icountbench_runs import compute_tables

    found = compute_tables(run, judge, extensions=extensions)
    print_warnings(found.warnings)
    if as_json:
        return print_json(found)
    from subitize.report.t2icountbench_tables import print_tables

    return print_tables(found)
