"""Writes a suite's stimuli to a folder with their magnitudes and correlations, and draws a sheet of all glyphs.

Files are named as in Numbersense's release."""

import csv
import io
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import Events
from subitize.io.outputs import atomic_file, make_folder, write_atomic
from subitize.records import Draw, Item, Stimulus, keys, to_plain
from subitize.stats.regression import pearson_interval
from subitize.stimuli import glyphs
from subitize.stimuli.clipart import Glyph
from subitize.stimuli.recipes import Magnitudes, render

_Job = tuple[Path, Stimulus]

LIST_NAME = "stimuli.csv"
CORRELATIONS_NAME = "correlations.csv"
_ALL = "all"
_WORTH_A_PROCESS = 24  # pictures drawn in the time that a process takes to start


def write_stimuli(items: Iterable[Item], folder: Path, events: Events, limit: int | None = None) -> Path:
    """Render every picture of the items on all cores, then write the list of them."""
    first = next(remaining := iter(items))
    jobs = list(islice(_jobs(chain([first], remaining), folder), limit))
    if not jobs:
        raise NothingToDoError(f"suite {first.suite!r} shows no pictures of its own; try naming")
    _check_holds_no_picture(folder)
    make_folder(folder)
    events.begin("stimuli", len(jobs))
    rows = []
    for (file, recipe), magnitudes in zip(jobs, _write_all(jobs), strict=True):
        row = {name: value for name, value in to_plain(recipe).items() if name != "kind"}
        row["control"] = recipe.control.magnitude if recipe.control else "none"
        rows.append({"file": file.name, **row, **to_plain(magnitudes)})
        events.advance()
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
    """Refuse a folder with pictures: the list would not name them."""
    old = next(folder.glob("*.png"), None)
    if old is not None:
        raise BadValueError(
            f"{folder} holds pictures already, as {old.name}; name another folder with `out`, or remove it first"
        )


def _write_all(jobs: Sequence[_Job]) -> Iterator[Magnitudes]:
    count = min(os.cpu_count() or 1, len(jobs) // _WORTH_A_PROCESS)
    if count < 2:
        yield from map(_write, jobs)
        return
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(_write, jobs, chunksize=8)


def _correlations(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, object]]:
    """Correlate every two magnitudes, over all pictures and by category; a constant one correlates with none."""
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


def contact_sheet_png() -> bytes:
    """Return the sheet as a small PNG file."""
    file = io.BytesIO()
    contact_sheet().quantize(256).save(file, "PNG", optimize=True)
    return file.getvalue()


def contact_sheet() -> Image.Image:
    """Draw a labelled cell per noun: a row per drawing, a column per colour (the first few)."""
    shown = list(glyphs.GLYPHS.values())
    rows = [shown[start : start + _CELLS_PER_ROW] for start in range(0, len(shown), _CELLS_PER_ROW)]
    cell_px = _SIDE_PX + _GAP_PX
    heights = [_LABEL_PX + max(len(glyph.drawings) for glyph in row) * cell_px + _GAP_PX for row in rows]
    sheet = Image.new("RGB", (_CELLS_PER_ROW * _CELL_WIDTH_PX, sum(heights)), "white")
    top = 0
    for row, height in zip(rows, heights, strict=True):
        for column, glyph in enumerate(row):
            _draw_cell(sheet, glyph, column * _CELL_WIDTH_PX, top)
        top += height
    return sheet


_CELLS_PER_ROW = 6
_MOST_COLOURS = 3
_SIDE_PX = 64
_GAP_PX = 6
_LABEL_PX = 22
_CELL_WIDTH_PX = _MOST_COLOURS * (_SIDE_PX + _GAP_PX) + 3 * _GAP_PX


def _draw_cell(sheet: Image.Image, glyph: Glyph, left: int, top: int) -> None:
    font = ImageFont.load_default(14)
    ImageDraw.Draw(sheet).text((left + _GAP_PX, top + 2), glyph.noun, fill="black", font=font)
    for row in range(len(glyph.drawings)):
        for column, colour in enumerate(glyph.colours[:_MOST_COLOURS]):
            sprite = glyphs.sprite(glyph.noun, row, colour, _SIDE_PX)
            corner = (left + _GAP_PX + column * (_SIDE_PX + _GAP_PX), top + _LABEL_PX + row * (_SIDE_PX + _GAP_PX))
            sheet.paste(sprite, corner, sprite)
