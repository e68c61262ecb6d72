"""A detector that an outside package brings; docs/detectors.md shows it."""

from collections.abc import Sequence

import numpy as np
from scipy import ndimage

from subitize.io.images import Rgb
from subitize.networks.detectors.detector import Detector
from subitize.stats.boxes import Detections


class Spots(Detector):
    """Count spots darker than the brightest ground, whatever they are.

    Args:
        darkness: by how many of 255 levels a spot is darker
    """

    name, threshold, iou = "spots", 0.5, 1.0
    is_open_vocabulary = True

    def __init__(self, *, darkness: int = 60) -> None:
        self._darkness = darkness

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find all spots for each noun."""
        return [self._find(picture.mean(axis=2), nouns) for picture in pictures]

    def _find(self, grey: np.ndarray, nouns: Sequence[str]) -> Detections:
        spots, _ = ndimage.label(grey < grey.max() - self._darkness)
        corners = [(x.start, y.start, x.stop, y.stop) for y, x in ndimage.find_objects(spots)]
        labels = [noun for noun in nouns for _ in corners]
        return Detections.make(corners * len(nouns), np.ones(len(labels)), labels)
