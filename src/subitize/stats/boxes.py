"""Detections: the boxes with scores that detectors find in a picture, and how they overlap."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from subitize.records import Box, Boxes, Masks

Floats = NDArray[np.float64]
Grid = NDArray[np.bool_]
_PAIRS_AT_ONCE = 1_000_000  # thousands of boxes are millions of pairs, of which few overlap


@dataclass(frozen=True, slots=True)
class Detections:
    """What a detector found in a picture, in pixels, best first; a colour is None if it was not looked for.

    A mask is a square grid over a box, true where the thing is; some networks give none. `unread` has the words of a
    network, by noun, that neither locate such things nor say that there are none.
    """

    xyxy: Floats
    scores: Floats
    labels: tuple[str, ...]
    colours: tuple[str | None, ...]
    masks: tuple[Grid, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def make(cls, xyxy: object, scores: object, labels: Sequence[str], masks: Sequence[Grid] = ()) -> Self:
        """Sort a network's output: n × 4 corners (left, top, right, bottom), n scores, n labels, n masks or none."""
        corners = np.asarray(xyxy, dtype=np.float64).reshape(-1, 4)
        given = np.asarray(scores, dtype=np.float64).reshape(-1)
        if not len(corners) == len(given) == len(labels):
            raise ValueError(f"{len(corners)} boxes, {len(given)} scores and {len(labels)} labels")
        order = np.argsort(-given, kind="stable")
        names = tuple(labels[index] for index in order)
        grids = tuple(masks[index] for index in order) if masks else ()
        return cls(corners[order], given[order], names, (None,) * len(given), grids)

    @classmethod
    def of(cls, boxes: Sequence[Box]) -> Self:
        """Make detections of stored boxes."""
        made = cls.make([box.xyxy for box in boxes], [box.score for box in boxes], [box.label for box in boxes])
        order = sorted(range(len(boxes)), key=lambda index: -boxes[index].score)
        return replace(made, colours=tuple(boxes[index].colour for index in order))

    @classmethod
    def join(cls, each: Sequence["Detections"]) -> Self:
        """Put together what was found of several nouns in one picture."""
        return cls.make(
            np.concatenate([np.empty((0, 4)), *(one.xyxy for one in each)]),
            np.concatenate([np.empty(0), *(one.scores for one in each)]),
            [label for one in each for label in one.labels],
            [mask for one in each for mask in one.masks],
        )

    def __len__(self) -> int:
        return len(self.scores)

    def where(self, chosen: NDArray[np.bool_] | Sequence[bool]) -> Self:
        """Keep the chosen detections."""
        (kept,) = np.nonzero(np.asarray(chosen, dtype=bool))
        return replace(
            self,
            xyxy=self.xyxy[kept],
            scores=self.scores[kept],
            labels=tuple(self.labels[index] for index in kept),
            colours=tuple(self.colours[index] for index in kept),
            masks=tuple(self.masks[index] for index in kept if self.masks),
        )

    def above(self, threshold: float) -> Self:
        """Keep detections with at least this score."""
        return self.where(self.scores >= threshold)

    def labelled(self, label: str) -> Self:
        """Keep detections of one label."""
        return self.where([own == label for own in self.labels])

    def renamed(self, names: Callable[[str], str]) -> Self:
        """Replace the labels."""
        return replace(self, labels=tuple(names(label) for label in self.labels))

    def coloured(self, colours: Sequence[str | None]) -> Self:
        """Set the colours."""
        return replace(self, colours=tuple(colours))

    def suppressed(self, iou: float) -> Self:
        """Leave out detections that overlap a better one of the same label by more than this share of their union."""
        return self.where(self.unsuppressed(iou))

    def unsuppressed(self, iou: float) -> NDArray[np.bool_]:
        """Mark detections that overlap no better one of the same label by more than this share of their union."""
        return self.overlaps().unsuppressed(iou)

    def overlaps(self) -> "Overlaps":
        """Find all overlaps, once for every threshold that may be asked for."""
        _, kinds = np.unique(np.asarray(self.labels, dtype=str), return_inverse=True)
        rows = max(1, _PAIRS_AT_ONCE // max(1, len(self)))
        found = [_find_pairs(self.xyxy, kinds, start, start + rows) for start in range(0, max(1, len(self)), rows)]
        better, worse = np.concatenate(found, axis=1)
        return Overlaps(len(self), better, worse, _iou(self.xyxy[better], self.xyxy[worse]))

    def evidence(self) -> Boxes:
        """Return the evidence of a judge, with masks if there are any."""
        boxes = self.boxes()
        return Masks(boxes, masks=tuple(map(_write_runs, self.masks))) if self.masks else Boxes(boxes)

    def boxes(self) -> tuple[Box, ...]:
        """Return boxes as they are stored, without meaningless digits."""
        return tuple(
            Box(label, round(float(score), 5), _corners(row), colour)
            for row, score, label, colour in zip(self.xyxy, self.scores, self.labels, self.colours, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The pairs of one label that overlap at all, in the order of the better one, and the shares of their overlaps."""

    count: int
    better: NDArray[np.intp]
    worse: NDArray[np.intp]
    shares: Floats

    def unsuppressed(self, iou: float) -> NDArray[np.bool_]:
        """Mark those that overlap no better one that is itself kept by more than this share."""
        is_left = np.ones(self.count, dtype=bool)
        is_much = self.shares > iou
        better, worse = self.better[is_much], self.worse[is_much]
        places, starts = np.unique(better, return_index=True)
        for place, others in zip(places, np.split(worse, starts[1:]), strict=False):
            if is_left[place]:
                is_left[others] = False
        return is_left


def _write_runs(mask: Grid) -> str:
    cells = np.concatenate([[False], mask.ravel()])
    changes = np.flatnonzero(cells[1:] != cells[:-1])
    return " ".join(map(str, np.diff([0, *changes, mask.size])))


def _corners(row: Floats) -> tuple[float, float, float, float]:
    left, top, right, bottom = (round(float(side), 2) for side in row)
    return left, top, right, bottom


def _find_pairs(xyxy: Floats, kinds: NDArray[np.intp], start: int, stop: int) -> NDArray[np.intp]:
    """Find overlapping pairs of one kind, the first of them from start to stop, the second after it."""
    one, other = xyxy[start:stop, None], xyxy[None, start:]
    is_pair = kinds[start:stop, None] == kinds[None, start:]
    for low, high in ((0, 2), (1, 3)):
        is_pair &= (one[..., low] < other[..., high]) & (other[..., low] < one[..., high])
    return np.array(np.nonzero(np.triu(is_pair, 1))) + start


def _iou(some: Floats, others: Floats) -> Floats:
    """Divide the intersections of boxes, pair by pair, by their unions; 0 where a union is empty."""
    width = np.minimum(some[:, 2], others[:, 2]) - np.maximum(some[:, 0], others[:, 0])
    height = np.minimum(some[:, 3], others[:, 3]) - np.maximum(some[:, 1], others[:, 1])
    shared = np.clip(width, 0, None) * np.clip(height, 0, None)
    union = _area(some) + _area(others) - shared
    return np.asarray(np.divide(shared, union, out=np.zeros_like(shared), where=union > 0))


def _area(boxes: Floats) -> Floats:
    return np.asarray((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))
