"""Stimuli: the same recipe, the same bytes; the number asked for; magnitudes as drawn."""

import io
import os
import subprocess
import sys
from functools import lru_cache
from hashlib import sha256
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from subitize.errors import BadValueError, UnknownNameError
from subitize.records import Control, Magnitude, Stimulus
from subitize.stimuli import recipes as stimuli
from subitize.stimuli.placement import gap_px
from subitize.stimuli.recipes import BACKGROUNDS
from tests.cases import Case
from tests.stimuli.true_boxes import true_boxes

NUMBERS = (1, 2, 7, 30, 200)
SOME = [
    Stimulus(category, number, seed, 512)
    for seed, (category, number) in enumerate(zip(stimuli.CATEGORIES, NUMBERS, strict=True))
]
ALL = [Stimulus(category, number, seed) for seed, number in enumerate(NUMBERS) for category in stimuli.CATEGORIES]
proof = pytest.mark.proof("subitize.stimuli")
some_and_all = pytest.mark.parametrize(
    "sample", [pytest.param(SOME, id="some"), pytest.param(ALL, id="all", marks=proof)]
)

SCATTERED = [name for name, category in stimuli.CATEGORIES.items() if not category.is_array]


@lru_cache
def rendered(stimulus: Stimulus) -> stimuli.Rendered:
    return stimuli.render(stimulus)


@lru_cache
def opacity(stimulus: Stimulus) -> NDArray[np.float64]:
    """How much of each pixel is covered: what black shows through by, against what white does."""
    plan = stimuli.layout(stimulus)
    on_white = np.asarray(stimuli.paint(plan, (255, 255, 255)), dtype=np.float64)
    on_black = np.asarray(stimuli.paint(plan, (0, 0, 0)), dtype=np.float64)
    return np.asarray(1 - (on_white - on_black).mean(axis=2) / 255)


@lru_cache
def drawn(stimulus: Stimulus) -> NDArray[np.bool_]:
    return np.asarray((np.asarray(Image.open(io.BytesIO(rendered(stimulus).png))) != 255).any(axis=2))


def hull_area(mask: NDArray[np.bool_]) -> float:
    """Andrew's monotone chain over the corners of each row's first and last pixel, and the shoelace formula."""
    rows = np.flatnonzero(mask.any(axis=1))
    firsts, ends = mask[rows].argmax(axis=1), mask.shape[1] - mask[rows, ::-1].argmax(axis=1)
    sides = zip(rows.tolist(), firsts.tolist(), ends.tolist(), strict=True)
    corners = sorted({(x, y) for row, first, end in sides for x in (first, end) for y in (row, row + 1)})
    chain: list[tuple[int, int]] = []
    for points in (corners, corners[::-1]):
        start = len(chain)
        for x, y in points:
            while len(chain) >= start + 2:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        chain.pop()
    return sum(ax * by - ay * bx for (ax, ay), (bx, by) in zip(chain, chain[1:] + chain[:1], strict=True)) / 2


@pytest.mark.slow
def test_the_same_recipe_gives_the_same_bytes_in_another_process_and_order() -> None:
    script = (
        "from hashlib import sha256; from subitize.stimuli.recipes import CATEGORIES, render;"
        "from subitize.records import Stimulus;"
        "recipes = [Stimulus(category, number, 5, 256) for category in CATEGORIES for number in (4, 60)];"
        "print(*[sha256(render(recipe).png).hexdigest() for recipe in reversed(recipes)])"
    )
    recipes = [Stimulus(category, number, 5, 256) for category in stimuli.CATEGORIES for number in (4, 60)]
    here = [sha256(stimuli.render(recipe).png).hexdigest() for recipe in recipes]
    environment = os.environ | {"PYTHONHASHSEED": "4711"}
    there = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert there.stdout.split() == here[::-1]


def test_every_part_of_the_recipe_changes_the_picture() -> None:
    recipes = [
        Stimulus("dots", 3, 0),
        Stimulus("dots", 3, 1),
        Stimulus("dots", 4, 0),
        Stimulus("dots", 3, 0, 512),
        Stimulus("dots", 3, 0, control=Control("hull", 3)),
        Stimulus("dots", 3, 0, control=Control("hull", 4)),
        Stimulus("dots", 3, 0, overlap=0.2),
    ]
    layouts = {tuple((item.left, item.top) for item in stimuli.layout(recipe).items) for recipe in recipes}
    assert len(layouts) == len(recipes)


