"""What stands where in a recipe's picture, with one magnitude held constant over numbers if it says so.

Randomness comes from the recipe alone, and only as uniform doubles, which numpy keeps stable over versions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from subitize.drawing import glyphs, placement
from subitize.drawing.arrangements import MEAN_SQUARE, Goal, array, largest_px, scatter
from subitize.drawing.backgrounds import BACKGROUNDS
from subitize.drawing.painting import Layout, Placed
from subitize.drawing.silhouettes import silhouette
from subitize.errors import BadValueError, UnknownNameError
from subitize.records import Stimulus, digest


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of stimulus: what one thing in it is called, what it is drawn as, and whether in a regular array.

    A scattered picture mixes all its drawings and colours; an array repeats one.
    """

    noun: str
    drawn_as: tuple[str, ...]
    colours: tuple[str, ...] | None = None
    is_array: bool = False


# The clip-arts and colours of the fast cards are those of the paper (Testolin, Hou and Zorzi 2025, section 2.1.1).
_CARDS = ("apple", "bell", "butterfly", "candy", "car", "fish", "flower", "plane", "star")
_CARD_COLOURS = ("black", "blue", "green", "orange", "red")

CATEGORIES: Mapping[str, Category] = MappingProxyType(
    {
        "apples": Category("apple", ("apple",)),
        "people": Category("person", ("person",)),
        "butterflies": Category("butterfly", ("butterfly",)),
        "dots": Category("dot", ("dot",)),
        "fastcards": Category("shape", _CARDS, _CARD_COLOURS, is_array=True),
    }
)

MOST_OVERLAP = 0.5


def layout(stimulus: Stimulus) -> Layout:
    """Decide what stands where in a recipe's picture."""
    category = check(stimulus)
    random = recipe_random("stimulus", stimulus)
    cast = _cast(category, stimulus.number, random)
    shapes = [silhouette(noun, variant) for noun, variant, _ in cast]
    goal = _goal(stimulus, category)
    arrange = array if category.is_array else scatter
    sides, corners = arrange(shapes, stimulus.size_px, goal, random, overlap=stimulus.overlap)
    items = (
        Placed(noun, variant, colour, int(left), int(top), int(side))
        for (noun, variant, colour), side, (left, top) in zip(cast, sides, corners, strict=True)
    )
    return Layout(stimulus.size_px, tuple(items))


def check(stimulus: Stimulus) -> Category:
    """Look up a recipe's category, and refuse a recipe that cannot be drawn."""
    category = _find_category(stimulus.category)
    if stimulus.background not in BACKGROUNDS:
        raise UnknownNameError("background", stimulus.background, BACKGROUNDS)
    if not 0 <= stimulus.overlap <= MOST_OVERLAP:
        raise BadValueError(f"overlap {stimulus.overlap:g}: should be 0 to {MOST_OVERLAP}, a share of the diameter")
    if stimulus.control and stimulus.control.up_to < stimulus.number:
        raise BadValueError(
            f"number {stimulus.number}: the {stimulus.control.magnitude} is held constant up to "
            f"{stimulus.control.up_to}"
        )
    placement.check_room(stimulus.number, stimulus.size_px)
    return category


def _find_category(name: str) -> Category:
    """Find a category; besides those of the experiments, everything that has a drawing is one, by its noun."""
    if name in CATEGORIES:
        return CATEGORIES[name]
    if name in glyphs.GLYPHS:
        return Category(name, (name,))
    raise UnknownNameError("category", name, CATEGORIES)


def recipe_random(purpose: str, stimulus: Stimulus) -> np.random.Generator:
    """Start the randomness of one purpose (what stands where, the background) from the recipe."""
    control = (stimulus.control.magnitude, stimulus.control.up_to) if stimulus.control else None
    parts = (stimulus.category, stimulus.number, stimulus.seed, stimulus.size_px, control, stimulus.overlap)
    return np.random.Generator(np.random.PCG64(int(digest(purpose, *parts), 16)))


# What is held constant, in shares of the picture: such that 1 thing is not too large, nor are 200 too small.
_AREA = 0.06
_HULL = 0.2
_LARGEST_HULL = 0.4


def _goal(stimulus: Stimulus, category: Category) -> Goal:
    control, picture_px = stimulus.control, stimulus.size_px**2
    if control is None:
        return Goal()
    match control.magnitude:
        case "area":
            return Goal(area_px=_AREA * picture_px)
        case "size":
            mean_square_px = MEAN_SQUARE * largest_px(control.up_to, stimulus.size_px) ** 2
            return Goal(area_px=stimulus.number * _mean_area(category) * mean_square_px)
        case "hull":
            return Goal(hull_px=_HULL * picture_px)
        case "density":
            return Goal(hull_px=_LARGEST_HULL * picture_px * stimulus.number / control.up_to)


def _mean_area(category: Category) -> float:
    known = [glyphs.glyph_of(noun) for noun in category.drawn_as]
    areas = [silhouette(glyph.noun, variant).area for glyph in known for variant in range(len(glyph.drawings))]
    return sum(areas) / len(areas)


def _cast(category: Category, number: int, random: np.random.Generator) -> list[tuple[str, int, str]]:
    """Choose the drawing and the colour of every thing; in an array all are the same."""
    chosen = [_choose(category, random) for _ in range(1 if category.is_array else number)]
    return chosen * number if category.is_array else chosen


def _choose(category: Category, random: np.random.Generator) -> tuple[str, int, str]:
    glyph = glyphs.glyph_of(category.drawn_as[int(random.random() * len(category.drawn_as))])
    colours = category.colours or glyph.colours
    variant = int(random.random() * len(glyph.drawings))
    return glyph.noun, variant, colours[int(random.random() * len(colours))]
