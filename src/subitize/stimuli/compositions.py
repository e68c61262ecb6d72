"""Lays out pictures of scenes: things kept apart, and placed as the scene's relations require.

Also places a thing on or under another, or partly behind or in front of it."""

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import get_args

import numpy as np

from subitize.errors import BadValueError
from subitize.language.scene import ContactWord, Entity, Halves, Pieces, Portion, Ranks, Scene, find_places
from subitize.records import digest
from subitize.stimuli import glyphs, placement
from subitize.stimuli.clipart import HOLDERS, PALETTE
from subitize.stimuli.glyphs import silhouette
from subitize.stimuli.recipes import Layout, PlacedThing

CONTACTS: tuple[ContactWord, ...] = get_args(ContactWord)
_MIDDLE = (0.28, 0.72)  # in shares of the picture, to leave room for the other thing around it
_ASIDE = 0.45  # in shares of the landmark's side, so that the hidden thing stays recognisable
_DEEPER = 0.3  # in shares of the landmark's side, as nearer things reach lower


def find_contacts(scene: Scene) -> dict[int, tuple[ContactWord, int]]:
    """Find the entities of one thing that touch or hide another of one; several things are placed anywhere."""
    found: dict[int, tuple[ContactWord, int]] = {}
    for relation in scene.relations:
        are_single = all(scene.entities[index].number == 1 for index in (relation.subject, relation.landmark))
        for word in CONTACTS:
            if relation.word == word and are_single and relation.landmark not in found:
                found[relation.subject] = word, relation.landmark
    return found


def middle_field(size_px: int) -> placement.Field:
    """Return the middle of the picture, for things that others touch or hide."""
    low, high = (share * size_px for share in _MIDDLE)
    return placement.Field(low, low, high, high)


def put_in_contact(
    thing: PlacedThing, word: ContactWord, landmark: PlacedThing, size_px: int, random: np.random.Generator
) -> PlacedThing:
    """Move a thing onto or under a landmark, or partly behind or in front of it."""
    own, other = _extent(thing), _extent(landmark)
    left = landmark.left + (other[0] + other[2]) / 2 - (own[0] + own[2]) / 2
    if word == "on top of":
        return replace(thing, left=round(left), top=round(landmark.top + other[1] - placement.gap_px(size_px) - own[3]))
    if word == "under":
        return replace(thing, left=round(left), top=round(landmark.top + other[3] + placement.gap_px(size_px) - own[1]))
    aside = _ASIDE * landmark.side_px * (1 if random.random() < 0.5 else -1)
    deeper = _DEEPER * landmark.side_px * (1 if word == "in front of" else -1)
    return replace(thing, left=round(left + aside), top=round(landmark.top + other[3] - own[3] + deeper))


def _extent(thing: PlacedThing) -> tuple[float, float, float, float]:
    """Measure a drawing's extent within its square: left, top, right, bottom, in pixels."""
    left, top, right, bottom = (edge * thing.side_px for edge in silhouette(thing.noun, thing.variant).extent)
    return left, top, right, bottom


MOST_PIECES = 12


