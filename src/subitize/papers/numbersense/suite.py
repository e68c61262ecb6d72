"""Numbersense's suites: naming the number of things in a picture, and drawing a given number of them.

Testolin, Hou and Zorzi (2025), sections 2.1.1 and 2.1.2. An image is named 3_4_apples_17.png: four apples where three
were requested."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Annotated, get_args

from subitize import records
from subitize.interfaces import Attempt, NotInOldIds, Suite
from subitize.io.specs import check_range
from subitize.language.nouns import plural
from subitize.language.questions import count_asks
from subitize.language.scene import Entity, Scene
from subitize.models.image_folders import FileNaming, category_and_number, is_named_by_prompt
from subitize.networks.joint import GAP
from subitize.stimuli.recipes import CATEGORIES, layout
from subitize.suites.checks import check_known

# "category" inserts the plural of what is shown; the other two are the paper's general words.
WORDINGS: tuple[str, ...] = ("category", "objects", "things")
# A question, or a gap for a masked language model to fill: the paper's ViLT is vilt-b32-mlm (section 2.2).
FRAMINGS: tuple[str, ...] = ("question", "gap")
# The control question is about the content of the picture: a model that fails it was asked in the wrong way.
CONTROL = "control"
_CONTROL_ASK = records.Ask(records.Name(), "What does the image represent?", ("apple", "fruit"), is_relevant=False)
_CONTROL_CATEGORY = "apples"
_MAGNITUDES: dict[str, records.Magnitude] = {magnitude: magnitude for magnitude in get_args(records.Magnitude)}
_NO_CONTROL = "none"
LEAST_PER_CELL = 20  # eligible answers per number and category (section 2.1.1)


class Naming(Suite):
    """Name the number of things in synthetic pictures (Numbersense, image to text).

    Args:
        categories: which things are shown
        images: pictures for each thing and number
        wordings: words for the things in the question: their own, objects, things
        control_question: also ask what a picture shows
        control: magnitude held constant over numbers: none, area, size, hull, density
        background: white, grey, cream, sky, gradient, clouds, stripes
        overlap: share of their diameters by which things may overlap
        framing: a question, or a statement with a gap to fill
    """

    title = "Numerosity naming"
    judge = "parser"
    asks_again = True
    strata = ("category", "number")

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
        framing: Annotated[str, NotInOldIds] = "question",
    ) -> None:
        check_known("category", categories, CATEGORIES)
        check_known("wording", wordings, WORDINGS)
        check_known("control", [control], [_NO_CONTROL, *_MAGNITUDES])
        check_known("framing", [framing], FRAMINGS)
        check_range("suite 'naming'", 1, numbers=min(numbers), images=images, max_attempts=max_attempts)
        self._categories, self._numbers, self._images = categories, numbers, images
        self._has_gap = framing == "gap"
        # The control question has no version with a gap.
        self._wordings, self._is_controlled = wordings, control_question and not self._has_gap
        held = records.Control(_MAGNITUDES[control], max(numbers)) if control in _MAGNITUDES else None
        self._look = (size_px, held, background, overlap)
        self.max_attempts = max_attempts
        for category in categories:  # fail now, not in the middle of a run, if something cannot be drawn
            layout(records.Stimulus(category, max(numbers), 0, *self._look))

    def items(self, seed: int) -> Iterator[records.Item]:
        """Yield all cells once per image, so that any prefix covers them evenly."""
        for index in range(self._images):
            for number in self._numbers:
                for category in self._categories:
                    has_control = self._is_controlled and category == _CONTROL_CATEGORY
                    for wording in (*self._wordings, *[CONTROL] * has_control):
                        yield self._item(seed, (category, number, index), wording)

    def count_items(self) -> int:
        """Count the items: one per picture and wording, and the control question for apples."""
        has_control = self._is_controlled and _CONTROL_CATEGORY in self._categories
        per_number = len(self._categories) * len(self._wordings) + has_control
        return self._images * len(self._numbers) * per_number

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Ask discarded items again in cells with too few eligible answers."""
        sizes, eligible = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
        for one in tried:  # not held, as all of them take much memory
            sizes[cell := _cell_of(one)] += 1
            eligible[cell] += any(isinstance(value, records.Known) for value in one.values.values())
        short = {cell: list[Attempt]() for cell, size in sizes.items() if eligible[cell] < min(LEAST_PER_CELL, size)}
        for one in tried if short else ():
            if _is_discarded(one) and (cell := _cell_of(one)) in short:
                short[cell].append(one)
        return chain.from_iterable(short.values())

    def _item(self, seed: int, cell: tuple[str, int, int], wording: str) -> records.Item:
        category, number, index = cell
        stimulus = records.Stimulus(category, number, int(records.digest(seed, *cell)[:8], 16), *self._look)
        ask = _CONTROL_ASK if wording == CONTROL else _count_ask(category, number, wording)
        id = f"naming/{category}/{number}/{index}/{wording}"
        factors: dict[str, records.Scalar] = {"category": category, "number": number, "wording": wording}
        if self._has_gap:
            text = f"There are {GAP} {_name_things(category, wording)} in the picture."
            return records.Item(f"{id}/gap", records.Fill(stimulus, text), (ask,), {**factors, "framing": "gap"})
        return records.Item(id, records.Answer(stimulus, ask.wording), (ask,), factors)