def test_rendering_neither_reads_nor_changes_global_randomness() -> None:
    np.random.seed(3)
    expected = np.random.random()
    np.random.seed(3)
    stimuli.render(Stimulus("apples", 3, 1))
    assert np.random.random() == expected


@some_and_all
def test_as_many_separate_shapes_are_drawn_as_the_recipe_says(sample: list[Stimulus], case: Case) -> None:
    for stimulus in sample:
        with case(stimulus):
            assert shapes(drawn(stimulus)) == stimulus.number


def shapes(mask: NDArray[np.bool_]) -> int:
    return int(ndimage.label(mask, structure=np.ones((3, 3)))[1])


@some_and_all
def test_shapes_stay_off_the_border_and_apart(sample: list[Stimulus], case: Case) -> None:
    for stimulus in sample:
        with case(stimulus):
            differs = drawn(stimulus)
            assert differs[3:-3, 3:-3].sum() == differs.sum()
            wider = ndimage.binary_dilation(differs, iterations=gap_px(stimulus.size_px) // 4)
            assert shapes(wider) == stimulus.number


@some_and_all
def test_areas_are_what_is_drawn(sample: list[Stimulus], case: Case) -> None:
    for stimulus in sample:
        with case(stimulus):
            magnitudes = rendered(stimulus).magnitudes
            area = opacity(stimulus).sum()
            assert magnitudes.number == stimulus.number
            assert magnitudes.total_area_px == pytest.approx(area, abs=3 + 1e-4 * area)
            assert magnitudes.mean_item_area_px == pytest.approx(magnitudes.total_area_px / stimulus.number)


@some_and_all
def test_hull_and_density_are_what_is_drawn(sample: list[Stimulus], case: Case) -> None:
    for stimulus in sample:
        with case(stimulus):
            magnitudes = rendered(stimulus).magnitudes
            edge = opacity(stimulus) >= 0.5
            edge &= ~ndimage.binary_erosion(edge, np.ones((3, 3), dtype=np.bool_))
            assert magnitudes.convex_hull_px == pytest.approx(hull_area(edge), rel=2e-4)
            assert magnitudes.density_per_megapixel == pytest.approx(stimulus.number / magnitudes.convex_hull_px * 1e6)


def test_the_area_of_a_dot_is_that_of_its_circle() -> None:
    recipes = (Stimulus("dots", 1, seed) for seed in range(20))
    stimulus = max(recipes, key=lambda recipe: stimuli.layout(recipe).items[0].side_px)
    (dot,) = stimuli.layout(stimulus).items
    radius = 0.48 * dot.side_px
    magnitudes = rendered(stimulus).magnitudes
    assert magnitudes.total_area_px == pytest.approx(np.pi * radius**2, rel=2e-3)
    assert magnitudes.convex_hull_px == pytest.approx(np.pi * radius**2, rel=1e-2)


@pytest.mark.parametrize("category", SCATTERED)
def test_items_vary_in_size_and_colour(category: str) -> None:
    items = [item for seed in range(20) for item in stimuli.layout(Stimulus(category, 10, seed)).items]
    sides = [item.side_px for item in items]
    assert max(sides) / min(sides) > 2
    assert len({item.colour for item in items}) >= 3


def test_apples_vary_in_drawing() -> None:
    items = [item for seed in range(5) for item in stimuli.layout(Stimulus("apples", 10, seed)).items]
    assert {item.variant for item in items} == {0, 1}


@pytest.mark.slow
def test_size_tells_nothing_of_number_up_to_ten() -> None:
    means = [
        np.mean([i.side_px for seed in range(200) for i in stimuli.layout(Stimulus("dots", n, seed)).items])
        for n in (1, 5, 10)
    ]
    assert max(means) / min(means) < 1.05


@pytest.mark.slow
@pytest.mark.parametrize("size_px", [128, 512, 4096])
def test_pictures_come_in_other_sizes(size_px: int) -> None:
    image = Image.open(io.BytesIO(stimuli.render(Stimulus("apples", 1, 1, size_px)).png))
    assert (image.size, image.mode) == ((size_px, size_px), "RGB")


def test_a_picture_carries_nothing_but_its_pixels() -> None:
    png = stimuli.render(Stimulus("apples", 7, 1)).png
    chunks, position = [], 8
    while position < len(png):
        length = int.from_bytes(png[position : position + 4], "big")
        chunks.append(png[position + 4 : position + 8])
        position += length + 12
    assert set(chunks) == {b"IHDR", b"IDAT", b"IEND"}


@pytest.mark.parametrize("category", stimuli.CATEGORIES)
def test_the_true_boxes_are_tight_around_what_is_drawn(category: str) -> None:
    stimulus = Stimulus(category, 8, 11, 512)
    labels, _ = ndimage.label(opacity(stimulus) >= 0.5)
    found = {(float(x.start), float(y.start), float(x.stop), float(y.stop)) for y, x in ndimage.find_objects(labels)}
    truth = true_boxes(stimulus)
    assert {box.xyxy for box in truth} == found
    assert {box.label for box in truth} <= set(stimuli.CATEGORIES[category].drawn_as)


@pytest.mark.parametrize(
    ("stimulus", "error", "message"),
    [
        pytest.param(
            Stimulus("axolotls", 3, 0),
            UnknownNameError,
            "no category named 'axolotls'; known: apples, butterflies, dots",
            id="category",
        ),
        pytest.param(Stimulus("dots", 0, 0), BadValueError, "number 0: a picture shows 1 item or more", id="none"),
        pytest.param(Stimulus("dots", -4, 0), BadValueError, "number -4: a picture shows 1", id="negative"),
        pytest.param(Stimulus("dots", 1, 0, 64), BadValueError, "size_px 64: a picture has 128 to 4096", id="small"),
        pytest.param(Stimulus("dots", 99, 0, 128), BadValueError, "number 99: .* at most 36 do", id="crowded"),
        pytest.param(
            Stimulus("dots", 3, 0, background="lava"), UnknownNameError, "no background named 'lava'", id="background"
        ),
        pytest.param(
            Stimulus("dots", 3, 0, overlap=0.9), BadValueError, "overlap 0.9: should be 0 to 0.5", id="overlap"
        ),
        pytest.param(
            Stimulus("dots", 20, 0, control=Control("area", 10)),
            BadValueError,
            "number 20: the area is held constant up to 10",
            id="beyond control",
        ),
        pytest.param(
            Stimulus("dots", 1000, 0, control=Control("area", 1000)),
            BadValueError,
            "number 1000: with that magnitude held constant, the smallest item has . px, and 12 are needed",
            id="too small",
        ),
    ],
)
def test_a_recipe_that_cannot_be_drawn_is_refused(stimulus: Stimulus, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        stimuli.render(stimulus)


def test_a_fast_card_repeats_one_drawing_in_one_colour_and_size() -> None:
    cards = [stimuli.layout(Stimulus("fastcards", 9, seed)).items for seed in range(60)]
    for items in cards:
        assert len({(item.noun, item.variant, item.colour, item.side_px) for item in items}) == 1
    assert len({items[0].noun for items in cards}) == 9
    assert {items[0].colour for items in cards} == {"black", "blue", "green", "orange", "red"}


@pytest.mark.parametrize("number", [1, 2, 5, 7, 10, 23, 200])
def test_a_fast_card_is_a_regular_array(number: int) -> None:
    for seed in range(8):
        items = stimuli.layout(Stimulus("fastcards", number, seed)).items
        tops = sorted({item.top for item in items})
        assert np.ptp(np.diff(tops)) <= 1 if len(tops) > 2 else True
        rows = [sorted(item.left for item in items if item.top == top) for top in tops]
        steps = {step for row in rows for step in np.diff(row).tolist()}
        assert max(steps, default=0) - min(steps, default=0) <= 1
        assert max(map(len, rows)) - min(map(len, rows)) <= 1


@pytest.mark.parametrize("magnitude", ["area", "size", "hull", "density"])
def test_fast_cards_can_be_held_constant_up_to_200(magnitude: Magnitude) -> None:
    for number in (1, 2, 7, 11, 100, 199, 200):
        for seed in range(6):
            recipe = Stimulus("fastcards", number, seed, control=Control(magnitude, 200))
            assert len(stimuli.layout(recipe).items) == number


HELD: dict[Magnitude, str] = {
    "area": "total_area_px",
    "size": "mean_item_area_px",
    "hull": "convex_hull_px",
    "density": "density_per_megapixel",
}


Held = list[tuple[Magnitude, str]]
SOME_HELD: Held = list(zip(HELD, stimuli.CATEGORIES, strict=False))
ALL_HELD: Held = list(product(HELD, stimuli.CATEGORIES))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("held", "numbers"),
    [
        pytest.param(SOME_HELD, (1, 60), id="some"),
        pytest.param(ALL_HELD, (1, 2, 5, 10, 30, 60), id="all", marks=proof),
    ],
)
def test_a_controlled_magnitude_is_the_same_for_all_numbers(held: Held, numbers: tuple[int, ...], case: Case) -> None:
    for magnitude, category in held:
        with case(f"{magnitude} of {category}"):
            recipes = [Stimulus(category, number, number, control=Control(magnitude, 60)) for number in numbers]
            found = [getattr(stimuli.render(recipe).magnitudes, HELD[magnitude]) for recipe in recipes]
            assert max(found) / min(found) < 1.06


@pytest.mark.slow
@pytest.mark.parametrize(
    "recipes",
    [
        pytest.param([(1, 0), (10, 1)], id="some"),
        pytest.param(list(product(range(1, 11), (0, 1))), id="all", marks=proof),
    ],
)
def test_up_to_ten_a_controlled_magnitude_varies_by_less_than_two_per_cent(
    recipes: list[tuple[int, int]], case: Case
) -> None:
    for magnitude, name in HELD.items():
        with case(magnitude):
            stimuli_held = [Stimulus("apples", *recipe, control=Control(magnitude, 10)) for recipe in recipes]
            found = [getattr(stimuli.render(one).magnitudes, name) for one in stimuli_held]
            assert max(found) / min(found) < 1.02


@pytest.mark.parametrize(
    ("held", "size_px"), [pytest.param(SOME_HELD, 512, id="some"), pytest.param(ALL_HELD, 1024, id="all", marks=proof)]
)
def test_controlled_pictures_show_the_number_too(held: Held, size_px: int, case: Case) -> None:
    for magnitude, category in held:
        with case(f"{magnitude} of {category}"):
            assert shapes(drawn(Stimulus(category, 12, 3, size_px, control=Control(magnitude, 12)))) == 12


@pytest.mark.slow
@pytest.mark.parametrize(
    "sample",
    [
        pytest.param(list(zip(stimuli.CATEGORIES, (1, 4, 10, 40, 10), strict=True)), id="some"),
        pytest.param(list(product(stimuli.CATEGORIES, (1, 4, 10, 40))), id="all", marks=proof),
    ],
)
def test_magnitudes_without_drawing_are_those_of_the_drawn_picture(sample: list[tuple[str, int]], case: Case) -> None:
    for category, number in sample:
        with case(f"{number} {category}"):
            recipe = Stimulus(category, number, 1)
            quick, exact = stimuli.magnitudes(recipe), rendered(recipe).magnitudes
            assert quick.number == exact.number
            assert quick.total_area_px == pytest.approx(exact.total_area_px, rel=0.01)
            assert quick.mean_item_area_px == pytest.approx(exact.mean_item_area_px, rel=0.01)
            assert quick.convex_hull_px == pytest.approx(exact.convex_hull_px, rel=0.02)


def test_overlapping_items_cover_each_other_and_are_all_seen() -> None:
    apart, over = Stimulus("dots", 30, 4), Stimulus("dots", 30, 4, overlap=0.4)
    assert rendered(apart).magnitudes.total_area_px == pytest.approx(30 * rendered(apart).magnitudes.mean_item_area_px)
    hidden = 1 - rendered(over).magnitudes.total_area_px / (30 * rendered(over).magnitudes.mean_item_area_px)
    assert 0.01 < hidden < 0.4
    assert stimuli.magnitudes(over) == rendered(over).magnitudes
    assert shapes(drawn(over)) < 30


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_a_background_is_light_and_does_not_move_the_items(background: str) -> None:
    plain, other = Stimulus("apples", 4, 2, 512), Stimulus("apples", 4, 2, 512, background=background)
    assert stimuli.layout(plain) == stimuli.layout(other)
    pixels = np.asarray(Image.open(io.BytesIO(rendered(other).png)))
    is_ground = ~ndimage.binary_dilation(drawn(plain), iterations=3)
    assert pixels[is_ground].min() >= 205
    assert rendered(other).png == stimuli.render(other).png
