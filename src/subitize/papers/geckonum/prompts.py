"""GeckoNum's prompts: the 1386 of its design, those of the official file, or fresh ones with other words.

Of the 1386, 400 are drawn at random. Fresh prompts, which no model can have seen, use other nouns, pairs and colours,
or a user's own nouns, each marked as frequent or rare."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TypeVar

from subitize.errors import BadFileError, BadValueError, MissingPartError
from subitize.io.files import read_records
from subitize.language.clauses import read_scene
from subitize.language.scene import Halves, NotUnderstood, Pieces, Portion, Scene
from subitize.papers.geckonum import sentences

TYPES: dict[str, int] = sentences.WORDS["types"]
"""The types of prompts in the release's order, each with its task."""

COLUMNS = ("index", "prompt", "has_numeral", "is_frequent", "entities", "prompt_type", "dataset_id")
"""The columns of the official file."""

COLOURS = ("black", "white", "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "grey")
"""The colours that prompts may name."""

_YES_OR_NO = {"0": False, "1": True}
_FREQUENT: dict[str, bool | None] = {"-1": None, "0": False, "1": True}

T = TypeVar("T")

_BANK = sentences.WORDS["fresh"]
_HELD = tuple(sentences.Held(*one) for one in _BANK["held"])
_FREQUENT_OF_TEN = {"animals": 5, "food": 6, "nature": 5, "objects": 5}


@dataclass(frozen=True, slots=True)
class FreshOptions:
    """Options of fresh prompts: nouns and whether they are frequent (None for ours), colours, numbers."""

    nouns: Mapping[str, bool] | None = None
    colours: tuple[str, ...] = COLOURS
    numbers: tuple[int, ...] = sentences.OFFICIAL.numbers


LEAST_NOUNS = len(sentences.OFFICIAL.nouns)
# On the Zipf scale of wordfreq: GeckoNum's frequent nouns are at 3.86 (ant) and above, its rare ones at 3.70 (cinnamon)
# and below; of a two-word noun the first word is looked up, as its authors did.
_FREQUENT_FROM = 3.78
_FREQUENCIES = {"frequent": True, "rare": False}


def read_nouns(path: Path) -> dict[str, bool]:
    """Read singular nouns; a second column says frequent or rare, otherwise wordfreq decides."""
    nouns: dict[str, bool] = {}
    for line, fields in read_records(path):
        noun, frequency = _fields(path, line, [field.strip() for field in fields])
        if noun in nouns:
            raise BadFileError(f"{path.name} line {line}: {noun!r} stands there twice; once is enough")
        if noun in sentences.OFFICIAL.nouns:
            raise BadFileError(f"{path.name} line {line}: {noun!r} is one of GeckoNum's own nouns; take another")
        nouns[noun] = _FREQUENCIES[frequency] if frequency else is_frequent(noun)
    if len(nouns) < LEAST_NOUNS:
        raise BadFileError(f"{path.name}: {len(nouns)} nouns; a set of GeckoNum's size needs {LEAST_NOUNS} or more")
    return nouns


def is_frequent(noun: str) -> bool:
    """Return whether the noun is frequent by GeckoNum's threshold."""
    zipf = look_up([noun])
    if zipf is None:
        raise MissingPartError("a list of nouns without frequencies", "wordfreq", "corpus")
    return zipf[noun] >= _FREQUENT_FROM


def look_up(nouns: Iterable[str]) -> dict[str, float] | None:
    """Look up word frequencies on the Zipf scale; None if unofficial nouns are given and wordfreq is missing.

    Of a two-word noun, the first word is looked up, as in the paper.
    """
    found = {noun: sentences.ZIPF.get(noun, math.nan) for noun in nouns}
    others = [noun for noun, zipf in found.items() if math.isnan(zipf)]
    if not others:
        return found
    try:
        wordfreq = import_module("wordfreq")
    except ImportError:
        return None
    return found | {noun: float(wordfreq.zipf_frequency(noun.split()[0], "en")) for noun in others}


def _fields(path: Path, line: int, fields: list[str]) -> tuple[str, str]:
    noun, frequency = (*fields, "")[:2]
    if not noun or not all(part.isalpha() and part.islower() for part in noun.split()) or len(fields) > 2:
        raise BadFileError(f"{path.name} line {line}: {','.join(fields)!r}: should be a noun in small letters")
    if frequency and frequency not in _FREQUENCIES:
        raise BadFileError(f"{path.name} line {line}: {frequency!r}: should be frequent or rare, or be left out")
    return noun, frequency


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with the columns of the official file; `is_frequent` is None where the file has -1."""

    index: int
    text: str
    has_numeral: bool
    is_frequent: bool | None
    entities: str
    type: str
    id: str


def design(seed: int) -> tuple[Prompt, ...]:
    """Make the 1386 prompts: 986 equal those of the release, the others are drawn by the same rules."""
    return number_prompts(sentences.make_sentences(sentences.OFFICIAL, Random(f"geckonum {seed}")), "geckonum")


def number_prompts(given: Iterable[sentences.Sentence], name: str) -> tuple[Prompt, ...]:
    """Number the sentences and give each an id."""
    return tuple(
        Prompt(index, one.text, one.has_numeral, one.is_frequent, one.entities, one.type, f"{name}_{index:05d}")
        for index, one in enumerate(given)
    )


@lru_cache(maxsize=2048)  # each prompt is needed twice: when read and when made an item
def scene_of(prompt: Prompt) -> Scene:
    """Read the scene that a prompt describes, with the nouns of the design, or else with its own."""
    known, own = _designed_nouns(), _list_nouns(prompt.type, prompt.entities)
    scene = read_scene(prompt.text, known if {*own} <= {*known} else own, COLOURS)
    if isinstance(scene, NotUnderstood):
        raise BadValueError(f"prompt {prompt.text!r} is not understood: {scene.reason}")
    return scene


def list_nouns(prompts: Iterable[Prompt]) -> tuple[str, ...]:
    """List the nouns that prompts are about, in alphabetical order."""
    return tuple(sorted({entity.noun for prompt in prompts for entity in scene_of(prompt).entities}))


@lru_cache(maxsize=1)
def _designed_nouns() -> tuple[str, ...]:
    published = _published_sentences().values()
    return tuple(dict.fromkeys(noun for one in published for noun in _list_nouns(one.type, one.entities)))


def _list_nouns(type: str, entities: str) -> tuple[str, ...]:
    """List the nouns of entities, without the colours before them."""
    names = [one.rpartition(":")[0] for one in plain_entities(entities).split(",")]
    return tuple(name.partition(" ")[2] if type.endswith("-color") else name for name in names)


def plain_entities(entities: str) -> str:
    """Write entities with our names of things, and without blanks between."""
    for written, noun in _OUR_NOUNS.items():
        entities = entities.replace(f"{written}:", f"{noun}:")
    return re.sub(r"\s*,\s*", ",", entities.strip())


# Our names for these drawings; the release cuts the last letter of the second.
_OUR_NOUNS = {"loaf of bread": "loaf", "grains of ric": "rice grain", "grain of rice": "rice grain"}


def spell_entities(type: str, scene: Scene, text: str) -> str:
    """Write the entities of a scene as the release does for prompts of a type; "" if the type has no such scenes."""
    first, last = scene.entities[0], scene.entities[-1]
    words = [relation.word for relation in scene.relations]
    match type, last.form:
        case "approx-2-entity", None if scene.comparisons:
            return f"{first.noun}:{scene.comparisons[0].word},{last.noun}:X"
        case "approx-1-entity", None if words in (["in"], ["on"]):
            return f"{first.noun}:{first.number or 'no'},{last.noun}:1"
        case "part-whole", Pieces(2, ()):
            return f"{first.noun}:{sum(entity.exact_number for entity in scene.entities)}"
        case "fractional-simple", Portion(share):
            return f"{first.noun}:{first.exact_number + float(share):g}"
        case "fractional-simple", Pieces():
            return f"{first.noun}:{text.rstrip('.').partition(' into ')[2]}"
        case "fractional-complex", Pieces(2, (1, 2)):
            return f"{first.noun}:1/3+2/3"
        case "fractional-complex", Halves(colours):
            return f"{first.noun}:{'+'.join(f'1/2{colour}' for colour in colours)}"
    is_counted = TYPES[type] == 1 and all(isinstance(entity.number, int) for entity in scene.entities)
    if not is_counted or any(entity.form for entity in scene.entities) or bool(words) != (type == "attribute-spatial"):
        return ""
    named = ((" ".join(filter(None, (one.colour, one.noun))), one.number) for one in scene.entities)
    return ",".join(f"{name}:{number}" for name, number in named)


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """Read the official file; errors name the line."""
    records = read_records(path)
    _check_header(path, next(records, (1, []))[1])
    lines: dict[str, int] = {}
    found: list[Prompt] = []
    for line, fields in records:
        try:
            prompt = _prompt(fields)
        except ValueError as error:
            raise BadFileError(f"{path.name} line {line}: {error}") from None
        if prompt.id in lines:
            raise BadFileError(f"{path.name} line {line}: {prompt.id} stands in line {lines[prompt.id]} already")
        lines[prompt.id] = line
        found.append(prompt)
    if not found:
        raise BadFileError(f"{path.name}: no prompts; the official file has a row for each")
    for prompt in found:
        for fault in find_faults(prompt):
            raise BadFileError(f"{path.name} line {lines[prompt.id]}: {fault}")
    return tuple(found)


def _check_header(path: Path, header: list[str]) -> None:
    if header and header[0].lstrip().startswith("<"):
        raise BadFileError(f"{path.name} line 1: a web page, not CSV; download the file itself")
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise BadFileError(f"{path.name} line 1: no column {missing[0]!r}; should have {', '.join(COLUMNS)}")
    if tuple(header) != COLUMNS:
        raise BadFileError(f"{path.name} line 1: columns {', '.join(header)}; should be {', '.join(COLUMNS)}")


def _prompt(fields: list[str]) -> Prompt:
    """Make a prompt from the fields of a row; a ValueError says what is wrong with them."""
    if len(fields) != len(COLUMNS):
        raise ValueError(f"{len(fields)} columns instead of {len(COLUMNS)}; the file may be cut off")
    index, text, has_numeral, is_frequent, entities, type, id = fields
    if not re.fullmatch(r"\d{1,6}", index, re.ASCII):
        raise ValueError(f"index {index!r}: should be digits")
    if has_numeral not in _YES_OR_NO:
        raise ValueError(f"has_numeral {has_numeral!r}: should be 0 or 1")
    if is_frequent not in _FREQUENT:
        raise ValueError(f"is_frequent {is_frequent!r}: should be -1, 0 or 1")
    if type not in TYPES:
        raise ValueError(f"no prompt_type named {type!r}; known: {', '.join(TYPES)}")
    if id != f"geckonum_{int(index):05d}":
        raise ValueError(f"dataset_id {id!r}: should be geckonum_{int(index):05d}, after its index")
    return Prompt(int(index), text, _YES_OR_NO[has_numeral], _FREQUENT[is_frequent], entities, type, id)


def find_faults(prompt: Prompt) -> Iterator[str]:
    """Say where the other columns of a prompt differ from the design's, or its entities from its text."""
    known = _published_sentences().get(prompt.text)
    if known is not None:
        frequent = {value: written for written, value in _FREQUENT.items()}
        for column, own, right in (
            ("entities", prompt.entities, known.entities),
            ("prompt_type", prompt.type, known.type),
            ("has_numeral", str(int(prompt.has_numeral)), str(int(known.has_numeral))),
            ("is_frequent", frequent[prompt.is_frequent], frequent[known.is_frequent]),
        ):
            if own != right:
                yield f"{column} {own!r} of {prompt.text!r} should be {right!r}"
        return
    try:
        right = spell_entities(prompt.type, scene_of(prompt), prompt.text)
    except BadValueError as error:
        yield str(error)
        return
    if not right:
        yield f"prompt_type {prompt.type!r} does not suit {prompt.text!r}"
    elif plain_entities(prompt.entities) != right:
        yield f"entities {prompt.entities!r} of {prompt.text!r} should be {right!r}"


@lru_cache(maxsize=1)
def _published_sentences() -> dict[str, sentences.Sentence]:
    return {one.text: one for one in sentences.make_sentences(sentences.OFFICIAL, None)}


def fresh_prompts(seed: int, wishes: FreshOptions | None = None) -> tuple[Prompt, ...]:
    """Draw as many prompts of each type as the release has, none from the release, as far as the options allow."""
    random = Random(f"geckonum fresh {seed}")
    return number_prompts(sentences.make_sentences(_draw(wishes or FreshOptions(), random), random), f"fresh{seed}")


def _draw(wishes: FreshOptions, random: Random) -> sentences.GeckonumVocabulary:
    given = wishes.nouns
    nouns = (
        _draw_nouns(random)
        if given is None
        else {noun: given[noun] for noun in _pick(given, random, sentences.OFFICIAL.nouns)}
    )
    names = tuple(nouns)
    compared = random.sample(names, 2 * len(sentences.OFFICIAL.compared))
    colours = random.sample(wishes.colours, len(wishes.colours))
    halves = [*random.sample(wishes.colours, min(4, len(wishes.colours)))]
    pairs = tuple(zip(halves[::2], halves[1::2], strict=False))
    return sentences.GeckonumVocabulary(
        nouns=nouns,
        sentence_nouns=_pick(names, random, sentences.OFFICIAL.sentence_nouns),
        compared=tuple(zip(compared[::2], compared[1::2], strict=True)),
        held=_pick(_HELD, random, sentences.OFFICIAL.held),
        cut=tuple(
            sentences.Cut(noun, noun, tuple(random.choice(_BANK["into"])))
            for noun in _pick(_BANK["cut"], random, sentences.OFFICIAL.cut)
        ),
        broken=_pick(_BANK["broken"], random, sentences.OFFICIAL.broken),
        split=(
            sentences.Split(random.choice(_BANK["snapped"]), "broken"),
            sentences.Split(random.choice(_BANK["sliced"]), "is cut"),
        ),
        halves=pairs,
        coloured_nouns=_pick(names, random, sentences.OFFICIAL.coloured_nouns),
        colours=tuple(colours[: len(sentences.OFFICIAL.colours)]),
        numbers=wishes.numbers,
    )


def _draw_nouns(random: Random) -> dict[str, bool]:
    """Draw ten nouns per group, with the release's share of frequent ones."""
    drawn: dict[str, bool] = {}
    for group, frequent in _FREQUENT_OF_TEN.items():
        nouns = sentences.with_frequency(_BANK[group])
        for is_frequent, number in ((True, frequent), (False, 10 - frequent)):
            own = [noun for noun in nouns if nouns[noun] is is_frequent]
            drawn |= dict.fromkeys(random.sample(own, number), is_frequent)
    return drawn


def _pick(
    bank: Mapping[T, object] | Sequence[T], random: Random, like: Mapping[str, bool] | tuple[object, ...]
) -> tuple[T, ...]:
    """Sample as many from the bank as the release has."""
    return tuple(random.sample(list(bank), len(like)))
