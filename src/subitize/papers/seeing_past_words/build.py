"""Builds probes from questions: statements, wrong numbers near the right one, and the paper's three splits.

Wrong numbers are drawn at random, in a way that gives nothing away. Also the work behind the commands on probes: read,
build, find the images, write."""

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from subitize.errors import BadFileError, BadValueError
from subitize.io.frames import group_rows
from subitize.language.numbers import LARGEST_IN_WORDS, in_words
from subitize.networks.joint import GAP
from subitize.papers.seeing_past_words import sources
from subitize.papers.seeing_past_words.probes import Probe, write_records
from subitize.papers.seeing_past_words.statements import MODES, Masked, Mode, mask, statement
from subitize.records import digest
from subitize.suites.checks import check_known

FoilRule = Literal["symmetric", "as-released"]
FOIL_RULES: tuple[FoilRule, ...] = ("symmetric", "as-released")
# The distances of released foils from the answer (validation, standard split).
_DISTANCES: Mapping[int, float] = {1: 0.37, 2: 0.27, 3: 0.17, 4: 0.10, 5: 0.06, 6: 0.03}
_ABOVE = 0.6  # where there is room below; small answers have little, so 72 % of all, as released
FOILS = 3
"""Foils per question, as in Visual7W."""


def draw_foils(answers: Sequence[int], rule: FoilRule, seed: int) -> list[tuple[int, ...]]:
    """Draw the foils of each answer, all different from it and from one another.

    With `symmetric`, answers are exchanged: 3 is a foil of 2 as often as 2 is a foil of 3, so a model that sees only
    the numbers is at chance. A very common answer gets fewer foils; if it gets none, they are drawn alternately above
    and below. With `as-released` most are above, as in the released data.
    """
    rng = random.Random(seed)
    if rule == "symmetric":
        return list(_fill_up(answers, _exchange(answers, rng), None, rng))
    return list(_fill_up(answers, [()] * len(answers), _ABOVE, rng))


def _exchange(answers: Sequence[int], rng: random.Random) -> list[tuple[int, ...]]:
    """Exchange near numbers as foils, equally often in both directions."""
    counts = Counter(answers)
    foils: dict[int, list[int]] = {number: [] for number in counts}
    for (low, high), times in _pair_numbers(counts, rng).items():
        foils[low] += [high] * times
        foils[high] += [low] * times
    dealt: list[list[int]] = [[] for _ in answers]
    for number, own in foils.items():
        places = [place for place, answer in enumerate(answers) if answer == number]
        rng.shuffle(places)
        # Equal foils are adjacent and no more than there are places, so that no place gets two.
        for turn, foil in enumerate(own):
            dealt[places[turn % len(places)]].append(foil)
    return [tuple(own) for own in dealt]


