"""Which layout a folder has, and the images it holds by it."""

from dataclasses import dataclass, replace
from pathlib import Path

from subitize.errors import BadFileError, UnknownNameError
from subitize.models.folder.files import SUFFIXES, Image, Tree, Unplaced, check_each_once, stem_of, storable
from subitize.models.folder.listings import (
    find_prompt_folders,
    is_listing,
    name_listing,
    read_listing,
    read_prompt_folders,
)
from subitize.models.folder.names import (
    ITEMS,
    Naming,
    namings,
    read_in_prompt_folder,
    read_prompt_name,
    read_whole_name,
)

_OTHER_EXAMPLES = {
    "prompts": "three apples_42.png, or a folder per prompt: three apples/42.png",
    "geneval": "00000/samples/0000.png beside 00000/metadata.jsonl",
    "jsonl": 'images.jsonl of {"id": …, "prompt": …, "image_path": …}',
    "csv": "folder:images.csv, a file with the columns path, and id or prompt or both",
}


_LISTINGS = ("jsonl", "csv")
PROMPTS = "prompts"
"""The layout that any folder may have: only the prompts of a suite tell."""


def list_examples() -> dict[str, str]:
    """List the layouts, each with what its files are called."""
    return {naming.name: naming.example for naming in namings()} | _OTHER_EXAMPLES


class UnclearLayoutError(BadFileError):
    """The names of images are of no layout, or of several."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """The images of a folder by its layout, and the files that it does not explain."""

    layout: str
    images: tuple[Image, ...]
    left: tuple[Unplaced, ...]
    naming: Naming | None = None

    def keys(self, item_id: str) -> set[str]:
        """List what an item is called in this layout, if it has names of items at all."""
        key = item_id.partition("/")[2]
        if self.layout in _LISTINGS:
            return {item_id, key}
        return {self.naming.key(key)} - {""} if self.naming else set()

    @property
    def is_named_by_prompts(self) -> bool:
        """Whether the prompts were made file names, and may have suffered."""
        return self.layout in ("t2i-compbench", "prompts")


def read_folder(path: Path, layout: str) -> Holdings:
    """Find the images of a folder, or of a JSONL file; the layout is told or is found from the names."""
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
            return _read_listing(Tree(path.parent), path.name)
        return _read_any(Tree(path)) if layout == "auto" else _read(Tree(path), layout)
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror}") from None


def _read_any(tree: Tree) -> Holdings:
    """Read the folder by the one layout that it has; `examples` has the first file of each that it might have."""
    listing = _find_listing(tree)
    listed = _read_listing(tree, listing) if listing else None
    prompt_folders = find_prompt_folders(tree)
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
        raise error(
            f"{tree.given} has files of {len(layouts)} layouts: {found}; take one: "
            f"folder:{tree.given},layout={layouts[0]}"
        )
    if not layouts:
        folders = [storable(folder) for folder, names in below.items() if names]
        error = UnclearLayoutError if own or folders else BadFileError
        raise error(_say_that_none_fits(tree, own, folders))
    return listed or _read(tree, layouts[0])


def _find_listing(tree: Tree) -> str:
    """Find the JSONL file that lists the folder's images, if there is just one."""
    found = tree.entries().jsonl_files
    return found[0] if len(found) == 1 and is_listing(tree.path(found[0])) else ""


def _images_below(tree: Tree) -> dict[str, list[str]]:
    return {folder: tree.entries(folder).images for folder in tree.entries().folders}


def _leave_out(listed: Holdings | None, tree: Tree, names: list[str]) -> list[str]:
    """Leave out the images that a listing names, by this name or by another."""
    if listed is None:
        return names
    known = {image.name for image in listed.images} | {image.path for image in listed.images}
    return [name for name in names if name not in known and tree.path(name) not in known]


def _say_that_none_fits(tree: Tree, images: list[str], folders: list[str]) -> str:
    if not images and folders:
        return f"{tree.given} has no images, but its folders have: {', '.join(folders[:5])[:200]}; take one of them"
    if not images:
        return f"{tree.given} has no images ({', '.join(SUFFIXES)}); is it the right folder?"
    known = "; ".join(f"{layout}: {example}" for layout, example in list_examples().items())
    return f"{tree.given}: {storable(images[0])[:80]!r} is named like no layout; known: {known}"


def _read(tree: Tree, layout: str) -> Holdings:
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
    return Holdings(layout, tuple(images), tuple(left), naming)


def _read_listing(tree: Tree, listing: str) -> Holdings:
    listed, beside = Holdings(name_listing(listing), tuple(read_listing(tree, listing)), ()), tree.entries()
    unlisted = [Unplaced(storable(name), f"not in {listing}") for name in _leave_out(listed, tree, beside.images)]
    return replace(listed, left=(*unlisted, *beside.left))


def _the_listing(tree: Tree) -> str:
    found = tree.entries().jsonl_files
    if len(found) != 1:
        names = ", ".join(found[:3]) or "none"
        raise BadFileError(
            f"{tree.given} should have one .jsonl file, not {len(found)} ({names}); name it: folder:FILE.jsonl"
        )
    return found[0]


def _read_prompt_names(tree: Tree) -> tuple[list[Image], list[Unplaced]]:
    """Read images named by their prompts, and those in folders named by them."""
    below = [name for names in _images_below(tree).values() for name in names]
    check_each_once(tree, [*tree.entries().images, *below])
    images = [read_prompt_name(name, tree) for name in tree.entries().images]
    return [*images, *(read_in_prompt_folder(name, tree) for name in below)], tree.entries().left


def _read_names(tree: Tree, naming: Naming) -> tuple[list[Image], list[Unplaced]]:
    folders = [""]
    if naming.has_category_folders:
        below = _images_below(tree).items()
        folders += [folder for folder, names in below if any(map(naming.is_in_its_category, names))]
    names = [name for folder in folders for name in tree.entries(folder).images]
    left = [unplaced for folder in folders for unplaced in tree.entries(folder).left]
    check_each_once(tree, names)
    # The name of an item may be without a repeat, and an item's own key may end in a number.
    readers = (naming.read, read_whole_name) if naming is ITEMS else (naming.read,)
    images = []
    for name in names:
        told = [image for image in (read(name, tree) for read in readers) if image is not None]
        images += told
        if not told:
            left.append(Unplaced(storable(name), f"not named like {naming.example}"))
    return images, left
