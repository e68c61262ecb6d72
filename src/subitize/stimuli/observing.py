"""Finds every thing in a picture with its kind, colours, form and place, and checks whether a scene holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import get_args

from subitize.io.images import Rgb, decode
from subitize.language import scene as scenes
from subitize.language.questions import MOST_FEW
from subitize.records import UNKNOWN, Box, RelationWord
from subitize.stimuli.parts import join_pieces, recognise_halves, recognise_holder, recognise_parts
from subitize.stimuli.recognition import Recognised, recognise, recognise_plain
from subitize.stimuli.segmentation import Region, regions


@dataclass(frozen=True, slots=True)
class SeenThing:
    """A thing in a picture; an unknown one has form None. `holder` is the position of what it is in or on.

    Two colours are those of its halves.
    """

    kind: str
    score: float
    xyxy: tuple[float, float, float, float]
    colours: tuple[str, ...]
    form: scenes.Form | None = None
    holder: int | None = None


@dataclass(frozen=True, slots=True)
class SceneView:
    """Everything seen in a picture; a holder comes before what it holds."""

    things: tuple[SeenThing, ...]

    def boxes(self) -> tuple[Box, ...]:
        """Return everything as boxes, from top left to bottom right; a portion has a label of its own."""
        boxes = (Box(_label(one), one.score, one.xyxy, " and ".join(dict.fromkeys(one.colours))) for one in self.things)
        return tuple(sorted(boxes, key=lambda box: (box.xyxy[1], box.xyxy[0])))


def _label(thing: SeenThing) -> str:
    if isinstance(thing.form, scenes.Portion):
        return f"{_SHARES.get(thing.form.share, str(thing.form.share))} {thing.kind}"
    return thing.kind


_SHARES = {Fraction(1, 2): "half", Fraction(1, 4): "quarter"}


def holds(scene: scenes.Scene, view: SceneView) -> bool:
    """Return whether a picture has the scene's numbers of things, in its places, with its comparisons and grid."""
    numbers = [len(_things(scene, index, view)) for index in range(len(scene.entities))]
    told = scene.entities if scene.relations else [_with_twins(entity, scene) for entity in scene.entities]
    return (
        all(_is_so_many(number, entity) for number, entity in zip(numbers, told, strict=True))
        and all(_compares(comparison, numbers) for comparison in scene.comparisons)
        and (scene.grid is None or _are_in_grid(_things(scene, 0, view), scene.grid[1]))
    )


def _with_twins(entity: scenes.Entity, scene: scenes.Scene) -> scenes.Entity:
    """Add up equal entities: an apple, an apple and an apple are three."""
    twins = [other for other in scene.entities if replace(other, number=entity.number) == entity]
    if len(twins) == 1 or not all(isinstance(twin.number, int) for twin in twins):
        return entity
    return replace(entity, number=sum(twin.exact_number for twin in twins))


def _are_in_grid(things: Sequence[SeenThing], columns: int) -> bool:
    """Return whether things form rows and columns: a straight line crosses all things of each."""
    down = sorted(things, key=lambda thing: thing.xyxy[1] + thing.xyxy[3])
    rows = [sorted(down[at : at + columns], key=lambda one: one.xyxy[0]) for at in range(0, len(down), columns)]
    upright = [[row[rank] for row in rows if rank < len(row)] for rank in range(columns)]
    return all(_are_in_line(row, 1) for row in rows) and all(_are_in_line(column, 0) for column in upright)


def _are_in_line(things: Sequence[SeenThing], axis: int) -> bool:
    starts, ends = ([thing.xyxy[side] for thing in things] for side in (axis, axis + 2))
    return not things or max(starts) < min(ends)


def _things(scene: scenes.Scene, index: int, view: SceneView) -> list[SeenThing]:
    """Find the things of an entity, where its relations put them, without those that fit a more specific namesake."""
    entity = scene.entities[index]
    namesakes = [other for other in scene.entities if other.noun == entity.noun and _says_more(other, entity)]
    relations = [relation for relation in scene.relations if relation.subject == index]
    return [
        thing
        for thing in view.things
        if _fits(thing, entity)
        and not any(_fits(thing, other) for other in namesakes)
        and all(_stands(thing, relation, scene, view) for relation in relations)
    ]


def _says_more(other: scenes.Entity, entity: scenes.Entity) -> bool:
    colour = other.colour == entity.colour or entity.colour is None
    form = other.form == entity.form or entity.form is None
    return other != entity and colour and form and (other.colour, other.form) != (entity.colour, entity.form)


def _fits(thing: SeenThing, entity: scenes.Entity) -> bool:
    is_of_colour = entity.colour is None or thing.colours == (entity.colour,)
    return thing.kind == entity.noun and is_of_colour and _has_form(thing.form, entity.form)


def _has_form(seen: scenes.Form | None, told: scenes.Form | None) -> bool:
    """Return whether a form is the one described; without a description any form fits, but not a portion."""
    match seen, told:
        case scenes.Portion(), None:
            return False
        case _, None:
            return True
        case scenes.Pieces(number=number, ratio=ratio), scenes.Pieces(number=wanted, ratio=sizes):
            return number == wanted and sizes in ((), tuple(sorted(ratio)), ratio)
        case scenes.Halves(colours=colours), scenes.Halves(colours=wanted_colours):
            return set(wanted_colours) <= set(colours)
    return seen == told


