"""Recognises things that are cut, broken, partial, or of two colours, and large things that hold others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.language.scene import Form, Pieces
from subitize.records import UNKNOWN
from subitize.stimuli import appearance, glyphs
from subitize.stimuli.appearance import sample
from subitize.stimuli.clipart import HOLDERS
from subitize.stimuli.colours import colour_name
from subitize.stimuli.recognition import Recognised, blur, doubt, match, name, recognise_plain, sizes_px, tinted_colours
from subitize.stimuli.references import PART_FORMS, halved_references, part_references
from subitize.stimuli.segmentation import Mask, Region, commonest_colour, components, cut_out, foreground

MOST_PIECES = max(PART_FORMS)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Regions that are the pieces of one thing: their positions, their union, and the thing."""

    members: tuple[int, ...]
    region: Region
    thing: Recognised
    form: Pieces


def join_pieces(regions: Sequence[Region]) -> list[Joined]:
    """Find regions that are pieces of one thing: near each other, and recognised as a whole."""
    found: list[Joined] = []
    for members in _clusters(regions):
        union = _union([regions[index] for index in members])
        thing, _ = recognise_parts(union, len(members))
        if thing.doubt <= 1:
            areas = [int(np.count_nonzero(regions[index].mask)) for index in members]
            found.append(Joined(members, union, thing, Pieces(len(members), _ratio(areas))))
    found.sort(key=lambda joined: joined.thing.doubt)
    taken: set[int] = set()
    kept = []
    for joined in found:
        if not taken & set(joined.members):
            kept.append(joined)
            taken.update(joined.members)
    return kept


_LEEWAY = 2.1  # a chance arrangement of pieces is rarer than a likeness of two things
_NEAR = 0.3  # of the larger piece's longer side
_EQUAL = 1.6  # pieces up to so many times as large as the smallest count as equal


def recognise_parts(region: Region, number: int) -> tuple[Recognised, Form]:
    """Recognise the thing that a region of so many pieces may be; one piece may be half or a quarter of a thing."""
    known, samples = part_references(number), appearance.sample([region])
    bodies = appearance.body_colours(samples)
    leeway = _LEEWAY if number > 1 else 1.0
    matches = match(appearance.describe(samples, bodies), sizes_px([region]), known, leeway=leeway)
    ((colour,), _) = tinted_colours(samples, bodies, matches, known)
    (nearest,), (doubt,) = matches
    form = PART_FORMS[number][known.forms[nearest]]
    return name(known.nouns[nearest], float(doubt), colour_name(*colour.tolist())), form


def _clusters(regions: Sequence[Region]) -> Iterator[tuple[int, ...]]:
    """Join the nearest two again and again; yield every cluster on the way that is not too large."""
    cluster_of: dict[int, tuple[int, ...]] = {index: (index,) for index in range(len(regions))}
    for _, one, other in sorted(_distances(regions)):
        if cluster_of[one] != cluster_of[other]:
            joined = tuple(sorted(cluster_of[one] + cluster_of[other]))
            for index in joined:
                cluster_of[index] = joined
            if len(joined) <= MOST_PIECES:
                yield joined


def _distances(regions: Sequence[Region]) -> Iterator[tuple[float, int, int]]:
    """Measure the distances between regions, where they are short."""
    from scipy.spatial import cKDTree  # takes longer to import than a picture to see

    boxes = np.array([region.xyxy for region in regions]).reshape(-1, 4)
    gaps = np.maximum(boxes[:, None, :2] - boxes[None, :, 2:], boxes[None, :, :2] - boxes[:, None, 2:]).max(axis=2)
    sides = (boxes[:, 2:] - boxes[:, :2]).max(axis=1)
    limits = _NEAR * np.maximum(sides[:, None], sides[None, :])
    edges: dict[int, NDArray[np.int64]] = {}
    for one, other in np.argwhere(np.triu(gaps <= limits, 1)).tolist():
        for index in (one, other):
            if index not in edges:
                edges[index] = _edge(regions[index])
        distance = float(np.min(cKDTree(edges[one]).query(edges[other])[0]))
        if distance <= limits[one, other]:
            yield distance, one, other


def _edge(region: Region) -> NDArray[np.int64]:
    """List the pixels at both ends of every row and column of a region."""
    rows, columns = np.flatnonzero(region.mask.any(axis=1)), np.flatnonzero(region.mask.any(axis=0))
    height, width = region.mask.shape
    points = [
        np.stack([region.mask[rows].argmax(axis=1), rows], axis=1),
        np.stack([width - 1 - region.mask[rows, ::-1].argmax(axis=1), rows], axis=1),
        np.stack([columns, region.mask[:, columns].argmax(axis=0)], axis=1),
        np.stack([columns, height - 1 - region.mask[::-1, columns].argmax(axis=0)], axis=1),
    ]
    return np.asarray(np.concatenate(points) + np.array([region.left, region.top]))


def _union(pieces: Sequence[Region]) -> Region:
    """Put pieces into one region, on white."""
    boxes = np.array([piece.xyxy for piece in pieces]).astype(np.int64)
    (left, top), (right, bottom) = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
    mask = np.zeros((bottom - top, right - left), dtype=np.bool_)
    pixels = np.full((*mask.shape, 3), 255, dtype=np.uint8)
    for piece, (x, y) in zip(pieces, boxes[:, :2].tolist(), strict=True):
        height, width = piece.mask.shape
        where = np.s_[y - top : y - top + height, x - left : x - left + width]
        mask[where] |= piece.mask
        pixels[where][piece.mask] = piece.pixels[piece.mask]
    return Region(left, top, mask, pixels)


