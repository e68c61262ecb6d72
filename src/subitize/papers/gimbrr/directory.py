"""The authors' prompt directory: its rows as typed values, and its known errors."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from subitize.errors import BadFileError
from subitize.io.files import CsvRow, read_lines
from subitize.papers.gimbrr.tasks import BY_TITLE, SINGLE, Task

VERSION = "Prompt_dir_230228.csv"
"""The one version of the directory that was released with ratings; `…_extraVars.csv` has more columns."""

_COLUMNS = ("ID", "Prompt", "Representations", "Task", "Task_specific_label", "Linked_prompts")
_EXTRA_COLUMNS = ("Object_num", "Extra_characteristic", "Num_features", "Common", "Num_objects")
_IMG2IMG = "img2img: "
_ROWS_PER_TASK = 100
_SINGLE_ROWS = 502
_WHOLE_NUMBER = re.compile(r"(\d{1,6})(?:\.0)?", re.ASCII)
_OF_NUMBERS = ("counting", "arithmetic", "controlled-counting", "controlled-two-counting", "controlled-arithmetic")
_OF_TWO = ("arithmetic", "spatial", "actions", "unusual", "controlled-two-counting", "controlled-arithmetic")
_LABELLED = ("conditional", "negation", "actions", "spatial", "unusual", "compositional", "text")
_FLAGS = {"True": True, "False": False}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A row of the directory; what comes after `linked` is None where the row, or the file, does not tell it.

    `label` is the absent class, the count ("5"), both counts ("3,6"), the verb, the relation, the characteristic or the
    text, as the task has it. `linked` are the IDs of the single objects.
    """

    id: int
    text: str
    task: Task
    classes: tuple[str, ...]
    label: str
    linked: tuple[int, ...]
    target_position: int | None = None
    has_adjective: bool | None = None
    features: int | None = None
    is_common: bool | None = None
    objects: int | None = None


def read_directory(path: Path) -> list[Prompt]:
    """Read the prompts that a text-to-image model can be given: rows that edit pictures (img2img) are left out."""
    prompts: list[Prompt] = []
    lines: dict[int, int] = {}
    for line in _read_lines(path):
        if "annotation" in line.row:
            raise BadFileError(f"{path.name} line 1: people's ratings, not prompts; take {VERSION}")
        if _is_img2img(line):
            continue
        prompt = _read_row(line)
        if prompt.id in lines:
            raise line.error(f"ID {prompt.id} stands in line {lines[prompt.id]} already; leave one of them out")
        lines[prompt.id] = line.number
        prompts.append(prompt)
    if not prompts:
        raise BadFileError(f"{path.name}: no prompts; {VERSION} has a row for each")
    return prompts


def count_img2img(path: Path) -> int:
    """Count the rows that edit pictures, which nobody has rated."""
    return sum(map(_is_img2img, _read_lines(path)))


def correct(prompts: Iterable[Prompt]) -> list[Prompt]:
    """Correct the known errors, and leave everything else."""
    prompts = list(prompts)
    singles = {prompt.text: prompt.id for prompt in prompts if prompt.task == SINGLE}
    return [_correct(prompt, singles) if find_error(prompt) else prompt for prompt in prompts]


def find_error(prompt: Prompt) -> Mapping[str, Any] | None:
    """Find what a row says that is known to be wrong, and what would be right, by field; None if nothing is."""
    error = _ERRORS.get(prompt.id)
    is_there = error is not None and all(
        getattr(prompt, field) in (value, None) for field, value in error["wrong"].items()
    )
    return error if is_there else None


def _read_errors() -> dict[int, dict[str, dict[str, Any]]]:
    found = tomllib.loads(Path(__file__).with_name("known_errors.toml").read_text(encoding="utf-8"))["errors"]
    return {
        id: {side: {field: _frozen(value) for field, value in one[side].items()} for side in ("wrong", "right")}
        for one in found
        for id in one["ids"]
    }


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


