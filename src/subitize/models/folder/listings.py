"""Layouts with prompts in files beside the images: GenEval's folders, and a JSONL or CSV of images."""

import json
import os
import re
from pathlib import PurePosixPath

from subitize.errors import BadFileError
from subitize.io.files import read_lines, read_text
from subitize.models.folder.files import Image, Tree, Unplaced, check_each_once, identify, stem_of, storable

_LARGEST_LISTING_BYTES = 64_000_000
_LARGEST_METADATA_BYTES = 1_000_000
_METADATA = "metadata.jsonl"
_PATHS = ("path", "image_path", "file", "file_name", "image")
_RIGHT = '{"id": "apples/3", "prompt": "…", "image_path": "x.png"}, with id or prompt or both'
_NUMBER = re.compile("[0-9]{1,9}")
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")  # no file has such a name, and no database keeps it


def find_prompt_folders(tree: Tree) -> list[str]:
    """List GenEval's folders, one per prompt: `00000` with metadata.jsonl and samples in it."""
    return [folder for folder in _numbered_folders(tree) if _has_prompt(tree, folder)]


def read_prompt_folders(tree: Tree) -> tuple[list[Image], list[Unplaced]]:
    """Read GenEval's folders, without the grid of all samples that lies beside them."""
    beside = tree.entries()
    left = [*beside.left, *(Unplaced(storable(name), "in no folder of a prompt") for name in beside.images)]
    images: list[Image] = []
    for folder in _numbered_folders(tree):
        samples = tree.entries(f"{folder}/samples")
        left += samples.left
        if not _has_prompt(tree, folder):
            reason = f"no {folder}/{_METADATA} that tells the prompt"
            left += [Unplaced(storable(name), reason) for name in samples.images]
            continue
        are_numbered = {name: bool(_NUMBER.fullmatch(stem_of(name))) for name in samples.images}
        images += _read_samples(tree, folder, [name for name, is_numbered in are_numbered.items() if is_numbered])
        reason = "not named like 00000/samples/0000.png"
        left += [Unplaced(storable(name), reason) for name, is_numbered in are_numbered.items() if not is_numbered]
    return images, left


def name_listing(name: str) -> str:
    """Tell by its name which kind of listing a file is, jsonl or csv, with whatever stands between its columns."""
    ending = name.rpartition(".")[2].lower()
    return "csv" if ending == "tsv" else ending


def is_listing(path: str) -> bool:
    """Tell by its first line whether a JSONL lists images, and is not somebody's log."""
    try:
        with open(path, "rb") as file:
            first = json.loads(file.readline(_LARGEST_METADATA_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "image_path" in first


def read_listing(tree: Tree, listing: str) -> list[Image]:
    """Read a JSONL of images: `image_path`, and `id` or `prompt` or both, in each line; others are left alone.

    In a CSV these are columns, of which the first may have other names.
    """
    if name_listing(listing) == "csv":
        return _read_csv(tree, listing)
    images = []
    for number, line in enumerate(read_text(tree.given / listing, _LARGEST_LISTING_BYTES).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            images.append(_make_image(_read_object(line), number, tree))
        except ValueError as error:
            raise BadFileError(f"{listing} line {number}: {error}") from None
    if not images:
        raise BadFileError(f"{tree.given / listing} lists no images; write a line for each: {_RIGHT}")
    return images


def _read_csv(tree: Tree, listing: str) -> list[Image]:
    images = []
    for line in read_lines(tree.given / listing, [_PATHS, ("id", "prompt")], "path, and id or prompt or both"):
        path = next(filter(None, map(line.get, _PATHS)), None)
        told: dict[str, object] = {name: line.get(name) or None for name in ("id", "prompt")}
        try:
            images.append(_make_image(told | {"image_path": path}, line.number, tree))
        except ValueError as error:
            raise line.error(str(error)) from None
    if not images:
        raise BadFileError(f"{tree.given / listing} lists no images; write a row for each below the header")
    return images


def _numbered_folders(tree: Tree) -> list[str]:
    folders = [folder for folder in tree.entries().folders if _NUMBER.fullmatch(folder)]
    return [folder for folder in folders if f"{folder}/samples" in tree.entries(folder).folders]


def _has_prompt(tree: Tree, folder: str) -> bool:
    return f"{folder}/{_METADATA}" in tree.entries(folder).jsonl_files


def _read_samples(tree: Tree, folder: str, names: list[str]) -> list[Image]:
    check_each_once(tree, names)
    prompt = _read_prompt(tree, f"{folder}/{_METADATA}")
    numbers = {name: int(stem_of(name)) for name in names}
    return [
        Image(name, tree.path(name), (int(folder), number), prompt=prompt, source=folder, number=number)
        for name, number in numbers.items()
    ]


def _make_image(told: dict[str, object], number: int, tree: Tree) -> Image:
    fields = {field: _read_field(told, field) for field in ("image_path", "id", "prompt")}
    if not fields["image_path"] or not (fields["id"] or fields["prompt"]):
        missing = "id or prompt" if fields["image_path"] else "image_path"
        raise ValueError(f"no {missing} in {json.dumps(told, ensure_ascii=False)[:80]!r}; it should be like {_RIGHT}")
    name = PurePosixPath(fields["image_path"]).as_posix()
    path = tree.resolve(name)
    if "\\" in name and not os.path.exists(path):  # Windows has the other slash
        name = name.replace("\\", "/")
        path = tree.resolve(name)
    if not name.startswith("/") and not tree.holds(path):
        raise ValueError(
            f"image_path {fields['image_path'][:80]!r} leads out of the file's folder; "
            "put the image there, or write its whole path from / on"
        )
    return Image(name, path, (number,), key=fields["id"], prompt=fields["prompt"], identity=identify(path))


def _read_field(told: dict[str, object], field: str) -> str:
    value = told.get(field)
    if value is None:
        return ""
    text = str(value) if isinstance(value, int) and field == "id" else value
    if not isinstance(text, str) or not text.strip() or _UNUSABLE.search(text):
        raise ValueError(f"{field} {str(value)[:80]!r}: should be text, without NUL and half characters")
    return text


def _read_prompt(tree: Tree, name: str) -> str:
    """Read the prompt in GenEval's metadata, which are one line."""
    if os.path.islink(tree.path(name)) and not tree.holds(tree.resolve(name)):
        raise BadFileError(f"{name} is a link that leads out of the folder; put the file itself there")
    try:
        told = _read_object(read_text(tree.given / name, _LARGEST_METADATA_BYTES).strip())
        prompt = _read_field(told, "prompt")
    except ValueError as error:
        raise BadFileError(f"{name} line 1: {error}") from None
    if not prompt:
        raise BadFileError(f'{name} line 1: no prompt in {str(told)[:80]!r}; GenEval writes {{"prompt": "…"}} there')
    return prompt


def _read_object(line: str) -> dict[str, object]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(f"no JSON: {line[:80]!r}; it should be one object, in one line") from None
    if not isinstance(told, dict):
        raise ValueError(f"{line[:80]!r} should be an object: {{…}}")
    return told
