"""Do the figures that T2ICountBench prints follow from one another?"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from subitize.analysis.published import CellId
from subitize.papers.t2icountbench.published import AVERAGE, CATEGORIES, CONDITIONS, MODELS, PUBLISHED, list_published

Verdict = Literal["follows", "half way", "by rounding", "differs"]
VERDICTS: dict[Verdict, str] = {
    "follows": "the mean of the printed cells rounds to it",
    "half way": "the mean of the printed cells lies half way to a neighbour; no one rule rounds all of these",
    "by rounding": "the mean of the printed cells rounds to another, but that of the cells before rounding may not",
    "differs": "no cells that round to the printed ones have a mean that rounds to it",
}

ITEMS: dict[str, int] = {name: 150 if name == "fruit" else 75 for name in CATEGORIES}
"""How many prompts there are of a category: 15 numbers in 5 conditions; fruit has two objects."""

_HALF = 0.005
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class MeanCheck:
    """A printed mean, the mean of the printed cells that it is of, and the range that their rounding leaves it."""

    place: CellId
    printed: str
    recomputed: float
    low: float
    high: float
    verdict: Verdict


def check_means() -> list[MeanCheck]:
    """Recompute the means of Table 2's rows and of Table 3's rows and columns.

    Table 3's overall mean is checked twice: as the mean of the printed means of columns, and of rows.
    Shares of 75 prompts lie further apart than two digits do, so that most cells of Table 2 stand for one number of
    successes, of fruit for one or two: the range of its means is that of these. Of Table 3 it is that of rounding.
    """
    two, three = list_published("table2"), list_published("table3")
    found = []
    for model in MODELS:
        own = [two[model, name] for name in CATEGORIES]
        shares = [[k / n for k in implied_counts(cell, n)] for cell, n in zip(own, ITEMS.values(), strict=True)]
        found.append(_check(CellId("table2", model, AVERAGE), own, [(min(one), max(one)) for one in shares]))
    rows = {row: [three[row, name] for name in CONDITIONS] for row in (*MODELS, AVERAGE)}
    columns = {name: [three[model, name] for model in MODELS] for name in (*CONDITIONS, AVERAGE)}
    means = [(CellId("table3", row, AVERAGE), cells) for row, cells in rows.items()]
    means += [(CellId("table3", AVERAGE, name), cells) for name, cells in columns.items()]
    for place, cells in means:
        found.append(_check(place, cells, [(float(cell) - _HALF, float(cell) + _HALF) for cell in cells]))
    return found


@dataclass(frozen=True, slots=True)
class TextCheck:
    """Something that the text says about the tables, and what the printed cells come to."""

    where: str
    said: str
    found: str
    agrees: bool


def check_text() -> list[TextCheck]:
    """Hold what the text says of the tables against their printed cells."""
    two, three = ({key: float(cell) for key, cell in list_published(table).items()} for table in ("table2", "table3"))
    averages = [two[model, AVERAGE] for model in MODELS]
    best, worst = max(averages), min(averages)
    highest = max(two[model, category] for model in MODELS for category in CATEGORIES)
    checks = [
        TextCheck("4.1", "no average is above 50 %", f"the highest is {best:.2f}", best <= 0.5),
        TextCheck("4.1", "no category is above 60 %", f"the highest is {highest:.2f}", highest <= 0.6),
        TextCheck(
            "4.1",
            "the best improves on the worst by nearly 150 %",
            f"{best:.2f} is {best / worst - 1:.0%} more than {worst:.2f}, or {best / worst:.0%} of it",
            best / worst - 1 > 1.25,
        ),
    ]
    means = {name: _mean([three[model, name] for model in MODELS]) for name in CONDITIONS}
    for name in ("multiplicative", "additive", "position"):
        drop = 1 - means[name] / means["original"]
        said = f"{name} prompts lose more than 40 % of the original accuracy"
        checks.append(TextCheck("5.2", said, f"{means['original']:.3f} to {means[name]:.3f}: {drop:.1%}", drop > 0.4))
    firefly = 1 - three["Firefly 3", "multiplicative"] / three["Firefly 3", "original"]
    checks.append(TextCheck("5.2", "Firefly 3 loses 75 % by multiplication", f"{firefly:.0%}", 0.745 <= firefly < 0.77))
    return [*checks, *_check_home(three)]


def implied_counts(printed: str, n: int) -> list[int]:
    """List the numbers of successes in n whose share is printed as this, whichever way halves are rounded."""
    value = float(printed)
    return [count for count in range(n + 1) if abs(count / n - value) <= _HALF + _EPSILON]


def _check_home(three: dict[tuple[str, str], float]) -> Iterator[TextCheck]:
    """Hold what the text says of plain style at home against the unrefined column of Table 3, which is the same."""
    for model in MODELS:
        said = PUBLISHED.get(CellId("figure4", model, "home"))
        if said is not None:
            found = three[model, "original"]
            yield TextCheck("C", f"{model} has {said} % at home", f"{found:.2f}", round(100 * found) == int(said))
    flux = three["FLUX 1.1", "original"]
    worse = sum(three[model, "original"] < flux for model in MODELS)
    found_place = f"{worse} of the other {len(MODELS) - 1} are worse"
    yield TextCheck("C", "FLUX 1.1 is among the worst at home", found_place, worse < len(MODELS) / 3)


def _check(place: CellId, cells: Sequence[str], ranges: Sequence[tuple[float, float]]) -> MeanCheck:
    printed = PUBLISHED[place]
    mean, target = _mean([float(cell) for cell in cells]), float(printed)
    low, high = _mean([edge for edge, _ in ranges]), _mean([edge for _, edge in ranges])
    distance = abs(mean - target)
    verdict: Verdict
    if abs(distance - _HALF) <= _EPSILON:
        verdict = "half way"
    elif distance < _HALF:
        verdict = "follows"
    else:
        is_possible = low <= target + _HALF + _EPSILON and high >= target - _HALF - _EPSILON
        verdict = "by rounding" if is_possible else "differs"
    return MeanCheck(place, printed, mean, low, high, verdict)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
