"""Holds pictures back from people and exports: by hand, by a list, or because of flags or faces.

OpenCV's classical detectors find faces, which are blurred beyond recognition. They are made for frontal and profile
faces; they report some false ones and miss small, turned or covered ones. docs/annotating.md says how many, as
tests/annotation/test_faces.py measures it."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Row, Table, insert, select

from subitize.annotation import tables
from subitize.annotation.ratings import find_subjects
from subitize.errors import MissingPartError, UnknownNameError
from subitize.imports.answers import ResponseLookup
from subitize.interfaces import Events, watch
from subitize.io.files import CsvRow, read_lines
from subitize.io.images import Rgb, decode
from subitize.records import Drawn, Stored
from subitize.store import Run, StoredResponse
from subitize.store.images import Images

_COLUMNS = "image or item; optional: model, repeat, reason"


def read_held(run: Run) -> dict[str, str]:
    """Map the file names of held-back images to the reasons."""
    return {image: row.reason for image, row in _read_latest(run).items() if row.is_held}


def hold_back(run: Run, images: Mapping[str, str]) -> int:
    """Hold images back, each with its reason; return how many are new."""
    held = read_held(run)
    new = {image: reason for image, reason in images.items() if image not in held}
    _append(run, [{"image": image, "is_held": True, "reason": reason} for image, reason in new.items()])
    return len(new)


def release(run: Run, images: Iterable[str]) -> None:
    """Show images that were held back or flagged."""
    _append(run, [{"image": image, "is_held": False, "reason": ""} for image in images])


def check_held(run: Run, images: Iterable[str]) -> None:
    """Raise an error for an image that is not held back."""
    held = read_held(run)
    for image in images:
        if image not in held:
            raise UnknownNameError("image that is held back", image, held)


def find_images(run: Run, names: Iterable[str], reason: str) -> dict[str, str]:
    """Find images by name, as in the column `image` or `item` of a list, for one reason."""
    lines = [CsvRow("`hold`", place, {"image": name}, kind="name") for place, name in enumerate(names, start=1)]
    return _find_all(run, lines, reason) if lines else {}


def read_list(run: Run, path: Path, reason: str) -> dict[str, str]:
    """Find the images that a CSV lists, each with its own or the given reason."""
    return _find_all(run, read_lines(path, (("image", "item"),), _COLUMNS, allow_pipe=True), reason)


def name_images(run: Run) -> dict[str, list[str]]:
    """Map the IDs of a run's subjects to the names of their images."""
    return {id: _name_images(members) for id, (_, members) in find_subjects(run).items()}


