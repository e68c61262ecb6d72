"""The observer's eye: every thing in a picture, with its kind, its colour and where it is."""

from subitize.records import Box
from subitize.vision.pixels import Rgb
from subitize.vision.recognition import recognise
from subitize.vision.segmentation import regions


def observe(pixels: Rgb) -> tuple[Box, ...]:
    """Find and name the things in a picture, from the top left to the bottom right.

    What is no dot and no apple is labelled "unknown". The score is how well a thing fits its label: 1 in
    every respect, .5 on the limit in one.
    """
    found = regions(pixels)
    boxes = (
        Box(thing.kind, thing.score, region.xyxy, thing.colour)
        for region, thing in zip(found, recognise(found), strict=True)
    )
    return tuple(sorted(boxes, key=lambda box: (box.xyxy[1], box.xyxy[0])))
