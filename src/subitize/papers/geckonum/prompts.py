"""GeckoNum's prompts: the 1386 of its design, of which 400 are drawn by lot, or those of the official file."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from subitize.errors import BadFileError
from subitize.io.files import read_records
from subitize.language.scene import NotUnderstood, Scene
from subitize.papers.geckonum.depictions import depict
from subitize.papers.geckonum.sentences import Sentence, make_sentences, may_say
from subitize.papers.geckonum.vocabulary import OFFICIAL, WORDS

TYPES: dict[str, int] = WORDS["types"]
"""The types of prompts, in the order of the release, each with its task."""

COLUMNS = ("index", "prompt", "has_numeral", "is_frequent", "entities", "prompt_type", "dataset_id")
"""The columns of the official file."""

COLOURS = ("black", "white", "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "grey")
"""The colours that prompts may have."""

_YES_OR_NO = {"0": False, "1": True}
_FREQUENT: dict[str, bool | None] = {"-1": None, "0": False, "1": True}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt, in the columns of the official file; `is_frequent` is None where the file has -1."""

    index: int
    text: str
    has_numeral: bool
    is_frequent: bool | None
    entities: str
    type: str
    id: str


def design(seed: int) -> tuple[Prompt, ...]:
    """Make the 1386 prompts: 986 are those of the release, the others drawn as its own were."""
    return number_prompts(make_sentences(OFFICIAL, Random(f"geckonum {seed}")), "geckonum")


def number_prompts(sentences: Iterable[Sentence], name: str) -> tuple[Prompt, ...]:
    """Give each sentence its place and its id."""
    return tuple(
        Prompt(index, one.text, one.has_numeral, one.is_frequent, one.entities, one.type, f"{name}_{index:05d}")
        for index, one in enumerate(sentences)
    )


@lru_cache(maxsize=2048)  # a prompt is read, and then made an item of
def scene_of(prompt: Prompt) -> Scene:
    """Make the scene that the prompt's type and entities name."""
    return depict(prompt.type, prompt.entities, prompt.text)


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """Read the official file; what is wrong with it is told with its line."""
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
    """Make a prompt of the fields of a row; a ValueError says what is wrong with them."""
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
    """Refuse a prompt whose text says something else than its entities."""
    from subitize.language import clauses  # the grammar waits for a text that is not the design's

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
    """Refuse a prompt of the published design with something else beside it than the design has."""
    frequent = {value: written for written, value in _FREQUENT.items()}
    for column, own, right in (
        ("entities", prompt.entities, known.entities),
        ("prompt_type", prompt.type, known.type),
        ("has_numeral", str(int(prompt.has_numeral)), str(int(known.has_numeral))),
        ("is_frequent", frequent[prompt.is_frequent], frequent[known.is_frequent]),
    ):
        if own != right:
            raise BadFileError(f"{path.name} line {line}: {column} {own!r} of {prompt.text!r} should be {right!r}")
