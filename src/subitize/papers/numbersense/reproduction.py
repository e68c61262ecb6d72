"""Numbersense's tables from a run, or from the names of released images, next to the printed figures."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from subitize.analysis.counting import LEAST_PER_CELL, CountingReport, measure_counting
from subitize.analysis.frame import ReadOptions, find_one_judge, read_frame
from subitize.analysis.provenance import read_provenance
from subitize.errors import BadValueError, NothingToDoError
from subitize.frame import Frame
from subitize.interfaces import Tables
from subitize.papers.numbersense.claims import claims, claims_of_printed
from subitize.papers.numbersense.release import read_named_images
from subitize.papers.numbersense.tables import COUNTS, SUITES, compute_tables
from subitize.report.claims import claim_lines
from subitize.report.table import Result
from subitize.store import Run


def reproduce_names(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the tables of production from the counts in the names of images; the files are not opened.

    Without a folder, evaluate the paper's conclusions on its printed tables.
    """
    if folder is None:
        return _check_printed(extensions=extensions)
    named = read_named_images(folder)
    return _tabulate(named.observe(), extensions=extensions, warnings=named.warnings)


def _check_printed(*, extensions: bool) -> Tables:
    if extensions:
        raise BadValueError("--extensions needs images: subitize report reproduce numbersense DIR --extensions")
    found = claims_of_printed()
    note = "without the folder of its images, the paper's claims are checked against its printed tables"
    return Tables(
        found, (note,), lambda: found, lambda claims: Result(notes=tuple(claim_lines(claims))), shows_claims=True
    )


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables of the suites in a run, for the only judge of each or the one named."""
    if not any(item.suite in SUITES for item in run.items()):
        raise NothingToDoError(
            f"{run.location} has no items of {' or '.join(SUITES)}; first: subitize run {SUITES[-1]} --model MODEL "
            "--out RUN, or: subitize import release numbersense DIR --out RUN"
        )
    survey = read_frame(run, ReadOptions(judge))
    observed = survey.whole.filter(pl.col("suite").is_in(SUITES))
    if not observed.rows["is_relevant"].any():
        raise NothingToDoError(
            f"{run.location} has no readings of {' or '.join(SUITES)} yet; subitize judge RUN --judge JUDGE"
        )
    for (suite,), rows in observed.rows.filter("is_relevant").group_by("suite", maintain_order=True):
        find_one_judge(run, rows, str(suite))
    return _tabulate(observed, extensions=extensions, sizes=read_provenance(run).sizes())


def _tabulate(
    observed: Frame, *, extensions: bool, warnings: Sequence[str] = (), sizes: Mapping[str, int] | None = None
) -> Tables:
    measured = measure_counting({"": observed})
    return Tables(
        compute_tables(measured, extensions=extensions, sizes=sizes),
        warnings=(*warnings, *_warn_of_designs(measured)),
        claims=lambda: claims((one.model, one) for one in measured),
    )


def _warn_of_designs(measured: Sequence[CountingReport]) -> Iterator[str]:
    """Warn of numbers or categories other than the paper's, and of few answers."""
    for suite, published in COUNTS.items():
        own = [one for one in measured if one.suite == suite]
        numbers, categories = tuple(published.numbers), set(published.categories)
        others = [one.model for one in own if one.numbers != numbers or set(one.categories) != categories]
        few = [one.model for one in own if one.smallest_cell < LEAST_PER_CELL]
        if others:
            yield (
                f"{suite}: the paper has the numbers {numbers[0]} to {numbers[-1]} of "
                f"{', '.join(published.categories)}; other or fewer have: {', '.join(others)}"
            )
        if few:
            yield (
                f"{suite}: the paper has at least {LEAST_PER_CELL} usable answers to each number in each category; "
                f"fewer have: {', '.join(few)}"
            )
