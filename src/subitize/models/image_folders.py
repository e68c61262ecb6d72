"""Lists the image files of a folder, and parses their names by each naming layout.

Links are not followed out of the folder, and sizes are bounded."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from subitize import papers
from subitize.errors import BadFileError
from subitize.language.nouns import singular
from subitize.records import Scalar

SUFFIXES: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".webp", ".gif")


@dataclass(frozen=True, slots=True)
class Image:
    """An image file, and what its layout says about it.

    `key` is the item's key and `prompt` its text, if the layout has them. An item's images become its repeats in their
    `order`, unless `repeat` is given; two with the same order are the same image twice. `source` is the folder of the
    prompt, if it has one; `identity` identifies the file where a layout may name it twice. A name may end in a seed, or
    in a number of the prompt's own: `shorter_prompts` are the prompts without it.
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
        """The prompts it may have been made from, the likeliest first."""
        return (self.prompt, *self.shorter_prompts) if self.prompt else ()

    @property
    def parameters(self) -> dict[str, Scalar]:
        """How the image was found, as kept with its response."""
        told = {"file": self.name, "seed_in_name": self.number, "count_in_name": self.count}
        return {key: value for key, value in told.items() if value is not None}


@dataclass(frozen=True, slots=True)
class UnmatchedFile:
    """A file that is assigned to no item, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a folder by their names from the root, in order; those in `left` only look like images."""

    images: list[str] = field(default_factory=list)
    left: list[UnmatchedFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    jsonl_files: list[str] = field(default_factory=list)


class FolderTree:
    """A folder tree as it was when opened: each folder is read once."""

    def __init__(self, given: Path) -> None:
        self.given = given
        self.root = os.path.realpath(given)
        self._entries: dict[str, Entries] = {}
        self._real_folders: dict[str, str] = {}

    def entries(self, folder: str = "") -> Entries:
        """List a folder's entries, without hidden ones and those that a Mac adds to archives."""
        if folder not in self._entries:
            self._entries[folder] = self._go_through(folder)
        return self._entries[folder]

    def path(self, name: str) -> str:
        """Return a file's path by its name from the root, or by its absolute path."""
        return name if name.startswith("/") else f"{self.root.rstrip('/')}/{name}"

    def resolve(self, name: str) -> str:
        """Resolve all links to the file behind a name."""
        folder, last = os.path.split(self.path(name))
        if folder not in self._real_folders:
            self._real_folders[folder] = os.path.realpath(folder)
        path = os.path.join(self._real_folders[folder], last)
        return os.path.realpath(path) if last == ".." or os.path.islink(path) else path

    def holds(self, path: str) -> bool:
        """Return whether a path without links is in the folder."""
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
                found.left.append(UnmatchedFile(storable(name), reason))
        return found


def check_each_once(tree: FolderTree, names: Iterable[str]) -> None:
    """Refuse one name with two endings: which one is meant is unclear."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.rpartition(".")[0], name)
        if other is not name:
            both = f"{storable(other)} and {storable(name)}"
            raise BadFileError(f"{tree.given} has {both}; which of them is meant? Take one away")


def identify(path: str) -> tuple[Scalar, ...]:
    """Identify a file by its path without links, ignoring case only where the disk does.

    The path is part of it: deduplication may store equal images once, under names of their own.
    """
    try:
        about = os.stat(path)
    except OSError:
        return (path,)
    return (unicodedata.normalize("NFC", path).casefold(), about.st_dev, about.st_ino)


def stem_of(name: str) -> str:
    """Strip folders and ending from an image's name."""
    return name[name.rfind("/") + 1 : name.rfind(".")]


def storable(name: str) -> str:
    """Escape the characters of a file's name that cannot be stored."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class FileNaming:
    """A naming layout: a pattern of file names, and how it writes the key of an item.

    With `numbers_are_repeats` the number in a name is the repeat; elsewhere seeds become repeats in their order.
    """

    name: str
    example: str
    pattern: re.Pattern[str]
    key: Callable[[str], str]
    numbers_are_repeats: bool = False
    has_category_folders: bool = False
    """Whether images may lie in folders named like their categories."""
    is_other: Callable[[str], bool] = lambda _: False
    """Returns whether a name that fits belongs to another layout."""

    def fits(self, stem: str) -> bool:
        """Return whether a file is named in this layout."""
        return self.pattern.fullmatch(stem) is not None and not self.is_other(stem)

    def is_in_its_category(self, name: str) -> bool:
        """Return whether a file is in a folder named after its category."""
        found = self.pattern.fullmatch(stem_of(name)) if self.has_category_folders else None
        return found is not None and _category(found["key"]) == _category(name.split("/")[-2])

    def read(self, name: str, tree: FolderTree) -> Image | None:
        """Parse a file's name; return None if it is named otherwise."""
        found = self.pattern.fullmatch(stem_of(name))
        if found is None:
            return None
        told = found.groupdict()
        number, tag, count = told["number"], told.get("tag") or "", told.get("count")
        key = "" if "prompt" in told else self.key(f"{told['key']}/{told['target']}" if count else told["key"])
        return Image(
            storable(name),
            tree.path(name),
            # An index may come with several counts; images made later ("new3") follow the others.
            order=(tag, int(number or 0), count or ""),
            key=key,
            prompt=told.get("prompt", ""),
            repeat=int(number) if self.numbers_are_repeats else None,
            number=f"{tag}{number}" if tag else int(number) if number else None,
            count=count,
        )


def key_of_item(key: str) -> str:
    """Write an item's key as one name."""
    return key.replace("/", "_")


def name_file(item_id: str, repeat: int) -> str:
    """Name the image of an item's repeat as the layout `items` does."""
    return f"{key_of_item(item_id.partition('/')[2])}_{repeat}.png"


def last_of_key(key: str) -> str:
    """Return the part after the last slash, in lower case."""
    return key.rpartition("/")[2].casefold()


def category_and_number(key: str) -> str:
    """Write `apples/3` and `Apple/03` alike."""
    category, _, number = key.rpartition("/")
    return f"{_category(category)}/{int(number)}" if category and number.isdecimal() else ""


@cache
def _category(noun: str) -> str:
    return singular(noun.casefold())


_COMPBENCH = re.compile(r"(?P<prompt>.+)_(?P<number>\d{6})", re.ASCII | re.DOTALL)
_ITEMS = re.compile(r"(?P<key>.+)_(?P<number>\d{1,9})", re.ASCII | re.DOTALL)

ITEMS = FileNaming("items", "apples_3_0.png", _ITEMS, key_of_item, numbers_are_repeats=True)
_PROMPTS = FileNaming("t2i-compbench", "a green bench and a blue bowl_000000.png", _COMPBENCH, last_of_key)


def namings() -> tuple[FileNaming, ...]:
    """List the layouts from the most to the least specific: a name belongs to the first one it fits."""
    return (*papers.load_all("file_names").values(), _PROMPTS, ITEMS)


def is_named_by_prompt(stem: str) -> bool:
    """Return whether a file's name may be a prompt and a number."""
    return _COMPBENCH.fullmatch(stem) is not None


_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SEED = re.compile(
    rf"(?P<prompt>.*?\w.*?)[\s_-]+\(?(?:seed[\s_-]*)?(?P<number>\d{{1,20}}|{_UUID}|[0-9a-f]*\d[0-9a-f]*)\)?",
    re.IGNORECASE | re.DOTALL,
)
_SHORTEST_HASH = 6
_MOST_SEEDS = 2


def read_prompt_name(name: str, tree: FolderTree) -> Image:
    """Read a name as a prompt, with or without a seed, an index or a hash after it: "three apples_42"."""
    prompt = stem_of(name)
    cuts = list(_cut_seeds(prompt))
    return Image(
        storable(name),
        tree.path(name),
        order=_natural_order(prompt),
        prompt=prompt,
        number=cuts[0]["number"] if cuts else None,
        shorter_prompts=tuple(found["prompt"] for found in cuts),
    )


def _cut_seeds(text: str) -> Iterator[re.Match[str]]:
    """Cut off possible seeds, indices and hashes, one after the other."""
    for _ in range(_MOST_SEEDS):
        found = _SEED.fullmatch(text)
        if found is None or (not found["number"].isdecimal() and len(found["number"]) < _SHORTEST_HASH):
            return
        yield found
        text = found["prompt"]


def read_in_prompt_folder(name: str, tree: FolderTree) -> Image:
    """Read the name of an image in a folder named after its prompt."""
    folder = name.rpartition("/")[0]
    stem = stem_of(name)
    return Image(storable(name), tree.path(name), order=_natural_order(stem), prompt=folder, number=stem, source=folder)


def _natural_order(stem: str) -> tuple[Scalar, ...]:
    """Order names as people do: 9 before 10."""
    return tuple(part.rjust(20, "0") if part.isdecimal() else part for part in re.split(r"(\d+)", stem))


def read_whole_name(name: str, tree: FolderTree) -> Image:
    """Read a name as an item's key without a repeat, as its first image."""
    return Image(storable(name), tree.path(name), order=("", 0, "whole"), key=stem_of(name), repeat=0)
