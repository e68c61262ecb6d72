"""Faces in pictures: found by the classical detectors that come with OpenCV, and blurred beyond recognition.

They are made for faces that look into the camera or to a side; they find some things that are none, and miss faces that
are small, turned or covered. docs/annotating.md says how many, as tests/annotation/test_faces.py measures it.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import MissingPartError
from subitize.io.images import Rgb

Face = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""
HAS_FACES = "shows faces"
"""Why a picture is held back in which any were found."""
MAY_BE_MISSED = "faces may be missed, above all small, turned and covered ones: look yourself before you publish"
_CASCADES = ("haarcascade_frontalface_default.xml", "haarcascade_profileface.xml")
_LARGEST_PX = 800  # of the picture that is looked through: a larger one is made smaller first
_SMALLEST_SHARE, _SMALLEST_PX = 0.03, 24
_NEIGHBOURS = 3  # a face that is missed is worse than a thing that is taken for one
_MARGIN = 0.25  # of a face's width and height: hair and chin show who it is, too
_CELLS = 4  # along each side of a blurred face


class FaceFinder:
    """Looks for faces, from the front and from both sides."""

    def __init__(self) -> None:
        if find_spec("cv2") is None:
            raise MissingPartError("looking for faces", "OpenCV", "detect")
        import cv2.data

        self._detectors = [cv2.CascadeClassifier(str(Path(cv2.data.haarcascades) / name)) for name in _CASCADES]

    def find(self, picture: Rgb) -> list[Face]:
        """Find the faces in a picture; one that several detectors see is listed by each."""
        import cv2

        scale = min(1.0, _LARGEST_PX / max(picture.shape[:2]))
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
        grey = cv2.equalizeHist(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))
        front, profile = self._detectors
        width = grey.shape[1]
        mirrored = _detect(profile, np.ascontiguousarray(grey[:, ::-1]))
        found = [*_detect(front, grey), *_detect(profile, grey)]
        found += [(width - left - wide, top, wide, high) for left, top, wide, high in mirrored]
        return [(round(x / scale), round(y / scale), round(w / scale), round(h / scale)) for x, y, w, h in found]


def _detect(detector: Any, grey: NDArray[np.uint8]) -> list[Face]:  # noqa: ANN401
    smallest = max(_SMALLEST_PX, int(_SMALLEST_SHARE * min(grey.shape)))
    seen = detector.detectMultiScale(grey, scaleFactor=1.1, minNeighbors=_NEIGHBOURS, minSize=(smallest, smallest))
    return [(int(left), int(top), int(wide), int(high)) for left, top, wide, high in seen]


def blur_faces(picture: Rgb, faces: Sequence[Face]) -> Rgb:
    """Put a few cells of mean colour in the place of each face."""
    blurred = picture.copy()
    for left, top, wide, high in faces:
        x, y = max(0, left - round(_MARGIN * wide)), max(0, top - round(_MARGIN * high))
        right, bottom = left + wide + round(_MARGIN * wide), top + high + round(_MARGIN * high)
        _blur(blurred[y:bottom, x:right])
    return blurred


def _blur(area: Rgb) -> None:
    for rows in np.array_split(np.arange(area.shape[0]), _CELLS):
        for columns in np.array_split(np.arange(area.shape[1]), _CELLS):
            if rows.size and columns.size:
                cell = area[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
                cell[:] = cell.mean(axis=(0, 1)).astype(np.uint8)
