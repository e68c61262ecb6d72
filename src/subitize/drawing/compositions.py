"""Pictures of scenes: every entity's things at random, apart from each other, and where the relations put them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.drawing import glyphs, placement
from subitize.drawing.clipart.glyph import PALETTE
from subitize.drawing.painting import Layout, Placed
from subitize.drawing.scattering import COVERED_SHARE, LARGEST_SHARE_OF_SIDE, MEAN_SQUARE, SMALLEST_TO_LARGEST
from subitize.errors import BadValueError
from subitize.records import digest
from subitize.scenes import Entity, Ranks, Scene, find_places


def compose(scene: Scene, seed: int, size_px: int) -> Layout:
    """Decide what stands where in a picture of a scene; the same scene, seed and size give the same layout."""
    for entity in scene.entities:
        if entity.parts != 1:
            raise BadValueError(f"{entity.noun!r} in {entity.parts} parts: only whole things are drawn")
    fields = _fields(scene, size_px)
    number = sum(entity.number for entity in scene.entities)
    placement.check_room(max(number, 1), size_px)
    random = _random(scene, seed, size_px)
    things = [index for index, entity in enumerate(scene.entities) for _ in range(entity.number)]
    within = [fields[index] for index in things]
    diameters = _diameters(within, size_px, random)
    while (corners := _place(diameters, within, size_px, random)) is None:
        if max(diameters) <= placement.SMALLEST_ITEM_PX:
            raise BadValueError(f"{number} things in these places do not fit on {size_px} × {size_px} px")
        diameters = [max(placement.SMALLEST_ITEM_PX, math.floor(diameter * placement.SHRINK)) for diameter in diameters]
    colours = [_colours(scene, entity) for entity in scene.entities]
    items = (
        _placed(scene.entities[index].noun, colours[index], corner, diameter, random)
        for index, corner, diameter in zip(things, corners, diameters, strict=True)
    )
    return Layout(size_px, tuple(items))


@dataclass(frozen=True, slots=True)
class _Field:
    """The part of the picture that an entity's things keep to, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)

    @property
    def width_of_disc(self) -> float:
        """How wide a disc may be at the most."""
        return min(self.right - self.left, self.bottom - self.top)


def _fields(scene: Scene, size_px: int) -> list[_Field]:
    places = find_places(scene)
    if places is None:
        raise BadValueError("the places of the scene contradict one another")
    numbers = [entity.number for entity in scene.entities]
    columns, rows = (_bands(ranks, numbers, size_px) for ranks in (places.columns, places.rows))
    return [_Field(left, top, right, bottom) for (left, right), (top, bottom) in zip(columns, rows, strict=True)]


def _bands(ranks: Ranks, numbers: Sequence[int], size_px: int) -> list[tuple[float, float]]:
    """Give each entity its stretch of an axis, with gaps between; the more things of a rank, the wider its band."""
    gap = placement.gap_px(size_px)
    weights = np.full(ranks.total, max(sum(numbers), 1) / ranks.total / 2)
    for rank, number in zip(ranks.of_entity, numbers, strict=True):
        if rank is not None:
            weights[rank] += number
    edges = [0.0, *(np.cumsum(weights) / weights.sum() * size_px).tolist()]
    return [
        (gap, size_px - gap) if rank is None else (edges[rank] + gap, edges[rank + 1] - gap) for rank in ranks.of_entity
    ]


def _random(scene: Scene, seed: int, size_px: int) -> np.random.Generator:
    entities = [[entity.noun, entity.number, entity.colour] for entity in scene.entities]
    relations = [[relation.subject, relation.word, relation.landmark] for relation in scene.relations]
    return np.random.Generator(np.random.PCG64(int(digest("composition", entities, relations, seed, size_px), 16)))


def _diameters(within: Sequence[_Field], size_px: int, random: np.random.Generator) -> list[int]:
    """Draw sizes at random, so large that the most crowded field is covered by its share and no more."""
    gap = placement.gap_px(size_px)
    shares = SMALLEST_TO_LARGEST + (1 - SMALLEST_TO_LARGEST) * random.random(len(within))
    largest = LARGEST_SHARE_OF_SIDE * size_px
    for field in set(within):
        crowded = math.sqrt(COVERED_SHARE * 4 * field.area / (math.pi * MEAN_SQUARE * within.count(field))) - gap
        largest = min(largest, crowded, field.width_of_disc)
    return [max(placement.SMALLEST_ITEM_PX, math.floor(largest * share)) for share in shares]


def _place(
    diameters: Sequence[int], within: Sequence[_Field], size_px: int, random: np.random.Generator
) -> list[tuple[int, int]] | None:
    """Find a top left corner for each disc, the largest first; None where one of them finds no room."""
    taken = np.empty((len(diameters), 3))
    corners = [(0, 0)] * len(diameters)
    for rank, index in enumerate(sorted(range(len(diameters)), key=lambda index: -diameters[index])):
        radius = diameters[index] / 2
        corner = _free_corner(diameters[index], within[index], taken[:rank], random)
        if corner is None:
            return None
        corners[index] = corner
        taken[rank] = (corner[0] + radius, corner[1] + radius, radius + placement.gap_px(size_px))
    return corners


def _free_corner(
    diameter: int, field: _Field, taken: NDArray[np.float64], random: np.random.Generator
) -> tuple[int, int] | None:
    start = np.ceil([field.left, field.top])
    room = np.floor([field.right - diameter, field.bottom - diameter]) - start + 1
    if (room < 1).any():
        return None
    reach = (taken[:, 2] + diameter / 2) ** 2
    for _ in range(placement.BATCHES):
        candidates = start + np.floor(random.random((placement.BATCH, 2)) * room)
        across, down = (candidates[:, axis, None] + diameter / 2 - taken[:, axis] for axis in (0, 1))
        free = np.flatnonzero((across * across + down * down >= reach).all(axis=1))
        if free.size:
            left, top = candidates[free[0]].tolist()
            return int(left), int(top)
    return None


def _colours(scene: Scene, entity: Entity) -> tuple[str, ...]:
    """Give the colours an entity's things may have; without one of their own they keep off their namesakes'."""
    if entity.colour is not None:
        return (entity.colour,)
    asked = {other.colour for other in scene.entities if other.noun == entity.noun}
    natural = glyphs.glyph_of(entity.noun).colours
    free = tuple(colour for colour in natural if colour not in asked)
    return free or tuple(colour for colour in PALETTE if colour not in asked) or natural


def _placed(
    noun: str, colours: Sequence[str], corner: tuple[int, int], side_px: int, random: np.random.Generator
) -> Placed:
    variant = int(random.random() * len(glyphs.glyph_of(noun).drawings))
    return Placed(noun, variant, colours[int(random.random() * len(colours))], *corner, side_px)
