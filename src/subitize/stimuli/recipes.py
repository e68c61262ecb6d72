"""Renders recipes: layout, background, painting, and the magnitudes that vary along with number.

A recipe may hold one magnitude constant across numbers. Randomness depends on the recipe alone, and uses only uniform
doubles, which numpy keeps stable across versions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from subitize.errors import BadValueError, UnknownNameError
from subitize.io.images import encode_png
from subitize.records import Stimulus, digest
from subitize.stimuli import glyphs, placement
from subitize.stimuli.glyphs import hull_area, outline, silhouette
from subitize.stimuli.placement import MEAN_SQUARE, TargetMagnitude, array, largest_px, scatter

if TYPE_CHECKING:
    from subitize.language.scene import Form


@dataclass(frozen=True, slots=True)
class PlacedThing:
    """One thing in a picture: its drawing, the square of pixels it is drawn into, and its form if not whole."""

    noun: str
    variant: int
    colour: str
    left: int
    top: int
    side_px: int
    form: "Form | None" = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything in a picture, before it is painted; later things are drawn over earlier ones."""

    size_px: int
    items: tuple[PlacedThing, ...]


Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)


def paint(plan: Layout, background: Colour | Image.Image = WHITE) -> Image.Image:
    """Draw a layout on a plain colour, or onto an image, which is changed."""
    if isinstance(background, tuple):
        background = Image.new("RGB", (plan.size_px, plan.size_px), background)
    return paste(plan, sprites(plan.items), background)


def sprites(items: Iterable[PlacedThing]) -> list[Image.Image]:
    """Rasterise the things of a layout, in their order."""
    return [_sprite(item) for item in items]


def paste(plan: Layout, drawn: Iterable[Image.Image], canvas: Image.Image) -> Image.Image:
    """Paste the things of a layout, already rasterised, onto a canvas."""
    for item, sprite in zip(plan.items, drawn, strict=True):
        canvas.paste(sprite, (item.left, item.top), sprite)
    return canvas


def _sprite(item: PlacedThing) -> Image.Image:
    if item.form is None:
        return glyphs.sprite(item.noun, item.variant, item.colour, item.side_px)
    from subitize.stimuli import cuts  # it takes scipy, which takes longer to import than a picture to draw

    return cuts.sprite(item.noun, item.variant, item.colour, item.side_px, item.form)


Background = Callable[[int, np.random.Generator], Image.Image]


def plain(colour: Colour) -> Background:
    """Cover the picture with one colour."""
    return lambda size_px, _: Image.new("RGB", (size_px, size_px), colour)


def _gradient(size_px: int, random: np.random.Generator) -> Image.Image:
    """Fade from one light grey to another across the picture, in a random direction."""
    turn = random.random() * 2 * np.pi
    axis = np.linspace(-1, 1, size_px)
    slope = np.cos(turn) * axis[None, :] + np.sin(turn) * axis[:, None]
    return _greys(np.interp(slope, (-np.sqrt(2), np.sqrt(2)), (_DARKEST, 255)))


def _clouds(size_px: int, random: np.random.Generator) -> Image.Image:
    """Cover the picture with soft light patches."""
    coarse = _greys(_DARKEST + (255 - _DARKEST) * random.random((_PATCHES, _PATCHES)))
    return coarse.resize((size_px, size_px), Image.Resampling.BICUBIC)


def _stripes(size_px: int, random: np.random.Generator) -> Image.Image:
    """Cover the picture with light upright stripes of random widths."""
    edges = np.sort(random.random(_STRIPES))
    place = np.searchsorted(edges, np.linspace(0, 1, size_px, endpoint=False))
    return _greys(np.broadcast_to(np.where(place % 2, 255, _DARKEST), (size_px, size_px)))


_DARKEST = 210
_PATCHES = 12
_STRIPES = 14


