"""What the paper does not have: refinements in all scenes, the numbers drawn, and where models fall below one half."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from subitize.analysis import score
from subitize.analysis.compare import RefinementEffect, compare, default_k
from subitize.io.frames import group_rows
from subitize.records import Design, Estimate
from subitize.report.comparisons import name_measure
from subitize.report.table import Table
from subitize.stats.crossing import Crossing, find_crossing
from subitize.stats.estimate import Scale, estimate, estimate_sd


@dataclass(frozen=True, slots=True)
class DrawnNumbers:
    """The numbers drawn when one was requested: the mean difference from it, and their standard deviation.

    Positive errors mean too many, negative ones too few; n counts images, and those of the same prompt are correlated.
    The spread includes that between prompts: one object may be overdrawn, another not.
    """

    suite: str
    model: str
    judge: str
    number: int
    prompts: int
    error: Estimate
    spread: Estimate | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """The number at which a model falls below one half: of single images, or in the success of k images."""

    suite: str
    model: str
    judge: str
    measure: score.RefinementMeasure
    k: int
    crossing: Crossing


@dataclass(frozen=True, slots=True)
class Beyond:
    """What a run shows that the paper does not have."""

    refinements: list[RefinementEffect]
    drawn_numbers: list[DrawnNumbers]
    half_points: list[Threshold]


def measure(results: Sequence[score.PromptResult], k: int, designs: Mapping[str, Design]) -> Beyond:
    """Compute all of it."""
    return Beyond(compare(results, k, designs), drawn_numbers(results), thresholds_at_half(results, k))


def drawn_numbers(attempts: Iterable[score.PromptResult]) -> list[DrawnNumbers]:
    """Compare numbers drawn and requested, by suite, model, judge and number; prompts without a number are left out."""
    found: list[DrawnNumbers] = []
    for (suite, model, judge), own in group_rows(attempts, lambda one: (one.item.suite, one.model, one.judge)).items():
        by_number: dict[int, list[score.PromptResult]] = defaultdict(list)
        for one in own:
            number = _number(one)
            if number is not None and one.numbers:
                by_number[number].append(one)
        for number, there in sorted(by_number.items()):
            drawn = np.array([value for one in there for value in one.numbers])
            prompts = np.repeat(np.arange(len(there)), [len(one.numbers) for one in there])
            (error,) = estimate(drawn - number, prompts, scale=Scale("mean", step=1.0))
            spread = estimate_sd(drawn, prompts)
            found.append(DrawnNumbers(suite, model, judge, number, len(there), error, spread))
    return found


def thresholds_at_half(attempts: Sequence[score.PromptResult], k: int | None = None) -> list[Threshold]:
    """Find where each model falls below one half, by suite and judge; k defaults to `default_k`."""
    found = []
    for (suite, model, judge), own in group_rows(attempts, lambda one: (one.item.suite, one.model, one.judge)).items():
        chosen = k or default_k(own)
        for measure in score.REFINEMENT_MEASURES:
            values: dict[int, list[float]] = defaultdict(list)
            for one in own:
                number, value = _number(one), score.value_of(one, measure, chosen)
                if number is not None and value is not None:
                    values[number].append(value)
            crossing = find_crossing(values)
            if crossing is not None:
                found.append(Threshold(suite, model, judge, measure, chosen if measure == "success" else 1, crossing))
    return found


def _number(attempt: score.PromptResult) -> int | None:
    number = attempt.item.factors.get("number")
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def drawn_table(numbers: Iterable[DrawnNumbers]) -> Table:
    """Show the numbers drawn at a terminal."""
    names = ("suite", "model", "asked", "drawn − asked", "standard deviation", "images", "prompts")
    rows = ((one.suite, one.model, one.number, one.error, one.spread, one.error.n, one.prompts) for one in numbers)
    return Table.of("numbers-drawn", "numbers drawn", names, rows, digits=3)


def half_points_table(points: Iterable[Threshold]) -> Table:
    """Show where models fall below one half at a terminal."""
    rows = (
        (one.suite, one.model, name_measure(one.measure, one.k), str(one.crossing), one.crossing.n) for one in points
    )
    names = ("suite", "model", "measure", "number", "n")
    return Table.of("half-points", "the number at which less than half is right", names, rows)
