"""Reads files of questions with counts as answers, and captions for the alignment probe (section 3.1).

Questions come from the released probes, Visual7W, VALSE, TallyQA, or a table of one's own. The alignment probe pairs
images with a caption of their own and one of another image."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, TypeAdapter

from subitize.errors import BadFileError, BadValueError
from subitize.io.files import number_lines, read_json, read_lines, read_text
from subitize.language import final
from subitize.language.numbers import LARGEST_IN_WORDS, in_words
from subitize.papers.seeing_past_words.probes import LARGEST, LARGEST_FOIL, CaptionPair, validate

_PARTS: Mapping[str, str] = {
    "train": "train",
    **dict.fromkeys(("val", "valid", "validation", "dev"), "validation"),
    "test": "test",
}
_SPLITS = {"standard": "standard", "hard": "hard", "interpolat": "interpolated"}
_COLUMNS = "image, question, answer; optional: id, part (train, validation or test), foils (as in 1 3 4)"
_LEAST_VOTES = 2  # of VALSE's three annotators
NO_NUMBER = f"no whole number from 0 to {LARGEST} as its answer"


class SourceQuestion(NamedTuple):
    """A question with its answer and, where given, foils, and statements of all of these."""

    id: str
    part: str
    image: str
    question: str
    answer: int
    foils: tuple[int, ...] | None = None
    statements: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was left out and why, with examples (ids or texts)."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, what: str) -> None:
        """Record one omission."""
        self.found.setdefault(reason, []).append(what)

    def lines(self, most: int = 3) -> Iterator[str]:
        """Describe the number of omissions for each reason, with some examples."""
        for reason, all_of in self.found.items():
            some = ", ".join(map(repr, all_of[:most])) + (", …" if len(all_of) > most else "")
            yield f"left out, {reason}: {len(all_of):,} ({some})"


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """The questions of a file; `split` is the set of probes they form, if already split."""

    questions: Sequence[SourceQuestion]
    split: str | None = None
    has_one_per_image: bool = False


def read_source(path: Path, omitted: Skipped) -> QuestionSource:
    """Read a file of questions, detecting its kind from its contents."""
    if path.suffix.lower() == ".csv":
        lines = read_lines(path, [("image",), ("question",), ("answer",)], _COLUMNS)
        named = ((line, {name.casefold(): value for name, value in line.row.items()}) for line in lines)
        rows = ((f"{path.name} line {line.number}", row) for line, row in named)
        return QuestionSource(list(_read_rows(rows, path, omitted)))
    if path.suffix.lower() == ".jsonl":
        entries = ((where, read_json(text, where)) for where, text in number_lines(path))
        return QuestionSource(list(_read_rows(entries, path, omitted)))
    whole = read_json(read_text(path), path.name)
    match whole:
        case list():
            entries = ((f"{path.name}, entry {number}", entry) for number, entry in enumerate(whole, 1))
            return QuestionSource(list(_read_rows(entries, path, omitted)))
        case {"images": [{"qa_pairs": _}, *_]}:
            return QuestionSource(list(_read_visual7w(whole["images"], path, omitted)), has_one_per_image=True)
        case dict() if _has_field(whole, "mturk") or _has_field(whole, "foil"):  # some have statements, too
            return QuestionSource(list(_read_valse(whole, path, omitted)), path.stem)
        case dict() if _has_field(whole, "declarative_statement"):
            split = next((split for key, split in _SPLITS.items() if key in path.name.lower()), path.stem)
            return QuestionSource(list(_read_released(whole, path, omitted)), split)
    raise BadFileError(
        f"{path.name}: neither the released probes, nor Visual7W's dataset.json, VALSE's or TallyQA's JSON; of another "
        f"data set make a CSV or JSONL file with {_COLUMNS}"
    )


def read_count(value: object, largest: int = LARGEST) -> int | None:
    """Read a number of things: a whole number, or a text that is one ("2", "Two.")."""
    number = final.read_number(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= largest:
        return None
    return int(number) if number == int(number) else None


def read_foil(value: object) -> int | None:
    """Read a wrong number, which may be larger than any answer."""
    return read_count(value, LARGEST_FOIL)


def _has_field(whole: Mapping[str, Any], name: str) -> bool:
    first = next(iter(whole.values()), None)
    return isinstance(first, dict) and name in first


def _read_part(text: str | None, path: Path) -> str:
    """Read the part of the data; without one, the file's name may say it: train.json, x.val.json."""
    name = text.lower() if text else next(filter(_PARTS.get, re.split(r"[._-]", path.stem.lower())), "test")
    return _PARTS.get(name, name)


