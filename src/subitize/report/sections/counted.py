"""Models that count, by their names in a report, and what their tables and figures share."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from subitize.language.numbers import in_words
from subitize.records import Estimate
from subitize.report.document.blocks import KINDS, Badge, Cell, Row, text_column

if TYPE_CHECKING:  # loading these takes long, and claims, which import this module, need none of them
    from subitize.analysis.counting import CountingReport
    from subitize.analysis.published import PublishedCounts
    from subitize.stats.answers import KnowerLevel

MODEL = text_column("Model")
_FAR = 1e6  # the largest number that a chart is given


@dataclass(frozen=True, slots=True)
class Counted:
    """A model under its name in the report, and how it enumerates."""

    label: str
    badge: Badge
    it: "CountingReport"

    def row(self, *cells: Cell) -> Row:
        """Make its row of a table."""
        return Row((self.label, *cells), self.badge)

    def point(self, name: str, at: object, estimate: Estimate) -> dict[str, object]:
        """Make its row of a chart's data: what stands where."""
        return {"model": self.label, name: at, **bounds(estimate)}


def rank(models: Iterable[Counted]) -> list[Counted]:
    """Put real models first, and of them those that are right most often."""
    return sorted(
        models,
        key=lambda one: (KINDS.index(one.badge), -one.it.accuracy.value if one.it.accuracy else math.inf, one.label),
    )


def differing_design(published: "PublishedCounts | None", models: Sequence[Counted]) -> str:
    """Say what published figures are for, where a model here has other numbers or categories; else nothing."""
    if published is None:
        return ""
    numbers, categories = published.numbers, published.categories
    if all((one.it.numbers, {*one.it.categories}) == (numbers, {*categories}) for one in models):
        return ""
    return (
        f"Published figures are for the numbers {numbers[0]}–{numbers[-1]} and the paper’s {in_words(len(categories))} "
        f"categories ({', '.join(categories)}); not all models here were given just these."
    )


def level_name(level: int) -> str:
    """Write a level as the literature does."""
    return f"{level}-knower"


def level_text(knower: "KnowerLevel | None") -> str | None:
    """Write a level with the lowest and the highest that are possible."""
    if knower is None or knower.level is None:
        return None
    return f"{level_name(knower.level)} [{knower.low}, {knower.high}]"


def bounds(estimate: Estimate, *, per: float = 1) -> dict[str, object]:
    """Make of an estimate what a chart draws: its value with its interval, which must be finite."""
    low, high = max(estimate.low / per, -_FAR), min(estimate.high / per, _FAR)
    return {"value": estimate.value / per, "low": low, "high": high, "n": estimate.n}


def methods(estimates: Iterable[Estimate]) -> str:
    """Say how intervals were got; how many clusters each is over stands with it."""
    found = sorted({_LAYOUT.sub("over clusters", estimate.method) for estimate in estimates})
    return f"Intervals (95 %): {'; '.join(found)}." if found else ""


_LAYOUT = re.compile(r"over \d+ clusters?(?: in \d+ strata)?")


def sizes(estimates: Iterable[Estimate]) -> str:
    """Say how many observations are behind figures."""
    found = [estimate.n for estimate in estimates]
    return f"n = {min(found):,} each" if min(found) == max(found) else f"n from {min(found):,} to {max(found):,}"
