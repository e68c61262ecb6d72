"""What our drawings look like, whole and in parts: computed from the drawings themselves, once per machine.

New clip-art is recognised without further work. Each drawing is seen on white in a few colours that represent all
others: a dark and a light hue, black and white. References of parts are computed when first needed: most pictures
show none."""

import contextlib
import os
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from importlib.metadata import version
from itertools import chain, compress, groupby
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

from subitize.errors import BadFileError
from subitize.io.files import open_input
from subitize.language.scene import Form, Pieces, Portion, Whole
from subitize.records import digest
from subitize.stimuli.appearance import Appearances, body_colours, describe, half_bodies, sample
from subitize.stimuli.clipart import BARE, PALETTE
from subitize.stimuli.glyphs import GLYPHS, PLAIN, rasterise, svg, whole_drawings
from subitize.stimuli.segmentation import Mask, Region, cut_out, foreground

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

REFERENCE_COLOURS = ("blue", "yellow", "black", "white")


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """One row per view of a drawing: the noun, the form, the appearance, and where it takes the colour asked for."""

    nouns: tuple[str, ...]
    forms: NDArray[np.intp]  # positions among the forms that were drawn
    appearances: Appearances
    takes_colour: Mask
    radius: NDArray[np.float32]  # how far from it a thing of the same kind may look
    squares: NDArray[np.float32]  # each appearance's square length
    first_of_kind: NDArray[np.intp]  # the rows where another noun begins


Kept = TypeVar("Kept", bound=References)


@dataclass(frozen=True, slots=True, eq=False)
class HalvedReferences(References):
    """References of whole drawings, described half by half, with the cells that belong to the second half."""

    is_second: Mask


# Forms of things by number of pieces. Half a dot is a shape of its own, and not recognised as a half.
PART_FORMS: Mapping[int, tuple[Form, ...]] = {
    1: (Portion(Fraction(1, 2)), Portion(Fraction(1, 4))),
    2: (Pieces(2), Pieces(2, (1, 2))),
    3: (Pieces(3, (1, 1, 1)),),
    4: (Pieces(4, (1, 1, 1, 1)),),
    5: (Pieces(5, (1, 1, 1, 1, 1)),),
}
_SHAPES_OF_THEIR_OWN = frozenset({"dot"})


@lru_cache(maxsize=1)
def references() -> References:
    """Recall what every drawing looks like, except those drawn plain."""
    known = all_references()
    kept = known.forms == 0
    nouns = tuple(compress(known.nouns, kept))
    rows = ("forms", "appearances", "takes_colour", "radius", "squares")
    return References(nouns, first_of_kind=_starts(nouns), **{name: getattr(known, name)[kept] for name in rows})


@lru_cache(maxsize=1)
def all_references() -> References:
    """Recall what every drawing looks like, or compute it, which takes a second.

    The second form is that of things drawn plain, to hold others or to be cut.
    """
    return _recall("references", References, look_at_drawings)


@lru_cache(maxsize=len(PART_FORMS))
def part_references(number: int) -> References:
    """Recall what every drawing looks like in so many pieces; one piece is a portion."""
    return _recall(f"parts-{number}", References, lambda: look_at_parts(PART_FORMS[number]))


@lru_cache(maxsize=1)
def halved_references() -> HalvedReferences:
    """Recall what both halves of every drawing look like."""
    return _recall("halves", HalvedReferences, look_at_halves)


def look_at_drawings() -> References:
    """Look at every drawing of every glyph in every reference colour, large and small."""
    drawn = _drawn()
    with ThreadPoolExecutor() as threads:  # rendering lets other threads run
        sprites = threads.map(lambda thing: rasterise(svg(*thing), _LARGE_PX, ground="#ffffff"), drawn)
        large = [sprite.convert("RGB") for sprite in sprites]
    small = [image.resize((_SMALL_PX, _SMALL_PX), Image.Resampling.HAMMING) for image in large]
    views = zip(drawn, _cut_out(large), _cut_out(small), strict=True)
    return _references(
        [
            (_View(noun, variant, colour, int(variant == PLAIN)), view)
            for (noun, variant, colour), *both in views
            for view in both
            if view.mask.size
        ]
    )


