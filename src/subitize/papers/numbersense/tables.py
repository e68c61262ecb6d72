"""The tables of Numbersense as functions of how models enumerate: Table 1 by task, biases, and what the text gives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from subitize.analysis.counting import ALL, CountingReport
from subitize.analysis.published import Cell, CellId, ComparedCell, compare_cell, make_cell
from subitize.papers.numbersense.published import BIAS_TABLES, PRINTED, find_model
from subitize.records import Estimate

SUITES: tuple[str, ...] = ("naming", "production")
_LEVEL = "knower_level"

Table = Callable[[CountingReport], Iterator[Cell]]


def compute_tables(
    measured: Sequence[CountingReport], *, extensions: bool = False, sizes: Mapping[str, int] | None = None
) -> list[ComparedCell]:
    """Compute all tables, a row per model, and put the printed figures beside the rows of the paper's models.

    The sizes are how many parameters models have, by name, as far as they are known.
    """
    size = partial(size_of, sizes=sizes or {})
    tables: tuple[Table, ...] = (table_1, size, table_of_biases, abstraction, *((beyond,) if extensions else ()))
    ordered = sorted(measured, key=lambda one: SUITES.index(one.suite))
    return [_compare(cell, one) for table in tables for one in ordered for cell in table(one)]


def table_1(one: CountingReport) -> Iterator[Cell]:
    """Accuracy, error, counting level, and the correlation with the ideal human's confusion matrix."""
    place = CellId(f"table1_{one.suite}", one.model, "")
    yield from _figure(place, "accuracy", one.accuracy_read)  # the paper leaves out what could not be counted
    yield from _figure(place, "nae", one.nae)
    if one.knower is not None and one.knower.level is not None:
        level, low, high = one.knower.level, one.knower.low, one.knower.high
        yield Cell(place._replace(column=_LEVEL), float(level), low, high, n=one.eligible)
    yield from _figure(place, "human_correlation", one.human_correlation)


def size_of(one: CountingReport, sizes: Mapping[str, int]) -> Iterator[Cell]:
    """The last column of Table 1: parameters in billions, where they are known."""
    if one.model in sizes:
        yield Cell(CellId(f"table1_{one.suite}", one.model, "size"), sizes[one.model] / 1e9)


def table_of_biases(one: CountingReport) -> Iterator[Cell]:
    """Whether responses lie above or below the target in a category, and the effect size r (Tables 2 and 3)."""
    place = CellId(BIAS_TABLES[one.suite], one.model, "")
    for bias in one.biases:
        if bias.category != ALL:
            yield Cell(place._replace(column=bias.category), bias.direction, n=bias.n)
            yield from _figure(place, f"{bias.category}_r", bias.r)


def abstraction(one: CountingReport) -> Iterator[Cell]:
    """The smallest correlation between the confusion matrices of two categories (sections 3.1 and 3.2)."""
    if one.abstraction is not None:
        place = CellId(f"abstraction_{one.suite}", one.model, "")
        yield from _figure(place, "least_correlation", one.abstraction.estimate)
        yield Cell(place._replace(column="between"), " and ".join(one.abstraction.pair))


def beyond(one: CountingReport) -> Iterator[Cell]:
    """What the paper has not."""
    place = CellId(f"beyond_{one.suite}", one.model, "")
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


def _figure(place: CellId, column: str, estimate: Estimate | None) -> Iterator[Cell]:
    if estimate is not None:
        yield make_cell(place._replace(column=column), estimate)


def _compare(cell: Cell, one: CountingReport) -> ComparedCell:
    theirs = find_model(one.model, one.suite)
    printed = None if theirs is None else PRINTED.get(cell.place._replace(row=theirs))
    # Errors and correlations are compared as shares are; a level is the same or another.
    return compare_cell(cell, printed, points=float("inf") if cell.place.column == _LEVEL else 100.0)
