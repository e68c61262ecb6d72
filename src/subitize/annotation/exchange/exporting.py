"""Exports answers as a long table, or as a project of another tool; people are numbered."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from subitize.analysis.export import write_parts
from subitize.analysis.ratings import choose_people, list_ratings, number_people
from subitize.annotation.exchange import label_studio, potato
from subitize.annotation.exchange.exported_pictures import PictureChoice, PictureWriter
from subitize.annotation.exchange.naming import describe_people
from subitize.annotation.exchange.picture_sizes import PictureSizes
from subitize.annotation.exchange.rated_pages import make_pages
from subitize.annotation.exchange.rating_table import tabulate
from subitize.annotation.exchange.remarks import read_remarks
from subitize.errors import BadValueError, StorageError
from subitize.store import Run

RatingFormat = Literal["csv", "parquet", "label-studio", "potato"]
RATING_FORMATS: tuple[RatingFormat, ...] = ("csv", "parquet", "label-studio", "potato")
_PROJECTS = {"label-studio": label_studio.write_projects, "potato": potato.write_projects}


@dataclass(frozen=True, slots=True)
class Exported:
    """How many answers went out, by how many people, and where to."""

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
    """Write the answers of people to a file, or of a tool's projects to a new folder; all of them or nothing.

    With people, a file beside them tells whom the numbers stand for.
    """
    chosen = choose_people(run, judge)
    ratings = list_ratings(run, chosen)
    people, remarks = number_people(one.annotator for one in ratings), read_remarks(run, chosen)
    named = describe_people(run, people) if with_people else None
    if format == "csv" or format == "parquet":
        if pictures is not None:
            raise BadValueError(f"--pictures go with {' and '.join(_PROJECTS)}; a table names the files")
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
    """Fill a folder that has its name only once all is in it."""
    if path.exists():
        raise BadValueError(f"{path} is there already; name another folder with --out, or take it away")
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
