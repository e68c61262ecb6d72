"""Recognition: every drawing by its kind and colour, however it is shown, and nothing else."""

import io
import string
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from subitize.records import UNKNOWN, Box
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.observing import see
from subitize.stimuli.placement import fit
from subitize.stimuli.recipes import Layout, PlacedThing, paint
from subitize.stimuli.recognition import KINDS
from subitize.stimuli.references import REFERENCE_COLOURS, references
from tests.cases import Case

SEED = 4711
PER_PICTURE = 50
GREY = (235, 235, 235)
Things = list[tuple[str, int, str]]

NATURAL: Things = [
    (noun, variant, colour)
    for noun, glyph in GLYPHS.items()
    for variant in range(len(glyph.drawings))
    for colour in glyph.colours
]
OTHER: Things = [
    (noun, variant, colour)
    for noun, glyph in GLYPHS.items()
    for variant in range(len(glyph.drawings))
    for colour in PALETTE
    if colour not in glyph.colours
]


def jpeg(image: Image.Image) -> Image.Image:
    written = io.BytesIO()
    image.save(written, "JPEG", quality=85)
    return Image.open(written).convert("RGB")


def three_quarters(image: Image.Image) -> Image.Image:
    return image.resize((image.width * 3 // 4, image.height * 3 // 4), Image.Resampling.BICUBIC)


def turn_hue(image: Image.Image) -> Image.Image:
    hue, strength, value = image.convert("HSV").split()
    return Image.merge("HSV", (hue.point(lambda level: (level + 111) % 256), strength, value)).convert("RGB")


SHOWN: dict[str, tuple[Callable[[Layout], Image.Image], float]] = {
    "as drawn": (paint, 1.0),
    "JPEG 85": (lambda plan: jpeg(paint(plan)), 1.0),
    "three quarters": (lambda plan: three_quarters(paint(plan)), 0.75),
    "other hues": (lambda plan: turn_hue(paint(plan)), 1.0),
    "grey ground": (lambda plan: paint(plan, GREY), 1.0),
}


def mixed(things: Things) -> Iterator[Layout]:
    """All things in random order and of random sizes, from those of a crowded picture up."""
    random = np.random.default_rng(SEED)
    order = random.permutation(len(things))
    for start in range(0, len(order), PER_PICTURE):
        chosen = [things[index] for index in order[start : start + PER_PICTURE]]
        sides, corners = fit(random.integers(35, 85, len(chosen)).tolist(), 1024, random)
        items = (
            PlacedThing(noun, variant, colour, int(left), int(top), side)
            for (noun, variant, colour), side, (left, top) in zip(chosen, sides, corners, strict=True)
        )
        yield Layout(1024, tuple(items))


@cache
def pairs(colours: str, shown: str, pictures: int | None) -> list[tuple[PlacedThing, list[Box]]]:
    """Every thing of the first pictures with the boxes whose middles lie in its square."""
    show, scale = SHOWN[shown]
    found = []
    for plan in islice(mixed(NATURAL if colours == "natural" else OTHER), pictures):
        boxes = see(np.asarray(show(plan))).boxes()
        found += [(item, [box for box in boxes if is_in(item, box, scale)]) for item in plan.items]
    return found


def is_in(item: PlacedThing, box: Box, scale: float) -> bool:
    across, down = (box.xyxy[0] + box.xyxy[2]) / 2 / scale, (box.xyxy[1] + box.xyxy[3]) / 2 / scale
    return item.left <= across <= item.left + item.side_px and item.top <= down <= item.top + item.side_px


proof = pytest.mark.proof("subitize.stimuli")
some_and_all = pytest.mark.parametrize(
    "pictures", [pytest.param(1, id="some"), pytest.param(None, id="all", marks=proof)]
)


@pytest.mark.slow
@some_and_all
def test_99_things_in_100_are_named_in_the_colours_they_have_by_nature(pictures: int | None, case: Case) -> None:
    for shown in SHOWN:
        with case(shown):
            right = [[box.label for box in boxes] == [item.noun] for item, boxes in pairs("natural", shown, pictures)]
            assert np.mean(right) >= 0.99


@some_and_all
def test_98_things_in_100_are_named_in_any_other_colour(pictures: int | None) -> None:
    right = [[box.label for box in boxes] == [item.noun] for item, boxes in pairs("other", "as drawn", pictures)]
    assert np.mean(right) >= 0.98


@some_and_all
def test_98_colours_in_100_are_right(pictures: int | None) -> None:
    known = [(item, boxes[0]) for item, boxes in pairs("natural", "as drawn", pictures) if len(boxes) == 1]
    assert np.mean([box.colour == item.colour for item, box in known]) >= 0.98


def test_everything_we_can_draw_is_a_kind_and_has_references() -> None:
    assert set(KINDS) == set(GLYPHS) == set(references().nouns)
    views = 2 * len(REFERENCE_COLOURS) * sum(len(glyph.drawings) for glyph in GLYPHS.values())
    assert 0.98 * views < len(references().nouns) <= views


def test_no_two_kinds_look_alike() -> None:
    known = references()
    squares = known.squares[:, None] + known.squares - 2 * known.appearances @ known.appearances.T
    is_other = np.array(known.nouns)[:, None] != np.array(known.nouns)
    assert np.sqrt(squares[is_other].min()) > 1.5


def letters() -> Iterator[NDArray[np.uint8]]:
    for index, letter in enumerate(string.ascii_uppercase + string.digits + "abdeghkmnqrtwyz"):
        side = 40 + 4 * index
        image = Image.new("RGB", (side * 2, side * 2), "white")
        font = ImageFont.load_default(side * 1.3)
        ImageDraw.Draw(image).text((side, side), letter, fill=(30, 60 + index, 120), font=font, anchor="mm")
        yield np.asarray(image)


def blobs() -> Iterator[NDArray[np.uint8]]:
    random = np.random.default_rng(SEED)
    turns = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    for index in range(50):
        waves = [0.4 / wave * np.cos(wave * turns + 6.28 * random.random()) for wave in range(2, 7)]
        radii = np.maximum(1 + np.sum([wave * random.uniform(0.5, 2) for wave in waves], axis=0), 0.2)
        reach = (20 + 2 * index) * radii / radii.max()
        image = Image.new("RGB", (300, 300), "white")
        outline = np.stack([150 + reach * np.cos(turns), 150 + reach * np.sin(turns)], axis=1)
        ImageDraw.Draw(image).polygon([(float(x), float(y)) for x, y in outline], fill=(160, 40, 90))
        yield np.asarray(image)


def noise() -> Iterator[NDArray[np.uint8]]:
    random = np.random.default_rng(SEED)
    for index in range(50):
        side, coarse = 40 + 4 * index, int(random.integers(3, 30))
        patch = Image.fromarray(random.integers(0, 210, (coarse, coarse, 3), dtype=np.uint8))
        image = Image.new("RGB", (side + 40, side + 40), "white")
        image.paste(patch.resize((side, side), Image.Resampling.BILINEAR), (20, 20))
        yield np.asarray(image)


@pytest.mark.slow  # a new machine learns for seconds what parts look like
@pytest.mark.parametrize("step", [pytest.param(10, id="some"), pytest.param(1, id="all", marks=proof)])
def test_what_is_none_of_ours_is_unknown_50_times_in_50(step: int, case: Case) -> None:
    for name, pictures in {"letters and digits": letters(), "blobs": blobs(), "noise": noise()}.items():
        with case(name):
            labels = [box.label for pixels in islice(pictures, 0, None, step) for box in see(pixels).boxes()]
            assert len(labels) >= 50 / step
            assert set(labels) == {UNKNOWN}


@pytest.mark.slow  # a new machine learns for seconds what parts look like
def test_the_surer_the_higher_the_score() -> None:
    def score(width: int) -> float:
        image = Image.new("RGB", (400, 400), "white")
        ImageDraw.Draw(image).ellipse((200 - width, 100, 200 + width, 300), fill=(20, 60, 200))
        (box,) = see(np.asarray(image)).boxes()
        return box.score if box.label == "dot" else 1 - box.score

    scores = [score(width) for width in (100, 94, 88, 80)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.5 > scores[-1]