def find_flagged(run: Run, images: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Find flagged images that were not released since, with the comments.

    `images` are those of each subject. A flag counts until the person who set it takes it back.
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
    """Read the current answers that flag something."""
    answers = tables.answers.c
    flagged = select(answers.subject_id).where(answers.run_id == run.run_id, answers.is_flagged)
    rows = _read_rows(run, tables.answers, answers.subject_id.in_(flagged))
    latest = {(row.study, row.person, row.subject_id, row.question_id, row.purpose): row for row in rows}
    return [row for row in latest.values() if row.is_flagged]


def hold_flagged(connection: Connection, run_id: str, images: Iterable[str], comment: str) -> None:
    """Hold newly flagged images back within a transaction."""
    for image in images:
        _insert(connection, run_id, {"image": image, "is_held": True, "reason": _describe_flag(comment)})


def find_with_faces(run: Run, events: Events) -> dict[str, str]:
    """Find the images in which a detector sees faces."""
    finder = FaceFinder()
    pictures = {Images.name(picture): picture for picture in list_pictures(run.responses())}
    watched = watch(events, "images", pictures.values())
    return {Images.name(one): HAS_FACES for one in watched if finder.find(decode(run.image_files.load(one)))}


def _find_all(run: Run, lines: Iterable[CsvRow], reason: str) -> dict[str, str]:
    lookup, found = ResponseLookup(run), dict[str, str]()
    for line in lines:
        images = _name_images([lookup.find(line)])
        if not images:
            raise line.error("this response is known by name only: nobody is shown it")
        why = line.get("reason") or reason
        if not why:
            raise line.error("no reason; give one in the column reason, or with `reason`")
        found |= dict.fromkeys(images, why)
    return found


def _name_images(responses: Iterable[StoredResponse]) -> list[str]:
    return [Images.name(picture) for picture in list_pictures(responses)]


def list_pictures(responses: Iterable[StoredResponse]) -> Iterator[Stored]:
    """Yield those pictures of responses that the run stores."""
    for stored in responses:
        outcome = stored.response.outcome
        if isinstance(outcome, Drawn) and isinstance(outcome.picture, Stored):
            yield outcome.picture


def _read_latest(run: Run) -> dict[str, Row[Any]]:
    return {row.image: row for row in _read_rows(run, tables.screenings)}


def _read_rows(run: Run, table: Table, *which: ColumnElement[bool]) -> Sequence[Row[Any]]:
    """Read a run's rows of a table in the order they were written."""
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


Face = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""
HAS_FACES = "shows faces"
"""The reason for holding back a picture with faces."""
MAY_BE_MISSED = "faces may be missed, above all small, turned and covered ones: look yourself before you publish"
_CASCADES = ("haarcascade_frontalface_default.xml", "haarcascade_profileface.xml")
_LARGEST_PX = 800  # of the searched picture: larger ones are scaled down first
_SMALLEST_SHARE, _SMALLEST_PX = 0.03, 24
_NEIGHBOURS = 3  # a missed face is worse than a false one
_MARGIN = 0.25  # of a face's width and height: hair and chin identify people, too
_CELLS = 4  # along each side of a blurred face


class FaceFinder:
    """Finds frontal faces and profiles to both sides."""

    def __init__(self) -> None:
        if find_spec("cv2") is None:
            raise MissingPartError("looking for faces", "OpenCV", "detect")
        import cv2.data

        self._detectors = [cv2.CascadeClassifier(str(Path(cv2.data.haarcascades) / name)) for name in _CASCADES]

    def find(self, picture: Rgb) -> list[Face]:
        """Find the faces in a picture, once per detector that sees them."""
        import cv2

        scale = min(1.0, _LARGEST_PX / max(picture.shape[:2]))
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
        grey = cv2.equalizeHist(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))
        front, profile = self._detectors
        width = grey.shape[1]
        mirrored = _detect(profile, np.ascontiguousarray(grey[:, ::-1]))
        found = [*_detect(front, grey), *_detect(profile, grey)]
        found += [(width - left - wide, top, wide, high) for left, top, wide, high in mirrored]
        return [(round(x / scale), round(y / scale), round(w / scale), round(h / scale)) for x, y, w, h in found]


def _detect(detector: Any, grey: NDArray[np.uint8]) -> list[Face]:  # noqa: ANN401
    smallest = max(_SMALLEST_PX, int(_SMALLEST_SHARE * min(grey.shape)))
    seen = detector.detectMultiScale(grey, scaleFactor=1.1, minNeighbors=_NEIGHBOURS, minSize=(smallest, smallest))
    return [(int(left), int(top), int(wide), int(high)) for left, top, wide, high in seen]


def blur_faces(picture: Rgb, faces: Sequence[Face]) -> Rgb:
    """Replace each face by a few cells of mean colour."""
    blurred = picture.copy()
    for left, top, wide, high in faces:
        x, y = max(0, left - round(_MARGIN * wide)), max(0, top - round(_MARGIN * high))
        right, bottom = left + wide + round(_MARGIN * wide), top + high + round(_MARGIN * high)
        _blur(blurred[y:bottom, x:right])
    return blurred


def _blur(area: Rgb) -> None:
    for rows in np.array_split(np.arange(area.shape[0]), _CELLS):
        for columns in np.array_split(np.arange(area.shape[1]), _CELLS):
            if rows.size and columns.size:
                cell = area[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
                cell[:] = cell.mean(axis=(0, 1)).astype(np.uint8)
