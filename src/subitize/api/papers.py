"""Verbs on papers: compute their tables, from a run or from released data."""

from typing import TYPE_CHECKING, Annotated

from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_path, opened, verb
from subitize.api.options import AnyPath, Arg, Opt
from subitize.errors import BadValueError
from subitize.io.memory import gc_paused

if TYPE_CHECKING:
    from subitize.analysis.overview import Names
    from subitize.interfaces import Events
    from subitize.report.table import Result

Extensions = Annotated[bool, Opt("Also what the paper leaves out: how models fail, and by how much.")]
ClaimsOnly = Annotated[bool, Opt("Only the paper's conclusions: do they hold for these data?")]


@verb
@gc_paused()
def reproduce(
    paper: Annotated[str, Arg("One of: subitize list papers.", "PAPER")],
    folder: Annotated[AnyPath | None, Arg("The authors' release, where there is one.", "[DIR]")] = None,
    *,
    extensions: Extensions = False,
    claims: ClaimsOnly = False,
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Recompute a paper's tables from its released data, beside the published figures.

    Each figure has a verdict: the same, close, or different.
    Where nothing was released, the printed figures are checked against one another.
    """
    from subitize.papers import load

    found = load(find_ability(paper, "reproduce", "reproduced"))(as_path(folder), extensions=extensions)
    return _check(paper, found, None, events, only_claims=claims)


@verb
@gc_paused()
def tables(
    run: options.RunArg,
    paper: Annotated[str, Opt("Whose tables: one of subitize list papers.", "PAPER")],
    *,
    judge: Annotated[str | None, Opt("Whose readings; needed where there are several.", "JUDGE")] = None,
    extensions: Extensions = False,
    claims: ClaimsOnly = False,
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Compute a paper's tables from a run.

    Published figures are shown beside those of the paper's own models.
    """
    from subitize.analysis.overview import read_names
    from subitize.papers import load

    tabulate = load(find_ability(paper, "tabulate", "tabulated"))
    with opened(run) as (own,):
        found = tabulate(own, judge and own.find_judge(judge), extensions=extensions)
        names = read_names(own).without_same()  # so that a release prints the same as a run
    return _check(paper, found, names, events, only_claims=claims)


def _check(paper: str, found: object, names: "Names | None", events: "Events", *, only_claims: bool) -> "Result":
    """Show what a paper computed, if it is what a paper should compute."""
    from subitize.interfaces import Tables
    from subitize.report.claims import paper_result

    if not isinstance(found, Tables):
        raise BadValueError(f"paper {paper!r}: its tables should be Tables, not {found!r:.60}")
    if only_claims and not found.claims:
        raise BadValueError("`claims`: this paper's conclusions are not computed; leave it out to see its tables")
    events.warn(*found.warnings)
    return paper_result(found, names, only_claims=only_claims)


def find_ability(paper: str, what: str, done: str) -> str:
    """Get the name of a paper's function for a task, or say which papers have one."""
    from subitize.registry import find_paper

    found = str(getattr(find_paper(paper), what))
    if not found:
        raise BadValueError(f"{paper} cannot be {done}; those that can: {', '.join(find_able(what))}")
    return found


def find_able(what: str) -> list[str]:
    """List the papers that have a function for a task."""
    from subitize.papers import papers_by_name

    return sorted(name for name, paper in papers_by_name().items() if getattr(paper, what))
