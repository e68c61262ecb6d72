"""Names regions by the drawing of ours that they resemble most, and names their colours.

A region gets the kind of the nearest reference if it is near enough, and clearly nearer than to any reference of
another kind. Otherwise it is "unknown"; there is no fallback to the nearest kind."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import UNKNOWN
from subitize.stimuli import appearance
from subitize.stimuli.colours import colour_name
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.references import References, all_references, references
from subitize.stimuli.segmentation import Mask, Region

KINDS = tuple(GLYPHS)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a region is taken for, how surely, its colour, and whether much of it has another colour."""

    kind: str
    score: float
    colour: str
    is_mixed: bool = False

    @property
    def doubt(self) -> float:
        """How unlike a drawing it looks: 0 just like one, 1 at the limit to unknown, 2 at most."""
        return 2 * (self.score if self.kind == UNKNOWN else 1 - self.score)


def recognise(regions: Sequence[Region]) -> list[Recognised]:
    """Name regions by kind and colour; an unknown's score is 1 minus its membership of the best kind."""
    starts = range(0, len(regions), _AT_ONCE)
    return [thing for start in starts for thing in _recognise(regions[start : start + _AT_ONCE], references(), 1.0)]


def recognise_plain(region: Region, *, leeway: float = 1.0) -> Recognised:
    """Name a region that may also be a thing drawn plain, scaling large ones to the usual size."""
    size_px = max(region.mask.shape)
    if size_px > appearance.USUAL_PX:
        region = appearance.at_usual_size(region)
        leeway *= float(blur(np.array(size_px)) / blur(np.array(appearance.USUAL_PX)))
    (thing,) = _recognise([region], all_references(), leeway)
    return thing


Matches = tuple[NDArray[np.intp], NDArray[np.float64]]
"""For every region its nearest reference and its doubt: 0 just like it, 1 at the limit to unknown."""


def name(kind: str, doubt: float, colour: str, *, is_mixed: bool = False) -> Recognised:
    """Name a region by its nearest kind, or unknown if that is beyond the limit."""
    membership = max(0.0, 1 - doubt / 2)
    if doubt > 1:
        return Recognised(UNKNOWN, 1 - membership, colour, is_mixed)
    return Recognised(kind, membership, colour, is_mixed)


def sizes_px(regions: Sequence[Region]) -> NDArray[np.int64]:
    """Measure the longer side of each region."""
    return np.array([max(region.mask.shape) for region in regions])


def match(
    appearances: appearance.Appearances, sizes_px: NDArray[np.int64], known: References, *, leeway: float = 1.0
) -> Matches:
    """Find the nearest reference of each appearance; the doubt grows with the nearness of other kinds."""
    # Not by BLAS: its threads take longer to start than this takes, and compete across processes.
    less_own = known.squares - 2 * np.einsum("id,jd->ij", appearances, known.appearances)
    by_kind = np.minimum.reduceat(less_own, known.first_of_kind, axis=1)
    two_nearest = np.partition(by_kind, 1, axis=1)[:, :2] + (appearances**2).sum(axis=1)[:, None]
    nearest = less_own.argmin(axis=1)
    return nearest, doubt(two_nearest, leeway * known.radius[nearest] * blur(sizes_px))


def doubt(two_nearest: NDArray[np.float32], radius: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the doubt from the square distances to the two nearest kinds and the nearest one's radius."""
    distance, other = np.sqrt(np.maximum(two_nearest, 0)).T
    return np.asarray(distance / np.maximum(np.minimum(radius, _LEAST_CLEAR * other), _NEVER_ZERO))


def blur(sizes_px: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the factor by which small things may be farther, as their form is inexact."""
    return np.asarray(1 + _BLUR_PX / sizes_px)


def tinted_colours(
    samples: appearance.Samples, bodies: appearance.Colours, matches: Matches, known: References
) -> tuple[appearance.Colours, Mask]:
    """Take the colour of the parts that are tinted in the drawing, or of the body if the thing is unknown.

    Also return whether much of these parts has quite another colour.
    """
    nearest, doubts = matches
    tinted = known.takes_colour[nearest] & samples.within[:, :: appearance.COLOUR_STEP, :: appearance.COLOUR_STEP]
    counts = np.count_nonzero(tinted, axis=(1, 2))
    is_usable = (doubts <= 1) & (counts >= _FEWEST_CELLS)
    colours = np.where(is_usable[:, None], appearance.middle_colours(samples.colours, tinted), bodies)
    off = samples.colours - colours[:, None, None, :] + _FAR  # unsigned bytes wrap around
    is_off = (off > 2 * _FAR).any(axis=3) & tinted
    return colours, is_usable & (np.count_nonzero(is_off, axis=(1, 2)) > _MIXED * counts)


_AT_ONCE = 256  # a picture full of scraps must not fill the memory
_BLUR_PX = 9  # a thing of nine pixels may be twice as far
_LEAST_CLEAR = 0.78  # of the distance to the nearest other kind
_FEWEST_CELLS = 6
_NEVER_ZERO = 1e-6
_FAR = np.uint8(60)
_MIXED = 0.15


def _recognise(regions: Sequence[Region], known: References, leeway: float) -> list[Recognised]:
    samples = appearance.sample(regions)
    bodies = appearance.body_colours(samples)
    matches = match(appearance.describe(samples, bodies), sizes_px(regions), known, leeway=leeway)
    colours, is_mixed = tinted_colours(samples, bodies, matches, known)
    rows = zip(*matches, colours.tolist(), is_mixed.tolist(), strict=True)
    return [
        name(known.nouns[nearest], float(doubt), colour_name(*colour), is_mixed=mixed)
        for nearest, doubt, colour, mixed in rows
    ]