def _greys(levels: np.ndarray[tuple[int, ...], np.dtype[np.floating | np.integer]]) -> Image.Image:
    return Image.fromarray(levels.astype(np.uint8)).convert("RGB")


BACKGROUNDS: Mapping[str, Background] = {
    "white": plain((255, 255, 255)),
    "grey": plain((235, 235, 235)),
    "cream": plain((250, 243, 224)),
    "sky": plain((222, 238, 250)),
    "gradient": _gradient,
    "clouds": _clouds,
    "stripes": _stripes,
}


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of stimulus: the noun of its things, what they are drawn as, and whether in a regular array.

    A scattered picture mixes all its drawings and colours; an array repeats one.
    """

    noun: str
    drawn_as: tuple[str, ...]
    colours: tuple[str, ...] | None = None
    is_array: bool = False


# The clip-arts and colours of the fast cards are those of the paper (Testolin, Hou and Zorzi 2025, section 2.1.1).
_CARDS = ("apple", "bell", "butterfly", "candy", "car", "fish", "flower", "plane", "star")
_CARD_COLOURS = ("black", "blue", "green", "orange", "red")

CATEGORIES: Mapping[str, Category] = {
    "apples": Category("apple", ("apple",)),
    "people": Category("person", ("person",)),
    "butterflies": Category("butterfly", ("butterfly",)),
    "dots": Category("dot", ("dot",)),
    "fastcards": Category("shape", _CARDS, _CARD_COLOURS, is_array=True),
}

MOST_OVERLAP = 0.5


def layout(stimulus: Stimulus) -> Layout:
    """Lay out a recipe's picture."""
    category = check(stimulus)
    random = recipe_random("stimulus", stimulus)
    chosen = [_choose(category, random) for _ in range(1 if category.is_array else stimulus.number)]
    cast = chosen * stimulus.number if category.is_array else chosen
    shapes = [silhouette(noun, variant) for noun, variant, _ in cast]
    target = _target(stimulus, category)
    arrange = array if category.is_array else scatter
    sides, corners = arrange(shapes, stimulus.size_px, target, random, overlap=stimulus.overlap)
    items = (
        PlacedThing(noun, variant, colour, int(left), int(top), int(side))
        for (noun, variant, colour), side, (left, top) in zip(cast, sides, corners, strict=True)
    )
    return Layout(stimulus.size_px, tuple(items))


def check(stimulus: Stimulus) -> Category:
    """Return a recipe's category; refuse a recipe that cannot be drawn."""
    category = _find_category(stimulus.category)
    if stimulus.background not in BACKGROUNDS:
        raise UnknownNameError("background", stimulus.background, BACKGROUNDS)
    if not 0 <= stimulus.overlap <= MOST_OVERLAP:
        raise BadValueError(f"overlap {stimulus.overlap:g}: should be 0 to {MOST_OVERLAP}, a share of the diameter")
    if (held := stimulus.control) and held.up_to < stimulus.number:
        raise BadValueError(f"number {stimulus.number}: the {held.magnitude} is held constant up to {held.up_to}")
    placement.check_room(stimulus.number, stimulus.size_px)
    return category


def _find_category(name: str) -> Category:
    """Find a category: one of the experiments', or any noun that has a drawing."""
    if name in CATEGORIES:
        return CATEGORIES[name]
    if name in glyphs.GLYPHS:
        return Category(name, (name,))
    raise UnknownNameError("category", name, CATEGORIES)


def recipe_random(purpose: str, stimulus: Stimulus) -> np.random.Generator:
    """Make the random generator of one purpose (layout or background) from the recipe."""
    control = (stimulus.control.magnitude, stimulus.control.up_to) if stimulus.control else None
    parts = (stimulus.category, stimulus.number, stimulus.seed, stimulus.size_px, control, stimulus.overlap)
    return np.random.Generator(np.random.PCG64(int(digest(purpose, *parts), 16)))


# Constant magnitudes in shares of the picture, chosen so that 1 thing is not too large, nor 200 too small.
_AREA = 0.06
_HULL = 0.2
_LARGEST_HULL = 0.4


