"""Prompts as items: what is asked about their pictures, and under which conditions they stand."""

import re
from collections.abc import Iterable, Iterator

from subitize.language.numbers import in_words
from subitize.language.questions import IMAGE_ASK, confirm_asks, count_asks, line_asks, setting_asks
from subitize.language.scene import Entity, Pieces, Portion, Scene
from subitize.papers.geckonum.prompts import TYPES, Prompt, scene_of
from subitize.records import Ask, Draw, Item, Scalar

STRATA = ("type", "number")
"""The factors that the design fixes; numbers differ between the types."""

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
    """The conditions that the prompt stands under; what a type does not vary is left out."""
    factors: dict[str, Scalar] = {"task": TYPES[prompt.type], "type": prompt.type}
    first = scene.entities[0]
    match factors["task"]:
        case 1:
            if len(scene.entities) == 1:
                factors["number"] = first.exact_number
            factors["representation"] = _representation(prompt.text)
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


def _representation(text: str) -> str:
    has_words, has_digits = bool(_NUMBER_WORDS.search(text)), bool(re.search(r"\d", text))
    return "mixed" if has_words and has_digits else "words" if has_words else "digits"


def _parts(entities: tuple[Entity, ...]) -> dict[str, Scalar]:
    """How many things, a share of one as a fraction; and how many pieces, if it is about pieces."""
    number = sum(e.form.share if isinstance(e.form, Portion) else e.exact_number for e in entities)
    pieces = [entity.form.number for entity in entities if isinstance(entity.form, Pieces)]
    told: dict[str, Scalar] = {"number": int(number) if number == int(number) else float(number)}
    return told | ({"pieces": pieces[0]} if pieces else {})
