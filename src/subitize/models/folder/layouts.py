"""Which layout a folder has, and the images it holds by it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize.errors import BadFileError, UnknownNameError
from subitize.models.folder.files import SUFFIXES, Image, Unplaced, list_folders, list_images, name_of
from subitize.models.folder.listings import find_prompt_folders, is_listing, read_listing, read_prompt_folders
from subitize.models.folder.names import ITEMS, NAMINGS, Naming, is_in_its_category, naming_of, read_whole_name

EXAMPLES: dict[str, str] = {naming.name: naming.example for naming in NAMINGS} | {
    "geneval": "00000/samples/0000.png beside 00000/metadata.jsonl",
    "jsonl": 'images.jsonl of {"id": …, "prompt": …, "image_path": …}',
}
"""The layouts, each with what its files are called."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """The images of a folder by its layout, and the files that it does not explain."""

    layout: str
    images: tuple[Image, ...]
    left: tuple[Unplaced, ...]

    def keys(self, item_id: str) -> set[str]:
        """List what an item is called in this layout, if it has names of items at all."""
        key = item_id.partition("/")[2]
        if self.layout == "jsonl":
            return {item_id, key}
        return {naming.key(key) for naming in NAMINGS if naming.name == self.layout} - {""}

    @property
    def is_named_by_prompts(self) -> bool:
        """Whether the prompts were made file names, and may have suffered."""
        return self.layout == "t2i-compbench"


def read_folder(path: Path, layout: str) -> Holdings:
    """Find the images of a folder, or of a JSONL file; the layout is told or is found from the names."""
    if layout not in ("auto", *EXAMPLES):
        raise UnknownNameError("layout", layout, ["auto", *EXAMPLES])
    is_listing_itself = path.suffix == ".jsonl" and path.is_file()
    if is_listing_itself and layout not in ("auto", "jsonl"):
        raise BadFileError(f"{path} is a file, and the layout {layout} a folder; name the folder, or layout=jsonl")
    if not is_listing_itself and not path.is_dir():
        raise BadFileError(f"{path} is not a folder of images, nor a .jsonl file that lists them")
    try:
        if is_listing_itself:
            return _read_listing(path)
        return _read(path, _find_layout(path) if layout == "auto" else layout)
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror}") from None


def _find_layout(root: Path) -> str:
    """Find the one layout that the folder has; `examples` has the first file of each that it might have."""
    listings = _listings(root)
    listed = {image.path for path in listings for image in read_listing(path)}
    prompt_folders = find_prompt_folders(root)
    examples = {"jsonl": listings[0].name} if listings else {}
    if prompt_folders:
        examples["geneval"] = f"{prompt_folders[0].name}/metadata.jsonl"
    own = [path for path in list_images(root, root)[0] if path not in listed]
    below = {} if prompt_folders else _images_below(root)
    nested = [path for paths in below.values() for path in paths if path not in listed and is_in_its_category(path)]
    for path in [*own, *nested]:
        naming = naming_of(path)
        if naming is not None:
            examples.setdefault(naming.name, name_of(path, root))
    layouts = [layout for layout in EXAMPLES if layout in examples]
    if len(layouts) == 1:
        return layouts[0]
    if layouts:
        found = ", ".join(f"{layout} ({examples[layout][:80]!r})" for layout in layouts)
        raise BadFileError(
            f"{root} has files of {len(layouts)} layouts: {found}; take one: folder:{root},layout={layouts[0]}"
        )
    raise BadFileError(_say_that_none_fits(root, own, [folder.name for folder, paths in below.items() if paths]))


def _listings(root: Path) -> list[Path]:
    """Find the JSONL file that lists the folder's images, if there is just one."""
    found = [path for path in sorted(root.glob("[!.]*.jsonl")) if path.is_file()]
    return [path for path in found if len(found) == 1 and is_listing(path)]


def _images_below(root: Path) -> dict[Path, list[Path]]:
    return {folder: list_images(folder, root)[0] for folder in list_folders(root, root)}


def _say_that_none_fits(root: Path, images: list[Path], folders: list[str]) -> str:
    if not images and folders:
        return f"{root} has no images, but its folders have: {', '.join(folders[:5])[:200]}; take one of them"
    if not images:
        return f"{root} has no images ({', '.join(SUFFIXES)}); is it the right folder?"
    known = "; ".join(f"{layout}: {example}" for layout, example in EXAMPLES.items())
    return f"{root}: {name_of(images[0], root)[:80]!r} is named like no layout; known: {known}"


def _read(root: Path, layout: str) -> Holdings:
    match layout:
        case "jsonl":
            return _read_listing(_the_listing(root))
        case "geneval":
            images, left = read_prompt_folders(root)
        case _:
            images, left = _read_names(root, next(naming for naming in NAMINGS if naming.name == layout))
    if not images:
        raise BadFileError(f"{root} has no images of the layout {layout}, which are like {EXAMPLES[layout]}")
    return Holdings(layout, tuple(images), tuple(left))


def _read_listing(path: Path) -> Holdings:
    images = read_listing(path)
    listed = {image.path for image in images}
    beside, left = list_images(path.parent, path.parent)
    unlisted = [Unplaced(name_of(one, path.parent), f"not in {path.name}") for one in beside if one not in listed]
    return Holdings("jsonl", tuple(images), (*unlisted, *left))


def _the_listing(root: Path) -> Path:
    found = sorted(root.glob("[!.]*.jsonl"))
    if len(found) != 1:
        names = ", ".join(path.name for path in found[:3]) or "none"
        raise BadFileError(
            f"{root} should have one .jsonl file, not {len(found)} ({names}); name it: folder:FILE.jsonl"
        )
    return found[0]


def _read_names(root: Path, naming: Naming) -> tuple[list[Image], list[Unplaced]]:
    categories = [folder for folder, paths in _images_below(root).items() if any(map(is_in_its_category, paths))]
    paths, left = [], []
    for folder in [root, *(categories if naming.name == "numbersense" else [])]:
        found, unplaced = list_images(folder, root)
        paths += found
        left += unplaced
    _check_each_once(root, paths)
    images, readers = [], _readers(naming)
    for path in paths:
        told = [image for image in (read(path, root) for read in readers) if image is not None]
        images += told
        if not told:
            left.append(Unplaced(name_of(path, root), f"not named like {naming.example}"))
    return images, left


def _readers(naming: Naming) -> Sequence[Callable[[Path, Path], Image | None]]:
    """How a name may be read: that of an item may be without a repeat, and an item's own key may end in a number."""
    return (naming.read, read_whole_name) if naming is ITEMS else (naming.read,)


def _check_each_once(root: Path, paths: Iterable[Path]) -> None:
    known: dict[Path, Path] = {}
    for path in paths:
        other = known.setdefault(path.with_suffix(""), path)
        if other is not path:
            raise BadFileError(
                f"{root} has {name_of(other, root)} and {name_of(path, root)}; which of them is meant? Take one away"
            )
