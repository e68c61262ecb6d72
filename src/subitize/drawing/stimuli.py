"""Pictures of a known number of things, from a recipe, with the magnitudes that go along with number.

`layout` decides what stands where and draws nothing; `paint` draws a layout; `render` does both and measures.
Randomness comes from the recipe alone, and only as uniform doubles, which numpy keeps stable over versions.
"""

import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.drawing import glyphs, placement
from subitize.errors import UnknownNameError
from subitize.records import Box, Stimulus, digest

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of stimulus: its name, and the noun of the things in it."""

    name: str
    noun: str


CATEGORIES: Mapping[str, Category] = MappingProxyType(
    {category.name: category for category in (Category("apples", "apple"), Category("dots", "dot"))}
)


@dataclass(frozen=True, slots=True)
class Placed:
    """One thing in a picture: which drawing of it, and the square of pixels it is drawn into."""

    noun: str
    variant: int
    colour: str
    left: int
    top: int
    side_px: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that is in a picture, before any pixel."""

    size_px: int
    items: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """What can stand in for number in a picture, measured on what is drawn.

    Area is coverage: a pixel that an item half covers counts one half. The hull is the smallest convex
    region that holds every pixel at least half covered. Density is number over hull area, the usage of the
    number-cognition literature, per million pixels; it is of little meaning for one or two items.
    """

    number: int
    total_area_px: float
    mean_item_area_px: float
    convex_hull_px: float
    density_per_megapixel: float


@dataclass(frozen=True, slots=True)
class Rendered:
    """A picture as a PNG file, and its magnitudes."""

    png: bytes
    magnitudes: Magnitudes


def render(stimulus: Stimulus) -> Rendered:
    """Draw a recipe; the same recipe gives the same bytes, in any process and in any order."""
    plan = layout(stimulus)
    sprites = _sprites(plan.items)
    return Rendered(_png(_compose(plan, sprites, WHITE)), _magnitudes(plan.items, sprites))


def layout(stimulus: Stimulus) -> Layout:
    """Decide what stands where in a recipe's picture."""
    glyph = glyphs.glyph_of(category_of(stimulus).noun)
    random = _random(stimulus)
    sides_px, corners = placement.fit(_sides(stimulus, random), stimulus.size_px, random)
    items = (
        Placed(
            glyph.noun,
            variant=int(random.random() * len(glyph.drawings)),
            colour=glyph.colours[int(random.random() * len(glyph.colours))],
            left=int(left),
            top=int(top),
            side_px=side_px,
        )
        for side_px, (left, top) in zip(sides_px, corners, strict=True)
    )
    return Layout(stimulus.size_px, tuple(items))


def category_of(stimulus: Stimulus) -> Category:
    """Look up a recipe's category, and refuse a recipe that cannot be drawn."""
    if stimulus.category not in CATEGORIES:
        raise UnknownNameError("category", stimulus.category, CATEGORIES)
    placement.check_room(stimulus.number, stimulus.size_px)
    return CATEGORIES[stimulus.category]


def paint(plan: Layout, background: Colour = WHITE) -> Image.Image:
    """Draw a layout on a plain background."""
    return _compose(plan, _sprites(plan.items), background)


def ground_truth(stimulus: Stimulus) -> tuple[Box, ...]:
    """Give the box of every thing in a recipe's picture, tight around what is drawn."""
    items = layout(stimulus).items
    return tuple(_box(item, sprite) for item, sprite in zip(items, _sprites(items), strict=True))


# Up to about ten items size tells nothing of number; beyond, things must shrink to have room. A share of .3
# lies well below .547, at which placing equal discs one by one at random comes to a halt.
_LARGEST_SHARE_OF_SIDE = 0.24
_SMALLEST_TO_LARGEST = 0.45
_COVERED_SHARE = 0.3
# Two thirds of the time of level 6, for files a quarter (apples) to two fifths (dots) larger.
_COMPRESS_LEVEL = 3


def _random(stimulus: Stimulus) -> np.random.Generator:
    recipe = digest("stimulus", stimulus.category, stimulus.number, stimulus.seed, stimulus.size_px)
    return np.random.Generator(np.random.PCG64(int(recipe, 16)))


def _sides(stimulus: Stimulus, random: np.random.Generator) -> list[int]:
    low = _SMALLEST_TO_LARGEST
    mean_square = (1 + low + low * low) / 3
    crowded = math.sqrt(_COVERED_SHARE * 4 / (math.pi * mean_square * stimulus.number))
    crowded_px = crowded * stimulus.size_px - placement.gap_px(stimulus.size_px)
    largest_px = min(_LARGEST_SHARE_OF_SIDE * stimulus.size_px, crowded_px)
    shares = low + (1 - low) * random.random(stimulus.number)
    return [max(placement.SMALLEST_ITEM_PX, math.floor(largest_px * share)) for share in shares]


def _sprites(items: Iterable[Placed]) -> list[Image.Image]:
    return [glyphs.sprite(item.noun, item.variant, item.colour, item.side_px) for item in items]


def _compose(plan: Layout, sprites: Iterable[Image.Image], background: Colour) -> Image.Image:
    canvas = Image.new("RGB", (plan.size_px, plan.size_px), background)
    for item, sprite in zip(plan.items, sprites, strict=True):
        canvas.paste(sprite, (item.left, item.top), sprite)
    return canvas


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=_COMPRESS_LEVEL)
    return file.getvalue()


def _magnitudes(items: tuple[Placed, ...], sprites: Iterable[Image.Image]) -> Magnitudes:
    coverages = [np.asarray(sprite.getchannel("A")) for sprite in sprites]
    area = sum(int(coverage.sum(dtype=np.int64)) for coverage in coverages) / 255
    outlines = [_outline(item, coverage) for item, coverage in zip(items, coverages, strict=True)]
    hull = _hull_area(np.concatenate(outlines))
    return Magnitudes(len(items), area, area / len(items), hull, len(items) / hull * 1e6)


def _outline(item: Placed, coverage: NDArray[np.uint8]) -> NDArray[np.int64]:
    """List the pixel corners at both ends of every row: the hull of a shape is the hull of these."""
    is_inside = coverage >= 128
    rows = np.flatnonzero(is_inside.any(axis=1))
    left = is_inside[rows].argmax(axis=1)
    right = is_inside.shape[1] - is_inside[rows, ::-1].argmax(axis=1)
    across = np.concatenate([left, left, right, right]) + item.left
    down = np.concatenate([rows, rows + 1, rows, rows + 1]) + item.top
    return np.stack([across, down], axis=1)


def _hull_area(points: NDArray[np.int64]) -> float:
    from scipy.spatial import ConvexHull  # takes longer to import than a picture to draw

    return float(ConvexHull(points).volume)


def _box(item: Placed, sprite: Image.Image) -> Box:
    outline = _outline(item, np.asarray(sprite.getchannel("A")))
    (left, top), (right, bottom) = outline.min(axis=0).tolist(), outline.max(axis=0).tolist()
    return Box(item.noun, 1.0, (float(left), float(top), float(right), float(bottom)), item.colour)
