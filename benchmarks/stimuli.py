"""How fast stimuli are made, as a share of how fast Pillow alone writes the same pixels as PNG."""

import io
from collections.abc import Iterator

from PIL import Image

from benchmarks.comparing import Comparison, compare_rates
from subitize.records import Stimulus
from subitize.stimuli.recipes import CATEGORIES, layout, paint, render


def measure(*, is_tiny: bool = False) -> Iterator[Comparison]:
    """Compare laying out, drawing, measuring and writing with writing alone, at Pillow's default compression."""
    numbers, seeds, size_px, pairs = ([3], 1, 256, 1) if is_tiny else (range(1, 11), 3, 1024, 5)
    everything: list[Stimulus] = []
    for category in CATEGORIES:
        recipes = [Stimulus(category, number, seed, size_px) for number in numbers for seed in range(seeds)]
        everything += recipes
        yield _compare(f"stimuli per second, {category}", recipes, pairs)
    yield _compare("stimuli per second, all categories", everything, pairs)


def _compare(what: str, recipes: list[Stimulus], pairs: int) -> Comparison:
    pictures = [paint(layout(recipe)) for recipe in recipes]
    return compare_rates(
        f"{what}, as a share of Pillow's save(compress_level=6)",
        lambda: [render(recipe) for recipe in recipes],
        lambda: [_save(picture) for picture in pictures],
        aim=">= .6",
        pairs=pairs,
    )


def _save(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=6)
    return file.getvalue()
