"""People's answers of a run in the columns of the released files, one per task and model; and the way back."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from subitize.annotation.ratings import Rating, choose_people, list_ratings, number_people
from subitize.errors import NothingToDoError, StorageError
from subitize.imports.releases import RatingColumns
from subitize.io.files import CsvRow, escape_formula
from subitize.io.outputs import write_atomic
from subitize.language.questions import LINES_WORDING, line_codes
from subitize.papers.geckonum.importing import RULE
from subitize.papers.geckonum.release import COLUMNS
from subitize.papers.geckonum.runs import SUITE
from subitize.records import Boxes, Choose, Known, Scalar, Words, task_text
from subitize.store import Run

_IMAGE_ID = re.compile(r"(?P<prompt>.+)_(?P<seed>\d{1,4})", re.ASCII)


def export_ratings(run: Run, judge: str | None, path: Path) -> tuple[int, Path]:
    """Write task_N_MODEL.csv into a folder, and say how many answers they have; those without a value are none."""
    folder = path.with_name(f"{path.stem}-ratings") if path.suffix == ".csv" else path
    ratings = [one for one in list_ratings(run, choose_people(run, judge)) if one.item.suite == SUITE]
    people = number_people(one.annotator for one in ratings)
    files: dict[tuple[int, str], list[dict[str, object]]] = defaultdict(list)
    for one in ratings:
        if isinstance(one.reading.value, Known):
            task, value = int(one.item.factors["task"]), one.reading.value.value
            files[task, re.sub(r"[^\w.-]+", "-", one.model)].append(_row(one, value, task, people[one.annotator]))
    if not files:
        raise NothingToDoError(f"{run.location} has no people's answers about items of {SUITE}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from error
    for (task, model), rows in files.items():
        write_atomic(folder / f"task_{task}_{model}.csv", [_to_csv(task, rows).encode()])
    return sum(map(len, files.values())), folder


def translate(lines: Iterable[CsvRow]) -> Iterator[dict[str, str]]:
    """Say which image of which model each line is about, what was asked, and what was said."""
    for line in lines:
        found = _IMAGE_ID.fullmatch(line.get("image_id"))
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


def _to_csv(task: int, rows: Iterable[dict[str, object]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS[task], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _row(rating: Rating, value: Scalar, task: int, person: int) -> dict[str, object]:
    item, ask = rating.item, rating.ask
    row: dict[str, object] = {
        "image_id": f"{item.id.partition('/')[2]}_{rating.repeat}",
        "model": escape_formula(rating.model),
        "prompt": task_text(item.task),
        "annot_id": person,
    }
    if isinstance(ask.question, Choose):
        codes = line_codes(ask.question)
        told = {"answer_text": ask.question.lines[int(value)], "answer_num": codes[int(value)]}
        return row | told | {"gt_num": codes[int(ask.expects[0])]}
    row |= {"question_id": item.asks.index(ask), "question": ask.wording}
    number = int(value) if float(value).is_integer() else float(value)
    return row | ({"raw_answer": escape_formula(_raw(rating))} if task == 1 else {}) | {"answer": number}


def _raw(rating: Rating) -> str:
    """Give the answer as it was typed; of clicks there is only their number."""
    match rating.reading.evidence:
        case Words(text=text):
            return text
        case Boxes(boxes=boxes):
            return str(len(boxes))
    return ""
