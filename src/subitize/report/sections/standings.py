"""Where models stand among one another: ranks and letters on leaderboards, and in a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from subitize.analysis.comparisons import Entry, Ranked, stand
from subitize.report.document.blocks import Block, TableBlock, text_column
from subitize.report.sections.sources import Series

_COLUMN = text_column(
    "Rank",
    "By accuracy over what all models of a judge have: the first and the last rank that the model may have. Models "
    "that share a letter cannot be told apart.",
)

UNFIT = (
    "Stand-in judge: read by a judge that knows only the drawings of subitize; these rows stand last and have no rank."
)


def stand_series(series: Sequence[Series]) -> dict[str, Ranked]:
    """Rank models by label, those of a judge among themselves: by accuracy, or where groups were judged by success."""
    entries = [
        Entry(one.label, one.suite, one.judge, one.observations, one.source.run)
        for one in series
        if not one.is_excluded and one.badge != "stand-in judge"
    ]
    return {**stand(entries, "success"), **stand(entries, "accuracy")}


def mark_ranks(blocks: Sequence[Block], standings: Mapping[str, Ranked]) -> list[Block]:
    """Put the rank beside every model of a leaderboard that has none yet, where there are several models."""
    ranked = [_mark(block, standings) if isinstance(block, TableBlock) and standings else block for block in blocks]
    return [_put_unfit_last(block) if isinstance(block, TableBlock) else block for block in ranked]


def _put_unfit_last(table: TableBlock) -> TableBlock:
    """Take models that a stand-in judged out of the ranking: what it does not know it cannot count."""
    unfit = [row for row in table.rows if row.badge == "stand-in judge"]
    if not unfit:
        return table
    is_rank = [column.name.startswith(_COLUMN.name) for column in table.columns]
    unranked = [
        replace(row, cells=tuple("" if rank else cell for cell, rank in zip(row.cells, is_rank, strict=True)))
        for row in unfit
    ]
    rows = (*(row for row in table.rows if row.badge != "stand-in judge"), *unranked)
    return replace(table, rows=rows, caption=f"{table.caption} {UNFIT}".strip())


def _mark(table: TableBlock, standings: Mapping[str, Ranked]) -> TableBlock:
    if any(column.name.startswith(_COLUMN.name + ",") for column in table.columns):
        return table
    rows = []
    for row in table.rows:
        one = standings.get(str(row.cells[0])) if row.badge in ("", "stand-in") else None
        rows.append(replace(row, cells=(*row.cells, f"{one.rank} {one.letters}" if one else "")))
    caption = f"{table.caption} Rank: models that share a letter cannot be told apart by accuracy.".strip()
    return replace(table, columns=(*table.columns, _COLUMN), rows=tuple(rows), caption=caption)


def tell_standing(best: str, standings: Mapping[str, Ranked], *, by: str = "") -> str:
    """Say whether the model that is right most often is better than the others; nothing where it was not compared."""
    own = standings.get(best)
    if own is None:
        return ""
    if own.worst == 1:
        told = "it is better than all others"
    elif own.best > 1:
        told = "others do better on what all models have"
    else:
        told = f"it cannot be told apart from {_list(own.equals)}"
    sentence = f"by {by}, {told}" if by else told
    return f" {sentence[0].upper()}{sentence[1:]}."


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
