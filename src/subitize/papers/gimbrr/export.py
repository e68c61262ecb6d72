"""Writes ratings in the columns of GIMBRR's authors, and reads them again."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from subitize import __version__
from subitize.analysis.frame import check_judge
from subitize.errors import NothingToDoError
from subitize.frame import decode_columns
from subitize.imports.releases import RatingColumns
from subitize.io.files import CsvRow, escape_formula, write_rows
from subitize.io.outputs import write_atomic
from subitize.papers.gimbrr.prompts import ALL, CONTROLLED
from subitize.papers.gimbrr.release import ANNOTATOR
from subitize.papers.gimbrr.suite import MATCH, NAME, NAMING
from subitize.records import Attached, Drawn, Elsewhere, Item, task_text
from subitize.store import Run, StoredResponse
from subitize.store.reading import read_readings
from subitize.store.rows import decode_value

COLUMNS = (
    *("File_name", "Prompt_no", "Task_backup", "annotation", "Dashboard_version", "Algorithm", "ID", "Prompt"),
    *("Representations", "Auto_assessment", "Task", "Task_specific_label", "img2img_instructions", "Linked_prompts"),
)
# Of conditional generation, the directory marks only some prompts as assessed automatically.
_AUTOMATIC = {"single", "multiple", "counting", "arithmetic", "negation", *(task.key for task in CONTROLLED)}
_DATE_UNKNOWN = "000000"
_SAMPLE = re.compile(r"p.+_(?P<sample>\d{1,9})_v.+", re.ASCII)
_UNRATED = "has no ratings: nobody was asked whether an image as a whole matches its prompt"


def write(run: Run, judge: str | None, path: Path) -> tuple[int, Path]:
    """Write a line per rating, in the order given, and count them; ratings without a value are left out."""
    name = _choose_judge(run, judge)
    lines = list(_list_ratings(run, name))
    if not lines:
        raise NothingToDoError(f"{run.location} has no ratings of {NAME} by {name!r}")
    escaped = ({column: escape_formula(text) for column, text in line.items()} for line in lines)
    write_atomic(path, [write_rows(COLUMNS, escaped).encode()])
    return len(lines), path


def translate(lines: Iterable[CsvRow]) -> Iterator[dict[str, str]]:
    """Yield what each line rates; as raters are unnamed, a repeated rating counts as another person's."""
    times: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        name, key, model = (line.get(column) for column in ("File_name", "ID", "Algorithm"))
        found = _SAMPLE.fullmatch(Path(name).stem)
        if found is None or int(found["sample"]) < 1:
            raise line.error(f"File_name {name!r} should be like {NAMING.example}: prompt, sample from 1, versions")
        repeat = str(int(found["sample"]) - 1)
        times[key, model, repeat] += 1
        again = times[key, model, repeat]
        yield {
            "annotator": ANNOTATOR if again == 1 else f"{ANNOTATOR} {again}",
            "item": f"{NAME}/{key}",
            "model": model,
            "repeat": repeat,
            "question": MATCH.question.id,
            "answer": line.get("annotation"),
            "rule": "votes",
        }


RATING_COLUMNS = RatingColumns([("File_name", "annotation", "Algorithm", "ID")], translate)


def _choose_judge(run: Run, judge: str | None) -> str:
    if judge is not None:
        check_judge(run, judge)
        return judge
    rated = read_readings(run, columns=("judge", "question")).filter(pl.col("question") == MATCH.question.id)
    known = rated["judge"].unique().sort().to_list()
    if len(known) != 1:
        message = f"has several judges: {', '.join(known)}; name one with --judge" if known else _UNRATED
        raise NothingToDoError(f"{run.location} {message}")
    return str(known[0])


def _list_ratings(run: Run, judge: str) -> Iterator[dict[str, str]]:
    items = {item.id: item for item in run.items(NAME)}
    drawn = {stored.trial_id: stored for stored in run.responses() if stored.item_id in items}
    readings = read_readings(run, judge, ("trial", "question", "value")).filter(pl.col("question") == MATCH.question.id)
    votes = decode_columns(readings.rename({"value": "stored"}), "stored", decode_value)
    votes = votes.filter(pl.col("label") == "known")
    for trial, value in votes.select("trial", "value").iter_rows():
        if trial in drawn:
            yield _line(items[drawn[trial].item_id], drawn[trial], says_yes=bool(value))


def _line(item: Item, stored: StoredResponse, *, says_yes: bool) -> dict[str, str]:
    key, task, name = item.id.partition("/")[2], ALL[str(item.factors["task"])], _file_name(item, stored)
    automatic = "" if task.key == "conditional" else str(task.key in _AUTOMATIC)
    cells = (
        *(name, key, task.title, str(says_yes), "v" + Path(name).stem.partition("_v")[2], stored.model, key),
        *(task_text(item.task), item.factors.get("classes", ""), automatic, task.title),
        *(item.factors.get(task.label, ""), "", item.factors.get("linked", "")),
    )
    return dict(zip(COLUMNS, map(str, cells), strict=True))


def _file_name(item: Item, stored: StoredResponse) -> str:
    """Name an image as released, or as the authors would."""
    outcome = stored.response.outcome
    if isinstance(outcome, Drawn) and isinstance(outcome.picture, Elsewhere | Attached):
        return outcome.picture.name
    key = item.id.partition("/")[2].replace("/", "-")
    return f"p{key}_{stored.repeat + 1}_v{__version__}_pd{_DATE_UNKNOWN}.png"
