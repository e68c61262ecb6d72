"""Refined prompts beside those that they are made of, at a terminal."""

from collections.abc import Iterable, Sequence

from subitize.analysis.overview import StandIns
from subitize.analysis.refinements import Pairing, Refinement
from subitize.report.document.cells import write_p
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import cell, print_cautions, print_marks

_COLUMNS = ("suite", "refinement", "model", "judge", "measure", "original", "refined", "refined − original")
_COUNTS = ("p (Holm)", "pairs", "fallbacks", "unpaired", "without fallbacks")


def print_refinements(rows: Sequence[Refinement], stand_ins: StandIns) -> None:
    """Print one row per refinement, model, judge and measure, and what the columns mean."""
    print_pairs(rows, stand_ins)
    say(
        "value [95 % interval over prompts]; p: by flipping the signs of prompts' residuals, as the interval, adjusted "
        "for all rows of a suite, judge and measure (Holm)"
    )
    say("fallbacks: pairs in which the refinement does not apply, so that both have the original prompt")
    print_marks(rows, stand_ins)
    pairings = [pairing for one in rows for pairing in (one.pairing, one.applied) if pairing]
    print_cautions(one for pairing in pairings for one in (pairing.first, pairing.second, pairing.difference))


def print_pairs(rows: Iterable[Refinement], stand_ins: StandIns | None = None) -> None:
    """Set refined prompts beside the original ones, all that could be paired."""
    known = stand_ins or StandIns()
    lines = []
    for one in rows:
        measure = f"success of {one.k}" if one.measure == "success" else "per image"
        names = (known.mark_model(one.model), known.mark_judge(one.judge))
        applied = cell(one.applied.difference if one.applied else None)
        counts = (str(one.pairing.difference.n), str(one.fallbacks), str(one.unpaired), applied)
        lines.append([one.suite, one.refinement, *names, measure, *_pairing(one.pairing), *counts])
    print_table([*_COLUMNS, *_COUNTS], lines, title="refined and original prompts, in pairs")


def _pairing(one: Pairing) -> tuple[str, str, str, str]:
    return cell(one.second), cell(one.first), cell(one.difference), write_p(one.p_holm)
