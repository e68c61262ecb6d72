"""Pictures withheld from people and from exports: by hand, by a list, because of flags or faces."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, insert, select

from subitize.analysis.ratings import find_subjects
from subitize.annotation import tables
from subitize.errors import UnknownNameError
from subitize.imports.answers import ResponseLookup
from subitize.io.files import CsvRow, read_lines
from subitize.io.images import decode
from subitize.records import Drawn, Stored
from subitize.store import Run, StoredResponse
from subitize.store.images import Images

_COLUMNS = "image or item; optional: model, repeat, reason"


def read_held(run: Run) -> dict[str, str]:
    """List the images that are held back, by the names of their files, with the reasons."""
    return {image: row.reason for image, row in _read_latest(run).items() if row.is_held}


def hold_back(run: Run, images: Mapping[str, str]) -> int:
    """Hold images back, each with its reason; tell how many were not held before."""
    held = read_held(run)
    new = {image: reason for image, reason in images.items() if image not in held}
    _append(run, [{"image": image, "is_held": True, "reason": reason} for image, reason in new.items()])
    return len(new)


def release(run: Run, images: Iterable[str]) -> None:
    """Show images: those that were held back again, flagged ones in spite of that."""
    _append(run, [{"image": image, "is_held": False, "reason": ""} for image in images])


def check_held(run: Run, images: Iterable[str]) -> None:
    """Refuse an image that is not held back."""
    held = read_held(run)
    for image in images:
        if image not in held:
            raise UnknownNameError("image that is held back", image, held)


def find_images(run: Run, names: Iterable[str], reason: str) -> dict[str, str]:
    """Find the images that users name as `image` or `item` in a list would be, for one reason."""
    lines = [CsvRow("--hold", place, {"image": name}, kind="name") for place, name in enumerate(names, start=1)]
    return _find_all(run, lines, reason) if lines else {}


def read_list(run: Run, path: Path, reason: str) -> dict[str, str]:
    """Find the images that a CSV lists, each with its own reason if it has one."""
    return _find_all(run, read_lines(path, (("image", "item"),), _COLUMNS), reason)


def name_images(run: Run) -> dict[str, list[str]]:
    """Name the images that questions about a run's items are about, by the ids of the subjects."""
    return {id: _name_images(members) for id, (_, members) in find_subjects(run).items()}


def find_flagged(run: Run, images: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Find the images that people have flagged on the page, with their comments, but for those released since.

    `images` are those of each subject. A flag counts until whoever set it takes it back.
    """
    flags = {row.subject_id: row for row in _read_flags(run)}
    decided = _read_latest(run) if flags else {}
    return {
        image: _describe_flag(flag.comment)
        for subject_id, flag in flags.items()
        for image in images.get(subject_id, ())
        if image not in decided or decided[image].is_held or decided[image].at < flag.at
    }


def _read_flags(run: Run) -> list[Row[Any]]:
    """Read the answers that stand and flag something."""
    answers = tables.answers.c
    flagged = select(answers.subject_id).where(answers.run_id == run.run_id, answers.is_flagged)
    rows = _read_rows(run, tables.answers, answers.subject_id.in_(flagged))
    latest = {(row.study, row.person, row.subject_id, row.question_id, row.purpose): row for row in rows}
    return [row for row in latest.values() if row.is_flagged]


def hold_flagged(connection: Connection, run_id: str, images: Iterable[str], comment: str) -> None:
    """Hold images back that somebody flags just now, in a transaction that may do more."""
    for image in images:
        _insert(connection, run_id, {"image": image, "is_held": True, "reason": _describe_flag(comment)})


def find_with_faces(run: Run, watch: Callable[[Sequence[Stored]], Iterable[Stored]] = iter) -> dict[str, str]:
    """Find the images in which a detector sees faces."""
    from subitize.annotation.faces import HAS_FACES, FaceFinder

    finder = FaceFinder()
    pictures = {Images.name(picture): picture for picture in list_pictures(run.responses())}
    with_faces = (one for one in watch(list(pictures.values())) if finder.find(decode(run.images.load(one))))
    return {Images.name(picture): HAS_FACES for picture in with_faces}


def _find_all(run: Run, lines: Iterable[CsvRow], reason: str) -> dict[str, str]:
    lookup, found = ResponseLookup(run), dict[str, str]()
    for line in lines:
        images = _name_images([lookup.find(line)])
        if not images:
            raise line.error("this response is known by name only: nobody is shown it")
        why = line.get("reason") or reason
        if not why:
            raise line.error("no reason; give one in the column reason, or with --reason")
        found |= dict.fromkeys(images, why)
    return found


def _name_images(responses: Iterable[StoredResponse]) -> list[str]:
    return [Images.name(picture) for picture in list_pictures(responses)]


def list_pictures(responses: Iterable[StoredResponse]) -> Iterator[Stored]:
    """List the pictures of responses that are in the run."""
    for stored in responses:
        outcome = stored.response.outcome
        if isinstance(outcome, Drawn) and isinstance(outcome.picture, Stored):
            yield outcome.picture


def _read_latest(run: Run) -> dict[str, Row[Any]]:
    return {row.image: row for row in _read_rows(run, tables.screenings)}


def _read_rows(run: Run, table: Table, *which: ColumnElement[bool]) -> Sequence[Row[Any]]:
    """Read a run's rows of a table, in the order they were written."""
    query = select(table).where(table.c.run_id == run.run_id, *which).order_by(table.c.id)
    return tables.read_rows(run, table, query)


def _append(run: Run, rows: Sequence[Mapping[str, object]]) -> None:
    if not rows:
        return
    run.create_tables(tables.metadata)
    with run.lease("screening") as lease, run.writing(lease) as connection:
        for row in rows:
            _insert(connection, run.run_id, row)


def _insert(connection: Connection, run_id: str, row: Mapping[str, object]) -> None:
    connection.execute(insert(tables.screenings).values(run_id=run_id, at=time.time(), **row))


def _describe_flag(comment: str) -> str:
    return f"flagged: {comment}" if comment else "flagged"
