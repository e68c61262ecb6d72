"""Refined prompts beside those that they are made of, at a terminal."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from subitize.analysis.overview import StandIns
from subitize.analysis.refinements import Pairing, Refinement
from subitize.records import Estimate, to_plain
from subitize.report.document.cells import NOTHING, figure, interval
from subitize.report.terminal.printing import add_row, whole_lines

_DIGITS = 3
_COLUMNS = ("suite", "refinement", "model", "judge", "measure", "original", "refined", "refined − original")
_COUNTS = ("p (Holm)", "pairs", "fallbacks", "unpaired", "without fallbacks")


def print_refinements(rows: Sequence[Refinement], stand_ins: StandIns) -> None:
    """Print one row per refinement, model, judge and measure, and what the columns mean."""
    console = whole_lines()
    console.print(refinement_table(rows, stand_ins))
    console.print(
        "value [95 % interval over prompts]; p: McNemar's exact one of right and wrong, else Wilcoxon's, adjusted for "
        "all rows of a suite, judge and measure"
    )
    console.print("fallbacks: pairs in which the refinement does not apply, so that both have the original prompt")
    if any(one.model in stand_ins.models or one.judge in stand_ins.judges for one in rows):
        console.print("* an embedded stand-in, not a real model or judge")


def refinement_table(rows: Iterable[Refinement], stand_ins: StandIns | None = None) -> Table:
    """Set refined prompts beside the original ones, all that could be paired."""
    known = stand_ins or StandIns(frozenset(), frozenset())
    table = headed("refined and original prompts, in pairs", [*_COLUMNS, *_COUNTS], numbers=8)
    for one in rows:
        measure = f"success of {one.k}" if one.measure == "success" else "per image"
        names = (one.model + " *" * (one.model in known.models), one.judge + " *" * (one.judge in known.judges))
        applied = NOTHING if one.applied is None else estimate_text(one.applied.difference)
        counts = (str(one.pairing.difference.n), str(one.fallbacks), str(one.unpaired), applied)
        add_row(table, one.suite, one.refinement, *names, measure, *_pairing(one.pairing), *counts)
    return table


def refinement_row(one: Refinement, stand_ins: StandIns) -> dict[str, object]:
    """Lay a comparison out for programs."""
    return {
        **to_plain(one),
        "is_stand_in": one.model in stand_ins.models,
        "is_stand_in_judge": one.judge in stand_ins.judges,
    }


def headed(title: str, columns: Sequence[str], *, numbers: int) -> Table:
    """Make a table with a title, so many of whose last columns are numbers, set to the right."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for place, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if place >= len(columns) - numbers else "left")
    return table


def estimate_text(one: Estimate) -> str:
    """Write a figure with its interval."""
    return f"{figure(one.value, _DIGITS)} {interval(one, _DIGITS)}"


def _pairing(one: Pairing) -> tuple[str, str, str, str]:
    p = f"{one.p_holm:.{_DIGITS}f}" if one.p_holm >= 10**-_DIGITS else f"< {10**-_DIGITS}"
    return estimate_text(one.second), estimate_text(one.first), estimate_text(one.difference), p
