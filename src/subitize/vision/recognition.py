"""What a thing is, by the drawing of ours it looks most like, and what colour it has.

A region is of the kind of the nearest reference if it is near enough to it, and clearly nearer than to any
reference of another kind. Otherwise it is unknown; it is never called the nearest for want of a better one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.drawing.glyphs import GLYPHS
from subitize.vision.appearance import Appearances, Colours, body_colours, describe
from subitize.vision.colours import colour_name
from subitize.vision.references import References, references
from subitize.vision.sampling import COLOUR_STEP, Samples, middle_colours, sample
from subitize.vision.segmentation import Region

UNKNOWN = "unknown"
KINDS = tuple(GLYPHS)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a region is taken for, how surely, and its colour."""

    kind: str
    score: float
    colour: str


def recognise(regions: Sequence[Region]) -> list[Recognised]:
    """Name regions by kind and colour; the score of an unknown is 1 less its membership of the best kind."""
    starts = range(0, len(regions), _AT_ONCE)
    return [thing for start in starts for thing in _recognise(regions[start : start + _AT_ONCE])]


_AT_ONCE = 256  # a picture full of scraps must not fill the memory
_BLUR_PX = 10  # a thing that is ten pixels large may be twice as far: its form is shown that inexactly
_LEAST_CLEAR = 0.78  # of the distance to the nearest other kind
_FEWEST_CELLS = 6
_NEVER_ZERO = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class _Matches:
    """For every region its nearest reference, and how far it is from being unknown: 0 at it, 1 on the limit."""

    nearest: NDArray[np.intp]
    doubt: NDArray[np.float64]


def _recognise(regions: Sequence[Region]) -> list[Recognised]:
    known, samples = references(), sample(regions)
    bodies = body_colours(samples)
    sizes_px = np.array([max(region.mask.shape) for region in regions])
    matches = _match(describe(samples, bodies), sizes_px, known)
    colours = _colours(samples, bodies, matches, known)
    things = []
    for nearest, doubt, (red, green, blue) in zip(matches.nearest, matches.doubt, colours.tolist(), strict=True):
        membership = max(0.0, 1 - float(doubt) / 2)
        is_known = doubt <= 1
        kind, score = (known.nouns[nearest], membership) if is_known else (UNKNOWN, 1 - membership)
        things.append(Recognised(kind, score, colour_name(red, green, blue)))
    return things


def _match(appearances: Appearances, sizes_px: NDArray[np.int64], known: References) -> _Matches:
    # Not by BLAS: its threads take longer to start than this takes, and get into each other's way in many processes.
    by_reference = known.squares - 2 * np.einsum("id,jd->ij", appearances, known.appearances)
    by_kind = np.minimum.reduceat(by_reference, known.first_of_kind, axis=1)
    two_nearest = np.partition(by_kind, 1, axis=1)[:, :2] + (appearances**2).sum(axis=1)[:, None]
    distance, other = np.sqrt(np.maximum(two_nearest, 0)).T
    nearest = by_reference.argmin(axis=1)
    limit = np.minimum(known.reach[nearest] * (1 + _BLUR_PX / sizes_px), _LEAST_CLEAR * other)
    return _Matches(nearest, distance / np.maximum(limit, _NEVER_ZERO))


def _colours(samples: Samples, bodies: Colours, matches: _Matches, known: References) -> Colours:
    """Take the colour of the parts that take it in the drawing, or of the body if the thing is unknown."""
    inside = samples.within[:, ::COLOUR_STEP, ::COLOUR_STEP]
    tinted = known.takes_colour[matches.nearest] & inside
    is_usable = (matches.doubt <= 1) & (np.count_nonzero(tinted, axis=(1, 2)) >= _FEWEST_CELLS)
    return np.where(is_usable[:, None], middle_colours(samples.colours, tinted), bodies)