def _stands(thing: SeenThing, relation: scenes.Relation, scene: scenes.Scene, view: SceneView) -> bool:
    landmarks = [other for other in view.things if _fits(other, scene.entities[relation.landmark])]
    if relation.word == "in" or relation.word == "on":
        return thing.holder is not None and view.things[thing.holder] in landmarks
    return bool(landmarks) and all(_is_beside(thing, relation.word, other) for other in landmarks)


def _is_beside(thing: SeenThing, word: RelationWord | scenes.ContactWord, other: SeenThing) -> bool:
    if word in get_args(scenes.ContactWord):
        raise ValueError(f"what is {word!r} what is told by boxes (labels/boxes.py)")
    axis = 0 if word in ("left of", "right of") else 1
    own, others = (seen.xyxy[axis] + seen.xyxy[axis + 2] for seen in (thing, other))
    return own < others if word in ("left of", "above") else own > others


def _is_so_many(number: int, entity: scenes.Entity) -> bool:
    match entity.number:
        case "some":
            return number >= 1
        case "few":
            return 1 <= number <= MOST_FEW
        case "many":
            return number > MOST_FEW
    return number == entity.number


def _compares(comparison: scenes.Comparison, numbers: Sequence[int]) -> bool:
    own, other = numbers[comparison.subject], numbers[comparison.other]
    match comparison.word:
        case "fewer":
            return own < other
        case "as many":
            return own == other
        case "more":
            return own > other


def look_at(picture: bytes) -> tuple[Box, ...]:
    """Find and name the things in an encoded picture."""
    return see_picture(picture).boxes()


@lru_cache(maxsize=8)  # a suite asks several questions about one picture, one after the other
def see_picture(picture: bytes) -> SceneView:
    """Find everything in an encoded picture."""
    return see(decode(picture))


def see(pixels: Rgb) -> SceneView:
    """Find and name the things in a picture, also those that are cut or of two colours, and those in or on others.

    A thing that looks like none of our drawings is "unknown". The score is how well a thing fits its label: 1 if it
    looks just like a drawing, .5 at the limit to unknown.
    """
    found = regions(pixels)
    seen: list[SeenThing] = []
    loose: list[tuple[Region, Recognised]] = []
    for region, thing in zip(found, recognise(found), strict=True):
        if max(region.mask.shape) < _LEAST_HOLDER * min(pixels.shape[:2]):
            loose.append((region, thing))
        else:
            seen += _see_holder(region, thing, len(seen))
    return SceneView((*seen, *_see_loose(loose)))


_LEAST_HOLDER = 0.27  # of the picture's shorter side: smaller holders show too little
_LEEWAY = 0.7  # stricter, as a square is not a shelf, nor a wheel a pizza
_LEAST_PART_PX = 20
_MOST_SCRAPS = 64  # more cannot be the pieces of a few things


def _see_holder(region: Region, thing: Recognised, position: int) -> Iterator[SeenThing]:
    holder, held = recognise_holder(region) or (None, [])
    if holder is None or holder.doubt > thing.doubt:
        yield from _see_loose([(region, thing)])
        return
    yield _seen(region, holder)
    yield from _see_loose(list(zip(held, recognise(held), strict=True)), position)


def _see_loose(loose: Sequence[tuple[Region, Recognised]], holder: int | None = None) -> Iterator[SeenThing]:
    odd: list[tuple[Region, Recognised]] = []
    for region, thing in loose:
        known = thing if thing.kind != UNKNOWN else recognise_plain(region, leeway=_LEEWAY)
        if known.kind == UNKNOWN:
            odd.append((region, thing))
        else:
            yield _see_known(region, known, holder)
    if odd:
        yield from _see_odd(odd, holder)


def _see_known(region: Region, thing: Recognised, holder: int | None) -> SeenThing:
    if thing.is_mixed:
        other, colours = recognise_halves(region)
        if other.kind == thing.kind and other.doubt < thing.doubt and len(set(colours)) == 2:
            return SeenThing(other.kind, other.score, region.xyxy, colours, scenes.Halves(colours), holder)
    return _seen(region, thing, holder)


def _see_odd(odd: Sequence[tuple[Region, Recognised]], holder: int | None) -> Iterator[SeenThing]:
    """Name regions that look like no whole thing: pieces or a part of one, a thing of two colours, or unknown."""
    joined = join_pieces([region for region, _ in odd]) if 1 < len(odd) <= _MOST_SCRAPS else []
    for one in joined:
        yield SeenThing(one.thing.kind, one.thing.score, one.region.xyxy, (one.thing.colour,), one.form, holder)
    taken = {index for one in joined for index in one.members}
    for index, (region, thing) in enumerate(odd):
        if index not in taken:
            yield _see_part(region, thing, holder)


def _see_part(region: Region, thing: Recognised, holder: int | None) -> SeenThing:
    if max(region.mask.shape) < _LEAST_PART_PX:
        return _seen(region, thing, holder)
    portion, form = recognise_parts(region, 1)
    two, colours = recognise_halves(region)
    if min(portion.doubt, two.doubt) > 1 or (two.doubt < portion.doubt and len(set(colours)) < 2):
        return _seen(region, thing, holder)
    if portion.doubt <= two.doubt:
        return SeenThing(portion.kind, portion.score, region.xyxy, (portion.colour,), form, holder)
    return SeenThing(two.kind, two.score, region.xyxy, colours, scenes.Halves(colours), holder)


def _seen(region: Region, thing: Recognised, holder: int | None = None) -> SeenThing:
    form = None if thing.kind == UNKNOWN else scenes.Whole()
    return SeenThing(thing.kind, thing.score, region.xyxy, (thing.colour,), form, holder)
