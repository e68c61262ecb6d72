"""A table of questions as a suite: added to a run, read back and planned, beside as many items that are ready made."""

import csv
import gc
import itertools
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.comparing import Comparison, Figure, compare_times
from benchmarks.processes import peak_megabytes
from subitize.evaluate.plan import TrialPlan
from subitize.io.memory import tune_gc
from subitize.records import Item, Spec
from subitize.registry import make_suite
from subitize.store import Folder, Run

QUESTIONS_PER_PICTURE = 5
_SMALLEST_BYTES = 50_000
_PNG = b"\x89PNG\r\n\x1a\n"
_MODEL = Spec("model", {}, "model")


def measure(*, is_tiny: bool = False) -> Iterator[Comparison | Figure]:
    """Compare the time that the processor works, and measure the peak of memory."""
    rows, pairs = (50, 1) if is_tiny else (100_000, 3)
    with tempfile.TemporaryDirectory() as folder, _collecting_seldom():
        table = write_table(Path(folder), rows)
        fresh = (Path(folder) / f"run-{number}" for number in itertools.count())
        ready = list(_read_table(table))
        yield compare_times(
            f"{rows:,} rows of questions added, read and planned, as a multiple of ready-made items",
            lambda: add_and_plan(next(fresh), _read_table(table)),
            lambda: add_and_plan(next(fresh), ready),
            aim="<= 1.5",
            pairs=pairs,
            clock=time.process_time,
        )
        peak = peak_megabytes("-m", "benchmarks.own_data", table, next(fresh))
        yield Figure(f"peak memory of {rows:,} rows of questions added, read and planned", peak, "MB", "<= 500")


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Have memory looked through as seldom as commands do."""
    before = gc.get_threshold()
    tune_gc()
    try:
        yield
    finally:
        gc.set_threshold(*before)


def write_table(folder: Path, rows: int) -> Path:
    """Write a CSV of questions, and the beginnings of their pictures, which differ in size as photographs do."""
    for picture in range(rows // QUESTIONS_PER_PICTURE):
        with (folder / f"{picture}.png").open("wb") as file:
            file.write(_PNG)
            file.truncate(_SMALLEST_BYTES + picture)
    table = folder / "questions.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "question", "count", "light"])
        for row in range(rows):
            question = f"How many apples are in part {row % QUESTIONS_PER_PICTURE} of the picture?"
            writer.writerow([f"{row // QUESTIONS_PER_PICTURE}.png", question, row % 21, ("dim", "bright")[row % 2]])
    return table


def add_and_plan(folder: Path, items: Iterable[Item]) -> int:
    """Add items to a new run, read them back, and plan a trial for each."""
    with Run(Folder(folder), create=True) as run:
        run.add_suite(Spec("questions", {}, "questions"), 0, items)
        plan = TrialPlan(list(run.items()), _MODEL, repeats=1)
        return sum(len(group) for group in plan.left(set()))


def _read_table(table: Path) -> Iterable[Item]:
    return make_suite(f"questions:{table}").obj.items(0)


if __name__ == "__main__":
    tune_gc()
    add_and_plan(Path(sys.argv[2]), _read_table(Path(sys.argv[1])))
