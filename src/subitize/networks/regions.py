"""Region features from a file, made by another detector, for networks that take no pixels."""

import base64
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadFileError, BadValueError
from subitize.io.files import open_input, open_zip
from subitize.networks import weights

Floats = NDArray[np.float32]
T = TypeVar("T")

MOST_REGIONS = 100
"""In one picture, as many as detectors for these networks give (Anderson et al. 2018)."""
_SLACK = 0.01  # of a picture's side, for boxes that were clipped and divided in half floats


@dataclass(frozen=True, slots=True)
class Regions:
    """The region features and boxes of pictures by name, read when asked for.

    Per picture the file has `<name>.features` (regions × numbers) and `<name>.boxes` (regions × 4: left, top, right,
    bottom as shares of width and height). Pictures may differ in how many regions they have, at most MOST_REGIONS. The
    files of bottom-up attention and of LXMERT (.tsv) name pictures by number: 7 for v7w_7.jpg.
    """

    path: Path
    names: frozenset[str]
    _read: Callable[[str], NDArray[np.generic]]

    @classmethod
    def open(cls, path: Path) -> "Regions":
        """Open a .npz, .safetensors or .tsv file; only its table of contents is kept."""
        if not path.is_file():
            raise BadFileError(f"there is no file {path}; name the file of the region features: {_FORMATS}")
        if path.suffix not in _OPENERS:
            raise BadFileError(f"{path.name} is no file of region features; write them as {_FORMATS}")
        keys, read = _reading(path, lambda: _OPENERS[path.suffix](path))
        names = frozenset(key.removesuffix(".features") for key in keys if key.endswith(".features"))
        if not names:
            held = ", ".join(sorted(keys)[:3]) or "nothing"
            raise BadFileError(f"{path.name} has no region features (it has {held}); call them 'PICTURE.features'")
        return cls(path, names, read)

    def of(self, names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """Get features, boxes and mask of pictures, padded with zeros to the most regions in any of them."""
        each = {name: self._of_one(name) for name in dict.fromkeys(names)}
        widths = {features.shape[1] for features, _ in each.values()}
        if len(widths) != 1:
            told = " and ".join(map(str, sorted(widths)))
            raise BadFileError(f"{self.path.name}: pictures have regions of {told} numbers; make them equal")
        most = max(len(boxes) for _, boxes in each.values())
        features = np.zeros((len(names), most, widths.pop()), np.float32)
        boxes, mask = np.zeros((len(names), most, 4), np.float32), np.zeros((len(names), most), np.float32)
        for row, name in enumerate(names):
            count = len(each[name][1])
            features[row, :count], boxes[row, :count] = each[name]
            mask[row, :count] = 1
        return features, boxes, mask

    def _of_one(self, picture: str) -> tuple[Floats, Floats]:
        name = _take_number(picture) if self.path.suffix == ".tsv" and picture not in self.names else picture
        if name not in self.names:
            known = sorted(self.names)
            more = f" and {len(known) - 3:,} more" if len(known) > 3 else ""
            some = ", ".join(map(repr, known[:3]))
            raise BadValueError(f"{self.path.name} has no picture {picture!r}; it has {some}{more}")
        features, boxes = self._floats(f"{name}.features"), self._floats(f"{name}.boxes")
        if features.ndim != 2 or boxes.shape != (len(features), 4) or not features.size:
            raise BadFileError(
                f"{self.path.name}: {name!r} has features of {_shape(features)} and boxes of {_shape(boxes)}; "
                "they should be n × d and n × 4"
            )
        if len(boxes) > MOST_REGIONS:
            raise BadFileError(
                f"{self.path.name}: {name!r} has {len(boxes)} regions; keep the surest {MOST_REGIONS} of a picture"
            )
        if boxes.min() < -_SLACK or boxes.max() > 1 + _SLACK or (boxes[:, :2] > boxes[:, 2:]).any():
            raise BadFileError(
                f"{self.path.name}: the boxes of {name!r} should be left, top, right, bottom from 0 to 1; "
                "divide by the picture's width and height"
            )
        return features, boxes

    def _floats(self, key: str) -> Floats:
        try:
            found = _reading(self.path, lambda: self._read(key))
        except KeyError:
            raise BadFileError(f"{self.path.name} has no {key!r}; each picture has .features and .boxes") from None
        if found.dtype.kind not in "fiu" or not np.isfinite(found).all():
            raise BadFileError(f"{self.path.name}: {key!r} holds something that is no finite number; write it again")
        return found.astype(np.float32)


_Opened = tuple[Iterable[str], Callable[[str], NDArray[np.generic]]]


def _open_npz(path: Path) -> _Opened:
    # Not by numpy.load, which leaves a damaged file open.
    archive = open_zip(path)

    def read(key: str) -> NDArray[np.generic]:
        with archive.open(f"{key}.npy") as file:
            found: NDArray[np.generic] = np.lib.format.read_array(file, allow_pickle=False)
            file.read()  # only at its end is an entry compared with its checksum
            return found

    return [name.removesuffix(".npy") for name in archive.namelist()], read


def _open_safetensors(path: Path) -> _Opened:
    weights.require(f"{path.name}", "safetensors")
    from safetensors import safe_open

    archive: Any = safe_open(path, framework="numpy")
    keys = frozenset(archive.keys())

    def read(key: str) -> NDArray[np.generic]:
        if key not in keys:
            raise KeyError(key)
        found: NDArray[np.generic] = archive.get_tensor(key)
        return found

    return keys, read


# By their number, the columns of bottom-up attention's files, and of LXMERT's, which also have labels.
_COLUMNS = {
    6: ("id", "width", "height", "count", "boxes", "features"),
    10: ("id", "height", "width", *("label",) * 4, "count", "boxes", "features"),
}


def _open_tsv(path: Path) -> _Opened:
    """Find where the line of each picture begins; if a picture comes twice, as in some releases, the first counts."""
    starts: dict[str, int] = {}
    start = 0
    with open_input(path, None) as file:
        for line in file:
            if line.strip():
                starts.setdefault(line.partition(b"\t")[0].decode("ascii"), start)
            start += len(line)
    if not starts:
        raise ValueError("it is empty")

    def read(key: str) -> NDArray[np.generic]:
        name, _, kind = key.rpartition(".")
        with open_input(path, None) as file:
            file.seek(starts[name])
            cells = file.readline().rstrip(b"\r\n").split(b"\t")
        if len(cells) not in _COLUMNS:
            raise ValueError(f"{name} has {len(cells)} columns instead of 6 or 10")
        # The columns that share a name are not read.
        row = dict(zip(_COLUMNS[len(cells)], cells, strict=True))
        array = np.frombuffer(base64.b64decode(row[kind], validate=True), "<f4").reshape(int(row["count"]), -1)
        sides = np.array([int(row["width"]), int(row["height"])] * 2, np.float32)
        return array / sides if kind == "boxes" and array.shape[1:] == sides.shape else array

    return [f"{name}.{kind}" for name in starts for kind in ("features", "boxes")], read


_NUMBERED = re.compile(r"(?:v7w_|COCO_\w+_)?0*(\d+)(?:\.\w+)?")


def _take_number(picture: str) -> str:
    """Extract the number from a file name of Visual7W, Visual Genome or COCO."""
    found = _NUMBERED.fullmatch(picture)
    return found[1] if found else picture


_OPENERS: dict[str, Callable[[Path], _Opened]] = {
    ".npz": _open_npz,
    ".safetensors": _open_safetensors,
    ".tsv": _open_tsv,
}
_FORMATS = ".npz, .safetensors, or bottom-up attention's .tsv"


def _reading(path: Path, read: Callable[[], T]) -> T:
    try:
        return read()
    except Exception as error:
        if not isinstance(error, _DAMAGE) and type(error).__name__ != "SafetensorError":
            raise
        raise BadFileError(f"{path.name} cannot be read as region features ({error}); write it again") from None


_DAMAGE = (BadFileError, OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile, zlib.error)


def _shape(array: Floats) -> str:
    return " × ".join(map(str, array.shape)) or "one number"
