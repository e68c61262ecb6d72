"""Writes stimuli to a folder: pictures named as Numbersense released them, their magnitudes, how these correlate."""

import csv
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Any

from subitize.drawing.stimuli import Magnitudes, render
from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import Progress
from subitize.io.outputs import atomic_file, make_folder, write_atomic
from subitize.records import Draw, Item, Stimulus, keys, to_plain
from subitize.stats.regression import pearson_interval

_Job = tuple[Path, Stimulus]

LIST_NAME = "stimuli.csv"
CORRELATIONS_NAME = "correlations.csv"
_ALL = "all"
_WORTH_A_PROCESS = 24  # pictures drawn in the time that a process takes to start


def write_stimuli(items: Iterable[Item], folder: Path, progress: Progress, limit: int | None = None) -> Path:
    """Render every picture of the items, on all cores, and list them; the list appears when all are there."""
    first = next(remaining := iter(items))
    jobs = list(islice(_jobs(chain([first], remaining), folder), limit))
    if not jobs:
        raise NothingToDoError(f"suite {first.suite!r} shows no pictures of its own; try naming")
    _check_holds_no_picture(folder)
    make_folder(folder)
    progress.begin("stimuli", len(jobs))
    rows = []
    for (file, recipe), magnitudes in zip(jobs, _write_all(jobs), strict=True):
        rows.append({"file": file.name, **_recipe_row(recipe), **to_plain(magnitudes)})
        progress.advance(has_failed=False)
    _write_list(folder / CORRELATIONS_NAME, list(_correlations(rows)))
    return _write_list(folder / LIST_NAME, rows)


def _jobs(items: Iterable[Item], folder: Path) -> Iterator[_Job]:
    """Number the pictures within each category and number: `{n}_{category}_{index}.png`."""
    known: set[Stimulus] = set()
    seen: Counter[tuple[str, int]] = Counter()
    for recipe in (item.task.picture for item in items if not isinstance(item.task, Draw)):
        if not isinstance(recipe, Stimulus) or recipe in known:
            continue
        known.add(recipe)
        cell = (recipe.category, recipe.number)
        yield folder / f"{recipe.number}_{recipe.category}_{seen[cell]}.png", recipe
        seen[cell] += 1


def _check_holds_no_picture(folder: Path) -> None:
    """Refuse a folder with pictures: they would lie among the new ones, and the list would not name them."""
    old = next(folder.glob("*.png"), None)
    if old is not None:
        raise BadValueError(
            f"{folder} holds pictures already, as {old.name}; name another folder with --out, or remove it first"
        )


def _write_all(jobs: Sequence[_Job]) -> Iterator[Magnitudes]:
    count = min(os.cpu_count() or 1, len(jobs) // _WORTH_A_PROCESS)
    if count < 2:
        yield from map(_write, jobs)
        return
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(_write, jobs, chunksize=8)


def _recipe_row(recipe: Stimulus) -> dict[str, object]:
    row = {name: value for name, value in to_plain(recipe).items() if name != "kind"}
    return row | {"control": recipe.control.magnitude if recipe.control else "none"}


def _correlations(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, object]]:
    """Correlate every two magnitudes, over all pictures and by category; one held constant correlates with none."""
    names = keys(Magnitudes)
    for category in [_ALL, *dict.fromkeys(row["category"] for row in rows)]:
        chosen = [row for row in rows if category in (_ALL, row["category"])]
        for first, second in combinations(names, 2):
            found = pearson_interval([row[first] for row in chosen], [row[second] for row in chosen])
            figures = (found.value, found.low, found.high) if found else ("", "", "")
            cells = dict(zip(("pearson", "low", "high"), figures, strict=True))
            yield {"category": category, "first": first, "second": second, "n": len(chosen), **cells}


def _write(job: _Job) -> Magnitudes:
    file, recipe = job
    rendered = render(recipe)
    write_atomic(file, [rendered.png])
    return rendered.magnitudes


def _write_list(path: Path, rows: list[dict[str, object]]) -> Path:
    with atomic_file(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
