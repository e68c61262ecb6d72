"""Numerosity naming: how many things are in this picture? (Testolin, Hou and Zorzi 2025, section 2.1.1)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from subitize.drawing.placement import check_room
from subitize.drawing.stimuli import CATEGORIES
from subitize.interfaces import Tried
from subitize.records import Answer, Ask, Count, Discarded, Item, Known, Stimulus, Value, digest
from subitize.suites.checks import check_at_least_one, check_known

# "category" puts the plural of what is shown; the other two are the paper's general words.
WORDINGS: tuple[str, ...] = ("category", "objects", "things")
_ELIGIBLE_PER_CELL = 20


class Naming:
    """Name the number of things in synthetic pictures (Numbersense, image to text)."""

    title = "Numerosity naming"
    judge = "parser"
    repeats = 1

    def __init__(
        self,
        *,
        categories: tuple[str, ...] = ("apples", "dots"),
        numbers: tuple[int, ...] = tuple(range(1, 11)),
        images: int = 50,
        wordings: tuple[str, ...] = ("category",),
        size_px: int = 1024,
        max_attempts: int = 3,
    ) -> None:
        check_known("category", categories, CATEGORIES)
        check_known("wording", wordings, WORDINGS)
        check_at_least_one("naming", numbers=min(numbers), images=images, max_attempts=max_attempts)
        check_room(max(numbers), size_px)
        self._categories, self._numbers, self._images = categories, numbers, images
        self._wordings, self._size_px, self.max_attempts = wordings, size_px, max_attempts

    def items(self, seed: int) -> Iterator[Item]:
        """Go through all cells once per image, so that any beginning is spread over them."""
        for index in range(self._images):
            for number in self._numbers:
                for category in self._categories:
                    for wording in self._wordings:
                        yield self._item(seed, (category, number, index), wording)

    def again(self, tried: Sequence[Tried]) -> Iterable[Tried]:
        """Ask again what was discarded, in cells with fewer than 20 eligible answers (section 2.1.1)."""
        cells: dict[tuple[object, ...], list[Tried]] = defaultdict(list)
        for one in tried:
            factors = one.item.factors
            cells[factors["category"], factors["number"], factors["wording"]].append(one)
        for cell in cells.values():
            eligible = [one for one in cell if any(isinstance(value, Known) for value in one.values.values())]
            if len(eligible) < min(_ELIGIBLE_PER_CELL, len(cell)):
                yield from (one for one in cell if any(_is_unusable(value) for value in one.values.values()))

    def _item(self, seed: int, cell: tuple[str, int, int], wording: str) -> Item:
        category, number, index = cell
        stimulus = Stimulus(category, number, int(digest(seed, *cell)[:8], 16), self._size_px)
        question = f"How many {category if wording == 'category' else wording} are there in the picture?"
        return Item(
            f"naming/{category}/{number}/{index}/{wording}",
            Answer(stimulus, question),
            (Ask(Count(CATEGORIES[category].noun), question, (number,)),),
            {"category": category, "number": number, "wording": wording},
        )


def _is_unusable(value: Value) -> bool:
    return isinstance(value, Discarded) and not value.is_refusal
