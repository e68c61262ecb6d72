"""A paper's tables on the terminal, ours beside the printed figures."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from subitize.analysis.reproduction import AS_THE_PAPER, VERDICTS, Comparison, Verdict
from subitize.report.document.cells import NOTHING
from subitize.report.terminal.printing import make_table, tell_cautions, whole_lines

MARKS: dict[Verdict, str] = {
    "exact": "=",
    "truncated": "⌊",
    "within 0.1 pp": "~",
    "within 1 pp": "≈",
    "differs": "≠",
    "not published": "",
}
_WIDEST = 4  # columns that fit beside each other, each with its interval


def print_reproduction(comparisons: Sequence[Comparison], console: Console | None = None) -> None:
    """Print each table, then how many cells came out how."""
    console = console or whole_lines()
    print_tables(comparisons, console)
    names = dict.fromkeys(one.table for one in comparisons)
    found = Counter((one.table, one.verdict) for one in comparisons)
    # Most papers round.
    known = [one for one in VERDICTS if one != "truncated" or any(found[name, one] for name in names)]
    rows = ([name, *(str(found[name, verdict] or "") for verdict in known)] for name in names)
    console.print(make_table(["", *known], rows, title="verdicts", numbers=len(known)))
    legend = ", ".join(f"{MARKS[verdict]} {verdict}" for verdict in known if MARKS[verdict])
    console.print(f"ours [95 % interval], a mark, and (what the paper prints): {legend}; pp: percentage points")
    for line in tell_cautions(one.caution for one in comparisons):
        console.print(line)
    for method, columns in _own_methods(comparisons).items():
        console.print(f"{', '.join(columns)}: {method}")


def print_tables(comparisons: Sequence[Comparison], console: Console | None = None) -> None:
    """Print each table, whatever of it was printed elsewhere."""
    console = console or whole_lines()
    for name in dict.fromkeys(one.table for one in comparisons):
        console.print(_table(name, [one for one in comparisons if one.table == name]))


def _table(name: str, cells: Sequence[Comparison]) -> Table:
    """Set the cells out with the shorter of rows and columns across."""
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*((c.row, c.column) for c in cells), strict=True))
    texts = {(cell.row, cell.column): _text(cell) for cell in cells}
    if len(columns) > _WIDEST and len(rows) < len(columns):
        rows, columns = columns, rows
        texts = {(column, row): text for (row, column), text in texts.items()}
    lines = ([row, *(texts.get((row, column), "") for column in columns)] for row in rows)
    return make_table(["", *columns], lines, title=name, numbers=len(columns))


def _text(cell: Comparison) -> str:
    interval = "" if cell.low is None or cell.high is None else f" [{_number(cell.low)}, {_number(cell.high)}]"
    ours = _number(cell.ours) + interval + " !" * bool(cell.caution)
    if cell.published is None:
        return ours
    printed = cell.published if isinstance(cell.published, str) else f"{cell.published:g}"
    return f"{ours} {MARKS[cell.verdict]} ({printed})"


def _number(value: float | str) -> str:
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return NOTHING
    if value == int(value):
        return str(int(value))
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.1f}"


def _own_methods(comparisons: Iterable[Comparison]) -> dict[str, list[str]]:
    """List the columns of figures that are computed as a paper does, where subitize would do it in another way."""
    found: dict[str, dict[str, None]] = {}
    for one in comparisons:
        if one.method.startswith(AS_THE_PAPER):
            found.setdefault(one.method, {})[one.column] = None
    return {method: list(columns) for method, columns in found.items()}
