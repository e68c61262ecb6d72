"""Commands on corpora of captions: count their numbers, show them, and compare them with a run."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.cli import options
from subitize.cli.expose import emit
from subitize.errors import BadValueError
from subitize.io.outputs import check_figure, check_folder
from subitize.report.terminal import TerminalEvents, print_warnings

_COUNT = "count"


class _CountUnlessNamed(options.Summarised):
    """Commands by name; anything else is a file to count."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Find a command, or else count."""
        return super().resolve_command(ctx, args if args[0] in self.commands else [_COUNT, *args])


corpus_app = options.add_group(
    "corpus",
    "Numbers in caption corpora: subitize corpus FILES --column NAME counts them.",
    _CountUnlessNamed,
    ignore_unknown_options=True,
)

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILES…", help="Parquet, JSONL, JSON, CSV, TSV, also .gz or .zst; patterns; addresses."),
]
Adjectives = Annotated[int, typer.Option(min=0, max=9, help="How many adjectives may separate a number and its noun.")]
Participles = Annotated[
    bool, typer.Option("--participles", help="Participles may separate them, too: two parked cars.")
]
ProperNouns = Annotated[bool, typer.Option("--proper-nouns", help="Count proper nouns: 12 Steel Spoons.")]
Exclude = Annotated[
    list[str] | None,
    typer.Option(help="Leave out percent, money, pixels, bytes, degrees, years or identifiers. Repeatable."),
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
    from subitize.corpus.files import choose_layout, find_shards
    from subitize.corpus.numerosities import CaptionRule
    from subitize.corpus.report import summary_result
    from subitize.corpus.summary import summarise
    from subitize.records import to_plain

    rule = CaptionRule(adjectives, participles, proper_nouns, tuple(dict.fromkeys(exclude or ())))
    if out is not None:
        check_folder(out)
    layout = choose_layout(preset, column, address)
    corpus = Corpus(tuple(find_shards(files)), layout, rule, samples, out)
    with TerminalEvents() as events:
        counts = count_corpus(corpus, events, processes)
    name = "corpus" if out is None else out.resolve().name
    summary = summarise(CountedCorpus(name, counts, to_plain(rule), len(corpus.shards)), start)
    emit(replace(summary_result([summary]), records=to_plain(summary)), as_json=as_json)


@corpus_app.command()
def check(
    captions: Annotated[Path, typer.Argument(metavar="CSV", help="Captions with the right sum: caption,numerosity.")],
    adjectives: Adjectives = 1,
    participles: Participles = False,
    proper_nouns: ProperNouns = False,
    exclude: Exclude = None,
    as_json: options.AsJson = False,
) -> None:
    """Show how many captions are read correctly, and list every miss."""
    from subitize.corpus.counting import check_captions
    from subitize.corpus.numerosities import CaptionRule
    from subitize.corpus.report import checked_result

    rule = CaptionRule(adjectives, participles, proper_nouns, tuple(exclude or ()))
    emit(checked_result(check_captions(captions, rule, print_warnings)), as_json=as_json)


@corpus_app.command()
def report(
    counts: Annotated[list[Path], typer.Argument(metavar="COUNTS…", help="Folders of --out: one, or two to compare.")],
    page: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write a page: an .html file.")] = None,
    figure: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the frequencies: a .png or .svg.")] = None,
    start: Start = 1,
    as_json: options.AsJson = False,
) -> None:
    """Show what was counted in one corpus or two: a page, a figure, tables."""
    from subitize.corpus.counting import load_counts
    from subitize.corpus.report import check_summaries, draw_frequencies, summary_result, write_page
    from subitize.corpus.summary import summarise
    from subitize.report.document import Outputs, check_outputs
    from subitize.report.figures import save_figure

    if len(counts) > 2:
        raise BadValueError(f"{len(counts)} corpora: give one, or two to compare")
    check_figure(figure)
    if page is not None:
        check_outputs(Outputs(page))
    summaries = [summarise(load_counts(folder), start) for folder in counts]
    check_summaries(summaries)
    if figure is not None:
        drawn = draw_frequencies(summaries)
        save_figure(drawn.spec, figure, drawn.name)
    if page is not None:
        write_page(summaries, page)
    emit(summary_result(summaries), as_json=as_json)


@corpus_app.command()
def link(
    run: options.RunName,
    counts: Annotated[Path, typer.Argument(metavar="COUNTS", help="The folder of --out of a corpus.")],
    judge: Annotated[str | None, typer.Option(help="Only the readings of this judge.")] = None,
    rule: options.RuleText = None,
    figure: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw accuracy over frequency.")] = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Correlate accuracy with how often a corpus mentions each number and noun."""
    from subitize.analysis.frame import observe_run
    from subitize.corpus.counting import load_counts
    from subitize.corpus.frequency import draw_links, link_accuracy
    from subitize.corpus.report import link_result
    from subitize.report.figures import save_figure

    check_figure(figure)
    corpus = load_counts(counts)
    with options.open_run(run, database, images) as opened:
        links = link_accuracy(observe_run(opened, options.choose_reader(judge, rule)), corpus)
        names = options.read_names(opened)
    if figure is not None:
        drawn = draw_links(names.rename(links), corpus.name)
        save_figure(drawn.spec, figure, drawn.name)
    emit(link_result(links, names, corpus.name), as_json=as_json)


@corpus_app.command()
def pairs(
    files: Files,
    images: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the images.")],
    judge: Annotated[str, typer.Option(help="Who counts: a detector, a vision-language model, observer …")],
    image: Annotated[str, typer.Option(metavar="NAME", help="The column of the images' files.")] = "image",
    column: Annotated[str, typer.Option(metavar="NAME", help="The column of captions.")] = "caption",
    rule: options.RuleText = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Look at N pairs only, chosen at random.")] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep what is counted (JSON lines): a stopped search goes on.")
    ] = None,
    max_cost: options.MaxCost = None,
    prices: options.PricesFile = None,
    adjectives: Adjectives = 1,
    participles: Participles = False,
    proper_nouns: ProperNouns = False,
    exclude: Exclude = None,
    as_json: options.AsJson = False,
) -> None:
    """List captions whose numbers disagree with what a judge counts in their images, with rates by numerosity."""
    from subitize.corpus.files import CorpusLayout, find_shards
    from subitize.corpus.numerosities import CaptionRule
    from subitize.corpus.pairs import PairsSpec, find_misaligned
    from subitize.corpus.report import misalignment_result
    from subitize.evaluate.judging import self_test
    from subitize.labels import parse_rule
    from subitize.registry import make_judge

    if not images.is_dir():
        raise BadValueError(f"--images {images}: there is no such folder")
    own = CaptionRule(adjectives, participles, proper_nouns, tuple(exclude or ()))
    ledger = options.make_ledger(prices, max_cost)
    given = PairsSpec(tuple(find_shards(files)), CorpusLayout(column, image), images, own, limit, out, ledger)
    made = make_judge(judge)
    reading = options.rule_for(made, rule) or parse_rule(made.obj.rule)
    print_warnings(*filter(None, [self_test(made)]))
    with TerminalEvents() as events:
        found = find_misaligned(given, made, reading, events, seed=seed)
    emit(misalignment_result(found), as_json=as_json)
