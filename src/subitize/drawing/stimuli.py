"""Pictures of a known number of things, from a recipe, with the magnitudes that go along with number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from PIL import Image

from subitize.drawing.backgrounds import BACKGROUNDS
from subitize.drawing.layouts import CATEGORIES, Category, layout, recipe_random
from subitize.drawing.painting import Layout, Placed, compose, paint, sprites
from subitize.drawing.silhouettes import hull_area, outline, silhouette
from subitize.io.images import encode_png
from subitize.records import Stimulus

__all__ = [
    "CATEGORIES", "Category", "Layout", "Magnitudes", "Placed", "Rendered", "layout", "magnitudes",
    "paint", "render",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """What can stand in for number in a picture.

    Area is coverage: a pixel that an item half covers counts one half; where items overlap it counts once. The hull
    is the smallest convex region that holds every pixel at least half covered. Density is number over hull area, the
    usage of the number-cognition literature, per million pixels; it is of little meaning for one or two items.
    """

    number: int
    total_area_px: float
    mean_item_area_px: float
    convex_hull_px: float
    density_per_megapixel: float


@dataclass(frozen=True, eq=False)
class Rendered:
    """A picture as a PNG file; its magnitudes are measured when somebody wants to know."""

    png: bytes
    measure: Callable[[], Magnitudes]

    @cached_property
    def magnitudes(self) -> Magnitudes:
        """What is measured on its rasterised things."""
        return self.measure()


def render(stimulus: Stimulus) -> Rendered:
    """Draw a recipe; the same recipe gives the same bytes, in any process and in any order."""
    plan = layout(stimulus)
    drawn = sprites(plan.items)
    ground = BACKGROUNDS[stimulus.background](stimulus.size_px, recipe_random("background", stimulus))
    measure = partial(_measure, plan, drawn, can_overlap=stimulus.overlap > 0)
    return Rendered(encode_png(compose(plan, drawn, ground)), measure)


def magnitudes(stimulus: Stimulus) -> Magnitudes:
    """Tell the magnitudes of a recipe's picture without drawing it, where things do not overlap."""
    plan = layout(stimulus)
    if stimulus.overlap > 0:
        return _measure(plan, sprites(plan.items), can_overlap=True)
    return _estimate(plan)


def _measure(plan: Layout, drawn: Sequence[Image.Image], *, can_overlap: bool) -> Magnitudes:
    """Measure a layout on its rasterised things."""
    coverages = [np.asarray(sprite.getchannel("A")) for sprite in drawn]
    area = sum(int(coverage.sum(dtype=np.int64)) for coverage in coverages) / 255
    visible = _union_area(plan, drawn) if can_overlap else area
    outlines = [np.add(outline(own), (item.left, item.top)) for item, own in zip(plan.items, coverages, strict=True)]
    return _magnitudes(len(plan.items), visible, area, hull_area(np.concatenate(outlines)))


def _estimate(plan: Layout) -> Magnitudes:
    """Work the magnitudes of things that do not overlap out from their silhouettes, without drawing any.

    They are within a hundredth of what is measured on the pixels of things of 35 px or more.
    """
    shapes = [silhouette(item.noun, item.variant) for item in plan.items]
    area = sum(shape.area * item.side_px**2 for shape, item in zip(shapes, plan.items, strict=True))
    reach = [np.add(s.hull * i.side_px, (i.left, i.top)) for s, i in zip(shapes, plan.items, strict=True)]
    return _magnitudes(len(plan.items), area, area, hull_area(np.concatenate(reach)))


def _magnitudes(number: int, visible_px: float, items_px: float, hull_px: float) -> Magnitudes:
    return Magnitudes(number, visible_px, items_px / number, hull_px, number / hull_px * 1e6)


def _union_area(plan: Layout, drawn: Sequence[Image.Image]) -> float:
    canvas = Image.new("RGB", (plan.size_px, plan.size_px))
    for item, sprite in zip(plan.items, drawn, strict=True):
        canvas.paste("white", (item.left, item.top), sprite)
    return float(np.asarray(canvas)[..., 0].sum(dtype=np.int64)) / 255
