"""Images in a folder: lists them, recognises their layout (named files, GenEval's folders, or a listing), reads it.

Links are not followed out of the folder, and sizes are bounded."""

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath

from subitize import papers
from subitize.errors import BadFileError, UnknownNameError
from subitize.io.files import as_object, open_input, read_json, read_lines, read_objects, read_text
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


_LARGEST_LISTING_BYTES = 64_000_000
_LARGEST_METADATA_BYTES = 1_000_000
_METADATA = "metadata.jsonl"
_PATHS = ("path", "image_path", "file", "file_name", "image")
_RIGHT = '{"id": "apples/3", "prompt": "…", "image_path": "x.png"}, with id or prompt or both'
_NUMBER = re.compile("[0-9]{1,9}")
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")  # not valid in file names, nor in databases


def read_prompt_folders(tree: FolderTree) -> tuple[list[Image], list[UnmatchedFile]]:
    """Read GenEval's folders, without the grid of all samples beside them."""
    beside = tree.entries()
    left = [*beside.left, *(UnmatchedFile(storable(name), "in no folder of a prompt") for name in beside.images)]
    images: list[Image] = []
    for folder in _numbered_folders(tree):
        samples = tree.entries(f"{folder}/samples")
        left += samples.left
        if not _has_prompt(tree, folder):
            reason = f"no {folder}/{_METADATA} that tells the prompt"
            left += [UnmatchedFile(storable(name), reason) for name in samples.images]
            continue
        are_numbered = {name: bool(_NUMBER.fullmatch(stem_of(name))) for name in samples.images}
        images += _read_samples(tree, folder, [name for name, is_numbered in are_numbered.items() if is_numbered])
        reason = "not named like 00000/samples/0000.png"
        left += [UnmatchedFile(storable(name), reason) for name, is_numbered in are_numbered.items() if not is_numbered]
    return images, left


def name_listing(name: str) -> str:
    """Return a file's kind of listing by its ending: jsonl, or csv with any separator."""
    ending = name.rpartition(".")[2].lower()
    return "csv" if ending == "tsv" else ending


