"""GeckoNum's prompts: the 1386 of its design, those of the official file, or fresh ones with other words.

Of the 1386, 400 are drawn at random. Fresh prompts, which no model can have seen, use other nouns, pairs and colours,
or a user's own nouns, each marked as frequent or rare."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TypeVar

from subitize.errors import BadFileError, MissingPartError
from subitize.io.files import read_records
from subitize.language.scene import NotUnderstood, Scene
from subitize.papers.geckonum.sentences import (
    OFFICIAL,
    WORDS,
    ZIPF,
    Cut,
    GeckonumVocabulary,
    Held,
    Sentence,
    Split,
    depict,
    make_sentences,
    may_say,
    with_frequency,
)

TYPES: dict[str, int] = WORDS["types"]
"""The types of prompts in the release's order, each with its task."""

COLUMNS = ("index", "prompt", "has_numeral", "is_frequent", "entities", "prompt_type", "dataset_id")
"""The columns of the official file."""

COLOURS = ("black", "white", "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "grey")
"""The colours that prompts may name."""

_YES_OR_NO = {"0": False, "1": True}
_FREQUENT: dict[str, bool | None] = {"-1": None, "0": False, "1": True}

T = TypeVar("T")

_BANK = WORDS["fresh"]
_HELD = tuple(Held(*one) for one in _BANK["held"])
_FREQUENT_OF_TEN = {"animals": 5, "food": 6, "nature": 5, "objects": 5}


@dataclass(frozen=True, slots=True)
class FreshOptions:
    """Options of fresh prompts: nouns and whether they are frequent (None for ours), colours, numbers."""

    nouns: Mapping[str, bool] | None = None
    colours: tuple[str, ...] = COLOURS
    numbers: tuple[int, ...] = OFFICIAL.numbers


LEAST_NOUNS = len(OFFICIAL.nouns)
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
        if noun in OFFICIAL.nouns:
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
    found = {noun: ZIPF.get(noun, math.nan) for noun in nouns}
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
    return number_prompts(make_sentences(OFFICIAL, Random(f"geckonum {seed}")), "geckonum")


def number_prompts(sentences: Iterable[Sentence], name: str) -> tuple[Prompt, ...]:
    """Number the sentences and give each an id."""
    return tuple(
        Prompt(index, one.text, one.has_numeral, one.is_frequent, one.entities, one.type, f"{name}_{index:05d}")
        for index, one in enumerate(sentences)
    )


@lru_cache(maxsize=2048)  # each prompt is needed twice: when read and when made an item
def scene_of(prompt: Prompt) -> Scene:
    """Make the scene described by a prompt's type and entities."""
    return depict(prompt.type, prompt.entities, prompt.text)


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """Read the official file; errors name the line."""
    records = read_records(path)
    _check_header(path, next(records, (1, []))[1])
    lines: dict[str, int] = {}
    found: list[tuple[Prompt, Scene]] = []
    for line, fields in records:
        try:
            prompt = _prompt(fields)
            scene = scene_of(prompt)
        except ValueError as error:
            raise BadFileError(f"{path.name} line {line}: {error}") from None
        if prompt.id in lines:
            raise BadFileError(f"{path.name} line {line}: {prompt.id} stands in line {lines[prompt.id]} already")
        lines[prompt.id] = line
        found.append((prompt, scene))
    if not found:
        raise BadFileError(f"{path.name}: no prompts; the official file has a row for each")
    _check_texts(path, found, lines)
    return tuple(prompt for prompt, _ in found)


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


def _check_texts(path: Path, found: list[tuple[Prompt, Scene]], lines: dict[str, int]) -> None:
    """Refuse a prompt whose text and entities disagree."""
    from subitize.language import clauses  # the grammar is loaded only for texts outside the design

    for prompt, scene in found:
        known = _published_sentences().get(prompt.text)
        if known is not None:
            _check_as_designed(path, lines[prompt.id], prompt, known)
            continue
        if may_say(prompt.type, prompt.text, prompt.entities):
            continue
        nouns = tuple(dict.fromkeys(entity.noun for _, scene in found for entity in scene.entities))
        said = clauses.read_scene(prompt.text, nouns, COLOURS)
        where = f"{path.name} line {lines[prompt.id]}: prompt {prompt.text!r}"
        if isinstance(said, NotUnderstood):
            raise BadFileError(f"{where} is not understood: {said.reason}")
        if said != scene:
            raise BadFileError(f"{where} does not say what its entities do: {prompt.entities!r}")


@lru_cache(maxsize=1)
def _published_sentences() -> dict[str, Sentence]:
    return {one.text: one for one in make_sentences(OFFICIAL, None)}


def _check_as_designed(path: Path, line: int, prompt: Prompt, known: Sentence) -> None:
    """Refuse a published prompt whose other columns differ from the design's."""
    frequent = {value: written for written, value in _FREQUENT.items()}
    for column, own, right in (
        ("entities", prompt.entities, known.entities),
        ("prompt_type", prompt.type, known.type),
        ("has_numeral", str(int(prompt.has_numeral)), str(int(known.has_numeral))),
        ("is_frequent", frequent[prompt.is_frequent], frequent[known.is_frequent]),
    ):
        if own != right:
            raise BadFileError(f"{path.name} line {line}: {column} {own!r} of {prompt.text!r} should be {right!r}")


def fresh_prompts(seed: int, wishes: FreshOptions | None = None) -> tuple[Prompt, ...]:
    """Draw as many prompts of each type as the release has, none from the release, as far as the options allow."""
    random = Random(f"geckonum fresh {seed}")
    return number_prompts(make_sentences(_draw(wishes or FreshOptions(), random), random), f"fresh{seed}")


def _draw(wishes: FreshOptions, random: Random) -> GeckonumVocabulary:
    given = wishes.nouns
    nouns = (
        _draw_nouns(random) if given is None else {noun: given[noun] for noun in _pick(given, random, OFFICIAL.nouns)}
    )
    names = tuple(nouns)
    compared = random.sample(names, 2 * len(OFFICIAL.compared))
    colours = random.sample(wishes.colours, len(wishes.colours))
    halves = [*random.sample(wishes.colours, min(4, len(wishes.colours)))]
    pairs = tuple(zip(halves[::2], halves[1::2], strict=False))
    return GeckonumVocabulary(
        nouns=nouns,
        sentence_nouns=_pick(names, random, OFFICIAL.sentence_nouns),
        compared=tuple(zip(compared[::2], compared[1::2], strict=True)),
        held=_pick(_HELD, random, OFFICIAL.held),
        cut=tuple(
            Cut(noun, noun, tuple(random.choice(_BANK["into"]))) for noun in _pick(_BANK["cut"], random, OFFICIAL.cut)
        ),
        broken=_pick(_BANK["broken"], random, OFFICIAL.broken),
        split=(Split(random.choice(_BANK["snapped"]), "broken"), Split(random.choice(_BANK["sliced"]), "is cut")),
        halves=pairs,
        coloured_nouns=_pick(names, random, OFFICIAL.coloured_nouns),
        colours=tuple(colours[: len(OFFICIAL.colours)]),
        numbers=wishes.numbers,
    )


def _draw_nouns(random: Random) -> dict[str, bool]:
    """Draw ten nouns per group, with the release's share of frequent ones."""
    drawn: dict[str, bool] = {}
    for group, frequent in _FREQUENT_OF_TEN.items():
        nouns = with_frequency(_BANK[group])
        for is_frequent, number in ((True, frequent), (False, 10 - frequent)):
            own = [noun for noun in nouns if nouns[noun] is is_frequent]
            drawn |= dict.fromkeys(random.sample(own, number), is_frequent)
    return drawn


def _pick(
    bank: Mapping[T, object] | Sequence[T], random: Random, like: Mapping[str, bool] | tuple[object, ...]
) -> tuple[T, ...]:
    """Sample as many from the bank as the release has."""
    return tuple(random.sample(list(bank), len(like)))
