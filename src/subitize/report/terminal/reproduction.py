"""A paper's tables on the terminal, ours beside the printed figures."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from subitize.analysis.reproduction import AS_THE_PAPER, VERDICTS, Comparison, Verdict
from subitize.report.document.cells import NOTHING, figure
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import tell_cautions

MARKS: dict[Verdict, str] = {
    "exact": "=",
    "truncated": "⌊",
    "within 0.1 pp": "~",
    "within 1 pp": "≈",
    "differs": "≠",
    "not published": "",
}


def print_reproduction(comparisons: Sequence[Comparison]) -> None:
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
    for line in tell_cautions(one.caution for one in comparisons):
        say(line)
    for method, columns in _own_methods(comparisons).items():
        say(f"{', '.join(columns)}: {method}")


def print_tables(comparisons: Sequence[Comparison]) -> None:
    """Print each table, whatever of it was printed elsewhere."""
    for name in dict.fromkeys(one.table for one in comparisons):
        _print_table(name, [one for one in comparisons if one.table == name])


def _print_table(name: str, cells: Sequence[Comparison]) -> None:
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*((c.row, c.column) for c in cells), strict=True))
    texts = {(cell.row, cell.column): _text(cell) for cell in cells}
    lines = ([row, *(texts.get((row, column), "") for column in columns)] for row in rows)
    print_table(["", *columns], lines, title=name)


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
        return figure(value, 0)
    return figure(value, 3 if abs(value) < 1 else 1)


def _own_methods(comparisons: Iterable[Comparison]) -> dict[str, list[str]]:
    """List the columns of figures that are computed as a paper does, where subitize would do it in another way."""
    found: dict[str, dict[str, None]] = {}
    for one in comparisons:
        if one.method.startswith(AS_THE_PAPER):
            found.setdefault(one.method, {})[one.column] = None
    return {method: list(columns) for method, columns in found.items()}