def _target(stimulus: Stimulus, category: Category) -> TargetMagnitude:
    control, picture_px = stimulus.control, stimulus.size_px**2
    if control is None:
        return TargetMagnitude()
    match control.magnitude:
        case "area":
            return TargetMagnitude(area_px=_AREA * picture_px)
        case "size":
            mean_square_px = MEAN_SQUARE * largest_px(control.up_to, stimulus.size_px) ** 2
            return TargetMagnitude(area_px=stimulus.number * _mean_area(category) * mean_square_px)
        case "hull":
            return TargetMagnitude(hull_px=_HULL * picture_px)
        case "density":
            return TargetMagnitude(hull_px=_LARGEST_HULL * picture_px * stimulus.number / control.up_to)


def _mean_area(category: Category) -> float:
    known = [glyphs.glyph_of(noun) for noun in category.drawn_as]
    areas = [silhouette(glyph.noun, variant).area for glyph in known for variant in range(len(glyph.drawings))]
    return sum(areas) / len(areas)


def _choose(category: Category, random: np.random.Generator) -> tuple[str, int, str]:
    glyph = glyphs.glyph_of(category.drawn_as[int(random.random() * len(category.drawn_as))])
    colours = category.colours or glyph.colours
    variant = int(random.random() * len(glyph.drawings))
    return glyph.noun, variant, colours[int(random.random() * len(colours))]


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """The magnitudes in a picture that can be mistaken for number.

    Area is coverage: a pixel that an item half covers counts as one half, and overlaps count once. The hull
    is the smallest convex region that holds every pixel at least half covered. Density is number over hull area, the
    usage of the number-cognition literature, per million pixels; it means little for one or two items.
    """

    number: int
    total_area_px: float
    mean_item_area_px: float
    convex_hull_px: float
    density_per_megapixel: float


@dataclass(frozen=True, eq=False)
class Rendered:
    """A picture as a PNG file; its magnitudes are measured when needed."""

    png: bytes
    measure: Callable[[], Magnitudes]

    @cached_property
    def magnitudes(self) -> Magnitudes:
        """The magnitudes measured on its rasterised things."""
        return self.measure()


def render(stimulus: Stimulus) -> Rendered:
    """Draw a recipe; the same recipe gives the same bytes, in any process and in any order."""
    plan = layout(stimulus)
    drawn = sprites(plan.items)
    ground = BACKGROUNDS[stimulus.background](stimulus.size_px, recipe_random("background", stimulus))
    measure = partial(_measure, plan, drawn, can_overlap=stimulus.overlap > 0)
    return Rendered(encode_png(paste(plan, drawn, ground)), measure)


def magnitudes(stimulus: Stimulus) -> Magnitudes:
    """Compute the magnitudes of a recipe's picture, without drawing it if things do not overlap."""
    plan = layout(stimulus)
    if stimulus.overlap > 0:
        return _measure(plan, sprites(plan.items), can_overlap=True)
    return _estimate(plan)


def _measure(plan: Layout, drawn: Sequence[Image.Image], *, can_overlap: bool) -> Magnitudes:
    """Measure the magnitudes of a layout on its rasterised things."""
    coverages = [np.asarray(sprite.getchannel("A")) for sprite in drawn]
    area = sum(int(coverage.sum(dtype=np.int64)) for coverage in coverages) / 255
    visible = _union_area(plan, drawn) if can_overlap else area
    outlines = [np.add(outline(own), (item.left, item.top)) for item, own in zip(plan.items, coverages, strict=True)]
    return _magnitudes(len(plan.items), visible, area, hull_area(np.concatenate(outlines)))


def _estimate(plan: Layout) -> Magnitudes:
    """Compute the magnitudes of things that do not overlap from their silhouettes, without drawing any.

    They are within 1 % of those measured on pixels, for things of 35 px or more.
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
