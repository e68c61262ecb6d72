"""Loads the bytes of a picture: stored, filed, or rendered from its recipe."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from subitize.errors import BadFileError, BadValueError
from subitize.evaluate.rendering import render_png
from subitize.io.images import image_size, read_image
from subitize.records import Elsewhere, Filed, Picture, Stimulus, Stored
from subitize.store.images import Images

USUAL_PX = 1024


@dataclass(frozen=True, slots=True)
class Loader:
    """Loads stored pictures and renders recipes that are not drawn yet; it can be sent to a worker process."""

    images: Images
    drawn: Mapping[Stimulus, bytes] = field(default_factory=dict)

    def __call__(self, picture: Picture) -> bytes:
        """Return the encoded bytes of a picture."""
        match picture:
            case Stored():
                return self.images.load(picture)
            case Stimulus():
                return self.drawn.get(picture) or render_png(picture)
            case Filed(path=path):
                return _read(path)
            case Elsewhere(name=name):
                raise BadValueError(f"picture {name!r} is known by name only; its pixels are not in this run")


@lru_cache(maxsize=4096)
def measure(images: Images | None, picture: Picture) -> tuple[int, int]:
    """Return width and height of a picture without drawing or decoding it; if unknown, the usual size."""
    if isinstance(picture, Stimulus):
        return picture.size_px, picture.size_px
    try:
        if isinstance(picture, Filed):
            return image_size(Path(picture.path))
        if isinstance(picture, Stored) and images is not None:
            return image_size(images.path(picture))
    except BadFileError:
        pass  # loading the picture reports the error
    return USUAL_PX, USUAL_PX


def _read(path: str) -> bytes:
    try:
        return read_image(path)
    except BadFileError as error:
        raise BadFileError(f"cannot read the picture {path}: {str(error).removeprefix('cannot be read: ')}") from None
