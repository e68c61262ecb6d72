"""Collages show what they say, and a real network counts it."""

import numpy as np
import pytest

from subitize.errors import MissingPartError
from subitize.networks import collages
from subitize.networks.collages import PHOTO_NOUNS, Collage, make_collage
from subitize.networks.detectors.detector import Detector
from subitize.networks.detectors.opencv import Ssd, Yolo
from tests.networks.coco_network import ssd_folder, yolo_folder

HELD_OUT_SEED = 424_242
"""No threshold and no bar was chosen with these collages."""


@pytest.mark.detect
def test_a_seed_makes_the_same_collage_again_and_another_seed_another() -> None:
    nouns = ("cat", "cup", "cat")
    assert np.array_equal(make_collage(nouns, 5).pixels, make_collage(nouns, 5).pixels)
    assert not np.array_equal(make_collage(nouns, 5).pixels, make_collage(nouns, 6).pixels)


@pytest.mark.detect
def test_a_collage_says_how_many_of_each_it_shows() -> None:
    collage = make_collage(("cat", "cup", "cat"), 1)
    assert collage.counts == {"cat": 2, "cup": 1}
    assert collage.pixels.shape == (540, 720, 3)
    assert collage.pixels.dtype == np.uint8


@pytest.mark.detect
def test_a_collage_says_where_its_photographs_lie_and_leaves_cells_empty() -> None:
    collage = make_collage(("cat", "cup"), 1, cells=6)
    ground = collage.pixels[0, 0]
    is_covered = np.zeros(collage.pixels.shape[:2], dtype=bool)
    for one in collage.pasted:
        left, top, right, bottom = one.xyxy
        assert one.holds((left + right) / 2, (top + bottom) / 2)
        assert not one.holds(left - 1, top)
        assert 0.7 * 240 < right - left <= 240
        assert bottom - top <= 270
        is_covered[top:bottom, left:right] = True
    assert [one.noun for one in collage.pasted] == ["cat", "cup"]
    assert (collage.pixels[~is_covered] == ground).all()
    assert not (collage.pixels[is_covered] == ground).all(axis=1).mean() > 0.1


@pytest.mark.detect
@pytest.mark.parametrize("number", range(1, 7))
def test_photographs_lie_on_ground_of_one_colour_and_leave_some_of_it(number: int) -> None:
    pixels = make_collage(("person",) * number, number).pixels
    _, counts = np.unique(pixels.astype(np.uint32) @ (1, 256, 65_536), return_counts=True)
    assert 0.05 < counts.max() / counts.sum() < 0.8


def test_without_scikit_image_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collages, "find_spec", lambda name: None)
    collages._photograph.cache_clear()
    with pytest.raises(MissingPartError, match=r"needs scikit-image; run: pip install 'subitize\[detect\]'"):
        make_collage(("cat",), 1)


@pytest.mark.weights
@pytest.mark.proof("subitize.networks.detectors")
def test_yolo_counts_three_quarters_of_sixty_collages_exactly() -> None:
    assert _exact(Yolo(str(yolo_folder())), 0.4) >= 0.75


@pytest.mark.weights
@pytest.mark.proof("subitize.networks.detectors")
def test_ssd_counts_seven_in_ten_of_sixty_collages_exactly() -> None:
    assert _exact(Ssd(str(ssd_folder())), 0.3) >= 0.7


def _exact(detector: Detector, threshold: float) -> float:
    """Count one to six things in each of sixty collages, and give the share of counts that are right."""
    shown = [
        make_collage((PHOTO_NOUNS[index % 4],) * (1 + index // 4 % 6), HELD_OUT_SEED + index) for index in range(60)
    ]
    return float(np.mean([_is_counted(detector, collage, threshold) for collage in shown]))


def _is_counted(detector: Detector, collage: Collage, threshold: float) -> bool:
    ((noun, there),) = collage.counts.items()
    (found,) = detector.detect([collage.pixels], [noun], 0.05)
    return len(found.above(threshold).suppressed(0.45)) == there
