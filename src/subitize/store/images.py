"""Image files named by the hash of their bytes; a file has its name only once all its bytes are on disk."""

import hashlib
import os
import re
import uuid
from collections.abc import Iterable
from pathlib import Path

from subitize.errors import BadImageError, StorageError
from subitize.records import ImageFormat, Stored

_NAME = re.compile(r"[0-9a-f]{64}\.(png|jpeg|webp|gif)")


class Images:
    """A folder of images: `ab/abcdef….png`, and `incoming/` for files that are being written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._incoming = root / "incoming"

    def save(self, data: bytes, format: ImageFormat) -> Stored:
        """Write the bytes through to the disk; writing them again changes nothing."""
        stored = Stored(hashlib.sha256(data).hexdigest(), format)
        path = self.path(stored)
        try:
            if path.exists():
                _sync_folder(path.parent)  # the process that wrote it may not have done so yet
            else:
                self._write_through(path, data)
        except OSError as error:
            raise StorageError(f"cannot store an image in {self.root}: {error.strerror or error}") from error
        return stored

    @staticmethod
    def name(stored: Stored) -> str:
        """Return the name of the image's file."""
        return f"{stored.hash}.{stored.format}"

    def path(self, stored: Stored) -> Path:
        """Return the path of the image."""
        return self.root / stored.hash[:2] / self.name(stored)

    def load(self, stored: Stored) -> bytes:
        """Read the image back."""
        try:
            data = self.path(stored).read_bytes()
        except FileNotFoundError as error:
            raise BadImageError(f"image {self.path(stored)} is gone; restore it from a backup") from error
        except OSError as error:
            raise BadImageError(f"cannot read image {self.path(stored)}: {error.strerror}") from error
        if hashlib.sha256(data).hexdigest() != stored.hash:
            raise BadImageError(f"image {self.path(stored)} is damaged; restore it from a backup")
        return data

    def names(self) -> Iterable[str]:
        """List the file names of all images."""
        return (path.name for path in self.root.glob("??/*") if _is_image(path))

    def sweep(self, wanted: set[str]) -> int:
        """Remove every image whose name is not wanted and every half-written file; return how many."""
        orphans = [path for path in self.root.glob("??/*") if _is_image(path) and path.name not in wanted]
        half_written = list(self._incoming.glob("*"))
        for path in (*orphans, *half_written):
            path.unlink(missing_ok=True)
        return len(orphans) + len(half_written)

    def _write_through(self, path: Path, data: bytes) -> None:
        if not self._incoming.exists():
            self._incoming.mkdir(parents=True, exist_ok=True)
            _sync_folder(self.root.parent)
        partial = self._incoming / uuid.uuid4().hex
        try:
            with partial.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if not path.parent.exists():
                path.parent.mkdir(exist_ok=True)
                _sync_folder(self.root)
            partial.replace(path)
        except OSError:
            partial.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def is_image_name(name: str) -> bool:
    """Return whether a file has the name of a stored image."""
    return bool(_NAME.fullmatch(name))


def _is_image(path: Path) -> bool:
    """Return whether a file is one of ours by its name and folder; any other is left alone."""
    return is_image_name(path.name) and path.parent.name == path.name[:2] and path.is_file()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
