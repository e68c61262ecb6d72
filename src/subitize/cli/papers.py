"""Commands on published figures: a paper's tables from its data, or from a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli.options import AsJson, DatabaseUrl, ImagesFolder, RunName, app, open_run, print_json, print_warnings
from subitize.errors import UnknownNameError

if TYPE_CHECKING:
    from subitize.analysis.papers.geckonum_labels import Annotations

Paper = Annotated[str, typer.Argument(metavar="PAPER", help="geckonum")]
Extensions = Annotated[
    bool, typer.Option("--extensions", help="Also what the paper has not: failures, odds ratios, paired differences.")
]


@app.command()
def reproduce(
    paper: Paper,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The authors' release.")],
    extensions: Extensions = False,
    as_json: AsJson = False,
) -> None:
    """Compute a paper's tables from its released data, beside the published figures, with a verdict on each."""
    _check_paper(paper)
    from subitize.analysis.papers.geckonum_release import read_released
    from subitize.suites.geckonum.release import LICENCE, read_release

    release = read_release(folder)
    print_warnings([*release.warnings, LICENCE])
    _print_tables(read_released(release), extensions=extensions, as_json=as_json)


@app.command()
def tables(
    run: RunName,
    paper: Annotated[str, typer.Option(metavar="PAPER", help="Whose tables: geckonum.")],
    judge: Annotated[str | None, typer.Option(help="Whose readings; needed where there are several.")] = None,
    extensions: Extensions = False,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    images: ImagesFolder = None,
) -> None:
    """Compute a paper's tables from the answers in a run, published figures beside those of the paper's models."""
    _check_paper(paper)
    from subitize.analysis.papers.geckonum_runs import read_run

    with open_run(run, database, images) as opened:
        annotations = read_run(opened, judge)
    _print_tables(annotations, extensions=extensions, as_json=as_json)


def _check_paper(paper: str) -> None:
    known = ("geckonum",)
    if paper not in known:
        raise UnknownNameError("paper", paper, known)


def _print_tables(annotations: "Annotations", *, extensions: bool, as_json: bool) -> None:
    from subitize.analysis.papers.geckonum_reproduction import reproduce

    found = reproduce(annotations, extensions=extensions)
    if as_json:
        return print_json(found)
    from subitize.report.reproduction import print_reproduction

    return print_reproduction(found)
