"""Pictures for models and judges: loaded, rendered from recipes ahead of the calls, and sent along with requests."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import JudgeRequest, Request
from subitize.io.images import image_size, read_image
from subitize.records import Draw, Drawn, Elsewhere, Filed, Picture, Stimulus, Stored, Task
from subitize.stimuli.recipes import render

if TYPE_CHECKING:  # processes that draw need no store
    from subitize.store.images import Images

USUAL_PX = 1024


AskedT = TypeVar("AskedT", Request, JudgeRequest)


@dataclass(frozen=True, slots=True)
class Loader:
    """Loads pictures: those at hand, stored ones and files; recipes that are not drawn yet are rendered."""

    images: "Images | None"
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
def measure(images: "Images | None", picture: Picture) -> tuple[int, int]:
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


JobT = TypeVar("JobT")
# Pictures by recipe, perhaps still being drawn; those that cannot be drawn are missing.
Drawing = Future[Mapping[Picture, bytes]]

# Drawn together, as passing a picture between processes costs this one as much as sending it.
_AHEAD = 8
# About a second of drawing: less is not worth starting worker processes.
_WORTH_WORKERS_PX = 32_000_000


def recipe_of(task: Task) -> Stimulus | None:
    """Return the recipe of a task's picture, if it is to be drawn."""
    return task.picture if not isinstance(task, Draw) and isinstance(task.picture, Stimulus) else None


@lru_cache(maxsize=8)  # a suite may ask several questions about one picture in a row
def render_png(recipe: Stimulus) -> bytes:
    """Draw a recipe as a PNG file."""
    return render(recipe).png


class Renderer:
    """Draws recipes in other processes if there are many; a few are drawn when they are needed."""

    def __init__(self, submit: Callable[..., Drawing]) -> None:
        self._submit, self._is_worth = submit, False

    def expect(self, pixels: float) -> None:
        """Draw ahead if there are enough pixels to draw."""
        self._is_worth |= pixels >= _WORTH_WORKERS_PX

    def draw_ahead(
        self, jobs: Iterable[JobT], recipe_of: Callable[[JobT], Stimulus | None]
    ) -> Iterator[tuple[JobT, Drawing | None]]:
        """Yield the jobs, each with its picture if that is being drawn; the next few are being drawn meanwhile."""
        remaining = iter(jobs)
        if not self._is_worth:
            yield from ((job, None) for job in remaining)
        begun: list[tuple[JobT, Drawing | None]] = []
        latest: dict[Stimulus | None, Drawing] = {}
        while some := [(job, recipe_of(job)) for job in islice(remaining, _AHEAD)]:
            latest = self._order((recipe for _, recipe in some if recipe is not None), latest)
            yield from begun
            begun = [(job, latest.get(recipe)) for job, recipe in some]
        yield from begun

    def _order(
        self, recipes: Iterable[Stimulus], latest: Mapping[Stimulus | None, Drawing]
    ) -> dict[Stimulus | None, Drawing]:
        """Submit recipes, except those of the latest order: questions about one picture come in a row."""
        wanted = dict.fromkeys(recipes)
        new = [recipe for recipe in wanted if recipe not in latest]
        ordered = dict.fromkeys(new, self._submit(_draw, new)) if new else {}
        return {recipe: ordered.get(recipe) or latest[recipe] for recipe in wanted}


def _draw(recipes: Sequence[Stimulus]) -> Mapping[Picture, bytes]:
    """Draw what can be drawn; what cannot raises its error when it is drawn again where it is needed."""
    drawn: dict[Picture, bytes] = {}
    for recipe in recipes:
        try:
            drawn[recipe] = render(recipe).png
        except Exception:
            continue
    return drawn
