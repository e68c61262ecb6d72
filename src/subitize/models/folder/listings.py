"""Layouts with prompts in files beside the images: GenEval's folders, and a JSONL of images."""

import json
import os
import re
from pathlib import Path

from subitize.csv_files import read_text
from subitize.errors import BadFileError
from subitize.models.folder.files import Image, Unplaced, is_inside, list_folders, list_images, name_of

_LARGEST_LISTING_BYTES = 64_000_000
_LARGEST_METADATA_BYTES = 1_000_000
_METADATA = "metadata.jsonl"
_RIGHT = '{"id": "apples/3", "prompt": "…", "image_path": "x.png"}, with id or prompt or both'
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")  # no file has such a name, and no database keeps it


def find_prompt_folders(root: Path) -> list[Path]:
    """List GenEval's folders, one per prompt: `00000` with metadata.jsonl and samples in it."""
    return [path for path in _numbered_folders(root) if os.path.isfile(path / _METADATA)]


def read_prompt_folders(root: Path) -> tuple[list[Image], list[Unplaced]]:
    """Read GenEval's folders; the grid of all samples that lies beside them is none of them."""
    beside, left = list_images(root, root)
    left += [Unplaced(name_of(path, root), "in no folder of a prompt") for path in beside]
    images = []
    for folder in _numbered_folders(root):
        has_prompt = os.path.isfile(folder / _METADATA)
        prompt = _read_prompt(folder / _METADATA, root) if has_prompt else ""
        found, unplaced = list_images(folder / "samples", root)
        left += unplaced
        for path in found:
            name = name_of(path, root)
            if not has_prompt:
                left.append(Unplaced(name, f"no {folder.name}/{_METADATA} that tells the prompt"))
            elif re.fullmatch(r"\d{1,9}", path.stem, re.ASCII):
                number = int(path.stem)
                order = (int(folder.name), number)
                images.append(Image(name, path, order, prompt=prompt, source=folder.name, number=number))
            else:
                left.append(Unplaced(name, "not named like 00000/samples/0000.png"))
    return images, left


def is_listing(path: Path) -> bool:
    """Tell by its first line whether a JSONL lists images, and is not somebody's log."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(_LARGEST_METADATA_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "image_path" in first


def read_listing(path: Path) -> list[Image]:
    """Read a JSONL of images: `image_path`, and `id` or `prompt` or both, in each line; others are left alone."""
    images = []
    for number, line in enumerate(_read_bounded(path, _LARGEST_LISTING_BYTES).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            images.append(_read_line(line, number, path.parent))
        except ValueError as error:
            raise BadFileError(f"{path.name} line {number}: {error}") from None
    if not images:
        raise BadFileError(f"{path} lists no images; write a line for each: {_RIGHT}")
    return images


def _numbered_folders(root: Path) -> list[Path]:
    folders = [path for path in list_folders(root, root) if re.fullmatch(r"\d{1,9}", path.name, re.ASCII)]
    return [path for path in folders if any(inner.name == "samples" for inner in list_folders(path, root))]


def _read_line(line: str, number: int, folder: Path) -> Image:
    told = _read_object(line)
    fields = {field: _read_field(told, field) for field in ("image_path", "id", "prompt")}
    if not fields["image_path"] or not (fields["id"] or fields["prompt"]):
        missing = "id or prompt" if fields["image_path"] else "image_path"
        raise ValueError(f"no {missing} in {line[:80]!r}; it should be like {_RIGHT}")
    path = folder / fields["image_path"]  # an absolute path stays what it is
    if os.path.isabs(fields["image_path"]):
        name = os.fsencode(path).decode("utf-8", "backslashreplace")
    elif is_inside(path, folder):
        name = name_of(path, folder)
    else:
        raise ValueError(
            f"image_path {fields['image_path'][:80]!r} leads out of the file's folder; "
            "put the image there, or write its whole path from / on"
        )
    return Image(name, path, (number,), key=fields["id"], prompt=fields["prompt"])


def _read_field(told: dict[str, object], field: str) -> str:
    value = told.get(field)
    if value is None:
        return ""
    text = str(value) if isinstance(value, int) and field == "id" else value
    if not isinstance(text, str) or not text.strip() or _UNUSABLE.search(text):
        raise ValueError(f"{field} {str(value)[:80]!r}: should be text, without NUL and half characters")
    return text


def _read_prompt(path: Path, root: Path) -> str:
    """Read the prompt in GenEval's metadata, which are one line."""
    name = name_of(path, root)
    if not is_inside(path, root):
        raise BadFileError(f"{name} is a link that leads out of the folder; put the file itself there")
    try:
        told = _read_object(_read_bounded(path, _LARGEST_METADATA_BYTES).strip())
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


def _read_bounded(path: Path, largest: int) -> str:
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    if size > largest:
        raise BadFileError(f"{path} has {size:,} bytes; at most {largest:,} are read, so split it")
    return read_text(path)
