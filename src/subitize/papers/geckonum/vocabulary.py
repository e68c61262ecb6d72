"""The words that the prompts of GeckoNum are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from subitize.scenes import HoldingWord


@dataclass(frozen=True, slots=True)
class Held:
    """Things that a place holds: flowers in a vase."""

    thing: str
    word: HoldingWord
    place: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A thing that is cut, what another one of it is called, and what it is cut into."""

    noun: str
    another: str
    into: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A thing in two pieces of different sizes, and how that is said: "broken", "is cut"."""

    noun: str
    how: Literal["broken", "is cut"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The nouns (and whether they are frequent), pairs, colours and numbers of one set of prompts."""

    nouns: Mapping[str, bool]
    sentence_nouns: tuple[str, ...]
    compared: tuple[tuple[str, str], ...]
    held: tuple[Held, ...]
    cut: tuple[Cut, ...]
    broken: tuple[str, ...]
    split: tuple[Split, ...]
    halves: tuple[tuple[str, str], ...]
    coloured_nouns: tuple[str, ...]
    colours: tuple[str, ...]
    numbers: tuple[int, ...] = tuple(range(1, 11))

    @property
    def small_numbers(self) -> tuple[int, ...]:
        """The lower half of the numbers, which are also written in words and stand with others in one prompt."""
        return self.numbers[: -(-len(self.numbers) // 2)]

    @property
    def smallest_numbers(self) -> tuple[int, ...]:
        """The lowest two fifths, which stand with colours."""
        return self.numbers[: max(1, 2 * len(self.numbers) // 5)]


def with_frequency(nouns: str) -> dict[str, bool]:
    """Nouns between commas, each with whether it is frequent; a rare one is marked by a star."""
    return {noun.strip(" *"): not noun.strip().startswith("*") for noun in nouns.split(",")}


OFFICIAL = Vocabulary(
    nouns=with_frequency(
        "dog, fish, cat, ant, fly, *axolotl, *seahorse, *kangaroo, *koala, *manatee,"
        "apple, egg, burger, cookie, pizza, *lychee, *parsnip, *samosa, chocolate, *cinnamon stick,"
        "tree, leaf, flower, coconut, olive, *mushroom, *durian, *bonsai, *pistachio, *okra,"
        "table, book, bottle, spoon, pencil, *crib, *paperclip, *flute, *trowel, *corkscrew"
    ),
    sentence_nouns=("fish", "apple", "samosa", "mushroom", "olive"),
    compared=(
        ("kangaroo", "crib"), ("ant", "flute"), ("chocolate", "cinnamon stick"), ("koala", "fly"), ("bottle", "apple"),
        ("pizza", "paperclip"), ("lychee", "spoon"), ("book", "cat"), ("egg", "burger"), ("axolotl", "cookie"),
        ("fish", "seahorse"), ("trowel", "manatee"), ("dog", "samosa"), ("table", "pencil"), ("corkscrew", "parsnip"),
    ),
    held=(
        Held("flower", "in", "vase"), Held("candle", "on", "cake"), Held("plate", "on", "table"),
        Held("book", "on", "shelf"), Held("page", "in", "book"), Held("seed", "in", "watermelon"),
        Held("olive", "on", "plate"), Held("grain of rice", "on", "table"),
    ),
    cut=(
        Cut("loaf of bread", "loaf", ("thirds", "quarters", "five parts")),
        Cut("apple", "apple", ("thirds", "quarters", "5 pieces")),
        Cut("cake", "cake", ("thirds", "quarters", "5 pieces")),
        Cut("pizza", "pizza", ("3 slices", "4 slices", "5 slices")),
    ),
    broken=("fork", "pencil", "plate"),
    split=(Split("pencil", "broken"), Split("banana", "is cut")),
    halves=(("red", "blue"), ("orange", "black")),
    coloured_nouns=("apple", "cat", "koala", "mushroom", "bottle"),
    colours=("black", "white", "red", "green"),
)  # fmt: skip
