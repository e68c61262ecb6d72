"""Writes output files whole or not at all; follows links, and writes through devices and pipes."""

import os
import shutil
import stat
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from subitize.errors import BadValueError, StorageError


def write_atomic(path: Path, pieces: Iterable[bytes]) -> Path:
    """Write a file from pieces."""
    with atomic_file(path) as partial, partial.open("wb") as file:
        file.writelines(pieces)
    return path


def make_folder(folder: Path) -> None:
    """Make a folder and its parents."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror or error}") from error


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a new file to write to; on success it replaces `path`, or is copied to it if `path` is a device.

    An error that names another file, such as one read meanwhile, passes through.
    """
    own: list[str | None] = [None, str(path)]
    try:
        check_output(path)
        target = Path(os.path.realpath(path))
        goes_through = path.exists() and not path.is_file()
        folder = Path(tempfile.gettempdir()) if goes_through else target.parent
        partial = folder / f".{uuid.uuid4().hex}.partial"
        own += [str(target), str(partial)]
        partial.touch(0o666, exist_ok=False)
        try:
            yield partial
            if goes_through:
                _send(partial, path)
                return
            if target.exists():
                shutil.copymode(target, partial)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        if error.filename not in own:
            raise
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def check_file(path: Path) -> None:
    """Refuse a file that cannot be written, or that is a run's database."""
    check_folder(path.parent)
    check_output(path)


def check_folder(folder: Path) -> None:
    """Refuse a folder whose path leads through a file."""
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            raise BadValueError(f"{path} is a file, not a folder, so that nothing can be written there; name another")


def check_figure(path: Path | None, option: str = "figure") -> None:
    """Refuse early a figure that could not be drawn later."""
    if path is None:
        return
    check_file(path)
    if path.suffix.lower() not in (".png", ".svg"):
        raise BadValueError(f"`{option}` {path}: should end in .png or .svg")
    if not path.parent.is_dir():
        raise BadValueError(f"`{option}` {path}: there is no folder {path.parent}; make it first")


def check_output(path: Path) -> None:
    """Refuse a path that cannot be written to: a folder, a disk, a link to itself, the standard output.

    A run's database is never overwritten: one slip would cost all its answers.
    """
    if any(os.path.basename(name).startswith("run.sqlite") for name in (path, os.path.realpath(path))):
        raise BadValueError(f"{path} is the name of a run's database; name another file")
    try:
        found = path.stat()
    except FileNotFoundError:
        return
    except OSError as error:  # a link to itself, or a folder without permission
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    if stat.S_ISDIR(found.st_mode):
        raise StorageError(f"{path} is a folder; name a file in it")
    if stat.S_ISBLK(found.st_mode) or stat.S_ISSOCK(found.st_mode):
        raise StorageError(f"{path} is a {'disk' if stat.S_ISBLK(found.st_mode) else 'socket'}; name a file")
    if not os.access(path, os.W_OK):
        raise StorageError(f"{path} may not be written to; name another file, or run: chmod u+w {path}")
    if not stat.S_ISCHR(found.st_mode) and _is_standard_output(found):
        raise StorageError(f"{path} is standard output, where results are printed; name a file")


def _is_standard_output(found: os.stat_result) -> bool:
    with suppress(OSError, ValueError):  # it may be closed, or not a file
        return os.path.samestat(found, os.fstat(sys.__stdout__.fileno() if sys.__stdout__ else 1))
    return False


def _send(file: Path, device: Path) -> None:
    with file.open("rb") as whole, device.open("wb") as through:
        shutil.copyfileobj(whole, through)
