"""Numerosity naming: how many things are in this picture? (Testolin, Hou and Zorzi 2025, section 2.1.1)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from subitize.drawing.layouts import CATEGORIES, layout
from subitize.interfaces import Tried
from subitize.numerals import plural
from subitize.records import Answer, Ask, Control, Count, Discarded, Item, Known, Magnitude, Name, Stimulus, digest
from subitize.suites.checks import check_at_least_one, check_known

# "category" puts the plural of what is shown; the other two are the paper's general words.
WORDINGS: tuple[str, ...] = ("category", "objects", "things")
# The control question is about the content of the picture: whoever fails it was not asked rightly.
CONTROL = "control"
_CONTROL_ASK = Ask(Name(), "What does the image represent?", ("apple", "fruit"), is_relevant=False)
_CONTROL_CATEGORY = "apples"
_MAGNITUDES: dict[str, Magnitude] = {magnitude: magnitude for magnitude in get_args(Magnitude)}
_NO_CONTROL = "none"
LEAST_PER_CELL = 20  # eligible answers to a number in a category (section 2.1.1)


class Naming:
    """Name the number of things in synthetic pictures (Numbersense, image to text)."""

    title = "Numerosity naming"
    judge = "parser"
    repeats = 1
    asks_again = True
    strata: tuple[str, ...] = ("category", "number")

    def __init__(
        self,
        *,
        categories: tuple[str, ...] = tuple(CATEGORIES),
        numbers: tuple[int, ...] = tuple(range(1, 11)),
        images: int = 50,
        wordings: tuple[str, ...] = WORDINGS,
        control_question: bool = True,
        control: str = _NO_CONTROL,
        background: str = "white",
        overlap: float = 0.0,
        size_px: int = 1024,
        max_attempts: int = 3,
    ) -> None:
        check_known("category", categories, CATEGORIES)
        check_known("wording", wordings, WORDINGS)
        check_known("control", [control], [_NO_CONTROL, *_MAGNITUDES])
        check_at_least_one("naming", numbers=min(numbers), images=images, max_attempts=max_attempts)
        self._categories, self._numbers, self._images = categories, numbers, images
        self._wordings, self._is_controlled = wordings, control_question
        held = Control(_MAGNITUDES[control], max(numbers)) if control in _MAGNITUDES else None
        self._look = (size_px, held, background, overlap)
        self.max_attempts = max_attempts
        for category in categories:  # what cannot be drawn is said now, not in the middle of a run
            layout(Stimulus(category, max(numbers), 0, *self._look))

    def items(self, seed: int) -> Iterator[Item]:
        """Go through all cells once per image, so that any beginning is spread over them."""
        for index in range(self._images):
            for number in self._numbers:
                for category in self._categories:
                    has_control = self._is_controlled and category == _CONTROL_CATEGORY
                    for wording in (*self._wordings, *[CONTROL] * has_control):
                        yield self._item(seed, (category, number, index), wording)

    def again(self, tried: Sequence[Tried]) -> Iterable[Tried]:
        """Ask again what was discarded, in cells with too few eligible answers."""
        cells: dict[tuple[object, ...], list[Tried]] = defaultdict(list)
        for one in tried:
            factors = one.item.factors
            cells[factors["category"], factors["number"], factors["wording"]].append(one)
        for cell in cells.values():
            eligible = [one for one in cell if any(isinstance(value, Known) for value in one.values.values())]
            if len(eligible) < min(LEAST_PER_CELL, len(cell)):
                yield from (one for one in cell if _is_discarded(one))

    def _item(self, seed: int, cell: tuple[str, int, int], wording: str) -> Item:
        category, number, index = cell
        stimulus = Stimulus(category, number, int(digest(seed, *cell)[:8], 16), *self._look)
        ask = _CONTROL_ASK if wording == CONTROL else _count_ask(category, number, wording)
        return Item(
            f"naming/{category}/{number}/{index}/{wording}",
            Answer(stimulus, ask.wording),
            (ask,),
            {"category": category, "number": number, "wording": wording},
        )


def _count_ask(category: str, number: int, wording: str) -> Ask:
    noun = CATEGORIES[category].noun
    things = plural(noun) if wording == "category" else wording
    return Ask(Count(noun), f"How many {things} are there in the picture?", (number,))


def _is_discarded(tried: Tried) -> bool:
    return any(isinstance(value, Discarded) and not value.is_refusal for value in tried.values.values())
