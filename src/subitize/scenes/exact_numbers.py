"""Makes open numbers exact, so that a scene can be drawn."""

from dataclasses import replace

import numpy as np

from subitize.scenes.scene import Quantifier, Scene

# What people draw without a doubt: more than ten are many (Figure A16 of GeckoNum), and two may be a pair.
_RANGES: dict[Quantifier, tuple[int, int]] = {"some": (2, 5), "few": (3, 5), "many": (12, 18)}
_FEWER = (1, 3)
_DIFFERENCE = (2, 3)


def settle(scene: Scene, random: np.random.Generator) -> Scene:
    """Give each open number a value that its quantifier and its comparison allow; a settled scene stays as it is."""
    numbers = [
        entity.number if isinstance(entity.number, int) else _draw(random, _RANGES[entity.number])
        for entity in scene.entities
    ]
    for comparison in scene.comparisons:
        if isinstance(scene.entities[comparison.subject].number, int):
            continue
        low = _draw(random, _RANGES["some"] if comparison.word == "as many" else _FEWER)
        high = low if comparison.word == "as many" else low + _draw(random, _DIFFERENCE)
        pair = (high, low) if comparison.word == "more" else (low, high)
        numbers[comparison.subject], numbers[comparison.other] = pair
    settled = (replace(entity, number=number) for entity, number in zip(scene.entities, numbers, strict=True))
    return replace(scene, entities=tuple(settled))


def _draw(random: np.random.Generator, bounds: tuple[int, int]) -> int:
    return int(random.integers(bounds[0], bounds[1], endpoint=True))
