"""Finds a table's pictures: next to it, in a folder, in a zip, or in a Parquet file."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from subitize.errors import BadFileError, BadImageError
from subitize.io.files import hash_file, open_input, open_zip
from subitize.io.images import LARGEST_FILE_BYTES, find_fault, image_format, read_zipped
from subitize.io.tables import Unreadable, identify, read_pictures
from subitize.records import Filed, Stored


class MissingPicture(NamedTuple):
    """A missing picture, by its name in the table."""

    name: str


class Sha256(NamedTuple):
    """A picture named by the hash of its bytes."""

    hash: str


PictureName = str | Sha256 | Stored | Unreadable | None
"""How a table refers to a picture; embedded pictures are loaded already, or null."""
Found = Filed | Stored | MissingPicture | Unreadable


def open_place(table: Path, images: str) -> "PictureFiles":
    """Open the folder, zip or Parquet file with a table's pictures. Default: the table's folder."""
    named = Path(images).expanduser() if images else table.parent
    if named.suffix.lower() == ".parquet" and named.is_file():
        return InFolder(named.parent, named, is_searched=False)
    if named.suffix.lower() == ".zip":
        return InZip(named)
    if not named.is_dir():
        raise BadFileError(f"images={images}: should be a folder or a zip with the pictures")
    return InFolder(named, table, is_searched=bool(images))


class PictureFiles:
    """Pictures by hash, by path, or by a file name that is unique among all folders.

    `copies` counts files with the same bytes as another, which is used in their place.
    """

    def __init__(self) -> None:
        self.copies = 0
        self._found: dict[PictureName, Found] = {}

    def find(self, name: PictureName) -> Found:
        """Find a picture; each name is looked up once."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def load(self, wanted: Collection[Stored]) -> Iterator[bytes]:
        """Read the pictures that a run stores."""
        raise NotImplementedError

    def _find(self, name: PictureName) -> Found:
        match name:
            case Stored() | Unreadable():
                return name
            case None | "":
                return MissingPicture("")
            case Sha256(hash=hash):
                path = self._by_hash.get(hash)
                return self._open(path) if path else MissingPicture(hash)
            case _:
                return self._find_path(name)

    def _find_path(self, name: str) -> Found:
        path = self._locate(name)
        if path is None:
            others = self._by_name.get(name.replace("\\", "/").rpartition("/")[2], ())
            path = others[0] if len(others) == 1 else None
        return self._open(path) if path else MissingPicture(name)

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._list():
            found[path.rpartition("/")[2]].append(path)
        return found

    @cached_property
    def _by_hash(self) -> Mapping[str, str]:
        found = {}
        for path in self._list():
            with suppress(BadFileError):  # unreadable files match no hash
                found[self._hash(path)] = path
        return found

    def _locate(self, name: str) -> str | None:
        """Find a file by its path in the table."""
        raise NotImplementedError

    def _list(self) -> list[str]:
        """List all files."""
        raise NotImplementedError

    def _hash(self, path: str) -> str:
        raise NotImplementedError

    def _open(self, path: str) -> Found:
        """Read a file's header; a copy of another file resolves to that other."""
        raise NotImplementedError


class InFolder(PictureFiles):
    """Pictures that are read in place; a relative path may not lead out of the folder.

    Pictures not at their path are searched for in subfolders if `is_searched`; the folder may be a home directory.
    """

    def __init__(self, folder: Path, table: Path, *, is_searched: bool) -> None:
        super().__init__()
        self._root, self._table, self._is_searched = os.path.abspath(folder), table, is_searched
        self._inside = f"{self._root.rstrip('/')}/"
        self._of_size: dict[int, str] = {}
        self._of_hash: dict[str, str] = {}
        self._hashes: dict[str, str] = {}

    def load(self, wanted: Collection[Stored]) -> Iterator[bytes]:
        """Read the pictures embedded in the table."""
        return read_pictures(self._table, wanted)

    def _find_path(self, name: str) -> Found:
        if not self._join(name):
            return Unreadable(name, f"leads out of {self._root}; put it there, or write its whole path from / on")
        return super()._find_path(name)

    def _join(self, name: str) -> str:
        """Resolve a name to a path in the folder or, if absolute, anywhere; "" if there is none."""
        path = os.path.normpath(os.path.join(self._root, name))
        return path if os.path.isabs(name) or path.startswith(self._inside) else ""

    def _locate(self, name: str) -> str | None:
        for written in dict.fromkeys((name, name.replace("\\", "/"))):  # Windows uses backslashes
            if (path := self._join(written)) and os.path.isfile(path):
                return path
        return None

    def _list(self) -> list[str]:
        walked = os.walk(self._root) if self._is_searched else ()
        return sorted(
            path for folder, _, names in walked for name in names if os.path.isfile(path := f"{folder}/{name}")
        )

    def _hash(self, path: str) -> str:
        if path not in self._hashes:
            self._hashes[path] = hash_file(path)
        return self._hashes[path]

    def _open(self, path: str) -> Found:
        fault = find_fault(path)
        try:
            if not fault:
                with open_input(path, LARGEST_FILE_BYTES) as file:
                    image_format(file.read(16))
                    size = os.fstat(file.fileno()).st_size
                return Filed(self._first_copy(path, size))
        except BadFileError as error:
            fault = str(error)
        return Unreadable(os.path.relpath(path, self._root), fault)

    def _first_copy(self, path: str, size: int) -> str:
        """Find the first file with the same bytes; only files of equal size are hashed."""
        of_size = self._of_size.setdefault(size, path)
        if of_size == path:
            return path
        self._of_hash.setdefault(self._hash(of_size), of_size)
        first = self._of_hash.setdefault(self._hash(path), path)
        self.copies += first != path
        return first


class InZip(PictureFiles):
    """Pictures in a zip, which is never unpacked."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._members: dict[Stored, str] = {}
        self._zip = open_zip(path)
        for name in self._zip.namelist():
            if name.startswith("/") or ".." in PurePosixPath(name.replace("\\", "/")).parts:
                raise BadFileError(f"{path.name}: its member {name[:80]!r} leads out of it; make the zip anew")
        self._names = [one.filename for one in self._zip.infolist() if not one.is_dir()]

    def load(self, wanted: Collection[Stored]) -> Iterator[bytes]:
        """Read the wanted pictures."""
        return (read_zipped(self._zip, self._members[stored]) for stored in wanted)

    def _locate(self, name: str) -> str | None:
        plain = PurePosixPath(name.replace("\\", "/")).as_posix()
        return plain if plain in self._zip.NameToInfo else None

    def _list(self) -> list[str]:
        return self._names

    def _hash(self, path: str) -> str:
        return hashlib.sha256(read_zipped(self._zip, path)).hexdigest()

    def _open(self, path: str) -> Found:
        try:
            stored = identify(read_zipped(self._zip, path))
        except BadImageError as error:
            return Unreadable(path, str(error))
        self.copies += self._members.setdefault(stored, path) != path
        return stored
