"""Commands on papers: reproduce and compute their tables, import their data, make counting probes."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from subitize.cli import options
from subitize.cli.expose import emit
from subitize.cli.options import PAPER, app, import_app, open_run
from subitize.errors import BadValueError, UnknownNameError
from subitize.io.memory import gc_paused
from subitize.io.outputs import check_file
from subitize.papers import find, load, papers_by_name
from subitize.report.terminal import print_line, print_warnings

if TYPE_CHECKING:
    from subitize.analysis.overview import Names


Extensions = Annotated[
    bool, typer.Option("--extensions", help="Also what the paper leaves out: how models fail, and by how much.")
]

ClaimsOnly = Annotated[
    bool, typer.Option("--claims", help="Only the paper's conclusions: do they hold for these data?")
]


@app.command()
@gc_paused()
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="One of: subitize list papers.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The authors' release, where there is one.")
    ] = None,
    extensions: Extensions = False,
    claims: ClaimsOnly = False,
    as_json: options.AsJson = False,
) -> None:
    """Recompute a paper's tables from its released data, beside the published figures.

    Each figure has a verdict: the same, close, or different.
    Where nothing was released, the printed figures are checked against one another.
    """

    found = load(find_ability(paper, "reproduce", "reproduced"))(folder, extensions=extensions)
    _show(paper, found, None, only_claims=claims, as_json=as_json)


@app.command()
@gc_paused()
def tables(
    run: options.RunName,
    paper: Annotated[str, typer.Option(metavar="PAPER", help="Whose tables: one of subitize list papers.")],
    judge: Annotated[str | None, typer.Option(help="Whose readings; needed where there are several.")] = None,
    extensions: Extensions = False,
    claims: ClaimsOnly = False,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Compute a paper's tables from a run.

    Published figures are shown beside those of the paper's own models.
    """

    tabulate = load(find_ability(paper, "tabulate", "tabulated"))
    with open_run(run, database, images) as opened:
        found = tabulate(opened, judge and opened.find_judge(judge), extensions=extensions)
        names = options.read_names(opened).without_same()  # so that a release prints the same as a run
    _show(paper, found, names, only_claims=claims, as_json=as_json)


@import_app.command(PAPER)
def import_release(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The files, as released.")],
    out: Annotated[str, typer.Option(metavar="RUN", help="The run to make or add to.")],
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Import a paper's released data: its images as responses, its annotators as a judge."""
    from subitize.registry import names

    paper = str(context.info_name)
    if paper not in names("papers"):
        others = [command.name or "" for command in import_app.registered_commands if command.name != PAPER]
        raise UnknownNameError("import", paper, [*others, *_able("import_release")])
    release = load(find_ability(paper, "import_release", "imported"))(folder)
    if not callable(getattr(release, "store", None)):
        raise BadValueError(f"paper {paper!r}: its release should be read as an Importable, not {release!r:.60}")
    with open_run(out, database, images, create=True) as opened:
        summary = release.store(opened)
    print_warnings(*release.warnings)
    print_line(f"{summary}; see: subitize tables {shlex.quote(out)} --paper {paper}")


def _show(paper: str, found: object, names: "Names | None", *, only_claims: bool, as_json: bool) -> None:
    from subitize.interfaces import Tables
    from subitize.report.claims import paper_result

    if not isinstance(found, Tables):
        raise BadValueError(f"paper {paper!r}: its tables should be Tables, not {found!r:.60}")
    if only_claims and not found.claims:
        raise BadValueError("--claims: this paper's conclusions are not computed; leave it out to see its tables")
    print_warnings(*found.warnings)
    emit(paper_result(found, names, only_claims=only_claims, as_json=as_json), as_json=as_json)


def find_ability(paper: str, what: str, done: str) -> str:
    """Get the name of a paper's function for a task, or say which papers have one."""
    from subitize.registry import find_paper

    found = str(getattr(find_paper(paper), what))
    if not found:
        raise BadValueError(f"{paper} cannot be {done}; those that can: {', '.join(_able(what))}")
    return found


def _able(what: str) -> list[str]:
    """List the papers that have a function for a task."""

    return sorted(name for name, paper in papers_by_name().items() if getattr(paper, what))


probes_app = options.add_group("probes", "Make probes of counting and of image-sentence alignment from data sets.")

ProbesFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write, a probe per line.")]
Pictures = Annotated[Path | None, typer.Option("--images", metavar="DIR", help="Count and name the images missing.")]


@probes_app.command()
def build(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Released probes, Visual7W, TallyQA or VALSE as JSON; own CSV or JSONL."),
    ],
    out: ProbesFile = Path("probes.jsonl"),
    split: Annotated[
        list[str] | None, typer.Option(help="standard, hard or interpolated; may be given several times [all].")
    ] = None,
    statements: Annotated[
        str | None, typer.Option(help="faithful or corrected [as released; of new data, corrected].")
    ] = None,
    foils: Annotated[str, typer.Option(help="symmetric or as-released, where the data has none.")] = "symmetric",
    cap: Annotated[int, typer.Option(help="Of the hard split: questions per answer.")] = 200,
    largest: Annotated[int, typer.Option(help="Of the hard split: the largest answer in training.")] = 20,
    images: Pictures = None,
    seed: options.Seed = None,
) -> None:
    """Make counting probes: statements with right and wrong numbers.

    To run them: subitize run counting-probe:FILE.
    """
    check_file(out)
    chosen = {"splits": split, "mode": statements, "foils": foils, "cap": cap, "largest": largest}
    written = _load("build")(files, out, images=images, seed=seed or 0, **chosen)
    print_warnings(*written.warnings)
    print_line(f"{written.summary}, written to {out}; see: subitize probes describe {out}")


@probes_app.command()
def describe(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written by subitize probes build.")],
    as_json: options.AsJson = False,
) -> None:
    """Show how many probes there are of each number, and what guessing gets, in percent."""
    from subitize.records import to_plain
    from subitize.report.claims import compared_tables
    from subitize.report.table import Result

    found = _load("describe")(file)
    emit(Result(compared_tables(found), to_plain(found)), as_json=as_json)


@probes_app.command()
def captions(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="COCO's captions JSON, Conceptual Captions' TSV, or CSV.")
    ],
    out: ProbesFile = Path("pairs.jsonl"),
    source: Annotated[str | None, typer.Option(metavar="NAME", help="coco, gcc … [the file's name].")] = None,
    number: Annotated[int, typer.Option("--number", "-n", help="How many images, chosen at random.")] = 5000,
    images: Pictures = None,
    seed: options.Seed = None,
) -> None:
    """Pair images with their own caption and one of another image.

    To run them: subitize run alignment-probe:FILE.
    """
    check_file(out)
    written = _load("captions")(file, out, source=source or file.stem, number=number, images=images, seed=seed or 0)
    print_warnings(*written.warnings)
    print_line(f"{written.summary}, written to {out}; see: subitize run alignment-probe:{out} --model MODEL")


def _load(name: str) -> Any:  # noqa: ANN401
    return load(str(find("probes", name)))
