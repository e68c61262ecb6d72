"""Numbersense's tables, computed from models' counts, next to the printed figures.

Source of the printed figures (published.csv): Testolin, Hou and Zorzi (2025), Visual Enumeration Remains Challenging
for Multimodal Generative AI: Tables 1 to 3; sections 3.1 and 3.2 for the smallest correlation between the matrices of
two categories ("Qwen" is the larger one). The paper spells models differently from place to place; SPELLINGS maps each
spelling to that of Table 1."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf
from pathlib import Path

from subitize.analysis.counting import ALL, LEAST_PER_CELL, measure_counting
from subitize.analysis.papers import CountingModels, JudgedFrame
from subitize.analysis.provenance import read_provenance
from subitize.analysis.published import (
    Cell,
    CellId,
    Published,
    PublishedBias,
    PublishedCounts,
    PublishedRow,
    make_cell,
    read_published,
)
from subitize.records import Estimate
from subitize.stats.answers import Direction

BIAS_TABLES: Mapping[str, str] = {"naming": "table2", "production": "table3"}
_CELLS = read_published(Path(__file__).with_name("published.csv"))
_DIRECTIONS: Mapping[str, Direction] = {"Over": "over", "Under": "under", "-": "none"}


def _rows(table: str) -> dict[str, dict[str, str]]:
    """Return the cells of a table by row and column."""
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for place, text in _CELLS.items():
        if place.table == table:
            rows[place.row][place.column] = text
    return rows


def _row(suite: str, model: str, cells: Mapping[str, str]) -> PublishedRow:
    accuracy, nae, correlation = (float(cells[name]) for name in ("accuracy", "nae", "human_correlation"))
    return PublishedRow(suite, model, accuracy, nae, int(cells["knower_level"]), correlation, cells["size"])


def _biases(suite: str) -> Iterator[PublishedBias]:
    for model, cells in _rows(BIAS_TABLES[suite]).items():
        for category, cell in cells.items():
            direction, r = _read_bias(cell)
            yield PublishedBias(suite, model, category, direction, float(r) if r else None)


def _read_bias(cell: str) -> tuple[Direction, str]:
    """Read "Over. (0.67)", or the dash for no bias."""
    word, _, r = cell.partition(". ")
    return _DIRECTIONS[word], r.strip("()")


TABLE_1 = tuple(_row(suite, model, cells) for suite in BIAS_TABLES for model, cells in _rows(f"table1_{suite}").items())
TABLE_2, TABLE_3 = (tuple(_biases(suite)) for suite in BIAS_TABLES)
ABSTRACTIONS: Mapping[str, float] = {
    model: float(cells["least_correlation"]) for model, cells in _rows("abstraction").items()
}
SPELLINGS: Mapping[str, str] = {
    **{row.model: row.model for row in TABLE_1},
    "ViLT": "VILT",
    "BLIP-2": "BLIP2",
    "LLaVA": "LLaVa",
    "llava34b": "LLaVa",
    "Qwen": "Qwen-72B",
    "Qwen-72b": "Qwen-72B",
    "Qwen-7b": "Qwen-7B",
    "Gemini": "Gemini Pro",
    "DALL-E 2": "DALLE-2",
    "DALL-E 3": "DALLE-3",
}

# Section 2.1.
_NUMBERS = tuple(range(1, 11))


def _our_name(category: str) -> str:
    """Table 2 calls "flashcards" what section 2.1.1 calls fast cards."""
    return "fastcards" if category == "flashcards" else category


def _counts(suite: str) -> PublishedCounts:
    rows = tuple(row for row in TABLE_1 if row.suite == suite)
    biases = tuple(replace(bias, category=_our_name(bias.category)) for bias in _biases(suite))
    theirs = {row.model for row in rows}
    return PublishedCounts(
        "Table 1 of Testolin, Hou and Zorzi (2025), on other pictures",
        rows,
        biases,
        {model: value for model, value in ABSTRACTIONS.items() if SPELLINGS[model] in theirs},
        _NUMBERS,
        tuple(dict.fromkeys(bias.category for bias in biases)),
    )


COUNTS: Mapping[str, PublishedCounts] = {suite: _counts(suite) for suite in BIAS_TABLES}
"""The published figures of each suite, as reports show them."""


def find_model(name: str, suite: str) -> str | None:
    """Match a model name or spec to a row of Table 1, or return None.

    Case and punctuation are ignored, and of a spec only the last part of the target counts: `folder:images/dall-e_3`
    has the images of DALLE-3.
    """
    target = re.split(r",(?=[a-z][a-z0-9_]*=)", name)[0].rpartition(":")[2]
    found = _MODELS.get(_plain(re.split(r"[/\\]", target.rstrip("/\\"))[-1]))
    return found if any(row.model == found and row.suite == suite for row in TABLE_1) else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


_MODELS: Mapping[str, str] = {_plain(spelling): model for spelling, model in SPELLINGS.items()}


def _print() -> Iterator[tuple[CellId, str]]:
    suites = {row.model: row.suite for row in TABLE_1}
    for place, text in _CELLS.items():
        model = SPELLINGS[place.row]
        match place.table:
            case "table2" | "table3":
                category = _our_name(place.column)
                direction, r = _read_bias(text)
                yield CellId(place.table, model, category), direction
                if r:
                    yield CellId(place.table, model, f"{category}_r"), r
            case "abstraction":
                yield CellId(f"abstraction_{suites[model]}", model, place.column), text
            case _ if place.column != "size":
                yield place, text


PRINTED: Mapping[CellId, str] = dict(_print())
"""Every cell as printed, by place; rows have the names of Table 1, categories ours."""

_LEVEL = "knower_level"


def rows(seen: JudgedFrame) -> CountingModels:
    """Measure what was counted, separately for each model and suite."""
    sizes = read_provenance(seen.run).sizes() if seen.run else {}
    suites = [*BIAS_TABLES]
    return CountingModels(sorted(measure_counting({"": seen.whole}), key=lambda one: suites.index(one.suite)), sizes)


def table_1(rows: CountingModels) -> Iterator[Cell]:
    """Accuracy, error, counting level, and the correlation with the ideal human's confusion matrix."""
    for one in rows.reports:
        place = CellId(f"table1_{one.suite}", one.model, "")
        yield from _figure(place, "accuracy", one.accuracy_read)  # the paper leaves out what could not be counted
        yield from _figure(place, "nae", one.nae)
        if one.knower is not None and one.knower.level is not None:
            level, low, high = one.knower.level, one.knower.low, one.knower.high
            yield Cell(place._replace(column=_LEVEL), float(level), low, high, n=one.eligible)
        yield from _figure(place, "human_correlation", one.human_correlation)


