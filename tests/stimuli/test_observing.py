"""The observer: how many, of what, in what colour, and what it does not know."""

import io
import math
from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from subitize.io.images import decode
from subitize.records import Box, Stimulus
from subitize.stimuli import recipes
from subitize.stimuli.observing import see
from tests.cases import Case
from tests.stimuli.true_boxes import true_boxes

FIRST_SEED = 70_000
proof = pytest.mark.proof("subitize.stimuli")
Distortion = Callable[[recipes.Layout], Image.Image]
Points = list[tuple[float, float]]


def jpeg(image: Image.Image) -> Image.Image:
    written = io.BytesIO()
    image.save(written, "JPEG", quality=85)
    return Image.open(written).convert("RGB")


def turn_hue(image: Image.Image, steps: int) -> Image.Image:
    hue, strength, value = image.convert("HSV").split()
    turned = hue.point(lambda level: (level + steps) % 256)
    return Image.merge("HSV", (turned, strength, value)).convert("RGB")


def shrink(image: Image.Image) -> Image.Image:
    return image.resize((image.width * 3 // 4, image.height * 3 // 4), Image.Resampling.BICUBIC)


@lru_cache(maxsize=20)
def paint(plan: recipes.Layout, ground: int = 255) -> Image.Image:
    return recipes.paint(plan, (ground, ground, ground))


DISTORTIONS: dict[str, Distortion] = {
    "none": paint,
    "JPEG 85": lambda plan: jpeg(paint(plan)),
    "three quarters": lambda plan: shrink(paint(plan)),
    "hue + 80": lambda plan: turn_hue(paint(plan), 80),
    "grey ground": lambda plan: paint(plan, 235),
    "all at once": lambda plan: jpeg(shrink(turn_hue(paint(plan, 235), 160))),
}


def shares_right(category: str, numbers: range, distortion: Distortion, size_px: int) -> tuple[float, float]:
    """The share of pictures whose number is right, and of those that have the right kinds, each as often as it is."""
    counted, kinds = [], []
    for index, number in enumerate(numbers):
        plan = recipes.layout(Stimulus(category, number, FIRST_SEED + index, size_px))
        boxes = see(np.asarray(distortion(plan))).boxes()
        counted.append(len(boxes) == number)
        kinds.append(Counter(box.label for box in boxes) == Counter(item.noun for item in plan.items))
    return float(np.mean(counted)), float(np.mean(kinds))


Shown = list[tuple[str, str]]
SOME_SHOWN: Shown = list(zip([*recipes.CATEGORIES, "apples"], DISTORTIONS, strict=True))


@pytest.mark.parametrize(
    ("shown", "numbers", "size_px"),
    [
        pytest.param(SOME_SHOWN, range(3, 11, 6), 512, id="some"),
        pytest.param(list(product(recipes.CATEGORIES, DISTORTIONS)), range(1, 11), 1024, id="all", marks=proof),
    ],
)
def test_of_1_to_10_things_number_and_kind_are_right_in_every_picture(
    shown: Shown, numbers: range, size_px: int, case: Case
) -> None:
    for category, distortion in shown:
        with case(f"{category}, {distortion}"):
            assert shares_right(category, numbers, DISTORTIONS[distortion], size_px) == (1, 1)


@pytest.mark.parametrize(
    ("shown", "numbers"),
    [
        pytest.param([("people", "none"), ("butterflies", "all at once")], range(40, 41), id="some"),
        pytest.param(
            list(product(recipes.CATEGORIES, ["none", "all at once"])), range(11, 101, 29), id="all", marks=proof
        ),
    ],
)
def test_of_11_to_100_things_number_and_nearly_every_kind_are_right(shown: Shown, numbers: range, case: Case) -> None:
    for category, distortion in shown:
        with case(f"{category}, {distortion}"):
            counted, kinds = shares_right(category, numbers, DISTORTIONS[distortion], 1024)
            assert counted == 1
            assert kinds >= 0.99


@pytest.mark.parametrize(
    "categories", [pytest.param(["dots"], id="some"), pytest.param(list(recipes.CATEGORIES), id="all", marks=proof)]
)
def test_200_things_are_counted(categories: list[str], case: Case) -> None:
    for category in categories:
        with case(category):
            assert shares_right(category, range(200, 201), paint, 1024)[0] == 1


@pytest.mark.parametrize(
    ("seeds", "size_px"), [pytest.param(1, 512, id="some"), pytest.param(5, 1024, id="all", marks=proof)]
)
def test_boxes_and_colours_are_those_of_the_things(seeds: int, size_px: int, case: Case) -> None:
    for category, seed in product(recipes.CATEGORIES, range(seeds)):
        with case(f"{category} {seed}"):
            stimulus = Stimulus(category, 10, seed, size_px)
            found = see(decode(recipes.render(stimulus).png)).boxes()
            pairs = [(true, min(found, key=partial(farthest, true))) for true in true_boxes(stimulus)]
            assert all(farthest(true, seen) <= 1 for true, seen in pairs)
            assert all((true.label, true.colour) == (seen.label, seen.colour) for true, seen in pairs)


def farthest(one: Box, other: Box) -> float:
    return max(abs(a - b) for a, b in zip(one.xyxy, other.xyxy, strict=True))


def test_boxes_are_ordered_from_the_top_left_to_the_bottom_right() -> None:
    boxes = see(np.asarray(recipes.paint(recipes.layout(Stimulus("dots", 30, 3))))).boxes()
    places = [(box.xyxy[1], box.xyxy[0]) for box in boxes]
    assert places == sorted(places)


def regular(corners: int, inner: float = 1.0) -> Points:
    count = corners if inner == 1 else 2 * corners
    radii = [1.0, inner]
    turns = [2 * math.pi * k / count - math.pi / 2 for k in range(count)]
    return [(radii[k % 2] * math.cos(turn), radii[k % 2] * math.sin(turn)) for k, turn in enumerate(turns)]


def cross(half_width: float) -> Points:
    w = half_width
    return [(-w, -1), (w, -1), (w, -w), (1, -w), (1, w), (w, w), (w, 1), (-w, 1), (-w, w), (-1, w), (-1, -w), (-w, -w)]


def heart() -> Points:
    turns = np.linspace(0, 2 * np.pi, 80)
    across = np.sin(turns) ** 3
    down = -(13 * np.cos(turns) - 5 * np.cos(2 * turns) - 2 * np.cos(3 * turns) - np.cos(4 * turns)) / 16
    return list(zip(across.tolist(), down.tolist(), strict=True))


POLYGONS: dict[str, Points] = {
    "square": regular(4),
    "oblong": [(-1, -0.6), (1, -0.6), (1, 0.6), (-1, 0.6)],
    "pentagon": regular(5),
    "hexagon": regular(6),
    "blunt star": regular(8, 0.75),
    "cross": cross(0.33),
    "thick cross": cross(0.5),
    "heart": heart(),
}
CURVED = ["ring", "crescent", "half moon", "ellipse", "dumbbell", "letter O", "letter B", "digit 8"]


def draw_curved(draw: ImageDraw.ImageDraw, name: str, radius: float, turn: float) -> None:
    def disc(x: float, y: float, r: float, fill: str = "red") -> None:
        draw.ellipse((256 + x - r, 256 + y - r, 256 + x + r, 256 + y + r), fill=fill)

    match name:
        case "ring":
            disc(0, 0, radius)
            disc(0, 0, radius * 0.6, "white")
        case "crescent":
            disc(0, 0, radius)
            disc(radius * 0.5 * math.cos(turn), radius * 0.5 * math.sin(turn), radius * 0.9, "white")
        case "half moon":
            box = (256 - radius, 256 - radius, 256 + radius, 256 + radius)
            draw.pieslice(box, math.degrees(turn), math.degrees(turn) + 180, fill="red")
        case "ellipse":
            draw.ellipse((256 - radius, 256 - 0.75 * radius, 256 + radius, 256 + 0.75 * radius), fill="red")
        case "dumbbell":
            disc(-radius / 2, 0, radius * 0.52)
            disc(radius / 2, 0, radius * 0.52)
        case _:
            draw.text((256, 256), name[-1], fill="red", font_size=2 * radius, anchor="mm")


def shape(name: str, radius: float, turn: float) -> NDArray[np.uint8]:
    image = Image.new("RGB", (512, 512), "white")
    draw = ImageDraw.Draw(image)
    if name in POLYGONS:
        c, s = math.cos(turn), math.sin(turn)
        draw.polygon(
            [(256 + radius * (x * c - y * s), 256 + radius * (x * s + y * c)) for x, y in POLYGONS[name]], "red"
        )
    else:
        draw_curved(draw, name, radius, turn)
    return np.asarray(image.resize((256, 256), Image.Resampling.BOX))


@pytest.mark.slow
@pytest.mark.parametrize(
    "steps", [pytest.param(range(7, 50, 40), id="some"), pytest.param(range(50), id="all", marks=proof)]
)
def test_what_we_never_drew_is_called_unknown_at_least_98_times_in_100(steps: range, case: Case) -> None:
    for name in [*POLYGONS, *CURVED]:
        with case(name):
            radii = [(32 + 4 * step, step * 0.37 if step % 2 else 0.0) for step in steps]
            labels = [box.label for radius, turn in radii for box in see(shape(name, radius, turn)).boxes()]
            assert labels.count("unknown") >= 0.98 * len(labels) >= 0.98 * len(steps)


def test_a_disc_drawn_elsewhere_is_a_dot() -> None:
    image = Image.new("RGB", (600, 400), (240, 240, 240))
    ImageDraw.Draw(image).ellipse((100, 100, 220, 220), fill=(20, 60, 200))
    (box,) = see(np.asarray(image)).boxes()
    assert (box.label, box.colour, box.xyxy) == ("dot", "blue", (100, 100, 221, 221))
    assert box.score > 0.6


def test_a_triangle_drawn_elsewhere_is_a_triangle() -> None:
    image = Image.new("RGB", (400, 400), "white")
    ImageDraw.Draw(image).polygon([(200, 100), (300, 273), (100, 273)], fill=(20, 150, 60))
    (box,) = see(np.asarray(image)).boxes()
    assert (box.label, box.colour) == ("triangle", "green")


@pytest.mark.parametrize(
    "pixels",
    [
        pytest.param(np.full((1, 1, 3), 9, dtype=np.uint8), id="one pixel"),
        pytest.param(np.full((300, 200, 3), 255, dtype=np.uint8), id="blank"),
    ],
)
def test_where_there_is_nothing_nothing_is_seen(pixels: NDArray[np.uint8]) -> None:
    assert see(pixels).boxes() == ()


@pytest.mark.slow  # a new machine learns for seconds what parts look like
def test_lines_of_one_pixel_are_unknown_things() -> None:
    image = Image.new("RGB", (1000, 1000), "white")
    draw = ImageDraw.Draw(image)
    draw.line((3, 3, 980, 990), fill="red")
    draw.line((500, 20, 500, 300), fill="blue")
    draw.line((600, 20, 900, 20), fill="green")
    assert [(box.label, box.colour) for box in see(np.asarray(image)).boxes()] == [
        ("unknown", "red"),
        ("unknown", "blue"),
        ("unknown", "green"),
    ]