def look_at_parts(forms: Sequence[Form]) -> References:
    """Look at every drawing of a whole thing in these forms, in every reference colour."""
    views = [
        _View(noun, variant, colour, row)
        for noun, variant in _whole()
        for row, form in enumerate(forms)
        if not (isinstance(form, Portion) and noun in _SHAPES_OF_THEIR_OWN)
        for colour in REFERENCE_COLOURS
    ]
    images = _rendered(views, forms)
    seen = zip(views, _cut_out(images), strict=True)
    return _references([(view, region) for view, region in seen if region.mask.size])


def look_at_halves() -> HalvedReferences:
    """Look at both halves of every drawing of a whole thing, in every reference colour."""
    views = [_View(*thing, colour, 0) for thing in _whole() for colour in REFERENCE_COLOURS]
    images = _rendered(views, [Whole()])
    halves = [_on_white(_second_half(view)) for view in views]
    seen = [
        (view, region, _crop(half, region))
        for view, region, half in zip(views, _cut_out(images), halves, strict=True)
        if region.mask.size
    ]
    is_second = sample([half for _, _, half in seen]).colours[..., 0] < 128
    samples = sample([region for _, region, _ in seen])
    appearances = describe(samples, half_bodies(samples, is_second))
    whole = _references([(view, region) for view, region, _ in seen], appearances)
    return HalvedReferences(**{field.name: getattr(whole, field.name) for field in fields(whole)}, is_second=is_second)


def _drawn() -> list[tuple[str, int, str]]:
    return [
        (noun, variant, colour)
        for noun, glyph in GLYPHS.items()
        for variant in (*range(len(glyph.drawings)), *((PLAIN,) if noun in BARE else ()))
        for colour in REFERENCE_COLOURS
    ]


def _whole() -> list[tuple[str, int]]:
    return [(noun, variant) for noun in GLYPHS for variant in whole_drawings(noun)]


@dataclass(frozen=True, slots=True)
class _View:
    """A drawing in a colour and a form, given by its position."""

    noun: str
    variant: int
    colour: str
    form: int


def _references(seen: Sequence[tuple[_View, Region]], appearances: Appearances | None = None) -> References:
    views = [view for view, _ in seen]
    nouns = tuple(view.noun for view in views)
    samples = sample([region for _, region in seen])
    if appearances is None:
        appearances = describe(samples, body_colours(samples))
    return References(
        nouns,
        np.array([view.form for view in views], dtype=np.intp),
        appearances,
        _is_near(samples.colours, np.array([ImageColor.getrgb(PALETTE[view.colour].plain) for view in views])),
        _radii(appearances, _starts([(view.noun, view.variant, view.form) for view in views])),
        (appearances**2).sum(axis=1),
        _starts(nouns),
    )


def _recall(name: str, kind: type[Kept], look: Callable[[], Kept]) -> Kept:
    """Read references from the cache; compute them if they are missing or unreadable."""
    sources = [svg(*thing) for thing in _drawn()]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "subitize"
    file = folder / f"{name}-{digest(_ways_of_looking(), sources, _whole())}.npz"
    with _LOOKING:
        found = _read(file, kind)
        if found is None:
            with _no_other_process(folder):  # only one of several that start together computes them
                found = _read(file, kind) or _keep(look(), file)
    return found


def _read(file: Path, kind: type[Kept]) -> Kept | None:
    try:
        with open_input(file, None) as opened, np.load(opened, allow_pickle=False) as kept:
            arrays = {field.name: kept[field.name] for field in fields(kind)}
    except (BadFileError, OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return kind(**(arrays | {"nouns": tuple(arrays["nouns"].tolist())}))


@contextlib.contextmanager
def _no_other_process(folder: Path) -> Iterator[None]:
    """Wait while another process computes; where folders cannot be locked, as on Windows, each computes its own."""
    with contextlib.ExitStack() as held:
        if fcntl is not None:
            with contextlib.suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                lock = os.open(folder, os.O_RDONLY)
                held.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX)
                held.callback(fcntl.flock, lock, fcntl.LOCK_UN)  # a forked process holds the folder open, too
        yield


def _ways_of_looking() -> list[str]:
    """List the code and library versions that the result depends on; another's cache is not read."""
    here, names = Path(__file__).parent, ("appearance", "cuts", "glyphs", "references", "segmentation")
    versions = [version(library) for library in ("numpy", "scipy", "pillow", "resvg-py")]
    return [*versions, *((here / f"{name}.py").read_text(encoding="utf-8") for name in names)]


def _keep(found: Kept, file: Path) -> Kept:
    """Cache references for the next process, if the folder can be written."""
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as opened:
            np.savez(opened, allow_pickle=False, **{f.name: np.asarray(getattr(found, f.name)) for f in fields(found)})
        partial.replace(file)
        _remove_forgotten(file)
    return found


