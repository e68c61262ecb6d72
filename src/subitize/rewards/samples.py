"""From the body of a request to samples: a picture each, and what should be counted in it.

What is wrong with a request is an error that names the field; what is wrong with one picture or prompt only costs that
sample its reward.
"""

import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic_core import from_json

from subitize.errors import BadImageError, BadValueError
from subitize.io.images import image_format
from subitize.judges.alignment import NOUNS
from subitize.language.clauses import read_scene
from subitize.language.nouns import singular
from subitize.language.questions import count_asks
from subitize.language.scene import Entity, NotUnderstood, Scene, Whole
from subitize.language.tokens import LONGEST_TEXT
from subitize.records import Ask, ImageFormat
from subitize.stimuli.colours import COLOUR_NAMES

MOST_SAMPLES = 1024
MOST_KINDS = 50
"""How many kinds of things may be counted in one picture."""
MOST_COUNTED = 10_000
LONGEST_NOUN = 100
_FIELDS = ("prompts", "images", "expected")
_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sample:
    """A picture, and what should be counted in it."""

    image: bytes
    format: ImageFormat
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Why a sample has no reward."""

    reason: str


def read_samples(body: bytes) -> list[Sample | Unjudged]:
    """Read a request; raise BadValueError, with the field, if it is none."""
    given = _read_object(body)
    prompts, images = (_read_texts(given, field) for field in ("prompts", "images"))
    expected = _read_expected(given, len(prompts))
    if len(images) != len(prompts):
        raise BadValueError(f"images: {len(images):,} of them for {len(prompts):,} prompts; give one for each")
    return [
        _read_sample(prompt, _read_image(f"images[{place}]", image), entities)
        for place, (prompt, image, entities) in enumerate(zip(prompts, images, expected, strict=True))
    ]


def _read_object(body: bytes) -> Mapping[str, object]:
    try:
        given = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise BadValueError(f"body: not JSON ({error})") from None
    if not isinstance(given, dict):
        raise BadValueError(f"body: {_name(given)}; should be an object with prompts and images")
    for field in given:
        if field not in _FIELDS:
            raise BadValueError(f"{field[:80]!r}: no such field; known: {', '.join(_FIELDS)}")
    return given


def _read_texts(given: Mapping[str, object], field: str) -> list[str]:
    if field not in given:
        raise BadValueError(f"{field}: missing; give a list of texts")
    return [_read_text(f"{field}[{place}]", text) for place, text in enumerate(_read_list(field, given[field]))]


def _read_text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadValueError(f"{field}: {_name(value)}; should be a text")
    return value


def _read_list(field: str, value: object, most: int = MOST_SAMPLES) -> list[object]:
    if not isinstance(value, list):
        raise BadValueError(f"{field}: {_name(value)}; should be a list")
    if not 1 <= len(value) <= most:
        raise BadValueError(f"{field}: a list of {len(value):,}; should be 1 to {most:,}")
    return value


def _read_expected(given: Mapping[str, object], samples: int) -> Sequence[tuple[Entity, ...] | None]:
    """Read what is expected of each sample; None where its prompt tells."""
    if given.get("expected") is None:
        return [None] * samples
    each = _read_list("expected", given["expected"])
    if len(each) != samples:
        raise BadValueError(f"expected: {len(each):,} of them for {samples:,} prompts; give one for each, or null")
    return [None if one is None else _read_entities(f"expected[{place}]", one) for place, one in enumerate(each)]


def _read_entities(field: str, value: object) -> tuple[Entity, ...]:
    each = _read_list(field, value, MOST_KINDS)
    entities = tuple(_read_entity(f"{field}[{place}]", one) for place, one in enumerate(each))
    for entity in entities:
        if sum(entity.noun == other.noun for other in entities) > 1:
            raise BadValueError(f"{field}: {entity.noun!r} stands there more than once")
    return entities


def _read_entity(field: str, value: object) -> Entity:
    if not isinstance(value, dict) or set(value) != {"noun", "count"}:
        raise BadValueError(f'{field}: {_name(value)}; should be an object as {{"noun": "apple", "count": 3}}')
    noun, number = value["noun"], value["count"]
    if not isinstance(noun, str) or not noun.strip() or not noun.isprintable() or len(noun) > LONGEST_NOUN:
        raise BadValueError(f"{field}.noun: {_name(noun)}; should be a text of 1 to {LONGEST_NOUN} characters")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MOST_COUNTED:
        raise BadValueError(f"{field}.count: {_name(number)}; should be a whole number from 0 to {MOST_COUNTED:,}")
    return Entity(singular(" ".join(noun.lower().split())), number)


def _read_image(field: str, text: str) -> bytes:
    start = _DATA_URL.match(text)
    try:
        return binascii.a2b_base64(text[start.end() :] if start else text, strict_mode=True)
    except ValueError as error:
        raise BadValueError(f"{field}: not base64 ({error}); encode the bytes of an image file") from None


def _read_sample(prompt: str, image: bytes, entities: tuple[Entity, ...] | None) -> Sample | Unjudged:
    asks = count_asks(Scene(entities)) if entities is not None else _read_prompt(prompt)
    if isinstance(asks, Unjudged):
        return asks
    try:
        return Sample(image, image_format(image), asks)
    except BadImageError as error:
        return Unjudged(str(error))


def _read_prompt(prompt: str) -> tuple[Ask, ...] | Unjudged:
    """Ask for the numbers that a prompt names, if they are all that it says of numbers."""
    if len(prompt) > LONGEST_TEXT:
        return Unjudged(f"the prompt has {len(prompt):,} characters; {LONGEST_TEXT:,} are read")
    return _ask_for(prompt)


@lru_cache(maxsize=1024)  # who trains sends a prompt again and again
def _ask_for(prompt: str) -> tuple[Ask, ...] | Unjudged:
    scene = read_scene(prompt, NOUNS, COLOUR_NAMES)
    if isinstance(scene, NotUnderstood):
        reason = scene.reason.partition("; known: ")[0]
        return Unjudged(f"the prompt is not understood ({reason}); say in `expected` what should be counted")
    for entity in scene.entities:
        if not isinstance(entity.number, int) or not isinstance(entity.form, Whole | None):
            return Unjudged(f"the prompt gives no exact number of whole things for {entity.noun!r}")
    if scene.comparisons or not scene.entities:
        return Unjudged("the prompt compares numbers, or names none, where counts are rewarded")
    return count_asks(scene)


def _name(value: object) -> str:
    """Name a value in an error, by its kind if it is long."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case str() | int() | float():
            return f"{value!r:.80}" if not isinstance(value, int) or abs(value) < 10**20 else "a huge number"
        case list():
            return f"a list of {len(value):,}"
    return "an object"
