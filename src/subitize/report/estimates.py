"""Estimates as charts and tables show them: points with intervals, grids, and how intervals were computed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from subitize.language.nouns import plural, singular
from subitize.records import Estimate
from subitize.report.table import Column, RowKind, Table

MODEL = Column.text("Model")
_FAR = 1e6  # the largest number in a chart


def bounds(estimate: Estimate, *, per: float = 1) -> dict[str, object]:
    """Return an estimate as a chart draws it: the value and a finite interval."""
    low, high = max(estimate.low / per, -_FAR), min(estimate.high / per, _FAR)
    return {"value": estimate.value / per, "low": low, "high": high, "n": estimate.n}


@dataclass(frozen=True, slots=True)
class EstimateGrid:
    """The estimates of a figure, of which both its chart and its table are made.

    The last part of a key is the column; those before it name the row. Rows are marked by their first part.
    """

    cells: Mapping[tuple[Any, ...], Estimate]
    badges: Mapping[str, RowKind] = field(default_factory=dict)

    @property
    def rows(self) -> list[Any]:
        """The first parts of the rows' names, each once."""
        return list(dict.fromkeys(key[0] for key in self.cells))

    @property
    def columns(self) -> list[Any]:
        """The columns, each once."""
        return list(dict.fromkeys(key[-1] for key in self.cells))

    @property
    def sizes(self) -> str:
        """Say how many observations are behind the figures."""
        return sizes(self.cells.values())

    def row(self, *name: Any) -> dict[Any, Estimate]:  # noqa: ANN401
        """Return the estimates of a row by column."""
        return {key[-1]: one for key, one in self.cells.items() if key[:-1] == name}

    def points(self, *names: str, per: float = 1) -> list[dict[str, Any]]:
        """Make a point of a chart of each estimate; the names are those of the parts of its key."""
        return [{**dict(zip(names, key, strict=True)), **bounds(one, per=per)} for key, one in self.cells.items()]

    def table(
        self,
        name: str,
        title: str,
        columns: Sequence[Any] = (),
        heads: Sequence[Column] = (MODEL,),
        *,
        digits: int = 2,
        caption: str | None = None,
    ) -> Table:
        """Make a table with these columns, by default all; the heads are those of the rows' names."""
        own = methods(self.cells.values()) if caption is None else caption
        return Table.from_cells(name, title, self.cells, heads, columns, badges=self.badges, caption=own, digits=digits)


def methods(estimates: Iterable[Estimate]) -> str:
    """Describe how intervals were computed, without the numbers of clusters, which differ."""
    found = sorted({_LAYOUT.sub(_name_units, estimate.method) for estimate in estimates})
    return f"Intervals (95 %): {'; '.join(found)}." if found else ""


_LAYOUT = re.compile(
    r"over (?P<units>\d+ [\w ]+?(?: and \d+ [\w ]+?)*)(?: \(variance that of \w+\))?(?: in \d+ strata)?(?=$|[,;.])"
)


def _name_units(layout: re.Match[str]) -> str:
    """Name the units without their numbers: "over prompts and nouns"."""
    return "over " + " and ".join(plural(singular(one.partition(" ")[2])) for one in layout["units"].split(" and "))


def sizes(estimates: Iterable[Estimate]) -> str:
    """Say how many observations are behind the figures."""
    found = [estimate.n for estimate in estimates]
    return f"n = {min(found):,} each" if min(found) == max(found) else f"n from {min(found):,} to {max(found):,}"
