"""Commands that make probes of other people's data: questions for numbers, and captions."""

from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.cli import options
from subitize.cli.options import Summarised, app, check_file, print_json, print_warnings
from subitize.report.terminal import print_line

probes_app = typer.Typer(
    cls=Summarised,
    help="Make probes of counting and of image-sentence alignment from data sets.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(probes_app, name="probes")

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
    print_warnings(written.warnings)
    print_line(f"{written.summary}, written to {out}; see: subitize probes describe {out}")


@probes_app.command()
def describe(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written by subitize probes build.")],
    as_json: options.AsJson = False,
) -> None:
    """Show how many probes there are of each number, and what guessing gets, in percent."""
    from subitize.report.claims import print_tables

    found = _load("describe")(file)
    if as_json:
        print_json(found)
    else:
        print_tables(found)


@probes_app.command()
def captions(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="COCO's captions JSON, Conceptual Captions' TSV, or CSV.")
    ],
    out: ProbesFile = Path("pairs.jsonl"),
    source: Annotated[str | None, typer.Option(metavar="NAME", help="coco, gcc … [the file's name].")] = None,
    number: Annotated[int, typer.Option("--number", "-n", help="So many images, by lot.")] = 5000,
    images: Pictures = None,
    seed: options.Seed = None,
) -> None:
    """Pair images with their own caption and one of another image.

    To run them: subitize run alignment-probe:FILE.
    """
    check_file(out)
    written = _load("captions")(file, out, source=source or file.stem, number=number, images=images, seed=seed or 0)
    print_warnings(written.warnings)
    print_line(f"{written.summary}, written to {out}; see: subitize run alignment-probe:{out} --model MODEL")


def _load(name: str) -> Any:  # noqa: ANN401
    from subitize import papers

    return papers.load(str(papers.find("probes", name)))
