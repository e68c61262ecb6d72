"""What the paper asks of models: one to four dogs or cats."""

from collections.abc import Iterator

from subitize.interfaces import Suite
from subitize.language.nouns import plural
from subitize.language.questions import count_asks
from subitize.language.scene import Entity, Scene
from subitize.records import Draw, Item


class Pets(Suite):
    """Draw one to four dogs or cats (a made-up paper)."""

    title = "Pets"
    judge = "observer"
    repeats = 2

    def __init__(self, *, animals: tuple[str, ...] = ("dog", "cat"), numbers: tuple[int, ...] = (1, 2, 3, 4)) -> None:
        self._animals, self._numbers = animals, numbers

    def items(self, seed: int) -> Iterator[Item]:
        """Go through all animals and numbers; the prompts are the same under every seed."""
        for number in self._numbers:
            for animal in self._animals:
                prompt = f"{number} {animal if number == 1 else plural(animal)}"
                asks = count_asks(Scene((Entity(animal, number),)))
                yield Item(f"pets/{animal}/{number}", Draw(prompt), asks, {"animal": animal, "number": number})