@dataclass(frozen=True, slots=True)
class _Released:
    image_file: str
    caption: str
    answer: Any
    declarative_statement: str
    foils: Sequence[Any] = ()
    declarative_statement_foils: Sequence[str] = ()
    split: str | None = None


def _read_released(whole: object, path: Path, omitted: Skipped) -> Iterator[SourceQuestion]:
    for id, one in validate(TypeAdapter(dict[str, _Released]), whole, path.name).items():
        answer = read_count(one.answer)
        counted = zip(map(read_foil, one.foils), one.declarative_statement_foils, strict=False)
        valid = [(foil, text) for foil, text in counted if foil is not None]
        statements = (one.declarative_statement, *(text for _, text in valid))
        if answer is None:
            omitted.add(NO_NUMBER, id)
        else:
            part = _read_part(one.split, path)
            foils = tuple(foil for foil, _ in valid)
            yield SourceQuestion(id, part, one.image_file, one.caption, answer, foils, statements)


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


@dataclass(frozen=True, slots=True)
class _Valse:
    image_file: str
    caption: Annotated[str, BeforeValidator(_first)]
    foil: Annotated[str, BeforeValidator(_first)]
    classes: Any = None
    classes_foil: Any = None
    mturk: Mapping[str, int] | None = None
    split: str | None = None


def _read_valse(whole: object, path: Path, omitted: Skipped) -> Iterator[SourceQuestion]:
    """Read the valid captions and foils: those whose caption enough annotators chose."""
    for id, one in validate(TypeAdapter(dict[str, _Valse]), whole, path.name).items():
        answer, wrong = _find_stated(one.classes, one.caption), _find_stated(one.classes_foil, one.foil)
        if (one.mturk or {}).get("caption", 0) < _LEAST_VOTES:
            omitted.add(f"fewer than {_LEAST_VOTES} annotators chose the caption", id)
        elif answer is None or answer > LARGEST or wrong is None:
            omitted.add("no number in its caption or in its foil", id)
        else:
            part = _read_part(one.split, path)
            yield SourceQuestion(id, part, one.image_file, "", answer, (wrong,), (one.caption, one.foil))


def _find_stated(replaced: object, text: str) -> int | None:
    """Return the number that was replaced in a text, or else the text's own, if the text has it in digits or words."""
    own = read_foil(_first(replaced))
    number = read_foil(text) if own is None else own
    if number is None:
        return None
    forms = {str(number), in_words(number) if number <= LARGEST_IN_WORDS else "", "" if number else "no"}
    return None if forms.isdisjoint(re.findall(r"[\w-]+", text.lower())) else number


@dataclass(frozen=True, slots=True)
class _Choices:
    question: str
    answer: str
    multiple_choices: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Image:
    image_id: int | str
    filename: str
    qa_pairs: Sequence[_Choices]
    split: str | None = None


def _read_visual7w(images: object, path: Path, omitted: Skipped) -> Iterator[SourceQuestion]:
    """Read the questions that ask for numbers; their wrong choices are the foils."""
    for image in validate(TypeAdapter(list[_Image]), images, path.name):
        for pair in image.qa_pairs:
            if not pair.question.lower().startswith("how many"):
                continue
            answer = read_count(pair.answer)
            if answer is None:
                omitted.add(NO_NUMBER, f"{pair.question} {pair.answer}")
                continue
            foils = []
            for choice in pair.multiple_choices:
                foil = read_foil(choice)
                if foil is None:
                    omitted.add("choices that are no numbers", choice)
                else:
                    foils.append(foil)
            id, part = f"counting_visual7w_{image.image_id}", _read_part(image.split, path)
            yield SourceQuestion(id, part, image.filename, pair.question, answer, tuple(foils))


@dataclass(frozen=True, slots=True)
class _Row:
    image: str
    question: str
    answer: Any
    id: int | str | None = None
    question_id: int | str | None = None
    part: str | None = None
    foils: Any = None


def _read_rows(rows: Iterator[tuple[str, object]], path: Path, omitted: Skipped) -> Iterator[SourceQuestion]:
    """Read records of image, question and answer: TallyQA's, or a table of one's own."""
    adapter = TypeAdapter(_Row)
    for place, (where, row) in enumerate(rows):
        one = validate(adapter, row, where)
        lacking = [name for name in ("image", "question", "answer") if getattr(one, name) in (None, "")]
        if lacking:
            raise BadFileError(f"{where}: no {', '.join(lacking)}; should have {_COLUMNS}")
        answer = read_count(one.answer)
        if answer is None:
            omitted.add(NO_NUMBER, f"{one.question} {one.answer}")
            continue
        id = next(given for given in (one.question_id, one.id, place) if given not in (None, ""))
        yield SourceQuestion(
            str(id), _read_part(one.part, path), one.image, one.question, answer, _read_foils(one.foils, where)
        )