_ERRORS = _read_errors()


def _correct(prompt: Prompt, singles: Mapping[str, int]) -> Prompt:
    right = {field: value for field, value in _ERRORS[prompt.id]["right"].items() if getattr(prompt, field) is not None}
    corrected = replace(prompt, **right)
    return replace(corrected, linked=tuple(singles[noun] for noun in corrected.classes if noun in singles))


def _read_lines(path: Path) -> Iterator[CsvRow]:
    return read_lines(path, [(column,) for column in _COLUMNS], ", ".join((*_COLUMNS, *_EXTRA_COLUMNS)))


def _is_img2img(line: CsvRow) -> bool:
    return line.get("Task").startswith(_IMG2IMG)


def _read_row(line: CsvRow) -> Prompt:
    id, task = _read_id(line), _read_task(line)
    last = task.first_id + (_SINGLE_ROWS if task == SINGLE else _ROWS_PER_TASK) - 1
    if not task.first_id <= id <= last:
        raise line.error(
            f"ID {id} is none of {task.title!r}, which has {task.first_id} to {last}: the directory of another "
            f"version? This reads {VERSION} and the one with extra variables"
        )
    text = line.get("Prompt")
    if not text:
        raise line.error(f"no prompt of ID {id}; every row has one")
    return Prompt(
        id,
        text,
        task,
        _read_classes(line, task),
        _read_label(line, task),
        tuple(_read_link(line, one) for one in _split(line.get("Linked_prompts"))),
        _read_number(line, "Object_num"),
        _read_flag(line, "Extra_characteristic"),
        _read_number(line, "Num_features"),
        _read_flag(line, "Common"),
        _read_number(line, "Num_objects"),
    )


def _read_id(line: CsvRow) -> int:
    id = _read_number(line, "ID")
    if id is None:
        raise line.error("no ID; every row has one, in digits")
    return id


def _read_task(line: CsvRow) -> Task:
    title = line.get("Task")
    if title not in BY_TITLE:
        raise line.error(f"no task named {title!r}; known: {', '.join(BY_TITLE)}")
    return BY_TITLE[title]


def _read_classes(line: CsvRow, task: Task) -> tuple[str, ...]:
    classes = _split(line.get("Representations"))
    least = 2 if task.key in _OF_TWO else 1
    if len(classes) < least:
        raise line.error(f"Representations {line.get('Representations')!r}: {task.title!r} has at least {least}")
    return classes


def _read_label(line: CsvRow, task: Task) -> str:
    label, classes = line.get("Task_specific_label"), _split(line.get("Representations"))
    if task.key in _OF_NUMBERS:
        numbers = label.split(",")
        if len(numbers) != len(classes) or not all(number.isdecimal() for number in numbers):
            raise line.error(f"Task_specific_label {label!r}: should be a number in digits per class: {len(classes)}")
    elif not label and task.key in _LABELLED:
        raise line.error(f"no Task_specific_label of ID {line.get('ID')}; {task.title!r} has one in every row")
    return label


def _read_link(line: CsvRow, written: str) -> int:
    last = SINGLE.first_id + _SINGLE_ROWS - 1
    if not written.isdecimal() or not SINGLE.first_id <= int(written) <= last:
        raise line.error(f"Linked_prompts {written!r}: should be an ID of a single object, {SINGLE.first_id} to {last}")
    return int(written)


def _read_number(line: CsvRow, column: str) -> int | None:
    """Read a whole number, which pandas may have written as 2.0."""
    written = line.get(column)
    found = _WHOLE_NUMBER.fullmatch(written)
    if written and not found:
        raise line.error(f"{column} {written!r}: should be a whole number")
    return int(found[1]) if found else None


def _read_flag(line: CsvRow, column: str) -> bool | None:
    written = line.get(column)
    if written and written not in _FLAGS:
        raise line.error(f"{column} {written!r}: should be True or False")
    return _FLAGS.get(written)


def _split(written: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in written.split(",") if part.strip())
