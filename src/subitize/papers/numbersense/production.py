"""Numerosity production: draw exactly this many (Testolin, Hou and Zorzi 2025, section 2.1.2)."""

from collections.abc import Iterable, Iterator, Sequence

from subitize.interfaces import Attempt
from subitize.language.nouns import plural
from subitize.language.questions import count_asks
from subitize.language.scene import Entity, Scene
from subitize.records import Draw, Item, Known
from subitize.stimuli.recipes import CATEGORIES
from subitize.suites.checks import check_at_least_one, check_known

# The wordings of the paper, those it found to work best per category.
_PROMPTS = {
    "apples": "An image with {number} {noun}",
    "people": "An image with {number} {noun}",
    "butterflies": "An image with {number} {noun}",
    "dots": "{number} filled {noun} in white background",
}
_PLURALS = {"people": "persons"}  # where the paper's plural is not the usual one


class Production:
    """Draw a given number of things, each prompt 100 times (Numbersense, text to image).

    Args:
        categories: which things are asked for
    """

    title = "Numerosity production"
    judge = "observer"
    repeats = 100
    asks_again = True
    strata: tuple[str, ...] = ("number",)

    def __init__(
        self,
        *,
        categories: tuple[str, ...] = tuple(_PROMPTS),
        numbers: tuple[int, ...] = tuple(range(1, 11)),
        max_attempts: int = 5,
    ) -> None:
        check_known("category", categories, _PROMPTS)
        check_at_least_one("production", numbers=min(numbers), max_attempts=max_attempts)
        self._categories, self._numbers, self.max_attempts = categories, numbers, max_attempts

    def items(self, seed: int) -> Iterator[Item]:
        """Go through all categories and numbers; the seed changes nothing, as the prompts are fixed."""
        for number in self._numbers:
            for category in self._categories:
                noun = CATEGORIES[category].noun
                things = noun if number == 1 else _PLURALS.get(category, plural(noun))
                prompt = _PROMPTS[category].format(number=number, noun=things)
                yield Item(
                    f"production/{category}/{number}",
                    Draw(prompt),
                    count_asks(Scene((Entity(noun, number),))),
                    {"category": category, "number": number},
                )

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Ask again where nothing countable was drawn."""
        return (one for one in tried if all(value == Known(0) for value in one.values.values()))