def _read_foils(value: object, where: str) -> tuple[int, ...] | None:
    if not value:
        return None
    foils = [read_foil(one) for one in (value if isinstance(value, list) else str(value).split())]
    if None in foils:
        raise BadFileError(f"{where}: foils {str(value)[:40]!r}: should be whole numbers from 0 to {LARGEST_FOIL}")
    return tuple(foil for foil in foils if foil is not None)


IMAGES = 5000
"""The number of images that the paper takes from each data set."""

Captions = Mapping[str, Sequence[str]]
"""The captions of each image, by image name."""


def read_captions(path: Path, omitted: Skipped | None = None) -> Captions:
    """Read the captions of images: COCO's JSON, Conceptual Captions' TSV, or a CSV with the columns image, caption."""
    match path.suffix.lower():
        case ".json":
            pairs = _read_coco(path)
        case ".tsv":
            pairs = _read_conceptual_captions(path, omitted or Skipped())
        case ".csv":
            lines = read_lines(path, [("image",), ("caption",)], "image, caption")
            pairs = ((line.get("image"), line.get("caption")) for line in lines)
        case _:
            raise BadFileError(f"{path.name}: should be COCO's .json, Conceptual Captions' .tsv, or a .csv")
    found: dict[str, list[str]] = {}
    for image, caption in pairs:
        if caption.strip():
            found.setdefault(image, []).append(caption.strip())
    if not found:
        raise BadFileError(f"{path.name} has no captions")
    return found


def pair_captions(captions: Captions, source: str, *, images: int = IMAGES, seed: int = 0) -> list[CaptionPair]:
    """Choose images at random, or all if there are fewer, each with its caption and one of another of them."""
    if images < 2:
        raise BadValueError(f"images {images}: should be at least 2, as foils are captions of other images")
    rng = random.Random(seed)
    chosen = rng.sample(list(captions), min(images, len(captions)))
    return [
        CaptionPair(
            f"{source}/{image}", source, image, rng.choice(captions[image]), _choose_foil(captions, chosen, image, rng)
        )
        for image in chosen
    ]


def _choose_foil(captions: Captions, chosen: Sequence[str], image: str, rng: random.Random) -> str:
    own = {_fold(caption) for caption in captions[image]}
    # The first try usually works; if many captions are equal, all are searched.
    for others in (rng.sample(chosen, min(8, len(chosen))), rng.sample(chosen, len(chosen))):
        for other in others:
            foreign = [caption for caption in captions[other] if _fold(caption) not in own]
            if other != image and foreign:
                return rng.choice(foreign)
    raise BadFileError(f"image {image!r} has no foil: no other image has another caption")


def _fold(caption: str) -> str:
    return " ".join(caption.casefold().split()).rstrip(" .")


@dataclass(frozen=True, slots=True)
class _CocoImage:
    id: int | str
    file_name: str


@dataclass(frozen=True, slots=True)
class _CocoCaption:
    image_id: int | str
    caption: str


@dataclass(frozen=True, slots=True)
class _Coco:
    images: Sequence[_CocoImage]
    annotations: Sequence[_CocoCaption]


def _read_coco(path: Path) -> Iterator[tuple[str, str]]:
    whole = validate(TypeAdapter(_Coco), read_json(read_text(path), path.name), path.name)
    names = {image.id: image.file_name for image in whole.images}
    for one in whole.annotations:
        if one.image_id not in names:
            raise BadFileError(
                f"{path.name}: caption {one.caption[:40]!r} is of image {one.image_id}, which is not there"
            )
        yield names[one.image_id], one.caption


def _read_conceptual_captions(path: Path, omitted: Skipped) -> Iterator[tuple[str, str]]:
    """Read lines of a caption and a URL; an image is named by the last part of its URL, if that is unique."""
    lines: list[tuple[str, str, str]] = []
    for where, line in number_lines(path):
        caption, tab, url = line.partition("\t")
        address = url.strip().partition("?")[0].rstrip("/")
        name = address.rpartition("/")[2]
        if not tab or not name:
            raise BadFileError(f"{where}: should be a caption, a tab and a URL")
        lines.append((name, address, caption))
    addresses = Counter(name for name, _ in {(name, address) for name, address, _ in lines})
    for name in (name for name, times in addresses.items() if times > 1):
        omitted.add("URLs of several images that end alike", name)
    yield from ((name, caption) for name, _, caption in lines if addresses[name] == 1)
