"""Colour names, as people use them."""

import numpy as np

from subitize.stats.boxes import Detections
from subitize.stimuli.colours import COLOUR_NAMES, colour_name, with_colours
from tests.cases import Case

NAMED = [  # CSS colours whose names say what they are, and everyday ones
    ("red", (255, 0, 0)),
    ("red", (139, 0, 0)),
    ("red", (220, 20, 60)),
    ("orange", (255, 165, 0)),
    ("orange", (255, 140, 0)),
    ("yellow", (255, 255, 0)),
    ("yellow", (255, 215, 0)),
    ("green", (0, 128, 0)),
    ("green", (154, 205, 50)),
    ("green", (0, 100, 0)),
    ("blue", (0, 0, 255)),
    ("blue", (135, 206, 235)),
    ("blue", (0, 0, 128)),
    ("purple", (128, 0, 128)),
    ("purple", (75, 0, 130)),
    ("purple", (186, 85, 211)),
    ("pink", (255, 192, 203)),
    ("pink", (255, 105, 180)),
    ("brown", (139, 69, 19)),
    ("brown", (165, 42, 42)),
    ("brown", (101, 67, 33)),
    ("black", (0, 0, 0)),
    ("black", (30, 30, 35)),
    ("white", (255, 255, 255)),
    ("white", (245, 245, 245)),
    ("grey", (128, 128, 128)),
    ("grey", (211, 211, 211)),
    ("grey", (80, 80, 80)),
]


def test_a_colour_has_the_name_that_people_give_it(case: Case) -> None:
    for name, rgb in NAMED:
        with case(f"{name} {rgb}"):
            assert colour_name(*rgb) == name


def test_every_colour_has_one_of_the_names() -> None:
    steps = range(0, 256, 15)
    assert {colour_name(r, g, b) for r in steps for g in steps for b in steps} == set(COLOUR_NAMES)


def test_a_thing_has_the_colour_of_what_its_mask_covers_or_of_the_middle_of_its_box() -> None:
    pixels = np.full((40, 60, 3), (0, 0, 255), np.uint8)
    pixels[5:15, 10:50] = (255, 0, 0)  # a stripe above the middle
    box, striped = [10.0, 5.0, 50.0, 35.0], np.zeros((32, 32), dtype=bool)
    striped[:10] = True
    nothing = np.zeros((32, 32), dtype=bool)
    assert with_colours(Detections.make([box], [0.5], ["x"]), pixels).colours == ("blue",)
    masked = Detections.make([box, box], [0.5, 0.4], ["x", "x"], [striped, nothing])
    assert with_colours(masked, pixels).colours == ("red", None)


def test_a_point_has_the_colour_of_its_pixel() -> None:
    pixels = np.full((4, 4, 3), (0, 0, 255), np.uint8)
    pixels[2, 1] = (255, 0, 0)
    points = Detections.make([[1.5, 2.5, 1.5, 2.5], [3.5, 0.0, 3.5, 0.0], [4.0, 4.0, 4.0, 4.0]], [1, 1, 1], ["x"] * 3)
    assert with_colours(points, pixels).colours == ("red", "blue", None)