def compose(scene: Scene, seed: int, size_px: int) -> Layout:
    """Lay out a picture of a scene; the same scene, seed and size give the same layout."""
    for entity in scene.entities:
        _check_form(entity)
    if scene.grid and scene.relations:
        raise BadValueError("a grid and relations: things stand in the one or in the other")
    holders, contacts = _holders(scene), find_contacts(scene)
    fields = _fields(scene, size_px)
    for _, landmark in contacts.values():
        fields[landmark] = middle_field(size_px)
    number = sum(entity.exact_number for entity in scene.entities)
    placement.check_room(max(number, 1), size_px)
    if not number:
        return Layout(size_px, ())
    random = _random(scene, seed, size_px)
    order = drawing_order(scene)
    loose = [index for index in order if index not in holders and index not in contacts]
    things = [index for index in loose for _ in range(scene.entities[index].exact_number)]
    within = [fields[index] for index in things]
    wanted = _diameters(scene, within, size_px, random)
    is_holder = [index in holders.values() for index in things]
    largest = _HOLDER_ALONE if all(is_holder) else _HOLDER_IN_COMPANY
    for place, (field, holds) in enumerate(zip(within, is_holder, strict=True)):
        if holds:
            wanted[place] = math.floor(largest * field.width_of_disc)
    if scene.grid is None:
        diameters, corners = placement.fit(wanted, size_px, random, fields=within)
    else:
        diameters, corners = placement.fit_into_grid(wanted, size_px, scene.grid)
    items = [
        (index, _placed(scene, index, (*corner, diameter), random))
        for index, corner, diameter in zip(things, corners.tolist(), diameters, strict=True)
    ]
    for holder in dict.fromkeys(holders.values()):
        held = [index for index in order if holders.get(index) == holder]
        items += _lay(scene, held, [item for index, item in items if index == holder], random)
    for subject, (word, landmark) in contacts.items():
        beside = next(item for index, item in items if index == landmark)
        thing = _placed(scene, subject, (0, 0, beside.side_px), random)
        items.append((subject, put_in_contact(thing, word, beside, size_px, random)))
    return Layout(size_px, tuple(item for _, item in sorted(items, key=lambda pair: order.index(pair[0]))))


def drawing_order(scene: Scene) -> list[int]:
    """Order the entities for drawing: those behind others first, those on them last."""
    depths = {"behind": -1, "in": 1, "on": 1, "in front of": 1}
    depth = {relation.subject: depths.get(relation.word, 0) for relation in scene.relations}
    return sorted(range(len(scene.entities)), key=lambda index: depth.get(index, 0))


_SMALLEST_BESIDE_PARTS = 0.8
_HOLDER_ALONE, _HOLDER_IN_COMPANY = 0.98, 0.6
_ELBOW_ROOM = 0.85  # keeps the pieces of a thing nearer to each other than to anything else


def _check_form(entity: Entity) -> None:
    match entity.form:
        case Pieces(number=number, ratio=ratio):
            is_right = 2 <= number <= MOST_PIECES and len(ratio) in (0, number) and all(share > 0 for share in ratio)
        case Portion(share=share):
            is_right = 0 < share < 1
        case Halves(colours=colours):
            is_right = 1 <= len(colours) <= 2
        case _:
            is_right = True
    if not is_right:
        raise BadValueError(
            f"{entity.noun!r} as {entity.form}: drawn are 2 to {MOST_PIECES} pieces, shares between 0 and 1, and halves"
        )


def _holders(scene: Scene) -> dict[int, int]:
    """Find which entities lie in or on which holder; if its number is 0 they lie anywhere."""
    held = {relation.subject: relation.landmark for relation in scene.relations if relation.word in ("in", "on")}
    for subject, holder in held.items():
        noun = scene.entities[holder].noun
        if noun not in HOLDERS:
            raise BadValueError(f"nothing is drawn in or on {noun!r}; a holder is one of: {', '.join(sorted(HOLDERS))}")
        if holder in held:
            raise BadValueError(
                f"{scene.entities[subject].noun!r} would lie in or on what itself lies in or on something"
            )
    return {subject: holder for subject, holder in held.items() if scene.entities[holder].exact_number}


def _lay(
    scene: Scene, held: Sequence[int], under: Sequence[PlacedThing], random: np.random.Generator
) -> Iterator[tuple[int, PlacedThing]]:
    """Lay things in or on their holders, as evenly as their number allows."""
    from subitize.stimuli import cuts  # it takes scipy, which takes longer to import than a picture to draw

    things = [index for index in held for _ in range(scene.entities[index].exact_number)]
    for rank, holder in enumerate(under):
        own = things[rank :: len(under)]
        avoid = cuts.clashing_colours(holder.noun, holder.colour) | {holder.colour}
        sides, corners = cuts.lay(len(own), holder.noun, holder.side_px, random)
        for index, side, (left, top) in zip(own, sides, corners.tolist(), strict=True):
            square = (holder.left + left, holder.top + top, side)
            yield index, _placed(scene, index, square, random, avoid=avoid)


