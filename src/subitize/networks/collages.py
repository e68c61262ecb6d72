"""Makes collages of photographs of single things: test pictures of known content for networks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image

from subitize.errors import BadFileError, BadImageError, MissingPartError
from subitize.io.images import Rgb, decode, read_image

# Photographs that come with scikit-image, each of one thing of a COCO class.
_FILES: Mapping[str, tuple[str, ...]] = {
    "cat": ("chelsea.png",),
    "cup": ("coffee.png",),
    "motorcycle": ("motorcycle_left.png", "motorcycle_right.png"),
    "person": ("astronaut.png", "camera.png"),
}
PHOTO_NOUNS = tuple(_FILES)
"""The things that photographs show; a collage has room for six."""

_WIDTH, _HEIGHT = 720, 540
_GRIDS = {1: (1, 1), 2: (2, 1), 3: (2, 2), 4: (2, 2), 5: (3, 2), 6: (3, 2)}


@dataclass(frozen=True, slots=True)
class Pasted:
    """A photograph in a collage: what it shows, and where it is (left, top, right, bottom)."""

    noun: str
    xyxy: tuple[int, int, int, int]

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point lies on it."""
        left, top, right, bottom = self.xyxy
        return left <= x <= right and top <= y <= bottom


@dataclass(frozen=True, slots=True)
class Collage:
    """A picture and the photographs in it."""

    pixels: Rgb
    pasted: tuple[Pasted, ...]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many of each thing are in it."""
        return Counter(one.noun for one in self.pasted)


def make_collage(nouns: Sequence[str], seed: int, *, cells: int = 0) -> Collage:
    """Put one photograph per noun, up to six, on a grid in seeded order, size, brightness and direction.

    The grid has a cell for each photograph, or `cells`, of which some stay empty.
    """
    columns, rows = _GRIDS[cells or len(nouns)]
    random = np.random.default_rng([seed, *map(PHOTO_NOUNS.index, nouns)])
    canvas = Image.new("RGB", (_WIDTH, _HEIGHT), (int(random.integers(96, 208)),) * 3)
    places = random.permutation(columns * rows)[: len(nouns)]
    width, height = _WIDTH // columns, _HEIGHT // rows
    pasted = []
    for noun, cell in zip(nouns, places, strict=True):
        file = _FILES[noun][int(random.integers(len(_FILES[noun])))]
        photograph = _varied(_photograph(file), (width, height), random)
        left = int(cell) % columns * width + int(random.integers(width - photograph.width + 1))
        top = int(cell) // columns * height + int(random.integers(height - photograph.height + 1))
        canvas.paste(photograph, (left, top))
        pasted.append(Pasted(noun, (left, top, left + photograph.width, top + photograph.height)))
    return Collage(np.asarray(canvas), tuple(pasted))


def _varied(pixels: Rgb, cell: tuple[int, int], random: np.random.Generator) -> Image.Image:
    """Fit a photograph into its cell, somewhat smaller, brighter or darker, perhaps mirrored."""
    bright = np.clip(pixels * random.uniform(0.85, 1.15), 0, 255).astype(np.uint8)
    image = Image.fromarray(bright[:, ::-1] if random.random() < 0.5 else bright)
    share = min(cell[0] / image.width, cell[1] / image.height) * random.uniform(0.85, 0.98)
    return image.resize((round(image.width * share), round(image.height * share)), Image.Resampling.BILINEAR)


@cache
def _photograph(file: str) -> Rgb:
    path = _folder() / file
    try:
        return decode(read_image(str(path)))
    except BadImageError as error:
        raise BadFileError(f"{path}: {error}; run: pip install --force-reinstall scikit-image") from None


def _folder() -> Path:
    # Importing scikit-image takes longer than a whole self-test.
    spec = find_spec("skimage")
    if spec is None or not spec.submodule_search_locations:
        raise MissingPartError("testing a detector with photographs", "scikit-image", "detect")
    return Path(spec.submodule_search_locations[0]) / "data"
