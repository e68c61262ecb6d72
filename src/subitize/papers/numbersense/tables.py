"""Numbersense's tables, computed from models' counts, next to the printed figures.

Source of the printed figures (published.csv): Testolin, Hou and Zorzi (2025), Visual Enumeration Remains Challenging
for Multimodal Generative AI: Tables 1 to 3; sections 3.1 and 3.2 for the smallest correlation between the matrices of
two categories ("Qwen" is the larger one). The paper spells models differently from place to place; SPELLINGS maps each
spelling to that of Table 1."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from subitize.analysis import published
from subitize.analysis.counting import ALL, LEAST_PER_CELL, CountingReport, measure_counting
from subitize.analysis.frame import ReadOptions, find_one_judge, read_frame
from subitize.analysis.provenance import read_provenance
from subitize.errors import BadValueError, NothingToDoError
from subitize.frame import Frame
from subitize.interfaces import Tables
from subitize.papers.numbersense.release import read_named_images
from subitize.records import Estimate
from subitize.report.claims import claim_lines
from subitize.report.table import Result
from subitize.stats.answers import Direction
from subitize.store import Run

BIAS_TABLES: Mapping[str, str] = {"naming": "table2", "production": "table3"}
_CELLS = published.read_published(Path(__file__).with_name("published.csv"))
_DIRECTIONS: Mapping[str, Direction] = {"Over": "over", "Under": "under", "-": "none"}


def _rows(table: str) -> dict[str, dict[str, str]]:
    """Return the cells of a table by row and column."""
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for place, text in _CELLS.items():
        if place.table == table:
            rows[place.row][place.column] = text
    return rows


def _row(suite: str, model: str, cells: Mapping[str, str]) -> published.PublishedRow:
    accuracy, nae, correlation = (float(cells[name]) for name in ("accuracy", "nae", "human_correlation"))
    return published.PublishedRow(suite, model, accuracy, nae, int(cells["knower_level"]), correlation, cells["size"])


def _biases(suite: str) -> Iterator[published.PublishedBias]:
    for model, cells in _rows(BIAS_TABLES[suite]).items():
        for category, cell in cells.items():
            direction, r = _read_bias(cell)
            yield published.PublishedBias(suite, model, category, direction, float(r) if r else None)


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


def _counts(suite: str) -> published.PublishedCounts:
    rows = tuple(row for row in TABLE_1 if row.suite == suite)
    biases = tuple(replace(bias, category=_our_name(bias.category)) for bias in _biases(suite))
    theirs = {row.model for row in rows}
    return published.PublishedCounts(
        "Table 1 of Testolin, Hou and Zorzi (2025), on other pictures",
        rows,
        biases,
        {model: value for model, value in ABSTRACTIONS.items() if SPELLINGS[model] in theirs},
        _NUMBERS,
        tuple(dict.fromkeys(bias.category for bias in biases)),
    )


COUNTS: Mapping[str, published.PublishedCounts] = {suite: _counts(suite) for suite in BIAS_TABLES}
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


def _print() -> Iterator[tuple[published.CellId, str]]:
    suites = {row.model: row.suite for row in TABLE_1}
    for place, text in _CELLS.items():
        model = SPELLINGS[place.row]
        match place.table:
            case "table2" | "table3":
                category = _our_name(place.column)
                direction, r = _read_bias(text)
                yield published.CellId(place.table, model, category), direction
                if r:
                    yield published.CellId(place.table, model, f"{category}_r"), r
            case "abstraction":
                yield published.CellId(f"abstraction_{suites[model]}", model, place.column), text
            case _ if place.column != "size":
                yield place, text


PRINTED: Mapping[published.CellId, str] = dict(_print())
"""Every cell as printed, by place; rows have the names of Table 1, categories ours."""

SUITES: tuple[str, ...] = ("naming", "production")
_LEVEL = "knower_level"

Table = Callable[[CountingReport], Iterator[published.Cell]]


def compute_tables(
    measured: Sequence[CountingReport], *, extensions: bool = False, sizes: Mapping[str, int] | None = None
) -> list[published.ComparedCell]:
    """Compute all tables, a row per model, next to the printed figures of the paper's models.

    `sizes` are numbers of parameters by model name, where known.
    """
    size = partial(size_of, sizes=sizes or {})
    tables: tuple[Table, ...] = (table_1, size, table_of_biases, abstraction, *((beyond,) if extensions else ()))
    ordered = sorted(measured, key=lambda one: SUITES.index(one.suite))
    return [_compare(cell, one) for table in tables for one in ordered for cell in table(one)]


def table_1(one: CountingReport) -> Iterator[published.Cell]:
    """Accuracy, error, counting level, and the correlation with the ideal human's confusion matrix."""
    place = published.CellId(f"table1_{one.suite}", one.model, "")
    yield from _figure(place, "accuracy", one.accuracy_read)  # the paper leaves out what could not be counted
    yield from _figure(place, "nae", one.nae)
    if one.knower is not None and one.knower.level is not None:
        level, low, high = one.knower.level, one.knower.low, one.knower.high
        yield published.Cell(place._replace(column=_LEVEL), float(level), low, high, n=one.eligible)
    yield from _figure(place, "human_correlation", one.human_correlation)


