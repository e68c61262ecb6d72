"""The paper's one table, success by model, from its data or from a run, beside what is printed."""

from collections.abc import Iterable
from pathlib import Path

from pets.release import read_release
from subitize.analysis.observations import Observation, Reader, observe_rows, observe_run
from subitize.analysis.reproduction import Cell, Comparison, Place, compare_cell
from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import Tables
from subitize.stats.intervals import wilson_interval
from subitize.store import Run
from subitize.store.rows import ReadingRow, ResponseRow

PUBLISHED = {Place("table1", "kennel-1", "success"): "0.75"}
_PRINTED_BY = "subitize.report.terminal.reproduction:print_reproduction"


def reproduce_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the table from the released answers."""
    if folder is None:
        raise BadValueError("pets needs its release: subitize reproduce pets DIR")
    release = read_release(folder)
    trials = [(one.trial, one.outcome.kind) for one in release.responses]
    responses = [ResponseRow(t.id, t.item_id, t.model, t.repeat, t.attempt, kind) for t, kind in trials]
    readings = [ReadingRow(one.subject.id, "", one.question.id, one.judge, one.value) for one in release.readings]
    observed = observe_rows(release.items, responses, readings, asked_again=set())
    return Tables(compute_table(observed), _PRINTED_BY, release.warnings)


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tables:
    """Compute the table from the readings in a run."""
    observed = [one for one in observe_run(run, Reader(judge)) if one.item.suite == "pets"]
    if not observed:
        raise NothingToDoError(f"{run.location} has no readings of pets; first: subitize run pets --model MODEL")
    return Tables(compute_table(observed), _PRINTED_BY)


def compute_table(observed: Iterable[Observation]) -> list[Comparison]:
    """Compute the share of right images by model."""
    right: dict[str, list[bool]] = {}
    for one in observed:
        right.setdefault(one.model, []).append(one.is_right)
    cells = []
    for model, own in right.items():
        share = wilson_interval(sum(own), len(own))
        cells.append(Cell(Place("table1", model, "success"), share.value, share.low, share.high, share.n))
    return [compare_cell(cell, PUBLISHED.get(cell.place), points=100.0) for cell in cells]
