"""How fast stimuli are made, as a share of how fast Pillow alone writes the same pixels as PNG."""

import io
from collections.abc import Iterator

from PIL import Image

from benchmarks.comparing import Comparison, compare_rates
from subitize.drawing.stimuli import CATEGORIES, layout, paint, render
from subitize.records import Stimulus

_PER_CELL = 3
_NUMBERS = range(1, 11)


def measure() -> Iterator[Comparison]:
    """Compare laying out, drawing, measuring and writing with writing alone, at Pillow's default compression."""
    everything: list[Stimulus] = []
    for category in CATEGORIES:
        recipes = [Stimulus(category, number, seed) for number in _NUMBERS for seed in range(_PER_CELL)]
        everything += recipes
        yield _compare(f"stimuli per second, {category}", recipes)
    yield _compare("stimuli per second, all categories", everything)


def _compare(what: str, recipes: list[Stimulus]) -> Comparison:
    pictures = [paint(layout(recipe)) for recipe in recipes]
    return compare_rates(
        f"{what}, as a share of Pillow's save(compress_level=6)",
        lambda: [render(recipe) for recipe in recipes],
        lambda: [_save(picture) for picture in pictures],
        aim=">= .6",
    )


def _save(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=6)
    return file.getvalue()
