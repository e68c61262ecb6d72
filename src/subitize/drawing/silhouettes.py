"""How much of its square a drawing covers and how far it reaches, whatever its size: geometry without pixels."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from subitize.drawing import glyphs

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Silhouette:
    """A drawing in a square of side 1, of whatever colour; it is measured when somebody wants to know."""

    noun: str
    variant: int

    @cached_property
    def area(self) -> float:
        """The area that it covers."""
        return float(self._coverage().sum()) / 255 / _SIDE_PX**2

    @cached_property
    def extent(self) -> tuple[float, float, float, float]:
        """How far it reaches: left, top, right, bottom."""
        points = outline(self._coverage()) / _SIDE_PX
        (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        return left, top, right, bottom

    @cached_property
    def hull(self) -> Points:
        """The corners of its convex hull."""
        points = outline(self._coverage()) / _SIDE_PX
        return points[_convex_hull(points).vertices]

    def _coverage(self) -> NDArray[np.uint8]:
        return np.asarray(glyphs.sprite(self.noun, self.variant, "black", _SIDE_PX).getchannel("A"))


silhouette = lru_cache(maxsize=512)(Silhouette)


def outline(coverage: NDArray[np.uint8]) -> NDArray[np.int64]:
    """List the pixel corners at both ends of every row of a shape: its hull is the hull of these."""
    is_inside = coverage >= 128
    rows = np.flatnonzero(is_inside.any(axis=1))
    left = is_inside[rows].argmax(axis=1)
    right = is_inside.shape[1] - is_inside[rows, ::-1].argmax(axis=1)
    across = np.concatenate([left, left, right, right])
    down = np.concatenate([rows, rows + 1, rows, rows + 1])
    return np.stack([across, down], axis=1)


def hull_area(points: Points | NDArray[np.int64]) -> float:
    """Measure the smallest convex region that holds the points."""
    return float(_convex_hull(points).volume)


_SIDE_PX = 256


def _convex_hull(points: Points | NDArray[np.int64]) -> "ConvexHull":
    from scipy.spatial import ConvexHull  # takes longer to import than a picture to draw

    return ConvexHull(points)
