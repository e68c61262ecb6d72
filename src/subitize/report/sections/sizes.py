"""How large models are, in leaderboards: parameters as counted when a network was loaded, or as papers print them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from subitize.report.document.blocks import Block, Column, TableBlock
from subitize.report.document.cells import billions
from subitize.report.sections.sources import Series

SIZE = Column(
    "Size (billion)",
    "Parameters: of local models counted when they were loaded, of a pipeline those of the part that denoises; of "
    "published ones as printed, with their doubts.",
)


def known_sizes(series: Sequence[Series]) -> dict[str, int]:
    """Tell how many parameters models have, by label, as far as their answers say."""
    found = {one.label: one.source.trails.responses[one.suite, one.model].parameter_count for one in series}
    return {label: count for label, count in found.items() if count is not None}


def mark_sizes(blocks: Sequence[Block], sizes: Mapping[str, int]) -> list[Block]:
    """Put its size beside every model of a leaderboard, where at least one is known."""
    return [_mark(block, sizes) if isinstance(block, TableBlock) and sizes else block for block in blocks]


def _mark(table: TableBlock, sizes: Mapping[str, int]) -> TableBlock:
    names = [column.name for column in table.columns]
    at = names.index(SIZE.name) if SIZE.name in names else len(names)
    rows = []
    for row in table.rows:
        count = sizes.get(str(row.cells[0])) if row.badge in ("", "stand-in") else None
        cell = billions(count) if count is not None else "" if at == len(names) else row.cells[at]
        rows.append(replace(row, cells=(*row.cells[:at], cell, *row.cells[at + 1 :])))
    return replace(table, columns=(*table.columns[:at], SIZE, *table.columns[at + 1 :]), rows=tuple(rows))
