"""The page about one corpus, or about two that are compared."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from subitize.corpus.comparisons import Comparison, compare_corpora
from subitize.corpus.figures import draw_frequencies, draw_laws
from subitize.corpus.summaries import LARGEST, Summary
from subitize.errors import BadValueError, NothingToDoError
from subitize.io.outputs import write_atomic
from subitize.report.document import to_html
from subitize.report.table import (
    Block,
    Column,
    Document,
    Row,
    Section,
    TextBlock,
    estimate_text,
    make_table,
    slug,
    text_column,
)

_NUMBERS_LISTED = 30
_NOUNS_LISTED = 12
_COMPARED = 30
_SAMPLED = 20


def write_page(summaries: Sequence[Summary], path: Path) -> Path:
    """Write the page, whole or not at all."""
    return write_atomic(path, (text.encode() for text in to_html(compose(summaries))))


def check_summaries(summaries: Sequence[Summary]) -> None:
    """Refuse what cannot be drawn."""
    for one in summaries:
        if not one.rows:
            raise NothingToDoError(f"no caption of {one.name} has a numerosity: there is nothing to draw")
    names = [one.name for one in summaries]
    if len(set(names)) < len(names):
        raise BadValueError(f"two corpora are called {names[0]}; keep them in folders of different names")


def compose(summaries: Sequence[Summary]) -> Document:
    """Put the page together."""
    check_summaries(summaries)
    sections = [
        Section("frequencies", "How often numbers occur", (draw_frequencies(summaries), *_coverage(summaries))),
    ]
    if any(one.fits for one in summaries):
        blocks = (draw_laws(summaries), _fits(summaries), _decades(summaries))
        sections.append(Section("laws", "Power laws", blocks))
    if len(summaries) == 2:
        sections.append(Section("comparison", "Compared", tuple(_compared(compare_corpora(*summaries)))))
    for one in summaries:
        sections.append(
            Section(f"nouns-{slug(one.name)}", f"What is counted in {one.name}", (_nouns(one), _samples(one)))
        )
    names = " and ".join(one.name for one in summaries)
    return Document(f"Numbers in captions: {names}", " ".join(map(_sum_up, summaries)), tuple(sections))


def _sum_up(summary: Summary) -> str:
    commonest = max(summary.rows, key=lambda row: row.captions)
    text = (
        f"{summary.name}: {estimate_text(summary.counted)} of {summary.captions:,} captions name a number of things; "
        f"{commonest.number} is the commonest."
    )
    law = next((fit.law for fit in summary.fits), None)
    return text if law is None else f"{text} The exponent from {law.start} on is {estimate_text(law.exponent)}."


def _coverage(summaries: Sequence[Summary]) -> Iterator[Block]:
    columns = (
        text_column("corpus"),
        Column("captions", digits=0),
        Column("might hold a number", "They have a digit or a number word.", digits=0),
        Column("name a number of things", digits=4),
        Column(f"of those, above {LARGEST}", digits=4),
        text_column("rule", "Departures from the paper's."),
    )
    rows = (
        Row((one.name, one.captions, one.candidates, one.counted, one.outliers, _describe_rule(one.rule)))
        for one in summaries
    )
    yield make_table("corpus-coverage", "Captions", columns, rows)
    for one in summaries:
        if one.problems:
            text = f"{one.name}: {one.problems} parts of files could not be read and are in no figure: "
            yield TextBlock(text + "; ".join(one.first_problems), is_warning=True)


def _describe_rule(rule: Mapping[str, object]) -> str:
    usual = {"adjectives": 1, "participles": False, "proper_nouns": False, "exclude": []}
    own = {key: value for key, value in rule.items() if usual.get(key, value) != value and value != ()}
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in own.items()) or "as in the paper"


def _fits(summaries: Sequence[Summary]) -> Block:
    columns = (
        text_column("corpus"),
        text_column("power law"),
        Column("start", digits=0),
        Column("exponent", digits=3),
        Column("n", digits=0),
        Column("distance", "The largest between the two distribution functions.", digits=4),
        Column("fit", "Share of samples of the law as far from it as the corpus; below 0.1 the law is a poor one."),
        text_column("log-normal", "Which of the two laws is favoured (Vuong's test)."),
        text_column("cut off", "Whether an exponential cuts the law off (likelihood ratio)."),
    )
    rows = []
    for one in summaries:
        for fit in one.fits:
            verdicts = [f"{other.verdict}, p {other.p:.3f}" for other in fit.alternatives] or ["", ""]
            law = fit.law
            rows.append(
                Row((one.name, fit.name, law.start, law.exponent, law.exponent.n, law.distance, fit.fit, *verdicts))
            )
    caption = "The interval with a chosen start takes no account of the choice."
    return make_table("corpus-fits", "Power laws by maximum likelihood", columns, rows, caption)


def _decades(summaries: Sequence[Summary]) -> Block:
    columns = (
        text_column("corpus"),
        Column("decade", digits=0),
        Column("captions", digits=0),
        "ratio",
        text_column("stands out"),
    )
    rows = (
        Row((one.name, heap.number, heap.count, heap.ratio, "yes" if heap.is_flagged else ""))
        for one in summaries
        for heap in one.decades
    )
    caption = "Ratio: how many times as often as the power law through four neighbours on each side has it."
    return make_table("corpus-decades", "Decades", columns, rows, caption)


def _compared(found: Comparison) -> Iterator[Block]:
    columns = (
        Column("number", digits=0),
        Column(found.first, digits=4),
        Column(found.second, digits=4),
        Column("ratio", f"How many times as often in {found.first}."),
    )
    shown = [one for one in found.ratios if one.number <= _COMPARED or one.number % 10 == 0][: 2 * _COMPARED]
    rows = (Row((one.number, one.first, one.second, one.ratio)) for one in shown)
    yield make_table("corpus-comparison", "Shares of numbers", columns, rows)
    differences = (Row((name, estimate)) for name, estimate in found.exponents.items())
    heads = (text_column("power law"), Column("difference of exponents", digits=3))
    yield make_table("corpus-exponents", f"Exponent of {found.first} minus that of {found.second}", heads, differences)


def _nouns(summary: Summary) -> Block:
    columns = (Column("number", digits=0), text_column("nouns"))
    rows = (
        Row((row.number, ", ".join(f"{noun} {count:,}" for noun, count in row.nouns[:_NOUNS_LISTED])))
        for row in summary.rows[:_NUMBERS_LISTED]
    )
    caption = f"{summary.unlisted_nouns:,} numerosities are of nouns that are not among the 10,000 commonest by number."
    return make_table(f"corpus-nouns-{slug(summary.name)}", "Nouns by number", columns, rows, caption)


def _samples(summary: Summary) -> Block:
    columns = (Column("numerosity", digits=0), text_column("caption"), text_column("image"))
    rows = (
        Row((number, sample.caption, sample.address))
        for number, own in list(summary.samples.items())[:_SAMPLED]
        for sample in own
    )
    caption = "Drawn at random; the numerosity is the sum of all in a caption."
    return make_table(f"corpus-samples-{slug(summary.name)}", "Captions", columns, rows, caption)
