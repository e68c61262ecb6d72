"""Commands on the outputs of other evaluation tools: import them as a run, rescore them."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, import_app, locate, open_run, print_json


@import_app.command("outputs")
def import_outputs_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Samples, predictions, reviews or a log.")],
    out: Annotated[str, typer.Option(metavar="RUN", help="The run to make or add to.")],
    format: Annotated[
        str | None, typer.Option(metavar="lmms-eval|vlmevalkit|inspect|evalscope", help="[found from the file]")
    ] = None,
    model: Annotated[str | None, typer.Option(help="What to call the model [as the file or its folder does].")] = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Make a run of another program's outputs: read the replies anew, and set the recorded score beside ours."""
    from subitize.analysis.overview import read_names
    from subitize.analysis.rescoring import rescore_import
    from subitize.imports.outputs.importing import import_outputs
    from subitize.report.alignment import print_rescored
    from subitize.report.terminal import print_line

    summary = import_outputs(locate(out, database, images), file, format, model)
    with open_run(out, database, images) as opened:
        rescored, stand_ins = rescore_import(opened, summary), read_names(opened)
    if as_json:
        return print_json({"imported": summary, "rescored": rescored}, stand_ins)
    for line in summary.lines():
        print_line(line)
    if rescored:
        print_rescored(rescored, stand_ins)
    name = shlex.quote(out)
    print_line(f"see: subitize score {name}, subitize rescore {name} --scorer NAME, subitize report {name}")
    return None


@app.command()
def rescore(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The run's folder; left out: list the scorers.")
    ] = None,
    scorer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A published scorer; several times [as recorded by an import, else all]."),
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Only the readings of this judge.")] = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Score a run as others do, beside our reading: which replies are read differently, and why."""
    from subitize.analysis.overview import read_names
    from subitize.analysis.rescoring import rescore_run
    from subitize.report.alignment import print_rescored, print_scorers

    if run is None:
        return print_scorers()
    with open_run(run, database, images) as opened:
        found, stand_ins = rescore_run(opened, scorer or (), judge), read_names(opened)
    if as_json:
        return print_json(found, stand_ins)
    return print_rescored(found, stand_ins)
