"""GeckoNum's suite of 1386 prompts in twelve types and three tasks, and the rules for reading its answers.

Prompts come from the official file, are drawn, or fresh. An image is named geckonum_00012_3.png: the fourth of the
twelfth prompt."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from subitize.errors import BadValueError
from subitize.interfaces import Suite
from subitize.labels import WordRule
from subitize.language.mentions import NoValue
from subitize.language.numbers import in_words
from subitize.language.questions import IMAGE_ASK, confirm_asks, count_asks, line_asks, setting_asks
from subitize.language.scene import Entity, Halves, Pieces, Portion, Scene
from subitize.language.tokens import LONGEST_TEXT
from subitize.models.image_folders import FileNaming, last_of_key
from subitize.papers.geckonum.prompts import (
    COLOURS,
    TYPES,
    FreshOptions,
    Prompt,
    design,
    fresh_prompts,
    list_nouns,
    read_nouns,
    read_prompts,
    scene_of,
)
from subitize.records import Ask, Count, Design, Draw, Item, Scalar
from subitize.suites.checks import check_known, interleave

STRATA = ("type", "number")
"""The factors fixed by the design; the numbers differ between types."""


def design_of(items: Iterable[Item]) -> Design:
    """Return the design of GeckoNum's items; the nouns were sampled."""
    counted = {ask.question.noun for item in items for ask in item.asks if isinstance(ask.question, Count)}
    return Design(strata=STRATA, sampled={"noun": tuple(sorted({*counted, *list_nouns(design(_SEED))}))})


_NUMBER_WORDS = re.compile(rf"\b(?:{'|'.join(in_words(number) for number in range(1, 100))})\b", re.IGNORECASE)


def items_of(prompts: Iterable[Prompt]) -> Iterator[Item]:
    """Make the items, in the order of the prompts."""
    for prompt in prompts:
        scene = scene_of(prompt)
        yield Item(f"geckonum/{prompt.id}", Draw(prompt.text), _asks(prompt, scene), _factors(prompt, scene))


def _asks(prompt: Prompt, scene: Scene) -> tuple[Ask, ...]:
    match TYPES[prompt.type]:
        case 1:
            return count_asks(scene)
        case 2:
            return line_asks(scene)
        case _:
            image = (IMAGE_ASK,) if prompt.text.startswith("An image") else ()
            setting = setting_asks(scene, "table") if "on the table" in prompt.text else ()
            return (*image, *confirm_asks(scene), *setting)


def _factors(prompt: Prompt, scene: Scene) -> dict[str, Scalar]:
    """Return the conditions of a prompt, without those its type does not vary."""
    factors: dict[str, Scalar] = {"task": TYPES[prompt.type], "type": prompt.type}
    first = scene.entities[0]
    match factors["task"]:
        case 1:
            if len(scene.entities) == 1:
                factors["number"] = first.exact_number
            has_words, has_digits = bool(_NUMBER_WORDS.search(prompt.text)), bool(re.search(r"\d", prompt.text))
            factors["representation"] = "mixed" if has_words and has_digits else "words" if has_words else "digits"
        case 2:
            factors["quantifier"] = scene.comparisons[0].word if scene.comparisons else str(first.number or "no")
        case _:
            factors |= _parts(scene.entities)
    if prompt.is_frequent is not None:
        factors["frequency"] = "frequent" if prompt.is_frequent else "rare"
    if prompt.type == "attribute-color" and first.colour:
        factors["colour"] = first.colour
    if prompt.type == "attribute-spatial":
        factors["relation"] = scene.relations[0].word
    return factors


def _parts(entities: tuple[Entity, ...]) -> dict[str, Scalar]:
    """Return the number of things, fractions included, and the number of pieces if there are pieces."""
    number = sum(e.form.share if isinstance(e.form, Portion) else e.exact_number for e in entities)
    pieces = [entity.form.number for entity in entities if isinstance(entity.form, Pieces)]
    counts: dict[str, Scalar] = {"number": int(number) if number == int(number) else float(number)}
    return counts | ({"pieces": pieces[0]} if pieces else {})


_QUANTIFIERS = ("no", "few", "many", "fewer", "as many", "more")
_SEED = 0  # seed of the 400 random prompts: fixed, so that runs are comparable