def _pair_numbers(counts: Mapping[int, int], rng: random.Random) -> Counter[tuple[int, int]]:
    """Choose how often two numbers are exchanged: those that need most foils first, preferably with near ones."""
    needed = {number: FOILS * count for number, count in counts.items()}
    found: Counter[tuple[int, int]] = Counter()
    while True:
        number = max(needed, key=lambda one: (needed[one], one), default=-1)
        partners = {
            other: _weigh(number, other)
            for other in needed
            if other != number and needed[other] and found[_ordered(number, other)] < min(counts[number], counts[other])
        }
        if not partners:
            if number < 0:
                return found
            del needed[number]
            continue
        partner = rng.choices(list(partners), list(partners.values()))[0]
        # Several at a time, since one by one would be slow with large files.
        room = min(counts[number], counts[partner]) - found[_ordered(number, partner)]
        times = max(1, min(room, needed[number], needed[partner]) // 8)
        found[_ordered(number, partner)] += times
        needed[number] -= times
        needed[partner] -= times
        if not needed[number]:
            del needed[number]


def _weigh(number: int, other: int) -> float:
    return _DISTANCES.get(abs(number - other), 0.01 / abs(number - other))


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _fill_up(
    answers: Sequence[int], given: Sequence[tuple[int, ...]], above: float | None, rng: random.Random
) -> Iterator[tuple[int, ...]]:
    """Draw foils for answers without any, the given share of them above; None alternates between the sides."""
    balance = 0
    for answer, own in zip(answers, given, strict=True):
        foils = list(own)
        while not own and len(foils) < FOILS:
            has_room = any(number not in foils for number in range(max(0, answer - max(_DISTANCES)), answer))
            chance = above if above is not None else 0.5 if not balance else float(balance < 0)
            is_above = not has_room or rng.random() < chance
            distance = rng.choices(list(_DISTANCES), list(_DISTANCES.values()))[0]
            foil = answer + distance if is_above else answer - distance
            if foil >= 0 and foil not in foils:
                foils.append(foil)
                balance += 1 if is_above else -1
        rng.shuffle(foils)
        yield tuple(foils)


SPLITS: tuple[str, ...] = ("standard", "hard", "interpolated")
NO_TEMPLATE = "a question that no template fits"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How probes are made.

    `mode` is how statements are written: None keeps those of the data and corrects new ones. The hard split has at most
    `cap` questions per answer, in training none with an answer above `largest` (section 4.1.2).
    """

    splits: Sequence[str] = SPLITS
    mode: Mode | None = None
    foils: FoilRule = "symmetric"
    cap: int = 200
    largest: int = 20
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Built:
    """Probes, and the questions that none could be made of."""

    probes: Sequence[Probe]
    omitted: sources.Skipped = field(default_factory=sources.Skipped)


def build_probes(paths: Sequence[Path], recipe: Recipe) -> Built:
    """Read files of questions and turn them into probes."""
    if recipe.cap < 1 or recipe.largest < 0:
        raise BadValueError(f"cap {recipe.cap}, largest {recipe.largest}: should be at least 1 and 0")
    omitted = sources.Skipped()
    found = [sources.read_source(path, omitted) for path in paths]
    probes = [probe for source in found for probe in _build(source, recipe, omitted)]
    if not probes:
        reason = "; ".join(omitted.lines()) or "no question begins with 'How many'"
        raise BadFileError(f"no probe can be made of {', '.join(path.name for path in paths)}: {reason}")
    _check_ids(probes)
    return Built(probes, omitted)


def _build(source: sources.QuestionSource, recipe: Recipe, omitted: sources.Skipped) -> Iterator[Probe]:
    mode = recipe.mode or ("faithful" if source.split else "corrected")
    fitting = []
    for one in source.questions:
        # Released statements need no template unless they are corrected.
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


def _split(
    questions: Sequence[sources.SourceQuestion], split: str, recipe: Recipe, *, is_one_per_image: bool
) -> Iterator[sources.SourceQuestion]:
    """Choose the questions of a split, in the order of the data.

    With one question per image, keep the one whose answer value appears last in the file's order of first appearances
    (this is what the release did).
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
    """Return the largest number of questions per answer in a part of a split; None for all."""
    match split:
        case "hard":
            return 0 if part == "train" and answer > recipe.largest else recipe.cap
        case "interpolated":
            return None if (answer % 2 == 0) == (part == "train") else 0
    return None


def _with_foils(
    questions: Sequence[sources.SourceQuestion], split: str, recipe: Recipe
) -> list[sources.SourceQuestion]:
    """Draw foils, within each part, for questions that have none."""
    drawn: dict[int, sources.SourceQuestion] = {}
    for part in dict.fromkeys(one.part for one in questions):
        places = [place for place, one in enumerate(questions) if one.part == part and one.foils is None]
        seed = int(digest(recipe.seed, split, part)[:8], 16)
        foils = draw_foils([questions[place].answer for place in places], recipe.foils, seed)
        drawn |= {place: questions[place]._replace(foils=own) for place, own in zip(places, foils, strict=True)}
    return [drawn.get(place, one) for place, one in enumerate(questions)]


def _make_probe(one: sources.SourceQuestion, split: str, mode: Mode) -> Probe:
    foils = one.foils or ()
    if one.statements and (mode == "faithful" or not one.question):  # captions without a question stay as they are
        texts = list(one.statements)
    else:
        texts = [statement(one.question, number, mode) or "" for number in (one.answer, *foils)]
    masked = mask(one.question, one.answer, mode) if one.question else _mask_given(one)
    return Probe(
        one.id, split, one.part, one.image, one.question, one.answer, foils, texts[0], tuple(texts[1:]), *masked
    )


def _mask_given(one: sources.SourceQuestion) -> Masked:
    """Replace the number in a given statement by a gap; empty unless the number occurs exactly once."""
    texts = dict(zip((one.answer, *(one.foils or ())), one.statements or (), strict=False))
    several = next(((number, text) for number, text in texts.items() if number != 1), (one.answer, ""))
    return Masked(_mask_number(*several), _mask_number(one.answer, texts.get(one.answer, "")))


def _mask_number(number: int, text: str) -> str:
    forms = f"{number}|{in_words(number)}" if number <= LARGEST_IN_WORDS else f"{number}"
    masked, times = re.subn(rf"\b(?:{forms})\b", GAP, text, flags=re.IGNORECASE)
    return masked if times == 1 else ""


def _check_ids(probes: Sequence[Probe]) -> None:
    counted = Counter((probe.split, probe.part, probe.id) for probe in probes)
    (split, part, id), times = counted.most_common(1)[0]
    if times > 1:
        raise BadFileError(
            f"probe {id!r} is in {split}, {part} {times} times; give each file once, and each row an id of its own"
        )


def find_images(names: Iterable[str], folder: Path) -> dict[str, Path]:
    """Find image files by their names in the data: as a path below the folder, or a unique file name in it."""
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


_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class WrittenProbes:
    """A summary of what was written, with warnings."""

    summary: str
    warnings: Sequence[str]


def write_probes(
    files: Sequence[Path],
    out: Path,
    *,
    splits: Sequence[str] | None = None,
    mode: Mode | None = None,
    foils: FoilRule = "symmetric",
    images: Path | None = None,
    **more: int,
) -> WrittenProbes:
    """Write counting probes of files of questions; `more` are `cap`, `largest` and `seed` of the recipe."""
    check_known("split", splits or (), SPLITS)
    check_known("kind of foils", [foils], FOIL_RULES)
    check_known("kind of statements", [mode] if mode else [], MODES)
    built = build_probes(files, Recipe(splits or SPLITS, mode, foils, **more))
    warnings = [*built.omitted.lines(), *_name_missing([probe.image for probe in built.probes], images)]
    write_records(out, built.probes)
    statements = sum(1 for probe in built.probes for _ in probe.candidates())
    invalid = sum(probe.count_invalid() for probe in built.probes)
    if invalid:
        warnings.append(f"foils that equal the answer or one another, never asked about: {invalid:,}")
    right = len(built.probes)
    of_each = f"{right:,} right and {statements - right:,} foiled statements"
    return WrittenProbes(f"{right:,} probe{'s' * (right != 1)}, {of_each}", warnings)


def write_pairs(file: Path, out: Path, *, source: str, number: int, images: Path | None, seed: int) -> WrittenProbes:
    """Write pairs made of the images in a file of captions."""
    omitted = sources.Skipped()
    captions = sources.read_captions(file, omitted)
    pairs = sources.pair_captions(captions, source, images=number, seed=seed)
    warnings = [*omitted.lines(), *_name_missing([pair.image for pair in pairs], images)]
    if len(pairs) < number:
        warnings.append(f"{file.name} has captions of {len(pairs):,} images, not of {number:,}: all are taken")
    write_records(out, pairs)
    return WrittenProbes(f"{len(pairs):,} images, {2 * len(pairs):,} pairs", warnings)


def _name_missing(names: Collection[str], folder: Path | None) -> list[str]:
    """Count and name the images missing from a folder."""
    if folder is None:
        return []
    wanted = dict.fromkeys(names)
    found = find_images(wanted, folder)
    missing = [name for name in wanted if name not in found]
    some = ", ".join(missing[:_EXAMPLES]) + (", …" if len(missing) > _EXAMPLES else "")
    return [f"images that are not in {folder}: {len(missing):,} of {len(wanted):,} ({some})"] if missing else []
