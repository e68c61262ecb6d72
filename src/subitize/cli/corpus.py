"""The commands about corpora of captions: count their numbers, show them, and join them with a run."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from subitize.cli import options
from subitize.cli.options import app, print_json, print_warnings

_COUNT = "count"


class _CountUnlessNamed(TyperGroup):
    """Commands by name; anything else is a file to be counted."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Find a command, or count."""
        return super().resolve_command(ctx, args if args[0] in self.commands else [_COUNT, *args])


corpus_app = typer.Typer(
    cls=_CountUnlessNamed,
    help="Numbers in caption corpora: subitize corpus FILES --column NAME counts them.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"ignore_unknown_options": True},
)
app.add_typer(corpus_app, name="corpus")

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILES…", help="Parquet, JSONL, JSON, CSV, TSV, also .gz or .zst; patterns; addresses."),
]
Adjectives = Annotated[int, typer.Option(min=0, max=9, help="How many may stand between a number and its noun.")]
Participles = Annotated[bool, typer.Option("--participles", help="Participles may stand there, too: two parked cars.")]
ProperNouns = Annotated[bool, typer.Option("--proper-nouns", help="Count proper nouns: 12 Steel Spoons.")]
Exclude = Annotated[
    list[str] | None,
    typer.Option(help="Leave out percent, money, pixels, bytes, degrees, years or identifiers; several times."),
]
Start = Annotated[int, typer.Option(metavar="N", help="Where the tail begins that a power law is fitted to.")]


@corpus_app.command(_COUNT)
def count(
    files: Files,
    column: Annotated[str | None, typer.Option(metavar="NAME", help="The column of captions.")] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="Columns as in laion, datacomp, cc3m, cc12m, pixelprose, pd12m, coco or sharegpt4v."),
    ] = None,
    address: Annotated[str | None, typer.Option(metavar="NAME", help="The column of the images' addresses.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep the counts here, file by file.")] = None,
    adjectives: Adjectives = 1,
    participles: Participles = False,
    proper_nouns: ProperNouns = False,
    exclude: Exclude = None,
    samples: Annotated[int, typer.Option(min=0, max=1000, help="Captions to keep of each numerosity.")] = 5,
    processes: Annotated[int | None, typer.Option(min=1, help="Files counted at once [one per core].")] = None,
    start: Start = 1,
    as_json: options.AsJson = False,
) -> None:
    """Count the numbers of things that captions name; with --out, a second call goes on where the first was stopped."""
    from subitize.corpus.counting import Corpus, CountedCorpus, count_corpus
    from subitize.corpus.layouts import choose_layout, find_shards
    from subitize.corpus.numerosities import Rule
    from subitize.corpus.printing import print_summary
    from subitize.corpus.summaries import summarise
    from subitize.records import to_plain
    from subitize.report.terminal.bars import Bar

    rule = Rule(adjectives, participles, proper_nouns, tuple(dict.fromkeys(exclude or ())))
    if out is not None:
        options.check_folder(out)
    layout = choose_layout(preset, column, address)
    corpus = Corpus(tuple(find_shards(files)), layout, rule, samples, out)
    with Bar() as bar:
        counts = count_corpus(corpus, bar, lambda line: print_warnings([line]), processes)
    name = "corpus" if out is None else out.resolve().name
    summary = summarise(CountedCorpus(name, counts, to_plain(rule), len(corpus.shards)), start)
    print_json(summary) if as_json else print_summary(summary)


@corpus_app.command()
def check(
    captions: Annotated[Path, typer.Argument(metavar="CSV", help="Captions with the right sum: caption,numerosity.")],
    adjectives: Adjectives = 1,
    participles: Participles = False,
    proper_nouns: ProperNouns = False,
    exclude: Exclude = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell how many captions are read right, and list every miss."""
    from subitize.corpus.checking import check_captions
    from subitize.corpus.numerosities import Rule
    from subitize.corpus.printing import print_checked

    checked = check_captions(captions, Rule(adjectives, participles, proper_nouns, tuple(exclude or ())))
    print_json(checked) if as_json else print_checked(checked)
