"""Files of questions with counts as answers: the released probes, Visual7W, VALSE, TallyQA, and tables of one's own."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from subitize import numerals
from subitize.csv_files import read_lines, read_text
from subitize.errors import BadFileError
from subitize.papers.seeing_past_words.probes import LARGEST, is_count, read_json, read_object

_PARTS: Mapping[str, str] = {
    "train": "train",
    **dict.fromkeys(("val", "valid", "validation", "dev"), "validation"),
    "test": "test",
}
_SPLITS = {"standard": "standard", "hard": "hard", "interpolat": "interpolated"}
_COLUMNS = "image, question, answer; optional: id, part (train, validation or test), foils (as in 1 3 4)"
_LEAST_VOTES = 2  # of VALSE's three annotators
NO_NUMBER = f"no whole number from 0 to {LARGEST} as its answer"


class Asked(NamedTuple):
    """A question, its answer, and its foils if it comes with some; statements of the answer and of them, likewise."""

    id: str
    part: str
    image: str
    question: str
    answer: int
    foils: tuple[int, ...] | None = None
    statements: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Omissions:
    """What was left out and why, with the ids or texts that it was about."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, what: object) -> None:
        """Note one more thing that was left out."""
        self.found.setdefault(reason, []).append(str(what))

    def lines(self, most: int = 3) -> Iterator[str]:
        """Say how many were left out for each reason, with some of them."""
        for reason, all_of in self.found.items():
            some = ", ".join(map(repr, all_of[:most])) + (", …" if len(all_of) > most else "")
            yield f"left out, {reason}: {len(all_of):,} ({some})"


@dataclass(frozen=True, slots=True)
class Source:
    """The questions of a file; `split` is the set of probes that they are, if they have been put into one."""

    path: Path
    questions: Sequence[Asked]
    split: str | None = None
    has_one_per_image: bool = False


def read_source(path: Path, omitted: Omissions) -> Source:
    """Read a file of questions, of whichever kind it is by what stands in it."""
    match path.suffix.lower():
        case ".csv":
            return Source(path, list(_read_rows(_csv_rows(path), path, omitted)))
        case ".jsonl":
            return Source(path, list(_read_rows(_json_rows(path), path, omitted)))
    whole = read_json(read_text(path), path.name)
    if isinstance(whole, list):
        return Source(path, list(_read_rows(_list_rows(whole, path), path, omitted)))
    if isinstance(whole, dict) and _has(whole.get("images"), "qa_pairs"):
        return Source(path, list(_read_visual7w(whole["images"], path, omitted)), has_one_per_image=True)
    if isinstance(whole, dict) and _has(list(whole.values()), "declarative_statement"):
        return Source(path, list(_read_released(whole, path, omitted)), _name_split(path))
    if isinstance(whole, dict) and _has(list(whole.values()), "foil"):
        return Source(path, list(_read_valse(whole, path, omitted)), path.stem)
    raise BadFileError(
        f"{path.name}: neither the released probes, nor Visual7W's dataset.json, VALSE's or TallyQA's JSON; of another "
        f"data set make a CSV or JSONL file with {_COLUMNS}"
    )


def read_count(value: object) -> int | None:
    """Read a number of things: an integer, or a text that says one ("2", "Two.")."""
    if isinstance(value, str):
        read = numerals.value(value)
        value = None if isinstance(read, numerals.Unread) or read != int(read) else int(read)
    return value if isinstance(value, int) and is_count(value) else None


def _has(entries: object, key: str) -> bool:
    return isinstance(entries, list) and bool(entries) and isinstance(entries[0], dict) and key in entries[0]


def _name_split(path: Path) -> str:
    """Find the name of a released split in that of its file."""
    return next((split for key, split in _SPLITS.items() if key in path.name.lower()), path.stem)


def _read_part(text: object, path: Path) -> str:
    """Read which part of the data it is; where nothing says so, the file's name may: train.json, x.val.json."""
    told = str(text).lower() if text else next(filter(_PARTS.get, re.split(r"[._-]", path.stem.lower())), "test")
    return _PARTS.get(told, told)


def _text(entry: Mapping[str, Any], key: str, where: str) -> str:
    if not isinstance(entry.get(key), str | int):
        raise BadFileError(f"{where}: no {key}; should have one, as text")
    return str(entry[key])