def sizes(rows: CountingModels) -> Iterator[Cell]:
    """The last column of Table 1: parameters in billions, where known."""
    for one in rows.reports:
        if one.model in rows.sizes:
            yield Cell(CellId(f"table1_{one.suite}", one.model, "size"), rows.sizes[one.model] / 1e9)


def table_2_and_3(rows: CountingModels) -> Iterator[Cell]:
    """Whether responses are above or below the target in each category, with the effect size r."""
    for one in rows.reports:
        place = CellId(BIAS_TABLES[one.suite], one.model, "")
        for bias in one.biases:
            if bias.category != ALL:
                yield Cell(place._replace(column=bias.category), bias.direction, n=bias.n)
                yield from _figure(place, f"{bias.category}_r", bias.r)


def abstraction(rows: CountingModels) -> Iterator[Cell]:
    """The smallest correlation between the confusion matrices of two categories (sections 3.1 and 3.2)."""
    for one in rows.reports:
        if one.abstraction is not None:
            place = CellId(f"abstraction_{one.suite}", one.model, "")
            yield from _figure(place, "least_correlation", one.abstraction.estimate)
            yield Cell(place._replace(column="between"), " and ".join(one.abstraction.pair))


def beyond(rows: CountingModels) -> Iterator[Cell]:
    """Measures that the paper does not have."""
    for one in rows.reports:
        figures = {
            "accuracy_answered": one.accuracy_answered,
            "mae": one.mae,
            "human_distance": one.human_distance,
            "random_distance": one.random_distance,
            "weber": one.weber.estimate if one.weber else None,
            "scalar_slope": one.scalar.slope if one.scalar else None,
            "control_question": one.control,
        }
        for column, estimate in figures.items():
            yield from _figure(CellId(f"beyond_{one.suite}", one.model, ""), column, estimate)


TABLES = (table_1, sizes, table_2_and_3, abstraction)
EXTENSIONS = (beyond,)


def _figure(place: CellId, column: str, estimate: Estimate | None) -> Iterator[Cell]:
    if estimate is not None:
        yield make_cell(place._replace(column=column), estimate)


def _find(cell: Cell) -> CellId:
    """Find the row of the paper's model."""
    table, model, _ = cell.place
    suite = next((suite for suite, own in BIAS_TABLES.items() if own == table), table.rpartition("_")[2])
    return cell.place._replace(row=find_model(model, suite) or "")


# Errors and correlations are compared like shares; levels are equal or not.
PUBLISHED = Published(PRINTED, points=lambda place: inf if place.column == _LEVEL else 100.0, find=_find)


def warnings(rows: CountingModels, seen: JudgedFrame | None = None) -> Iterator[str]:
    """Warn of numbers or categories other than the paper's, and of few answers."""
    for suite, design in COUNTS.items():
        own = [one for one in rows.reports if one.suite == suite]
        numbers, categories = tuple(design.numbers), set(design.categories)
        others = [one.model for one in own if one.numbers != numbers or set(one.categories) != categories]
        few = [one.model for one in own if one.smallest_cell < LEAST_PER_CELL]
        if others:
            yield (
                f"{suite}: the paper has the numbers {numbers[0]} to {numbers[-1]} of "
                f"{', '.join(design.categories)}; other or fewer have: {', '.join(others)}"
            )
        if few:
            yield (
                f"{suite}: the paper has at least {LEAST_PER_CELL} usable answers to each number in each category; "
                f"fewer have: {', '.join(few)}"
            )
