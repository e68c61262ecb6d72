"""Made-up attempts at T2ICountBench: items by hand, and as many right images as chance gives."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np

from subitize.analysis.design import stratum_of
from subitize.analysis.score import PromptResult
from subitize.papers.t2icountbench.suite import T2ICountBench
from subitize.records import Ask, Count, Design, Draw, Item, Scalar

CATEGORY_OF = {
    "apple": "fruit",
    "watermelon": "fruit",
    "human": "human",
    "cat": "animal",
    "triangle": "shape",
    "chair": "furniture",
    "plant": "plant",
}
CONDITIONS = (("home", "plain"), ("nature", "plain"), ("city", "plain"), ("home", "watercolor"), ("home", "cartoon"))

RateOf = Callable[[Item], float]


def design(refinement: str = "", numbers: Sequence[int] = range(1, 16), objects: Sequence[str] = ()) -> list[Item]:
    """Make the published items, or those of a refinement, which does not apply to one thing."""
    suite = f"t2icountbench~{refinement}" if refinement else "t2icountbench"
    return [
        _item(suite, thing, scene, style, number)
        for thing, (scene, style), number in product(objects or CATEGORY_OF, CONDITIONS, numbers)
    ]


@cache
def _item(suite: str, thing: str, scene: str, style: str, number: int) -> Item:
    factors: dict[str, Scalar] = {"category": CATEGORY_OF.get(thing, "own"), "object": thing, "scene": scene}
    factors |= {"style": style, "number": number}
    factors["difficulty"] = (
        "easy" if number <= 5 else "medium" if number <= 10 else "hard" if number <= 15 else "beyond"
    )
    if "~" in suite:
        factors |= {"refinement": suite.partition("~")[2], "is_refined": number > 1}
    ask = Ask(Count(thing), f"How many of {thing}?", (number,))
    return Item(
        f"{suite}/{thing}/{scene}/{style}/{number}", Draw(f"{number} {thing}, {scene}, {style}"), (ask,), factors
    )


def attempt_all(
    model: str, items: Sequence[Item], rate: RateOf, *, seed: int = 0, images: int = 4
) -> list[PromptResult]:
    """Let a model draw; a wrong image has one thing too many."""
    random, found = np.random.default_rng(seed), []
    for item in items:
        is_right = random.random(images) < rate(item)
        number = item.factors["number"]
        assert isinstance(number, int)
        numbers = tuple(float(number + (not flag)) for flag in is_right)
        stratum = stratum_of(item, {item.suite: Design(strata=T2ICountBench.strata)})
        found.append(PromptResult(item, model, "observer", images, int(is_right.sum()), numbers, stratum=stratum))
    return found
