"""Saves and loads calibrated thresholds by name, in the user's folder."""

import os
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic_core import from_json, to_json

from subitize.errors import BadFileError, BadValueError, StorageError, SubitizeError, UnknownNameError
from subitize.io.files import read_bounded
from subitize.io.outputs import make_folder, write_atomic
from subitize.records import Estimate, to_plain

PREFIX = "calibrated:"
_RENAME = "name another with `save`, or replace it with `force`"
_ELSEWHERE = "set SUBITIZE_HOME to a folder"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,79}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A calibrated score threshold: the reference, the number of pictures, and its accuracy on held-out ones.

    `nae` and `accuracy` are measured on pictures that the threshold was not chosen on.
    """

    judge: str
    reference: str
    threshold: float
    iou: float
    metric: Literal["nae", "accuracy"]
    n: int
    folds: int
    nae: Estimate | None
    accuracy: Estimate
    made_on: date
    version: str


def name_safely(judge: str) -> str:
    """Make a file name for a judge's calibration."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", judge).strip("-.")[:80]
    return name or "judge"


def check_free(name: str, judge: str, *, force: bool) -> None:
    """Refuse a name that is unusable or belongs to another judge."""
    path = _path(name)
    if force or not path.exists():
        return
    try:
        known = load(name)
    except SubitizeError as error:
        fault = f"cannot be read ({error}), so that nobody knows whose it is"
        raise BadValueError(f"calibration {name!r} {fault}; {_RENAME}") from None
    if known.judge != judge:
        raise BadValueError(f"calibration {name!r} is of judge {known.judge!r}, not {judge!r}; {_RENAME}")


def save(name: str, found: Calibrated, *, force: bool = False) -> Path:
    """Save a calibration atomically, replacing an earlier one of the same judge."""
    check_free(name, found.judge, force=force)
    path = _path(name)
    try:
        make_folder(path.parent)
        return write_atomic(path, [to_json(to_plain(found), indent=2, inf_nan_mode="strings"), b"\n"])
    except StorageError as error:
        raise StorageError(f"{error}; {_ELSEWHERE} that can be written to") from error


def load(name: str) -> Calibrated:
    """Load a calibration by name."""
    from pydantic import TypeAdapter, ValidationError

    path = _path(name)
    if name not in names():
        raise UnknownNameError("calibration", name, names())
    try:
        data = read_bounded(path)
    except BadFileError as error:
        raise StorageError(f"{error}; {_ELSEWHERE}") from error
    try:
        return TypeAdapter(Calibrated).validate_json(_restore(data))
    except ValidationError as error:
        what = error.errors(include_url=False)[0]
        where = ".".join(map(str, what["loc"])) or "the file"
        raise BadFileError(f"{path}: {where}: {what['msg']}; delete it, and calibrate again") from None


def names() -> list[str]:
    """List the names of saved calibrations."""
    try:
        found = [path.stem for path in folder().iterdir() if path.suffix == ".json"]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"cannot read {folder()}: {error.strerror or error}; {_ELSEWHERE}") from error
    return sorted(name for name in found if _NAME.fullmatch(name))


def list_all() -> tuple[dict[str, Calibrated], list[str]]:
    """List saved calibrations, and the faults of those that cannot be read."""
    found, faults = {}, []
    for name in names():
        try:
            found[name] = load(name)
        except SubitizeError as error:
            faults.append(str(error))
    return found, faults


def folder() -> Path:
    """Return the folder of saved calibrations."""
    home = os.environ.get("SUBITIZE_HOME")
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(home or f"{data}/subitize").expanduser() / "calibrations"


def _restore(text: bytes) -> bytes:
    """Restore infinite upper bounds, once written as null; leave invalid JSON to the caller."""
    try:
        found = from_json(text)
    except ValueError:
        return text
    for metric in ("nae", "accuracy"):
        estimate = found.get(metric) if isinstance(found, dict) else None
        if isinstance(estimate, dict) and "high" in estimate and estimate["high"] is None:
            estimate["high"] = "Infinity"
    return to_json(found)


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise BadValueError(
            f"calibration name {name!r}: should be letters, digits, '.', '_' or '-', at most 80, as in grounding-dino"
        )
    return folder() / f"{name}.json"
