"""From a picture as a record to its bytes."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from subitize.drawing.stimuli import render
from subitize.errors import BadFileError, BadValueError
from subitize.image_files import read_size
from subitize.records import Elsewhere, Filed, Picture, Stimulus, Stored
from subitize.store.images import Images

USUAL_PX = 1024


@dataclass(frozen=True, slots=True)
class Loader:
    """Loads what is stored and renders what is a recipe; it can be sent to a worker process."""

    images: Images

    def __call__(self, picture: Picture) -> bytes:
        """Get the encoded bytes of a picture."""
        match picture:
            case Stored():
                return self.images.load(picture)
            case Stimulus():
                return _render(picture)
            case Filed(path=path):
                return _read(path)
            case Elsewhere(name=name):
                raise BadValueError(f"picture {name!r} is known by name only; its pixels are not in this run")


@lru_cache(maxsize=4096)
def measure(images: Images | None, picture: Picture) -> tuple[int, int]:
    """Tell how wide and high a picture is, without drawing or decoding it; one that is unknown is of the usual size."""
    if isinstance(picture, Stimulus):
        return picture.size_px, picture.size_px
    try:
        if isinstance(picture, Filed):
            return read_size(Path(picture.path))
        if isinstance(picture, Stored) and images is not None:
            return read_size(images.path(picture))
    except BadFileError:
        pass  # whoever looks at it will say what is wrong
    return USUAL_PX, USUAL_PX


@lru_cache(maxsize=8)  # a suite asks several questions about one picture, one after the other
def _render(recipe: Stimulus) -> bytes:
    return render(recipe).png


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadFileError(f"cannot read the picture {path}: {error.strerror}") from None
