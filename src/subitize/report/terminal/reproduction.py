"""A paper's tables on the terminal, ours beside the printed figures, and what it concludes, with our verdict."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from subitize.analysis.claims import Claim
from subitize.analysis.published import AS_THE_PAPER, VERDICTS, CellMatch, ComparedCell
from subitize.io.frames import group_rows
from subitize.report.document.cells import NOTHING, figure
from subitize.report.terminal.layout import describe_cautions, print_table, say

_LARGE = 10
MARKS: dict[CellMatch, str] = {
    "exact": "=",
    "truncated": "⌊",
    "within 0.1 pp": "~",
    "within 1 pp": "≈",
    "differs": "≠",
    "not published": "",
}


def print_reproduction(comparisons: Sequence[ComparedCell]) -> None:
    """Print each table, then how many cells came out how."""
    print_tables(comparisons)
    names = dict.fromkeys(one.table for one in comparisons)
    found = Counter((one.table, one.verdict) for one in comparisons)
    # Most papers round.
    known = [one for one in VERDICTS if one != "truncated" or any(found[name, one] for name in names)]
    if any(one.published is not None for one in comparisons):
        rows = ([name, *(str(found[name, verdict] or "") for verdict in known)] for name in names)
        print_table(["", *known], rows, title="verdicts")
        legend = ", ".join(f"{MARKS[verdict]} {verdict}" for verdict in known if MARKS[verdict])
        say(f"ours [95 % interval], a mark, and (what the paper prints): {legend}; pp: percentage points")
    else:
        say("value [95 % interval]; the paper prints no figures of these models")
    for line in describe_cautions(one.caution for one in comparisons):
        say(line)
    # Figures that are computed as a paper does, where subitize would do it in another way.
    own = [one for one in comparisons if one.method.startswith(AS_THE_PAPER)]
    for method, cells in group_rows(own, lambda one: one.method).items():
        say(f"{', '.join(dict.fromkeys(cell.column for cell in cells))}: {method}")


def print_tables(comparisons: Sequence[ComparedCell]) -> None:
    """Print each table, whatever of it was printed elsewhere."""
    for name, cells in group_rows(comparisons, lambda one: one.table).items():
        texts = {(cell.row, cell.column): _text(cell) for cell in cells}
        rows, columns = (list(dict.fromkeys(names)) for names in zip(*texts, strict=True))
        lines = ([row, *(texts.get((row, column), "") for column in columns)] for row in rows)
        print_table(["", *columns], lines, title=name)


def _text(cell: ComparedCell) -> str:
    numbers = [one for one in (cell.ours, cell.low, cell.high) if isinstance(one, float | int) and math.isfinite(one)]
    # Counts as they are; percentages have one decimal, smaller figures more.
    digits = 0 if all(one == int(one) for one in numbers) else 3 if max(map(abs, numbers)) < _LARGE else 1
    ours = _write(cell.ours, digits)
    if cell.low is not None and cell.high is not None:
        ours += f" [{_write(cell.low, digits)}, {_write(cell.high, digits)}]"
    ours += " !" * bool(cell.caution)
    if cell.published is None:
        return ours
    printed = cell.published if isinstance(cell.published, str) else f"{cell.published:g}"
    return f"{ours} {MARKS[cell.verdict]} ({printed})"


def _write(value: float | str, digits: int) -> str:
    if isinstance(value, str):
        return value
    return figure(value, digits) if math.isfinite(value) else NOTHING


def print_claims(statements: Iterable[Claim], *, title: str = "claims") -> None:
    """Print a claim with its verdict in a line, and below it each part of what was computed."""
    say(title)
    for one in statements:
        say(f"{one.id} {one.verdict}: {one.claim}")
        for part in one.sentence.split("; "):
            say(f"    {part}")
