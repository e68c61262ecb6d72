"""Image files as they lie on a disk: listed without following anything out of the folder, bounded in size."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from subitize.records import Scalar
from subitize.vision.pixels import LARGEST_IMAGE_MEGAPIXELS

SUFFIXES: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".webp", ".gif")

# An image of the most pixels that are decoded, with four bytes for each and no compression.
LARGEST_FILE_BYTES = LARGEST_IMAGE_MEGAPIXELS * 4_000_000


@dataclass(frozen=True, slots=True)
class Image:
    """An image file and what its layout tells of it.

    `key` is the item's key and `prompt` its text, as far as the layout has them. Images of one item become its repeats
    in their `order`, unless a `repeat` is told; two with the same order are the same image twice. `source` is the
    folder of one prompt, where there is one.
    """

    name: str
    path: Path
    order: tuple[Scalar, ...]
    key: str = ""
    prompt: str = ""
    source: str = ""
    repeat: int | None = None
    number: Scalar | None = None
    count: str | None = None

    @property
    def parameters(self) -> dict[str, Scalar]:
        """What is kept with a response of how its image was found."""
        told = {"file": self.name, "seed_in_name": self.number, "count_in_name": self.count}
        return {key: value for key, value in told.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A file that no item gets, and why."""

    name: str
    reason: str


def list_images(folder: Path, root: Path) -> tuple[list[Path], list[Unplaced]]:
    """List the image files of a folder by name, and what looks like one but is left alone."""
    found, left = [], []
    for path in _visible(folder):
        if path.suffix.lower() not in SUFFIXES:
            continue
        if path.is_symlink() and not is_inside(path, root):
            left.append(Unplaced(name_of(path, root), "a link that leads out of the folder"))
        elif not os.path.isfile(path):
            left.append(Unplaced(name_of(path, root), "no file"))
        else:
            found.append(path)
    return found, left


def list_folders(folder: Path, root: Path) -> list[Path]:
    """List the folders in a folder by name."""
    found = (path for path in _visible(folder) if os.path.isdir(path))
    return [path for path in found if not path.is_symlink() or is_inside(path, root)]


def is_inside(path: Path, root: Path) -> bool:
    """Tell whether a path, once all links are followed, is below the folder."""
    inner, outer = os.path.realpath(path), os.path.realpath(root)
    return os.path.commonpath([inner, outer]) == outer


def name_of(path: Path, root: Path) -> str:
    """Name a file as it is seen from the folder, in characters that can be stored."""
    return os.fsencode(path.relative_to(root).as_posix()).decode("utf-8", "backslashreplace")


def find_fault(path: Path) -> str:
    """Say why a file cannot be read as an image, as far as this is seen without reading it, or nothing."""
    try:
        size = path.stat().st_size
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not os.path.isfile(path):
        return "is no file"
    if not size:
        return "the image is empty (0 bytes); give a PNG, JPEG, WebP or GIF file"
    if size > LARGEST_FILE_BYTES:
        return f"{size:,} bytes are too many; at most {LARGEST_FILE_BYTES:,} are read, so resize the image first"
    return ""


def _visible(folder: Path) -> Iterator[Path]:
    """Go through what is not hidden; what a Mac packs beside images is hidden as well."""
    names = sorted(os.listdir(folder))
    return (folder / name for name in names if not name.startswith(".") and name != "__MACOSX")