def size_of(one: CountingReport, sizes: Mapping[str, int]) -> Iterator[published.Cell]:
    """The last column of Table 1: parameters in billions, where known."""
    if one.model in sizes:
        yield published.Cell(published.CellId(f"table1_{one.suite}", one.model, "size"), sizes[one.model] / 1e9)


def table_of_biases(one: CountingReport) -> Iterator[published.Cell]:
    """Whether responses are above or below the target in each category, with the effect size r (Tables 2 and 3)."""
    place = published.CellId(BIAS_TABLES[one.suite], one.model, "")
    for bias in one.biases:
        if bias.category != ALL:
            yield published.Cell(place._replace(column=bias.category), bias.direction, n=bias.n)
            yield from _figure(place, f"{bias.category}_r", bias.r)


def abstraction(one: CountingReport) -> Iterator[published.Cell]:
    """The smallest correlation between the confusion matrices of two categories (sections 3.1 and 3.2)."""
    if one.abstraction is not None:
        place = published.CellId(f"abstraction_{one.suite}", one.model, "")
        yield from _figure(place, "least_correlation", one.abstraction.estimate)
        yield published.Cell(place._replace(column="between"), " and ".join(one.abstraction.pair))


def beyond(one: CountingReport) -> Iterator[published.Cell]:
    """Measures that the paper does not have."""
    place = published.CellId(f"beyond_{one.suite}", one.model, "")
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
        yield from _figure(place, column, estimate)


def _figure(place: published.CellId, column: str, estimate: Estimate | None) -> Iterator[published.Cell]:
    if estimate is not None:
        yield published.make_cell(place._replace(column=column), estimate)


def _compare(cell: published.Cell, one: CountingReport) -> published.ComparedCell:
    theirs = find_model(one.model, one.suite)
    printed = None if theirs is None else PRINTED.get(cell.place._replace(row=theirs))
    # Errors and correlations are compared like shares; levels are equal or not.
    return published.compare_cell(cell, printed, points=float("inf") if cell.place.column == _LEVEL else 100.0)


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
        raise BadValueError("`extensions` needs images: subitize report reproduce numbersense DIR --extensions")
    from subitize.papers.numbersense.claims import claims_of_printed  # they take printed figures from here

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
    from subitize.papers.numbersense.claims import claims

    measured = measure_counting({"": observed})
    return Tables(
        compute_tables(measured, extensions=extensions, sizes=sizes),
        warnings=(*warnings, *_warn_of_designs(measured)),
        claims=lambda: claims((one.model, one) for one in measured),
    )


def _warn_of_designs(measured: Sequence[CountingReport]) -> Iterator[str]:
    """Warn of numbers or categories other than the paper's, and of few answers."""
    for suite, design in COUNTS.items():
        own = [one for one in measured if one.suite == suite]
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
