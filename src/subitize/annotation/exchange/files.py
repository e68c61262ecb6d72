"""Exports answers to a table or another tool's project, and imports them, detecting the format.

Imports also read papers' files of ratings."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from subitize.analysis.export import write_parts
from subitize.annotation.exchange import label_studio, potato
from subitize.annotation.exchange.projects import PictureChoice, PictureSizes, PictureWriter, make_pages
from subitize.annotation.exchange.ratings import (
    AnswerKey,
    Remark,
    describe_people,
    read_parquet,
    read_remark,
    read_remarks,
    store_remarks,
    tabulate,
)
from subitize.annotation.ratings import choose_people, list_ratings, number_people
from subitize.annotation.study import default_rule
from subitize.errors import BadFileError, BadValueError, StorageError
from subitize.imports.answers import ImportSummary, import_lines, read_answers
from subitize.io.files import CsvRow, read_lines
from subitize.labels import Rule
from subitize.records import Question, Subject
from subitize.store import Run

RatingFormat = Literal["csv", "parquet", "label-studio", "potato"]
RATING_FORMATS: tuple[RatingFormat, ...] = get_args(RatingFormat)
_PROJECTS = {"label-studio": label_studio.write_projects, "potato": potato.write_projects}


@dataclass(frozen=True, slots=True)
class Exported:
    """The number of exported answers and people, and the path."""

    answers: int
    people: int
    path: Path


def export_ratings(
    run: Run,
    format: RatingFormat,
    path: Path,
    *,
    judge: str | None = None,
    with_people: bool = False,
    pictures: PictureChoice | None = None,
) -> Exported:
    """Write people's answers to a file, or as another tool's projects to a new folder; all or nothing.

    `with_people` adds a file that maps the numbers to people.
    """
    chosen = choose_people(run, judge)
    ratings = list_ratings(run, chosen)
    people, remarks = number_people(one.annotator for one in ratings), read_remarks(run, chosen)
    named = describe_people(run, people) if with_people else None
    if format == "csv" or format == "parquet":
        if pictures is not None:
            raise BadValueError(f"`pictures` go with {' and '.join(_PROJECTS)}; a table names the files")
        _write_people(named, path.with_name(f"{path.stem}-people.csv"))
        write_parts(iter([tabulate(ratings, people, remarks)]), path, format)
    else:
        with _new_folder(path) as folder:
            writer = PictureWriter(run, folder, pictures)
            _PROJECTS[format](folder, make_pages(ratings, people, remarks, writer.name_pictures), PictureSizes(run))
            _write_people(named, folder / "people.csv")
    return Exported(len(ratings), len(people), path)


def _write_people(named: pl.DataFrame | None, path: Path) -> None:
    if named is not None:
        write_parts(iter([named]), path, "csv")


@contextmanager
def _new_folder(path: Path) -> Iterator[Path]:
    """Fill a folder that gets its name only when complete."""
    if path.exists():
        raise BadValueError(f"{path} is there already; name another folder with `out`, or take it away")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            yield partial
            partial.chmod(0o755)
            partial.rename(path)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def import_ratings(
    run: Run, path: Path, *, judge: str, rule: Rule | None = None, people: Path | None = None
) -> ImportSummary:
    """Import all answers of a file or folder with their remarks, or none.

    `people` is the file that maps numbers to people.
    """
    names, remarks = _read_people(people) if people else {}, dict[AnswerKey, Remark]()

    def note(line: CsvRow, subject: Subject, question: Question) -> None:
        remarks[line.get("annotator"), subject.id, question.id] = read_remark(line)

    lines = (_name_annotator(line, names) for line in _read(run, path))
    summary = import_lines(run, lines, judge=judge, rule=rule, note=note)
    store_remarks(run, judge, remarks)
    return summary


def _name_annotator(line: CsvRow, names: Mapping[str, str]) -> CsvRow:
    annotator = line.get("annotator")
    return line._replace(row={**line.row, "annotator": names.get(annotator, annotator)})


def _read_people(path: Path) -> dict[str, str]:
    needed = (("annotator",), ("name",))
    return {
        line.get("annotator"): line.get("name") for line in read_lines(path, needed, "annotator, name", allow_pipe=True)
    }


def _read(run: Run, path: Path) -> Iterable[CsvRow]:
    """Read the lines of a file, or of all files of one format in a folder."""
    if path.is_dir():
        if projects := potato.find_projects(path):
            sizes = PictureSizes(run)
            return _locate(run, (line for one in projects for line in potato.read_project(one, sizes)), sizes)
        files = sorted(path.glob("tasks-*.json")) or [
            file for file in sorted(path.glob("*.csv")) if file.stem != "people"
        ]
        if not files:
            raise BadFileError(f"{path} has no answers: no tasks-1.json, project-1 or CSV")
        return [line for file in files for line in _read(run, file)]
    match path.suffix.lower():
        case ".parquet":
            return read_parquet(path)
        case ".json":
            sizes = PictureSizes(run)
            return _locate(run, label_studio.read_tasks(path, sizes), sizes)
    return read_answers(path)


def _locate(run: Run, lines: Iterable[CsvRow], sizes: PictureSizes) -> Iterator[CsvRow]:
    """Add item, model and repeat to lines that name a subject, and the run's rule for people's counts."""
    rule = default_rule(run)
    for line in lines:
        found = sizes.find(line.get("subject"))
        if found is None:
            raise line.error(f"subject {line.get('subject')!r} is not in this run; export the answers of this run")
        item, first = found
        about = {"item": item.id, "model": first.model, "repeat": str(first.repeat), "rule": rule}
        yield line._replace(row={**line.row, **about})
