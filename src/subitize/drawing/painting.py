"""Layouts, which say what stands where, and their painting."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image

from subitize.drawing import glyphs

if TYPE_CHECKING:
    from subitize.language.scene import Form


@dataclass(frozen=True, slots=True)
class Placed:
    """One thing in a picture: which drawing of it, the square of pixels it is drawn into, and its form if not whole."""

    noun: str
    variant: int
    colour: str
    left: int
    top: int
    side_px: int
    form: "Form | None" = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that is in a picture, before any pixel; what comes later is drawn over what comes first."""

    size_px: int
    items: tuple[Placed, ...]


Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)


def paint(plan: Layout, background: Colour | Image.Image = WHITE) -> Image.Image:
    """Draw a layout on a plain colour, or onto an image, which is used up."""
    if isinstance(background, tuple):
        background = Image.new("RGB", (plan.size_px, plan.size_px), background)
    return compose(plan, sprites(plan.items), background)


def sprites(items: Iterable[Placed]) -> list[Image.Image]:
    """Rasterise the things of a layout, in their order."""
    return [_sprite(item) for item in items]


def compose(plan: Layout, drawn: Iterable[Image.Image], canvas: Image.Image) -> Image.Image:
    """Paste the things of a layout, already rasterised, onto a canvas."""
    for item, sprite in zip(plan.items, drawn, strict=True):
        canvas.paste(sprite, (item.left, item.top), sprite)
    return canvas


def _sprite(item: Placed) -> Image.Image:
    if item.form is None:
        return glyphs.sprite(item.noun, item.variant, item.colour, item.side_px)
    from subitize.drawing import cuts  # it takes scipy, which takes longer to import than a picture to draw

    return cuts.sprite(item.noun, item.variant, item.colour, item.side_px, item.form)