def is_listing(path: str) -> bool:
    """Return whether a JSONL lists images, by its first line; it may be a log."""
    try:
        with open_input(path, _LARGEST_LISTING_BYTES) as file:
            first = json.loads(file.readline(_LARGEST_METADATA_BYTES))
    except (BadFileError, OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "image_path" in first


def read_listing(tree: FolderTree, listing: str) -> list[Image]:
    """Read a JSONL of images: each line has `image_path`, and `id` or `prompt` or both; other fields are ignored.

    In a CSV these are columns, of which the first may have other names.
    """
    path, images = tree.given / listing, []
    rows = _read_csv(path) if name_listing(listing) == "csv" else read_objects(path, _LARGEST_LISTING_BYTES)
    for where, told in rows:
        try:
            images.append(_make_image(told, int(where.rpartition(" ")[2]), tree))
        except ValueError as error:
            raise BadFileError(f"{where}: {error}") from None
    if not images:
        raise BadFileError(f"{path} lists no images; write a line for each: {_RIGHT}")
    return images


def _read_csv(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    for line in read_lines(path, [_PATHS, ("id", "prompt")], "path, and id or prompt or both"):
        told: dict[str, object] = {name: line.get(name) or None for name in ("id", "prompt")}
        yield f"{path.name} line {line.number}", told | {"image_path": next(filter(None, map(line.get, _PATHS)), None)}


def _numbered_folders(tree: FolderTree) -> list[str]:
    """List GenEval's folders, one per prompt: `00000` with samples in it, and metadata.jsonl that has the prompt."""
    folders = [folder for folder in tree.entries().folders if _NUMBER.fullmatch(folder)]
    return [folder for folder in folders if f"{folder}/samples" in tree.entries(folder).folders]


def _has_prompt(tree: FolderTree, folder: str) -> bool:
    return f"{folder}/{_METADATA}" in tree.entries(folder).jsonl_files


def _read_samples(tree: FolderTree, folder: str, names: list[str]) -> list[Image]:
    check_each_once(tree, names)
    prompt = _read_prompt(tree, f"{folder}/{_METADATA}")
    numbers = {name: int(stem_of(name)) for name in names}
    return [
        Image(name, tree.path(name), (int(folder), number), prompt=prompt, source=folder, number=number)
        for name, number in numbers.items()
    ]


def _make_image(told: Mapping[str, object], number: int, tree: FolderTree) -> Image:
    fields = {field: _read_field(told, field) for field in ("image_path", "id", "prompt")}
    if not fields["image_path"] or not (fields["id"] or fields["prompt"]):
        missing = "id or prompt" if fields["image_path"] else "image_path"
        raise ValueError(f"no {missing} in {json.dumps(told, ensure_ascii=False)[:80]!r}; it should be like {_RIGHT}")
    name = PurePosixPath(fields["image_path"]).as_posix()
    path = tree.resolve(name)
    if "\\" in name and not os.path.exists(path):  # a path written on Windows
        name = name.replace("\\", "/")
        path = tree.resolve(name)
    if not name.startswith("/") and not tree.holds(path):
        remedy = "put the image there, or write its whole path from / on"
        raise ValueError(f"image_path {fields['image_path'][:80]!r} leads out of the file's folder; {remedy}")
    return Image(name, path, (number,), key=fields["id"], prompt=fields["prompt"], identity=identify(path))


def _read_field(told: Mapping[str, object], field: str) -> str:
    value = told.get(field)
    if value is None:
        return ""
    text = str(value) if isinstance(value, int) and field == "id" else value
    if not isinstance(text, str) or not text.strip() or _UNUSABLE.search(text):
        raise ValueError(f"{field} {str(value)[:80]!r}: should be text, without NUL and half characters")
    return text


def _read_prompt(tree: FolderTree, name: str) -> str:
    """Read the prompt in GenEval's metadata, a single line."""
    if os.path.islink(tree.path(name)) and not tree.holds(tree.resolve(name)):
        raise BadFileError(f"{name} is a link that leads out of the folder; put the file itself there")
    where = f"{name} line 1"
    told = as_object(read_json(read_text(tree.given / name, _LARGEST_METADATA_BYTES).strip(), where), where)
    try:
        prompt = _read_field(told, "prompt")
    except ValueError as error:
        raise BadFileError(f"{where}: {error}") from None
    if not prompt:
        raise BadFileError(f'{name} line 1: no prompt in {str(told)[:80]!r}; GenEval writes {{"prompt": "…"}} there')
    return prompt


_OTHER_EXAMPLES = {
    "prompts": "three apples_42.png, or a folder per prompt: three apples/42.png",
    "geneval": "00000/samples/0000.png beside 00000/metadata.jsonl",
    "jsonl": 'images.jsonl of {"id": …, "prompt": …, "image_path": …}',
    "csv": "folder:images.csv, a file with the columns path, and id or prompt or both",
}


_LISTINGS = ("jsonl", "csv")
PROMPTS = "prompts"
"""The layout that any folder may have: only a suite's prompts can decide."""


def list_examples() -> dict[str, str]:
    """List the layouts, each with an example of its file names."""
    return {naming.name: naming.example for naming in namings()} | _OTHER_EXAMPLES


class UnclearLayoutError(BadFileError):
    """The names of the images fit no layout, or several."""


@dataclass(frozen=True, slots=True)
class ImageFolder:
    """The images of a folder by its layout, and the files left over."""

    layout: str
    images: tuple[Image, ...]
    left: tuple[UnmatchedFile, ...]
    naming: FileNaming | None = None

    def keys(self, item_id: str) -> set[str]:
        """List the keys of an item in this layout, if it has any."""
        key = item_id.partition("/")[2]
        if self.layout in _LISTINGS:
            return {item_id, key}
        return {self.naming.key(key)} - {""} if self.naming else set()

    @property
    def is_named_by_prompts(self) -> bool:
        """Whether file names are prompts, perhaps mangled."""
        return self.layout in ("t2i-compbench", "prompts")


def read_folder(path: Path, layout: str) -> ImageFolder:
    """Find the images of a folder or a listing, by the given layout or by the one recognised."""
    if layout not in (known := ("auto", *list_examples())):
        raise UnknownNameError("layout", layout, known)
    kind = name_listing(path.name)
    is_listing_itself = kind in _LISTINGS and path.is_file()
    if is_listing_itself and layout not in ("auto", kind):
        raise BadFileError(f"{path} is a file, and the layout {layout} a folder; name the folder, or layout={kind}")
    if not is_listing_itself and not path.is_dir():
        raise BadFileError(f"{path} is not a folder of images, nor a .jsonl, .csv or .tsv file that lists them")
    try:
        if is_listing_itself:
            return _read_listing(FolderTree(path.parent), path.name)
        return _read_any(FolderTree(path)) if layout == "auto" else _read(FolderTree(path), layout)
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror}") from None


def _read_any(tree: FolderTree) -> ImageFolder:
    """Read the folder by its only layout; `examples` has the first file of each candidate."""
    listing = _find_listing(tree)
    listed = _read_listing(tree, listing) if listing else None
    prompt_folders = [folder for folder in _numbered_folders(tree) if _has_prompt(tree, folder)]
    examples = {"jsonl": listing} if listing else {}
    if prompt_folders:
        examples["geneval"] = f"{prompt_folders[0]}/metadata.jsonl"
    own = tree.entries().images
    below = {} if prompt_folders else _images_below(tree)
    known = namings()
    nested = [name for names in below.values() for name in names if any(one.is_in_its_category(name) for one in known)]
    for name in _leave_out(listed, tree, [*own, *nested]):
        naming = next((one for one in known if one.fits(stem_of(name))), None)
        if naming is not None:
            examples.setdefault(naming.name, storable(name))
    layouts = [layout for layout in list_examples() if layout in examples]
    if len(layouts) > 1:
        found = ", ".join(f"{layout} ({examples[layout][:80]!r})" for layout in layouts)
        error = BadFileError if listing or prompt_folders else UnclearLayoutError
        remedy = f"take one: folder:{tree.given},layout={layouts[0]}"
        raise error(f"{tree.given} has files of {len(layouts)} layouts: {found}; {remedy}")
    if not layouts:
        folders = [storable(folder) for folder, names in below.items() if names]
        error = UnclearLayoutError if own or folders else BadFileError
        raise error(_say_that_none_fits(tree, own, folders))
    return listed or _read(tree, layouts[0])


def _find_listing(tree: FolderTree) -> str:
    """Find the JSONL file that lists the folder's images, if there is only one."""
    found = tree.entries().jsonl_files
    return found[0] if len(found) == 1 and is_listing(tree.path(found[0])) else ""


def _images_below(tree: FolderTree) -> dict[str, list[str]]:
    return {folder: tree.entries(folder).images for folder in tree.entries().folders}


def _leave_out(listed: ImageFolder | None, tree: FolderTree, names: list[str]) -> list[str]:
    """Leave out the images that a listing names, under any path."""
    if listed is None:
        return names
    known = {image.name for image in listed.images} | {image.path for image in listed.images}
    return [name for name in names if name not in known and tree.path(name) not in known]


def _say_that_none_fits(tree: FolderTree, images: list[str], folders: list[str]) -> str:
    if not images and folders:
        return f"{tree.given} has no images, but its folders have: {', '.join(folders[:5])[:200]}; take one of them"
    if not images:
        return f"{tree.given} has no images ({', '.join(SUFFIXES)}); is it the right folder?"
    known = "; ".join(f"{layout}: {example}" for layout, example in list_examples().items())
    return f"{tree.given}: {storable(images[0])[:80]!r} is named like no layout; known: {known}"


def _read(tree: FolderTree, layout: str) -> ImageFolder:
    naming = None
    match layout:
        case "jsonl":
            return _read_listing(tree, _the_listing(tree))
        case "csv":
            raise BadFileError(f"{tree.given} is a folder; name the file that lists its images: folder:FILE.csv")
        case "geneval":
            images, left = read_prompt_folders(tree)
        case "prompts":
            images, left = _read_prompt_names(tree)
        case _:
            naming = next(one for one in namings() if one.name == layout)
            images, left = _read_names(tree, naming)
    if not images:
        example = list_examples()[layout]
        raise BadFileError(f"{tree.given} has no images of the layout {layout}, which are like {example}")
    return ImageFolder(layout, tuple(images), tuple(left), naming)


def _read_listing(tree: FolderTree, listing: str) -> ImageFolder:
    listed, beside = ImageFolder(name_listing(listing), tuple(read_listing(tree, listing)), ()), tree.entries()
    unlisted = [UnmatchedFile(storable(name), f"not in {listing}") for name in _leave_out(listed, tree, beside.images)]
    return replace(listed, left=(*unlisted, *beside.left))


def _the_listing(tree: FolderTree) -> str:
    found = tree.entries().jsonl_files
    if len(found) != 1:
        held = f"{len(found)} ({', '.join(found[:3]) or 'none'})"
        raise BadFileError(f"{tree.given} should have one .jsonl file, not {held}; name it: folder:FILE.jsonl")
    return found[0]


def _read_prompt_names(tree: FolderTree) -> tuple[list[Image], list[UnmatchedFile]]:
    """Read images named after their prompts, and those in folders named so."""
    below = [name for names in _images_below(tree).values() for name in names]
    check_each_once(tree, [*tree.entries().images, *below])
    images = [read_prompt_name(name, tree) for name in tree.entries().images]
    return [*images, *(read_in_prompt_folder(name, tree) for name in below)], tree.entries().left


def _read_names(tree: FolderTree, naming: FileNaming) -> tuple[list[Image], list[UnmatchedFile]]:
    folders = [""]
    if naming.has_category_folders:
        below = _images_below(tree).items()
        folders += [folder for folder, names in below if any(map(naming.is_in_its_category, names))]
    names = [name for folder in folders for name in tree.entries(folder).images]
    left = [unplaced for folder in folders for unplaced in tree.entries(folder).left]
    check_each_once(tree, names)
    # An item's name may lack a repeat, and its key may itself end in a number.
    readers = (naming.read, read_whole_name) if naming is ITEMS else (naming.read,)
    images = []
    for name in names:
        told = [image for image in (read(name, tree) for read in readers) if image is not None]
        images += told
        if not told:
            left.append(UnmatchedFile(storable(name), f"not named like {naming.example}"))
    return images, left
