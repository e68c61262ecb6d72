"""The command that has a language model rewrite prompts."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, check_file
from subitize.cli.running import Tries, stopping
from subitize.report.terminal import print_line


@app.command()
@stopping()
def rewrite(
    suite: options.SuiteSpec,
    model: Annotated[str, typer.Option(help="A model that writes texts: openai:MODEL,base_url=…")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The CSV file to write or go on with.")] = Path(
        "rewritten.csv"
    ),
    instruction: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the model is told to do with a prompt [see --dry-run].")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Only N prompts: those that run --limit takes first.")] = None,
    seed: options.Seed = None,
    tries: Tries = 5,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be sent first.")] = False,
) -> None:
    """Have a language model rewrite a suite's prompts.

    To run them: subitize run SUITE --refine rewritten:file=FILE.
    """
    from subitize.evaluate.evaluation import raise_failures
    from subitize.evaluate.rewriting import INSTRUCTION, Rewriting, rewrite_suite
    from subitize.language.numbers import count_noun
    from subitize.registry import make_model, make_suite
    from subitize.report.terminal import Bar

    check_file(out)
    told = INSTRUCTION if instruction is None else instruction
    rewriting = Rewriting(make_suite(suite), make_model(model), out, told, limit, seed or 0, tries)
    if dry_run:
        items = rewriting.items()
        return print(
            f"{count_noun(len(items), 'prompt')}; the first would be sent as:\n\n{rewriting.text_for(items[0])}"
        )
    with Bar() as bar:
        summary = rewrite_suite(rewriting, bar)
    print_line(f"{rewriting.model}: {summary}")
    if summary.written or summary.already_done:
        next_step = shlex.join(["run", suite, "--refine", f"rewritten:file={out}", "--model", "NAME"])
        print_line(f"written to {out}; see: subitize {next_step}")
    return raise_failures(summary.reasons)
