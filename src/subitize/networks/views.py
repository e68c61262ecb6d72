"""A picture as a network is shown it."""

from collections.abc import Callable
from dataclasses import dataclass

from subitize.image_files import Rgb, decode
from subitize.interfaces import Request
from subitize.records import Elsewhere, Filed, Picture, Stimulus, Stored


@dataclass(frozen=True, slots=True)
class View:
    """A picture by the name it is known by, and a way to its pixels; what goes by features needs its name only."""

    name: str
    pixels: Callable[[], Rgb]

    @classmethod
    def of(cls, picture: Picture, load: Callable[[Picture], bytes]) -> "View":
        """Show a picture that is loaded when it is looked at."""
        return cls(_name(picture), lambda: decode(load(picture)))

    @classmethod
    def of_pixels(cls, name: str, pixels: Rgb) -> "View":
        """Show pixels that are there already."""
        return cls(name, lambda: pixels)

    @classmethod
    def of_task(cls, request: Request) -> "View":
        """Show the picture of a request."""
        if request.task.kind == "draw":
            raise TypeError(f"the task of {request.item_id} has no picture: it asks for one")
        return cls.of(request.task.picture, request.load)


def _name(picture: Picture) -> str:
    match picture:
        case Stored(hash=hash):
            return hash
        case Filed(path=path):
            return path.replace("\\", "/").rpartition("/")[2]
        case Elsewhere(name=name):
            return name
        case Stimulus():
            return f"{picture.category}_{picture.number}_{picture.seed}"
