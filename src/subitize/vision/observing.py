"""The observer's eye: every thing in a picture, with its kind, its colour and where it is."""

from functools import lru_cache

from subitize.records import Box
from subitize.vision.pixels import Rgb, decode
from subitize.vision.recognition import recognise
from subitize.vision.segmentation import regions


@lru_cache(maxsize=8)  # a suite asks several questions about one picture, one after the other
def look_at(picture: bytes) -> tuple[Box, ...]:
    """Find and name the things in an encoded picture."""
    return observe(decode(picture))


def observe(pixels: Rgb) -> tuple[Box, ...]:
    """Find and name the things in a picture, from the top left to the bottom right.

    What looks like none of our drawings is labelled "unknown". The score is how well a thing fits its label: 1 if
    it looks just like a drawing, .5 on the limit to unknown.
    """
    found = regions(pixels)
    boxes = (
        Box(thing.kind, thing.score, region.xyxy, thing.colour)
        for region, thing in zip(found, recognise(found), strict=True)
    )
    return tuple(sorted(boxes, key=lambda box: (box.xyxy[1], box.xyxy[0])))
