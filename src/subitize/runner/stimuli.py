"""Writes stimuli to a folder: pictures named as Numbersense released them, and a CSV of their magnitudes."""

import csv
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from subitize.drawing.stimuli import Magnitudes, render
from subitize.errors import NothingToDoError, StorageError
from subitize.records import Draw, Item, Stimulus
from subitize.runner.progress import Progress

LIST_NAME = "stimuli.csv"


@dataclass(frozen=True, slots=True)
class _Job:
    file: Path
    recipe: Stimulus


def write_stimuli(items: Sequence[Item], folder: Path, progress: Progress) -> Path:
    """Render every picture of the items, on all cores, and list them; the list appears when all are there."""
    jobs = list(_jobs(items, folder))
    if not jobs:
        raise NothingToDoError(f"suite {items[0].suite!r} shows no pictures of its own; try naming")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        progress.begin("stimuli", len(jobs))
        rows = []
        with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
            for job, magnitudes in zip(jobs, pool.map(_write, jobs, chunksize=8), strict=True):
                rows.append({"file": job.file.name, **asdict(job.recipe), **asdict(magnitudes)})
                progress.advance(has_failed=False)
        return _write_list(folder / LIST_NAME, rows)
    except OSError as error:
        raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error


def _jobs(items: Sequence[Item], folder: Path) -> Iterator[_Job]:
    """Number the pictures within each category and number: `{n}_{category}_{index}.png`."""
    pictures = (item.task.picture for item in items if not isinstance(item.task, Draw))
    recipes = dict.fromkeys(picture for picture in pictures if isinstance(picture, Stimulus))
    seen: Counter[tuple[str, int]] = Counter()
    for recipe in recipes:
        cell = (recipe.category, recipe.number)
        yield _Job(folder / f"{recipe.number}_{recipe.category}_{seen[cell]}.png", recipe)
        seen[cell] += 1


def _write(job: _Job) -> Magnitudes:
    rendered = render(job.recipe)
    partial = job.file.with_suffix(".partial")
    partial.write_bytes(rendered.png)
    partial.replace(job.file)
    return rendered.magnitudes


def _write_list(path: Path, rows: list[dict[str, object]]) -> Path:
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [name for name in rows[0] if name != "kind"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    partial.replace(path)
    return path
