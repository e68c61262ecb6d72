"""Imports answers from a long table, another tool's project or a paper's file of ratings, whichever it is."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from subitize.annotation.exchange import label_studio, potato
from subitize.annotation.exchange.picture_sizes import PictureSizes
from subitize.annotation.exchange.rating_table import read_parquet
from subitize.annotation.exchange.remarks import Place, Remark, read_remark, store_remarks
from subitize.annotation.study import default_rule
from subitize.errors import BadFileError
from subitize.imports.answers import ImportSummary, import_lines, read_answers
from subitize.io.files import CsvRow, read_lines
from subitize.labels import Rule
from subitize.records import Question, Subject
from subitize.store import Run


def import_ratings(
    run: Run, path: Path, *, judge: str, rule: Rule | None = None, people: Path | None = None
) -> ImportSummary:
    """Add every answer of a file or folder, with its remarks, or none.

    `people` is the file that tells whom numbers stand for.
    """
    names, remarks = _read_people(people) if people else {}, dict[Place, Remark]()

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
    return {line.get("annotator"): line.get("name") for line in read_lines(path, needed, "annotator, name")}


def _read(run: Run, path: Path) -> Iterable[CsvRow]:
    """Read the lines of a file, or of all files of one kind in a folder."""
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
    """Name item, model and repeat of what lines are about; the rule is that by which people's counts are read here."""
    rule = default_rule(run)
    for line in lines:
        found = sizes.find(line.get("subject"))
        if found is None:
            raise line.error(f"subject {line.get('subject')!r} is not in this run; export the answers of this run")
        item, first = found
        about = {"item": item.id, "model": first.model, "repeat": str(first.repeat), "rule": rule}
        yield line._replace(row={**line.row, **about})
