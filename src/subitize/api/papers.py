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
    from subitize.papers import Paper, Part
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
    from subitize.analysis.papers import tabulate

    it, path = find_able(paper, "reproduced", "release", "reproduction"), as_path(folder)
    if "reproduction" in it.parts and not (path and "release" in it.parts):
        found = it.load("reproduction").reproduce(path, extensions=extensions)
    elif path is None:
        raise BadValueError(f"{paper} needs its release: subitize report reproduce {paper} DIR")
    else:
        release = it.load("release").read(path)
        rows = it.load("tables").rows(release.seen())
        found = tabulate(it, rows, extensions=extensions, warnings=release.warnings)
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
    from subitize.analysis.papers import read_judged, tabulate
    from subitize.papers import load

    it = find_able(paper, "tabulated", "tables")
    with opened(run) as (own,):
        chosen = judge and own.find_judge(judge)
        if it.tabulate:
            found = load(it.tabulate)(own, chosen, extensions=extensions)
        else:
            seen = read_judged(own, paper, it, chosen)
            rows = it.load("tables").rows(seen)
            found = tabulate(it, rows, seen, extensions=extensions, names=own.model_names())
        names = read_names(own).without_same()  # so that a release prints the same as a run
    return _check(paper, found, names, events, only_claims=claims)


def _check(paper: str, found: object, names: "Names | None", events: "Events", *, only_claims: bool) -> "Result":
    """Show what a paper computed, if it is what a paper should compute."""
    from subitize.analysis.papers import Tabulated
    from subitize.report.claims import paper_result

    if not isinstance(found, Tabulated):
        raise BadValueError(f"paper {paper!r}: its tables should be Tabulated, not {found!r:.60}")
    if only_claims and not found.claims:
        raise BadValueError("`claims`: this paper's conclusions are not computed; leave it out to see its tables")
    events.warn(*found.warnings)
    return paper_result(found, names, only_claims=only_claims)


def find_able(paper: str, done: str, *parts: "Part") -> "Paper":
    """Find a paper that has one of these parts, or say which papers have one."""
    from subitize.registry import find_paper

    found = find_paper(paper)
    if not set(parts) & set(found.parts):
        raise BadValueError(f"{paper} cannot be {done}; those that can: {', '.join(list_able(*parts))}")
    return found


def list_able(*parts: "Part") -> list[str]:
    """List the papers that have one of these parts."""
    from subitize.papers import papers_by_name

    return sorted(name for name, paper in papers_by_name().items() if set(parts) & set(paper.parts))