def _read_released(whole: Mapping[str, Any], path: Path, omitted: Omissions) -> Iterator[Asked]:
    for id, entry in whole.items():
        where = f"{path.name}, {id}"
        image, question, right = (
            _text(entry, key, where) for key in ("image_file", "caption", "declarative_statement")
        )
        answer, texts = read_count(entry.get("answer")), entry.get("declarative_statement_foils", [])
        foils = [(read_count(foil), text) for foil, text in zip(entry.get("foils", []), texts, strict=False)]
        if answer is None:
            omitted.add(NO_NUMBER, id)
            continue
        valid = [(foil, str(text)) for foil, text in foils if foil is not None]
        statements = (right, *(text for _, text in valid))
        part = _read_part(entry.get("split"), path)
        yield Asked(id, part, image, question, answer, tuple(foil for foil, _ in valid), statements)


def _read_valse(whole: Mapping[str, Any], path: Path, omitted: Omissions) -> Iterator[Asked]:
    """Take the captions and foils that are valid: enough annotators chose the caption."""
    for id, entry in whole.items():
        where = f"{path.name}, {id}"
        image, caption, foil = (_text(entry, key, where) for key in ("image_file", "caption", "foil"))
        votes = entry.get("mturk", {}).get("caption", 0)
        answer, wrong = (read_count(_first(entry.get(key))) for key in ("classes", "classes_foil"))
        if votes < _LEAST_VOTES:
            omitted.add(f"fewer than {_LEAST_VOTES} annotators chose the caption", id)
        elif answer is None or wrong is None:
            omitted.add("no numbers in its classes", id)
        else:
            yield Asked(id, _read_part(entry.get("split"), path), image, "", answer, (wrong,), (caption, foil))


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _read_visual7w(images: Sequence[Mapping[str, Any]], path: Path, omitted: Omissions) -> Iterator[Asked]:
    """Take the questions for numbers; their wrong choices are the foils."""
    for image in images:
        where = f"{path.name}, image {image.get('image_id')}"
        name, number = _text(image, "filename", where), _text(image, "image_id", where)
        for pair in image.get("qa_pairs", []):
            question = _text(pair, "question", where)
            if not question.lower().startswith("how many"):
                continue
            answer = read_count(_text(pair, "answer", where))
            if answer is None:
                omitted.add(NO_NUMBER, f"{question} {pair['answer']}")
                continue
            choices = [(choice, read_count(choice)) for choice in pair.get("multiple_choices", [])]
            for choice, foil in choices:
                if foil is None:
                    omitted.add("choices that are no numbers", choice)
            foils = tuple(foil for _, foil in choices if foil is not None)
            part = _read_part(image.get("split"), path)
            yield Asked(f"counting_visual7w_{number}", part, name, question, answer, foils)


Row = tuple[str, Callable[[str], Any]]
"""Where a record stands, and its fields by name."""


def _csv_rows(path: Path) -> Iterator[Row]:
    for line in read_lines(path, [("image",), ("question",), ("answer",)], _COLUMNS):
        yield f"{path.name} line {line.number}", line.get


def _json_rows(path: Path) -> Iterator[Row]:
    for number, text in enumerate(read_text(path).splitlines(), 1):
        where = f"{path.name} line {number}"
        yield where, read_object(text, where).get


def _list_rows(whole: Sequence[Any], path: Path) -> Iterator[Row]:
    for number, entry in enumerate(whole, 1):
        if not isinstance(entry, dict):
            raise BadFileError(f"{path.name}, entry {number}: should be an object with {_COLUMNS}")
        yield f"{path.name}, entry {number}", entry.get


def _read_rows(rows: Iterator[Row], path: Path, omitted: Omissions) -> Iterator[Asked]:
    """Read records of image, question and answer: TallyQA's, or a table of one's own."""
    for place, (where, get) in enumerate(rows):
        given = {key: get(key) for key in ("image", "question", "answer")}
        if not given["image"] or not given["question"] or given["answer"] in (None, ""):
            lacking = ", ".join(key for key, value in given.items() if value in (None, ""))
            raise BadFileError(f"{where}: no {lacking}; should have {_COLUMNS}")
        answer = read_count(given["answer"])
        if answer is None:
            omitted.add(NO_NUMBER, f"{given['question']} {given['answer']}")
            continue
        id = str(get("question_id") or get("id") or place)
        part = _read_part(get("part"), path)
        yield Asked(id, part, str(given["image"]), str(given["question"]), answer, _read_foils(get("foils"), where))


def _read_foils(value: object, where: str) -> tuple[int, ...] | None:
    if not value:
        return None
    texts = value if isinstance(value, list) else str(value).split()
    foils = [read_count(text) for text in texts]
    if None in foils:
        raise BadFileError(f"{where}: foils {str(value)[:40]!r}: should be whole numbers from 0 to {LARGEST}")
    return tuple(foil for foil in foils if foil is not None)
