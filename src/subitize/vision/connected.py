"""What hangs together in a mask. scipy tells the same, but takes longer to import than a whole picture to be seen."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Connected:
    """The connected pieces of a mask, or of each of several, numbered from 1 in the order of their first cells.

    A run is a stretch of neighbouring cells in a row. It begins and ends at a place in all rows of all masks, put
    one after the other with an empty cell after each row and an empty row after each mask.
    """

    masks: Mask
    starts: Indices
    ends: Indices
    number_of_run: Indices

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """For every cell the number of its piece; 0 outside the mask."""
        labels = np.zeros(self.masks.shape, dtype=np.int32)
        labels[self.masks] = np.repeat(self.number_of_run, self.ends - self.starts)
        return labels

    def at_least(self, cells: float) -> list[tuple[int, slice, slice]]:
        """List the pieces of a mask that have as many cells: number, rows and columns of the box around each."""
        if not self.starts.size:
            return []
        order = np.argsort(self.number_of_run, kind="stable")
        first = np.flatnonzero(np.diff(self.number_of_run[order], prepend=0))
        rows, columns = np.divmod(self.starts[order], self.masks.shape[1] + 1)
        lengths = (self.ends - self.starts)[order]
        boxes = np.stack(
            [
                np.minimum.reduceat(rows, first),
                np.maximum.reduceat(rows, first) + 1,
                np.minimum.reduceat(columns, first),
                np.maximum.reduceat(columns + lengths, first),
            ],
            axis=1,
        )
        kept = np.flatnonzero(np.add.reduceat(lengths, first) >= cells)
        return [
            (index + 1, slice(top, bottom), slice(left, right))
            for index, (top, bottom, left, right) in zip(kept.tolist(), boxes[kept].tolist(), strict=True)
        ]


def find_connected(masks: Mask, *, is_diagonal: bool = False) -> Connected:
    """Find what hangs together in a mask, or in each of several, by sides or also by corners."""
    width = masks.shape[-1] + 1
    rows = np.pad(masks, [*[(0, 0)] * (masks.ndim - 2), (0, 1), (0, 1)]).ravel()
    changes = np.flatnonzero(np.diff(rows, prepend=False))
    starts, ends = changes[0::2], changes[1::2]
    # The runs in the row above that touch a run stand one after another.
    first = np.searchsorted(ends, starts - width - is_diagonal, side="right")
    counts = np.searchsorted(starts, ends - width + is_diagonal) - first
    return Connected(masks, starts, ends, _number_runs(first, counts))


def _number_runs(first: Indices, counts: Indices) -> Indices:
    """Number the pieces to which runs belong, each of which touches `counts` earlier ones from `first` on."""
    runs = np.arange(len(first))
    lower = np.repeat(runs, counts)
    upper = np.arange(len(lower)) + np.repeat(first + counts - np.cumsum(counts), counts)
    earliest = _follow(np.where(counts > 0, first, runs))
    while (differ := earliest[lower] != earliest[upper]).any():
        one, other = earliest[lower[differ]], earliest[upper[differ]]
        np.minimum.at(earliest, np.maximum(one, other), np.minimum(one, other))
        earliest = _follow(earliest)
    return np.asarray(np.cumsum(earliest == runs)[earliest])


def _follow(earlier: Indices) -> Indices:
    """Go from each run to an earlier one of its piece, until there is none."""
    while ((next_earlier := earlier[earlier]) != earlier).any():
        earlier = next_earlier
    return earlier
