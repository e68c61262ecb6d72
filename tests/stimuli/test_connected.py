"""What hangs together is told as scipy tells it, number by number."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from subitize.stimuli.segmentation import find_connected

SIDES, CORNERS = ndimage.generate_binary_structure(2, 1), ndimage.generate_binary_structure(2, 2)
Mask = NDArray[np.bool_]


def random_masks(count: int) -> list[Mask]:
    random = np.random.default_rng(0)
    return [random.random(random.integers(1, 14, 2)) < random.random() for _ in range(count)]


def spiral(side: int) -> Mask:
    mask = np.zeros((side, side), dtype=np.bool_)
    for inset in range(0, side // 2, 2):
        rest = slice(inset, side - inset)
        mask[inset, rest] = mask[rest, side - 1 - inset] = mask[side - 1 - inset, rest] = True
        mask[inset + 2 : side - inset, inset] = mask[inset + 2, inset : inset + 3] = True
    return mask


MASKS = (*random_masks(400), spiral(63), np.ones((3, 4), dtype=np.bool_), np.zeros((3, 4), dtype=np.bool_))


@pytest.mark.parametrize("is_diagonal", [False, True], ids=["by sides", "also by corners"])
def test_pieces_are_numbered_as_by_scipy(is_diagonal: bool) -> None:
    for mask in MASKS:
        expected, _ = ndimage.label(mask, structure=CORNERS if is_diagonal else SIDES)
        np.testing.assert_array_equal(find_connected(mask, is_diagonal=is_diagonal).labels, expected)


def test_boxes_are_those_of_scipy_around_pieces_that_are_large_enough() -> None:
    for mask in MASKS:
        labels, _ = ndimage.label(mask)
        boxes = enumerate(ndimage.find_objects(labels), start=1)
        expected = [(number, *box) for number, box in boxes if np.count_nonzero(labels == number) >= 3]
        assert find_connected(mask).at_least(3) == expected


def test_masks_in_a_stack_do_not_touch_each_other() -> None:
    masks = np.random.default_rng(0).random((20, 9, 8)) < 0.6
    within = np.zeros((3, 3, 3), dtype=np.bool_)
    within[1] = SIDES
    expected, _ = ndimage.label(masks, structure=within)
    np.testing.assert_array_equal(find_connected(masks).labels, expected)
