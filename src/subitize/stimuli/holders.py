"""Recognises things that hold others: large regions whose flat part, once cleared, looks like a bare holder."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from subitize.stimuli import glyphs
from subitize.stimuli.appearance import sample
from subitize.stimuli.clipart import HOLDERS
from subitize.stimuli.cuts import SURFACE_PX, surface
from subitize.stimuli.recognition import Recognised, recognise_plain
from subitize.stimuli.segmentation import Mask, Region, commonest_colour, components, cut_out, foreground

Outlines = NDArray[np.float32]


def recognise_holder(region: Region) -> tuple[Recognised, list[Region]] | None:
    """Recognise a holder by its outline and, once cleared, its look; return it with the things it holds.

    None if the region is not a holder.
    """
    own = sample([region]).coverage.reshape(-1)
    distances = ((_outlines() - own) ** 2).sum(axis=1)
    for index in np.argsort(distances)[:_TRIED].tolist():
        noun = tuple(HOLDERS)[index]
        is_flat = _fitted(noun, region)
        if not is_flat.any():
            continue
        colour = commonest_colour(region.pixels[is_flat]).astype(np.uint8)
        is_on = foreground(region.pixels, (colour, colour)) & is_flat
        cleared = np.where(is_on[..., None], colour, region.pixels)
        thing = recognise_plain(Region(region.left, region.top, region.mask, cleared))
        if thing.kind == noun and np.count_nonzero(is_on) <= _MOST_COVERED * np.count_nonzero(is_flat):
            return thing, [_moved(piece, region) for piece in components(is_on, region.pixels)]
    return None


_TRIED = 3
_MOST_COVERED = 0.6
_EDGE_PX = 2  # on the surface's grid: its edge in a picture is known only so exactly


@lru_cache(maxsize=1)
def _outlines() -> Outlines:
    return sample([_region(noun) for noun in HOLDERS]).coverage.reshape(len(HOLDERS), -1)


def _region(noun: str) -> Region:
    drawn = np.asarray(glyphs.sprite(noun, glyphs.PLAIN, "black", SURFACE_PX))
    return cut_out(drawn[..., 3] >= 128, drawn[..., :3])


def _fitted(noun: str, region: Region) -> Mask:
    """Scale the flat part of a holder's drawing to a region."""
    part = Image.fromarray(_flat(noun).view(np.uint8)).resize(region.mask.shape[::-1], Image.Resampling.NEAREST)
    return np.asarray(part).view(np.bool_)


@lru_cache(maxsize=len(HOLDERS))
def _flat(noun: str) -> Mask:
    """Find the flat part of a holder's drawing, a little within its edge."""
    whole = _region(noun)
    height, width = whole.mask.shape
    part = ndimage.binary_erosion(surface(noun), iterations=_EDGE_PX)
    return np.ascontiguousarray(part[whole.top : whole.top + height, whole.left : whole.left + width])


def _moved(piece: Region, holder: Region) -> Region:
    """Move a thing to its place in the picture, on white, as the holder shows through its holes."""
    pixels = np.where(piece.mask[..., None], piece.pixels, np.uint8(255))
    return Region(holder.left + piece.left, holder.top + piece.top, piece.mask, pixels)
