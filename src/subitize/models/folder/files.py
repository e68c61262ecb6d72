"""Image files as they lie on a disk: listed without following anything out of the folder, bounded in size."""

import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from subitize.errors import BadFileError
from subitize.records import Scalar

SUFFIXES: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".webp", ".gif")


@dataclass(frozen=True, slots=True)
class Image:
    """An image file and what its layout tells of it.

    `key` is the item's key and `prompt` its text, as far as the layout has them. Images of one item become its repeats
    in their `order`, unless a `repeat` is told; two with the same order are the same image twice. `source` is the
    folder of one prompt, where there is one; `identity` is that of the file, where a layout may name a file twice.
    A name may be a prompt with a seed after it, or a prompt that ends in a number: `shorter_prompts` are what it may
    be besides.
    """

    name: str
    path: str
    order: tuple[Scalar, ...]
    key: str = ""
    prompt: str = ""
    source: str = ""
    repeat: int | None = None
    number: Scalar | None = None
    count: str | None = None
    identity: tuple[Scalar, ...] = ()
    shorter_prompts: tuple[str, ...] = ()

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompts that it may be of, the likeliest first."""
        return (self.prompt, *self.shorter_prompts) if self.prompt else ()

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

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Entries:
    """What is in a folder, each by its name as seen from the root, in order; `left` only looks like an image."""

    images: list[str] = field(default_factory=list)
    left: list[Unplaced] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    jsonl_files: list[str] = field(default_factory=list)


class Tree:
    """A folder as it was when it was opened: each folder of it is gone through once, however often it is asked for."""

    def __init__(self, given: Path) -> None:
        self.given = given
        self.root = os.path.realpath(given)
        self._entries: dict[str, Entries] = {}
        self._real_folders: dict[str, str] = {}

    def entries(self, folder: str = "") -> Entries:
        """List what is not hidden in a folder; what a Mac packs beside images is hidden as well."""
        if folder not in self._entries:
            self._entries[folder] = self._go_through(folder)
        return self._entries[folder]

    def path(self, name: str) -> str:
        """Say where a file is that is named as seen from the root, or from / on."""
        return name if name.startswith("/") else f"{self.root.rstrip('/')}/{name}"

    def resolve(self, name: str) -> str:
        """Follow all links to the file that a name leads to."""
        folder, last = os.path.split(self.path(name))
        if folder not in self._real_folders:
            self._real_folders[folder] = os.path.realpath(folder)
        path = os.path.join(self._real_folders[folder], last)
        return os.path.realpath(path) if last == ".." or os.path.islink(path) else path

    def holds(self, path: str) -> bool:
        """Tell whether a path without links is in the folder."""
        return f"{path}/".startswith(f"{self.root.rstrip('/')}/")

    def _go_through(self, folder: str) -> Entries:
        found, above = Entries(), f"{folder}/" if folder else ""
        with os.scandir(self.path(folder)) as entries:
            visible = [entry for entry in entries if not entry.name.startswith(".") and entry.name != "__MACOSX"]
        for entry in sorted(visible, key=lambda entry: entry.name):
            name = above + entry.name
            if entry.is_symlink():
                is_file, is_folder = os.path.isfile(entry.path), os.path.isdir(entry.path)
                is_inside = self.holds(self.resolve(name))
            else:
                is_file, is_folder, is_inside = entry.is_file(), entry.is_dir(), True
            if is_folder and is_inside:
                found.folders.append(name)
            if is_file and name.endswith(".jsonl"):
                found.jsonl_files.append(name)
            if not name.lower().endswith(SUFFIXES):
                continue
            if is_file and is_inside:
                found.images.append(name)
            else:
                reason = "no file" if is_inside else "a link that leads out of the folder"
                found.left.append(Unplaced(storable(name), reason))
        return found


def check_each_once(tree: Tree, names: Iterable[str]) -> None:
    """Refuse one name with two endings: nothing says which is meant."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.rpartition(".")[0], name)
        if other is not name:
            raise BadFileError(
                f"{tree.given} has {storable(other)} and {storable(name)}; which of them is meant? Take one away"
            )


def identify(path: str) -> tuple[Scalar, ...]:
    """Tell a file from others, by a path without links; in the other case it is the same only if the disk says so.

    The path belongs to it: programs that save space make one file of equal images, which keep names of their own.
    """
    try:
        about = os.stat(path)
    except OSError:
        return (path,)
    return (unicodedata.normalize("NFC", path).casefold(), about.st_dev, about.st_ino)


def stem_of(name: str) -> str:
    """Take folders and ending off an image's name."""
    return name[name.rfind("/") + 1 : name.rfind(".")]


def storable(name: str) -> str:
    """Write a file's name in characters that can be stored."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")
