"""Charts, pages and terminal output about corpora: how often each number occurs (Numbersense, Figure 6).

Also covers power laws, comparisons of two corpora, accuracy against frequency, and misaligned captions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from scipy.special import zeta

from subitize.analysis.overview import Names
from subitize.corpus.counting import Checked
from subitize.corpus.frequency import FrequencyFit
from subitize.corpus.numerosities import CaptionRule
from subitize.corpus.pairs import CaptionCheck
from subitize.corpus.summary import DECADES, LARGEST, CorpusComparison, CorpusSummary, compare_corpora
from subitize.errors import BadValueError, NothingToDoError
from subitize.io.outputs import write_atomic
from subitize.records import to_plain
from subitize.report import charts
from subitize.report.figures import INK, QUIET
from subitize.report.scores import explain_marks
from subitize.report.table import Block, Cell, Column, Document, Figure, Paragraph, Result, Row, Section, Table
from subitize.report.texts import estimate_text, number_of, slug, write_p
from subitize.report.writers import to_html

MOST_SHOWN = 100
_WIDTH_PX, _LOWER_PX, _UPPER_PX = 680, 170, 70
_DECADE, _OTHER = "decade", "other number"
_COLOURS = {_OTHER: "#5f6b7a", _DECADE: "#d62728"}
_SMALL = 10  # numbers up to here are so frequent that the others need their own scale
_ROOM = 1.15
_POINTS = 60
_TICKS = [1, *range(10, MOST_SHOWN + 1, 10)]


def draw_frequencies(summaries: Sequence[CorpusSummary]) -> Figure:
    """Draw the relative frequency of each number up to 100, with decades marked, in a panel per corpus.

    Bars of frequent numbers continue above a break, on another scale; below it, corpora share one scale.
    """
    shares = {one.name: {row.number: row.share for row in one.rows if row.number <= MOST_SHOWN} for one in summaries}
    cut = _ROOM * max(
        (share.high for own in shares.values() for number, share in own.items() if number > _SMALL), default=1.0
    )
    panels = [_panel(one, cut) for one in summaries]
    data = _frequencies(summaries, range(1, MOST_SHOWN + 1))
    caption = (
        f"Share of captions with a numerosity whose sum it is, with 95 % intervals; decades in red. Above the break "
        f"(at {cut:.2g}) the scale is another. Numbers above {MOST_SHOWN} are not shown."
    )
    described = "; ".join(_describe(one) for one in summaries)
    alt = f"Bars of the relative frequency of the numbers 1 to {MOST_SHOWN}: {described}."
    spec = charts.complete({"vconcat": panels, "spacing": 26})
    return Figure("corpus-frequencies", "How often captions name each number", spec, caption, alt, data)


def draw_laws(summaries: Sequence[CorpusSummary]) -> Figure:
    """Draw frequencies on logarithmic scales, with the fitted power laws."""
    points = [
        {"corpus": one.name, "number": row.number, "value": row.share.value} for one in summaries for row in one.rows
    ]
    lines = [line for one in summaries for line in _law_lines(one)]
    colours = {"domain": [one.name for one in summaries], "range": charts.COLOURS[: len(summaries)]}
    colour = charts.field("corpus", "nominal", scale=colours, legend={"title": None, "orient": "top"})
    scale = {"type": "log", "nice": False}
    x = charts.field(
        "number", "quantitative", title="number", scale=scale, axis={"tickCount": 5, "format": "~s", "grid": False}
    )
    y = charts.field(
        "value",
        "quantitative",
        title="relative frequency",
        scale=scale,
        axis={"tickCount": 6, "format": ".0e", "grid": False},
    )
    shared = {"x": x, "y": y, "color": colour}
    dash = charts.field("law", "nominal", legend={"title": None, "orient": "top"})
    layers = [
        {"data": {"values": points}, **charts.layer("circle", shared, size=18, opacity=0.6)},
        {"data": {"values": lines}, **charts.layer("line", {**shared, "strokeDash": dash}, strokeWidth=1.5)},
    ]
    spec = charts.complete({"width": _WIDTH_PX, "height": 320, "layer": layers})
    alt = "; ".join(
        f"{one.name}: exponent {fit.law.exponent.value:.2f} {fit.name}" for one in summaries for fit in one.fits
    )
    caption = (
        "Points: relative frequencies; lines: power laws of maximum likelihood over the numbers they were fitted to."
    )
    return Figure("corpus-laws", "Numbers and the power laws fitted to them", spec, caption, alt, _fits(summaries))


def _panel(summary: CorpusSummary, cut: float) -> charts.Spec:
    """Draw a corpus: the part above the break over the part below it."""
    rows = [
        {
            "number": row.number,
            "value": row.share.value,
            "low": row.share.low,
            "high": row.share.high,
            "kind": _OTHER if row.number % 10 else _DECADE,
        }
        for row in summary.rows
        if row.number <= MOST_SHOWN
    ]
    top = max((float(str(row["high"])) for row in rows), default=cut)
    title = {"text": f"{summary.name} (n = {_counted(summary):,} captions)", "anchor": "start"}
    parts = [_bars(rows, (0.0, cut), _LOWER_PX, has_numbers=True)]
    if top > cut:
        parts.insert(0, _bars(rows, (cut, top * 1.02), _UPPER_PX, has_numbers=False))
    return {"title": title, "data": {"values": rows}, "vconcat": parts, "spacing": 5, "bounds": "flush"}


def _bars(rows: charts.Rows, domain: tuple[float, float], height_px: int, *, has_numbers: bool) -> charts.Spec:
    axis = {"values": _TICKS, "labelAngle": 0, "ticks": True, "grid": False}
    hidden = {"labels": False, "ticks": False, "domain": False, "grid": False, "title": None}
    numbers = list(range(1, MOST_SHOWN + 1))
    x = charts.field("number", "ordinal", scale={"domain": numbers}, axis=axis if has_numbers else hidden)
    x = {**x, "title": "number" if has_numbers else None}
    look = {"format": "~g", "tickCount": 4 if has_numbers else 3, "grid": True}
    scale = {"domain": list(domain), "zero": False, "nice": False}
    y = charts.field("value", "quantitative", scale=scale, axis=look)
    y = {**y, "title": "relative frequency" if has_numbers else None}
    kind = charts.field(
        "kind", "nominal", scale={"domain": list(_COLOURS), "range": list(_COLOURS.values())},
        legend={"title": None, "orient": "top-right"} if not has_numbers else None,
    )  # fmt: skip
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers = [
        charts.layer("bar", {"x": x, "y": y, "y2": {"datum": domain[0]}, "color": kind}, clip=True),
        charts.layer("rule", {"x": x, **ends}, clip=True, color=INK, opacity=0.7),
    ]
    if not has_numbers:
        layers.append(charts.layer("rule", {"y": {"datum": domain[0]}}, color=QUIET, strokeDash=[2, 3]))
    return {"width": _WIDTH_PX, "height": height_px, "layer": layers}


def _counted(summary: CorpusSummary) -> int:
    return summary.rows[0].share.n if summary.rows else 0


def _describe(summary: CorpusSummary) -> str:
    commonest = max(summary.rows, key=lambda row: row.captions)
    flagged = [str(one.number) for one in summary.decades if one.is_flagged]
    out = f", {', '.join(flagged)} stand out" if flagged else ""
    return f"in {summary.name} {commonest.number} is the commonest with {commonest.share.value:.0%}{out}"


def _law_lines(summary: CorpusSummary) -> Iterator[dict[str, object]]:
    largest = max((row.number for row in summary.rows), default=1)
    for fit in summary.fits:
        law = fit.law
        end = min(law.most or largest, largest)
        exponent = law.exponent.value
        every = np.arange(law.start, end + 1, dtype=np.float64) if law.most else None
        total = zeta(exponent, law.start) if every is None else float((every**-exponent).sum())
        share = law.exponent.n / _counted(summary)
        for number in np.geomspace(law.start, max(end, law.start + 1), _POINTS):
            value = share * number**-exponent / total
            yield {"corpus": summary.name, "law": fit.name, "number": float(number), "value": float(value)}


_NUMBERS_LISTED = 30
_NOUNS_LISTED = 12
_COMPARED = 30
_SAMPLED = 20


def write_page(summaries: Sequence[CorpusSummary], path: Path) -> Path:
    """Write the page atomically."""
    return write_atomic(path, (text.encode() for text in to_html(compose(summaries))))


def check_summaries(summaries: Sequence[CorpusSummary]) -> None:
    """Raise an error for corpora that cannot be drawn."""
    for one in summaries:
        if not one.rows:
            raise NothingToDoError(f"no caption of {one.name} has a numerosity: there is nothing to draw")
    names = [one.name for one in summaries]
    if len(set(names)) < len(names):
        raise BadValueError(f"two corpora are called {names[0]}; keep them in folders of different names")


def compose(summaries: Sequence[CorpusSummary]) -> Document:
    """Compose the page."""
    check_summaries(summaries)
    sections = [
        Section("frequencies", "How often numbers occur", (draw_frequencies(summaries), *_coverage(summaries))),
    ]
    if any(one.fits for one in summaries):
        blocks = (draw_laws(summaries), _decades(summaries))
        sections.append(Section("laws", "Power laws", blocks))
    if len(summaries) == 2:
        sections.append(Section("comparison", "Compared", tuple(_compared(compare_corpora(*summaries)))))
    for one in summaries:
        sections.append(
            Section(f"nouns-{slug(one.name)}", f"What is counted in {one.name}", (_nouns(one), _samples(one)))
        )
    names = " and ".join(one.name for one in summaries)
    return Document(f"Numbers in captions: {names}", " ".join(map(_sum_up, summaries)), tuple(sections))


def _sum_up(summary: CorpusSummary) -> str:
    commonest = max(summary.rows, key=lambda row: row.captions)
    text = (
        f"{summary.name}: {estimate_text(summary.counted)} of {summary.captions:,} captions name a number of things; "
        f"{commonest.number} is the commonest."
    )
    law = next((fit.law for fit in summary.fits), None)
    return text if law is None else f"{text} The exponent from {law.start} on is {estimate_text(law.exponent)}."


def _coverage(summaries: Sequence[CorpusSummary]) -> Iterator[Block]:
    columns = (
        Column.text("corpus"),
        Column("captions", digits=0),
        Column("might hold a number", "They have a digit or a number word.", digits=0),
        Column("name a number of things", digits=4),
        Column(f"of those, above {LARGEST}", digits=4),
        Column.text("rule", "Departures from the paper's."),
    )
    rows = (
        Row((one.name, one.captions, one.candidates, one.counted, one.outliers, _describe_rule(one.rule)))
        for one in summaries
    )
    yield Table.of("corpus-coverage", "Captions", columns, rows)
    for one in summaries:
        if one.problems:
            text = f"{one.name}: {one.problems} parts of files could not be read and are in no figure: "
            yield Paragraph(text + "; ".join(one.first_problems), is_warning=True)


def _describe_rule(rule: Mapping[str, object]) -> str:
    usual = asdict(CaptionRule()) | {"exclude": []}  # as read from JSON
    own = {key: value for key, value in rule.items() if usual.get(key, value) != value and value != ()}
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in own.items()) or "as in the paper"


def _label(one: CorpusSummary, summaries: Sequence[CorpusSummary]) -> str:
    """Name a corpus if there are several; columns without names are left out."""
    return one.name if len(summaries) > 1 else ""


def _fits(summaries: Sequence[CorpusSummary]) -> Table:
    columns = (
        Column.text("corpus"),
        Column.text("power law"),
        Column("start", digits=0),
        Column("exponent", digits=3),
        Column("n", digits=0),
        Column("distance", "The largest between the two distribution functions.", digits=4),
        Column("fit", "Share of samples of the law as far from it as the corpus; below 0.1 the law is a poor one."),
        Column.text("log-normal", "Which of the two laws is favoured (Vuong's test)."),
        Column.text("cut off", "Whether an exponential cuts the law off (likelihood ratio)."),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in summaries:
        for fit in one.fits:
            verdicts = [f"{other.verdict}, p {write_p(other.p)}" for other in fit.alternatives] or ["", ""]
            law = fit.law
            figures = (law.start, law.exponent, law.exponent.n, law.distance, fit.fit)
            rows.append((_label(one, summaries), fit.name, *figures, *verdicts))
    caption = "The interval with a chosen start takes no account of the choice."
    return Table.of("corpus-fits", "Power laws by maximum likelihood", columns, rows, caption, drops_empty=True)


def _decades(summaries: Sequence[CorpusSummary]) -> Table:
    ratio = "How many times as often as the power law through four neighbours on each side has it."
    columns = (Column.text("corpus"), "decade", "captions", Column("ratio", ratio), Column.text("stands out"))
    rows = (
        (_label(one, summaries), heap.number, heap.count, heap.ratio, "yes" * heap.is_flagged)
        for one in summaries
        for heap in one.decades
    )
    return Table.of("corpus-decades", "Decades", columns, rows, drops_empty=True)


def _compared(found: CorpusComparison) -> Iterator[Table]:
    columns = (
        "number",
        Column(found.first, digits=4),
        Column(found.second, digits=4),
        Column("ratio", f"How many times as often in {found.first}."),
    )
    shown = [one for one in found.ratios if one.number <= _COMPARED or one.number % 10 == 0][: 2 * _COMPARED]
    rows = ((one.number, one.first, one.second, one.ratio) for one in shown)
    yield Table.of("corpus-comparison", "Shares of numbers", columns, rows)
    heads = (Column.text("power law"), Column("difference of exponents", digits=3))
    title = f"Exponent of {found.first} minus that of {found.second}"
    yield Table.of("corpus-exponents", title, heads, found.exponents.items())


def _nouns(summary: CorpusSummary) -> Block:
    columns = (Column("number", digits=0), Column.text("nouns"))
    rows = (
        Row((row.number, ", ".join(f"{noun} {count:,}" for noun, count in row.nouns[:_NOUNS_LISTED])))
        for row in summary.rows[:_NUMBERS_LISTED]
    )
    caption = f"{summary.unlisted_nouns:,} numerosities are of nouns that are not among the 10,000 commonest by number."
    return Table.of(f"corpus-nouns-{slug(summary.name)}", "Nouns by number", columns, rows, caption)


def _samples(summary: CorpusSummary) -> Block:
    columns = (Column("numerosity", digits=0), Column.text("caption"), Column.text("image"))
    rows = (
        Row((number, sample.caption, sample.address))
        for number, own in list(summary.samples.items())[:_SAMPLED]
        for sample in own
    )
    caption = "Drawn at random; the numerosity is the sum of all in a caption."
    return Table.of(f"corpus-samples-{slug(summary.name)}", "Captions", columns, rows, caption)


_SHOWN = 20
_NOUNS = 3
_LISTED = 30


def summary_result(summaries: Sequence[CorpusSummary]) -> Result:
    """Show how many captions have numbers, their frequencies, and the power laws; compare two corpora."""
    lead = [line for one in summaries for line in _describe_captions(one, summaries)]
    tables = [_frequencies(summaries, {*range(_SHOWN + 1), *DECADES})] if any(one.rows for one in summaries) else []
    tables += [_decades(summaries)] * any(one.decades for one in summaries)
    tables += [_fits(summaries)] * any(one.fits for one in summaries)
    notes = ["too few numbers to fit a power law" for one in summaries if one.rows and not one.fits]
    compared = compare_corpora(*summaries) if len(summaries) == 2 else None
    tables += _compared(compared) if compared else []
    problems = [line for one in summaries for line in _describe_problems(one)]
    records = to_plain({"corpora": summaries, "comparison": compared})
    return Result(tuple(tables), records, tuple(lead), (*notes, *problems))


def _describe_captions(one: CorpusSummary, summaries: Sequence[CorpusSummary]) -> Iterator[str]:
    if name := _label(one, summaries):
        yield name
    files = number_of(one.shards, "file")
    yield f"{one.captions:,} captions in {files}; {one.candidates:,} might hold a number"
    yield f"with a numerosity: {estimate_text(one.counted, mark=' !')} of captions, n = {one.counted.n:,}"
    if one.rows:
        yield f"numbers above {LARGEST}: {estimate_text(one.outliers, mark=' !')} of those"
    else:
        yield "no caption has a numerosity: there is nothing to fit or to draw"


def _frequencies(summaries: Sequence[CorpusSummary], numbers: Collection[int]) -> Table:
    share = Column("share", "Of captions with a numerosity [95 % interval].", digits=3)
    rows = (
        (_label(one, summaries), row.number, row.captions, row.share, ", ".join(noun for noun, _ in row.nouns[:_NOUNS]))
        for one in summaries
        for row in one.rows
        if row.number in numbers
    )
    columns = (Column.text("corpus"), "number", "captions", share, Column.text("nouns"))
    title = "Relative frequency of numbers"
    return Table.of("corpus-frequencies", title, columns, rows, drops_empty=True)


def _describe_problems(summary: CorpusSummary) -> Iterator[str]:
    """Say what could not be read."""
    if summary.problems:
        yield f"NOT COUNTED: {summary.problems} parts of files could not be read; the first of them:"
        yield from (f"  {line}" for line in summary.first_problems)


def link_result(links: Sequence[FrequencyFit], names: Names, corpus: str) -> Result:
    """Show accuracy against frequency, a row per model and grouping."""
    rows = (
        (one.suite, names.mark_model(one.model), names.mark_judge(one.judge), one.by, one.correlation, one.slope,
         len(one.points))
        for one in links
    )  # fmt: skip
    heads = ("suite", "model", "judge", "by", "rank correlation", "gain per tenfold", "n")
    notes = (
        *explain_marks(links, names),
        f"accuracy against how often {corpus} names the same number (of the same thing) [95 % interval]; n: points",
        "small numbers are easier and more frequent: only with the number held constant does frequency speak alone",
    )
    return Result((Table.of("links", "", heads, rows, digits=3),), names.plain(links), notes=notes)


def misalignment_result(found: CaptionCheck) -> Result:
    """Show how often captions disagree with their images, and which ones do."""
    counts = f"{found.pairs:,} with numbers, counted by {found.judge}; {found.unknown} unknown"
    reasons = (f"  unknown, {count}: {reason}" for reason, count in found.reasons.items())
    rates = (
        ("all" if one.numerosity is None else one.numerosity, one.disagreeing, one.disagreeing.n) for one in found.rates
    )
    listed = (
        (pair.image, pair.caption, _write_numbers(pair.named), _write_numbers(pair.counted))
        for pair in found.disagreeing[:_LISTED]
    )
    rest = len(found.disagreeing) - _LISTED
    more = f"{rest} more disagree; --json lists all" if rest > 0 else ""
    tables = (
        Table.of("rates", "", ("numerosity", "disagree", "n"), rates, digits=3),
        Table.of("disagreeing", "", ("image", "caption", "named", "counted"), listed, more),
    )
    problems = tuple(f"NOT READ: {line}" for line in found.problems)
    return Result(tables, to_plain(found), (f"{found.captions:,} captions; {counts}", *reasons), problems)


def _write_numbers(numbers: Mapping[str, float | None]) -> str:
    return ", ".join(f"{'?' if number is None else f'{number:g}'} {noun}" for noun, number in numbers.items())


def checked_result(checked: Checked) -> Result:
    """Show the share of captions read correctly, and every miss."""
    rows = ((one.caption, one.expected or "none", one.found or "none") for one in checked.misses)
    right = f"right: {estimate_text(checked.accuracy, mark=' !')}, n = {checked.accuracy.n}"
    table = Table.of("misses", "", ("missed", "right answer", "found"), rows)
    return Result((table,), to_plain(checked), (right,))
