"""Prints the counts of a corpus at a terminal."""

from collections.abc import Iterable, Mapping, Sequence

from subitize.analysis.overview import Names
from subitize.corpus.checking import Checked
from subitize.corpus.comparisons import Comparison
from subitize.corpus.links import Link
from subitize.corpus.misalignment import Misalignment
from subitize.corpus.summaries import DECADES, LARGEST, Fit, Row, Summary
from subitize.report.scores import cell, print_cautions, print_marks
from subitize.report.table import write_p
from subitize.report.terminal import print_line, print_table

_SHOWN = 20
_NOUNS = 3
_LISTED = 30


def print_summary(summary: Summary) -> None:
    """Print how many captions have numbers, which ones, and which law they follow."""
    files = f"{summary.shards} file{'s' * (summary.shards != 1)}"
    print_line(f"{summary.captions:,} captions in {files}; {summary.candidates:,} might hold a number")
    print_line(f"with a numerosity: {cell(summary.counted)} of captions, n = {summary.counted.n:,}")
    if not summary.rows:
        print_line("no caption has a numerosity: there is nothing to fit or to draw")
    else:
        _print_rows(summary.rows)
        print_line(
            f"share: of captions with a numerosity [95 % interval]; numbers above {LARGEST}: {cell(summary.outliers)}"
        )
        _print_decades(summary)
        _print_fits(summary)
    print_problems(summary)


def print_comparison(found: Comparison) -> None:
    """Print how many times as often one corpus names a number as the other."""
    shown = [one for one in found.ratios if one.number <= _SHOWN or one.number in DECADES]
    rows = [(str(one.number), cell(one.first), cell(one.second), cell(one.ratio)) for one in shown]
    print_table(("number", found.first, found.second, "ratio"), rows)
    for name, difference in found.exponents.items():
        print_line(f"exponents, {name}: difference {cell(difference)}")


def print_links(links: Sequence[Link], stand_ins: Names, corpus: str) -> None:
    """Print how accuracy goes with frequency, a line per model and way of grouping."""
    rows = []
    for one in links:
        names = (one.suite, stand_ins.mark_model(one.model), stand_ins.mark_judge(one.judge), one.by)
        rows.append((*names, cell(one.correlation), cell(one.slope), str(len(one.points))))
    print_table(("suite", "model", "judge", "by", "rank correlation", "gain per tenfold", "n"), rows)
    print_marks(links, stand_ins)
    print_line(
        f"accuracy against how often {corpus} names the same number (of the same thing) [95 % interval]; n: points"
    )
    print_line(
        "small numbers are easier and more frequent: only with the number held constant does frequency speak alone"
    )


def print_misalignment(found: Misalignment) -> None:
    """Print how often captions disagree with their images, and which do."""
    print_line(
        f"{found.captions:,} captions; {found.pairs:,} with numbers, counted by {found.judge}; {found.unknown} unknown"
    )
    for reason, count in found.reasons.items():
        print_line(f"  unknown, {count}: {reason}")
    rows = [
        ("all" if one.numerosity is None else str(one.numerosity), cell(one.disagreeing), str(one.disagreeing.n))
        for one in found.rates
    ]
    print_table(("numerosity", "disagree", "n"), rows)
    listed = [
        (pair.image, pair.caption, _write_numbers(pair.named), _write_numbers(pair.counted))
        for pair in found.disagreeing[:_LISTED]
    ]
    if listed:
        print_table(("image", "caption", "named", "counted"), listed)
    if len(found.disagreeing) > _LISTED:
        print_line(f"{len(found.disagreeing) - _LISTED} more disagree; --json lists all")
    print_cautions(one.disagreeing for one in found.rates)
    for line in found.problems:
        print_line(f"NOT READ: {line}")


def _write_numbers(numbers: Mapping[str, float | None]) -> str:
    return ", ".join(f"{'?' if number is None else f'{number:g}'} {noun}" for noun, number in numbers.items())


def print_problems(summary: Summary) -> None:
    """Say what is not in the figures."""
    if summary.problems:
        print_line(f"NOT COUNTED: {summary.problems} parts of files could not be read; the first of them:")
        for line in summary.first_problems:
            print_line(f"  {line}")


def print_checked(checked: Checked) -> None:
    """Print how many captions were read right, and every miss."""
    print_line(f"right: {cell(checked.accuracy)}, n = {checked.accuracy.n}")
    rows = [(one.caption, str(one.expected or "none"), str(one.found or "none")) for one in checked.misses]
    if rows:
        print_table(("missed", "right answer", "found"), rows)


def _print_rows(rows: Iterable[Row]) -> None:
    shown = [row for row in rows if row.number <= _SHOWN or row.number in DECADES]
    print_table(
        ("number", "captions", "share", "nouns"),
        [
            (str(row.number), f"{row.captions:,}", cell(row.share), ", ".join(noun for noun, _ in row.nouns[:_NOUNS]))
            for row in shown
        ],
    )


def _print_decades(summary: Summary) -> None:
    if summary.decades:
        print_table(
            ("decade", "captions", "times as often as its neighbours", "stands out"),
            [(str(one.number), f"{one.count:,}", cell(one.ratio), "yes" * one.is_flagged) for one in summary.decades],
        )


def _print_fits(summary: Summary) -> None:
    if not summary.fits:
        print_line("too few numbers to fit a power law")
        return
    heads = ("power law", "start", "exponent", "n", "distance", "fit p", "against")
    print_table(heads, map(_write_fit, summary.fits))
    print_line("fit p: share of samples of the law as far from it as the corpus; below 0.1 the law is a poor one")
    print_line("an interval with a chosen start takes no account of the choice")


def _write_fit(fit: Fit) -> tuple[str, ...]:
    against = "; ".join(f"{one.name}: {one.verdict}, p {write_p(one.p)}" for one in fit.alternatives)
    law = fit.law
    figures = (cell(law.exponent), f"{law.exponent.n:,}", f"{law.distance:.4f}", cell(fit.fit))
    return fit.name, str(law.start), *figures, against
