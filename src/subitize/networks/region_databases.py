"""Region features in an LMDB, as the authors of ViLBERT publish them: pickled records, of which only data are read."""

import base64
import io
import pickle
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadFileError
from subitize.networks import weights

DATABASE = "data.mdb"
"""The file in the folder of a database."""
_KEYS = b"keys"


def load_plain(data: bytes) -> Any:  # noqa: ANN401
    """Unpickle numbers, strings, lists, dicts and numpy arrays; raise UnpicklingError on all else, which is not run."""
    return _PlainUnpickler(io.BytesIO(data), encoding="bytes").load()


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401
        """Find what rebuilds arrays; refuse all else."""
        found = _REBUILDERS.get((module.replace("numpy.core.", "numpy._core."), name))
        if found is None:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, which is no plain data and is never run")
        return found


def _rebuild_array(kind: type, shape: object, code: object) -> NDArray[Any]:
    if kind is not np.ndarray:
        raise pickle.UnpicklingError("it holds another kind of array")
    return np.ndarray((0,), np.uint8)


def _make_dtype(code: str | bytes, align: bool = False, copy: bool = False) -> np.dtype[Any]:
    found = np.dtype(code.decode("ascii") if isinstance(code, bytes) else code, align=bool(align), copy=bool(copy))
    if found.kind not in "biufSU":
        raise pickle.UnpicklingError(f"it holds an array of {found}")
    return found


def _frombuffer(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...], order: Any) -> NDArray[Any]:  # noqa: ANN401
    return np.frombuffer(data, dtype).reshape(shape, order=order)


def _scalar(dtype: np.dtype[Any], data: bytes) -> Any:  # noqa: ANN401
    return np.frombuffer(data, dtype, 1)[0]


def _encode(text: str, encoding: str) -> bytes:
    if encoding not in ("latin1", b"latin1"):
        raise pickle.UnpicklingError(f"it holds text in {encoding!r}")
    return text.encode("latin1")


_REBUILDERS: Mapping[tuple[str, str], object] = {
    ("numpy._core.multiarray", "_reconstruct"): _rebuild_array,
    ("numpy._core.multiarray", "scalar"): _scalar,
    ("numpy._core.numeric", "_frombuffer"): _frombuffer,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): _make_dtype,
    ("_codecs", "encode"): _encode,
}


def open_lmdb(path: Path) -> tuple[list[str], Callable[[str], NDArray[np.generic]]]:
    """Open a database, a folder or one file: its keys, and how one of them is read."""
    weights.require(path.name, "lmdb")
    import lmdb

    try:
        environment = _open(path.resolve())
        names = load_plain(_get(environment, _KEYS))
    except lmdb.Error as error:
        raise BadFileError(str(error)) from None
    if not isinstance(names, list) or not all(isinstance(name, str | bytes) for name in names):
        raise BadFileError("its 'keys' are no list of names")
    texts = [name.decode() if isinstance(name, bytes) else name for name in names]
    return [f"{name}.{kind}" for name in texts for kind in ("features", "boxes")], partial(_read, environment)


@cache  # a process may open a database but once
def _open(path: Path) -> Any:  # noqa: ANN401
    import lmdb

    return lmdb.Environment(str(path), subdir=path.is_dir(), readonly=True, lock=False, readahead=False)


def _get(environment: Any, key: bytes) -> bytes:  # noqa: ANN401
    with environment.begin() as transaction:
        found: bytes | None = transaction.get(key)
    if found is None:
        raise KeyError(key.decode())
    return found


def _read(environment: Any, key: str) -> NDArray[np.generic]:  # noqa: ANN401
    name, _, kind = key.rpartition(".")
    record = load_plain(_get(environment, name.encode()))
    if not isinstance(record, dict):
        raise BadFileError(f"the record of {name!r} is no dict")
    # Python 2 wrote the names of fields as bytes.
    row = {field.decode() if isinstance(field, bytes) else field: value for field, value in record.items()}
    if missing := {"image_w", "image_h", "num_boxes", "boxes", "features"} - row.keys():
        raise BadFileError(f"the record of {name!r} has no {min(missing)!r}")
    found = row[kind]
    if isinstance(found, str | bytes):
        found = np.frombuffer(base64.b64decode(found, validate=True), "<f4")
    array = np.asarray(found).reshape(int(row["num_boxes"]), -1)
    sides = np.array([int(row["image_w"]), int(row["image_h"])] * 2, np.float32)
    return array / sides if kind == "boxes" and array.shape[1:] == sides.shape else array
