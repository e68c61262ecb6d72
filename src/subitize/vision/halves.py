"""Things of two colours, one to each half."""

import numpy as np

from subitize.vision.appearance import describe, half_bodies
from subitize.vision.colours import colour_name
from subitize.vision.recognition import UNKNOWN, Recognised, blur, doubt, name, sizes_px
from subitize.vision.references import halved_references
from subitize.vision.sampling import COARSE, COLOUR_STEP, Samples, middle_colours, sample
from subitize.vision.segmentation import Region


def recognise_halves(region: Region) -> tuple[Recognised, tuple[str, ...]]:
    """Tell what a region of two colours may be, and the colours of its halves."""
    known, seen = halved_references(), sample([region])
    reach = _LEEWAY * known.reach * blur(sizes_px([region]))
    outlines = known.appearances[:, : COARSE * COARSE]
    near = np.flatnonzero(((outlines - seen.coverage.reshape(1, -1)) ** 2).sum(axis=1) <= reach**2)
    if not near.size:
        return Recognised(UNKNOWN, 1.0, UNKNOWN), ()
    # Every drawing is halved in its own way, so that the region is described once for each that has its outline.
    times = near.size
    samples = Samples(
        np.repeat(seen.within, times, axis=0),
        np.repeat(seen.colours, times, axis=0),
        np.repeat(seen.coverage, times, axis=0),
    )
    bodies = half_bodies(samples, known.is_second[near])
    squares = ((describe(samples, bodies) - known.appearances[near]) ** 2).sum(axis=1)
    best = int(squares.argmin())
    noun = known.nouns[near[best]]
    others = [square for square, row in zip(squares, near, strict=True) if known.nouns[row] != noun]
    two_nearest = np.array([[squares[best], min(others, default=np.inf)]])
    tinted = known.takes_colour[near[best]] & seen.within[0, ::COLOUR_STEP, ::COLOUR_STEP]
    is_second = known.is_second[near[best]]
    halves = np.stack([tinted & ~is_second, tinted & is_second])
    if np.count_nonzero(halves, axis=(1, 2)).min() < _FEWEST_CELLS:
        return Recognised(UNKNOWN, 1.0, UNKNOWN), ()
    first, second = middle_colours(np.repeat(seen.colours, 2, axis=0), halves).tolist()
    colours = (colour_name(*first), colour_name(*second))
    return name(noun, float(doubt(two_nearest, reach[near[best]])[0]), " and ".join(colours)), colours


_LEEWAY = 1.3
_FEWEST_CELLS = 6