def _fields(scene: Scene, size_px: int) -> list[placement.Field]:
    places = find_places(scene)
    if places is None:
        raise BadValueError("the places of the scene contradict one another")
    numbers = [entity.exact_number for entity in scene.entities]
    columns, rows = (_bands(ranks, numbers, size_px) for ranks in (places.columns, places.rows))
    return [
        placement.Field(left, top, right, bottom) for (left, right), (top, bottom) in zip(columns, rows, strict=True)
    ]


def _bands(ranks: Ranks, numbers: Sequence[int], size_px: int) -> list[tuple[float, float]]:
    """Give each entity its band of an axis, with gaps between; the more things of a rank, the wider its band."""
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
    entities = [[one.noun, one.number, one.colour, *([repr(one.form)] if one.form else [])] for one in scene.entities]
    relations = [[relation.subject, relation.word, relation.landmark] for relation in scene.relations]
    grid = [list(scene.grid)] if scene.grid else []
    key = digest("composition", entities, relations, *grid, seed, size_px)
    return np.random.Generator(np.random.PCG64(int(key, 16)))


def _diameters(scene: Scene, within: Sequence[placement.Field], size_px: int, random: np.random.Generator) -> list[int]:
    """Draw sizes at random, so large that the most crowded field is covered up to its share.

    Beside parts, sizes vary less, which helps to tell parts from wholes.
    """
    gap = placement.gap_px(size_px)
    has_parts = any(entity.form is not None for entity in scene.entities)
    smallest = _SMALLEST_BESIDE_PARTS if has_parts else placement.SMALLEST_TO_LARGEST
    shares = smallest + (1 - smallest) * random.random(len(within))
    largest = placement.LARGEST_SHARE_OF_SIDE * size_px
    for field in set(within):
        mean_square = math.pi * placement.MEAN_SQUARE * within.count(field)
        crowded = math.sqrt(placement.COVERED_SHARE * 4 * field.area / mean_square)
        largest = min(largest, crowded - gap, field.width_of_disc)
    return [max(placement.SMALLEST_ITEM_PX, math.floor(largest * share)) for share in shares]


def _placed(
    scene: Scene,
    index: int,
    square: tuple[int, int, int],
    random: np.random.Generator,
    *,
    avoid: Set[str] = frozenset(),
) -> PlacedThing:
    entity = scene.entities[index]
    variants = _variants(scene, index)
    variant = variants[int(random.random() * len(variants))]
    colours = _colours(scene, entity, avoid)
    colour = colours[int(random.random() * len(colours))]
    match entity.form:
        case Halves(colours=told):
            others = [other for other in glyphs.glyph_of(entity.noun).colours if other not in told]
            return PlacedThing(entity.noun, variant, told[0], *square, Halves((*told, *others)[:2]))
        case Pieces():
            left, top, side_px = square
            margin = math.floor(side_px * (1 - _ELBOW_ROOM) / 2)
            return PlacedThing(
                entity.noun, variant, colour, left + margin, top + margin, side_px - 2 * margin, entity.form
            )
        case Portion():
            return PlacedThing(entity.noun, variant, colour, *square, entity.form)
    return PlacedThing(entity.noun, variant, colour, *square)


def _variants(scene: Scene, index: int) -> Sequence[int]:
    """List the drawings for an entity: only whole ones if its things are cut or hold others."""
    noun = scene.entities[index].noun
    is_holder = any(relation.word in ("in", "on") and relation.landmark == index for relation in scene.relations)
    if is_holder or isinstance(scene.entities[index].form, Pieces | Portion | Halves):
        return glyphs.whole_drawings(noun)
    has_form = any(entity.form is not None for entity in scene.entities if entity.noun == noun)
    return glyphs.uncut_drawings(noun) if has_form else range(len(glyphs.glyph_of(noun).drawings))


def _colours(scene: Scene, entity: Entity, avoid: Set[str]) -> tuple[str, ...]:
    """List the colours for an entity; without a colour of its own it avoids those that are taken."""
    if entity.colour is not None:
        return (entity.colour,)
    taken = {other.colour for other in scene.entities if other.noun == entity.noun} | avoid
    natural = glyphs.glyph_of(entity.noun).colours
    free = tuple(colour for colour in natural if colour not in taken)
    return free or tuple(colour for colour in PALETTE if colour not in taken) or natural
