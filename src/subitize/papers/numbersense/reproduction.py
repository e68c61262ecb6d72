"""Numbersense's tables from a run, or from the names of released images, beside what the paper prints."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from subitize.analysis.controls import observe_controls
from subitize.analysis.enumeration import LEAST_PER_CELL, Enumeration, evaluate
from subitize.analysis.observations import NO_JUDGE, Observation, Reader, observe_run
from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import Tables
from subitize.papers.numbersense.named_images import read_named_images
from subitize.papers.numbersense.published import COUNTS
from subitize.papers.numbersense.tables import SUITES, compute_tables
from subitize.store import Run

_PRINTED_BY = "subitize.report.terminal.reproduction:print_reproduction"


def reproduce_names(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the tables of production from the counts in the names of images; nobody looks into the files."""
    if folder is None:
        raise BadValueError(
            "numbersense needs the folder of its images, or one with a folder per model: "
            "subitize reproduce numbersense DIR"
        )
    named = read_named_images(folder)
    return _tabulate(named.observe(), extensions=extensions, warnings=named.warnings)


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables of the suites that a run has, from the readings of one judge each, or of the one named."""
    if not any(item.suite in SUITES for item in run.items()):
        raise NothingToDoError(
            f"{run.location} has no items of {' or '.join(SUITES)}; first: subitize run {SUITES[-1]} --model MODEL "
            "--out RUN, or: subitize import numbersense DIR --out RUN"
        )
    reader = Reader(judge)
    observed = [one for one in observe_run(run, reader) if one.item.suite in SUITES]
    if not observed:
        raise NothingToDoError(
            f"{run.location} has no readings of {' or '.join(SUITES)} yet; subitize judge RUN --judge JUDGE"
        )
    _check_judges(run, observed)
    return _tabulate([*observed, *observe_controls(run, reader)], extensions=extensions)


def _check_judges(run: Run, observed: Sequence[Observation]) -> None:
    """Refuse several judges of a suite: a row is what one of them saw."""
    judges: dict[str, set[str]] = defaultdict(set)
    for one in observed:
        judges[one.item.suite].add(one.judge)
    for suite, found in judges.items():
        known = sorted(found - {NO_JUDGE})
        if len(known) > 1:
            raise NothingToDoError(
                f"{run.location} has several judges of {suite}: {', '.join(known)}; name one with --judge"
            )


def _tabulate(observed: Sequence[Observation], *, extensions: bool, warnings: Sequence[str] = ()) -> Tables:
    measured = evaluate({"": observed})
    return Tables(
        compute_tables(measured, extensions=extensions), _PRINTED_BY, (*warnings, *_warn_of_designs(measured))
    )


def _warn_of_designs(measured: Sequence[Enumeration]) -> Iterator[str]:
    """Say where figures rest on other numbers or categories than the paper's, or on few answers."""
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
