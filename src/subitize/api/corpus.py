"""Verbs on corpora of captions: count their numbers, show them, and compare them with a run."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from subitize.analysis.frame import observe_run
from subitize.analysis.overview import read_names
from subitize.analysis.reader import choose_reader, rule_for
from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_list, as_path, make_budget, opened, outside_loop, verb
from subitize.api.options import AnyPath, Arg, Names, Opt
from subitize.corpus import report
from subitize.corpus.counting import Corpus, CountedCorpus, check_captions, count_corpus, load_counts
from subitize.corpus.files import CorpusLayout, choose_layout, find_shards
from subitize.corpus.frequency import draw_links, link_accuracy
from subitize.corpus.numerosities import CaptionRule
from subitize.corpus.pairs import PairsSpec, find_misaligned
from subitize.corpus.summary import summarise
from subitize.errors import BadValueError
from subitize.evaluate.engines import make_engine
from subitize.evaluate.judging import self_test
from subitize.interfaces import Events
from subitize.io.outputs import check_figure, check_folder
from subitize.labels import parse_rule
from subitize.records import to_plain
from subitize.registry import make_judge
from subitize.report.document import Outputs, check_outputs
from subitize.report.figures import save_figure
from subitize.report.table import Result

Files = Annotated[Names, Arg("Parquet, JSONL, JSON, CSV, TSV, also .gz or .zst; patterns; addresses.", "FILES…")]
Adjectives = Annotated[int, Opt("How many adjectives may separate a number and its noun.", least=0, most=9)]
Participles = Annotated[bool, Opt("Participles may separate them, too: two parked cars.")]
ProperNouns = Annotated[bool, Opt("Count proper nouns: 12 Steel Spoons.")]
Exclude = Annotated[Names, Opt("Leave out percent, money, pixels, bytes, degrees, years or identifiers. Repeatable.")]
Start = Annotated[int, Opt("Where the tail begins that a power law is fitted to.", "N")]


@verb
def count_captions(
    files: Files,
    column: Annotated[str | None, Opt("The column of captions.", "NAME")] = None,
    preset: Annotated[
        str | None, Opt("Columns as in laion, datacomp, cc3m, cc12m, pixelprose, pd12m, coco or sharegpt4v.")
    ] = None,
    address: Annotated[str | None, Opt("The column of the images' addresses.", "NAME")] = None,
    out: Annotated[AnyPath | None, Opt("Keep the counts here, file by file.", "DIR")] = None,
    adjectives: Adjectives = 1,
    participles: Participles = False,
    proper_nouns: ProperNouns = False,
    exclude: Exclude = (),
    samples: Annotated[int, Opt("Captions to keep of each numerosity.", least=0, most=1000)] = 5,
    processes: Annotated[int | None, Opt("Files counted at once [one per core].", least=1)] = None,
    start: Start = 1,
    engine: options.Engine = "local",
    ray_address: options.RayAddress = None,
    events: Events = AS_WARNINGS,
) -> Result:
    """Count the numbers of things that captions name; with --out, a second call goes on where the first was stopped."""
    rule = CaptionRule(adjectives, participles, proper_nouns, tuple(dict.fromkeys(as_list(exclude))))
    folder = as_path(out)
    if folder is not None:
        check_folder(folder)
    layout = choose_layout(preset, column, address)
    corpus = Corpus(tuple(find_shards(as_list(files))), layout, rule, samples, folder)
    with make_engine(engine, ray_address) as computing:
        if computing.spread and processes:
            raise BadValueError(
                f"`processes` {processes}: leave it out with `engine` ray; write ray:workers={processes}"
            )
        counts = count_corpus(corpus, events, processes, computing.spread)
    name = "corpus" if folder is None else folder.resolve().name
    summary = summarise(CountedCorpus(name, counts, to_plain(rule), len(corpus.shards)), start)
    return replace(report.summary_result([summary]), records=to_plain(summary))


@verb
def check_counting(
    captions: Annotated[AnyPath, Arg("Captions with the right sum: caption,numerosity.", "CSV")],
    adjectives: Adjectives = 1,
    participles: Participles = False,
    proper_nouns: ProperNouns = False,
    exclude: Exclude = (),
    events: Events = AS_WARNINGS,
) -> Result:
    """Show how many captions are read correctly, and list every miss."""
    rule = CaptionRule(adjectives, participles, proper_nouns, tuple(as_list(exclude)))
    return report.checked_result(check_captions(Path(captions), rule, events.warn))


@verb
def report_corpora(
    counts: Annotated[Names, Arg("Folders of --out: one, or two to compare.", "COUNTS…")],
    out: Annotated[AnyPath | None, Opt("Write a page: an .html file.", "FILE", "--out -o")] = None,
    figure: Annotated[AnyPath | None, Opt("Draw the frequencies: a .png or .svg.", "FILE")] = None,
    start: Start = 1,
    events: Events = AS_WARNINGS,
) -> Result:
    """Show what was counted in one corpus or two: a page, a figure, tables."""
    folders, picture = [Path(one) for one in as_list(counts)], as_path(figure)
    if len(folders) > 2:
        raise BadValueError(f"{len(folders)} corpora: give one, or two to compare")
    check_figure(picture)
    if out is not None:
        check_outputs(Outputs(Path(out)))
    summaries = [summarise(load_counts(folder), start) for folder in folders]
    report.check_summaries(summaries)
    if picture is not None:
        drawn = report.draw_frequencies(summaries)
        save_figure(drawn.spec, picture, drawn.name)
    if out is not None:
        report.write_page(summaries, Path(out))
    return report.summary_result(summaries)


@verb
def link_corpus(
    run: options.RunArg,
    counts: Annotated[AnyPath, Arg("The folder of --out of a corpus.", "COUNTS")],
    judge: Annotated[str | None, Opt("Only the readings of this judge.")] = None,
    rule: options.Rule = None,
    figure: Annotated[AnyPath | None, Opt("Draw accuracy over frequency.", "FILE")] = None,
    events: Events = AS_WARNINGS,
) -> Result:
    """Correlate accuracy with how often a corpus mentions each number and noun."""
    picture, corpus = as_path(figure), load_counts(Path(counts))
    check_figure(picture)
    with opened(run) as (own,):
        links = link_accuracy(observe_run(own, choose_reader(judge, rule, events.warn)), corpus)
        names = read_names(own)
    if picture is not None:
        drawn = draw_links(names.rename(links), corpus.name)
        save_figure(drawn.spec, picture, drawn.name)
    return report.link_result(links, names, corpus.name)


@verb
@outside_loop
def find_pairs(
    files: Files,
    images: Annotated[AnyPath, Opt("The folder of the images.", "DIR")],
    judge: Annotated[str, Opt("Who counts: a detector, a vision-language model, observer …")],
    image: Annotated[str, Opt("The column of the images' files.", "NAME")] = "image",
    column: Annotated[str, Opt("The column of captions.", "NAME")] = "caption",
    rule: options.Rule = None,
    limit: Annotated[int | None, Opt("Look at N pairs only, chosen at random.", least=1)] = None,
    seed: Annotated[int, Opt("Of the draw.")] = 0,
    out: Annotated[AnyPath | None, Opt("Keep what is counted (JSON lines): a stopped search goes on.", "FILE")] = None,
    max_cost: options.MaxCost = None,
    prices: options.Prices = None,
    adjectives: Adjectives = 1,
    participles: Participles = False,
    proper_nouns: ProperNouns = False,
    exclude: Exclude = (),
    events: Events = AS_WARNINGS,
) -> Result:
    """List captions whose numbers disagree with what a judge counts in their images, with rates by numerosity."""
    if not Path(images).is_dir():
        raise BadValueError(f"`images` {images}: there is no such folder")
    own = CaptionRule(adjectives, participles, proper_nouns, tuple(as_list(exclude)))
    shards, layout = tuple(find_shards(as_list(files))), CorpusLayout(column, image)
    given = PairsSpec(shards, layout, Path(images), own, limit, as_path(out), make_budget(prices, max_cost))
    made = make_judge(judge)
    reading = rule_for(made, rule, events.warn) or parse_rule(made.obj.rule)
    events.warn(*filter(None, [self_test(made)]))
    return report.misalignment_result(find_misaligned(given, made, reading, events, seed=seed))
