"""Probes made of questions: statements, foils, and the paper's three splits."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from subitize.errors import BadFileError, BadValueError
from subitize.io.frames import group_rows
from subitize.language.numbers import in_words
from subitize.networks.joint import GAP
from subitize.papers.seeing_past_words.foils import FoilRule, draw_foils
from subitize.papers.seeing_past_words.probes import Probe
from subitize.papers.seeing_past_words.sources import Asked, Omissions, Source, read_source
from subitize.papers.seeing_past_words.statements import Masked, Mode, mask, statement
from subitize.records import digest

SPLITS: tuple[str, ...] = ("standard", "hard", "interpolated")
NO_TEMPLATE = "a question that no template fits"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How probes are made.

    `mode` is how statements are written: None keeps those of the data, and corrects what is new. The hard split has at
    most `cap` questions of each answer, in training none whose answer is larger than `largest` (section 4.1.2).
    """

    splits: Sequence[str] = SPLITS
    mode: Mode | None = None
    foils: FoilRule = "symmetric"
    cap: int = 200
    largest: int = 20
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Built:
    """Probes, and what could not be made one."""

    probes: Sequence[Probe]
    omitted: Omissions = field(default_factory=Omissions)


def build_probes(paths: Sequence[Path], recipe: Recipe) -> Built:
    """Read files of questions and make probes of them."""
    if recipe.cap < 1 or recipe.largest < 0:
        raise BadValueError(f"cap {recipe.cap}, largest {recipe.largest}: should be at least 1 and 0")
    omitted = Omissions()
    sources = [read_source(path, omitted) for path in paths]
    probes = [probe for source in sources for probe in _build(source, recipe, omitted)]
    if not probes:
        told = "; ".join(omitted.lines()) or "no question begins with 'How many'"
        raise BadFileError(f"no probe can be made of {', '.join(path.name for path in paths)}: {told}")
    _check_ids(probes)
    return Built(probes, omitted)


def _build(source: Source, recipe: Recipe, omitted: Omissions) -> Iterator[Probe]:
    mode = recipe.mode or ("faithful" if source.split else "corrected")
    fitting = []
    for one in source.questions:
        # What was released as a statement needs no template, unless it is to be corrected.
        if (one.statements and mode == "faithful") or not one.question or statement(one.question, one.answer, mode):
            fitting.append(one)
        else:
            omitted.add(NO_TEMPLATE, one.question)
    if source.split:
        yield from (_make_probe(one, source.split, mode) for one in fitting)
        return
    for split in recipe.splits:
        chosen = list(_split(fitting, split, recipe, is_one_per_image=source.has_one_per_image))
        for one in _with_foils(chosen, split, recipe):
            yield _make_probe(one, split, mode)


def _split(questions: Sequence[Asked], split: str, recipe: Recipe, *, is_one_per_image: bool) -> Iterator[Asked]:
    """Choose the questions of a split, in the order of the data.

    Where an image has but one question, it is one of the answer that is first met last in the data, as in the release.
    """
    classes: dict[tuple[str, int], list[int]] = {}
    for place, one in enumerate(questions):
        classes.setdefault((one.part, one.answer), []).append(place)
    found: dict[object, int] = {}
    for (part, answer), places in classes.items():
        for place in places[: _most_of(split, part, answer, recipe)]:
            found[(part, questions[place].image) if is_one_per_image else place] = place
    return (questions[place] for place in sorted(found.values()))


def _most_of(split: str, part: str, answer: int, recipe: Recipe) -> int | None:
    """Tell how many questions of an answer a part of a split has at most; None is all."""
    match split:
        case "hard":
            return 0 if part == "train" and answer > recipe.largest else recipe.cap
        case "interpolated":
            return None if (answer % 2 == 0) == (part == "train") else 0
    return None


def _with_foils(questions: Sequence[Asked], split: str, recipe: Recipe) -> list[Asked]:
    """Draw foils, within each part, for the questions that came with none."""
    drawn: dict[int, Asked] = {}
    for part in dict.fromkeys(one.part for one in questions):
        places = [place for place, one in enumerate(questions) if one.part == part and one.foils is None]
        seed = int(digest(recipe.seed, split, part)[:8], 16)
        foils = draw_foils([questions[place].answer for place in places], recipe.foils, seed)
        drawn |= {place: questions[place]._replace(foils=own) for place, own in zip(places, foils, strict=True)}
    return [drawn.get(place, one) for place, one in enumerate(questions)]


def _make_probe(one: Asked, split: str, mode: Mode) -> Probe:
    foils = one.foils or ()
    if one.statements and (mode == "faithful" or not one.question):  # a caption without a question stays as it is
        texts = list(one.statements)
    else:
        texts = [statement(one.question, number, mode) or "" for number in (one.answer, *foils)]
    masked = mask(one.question, one.answer, mode) if one.question else _mask_given(one)
    return Probe(
        one.id, split, one.part, one.image, one.question, one.answer, foils, texts[0], tuple(texts[1:]), *masked
    )


def _mask_given(one: Asked) -> Masked:
    """Put a gap in place of the number of a statement that somebody wrote; nothing, where it is not there once."""
    texts = dict(zip((one.answer, *(one.foils or ())), one.statements or (), strict=False))
    several = next(((number, text) for number, text in texts.items() if number != 1), (one.answer, ""))
    return Masked(_mask_number(*several), _mask_number(one.answer, texts.get(one.answer, "")))


def _mask_number(number: int, text: str) -> str:
    masked, times = re.subn(rf"\b(?:{number}|{in_words(number)})\b", GAP, text, flags=re.IGNORECASE)
    return masked if times == 1 else ""


def _check_ids(probes: Sequence[Probe]) -> None:
    counted = Counter((probe.split, probe.part, probe.id) for probe in probes)
    (split, part, id), times = counted.most_common(1)[0]
    if times > 1:
        raise BadFileError(
            f"probe {id!r} is in {split}, {part} {times} times; give each file once, and each row an id of its own"
        )


def find_images(names: Iterable[str], folder: Path) -> dict[str, Path]:
    """Find image files by the names that data has for them: as a path below the folder, or anywhere in it, once."""
    if not folder.is_dir():
        raise BadFileError(f"{folder}: no such folder; name that of the images")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    by_path = {path.relative_to(folder).as_posix(): path for path in files}
    by_name = group_rows(files, lambda path: path.name)
    found = {}
    for name in names:
        alike = by_name.get(name.rpartition("/")[2], [])
        if path := by_path.get(name) or (alike[0] if len(alike) == 1 else None):
            found[name] = path
    return found
