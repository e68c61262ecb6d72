"""Loads the bytes of a picture: stored, filed, or rendered from its recipe."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from subitize.errors import BadFileError, BadValueError
from subitize.evaluate.rendering import render_png
from subitize.interfaces import JudgeRequest, Request
from subitize.io.images import image_size, read_image
from subitize.records import Draw, Drawn, Elsewhere, Filed, Picture, Stimulus, Stored
from subitize.store.images import Images

USUAL_PX = 1024


AskedT = TypeVar("AskedT", Request, JudgeRequest)


@dataclass(frozen=True, slots=True)
class Loader:
    """Loads pictures: those at hand, stored ones and files; recipes that are not drawn yet are rendered."""

    images: Images | None
    at_hand: Mapping[Picture, bytes] = field(default_factory=dict)

    def __call__(self, picture: Picture) -> bytes:
        """Return the encoded bytes of a picture."""
        if data := self.at_hand.get(picture):
            return data
        match picture:
            case Stimulus():
                return render_png(picture)
            case Filed(path=path):
                return _read(path)
            case Stored():
                if self.images is None:
                    raise BadValueError(f"picture {picture.hash} is not at hand")
                return self.images.load(picture)
            case Elsewhere(name=name):
                raise BadValueError(f"picture {name!r} is known by name only; its pixels are not in this run")


def ship(asked: Sequence[AskedT]) -> list[AskedT]:
    """Have requests carry their pictures, as bytes or recipes, to a process that knows neither run nor files."""
    return [replace(one, load=Loader(None, dict(_load(one)))) for one in asked]


def _load(asked: Request | JudgeRequest) -> Iterator[tuple[Picture, bytes]]:
    pictures: list[Picture]
    if isinstance(asked, JudgeRequest):
        pictures = [outcome.picture for outcome in asked.outcomes if isinstance(outcome, Drawn)]
    else:
        pictures = [] if isinstance(asked.task, Draw) else [asked.task.picture]
    drawn = asked.load.at_hand if isinstance(asked.load, Loader) else {}
    return ((one, asked.load(one)) for one in pictures if one in drawn or not isinstance(one, Stimulus))


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