def _remove_forgotten(file: Path) -> None:
    """Remove files of the same kind older than a month; an installation that still needs one computes it again."""
    kind = file.name.rpartition("-")[0]
    for other in file.parent.glob(f"{kind}-*"):
        if other != file and time.time() - other.stat().st_mtime > _FORGOTTEN_SECONDS:
            other.unlink()


_LOOKING = threading.Lock()  # one thread computes, the others read its cache
# Several versions may be installed side by side: they leave one another's files alone.
_FORGOTTEN_SECONDS = 30 * 24 * 3600
# As in pictures of about ten and of a hundred things; larger things look like the first.
_LARGE_PX, _SMALL_PX = 40, 24
_PART_PX = 88  # parts of things are seen in pictures of few
_NEAR = 16
# Chosen so that in benchmarks.observer our things are well inside and foreign ones outside.
_LEAST_REACH, _REACH_BY_SPREAD = 1.1, 0.75
_WHITE_GROUND = (np.full(3, 255, dtype=np.uint8),) * 2


def _rendered(views: Sequence[_View], forms: Sequence[Form]) -> list[Image.Image]:
    """Render the views, those of one drawing in one thread, so that its cuts are computed once for all colours."""

    from subitize.stimuli import cuts  # needs scipy, slower to import than a picture is to see

    def render(same: Sequence[_View]) -> list[Image.Image]:
        return [_on_white(cuts.sprite(v.noun, v.variant, v.colour, _PART_PX, forms[v.form])) for v in same]

    by_drawing = [tuple(same) for _, same in groupby(views, key=lambda view: (view.noun, view.variant))]
    with ThreadPoolExecutor() as threads:
        return list(chain.from_iterable(threads.map(render, by_drawing)))


def _on_white(sprite: Image.Image) -> Image.Image:
    image = Image.new("RGB", sprite.size, "white")
    image.paste(sprite, (0, 0), sprite)
    return image


def _second_half(view: _View) -> Image.Image:
    """Draw the second half in black on transparent ground."""
    from subitize.stimuli import cuts

    is_second = cuts.cut(view.noun, view.variant, (1, 1), is_broken=False) == 1
    mask = Image.fromarray(is_second.view(np.uint8) * np.uint8(255)).resize((_PART_PX, _PART_PX))
    return Image.merge("RGBA", (*Image.new("RGB", mask.size).split(), mask))


def _crop(image: Image.Image, region: Region) -> Region:
    """Cut a region's box out of another image."""
    height, width = region.mask.shape
    pixels = np.asarray(image)[region.top : region.top + height, region.left : region.left + width]
    return Region(region.left, region.top, region.mask, pixels)


def _cut_out(images: Sequence[Image.Image]) -> Iterator[Region]:
    """Cut things out of their white ground, with all their parts; nearly white things leave nothing."""
    pixels = np.stack([np.asarray(image) for image in images])
    count, height, width, _ = pixels.shape
    masks = foreground(pixels.reshape(count * height, width, 3), _WHITE_GROUND).reshape(count, height, width)
    for own, mask in zip(pixels, masks, strict=True):
        yield cut_out(mask, own)


def _is_near(colours: NDArray[np.uint8], wanted: NDArray[np.int64]) -> Mask:
    differences = np.abs(colours.astype(np.int16) - wanted[:, None, None, :].astype(np.int16))
    return np.asarray((differences <= _NEAR).all(axis=3))


def _starts(names: Sequence[object]) -> NDArray[np.intp]:
    """Find the rows where another name begins."""
    return np.array([row for row, name in enumerate(names) if row == 0 or name != names[row - 1]], dtype=np.intp)


def _radii(appearances: Appearances, first_of_drawing: NDArray[np.intp]) -> NDArray[np.float32]:
    """Give a drawing a larger radius the more its views differ: a disc looks the same in every colour and size."""
    counts = np.diff(np.append(first_of_drawing, len(appearances)))
    means = np.add.reduceat(appearances, first_of_drawing) / counts[:, None]
    squares = ((appearances - np.repeat(means, counts, axis=0)) ** 2).sum(axis=1)
    spread = np.sqrt(np.add.reduceat(squares, first_of_drawing) / counts)
    return np.repeat(_LEAST_REACH + _REACH_BY_SPREAD * spread, counts).astype(np.float32)
