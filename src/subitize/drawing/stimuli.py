"""Pictures of a known number of things, from a recipe, with the magnitudes that go along with number."""

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image

from subitize.drawing.backgrounds import BACKGROUNDS
from subitize.drawing.layouts import CATEGORIES, Category, layout, recipe_random
from subitize.drawing.magnitudes import Magnitudes, estimate, measure
from subitize.drawing.painting import Layout, Placed, compose, paint, sprites
from subitize.drawing.silhouettes import outline
from subitize.records import Box, Stimulus

__all__ = [
    "CATEGORIES", "Category", "Layout", "Magnitudes", "Placed", "Rendered", "ground_truth", "layout", "magnitudes",
    "paint", "render",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rendered:
    """A picture as a PNG file, and its magnitudes."""

    png: bytes
    magnitudes: Magnitudes


def render(stimulus: Stimulus) -> Rendered:
    """Draw a recipe; the same recipe gives the same bytes, in any process and in any order."""
    plan = layout(stimulus)
    drawn = sprites(plan.items)
    ground = BACKGROUNDS[stimulus.background](stimulus.size_px, recipe_random("background", stimulus))
    found = measure(plan, drawn, can_overlap=stimulus.overlap > 0)
    return Rendered(_png(compose(plan, drawn, ground)), found)


def magnitudes(stimulus: Stimulus) -> Magnitudes:
    """Tell the magnitudes of a recipe's picture without drawing it, where things do not overlap."""
    plan = layout(stimulus)
    if stimulus.overlap > 0:
        return measure(plan, sprites(plan.items), can_overlap=True)
    return estimate(plan)


def ground_truth(stimulus: Stimulus) -> tuple[Box, ...]:
    """Give the box of every thing in a recipe's picture, tight around what is drawn."""
    items = layout(stimulus).items
    return tuple(_box(item, sprite) for item, sprite in zip(items, sprites(items), strict=True))


# Two thirds of the time of level 6, for files a quarter (apples) to two fifths (dots) larger.
_COMPRESS_LEVEL = 3


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=_COMPRESS_LEVEL)
    return file.getvalue()


def _box(item: Placed, sprite: Image.Image) -> Box:
    reach = np.add(outline(np.asarray(sprite.getchannel("A"))), (item.left, item.top))
    (left, top), (right, bottom) = reach.min(axis=0).tolist(), reach.max(axis=0).tolist()
    return Box(item.noun, 1.0, (float(left), float(top), float(right), float(bottom)), item.colour)