@lru_cache(maxsize=1024)  # items are made again at each pass
def _count_ask(category: str, number: int, wording: str) -> records.Ask:
    question = f"How many {_name_things(category, wording)} are there in the picture?"
    return records.Ask(records.Count(CATEGORIES[category].noun), question, (number,))


def _name_things(category: str, wording: str) -> str:
    return plural(CATEGORIES[category].noun) if wording == "category" else wording


def _cell_of(tried: Attempt) -> tuple[object, ...]:
    factors = tried.item.factors
    return factors["category"], factors["number"], factors["wording"]


def _is_discarded(tried: Attempt) -> bool:
    return any(isinstance(value, records.Discarded) and not value.is_refusal for value in tried.values.values())


# The wordings that the paper found to work best for each category.
_PROMPTS = {
    "apples": "An image with {number} {noun}",
    "people": "An image with {number} {noun}",
    "butterflies": "An image with {number} {noun}",
    "dots": "{number} filled {noun} in white background",
}
_PLURALS = {"people": "persons"}  # plurals of the paper that differ from the usual ones


class Production(Suite):
    """Draw a given number of things, each prompt 100 times (Numbersense, text to image).

    Args:
        categories: which things are asked for
    """

    title = "Numerosity production"
    judge = "observer"
    repeats = 100
    asks_again = True
    strata = ("number",)

    def __init__(
        self,
        *,
        categories: tuple[str, ...] = tuple(_PROMPTS),
        numbers: tuple[int, ...] = tuple(range(1, 11)),
        max_attempts: int = 5,
    ) -> None:
        check_known("category", categories, _PROMPTS)
        check_range("suite 'production'", 1, numbers=min(numbers), max_attempts=max_attempts)
        self._categories, self._numbers, self.max_attempts = categories, numbers, max_attempts

    def items(self, seed: int) -> Iterator[records.Item]:
        """Yield all categories and numbers; the seed changes nothing, as the prompts are fixed."""
        for number in self._numbers:
            for category in self._categories:
                noun = CATEGORIES[category].noun
                things = noun if number == 1 else _PLURALS.get(category, plural(noun))
                prompt = _PROMPTS[category].format(number=number, noun=things)
                yield records.Item(
                    f"production/{category}/{number}",
                    records.Draw(prompt),
                    count_asks(Scene((Entity(noun, number),))),
                    {"category": category, "number": number},
                )

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Ask again where nothing countable was drawn."""
        return (one for one in tried if all(value == records.Known(0) for value in one.values.values()))


# In the release the index follows a space, and added images have "new" before it: 10_11_people new13.png
_NAME = re.compile(
    r"(?P<target>[0-9]{1,9})_(?P<count>[^_]+)_(?P<key>[^\W\d_]+)[_ ](?P<tag>[a-z]*)(?P<number>[0-9]{1,9})"
)


def _is_a_prompt(stem: str) -> bool:
    """Distinguish the prompt "3 small apples", as 3_small_apples_000001, from a count in words, as 3_many_apples_1."""
    return is_named_by_prompt(stem) and not stem.split("_")[1].strip("<>+").isdecimal()


NAMING = FileNaming(
    "numbersense", "3_4_apples_17.png", _NAME, category_and_number, has_category_folders=True, is_other=_is_a_prompt
)
