"""Segmentation: plain backgrounds, connected things, no specks."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from subitize.stimuli.segmentation import background, foreground, regions


def canvas(colour: tuple[int, int, int] = (255, 255, 255), side: int = 200) -> Image.Image:
    return Image.new("RGB", (side, side), colour)


@pytest.mark.parametrize(
    "colour", [(255, 255, 255), (235, 235, 235), (0, 0, 0), (30, 90, 200)], ids=["white", "grey", "black", "blue"]
)
def test_the_background_is_the_commonest_colour_of_the_border(colour: tuple[int, int, int]) -> None:
    image = canvas(colour)
    ImageDraw.Draw(image).rectangle((0, 20, 60, 90), fill=(200, 200, 20))
    low, high = background(np.asarray(image))
    assert low.tolist() == high.tolist() == list(colour)


@pytest.mark.parametrize("colour", [(255, 255, 255), (128, 128, 128), (0, 0, 0)], ids=["white", "grey", "black"])
def test_foreground_is_what_differs_in_any_channel_and_either_direction(colour: tuple[int, int, int]) -> None:
    pixels = np.full((1, 7, 3), colour, dtype=np.uint8)
    for place, change in enumerate([30, -30, 60, -60, 100, -100], start=1):
        pixels[0, place, place % 3] = np.clip(int(pixels[0, place, place % 3]) + change, 0, 255)
    change = np.abs(pixels.astype(int) - colour).max(axis=2)
    ground = (np.array(colour, dtype=np.uint8), np.array(colour, dtype=np.uint8))
    assert foreground(pixels, ground).tolist() == (change > 36).tolist()


def test_faint_stripes_are_background() -> None:
    image = canvas()
    draw = ImageDraw.Draw(image)
    for left in range(0, 200, 40):
        draw.rectangle((left, 0, left + 15, 199), fill=(212, 212, 212))
    assert not regions(np.asarray(image))
    draw.ellipse((50, 50, 100, 100), fill=(60, 120, 200))
    (region,) = regions(np.asarray(image))
    assert region.xyxy == (50.0, 50.0, 101.0, 101.0)


def test_a_plain_picture_has_no_regions() -> None:
    assert not regions(np.asarray(canvas((90, 120, 30))))


def test_a_region_knows_its_place_and_shape() -> None:
    image = canvas()
    ImageDraw.Draw(image).rectangle((30, 50, 69, 79), fill="red")
    (region,) = regions(np.asarray(image))
    assert region.xyxy == (30.0, 50.0, 70.0, 80.0)
    assert region.mask.shape == (30, 40)
    assert region.mask.all()


def test_things_whose_boxes_overlap_are_kept_apart() -> None:
    image = canvas()
    draw = ImageDraw.Draw(image)
    draw.polygon([(10, 10), (150, 10), (10, 150)], fill="red")
    draw.polygon([(180, 180), (180, 40), (40, 180)], fill="blue")
    assert [int(region.mask.sum()) for region in regions(np.asarray(image))] == pytest.approx([9900, 9900], rel=0.02)


def test_specks_are_no_things() -> None:
    image = canvas(side=1024)
    draw = ImageDraw.Draw(image)
    draw.ellipse((100, 100, 160, 160), fill="red")
    for place in range(200, 400, 20):
        draw.rectangle((place, place, place + 2, place + 2), fill="black")
    assert len(regions(np.asarray(image))) == 1


def test_what_is_inside_the_outline_of_a_thing_is_a_part_of_it() -> None:
    image = canvas()
    draw = ImageDraw.Draw(image)
    draw.ellipse((40, 40, 120, 120), outline="black", width=4)
    draw.ellipse((60, 70, 70, 80), fill="black")
    draw.ellipse((90, 70, 100, 80), fill="black")
    (region,) = regions(np.asarray(image))
    assert region.xyxy == (40.0, 40.0, 121.0, 121.0)


def test_what_stands_in_the_mouth_of_a_thing_is_another() -> None:
    image = canvas()
    draw = ImageDraw.Draw(image)
    draw.arc((40, 40, 120, 120), 45, 315, fill="black", width=6)
    draw.ellipse((75, 75, 85, 85), fill="black")
    assert len(regions(np.asarray(image))) == 2


def test_a_frame_around_the_picture_does_not_hide_what_is_in_it() -> None:
    image = canvas()
    draw = ImageDraw.Draw(image)
    draw.rectangle((10, 10, 190, 190), outline="black", width=3)
    draw.ellipse((60, 60, 80, 80), fill="red")
    draw.ellipse((110, 110, 140, 140), fill="red")
    assert len(regions(np.asarray(image))) == 3
