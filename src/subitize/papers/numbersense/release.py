"""Reads and imports images whose names say what was requested and how many people counted; pixels are not needed.

Images, in a folder per model, become responses known by name; the counts become people's readings."""

from collections.abc import Sequence
from pathlib import Path

from subitize.analysis.papers import Release
from subitize.errors import BadFileError
from subitize.imports.releases import JUDGE, read_named_count
from subitize.models.folder import ImageAssignment
from subitize.models.image_folders import FolderTree, ImageFolder, UnmatchedFile, read_folder, stem_of, storable
from subitize.papers.numbersense.suite import NAMING
from subitize.records import Discarded, Drawn, Elsewhere, Item, Provenance, Reading, Response, Spec, Trial, task_text
from subitize.registry import make_suite

SUITE = "production"
_EXAMPLES = 3


def read(folder: Path) -> Release:
    """Read the file names in a folder of one model's images, or in a folder per model below it."""
    suite = make_suite(SUITE)
    items = list(suite.obj.items(0))
    specs: list[Spec] = []
    responses: list[Response] = []
    readings: list[Reading] = []
    warnings: list[str] = []
    for path in _find_models(folder):
        name = storable(path.resolve().name)
        specs.append(Spec(name, {"released": "numbersense"}, name))
        images, left = _read_images(path, items, specs[-1])
        counts = [count for image, item in images if (count := read_named_count(image, item))]
        unread = _unread([image for image, _ in images], counts)
        if unread:
            some = f"{len(unread):,} of {len(counts):,} ({_list(unread)})"
            warnings.append(f"{name}: no number in the name, discarded: {some}")
        if left:
            warnings.append(f"{name}: other files, left alone: {len(left):,} ({_list(left)})")
        responses += [image for image, _ in images]
        readings += counts
    return Release(suite.spec, suite.obj.design(), items, specs, JUDGE, responses, readings, warnings)


def _find_models(folder: Path) -> list[Path]:
    """List the folders of single models: this one, or those in it."""
    if not folder.is_dir():
        raise BadFileError(f"{folder} is not a folder; name that of the images, or one with a folder per model")
    try:
        tree = FolderTree(folder)
        categories = [below for below in tree.entries().folders if _is_of_category(tree, below)]
        others = [below for below in tree.entries().folders if below not in categories]
        models = [below for below in others if _has_images(FolderTree(folder / below))]
        has_own = _has_images(tree)
    except OSError as error:
        raise BadFileError(f"cannot read {folder}: {error.strerror}") from None
    if has_own and models:
        raise BadFileError(
            f"{folder} has images of its own and folders with others ({', '.join(map(storable, models[:_EXAMPLES]))}); "
            "name the folder of one model, or one with a folder per model"
        )
    if not has_own and not models:
        raise BadFileError(
            f"{folder} has no images named like {NAMING.example} (asked for, counted, category, index), and no folder "
            "in it has"
        )
    return [folder] if has_own else [folder / model for model in models]


def _has_images(tree: FolderTree) -> bool:
    entries = tree.entries()
    has_named = any(NAMING.fits(stem_of(name)) for name in entries.images)
    return has_named or any(_is_of_category(tree, below) for below in entries.folders)


def _is_of_category(tree: FolderTree, below: str) -> bool:
    return any(map(NAMING.is_in_its_category, tree.entries(below).images))


def _read_images(
    folder: Path, items: Sequence[Item], model: Spec
) -> tuple[list[tuple[Response, Item]], list[UnmatchedFile]]:
    """Read the names of a model's images, each with its item, and list the other files."""
    holdings = read_folder(folder, NAMING.name)
    _check_items(holdings, items, model.text)
    placement = ImageAssignment(holdings, items)
    found = []
    for item in items:
        for repeat, image in placement.of_item[item.id].items():
            parameters = {**image.parameters, "layout": holdings.layout}
            provenance = Provenance(0, task_text(item.task), parameters=parameters)
            trial = Trial(item.id, model.text, model.options, repeat)
            found.append((Response(trial, Drawn(Elsewhere(image.name)), provenance), item))
    return found, [*holdings.left, *placement.duplicates]


def _check_items(holdings: ImageFolder, items: Sequence[Item], model: str) -> None:
    """Refuse images of categories or numbers that the suite never requests, as no table has a place for them."""
    known = {key for item in items for key in holdings.keys(item.id)}
    for image in holdings.images:
        if image.key not in known:
            numbers = [int(item.factors["number"]) for item in items]
            categories = dict.fromkeys(str(item.factors["category"]) for item in items)
            raise BadFileError(
                f"{model}: {image.name!r} is of no item of {SUITE}, which asks for {min(numbers)} to {max(numbers)} of "
                f"{', '.join(categories)}; take it away, or rename it"
            )


def _unread(responses: Sequence[Response], readings: Sequence[Reading]) -> list[UnmatchedFile]:
    """List the images whose count is not a number."""
    files = {one.trial.id: str(one.provenance.parameters["file"]) for one in responses}
    return [
        UnmatchedFile(files[reading.subject.id], reading.value.reason)
        for reading in readings
        if isinstance(reading.value, Discarded)
    ]


def _list(files: Sequence[UnmatchedFile]) -> str:
    some = ", ".join(f"{file.name}: {file.reason}" for file in files[:_EXAMPLES])
    return some + (", …" if len(files) > _EXAMPLES else "")
