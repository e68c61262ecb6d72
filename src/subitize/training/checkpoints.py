"""Files of a training: checkpoints, written whole and resumed from, and the folders of finetuned models."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from subitize.errors import BadFileError, ConflictError, StorageError
from subitize.io.files import as_object, read_json, read_text
from subitize.io.outputs import atomic_file, make_folder, write_atomic

SETTINGS, HISTORY, CHECKPOINT, BEST = "settings.json", "history.json", "checkpoint.pt", "best.pt"
PROVENANCE = "finetuning.json"
"""The file in a finetuned model's folder that says where it is from."""


def save_tensors(path: Path, state: Mapping[str, Any]) -> None:
    """Write a checkpoint: all of it, or the one before stays."""
    with atomic_file(path) as partial:
        try:
            with partial.open("wb") as file:
                torch.save(dict(state), file)
        except RuntimeError as error:  # torch's own words for a disk that is full
            raise StorageError(f"cannot write {path}: {str(error).splitlines()[0]}") from error


def load_tensors(path: Path) -> dict[str, Any]:
    """Read a checkpoint; nothing that is pickled in it is run."""
    try:
        found: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a cut file raises errors of many kinds
        raise BadFileError(
            f"{path} cannot be read ({type(error).__name__}); delete {path.parent} to train that seed again"
        ) from None
    return found


def keep_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write down what is trained, and how; refuse a folder that has something else."""
    make_folder(folder)
    path = folder / SETTINGS
    if path.exists():
        before = read_json_file(path)
        if before != json.loads(json.dumps(settings)):
            key = next(key for key in [*settings, *before] if before.get(key) != settings.get(key))
            raise ConflictError(
                f"{folder} was begun with other settings ({key} {_brief(before.get(key))}, now "
                f"{_brief(settings.get(key))}); name another folder"
            )
        return
    write_json(path, settings)


def _brief(value: object) -> str:
    return f"{value!s:.60}"


def write_json(path: Path, value: object) -> None:
    """Write a JSON file."""
    write_atomic(path, [json.dumps(value, indent=1, ensure_ascii=False).encode(), b"\n"])


def read_json_file(path: Path) -> dict[str, Any]:
    """Read one of these JSON files."""
    return as_object(read_json(read_text(path), str(path)), str(path))


def write_model(folder: Path, write: Callable[[Path], None], provenance: Mapping[str, Any]) -> None:
    """Write a model's folder: all of it, with its provenance, or none."""
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        write(partial)
        write_json(partial / PROVENANCE, provenance)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    except (OSError, SafetensorError) as error:
        raise StorageError(f"cannot write {folder}: {getattr(error, 'strerror', None) or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
