"""What a thing looks like in numbers that depend neither on its size nor on its hue.

A region's appearance is three small pictures: how much of each cell the filled outline covers; how much lighter or
darker the cell is than the body, the middle colour of the whole; and how much it differs from it in colour.
Turning every hue of a picture leaves lightness (the strongest channel) as it is, and differences very nearly.
"""

import numpy as np
from numpy.typing import NDArray

from subitize.vision.sampling import COLOUR_STEP, Samples, erode, middle_colours, pool
from subitize.vision.segmentation import Mask

Appearances = NDArray[np.float32]
Colours = NDArray[np.uint8]


def describe(samples: Samples, bodies: Colours) -> Appearances:
    """Describe every sampled region in one row; the distance of two rows tells how unlike two things look.

    The bodies are one colour per region, or one per cell of it.
    """
    is_thing = samples.within[:, ::COLOUR_STEP, ::COLOUR_STEP]
    red, green, blue = np.moveaxis(samples.colours, 3, 0).astype(np.float32) / 255
    per_cell = bodies if bodies.ndim == 4 else bodies[:, None, None, :]
    body = np.moveaxis(per_cell, 3, 0).astype(np.float32) / 255
    lighter = np.maximum(np.maximum(red, green), blue) - body.max(axis=0)
    difference = np.sqrt((red - body[0]) ** 2 + (green - body[1]) ** 2 + (blue - body[2]) ** 2)
    pictures = (
        samples.coverage,
        pool(np.tanh(lighter * _STEEPNESS) * is_thing, _INNER_CELLS) * _INNER_WEIGHT,
        pool(np.tanh(difference * _STEEPNESS) * is_thing, _INNER_CELLS) * _INNER_WEIGHT,
    )
    return np.concatenate([picture.reshape(len(picture), -1) for picture in pictures], axis=1)


def body_colours(samples: Samples) -> Colours:
    """Take the middle colour well inside the outline, or anywhere inside if it is thin throughout."""
    anywhere = samples.within[:, ::COLOUR_STEP, ::COLOUR_STEP]
    return _middle_of(samples, _inside(samples), anywhere)


def half_bodies(samples: Samples, is_second: Mask) -> Colours:
    """Take for every cell the middle colour of its own half."""
    inside, anywhere = _inside(samples), samples.within[:, ::COLOUR_STEP, ::COLOUR_STEP]
    first, second = (_middle_of(samples, inside & half, anywhere & half) for half in (~is_second, is_second))
    return np.where(is_second[..., None], second[:, None, None, :], first[:, None, None, :])


_INNER_CELLS = 8  # what is inside blurs first, in small things and by compression
_INNER_WEIGHT = np.float32(1.3)  # a balloon on its string is no lollipop
_EDGE = 5
_FEWEST_CELLS = 8
_STEEPNESS = np.float32(3)  # a difference of a third of the scale is about as good as the whole of it


def _inside(samples: Samples) -> Mask:
    return erode(samples.within, _EDGE)[:, ::COLOUR_STEP, ::COLOUR_STEP]


def _middle_of(samples: Samples, inside: Mask, anywhere: Mask) -> Colours:
    is_thin = np.count_nonzero(inside, axis=(1, 2)) < _FEWEST_CELLS
    chosen = np.where(is_thin[:, None, None], anywhere, inside)
    chosen[~chosen.any(axis=(1, 2))] = True  # a line so thin that it falls between the lines of the grid
    return middle_colours(samples.colours, chosen)
