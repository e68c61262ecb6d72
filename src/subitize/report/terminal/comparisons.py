"""Models compared with one another, and refined prompts with those that they are made of, at a terminal."""

from collections.abc import Iterable, Iterator, Sequence

from subitize.analysis.compare import Comparisons, Leaderboard, LeftOut, RefinementEffect
from subitize.analysis.design import name_level
from subitize.analysis.overview import Names
from subitize.report.document.cells import write_p
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import STAND_IN, cell, print_cautions, print_marks

_LIKE = {"accuracy_read": "accuracy", "accuracy_answered": "accuracy", "mae_all": "mae", "nae_all": "nae"}


def print_comparisons(found: Comparisons, stand_ins: Names) -> None:
    """Print a leaderboard and the pairs of each measure, and what the columns mean."""
    for one in _telling(found.boards):
        board = one.board
        judge, group = stand_ins.name_judge(board.judge), name_level(board.factor, board.group)
        say(f"{board.measure} in {board.suite}, judged by {judge}, {group}")
        ranks = (
            (of.rank, stand_ins.mark_model(of.model), of.letters, cell(of.estimate), str(of.estimate.n))
            for of in one.models
        )
        print_table(("rank", "model", "letter", board.measure, "n"), ranks)
        pairs = (
            (f"{of.first} − {of.second}", cell(of.difference), write_p(of.p), write_p(of.p_holm)) for of in one.pairs
        )
        print_table(("models", "difference", "p", "p (Holm)"), pairs)
    say("value [95 % interval] over what all models have answered; n: observations")
    say("rank: the best and the worst that a model may have; models that share a letter cannot be told apart")
    say("p: by flipping the signs of prompts' residuals, as the interval; p (Holm): adjusted for all pairs of a table")
    figures = [[of.estimate for of in one.models] + [of.difference for of in one.pairs] for one in found.boards]
    print_cautions(one for of_board in figures for one in of_board)
    for line in (*map(write_left_out, found.left_out), *found.notes):
        say(line)
    if any(of.model in stand_ins.models for one in found.boards for of in one.models):
        say(STAND_IN)


def _telling(boards: Sequence[Leaderboard]) -> Iterator[Leaderboard]:
    """Leave out what another measure tells: where nothing was refused or discarded, several are the same."""
    figures = {one.board: [(of.model, of.estimate.value, of.estimate.n) for of in one.models] for one in boards}
    for one in boards:
        like = _LIKE.get(one.board.measure)
        if like and figures.get(one.board._replace(measure=like)) == figures[one.board]:
            continue
        if one.board.measure == "coverage" and all(of.estimate.value == 1 for of in one.models):
            continue
        yield one


def write_left_out(one: LeftOut) -> str:
    """Say what of a model is in no comparison."""
    return (
        f"left out: {one.count} of {one.total} answers about {one.model} in {one.suite}, which not all models have or "
        "which are excluded"
    )


def print_refinements(rows: Sequence[RefinementEffect], stand_ins: Names) -> None:
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


def print_pairs(rows: Iterable[RefinementEffect], stand_ins: Names | None = None) -> None:
    """Set refined prompts beside the original ones, all that could be paired."""
    known = stand_ins or Names()
    headings = ("suite", "refinement", "model", "judge", "measure", "original", "refined", "refined − original")
    lines = []
    for one in rows:
        measure = f"success of {one.k}" if one.measure == "success" else "per image"
        names = (one.suite, one.refinement, known.mark_model(one.model), known.mark_judge(one.judge), measure)
        pairing = one.pairing
        figures = (*map(cell, (pairing.second, pairing.first, pairing.difference)), write_p(pairing.p_holm))
        counts = map(str, (pairing.difference.n, one.fallbacks, one.unpaired))
        lines.append([*names, *figures, *counts, cell(one.applied.difference if one.applied else None)])
    of_pairs = ("p (Holm)", "pairs", "fallbacks", "unpaired", "without fallbacks")
    print_table([*headings, *of_pairs], lines, title="refined and original prompts, in pairs")
