"""T2ICountBench's figures from a run: its attempts as one judge saw them, and all that is computed from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from subitize.analysis.agreement import gather_votes, tally_votes
from subitize.analysis.claims import Claim
from subitize.analysis.compare import RefinementEffect, compare
from subitize.analysis.frame import Frame, ReadOptions, find_one_judge, observe_run
from subitize.analysis.score import LeftOutResults, PromptResult, find_omissions, gather_attempts
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.interfaces import Tables
from subitize.papers.t2icountbench import tables
from subitize.papers.t2icountbench.beyond import DrawnNumbers, HalfPoint, drawn_numbers, half_points
from subitize.papers.t2icountbench.claims import observe
from subitize.papers.t2icountbench.tables import SUITE, UNUSABLE, Placement, TableCell
from subitize.records import MatchesPrompt, base_suite
from subitize.stats.ratings import Ratings
from subitize.store import Run
from subitize.store.reading import read_designs


@dataclass(frozen=True, slots=True)
class Beyond:
    """What the paper has not: refinements in all scenes, drawn numbers, and where models fall below one half."""

    refinements: list[RefinementEffect]
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
    statements: list[Claim]
    beyond: Beyond | None


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tables:
    """Compute the paper's tables from a run, to be read or printed."""
    found = compute_tables(run, judge, extensions=extensions)
    printed_by = "subitize.papers.t2icountbench.printing:print_tables"
    return Tables(found, printed_by, found.warnings, lambda: found.statements, shows_claims=True)


def compute_tables(run: Run, judge: str | None = None, *, extensions: bool = False) -> PaperTables:
    """Compute the paper's tables from a run, with what the paper has not if wanted."""
    attempts, omissions = read_attempts(run, judge)
    name = attempts[0].judge
    figures = (tables.by_difficulty, tables.by_style, tables.by_scene, tables.averages)
    k = tables.choose_k(attempts)
    beyond = None
    if extensions:
        beyond = Beyond(compare(attempts, k, read_designs(run)), drawn_numbers(attempts), half_points(attempts, k))
    return PaperTables(
        name,
        k,
        _list_warnings(run, attempts, omissions),
        [cell for table in (tables.table_2, *figures, tables.table_3) for cell in table(attempts)],
        tables.place(attempts),
        observe(attempts, read_votes(run, name)),
        beyond,
    )


def _list_warnings(run: Run, attempts: Sequence[PromptResult], omissions: LeftOutResults) -> list[str]:
    """Warn of models and judges by their names."""
    models, judges = run.model_names(), run.judge_names()
    named = [replace(one, model=models[one.model], judge=judges.get(one.judge, one.judge)) for one in attempts]
    undecided, excluded = (
        frozenset((models[model], id) for model, id in own) for own in (omissions.undecided, omissions.excluded)
    )
    return tables.list_warnings(named, LeftOutResults(undecided, excluded))


def read_attempts(run: Run, judge: str | None = None) -> tuple[list[PromptResult], LeftOutResults]:
    """Take the attempts at the suite and its refinements, as the one judge that there is saw them, or the one named.

    What was only ever refused has no judge, and is wrong for any. With it come the prompts that are in no attempt.
    """
    items = [item for item in run.items() if base_suite(item.suite) == SUITE]
    if not items:
        raise NothingToDoError(
            f"{run.location} has no items of {SUITE}; first: subitize run {SUITE} --model MODEL --out RUN"
        )
    suites = [entry.name for entry in run.suites() if base_suite(entry.name) == SUITE]
    observed = observe_run(run, ReadOptions(judge)).filter(pl.col("suite").is_in(suites))
    seen_by = find_one_judge(run, observed.rows)
    if judge is not None and not len(observed):
        raise UnknownNameError(f"judge of {SUITE} in this run", judge, ())
    attempts = gather_attempts(observed, unusable=UNUSABLE)
    omissions = find_omissions(observed, unusable=UNUSABLE)
    attempts = [replace(one, judge=seen_by) for one in attempts]  # also where nothing that was said has a value
    if not tables.originals(attempts):
        raise NothingToDoError(f"{run.location} {_tell_nothing(observed, omissions)}")
    return attempts, omissions


def _tell_nothing(observed: Frame, omissions: LeftOutResults) -> str:
    seen = {*observed.rows.filter(pl.col("suite") == SUITE).select("model", "item").iter_rows()}
    undecided, excluded = len(seen & omissions.undecided), len(seen & omissions.excluded)
    if not seen:
        return f"has no readings of {SUITE} yet; subitize judge RUN --judge JUDGE"
    told = (f"{undecided} undecided, as their votes are tied or no answer has a value", f"{excluded} excluded by hand")
    counts = " and ".join(text for text, count in zip(told, (undecided, excluded), strict=True) if count)
    return f"has no prompt of {SUITE} that is decided: {counts}"


def read_votes(run: Run, judge: str) -> Ratings | None:
    """Count what annotators said of groups of images of unrefined prompts; None if no group was voted on by two."""
    is_on_group = (pl.col("question_kind") == MatchesPrompt().kind) & (pl.col("group") > 1)
    votes = gather_votes(run, judge).filter(is_on_group, pl.col("suite") == SUITE)
    found = tally_votes(votes.rows)
    return found if len(found.units) else None
