"""ONNX files of networks with known outputs, written byte by byte: they need no package that writes them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FLOAT, _INT64 = 1, 7


def write_network(
    path: Path,
    outputs: Mapping[str, Floats],
    *,
    brighter: Mapping[str, Floats] | None = None,
    size: tuple[int, int] = (64, 64),
    notes: Mapping[str, str] | None = None,
) -> Path:
    """Write a network that gives these outputs, plus `brighter` times the mean of what it is shown."""
    slopes = brighter or {}
    # The last dimension of the mean is added by Reshape: ReduceMean gives four, an output may have fewer.
    nodes = [_node("ReduceMean", ["images"], "mean", _ints("axes", [1, 2, 3]) + _int("keepdims", 1))]
    tensors = []
    shapes = []
    for name, base in outputs.items():
        slope = np.asarray(slopes.get(name, np.zeros_like(base)))
        tensors += [
            _tensor(f"{name}_ones", np.ones(base.ndim, dtype=np.int64)),
            _tensor(f"{name}_slope", slope.astype(np.float32)),
            _tensor(f"{name}_base", base.astype(np.float32)),
        ]
        nodes += [
            _node("Reshape", ["mean", f"{name}_ones"], f"{name}_mean"),
            _node("Mul", [f"{name}_slope", f"{name}_mean"], f"{name}_change"),
            _node("Add", [f"{name}_base", f"{name}_change"], name),
        ]
        shapes.append(_value(name, base.shape))
    graph = (
        b"".join(_part(1, node) for node in nodes)
        + _part(2, b"known")
        + b"".join(_part(5, tensor) for tensor in tensors)
        + _part(11, _value("images", (1, 3, size[1], size[0])))
        + b"".join(_part(12, shape) for shape in shapes)
    )
    noted = b"".join(
        _part(14, _part(1, key.encode()) + _part(2, value.encode())) for key, value in (notes or {}).items()
    )
    path.write_bytes(_number(1, 8) + _part(7, graph) + _part(8, _part(1, b"") + _number(2, 13)) + noted)
    return path


def _node(kind: str, inputs: list[str], output: str, attributes: bytes = b"") -> bytes:
    named = b"".join(_part(1, name.encode()) for name in inputs) + _part(2, output.encode())
    return named + _part(3, f"make {output}".encode()) + _part(4, kind.encode()) + attributes


def _ints(name: str, values: list[int]) -> bytes:
    return _part(5, _part(1, name.encode()) + b"".join(_number(8, value) for value in values) + _number(20, 7))


def _int(name: str, value: int) -> bytes:
    return _part(5, _part(1, name.encode()) + _number(3, value) + _number(20, 2))


def _tensor(name: str, values: NDArray[np.int64] | NDArray[np.float32]) -> bytes:
    kind = _INT64 if values.dtype == np.int64 else _FLOAT
    sizes = b"".join(_number(1, size) for size in values.shape)
    return sizes + _number(2, kind) + _part(8, name.encode()) + _part(9, values.tobytes())


def _value(name: str, shape: tuple[int, ...]) -> bytes:
    """Describe an input or output; a size of 0 is left open."""
    sizes = b"".join(_part(1, _number(1, size) if size else _part(2, b"any")) for size in shape)
    return _part(1, name.encode()) + _part(2, _part(1, _number(1, _FLOAT) + _part(2, sizes)))


def _part(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
