"""Beyond the paper: over- and undercounting, spread, and the number at which half the images are wrong."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from subitize.analysis.compare import REFINEMENT_MEASURES, RefinementMeasure, default_k, value_of
from subitize.analysis.score import PromptResult
from subitize.io.frames import group_rows
from subitize.records import Estimate
from subitize.stats.crossing import Crossing, find_crossing
from subitize.stats.estimate import clustered_mean, clustered_spread


@dataclass(frozen=True, slots=True)
class DrawnNumbers:
    """The numbers that were drawn where one was asked for: mean of drawn minus asked, and their standard deviation.

    Above 0 too many are drawn, below 0 too few; n counts images, and those of one prompt hang together. The spread has
    in it that of prompts: one object may be overdrawn, another not.
    """

    suite: str
    model: str
    judge: str
    number: int
    prompts: int
    error: Estimate
    spread: Estimate | None


@dataclass(frozen=True, slots=True)
class HalfPoint:
    """The number at which a model falls below one half: of single images, or of success of k images."""

    suite: str
    model: str
    judge: str
    measure: RefinementMeasure
    k: int
    crossing: Crossing


def drawn_numbers(attempts: Iterable[PromptResult]) -> list[DrawnNumbers]:
    """Compare drawn with asked numbers, by suite, model, judge and number; prompts without a number are left out."""
    found: list[DrawnNumbers] = []
    for (suite, model, judge), own in group_rows(attempts, lambda one: (one.item.suite, one.model, one.judge)).items():
        by_number: dict[int, list[PromptResult]] = defaultdict(list)
        for one in own:
            number = _number(one)
            if number is not None and one.numbers:
                by_number[number].append(one)
        for number, there in sorted(by_number.items()):
            drawn = np.array([value for one in there for value in one.numbers])
            prompts = np.repeat(np.arange(len(there)), [len(one.numbers) for one in there])
            error, spread = clustered_mean(drawn - number, prompts), clustered_spread(drawn, prompts)
            found.append(DrawnNumbers(suite, model, judge, number, len(there), error, spread))
    return found


def half_points(attempts: Sequence[PromptResult], k: int | None = None) -> list[HalfPoint]:
    """Find where each model falls below one half, by suite and judge; k as `usual_k` has it if not given."""
    found = []
    for (suite, model, judge), own in group_rows(attempts, lambda one: (one.item.suite, one.model, one.judge)).items():
        chosen = k or default_k(own)
        for measure in REFINEMENT_MEASURES:
            values: dict[int, list[float]] = defaultdict(list)
            for one in own:
                number, value = _number(one), value_of(one, measure, chosen)
                if number is not None and value is not None:
                    values[number].append(value)
            crossing = find_crossing(values)
            if crossing is not None:
                found.append(HalfPoint(suite, model, judge, measure, chosen if measure == "success" else 1, crossing))
    return found


def _number(attempt: PromptResult) -> int | None:
    number = attempt.item.factors.get("number")
    return number if isinstance(number, int) and not isinstance(number, bool) else None