class Geckonum(Suite):
    """Draw exact numbers, approximate quantities, and parts, each prompt 5 times (GeckoNum).

    Args:
        tasks: 1 exact numbers, 2 approximate quantities, 3 parts
        types: which types of prompt
        colours: which colours, where a prompt names one
        quantifiers: which words for approximate quantities
        prompts: the authors' prompts.csv, in place of prompts by their design
        nouns: file of own nouns for fresh prompts, 40 or more, one per line
    """

    title = "GeckoNum"
    judge = "observer"
    repeats = 5
    strata = STRATA

    def __init__(
        self,
        *,
        tasks: tuple[int, ...] = (1, 2, 3),
        types: tuple[str, ...] = tuple(TYPES),
        numbers: tuple[int, ...] = tuple(range(1, 11)),
        colours: tuple[str, ...] = COLOURS,
        quantifiers: tuple[str, ...] = _QUANTIFIERS,
        prompts: str = "",
        fresh: int = 0,
        nouns: str = "",
    ) -> None:
        check_known("task", (str(task) for task in tasks), [str(task) for task in set(TYPES.values())])
        check_known("type", types, TYPES)
        check_known("colour", colours, COLOURS)
        check_known("quantifier", quantifiers, _QUANTIFIERS)
        self._kept = [type for type in types if TYPES[type] in tasks]
        self._numbers, self._colours, self._quantifiers = frozenset(numbers), frozenset(colours), frozenset(quantifiers)
        if nouns and not fresh:
            raise BadValueError("suite 'geckonum': nouns= are for fresh prompts; add fresh=1")
        wishes = FreshOptions(read_nouns(Path(nouns)) if nouns else None, colours, tuple(sorted(numbers)))
        self._prompts = [prompt for prompt in _choose(prompts, fresh, wishes) if self._keeps(prompt)]
        self.sampled = {"noun": list_nouns(self._prompts)}
        if not self._prompts:
            raise BadValueError("suite 'geckonum': no prompt is left with these options; take more types or numbers")

    def items(self, seed: int) -> Iterator[Item]:
        """Yield the prompts, all types mixed; the seed changes nothing, as the prompts are fixed."""
        return iter(interleave(items_of(self._prompts), "type"))

    def _keeps(self, prompt: Prompt) -> bool:
        """Return whether all numbers (in Task 1), colours and quantifiers of a prompt are selected."""
        if prompt.type not in self._kept:
            return False
        scene = scene_of(prompt)
        colours = {entity.colour for entity in scene.entities} - {None}
        colours |= {colour for one in scene.entities if isinstance(one.form, Halves) for colour in one.form.colours}
        numbers = {entity.number for entity in scene.entities} if TYPES[prompt.type] == 1 else set()
        quantifiers: set[str] = {comparison.word for comparison in scene.comparisons}
        if prompt.type == "approx-1-entity":
            quantifiers.add(str(scene.entities[0].number or "no"))
        return numbers <= self._numbers and colours <= self._colours and quantifiers <= self._quantifiers


def _choose(prompts: str, fresh: int, wishes: FreshOptions) -> tuple[Prompt, ...]:
    """Return the prompts of the file, fresh ones, or those of the design."""
    if prompts and fresh:
        raise BadValueError("suite 'geckonum': prompts= and fresh=: take the official file or fresh prompts")
    if fresh < 0:
        raise BadValueError(
            f"suite 'geckonum': fresh={fresh}: should be a seed from 1, or 0 for GeckoNum's own prompts"
        )
    if prompts:
        return read_prompts(Path(prompts))
    if fresh:
        return fresh_prompts(fresh, wishes)
    return design(_SEED)


_MANY = 11.0  # annotators chose from 0 to 10 and "10+"


def read_answer(text: str) -> float | NoValue:
    """Read a number as people typed it. Our finding: it holds for all 431,425 rows, the paper's wording for 96.6 %."""
    first = text[:LONGEST_TEXT].split(",", 1)[0].replace("o", "0").replace("O", "0")
    if "10+" in first:
        return _MANY
    numbers = [float(match[0]) for match in islice(re.finditer(r"\d+(?:\.\d+)?", first), 2)]
    if not numbers:
        return NoValue("no number")
    mean = sum(numbers) / len(numbers)
    return _MANY if mean > _MANY - 1 else mean


RULE = WordRule(2, read_answer, takes_positions=True)


def round_mode(mode: Scalar) -> Scalar:
    """Round a mode, half to even; values are not rounded before the mode is taken."""
    return round(mode) if isinstance(mode, float) else mode


NAMING = FileNaming(
    "geckonum",
    "geckonum_00012_3.png",
    re.compile(r"(?P<key>geckonum_\d{5})(?:_(?P<number>\d{1,9}))?", re.ASCII | re.IGNORECASE),
    last_of_key,
)
