"""Models compared with one another, at a terminal."""

from collections.abc import Iterator, Sequence

from subitize.analysis.clusters import name_level
from subitize.analysis.comparisons import Comparisons, Leaderboard, LeftOut
from subitize.analysis.overview import StandIns
from subitize.report.document.cells import write_p
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import STAND_IN, cell, print_cautions

_LIKE = {"accuracy_read": "accuracy", "accuracy_answered": "accuracy", "mae_all": "mae", "nae_all": "nae"}


def print_comparisons(found: Comparisons, stand_ins: StandIns) -> None:
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
    _print_legend(found, stand_ins)


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


def _print_legend(found: Comparisons, stand_ins: StandIns) -> None:
    say("value [95 % interval] over what all models have answered; n: observations")
    say("rank: the best and the worst that a model may have; models that share a letter cannot be told apart")
    say("p: by flipping the signs of prompts' residuals, as the interval; p (Holm): adjusted for all pairs of a table")
    figures = [[of.estimate for of in one.models] + [of.difference for of in one.pairs] for one in found.boards]
    print_cautions(one for of_board in figures for one in of_board)
    for one in found.left_out:
        say(write_left_out(one))
    for note in found.notes:
        say(note)
    if any(of.model in stand_ins.models for one in found.boards for of in one.models):
        say(STAND_IN)


def write_left_out(one: LeftOut) -> str:
    """Say what of a model is in no comparison."""
    return (
        f"left out: {one.count} of {one.total} answers about {one.model} in {one.suite}, which not all models have or "
        "which are excluded"
    )
