"""Where models stand among one another: ranks and letters on leaderboards, and in a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from subitize.analysis.comparisons import Entry, Ranked, stand
from subitize.report.document.blocks import KINDS, Block, TableBlock, text_column
from subitize.report.document.cells import list_names
from subitize.report.sections.counted import Counted
from subitize.report.sections.sources import Series

_COLUMN = text_column(
    "Rank",
    "By accuracy over what all models of a judge have: the first and the last rank that the model may have. Models "
    "that share a letter cannot be told apart.",
)

ModelT = TypeVar("ModelT", Series, Counted)

UNFIT = (
    "Stand-in judge: read by a judge that knows only the drawings of subitize; these rows stand last and have no rank."
)


def stand_series(series: Sequence[Series]) -> dict[str, Ranked]:
    """Rank models by label, those of a judge among themselves: by accuracy, or where groups were judged by success.

    Stand-ins have a rank only where there is nothing else.
    """
    entries = [
        Entry(one.label, one.suite, one.judge, one.observations, one.source.run)
        for one in take_real(series)
        if not one.is_excluded and one.badge != "stand-in judge"
    ]
    return {**stand(entries, "success"), **stand(entries, "accuracy")}


def take_real(models: Sequence[ModelT]) -> Sequence[ModelT]:
    """Leave out stand-ins, and what they judged, where there is anything else."""
    return [one for one in models if not one.badge] or models


def mark_ranks(blocks: Sequence[Block], standings: Mapping[str, Ranked]) -> list[Block]:
    """Put the rank beside every model of a leaderboard that has none yet, where there are several models."""
    ranked = [_mark(block, standings) if isinstance(block, TableBlock) and standings else block for block in blocks]
    return [_group_kinds(block) if isinstance(block, TableBlock) else block for block in ranked]


def _group_kinds(table: TableBlock) -> TableBlock:
    """Put rows of a kind together; those that a stand-in judged have no rank: what it does not know it cannot count."""
    is_rank = [column.name.startswith(_COLUMN.name) for column in table.columns]
    rows = [
        replace(row, cells=tuple("" if rank else cell for cell, rank in zip(row.cells, is_rank, strict=True)))
        if row.badge == "stand-in judge"
        else row
        for row in sorted(table.rows, key=lambda row: KINDS.index(row.badge))
    ]
    has_unfit = any(row.badge == "stand-in judge" for row in rows)
    caption = f"{table.caption} {UNFIT}".strip() if has_unfit else table.caption
    return replace(table, rows=tuple(rows), caption=caption, is_grouped=True)


def _mark(table: TableBlock, standings: Mapping[str, Ranked]) -> TableBlock:
    if any(column.name.startswith(_COLUMN.name + ",") for column in table.columns):
        return table
    found = [standings.get(str(row.cells[0])) if row.badge in ("", "stand-in") else None for row in table.rows]
    caption = f"{table.caption} Rank: models that share a letter cannot be told apart by accuracy.".strip()
    ranked = table.with_column(_COLUMN, (f"{one.rank} {one.letters}" if one else "" for one in found), 1)
    return replace(ranked, caption=caption)


def describe_standing(best: str, standings: Mapping[str, Ranked], *, by: str = "") -> str:
    """Say whether the model that is right most often is better than the others; nothing where it was not compared."""
    own = standings.get(best)
    if own is None:
        return ""
    if own.worst == 1:
        told = "it is better than all others"
    elif own.best > 1:
        told = "others do better on what all models have"
    else:
        told = f"it cannot be told apart from {list_names(own.equals)}"
    sentence = f"by {by}, {told}" if by else told
    return f" {sentence[0].upper()}{sentence[1:]}."
