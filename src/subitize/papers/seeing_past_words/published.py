"""What the paper reports, as printed (published.csv), to stand beside what is computed here.

Source: Parcalabescu, Gatt, Frank and Calixto (2021), Seeing past words: Tables 1 to 7, and what section 4.2.2 says of
wrong answers. Nothing here was computed by subitize. Table 7's rows 8-10 and 10-20 are named by what they count.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from subitize.analysis.published import Cell, CellId, ComparedCell, compare_cell, make_cell, read_published
from subitize.records import Estimate

BLIND = " (blind)"
"""After the name of a model that was shown other images."""
PRINTED = read_published(Path(__file__).with_name("published.csv"))
"""Every printed cell, by where it stands; shares are in percent."""
SLIPS: tuple[str, ...] = (
    "Table 6 prints 6239 as the total of hard, train: its parts add up to 6155",
    "Table 7 prints 19 for two in standard, test, a misprint: its column adds up to 90",
    "Table 1 prints 67.9 as the accuracy of LXMERT on gcc: the mean of its parts is 64.9",
    "Table 2's accuracies of LXMERT are means of p_c and p_f; those of ViLBERT weigh foils three to one",
    "p_c and p_f are recalls in Tables 1 and 2, and precisions in Table 3",
)


class Row(NamedTuple):
    """A row of a table: what it is of, on which data, and whose; a model goes by the paper's name where it has one.

    Of other data than the released there is nothing printed.
    """

    table: str
    of: tuple[str, ...]
    data: str = ""
    model: str = ""
    is_printed: bool = True

    def compare(self, column: str, figure: Estimate | float | str, *, method: str = "") -> ComparedCell:
        """Put a figure beside the printed one; a share is told in percent, a count as it is."""
        place = CellId(_join(", ", self.table, self.data), _join(" · ", self.model, *self.of), column)
        is_rank = column.startswith("mean_rank")
        is_share = isinstance(figure, Estimate) and not is_rank
        if isinstance(figure, Estimate):
            cell = make_cell(place, figure, scale=1 if is_rank else 100)
        else:
            cell = Cell(place, figure)
        cell = replace(cell, method=method or cell.method)
        return compare_cell(cell, self._find_printed(column), points=1.0 if is_share else float("inf"))

    def _find_printed(self, column: str) -> str | None:
        theirs = find_model(self.model) if self.model else ""
        if theirs is None or self.model.endswith(BLIND) or not self.is_printed:
            return None
        return PRINTED.get(CellId(self.table, _join(" · ", theirs, *self.of), column))


def find_model(name: str) -> str | None:
    """Find the paper's model that a name or spec is of; None if it is none of them."""
    plain = name.lower()
    if "vilbert" in plain:
        return "ViLBERT 12-in-1" if "12" in plain or "multi" in plain else "ViLBERT"
    return "LXMERT" if "lxmert" in plain else None


def _join(between: str, *parts: str) -> str:
    return between.join(filter(None, parts))
