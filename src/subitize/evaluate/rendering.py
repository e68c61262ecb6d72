"""Draws the pictures of the next calls a few ahead, in worker processes if there are many."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import lru_cache
from itertools import islice
from typing import TypeVar

from subitize.records import Draw, Picture, Stimulus, Task
from subitize.stimuli.recipes import render

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
