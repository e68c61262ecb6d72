"""Writes people's answers in the columns of GeckoNum's authors, and reads them again."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from subitize import records
from subitize.annotation.ratings import Rating, choose_people, list_ratings, number_people
from subitize.errors import NothingToDoError, StorageError
from subitize.imports.releases import RatingColumns
from subitize.io.files import CsvRow, escape_formula, write_rows
from subitize.io.outputs import write_atomic
from subitize.language.questions import LINES_WORDING, line_codes
from subitize.papers.geckonum.files import COLUMNS
from subitize.papers.geckonum.importing import RULE
from subitize.papers.geckonum.labels import SUITE
from subitize.store import Run

_EXPORTED_IMAGE_ID = re.compile(r"(?P<prompt>.+)_(?P<seed>\d{1,4})", re.ASCII)


def write(run: Run, judge: str | None, path: Path) -> tuple[int, Path]:
    """Write task_N_MODEL.csv files into a folder and count their answers; answers without a value are left out."""
    folder = path.with_name(f"{path.stem}-ratings") if path.suffix == ".csv" else path
    ratings = [one for one in list_ratings(run, choose_people(run, judge)) if one.item.suite == SUITE]
    people = number_people(one.annotator for one in ratings)
    files: dict[tuple[int, str], list[dict[str, object]]] = defaultdict(list)
    for one in ratings:
        if isinstance(one.reading.value, records.Known):
            task, value = int(one.item.factors["task"]), one.reading.value.value
            files[task, re.sub(r"[^\w.-]+", "-", one.model)].append(_row(one, value, task, people[one.annotator]))
    if not files:
        raise NothingToDoError(f"{run.location} has no people's answers about items of {SUITE}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from error
    for (task, model), rows in files.items():
        write_atomic(folder / f"task_{task}_{model}.csv", [write_rows(COLUMNS[task], rows).encode()])
    return sum(map(len, files.values())), folder


def translate(lines: Iterable[CsvRow]) -> Iterator[dict[str, str]]:
    """Yield the image, model, question and answer of each line."""
    for line in lines:
        found = _EXPORTED_IMAGE_ID.fullmatch(line.get("image_id"))
        if found is None:
            raise line.error(f"image_id {line.get('image_id')!r} should be like geckonum_00012_3")
        is_choice = "answer_text" in line.row
        yield {
            "annotator": line.get("annot_id"),
            "item": f"{SUITE}/{found['prompt']}",
            "model": line.get("model"),
            "repeat": str(int(found["seed"])),
            "question": LINES_WORDING if is_choice else line.get("question"),
            "answer": line.get("answer_text") or line.get("raw_answer") or line.get("answer"),
            "rule": str(RULE),
        }


_KNOWN = ("image_id", "model", "annot_id")
RATING_COLUMNS = RatingColumns(
    [(*_KNOWN, "question", "answer"), (*_KNOWN, "answer_text")],
    translate,
)


def _row(rating: Rating, value: records.Scalar, task: int, person: int) -> dict[str, object]:
    item, ask = rating.item, rating.ask
    row: dict[str, object] = {
        "image_id": f"{item.id.partition('/')[2]}_{rating.repeat}",
        "model": escape_formula(rating.model),
        "prompt": records.task_text(item.task),
        "annot_id": person,
    }
    if isinstance(ask.question, records.Choose):
        codes = line_codes(ask.question)
        chosen = {"answer_text": ask.question.lines[int(value)], "answer_num": codes[int(value)]}
        return row | chosen | {"gt_num": codes[int(ask.expects[0])]}
    row |= {"question_id": item.asks.index(ask), "question": ask.wording}
    number = int(value) if float(value).is_integer() else float(value)
    return row | ({"raw_answer": escape_formula(_raw(rating))} if task == 1 else {}) | {"answer": number}


def _raw(rating: Rating) -> str:
    """Return the answer as typed; for boxes, their number."""
    match rating.reading.evidence:
        case records.Words(text=text):
            return text
        case records.Boxes(boxes=boxes):
            return str(len(boxes))
    return ""
