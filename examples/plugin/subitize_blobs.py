"""A model for subitize: it counts what stands apart from the ground of a picture, whatever it is."""

import io

import numpy as np
from PIL import Image
from scipy import ndimage

from subitize.interfaces import Model, Reply, Request
from subitize.records import Said


class Blobs(Model):
    """Count connected spots that differ from the colour of the picture's corner.

    Args:
        least_px: how many pixels a spot has at least
    """

    tasks = frozenset({"answer"})

    def __init__(self, *, least_px: int = 20) -> None:
        self._least_px = least_px

    def compute(self, request: Request, /) -> Reply:
        """Answer a question about a picture; subitize spreads the calls over the processor's cores."""
        pixels = np.asarray(Image.open(io.BytesIO(request.picture())).convert("RGB"), dtype=np.int16)
        is_thing = np.abs(pixels - pixels[0, 0]).max(axis=2) > 40
        spots, _ = ndimage.label(is_thing)
        sizes = np.bincount(spots.ravel())[1:]
        return Reply(Said(str(np.count_nonzero(sizes >= self._least_px))), request.provenance())
