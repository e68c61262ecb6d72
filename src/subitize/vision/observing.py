"""The observer's eye: every thing in a picture, with its kind, its colour, its form and where it is."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from subitize.io.images import Rgb, decode
from subitize.language.scene import Halves, Whole
from subitize.records import UNKNOWN, Box
from subitize.vision.recognition import Recognised, recognise, recognise_plain
from subitize.vision.segmentation import Region, regions
from subitize.vision.sight import Seen, Sight


def look_at(picture: bytes) -> tuple[Box, ...]:
    """Find and name the things in an encoded picture."""
    return see_picture(picture).boxes()


@lru_cache(maxsize=8)  # a suite asks several questions about one picture, one after the other
def see_picture(picture: bytes) -> Sight:
    """See what there is in an encoded picture."""
    return see(decode(picture))


def see(pixels: Rgb) -> Sight:
    """Find and name the things in a picture, also those that are cut or of two colours, and those in or on others.

    What looks like none of our drawings is labelled "unknown". The score is how well a thing fits its label: 1 if it
    looks just like a drawing, .5 on the limit to unknown.
    """
    found = regions(pixels)
    seen: list[Seen] = []
    loose: list[tuple[Region, Recognised]] = []
    for region, thing in zip(found, recognise(found), strict=True):
        if max(region.mask.shape) < _LEAST_HOLDER * min(pixels.shape[:2]):
            loose.append((region, thing))
        else:
            seen += _see_holder(region, thing, len(seen))
    return Sight((*seen, *_see_loose(loose)))


_LEAST_HOLDER = 0.27  # of the picture's shorter side: on smaller ones nothing would be made out
_LEEWAY = 0.7  # a square is no shelf, and a wheel no pizza
_LEAST_PART_PX = 20
_MOST_SCRAPS = 64  # more are no pieces of a few things


def _see_holder(region: Region, thing: Recognised, position: int) -> Iterator[Seen]:
    from subitize.vision.holders import look_into  # most pictures show no holder

    holder, held = look_into(region) or (None, [])
    if holder is None or holder.doubt > thing.doubt:
        yield from _see_loose([(region, thing)])
        return
    yield _seen(region, holder)
    yield from _see_loose(list(zip(held, recognise(held), strict=True)), position)


def _see_loose(loose: Sequence[tuple[Region, Recognised]], holder: int | None = None) -> Iterator[Seen]:
    odd: list[tuple[Region, Recognised]] = []
    for region, thing in loose:
        known = thing if thing.kind != UNKNOWN else recognise_plain(region, leeway=_LEEWAY)
        if known.kind == UNKNOWN:
            odd.append((region, thing))
        else:
            yield _see_known(region, known, holder)
    if odd:
        yield from _see_odd(odd, holder)


def _see_known(region: Region, thing: Recognised, holder: int | None) -> Seen:
    if thing.is_mixed:
        from subitize.vision.parts import recognise_halves  # most things have one colour

        other, colours = recognise_halves(region)
        if other.kind == thing.kind and other.doubt < thing.doubt and len(set(colours)) == 2:
            return Seen(other.kind, other.score, region.xyxy, colours, Halves(colours), holder)
    return _seen(region, thing, holder)


def _see_odd(odd: Sequence[tuple[Region, Recognised]], holder: int | None) -> Iterator[Seen]:
    """See what looks like no whole thing: the pieces of one, a part of one, one of two colours, or none of these."""
    from subitize.vision.parts import join_pieces  # most pictures show whole things only

    joined = join_pieces([region for region, _ in odd]) if 1 < len(odd) <= _MOST_SCRAPS else []
    for one in joined:
        yield Seen(one.thing.kind, one.thing.score, one.region.xyxy, (one.thing.colour,), one.form, holder)
    taken = {index for one in joined for index in one.members}
    for index, (region, thing) in enumerate(odd):
        if index not in taken:
            yield _see_part(region, thing, holder)


def _see_part(region: Region, thing: Recognised, holder: int | None) -> Seen:
    from subitize.vision.parts import recognise_halves, recognise_parts

    if max(region.mask.shape) < _LEAST_PART_PX:
        return _seen(region, thing, holder)
    portion, form = recognise_parts(region, 1)
    two, colours = recognise_halves(region)
    if min(portion.doubt, two.doubt) > 1 or (two.doubt < portion.doubt and len(set(colours)) < 2):
        return _seen(region, thing, holder)
    if portion.doubt <= two.doubt:
        return Seen(portion.kind, portion.score, region.xyxy, (portion.colour,), form, holder)
    return Seen(two.kind, two.score, region.xyxy, colours, Halves(colours), holder)


def _seen(region: Region, thing: Recognised, holder: int | None = None) -> Seen:
    form = None if thing.kind == UNKNOWN else Whole()
    return Seen(thing.kind, thing.score, region.xyxy, (thing.colour,), form, holder)
