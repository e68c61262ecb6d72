"""T2ICountBench's figures from a run: its attempts as one judge saw them, and all that is computed from them."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from subitize.analysis.agreement import gather_votes
from subitize.analysis.attempts import Attempt, gather_attempts
from subitize.analysis.observations import Reader, observe_run
from subitize.analysis.papers.t2icountbench import (
    SUITE,
    Placement,
    TableCell,
    averages,
    by_difficulty,
    by_scene,
    by_style,
    choose_k,
    list_warnings,
    originals,
    place,
    table_2,
    table_3,
)
from subitize.analysis.papers.t2icountbench_beyond import DrawnNumbers, HalfPoint, drawn_numbers, half_points
from subitize.analysis.papers.t2icountbench_observations import Statement, observe
from subitize.analysis.refinements import Refinement, compare
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.records import MatchesPrompt, base_suite
from subitize.stats.ratings import Ratings, tally
from subitize.store import Run


@dataclass(frozen=True, slots=True)
class Beyond:
    """What the paper has not: refinements in all scenes, drawn numbers, and where models fall below one half."""

    refinements: list[Refinement]
    drawn_numbers: list[DrawnNumbers]
    half_points: list[HalfPoint]


@dataclass(frozen=True, slots=True)
class PaperTables:
    """All tables of a run; `k` is how many images of a prompt are looked at together, four if there are as many."""

    judge: str
    k: int
    warnings: list[str]
    cells: list[TableCell]
    placements: list[Placement]
    statements: list[Statement]
    beyond: Beyond | None


def compute_tables(run: Run, judge: str | None = None, *, extensions: bool = False) -> PaperTables:
    """Compute the paper's tables from a run, with what the paper has not if wanted."""
    attempts = read_attempts(run, judge)
    name = attempts[0].judge
    figures = (table_2, by_difficulty, by_style, by_scene, averages, table_3)
    k = choose_k(attempts)
    beyond = Beyond(compare(attempts, k), drawn_numbers(attempts), half_points(attempts, k)) if extensions else None
    return PaperTables(
        name,
        k,
        list_warnings(attempts),
        [cell for figure in figures for cell in figure(attempts)],
        place(attempts),
        observe(attempts, read_votes(run, name)),
        beyond,
    )


def read_attempts(run: Run, judge: str | None = None) -> list[Attempt]:
    """Take the attempts at the suite and its refinements, as the one judge that there is saw them, or the one named."""
    items = [item for item in run.items() if base_suite(item.suite) == SUITE]
    if not items:
        raise NothingToDoError(
            f"{run.location} has no items of {SUITE}; first: subitize run {SUITE} --model MODEL --out RUN"
        )
    observed = observe_run(run, Reader(judge))
    attempts = gather_attempts(one for one in observed if base_suite(one.item.suite) == SUITE)
    judges = sorted({one.judge for one in attempts})
    if len(judges) > 1:
        raise NothingToDoError(f"{run.location} has several judges: {', '.join(judges)}; name one with --judge")
    if judge is not None and not attempts:
        raise UnknownNameError(f"judge of {SUITE} in this run", judge, judges)
    if not originals(attempts):
        raise NothingToDoError(f"{run.location} has no readings of {SUITE} yet; subitize judge RUN --judge JUDGE")
    return attempts


def read_votes(run: Run, judge: str) -> Ratings | None:
    """Count what annotators said of groups of images of unrefined prompts; None if no group was voted on by two."""
    groups: dict[str, list[float]] = defaultdict(list)
    for vote in gather_votes(run, judge):
        one = vote.observation
        is_on_group = one.item.suite == SUITE and isinstance(one.ask.question, MatchesPrompt) and one.ask.group > 1
        if is_on_group and one.subject is not None:
            groups[one.subject.id].append(float(bool(vote.value)))
    several = [votes for votes in groups.values() if len(votes) > 1]
    if not several:
        return None
    units = np.repeat(np.arange(len(several)), [len(votes) for votes in several])
    return tally(units, np.array([vote for votes in several for vote in votes]))
