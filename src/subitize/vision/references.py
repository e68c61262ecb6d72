"""What our drawings look like: computed from the drawings themselves, once per machine.

Whatever is added to the clip-art is known from then on. Each drawing is looked at on white in a few colours that
stand for all others: a dark and a light one of strong hue, and the ends of the scale without hue.
"""

import contextlib
import io
import os
import sys
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import resvg_py
from numpy.typing import NDArray
from PIL import Image

from subitize.drawing.clipart.glyph import PALETTE
from subitize.drawing.glyphs import GLYPHS, svg
from subitize.records import digest
from subitize.vision import appearance, sampling, segmentation
from subitize.vision.appearance import Appearances, body_colours, describe
from subitize.vision.sampling import sample
from subitize.vision.segmentation import Background, Mask, Region, foreground

REFERENCE_COLOURS = ("blue", "yellow", "black", "white")


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """One row per view of a drawing: the noun, the appearance, and where it takes the colour asked for."""

    nouns: tuple[str, ...]
    appearances: Appearances
    takes_colour: Mask
    reach: NDArray[np.float32]  # how far from it a thing may look and still be one
    squares: NDArray[np.float32]  # each appearance's square length
    first_of_kind: NDArray[np.intp]  # the rows where another noun begins


@lru_cache(maxsize=1)
def references() -> References:
    """Recall what every drawing looks like, or look at them all, which takes a second."""
    sources = [svg(noun, variant, colour) for noun, variant, colour in _drawn()]
    file = _cache_folder() / f"references-{digest(_ways_of_looking(), sources)}.npz"
    return _recall(file) or _keep(look_at_drawings(), file)


def look_at_drawings() -> References:
    """Look at every drawing of every glyph in every reference colour, large and small."""
    drawn = _drawn()
    with ThreadPoolExecutor() as threads:  # rendering lets other threads run
        large = list(threads.map(lambda thing: _render(svg(*thing)), drawn))
    small = [image.resize((_SMALL_PX, _SMALL_PX), Image.Resampling.HAMMING) for image in large]
    views = zip(drawn, _cut_out(large), _cut_out(small), strict=True)
    visible = [(*thing, view) for thing, *both in views for view in both if view.mask.size]
    nouns = tuple(noun for noun, _, _, _ in visible)
    samples = sample([view for _, _, _, view in visible])
    appearances = describe(samples, body_colours(samples))
    return References(
        nouns,
        appearances,
        _is_near(samples.colours, np.array([_channels(PALETTE[colour].plain) for _, _, colour, _ in visible])),
        _reach(appearances, _starts([(noun, variant) for noun, variant, _, _ in visible])),
        (appearances**2).sum(axis=1),
        _starts(nouns),
    )


def _drawn() -> list[tuple[str, int, str]]:
    return [
        (noun, variant, colour)
        for noun, glyph in GLYPHS.items()
        for variant in range(len(glyph.drawings))
        for colour in REFERENCE_COLOURS
    ]


def _ways_of_looking() -> list[str]:
    """Give the code and the libraries that the result depends on: what others have kept is not recalled."""
    modules = (appearance, sampling, segmentation, sys.modules[__name__])
    versions = [version(library) for library in ("numpy", "scipy", "pillow", "resvg-py")]
    return [*versions, *(Path(str(module.__file__)).read_text(encoding="utf-8") for module in modules)]


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "subitize"


def _recall(file: Path) -> References | None:
    """Read what was kept; whatever is wrong with it, looking again is the answer."""
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as kept:
            arrays = {field.name: kept[field.name] for field in fields(References)}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return References(**(arrays | {"nouns": tuple(arrays["nouns"].tolist())}))


def _keep(found: References, file: Path) -> References:
    """Keep it for the next process, if there is a place for it."""
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as opened:
            np.savez(opened, allow_pickle=False, **{f.name: np.asarray(getattr(found, f.name)) for f in fields(found)})
        partial.replace(file)
    return found


# As in pictures of some ten and of a hundred things; what is larger looks like the first.
_LARGE_PX, _SMALL_PX = 40, 24
_NEAR = 16
# So that in benchmarks.observer things of ours stay well inside and foreign ones outside.
_LEAST_REACH, _REACH_BY_SPREAD = 1.1, 0.75
_WHITE_GROUND = Background(np.full(3, 255, dtype=np.uint8), np.full(3, 255, dtype=np.uint8))


def _render(source: str) -> Image.Image:
    png = resvg_py.svg_to_bytes(
        svg_string=source, width=_LARGE_PX, height=_LARGE_PX, background="#ffffff", skip_system_fonts=True
    )
    return Image.open(io.BytesIO(png), formats=["PNG"]).convert("RGB")


def _cut_out(images: Sequence[Image.Image]) -> Iterator[Region]:
    """Cut things out of their white ground, all of their parts; nothing is left of what is as good as white."""
    pixels = np.stack([np.asarray(image) for image in images])
    count, height, width, _ = pixels.shape
    masks = foreground(pixels.reshape(count * height, width, 3), _WHITE_GROUND).reshape(count, height, width)
    for own, mask in zip(pixels, masks, strict=True):
        (top, bottom), (left, right) = _span(np.asarray(mask.any(axis=1))), _span(np.asarray(mask.any(axis=0)))
        yield Region(left, top, mask[top:bottom, left:right], own[top:bottom, left:right])


def _span(is_used: Mask) -> tuple[int, int]:
    used = np.flatnonzero(is_used)
    return (int(used[0]), int(used[-1]) + 1) if used.size else (0, 0)


def _is_near(colours: NDArray[np.uint8], wanted: NDArray[np.int64]) -> Mask:
    differences = np.abs(colours.astype(np.int16) - wanted[:, None, None, :].astype(np.int16))
    is_near: Mask = (differences[..., 0] <= _NEAR) & (differences[..., 1] <= _NEAR) & (differences[..., 2] <= _NEAR)
    return is_near


def _starts(names: Sequence[object]) -> NDArray[np.intp]:
    """Tell where another name begins."""
    return np.array([row for row, name in enumerate(names) if row == 0 or name != names[row - 1]], dtype=np.intp)


def _reach(appearances: Appearances, first_of_drawing: NDArray[np.intp]) -> NDArray[np.float32]:
    """Let a drawing reach farther the more its own views differ: a disc looks the same in every colour and size."""
    counts = np.diff(np.append(first_of_drawing, len(appearances)))
    means = np.add.reduceat(appearances, first_of_drawing) / counts[:, None]
    squares = ((appearances - np.repeat(means, counts, axis=0)) ** 2).sum(axis=1)
    spread = np.sqrt(np.add.reduceat(squares, first_of_drawing) / counts)
    return np.repeat(_LEAST_REACH + _REACH_BY_SPREAD * spread, counts).astype(np.float32)


def _channels(code: str) -> tuple[int, int, int]:
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)