def _ratio(areas: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of pieces relative to the smallest, in whole numbers."""
    smallest = min(areas)
    if max(areas) <= _EQUAL * smallest:
        return (1,) * len(areas)
    return tuple(sorted(round(area / smallest) for area in areas))


def recognise_halves(region: Region) -> tuple[Recognised, tuple[str, ...]]:
    """Recognise the thing that a region of two colours may be, and the colours of its halves."""
    known, seen = halved_references(), appearance.sample([region])
    radius = _HALVES_LEEWAY * known.radius * blur(sizes_px([region]))
    outlines = known.appearances[:, : appearance.COARSE * appearance.COARSE]
    near = np.flatnonzero(((outlines - seen.coverage.reshape(1, -1)) ** 2).sum(axis=1) <= radius**2)
    if not near.size:
        return Recognised(UNKNOWN, 1.0, UNKNOWN), ()
    # Every drawing is halved in its own way, so the region is described once for each of a similar outline.
    within, looks = np.repeat(seen.within, near.size, axis=0), np.repeat(seen.colours, near.size, axis=0)
    samples = appearance.Samples(within, looks, np.repeat(seen.coverage, near.size, axis=0))
    bodies = appearance.half_bodies(samples, known.is_second[near])
    squares = ((appearance.describe(samples, bodies) - known.appearances[near]) ** 2).sum(axis=1)
    best = int(squares.argmin())
    noun = known.nouns[near[best]]
    others = [square for square, row in zip(squares, near, strict=True) if known.nouns[row] != noun]
    two_nearest = np.array([[squares[best], min(others, default=np.inf)]])
    tinted = known.takes_colour[near[best]] & seen.within[0, :: appearance.COLOUR_STEP, :: appearance.COLOUR_STEP]
    is_second = known.is_second[near[best]]
    halves = np.stack([tinted & ~is_second, tinted & is_second])
    if np.count_nonzero(halves, axis=(1, 2)).min() < _FEWEST_CELLS:
        return Recognised(UNKNOWN, 1.0, UNKNOWN), ()
    first, second = appearance.middle_colours(np.repeat(seen.colours, 2, axis=0), halves).tolist()
    colours = (colour_name(*first), colour_name(*second))
    return name(noun, float(doubt(two_nearest, radius[near[best]])[0]), " and ".join(colours)), colours


_HALVES_LEEWAY = 1.3
_FEWEST_CELLS = 6


Outlines = NDArray[np.float32]


def recognise_holder(region: Region) -> tuple[Recognised, list[Region]] | None:
    """Recognise a holder by its outline and, once cleared, its look; return it with the things it holds.

    None if the region is not a holder.
    """
    own = sample([region]).coverage.reshape(-1)
    distances = ((_outlines() - own) ** 2).sum(axis=1)
    for index in np.argsort(distances)[:_TRIED].tolist():
        noun = tuple(HOLDERS)[index]
        is_flat = _fitted(noun, region)
        if not is_flat.any():
            continue
        colour = commonest_colour(region.pixels[is_flat]).astype(np.uint8)
        is_on = foreground(region.pixels, (colour, colour)) & is_flat
        cleared = np.where(is_on[..., None], colour, region.pixels)
        thing = recognise_plain(Region(region.left, region.top, region.mask, cleared))
        if thing.kind == noun and np.count_nonzero(is_on) <= _MOST_COVERED * np.count_nonzero(is_flat):
            return thing, [_moved(piece, region) for piece in components(is_on, region.pixels)]
    return None


_TRIED = 3
_MOST_COVERED = 0.6
_EDGE_PX = 2  # on the surface's grid: its edge in a picture is known only so exactly


@lru_cache(maxsize=1)
def _outlines() -> Outlines:
    return sample([_region(noun) for noun in HOLDERS]).coverage.reshape(len(HOLDERS), -1)


def _region(noun: str) -> Region:
    from subitize.stimuli.cuts import SURFACE_PX  # needs scipy, and most pictures show no holder

    drawn = np.asarray(glyphs.sprite(noun, glyphs.PLAIN, "black", SURFACE_PX))
    return cut_out(drawn[..., 3] >= 128, drawn[..., :3])


def _fitted(noun: str, region: Region) -> Mask:
    """Scale the flat part of a holder's drawing to a region."""
    part = Image.fromarray(_flat(noun).view(np.uint8)).resize(region.mask.shape[::-1], Image.Resampling.NEAREST)
    return np.asarray(part).view(np.bool_)


@lru_cache(maxsize=len(HOLDERS))
def _flat(noun: str) -> Mask:
    """Find the flat part of a holder's drawing, a little within its edge."""
    from scipy import ndimage

    from subitize.stimuli.cuts import surface

    whole = _region(noun)
    height, width = whole.mask.shape
    part = ndimage.binary_erosion(surface(noun), iterations=_EDGE_PX)
    return np.ascontiguousarray(part[whole.top : whole.top + height, whole.left : whole.left + width])


def _moved(piece: Region, holder: Region) -> Region:
    """Move a thing to its place in the picture, on white, as the holder shows through its holes."""
    pixels = np.where(piece.mask[..., None], piece.pixels, np.uint8(255))
    return Region(holder.left + piece.left, holder.top + piece.top, piece.mask, pixels)
