"""The paper's one table, success by model, from its data or from a run, beside what is printed."""

from pathlib import Path

import polars as pl

from pets.release import read_release
from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.published import Cell, CellId, ComparedCell, compare_cell
from subitize.errors import BadValueError, NothingToDoError
from subitize.frame import Frame, frame_of
from subitize.interfaces import Tables
from subitize.records import Estimate
from subitize.stats.estimate import wilson_interval
from subitize.store import Run

PUBLISHED = {CellId("table1", "kennel-1", "success"): "0.75"}


def reproduce_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the table from the released answers."""
    if folder is None:
        raise BadValueError("pets needs its release: subitize report reproduce pets DIR")
    release = read_release(folder)
    observed = frame_of(release.items, release.responses, release.readings, {})
    return Tables(compute_table(observed), release.warnings)


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tables:
    """Compute the table from the readings in a run."""
    observed = observe_run(run, ReadOptions(judge)).filter(pl.col("suite") == "pets")
    if not len(observed):
        raise NothingToDoError(f"{run.location} has no readings of pets; first: subitize run pets --model MODEL")
    return Tables(compute_table(observed))


def compute_table(observed: Frame) -> list[ComparedCell]:
    """Compute the share of right images by model."""
    cells = []
    for (model,), own in observed.partition("model"):
        share = share_of_right(own)
        cells.append(Cell(CellId("table1", model, "success"), share.value, share.low, share.high, share.n))
    return [compare_cell(cell, PUBLISHED.get(cell.place), points=100.0) for cell in cells]


def share_of_right(observed: Frame) -> Estimate:
    """Estimate the share of right images."""
    return wilson_interval(int(observed.rows["is_right"].sum()), len(observed))
