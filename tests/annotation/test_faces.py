"""How many faces the detectors of OpenCV find, on photographs whose faces are known: as docs/annotating.md says it."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.annotation.screening import FaceFinder
from subitize.io.images import Rgb
from tests.cases import Case

pytestmark = [pytest.mark.detect, pytest.mark.slow]

Square = tuple[float, float, float]
"""Left, top and side."""
SIDE = 5  # faces along each side of a collage
ASTRONAUT: Square = (177, 67, 93)
FACELESS = (
    *("brick", "cell", "chelsea", "checkerboard", "clock", "coffee", "coins", "colorwheel", "grass", "gravel", "horse"),
    *("hubble_deep_field", "immunohistochemistry", "logo", "microaneurysms", "moon", "page", "retina", "rocket"),
    *("shepp_logan_phantom", "text"),
)
TOLERANCE = 3  # of another version of OpenCV


def find_at(finder: FaceFinder, picture: Rgb, places: list[Square]) -> list[bool]:
    """Tell of each place whether a face is found there."""
    centres = [(left + width / 2, top + height / 2) for left, top, width, height in finder.find(picture)]
    return [any(left < x < left + side and top < y < top + side for x, y in centres) for left, top, side in places]


def paste(crops: Any, width: int) -> tuple[Rgb, list[Square]]:  # noqa: ANN401
    """Paste square photographs on grey, and tell where each is."""
    step, places = width * 3 // 2, list[Square]()
    collage = Image.new("RGB", (SIDE * step, SIDE * step), (128, 128, 128))
    for number, crop in enumerate(crops):
        left, top = (step * place + width // 4 for place in (number % SIDE, number // SIDE))
        small = Image.fromarray((crop * 255).astype(np.uint8)).convert("RGB")
        collage.paste(small.resize((width, width), Image.Resampling.BICUBIC), (left, top))
        places.append((left, top, width))
    return np.asarray(collage), places


@pytest.mark.proof("subitize.annotation.screening")
def test_of_a_hundred_faces_as_many_are_found_as_the_documentation_says(case: Case) -> None:
    import skimage.data

    told = (Path(__file__).parents[2] / "docs" / "annotating.md").read_text("utf-8")
    widths, found = (
        [int(cell) for cell in line.split("|")[2:-1]]
        for line in re.findall(r"^\| (?:width of the face|found of 100).*$", told, re.M)
    )
    assert len(widths) == len(found) == 6
    crops, finder = skimage.data.lfw_subset(), FaceFinder()  # a hundred faces, then a hundred pieces without one
    for width, expected in zip(widths, found, strict=True):
        pasted = [paste(crops[start : start + SIDE**2], width) for start in range(0, len(crops), SIDE**2)]
        seen = [is_face for picture, places in pasted for is_face in find_at(finder, picture, places)]
        with case(width):
            assert sum(seen[:100]) == pytest.approx(expected, abs=TOLERANCE)
            assert sum(seen[100:]) <= TOLERANCE


def test_of_25_faces_most_are_found_and_of_25_pieces_without_one_hardly_any() -> None:
    import skimage.data

    crops, finder = skimage.data.lfw_subset(), FaceFinder()
    faces, pieces = (find_at(finder, *paste(crops[start : start + SIDE**2], 64)) for start in (0, 100))
    assert sum(faces) >= 20
    assert sum(pieces) <= 1


def test_a_face_is_found_unless_it_is_small_turned_or_covered(case: Case) -> None:
    import skimage.data

    pixels, finder = skimage.data.astronaut(), FaceFinder()
    whole = Image.fromarray(pixels)
    for height, is_found in {512: True, 256: True, 128: False}.items():
        small = Image.new("RGB", (512, 512), (128, 128, 128))
        small.paste(whole.resize((height, height), Image.Resampling.LANCZOS))
        left, top, side = (one * height / 512 for one in ASTRONAUT)
        with case(f"{side:.0f} pixels"):
            assert find_at(finder, np.asarray(small), [(left, top, side)]) == [is_found]
    for angle, is_found in {20: True, 90: False, 180: False}.items():
        turned = whole.rotate(angle, Image.Resampling.BICUBIC, center=(223, 113))
        with case(f"turned by {angle}"):
            assert find_at(finder, np.asarray(turned), [ASTRONAUT]) == [is_found]
    for name, part in {"mouth": np.s_[113:165, 170:280], "eyes": np.s_[85:110, 170:280]}.items():
        covered = pixels.copy()
        covered[part] = 40
        with case(f"{name} covered"):
            assert find_at(finder, covered, [ASTRONAUT]) == [False]


@pytest.mark.proof("subitize.annotation.screening")
def test_some_pictures_without_a_face_are_taken_for_one() -> None:
    import skimage.data

    finder = FaceFinder()
    pictures = [np.asarray(Image.fromarray(getattr(skimage.data, name)()).convert("RGB")) for name in FACELESS]
    assert sum(bool(finder.find(picture)) for picture in pictures) == pytest.approx(6, abs=TOLERANCE)
