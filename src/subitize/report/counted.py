"""Models that count, under their names in a report, and what their tables and figures have in common."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from subitize.analysis.papers.numbersense import Enumeration
from subitize.records import Estimate
from subitize.report.charts import Palette
from subitize.report.document import Badge, Column

MODEL = Column("Model", is_numeric=False)


@dataclass(frozen=True, slots=True)
class Counted:
    """A model under its name in the report, and how it enumerates."""

    label: str
    badge: Badge
    it: Enumeration


def rank(models: Iterable[Counted]) -> list[Counted]:
    """Put those with the smallest error first."""
    return sorted(models, key=lambda model: (model.it.nae.value if model.it.nae else math.inf, model.label))


def level_name(level: int) -> str:
    """Write a level as the literature does."""
    return f"{level}-knower"


def point(model: Counted, name: str, at: object, estimate: Estimate) -> dict[str, object]:
    """Make a row of a chart's data: what stands where, with its bounds, which a chart needs finite."""
    bounds = {"low": max(estimate.low, -_FAR), "high": min(estimate.high, _FAR), "n": estimate.n}
    return {"model": model.label, name: at, "value": estimate.value, **bounds}


_FAR = 1e6


def only(palette: Palette, models: Sequence[Counted]) -> Palette:
    """Keep the colours of a palette for some of its models."""
    return palette.of([model.label for model in models])


def methods(estimates: Iterable[Estimate]) -> str:
    """Say how intervals were got."""
    found = sorted({estimate.method for estimate in estimates})
    return f"Intervals (95 %): {'; '.join(found)}." if found else ""


def sizes(estimates: Iterable[Estimate]) -> str:
    """Say how many observations are behind figures."""
    found = [estimate.n for estimate in estimates]
    return f"n = {min(found):,} each" if min(found) == max(found) else f"n from {min(found):,} to {max(found):,}"
