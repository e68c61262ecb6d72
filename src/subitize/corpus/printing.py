"""What was counted in a corpus, at a terminal."""

from collections.abc import Iterable

from subitize.corpus.checking import Checked
from subitize.corpus.summaries import DECADES, LARGEST, Row, Summary
from subitize.report.terminal.comparisons import write_p
from subitize.report.terminal.printing import cell, print_table, say

_SHOWN = 20
_NOUNS = 3


def print_summary(summary: Summary) -> None:
    """Print how many captions have numbers, which ones, and which law they follow."""
    files = f"{summary.shards} file{'s' * (summary.shards != 1)}"
    say(f"{summary.captions:,} captions in {files}; {summary.candidates:,} might hold a number")
    print(f"with a numerosity: {cell(summary.counted)} of captions, n = {summary.counted.n:,}")
    if not summary.rows:
        print("no caption has a numerosity: there is nothing to fit or to draw")
    else:
        _print_rows(summary.rows)
        print(
            f"share: of captions with a numerosity [95 % interval]; numbers above {LARGEST}: {cell(summary.outliers)}"
        )
        _print_decades(summary)
        _print_fits(summary)
    print_problems(summary)


def print_problems(summary: Summary) -> None:
    """Say what is not in the figures."""
    if summary.problems:
        say(f"NOT COUNTED: {summary.problems} parts of files could not be read; the first of them:")
        for line in summary.first_problems:
            say(f"  {line}")


def print_checked(checked: Checked) -> None:
    """Print how many captions were read right, and every miss."""
    print(f"right: {cell(checked.accuracy)}, n = {checked.accuracy.n}")
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
        print("too few numbers to fit a power law")
        return
    rows = []
    for fit in summary.fits:
        against = "; ".join(f"{one.name}: {one.verdict}, p {write_p(one.p)}" for one in fit.alternatives)
        law = fit.law
        rows.append((fit.name, str(law.start), cell(law.exponent), f"{law.exponent.n:,}", f"{law.distance:.4f}"))
        rows[-1] += (cell(fit.fit), against)
    heads = ("power law", "start", "exponent", "n", "distance", "fit p", "against")
    print_table(heads, rows)
    print("fit p: share of samples of the law as far from it as the corpus; below 0.1 the law is a poor one")
    print("an interval with a chosen start takes no account of the choice")
