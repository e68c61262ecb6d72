"""Colour names, as people use them."""

from cases import Case
from subitize.vision.colours import COLOUR_NAMES, colour_name

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
