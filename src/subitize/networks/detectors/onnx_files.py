"""Metadata of an ONNX file: input shape, output names, notes."""

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.errors import UnusableModelError

# The fields of ONNX's protocol buffers that are read here, by their numbers in onnx.proto3.
_GRAPH, _NOTES = 7, 14
_INITIALIZER, _INPUT, _OUTPUT = 5, 11, 12
_INITIALIZER_NAME = 8
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class OnnxIndex:
    """The beginning and the end of a network; a size is 0 where the file leaves it open."""

    height: int
    width: int
    outputs: tuple[str, ...]
    notes: Mapping[str, str]

    def class_names(self) -> tuple[str, ...]:
        """Read the names of classes that Ultralytics notes in its exports: {0: 'person', 1: 'bicycle', …}."""
        try:
            noted = ast.literal_eval(self.notes.get("names", "{}"))
            pairs = noted.items() if isinstance(noted, dict) else enumerate(noted)
            by_number = {int(number): str(name) for number, name in pairs}
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return ()
        return tuple(by_number.get(number, "") for number in range(max(by_number, default=-1) + 1))


def read_index(path: Path) -> OnnxIndex:
    """Read what a file says of itself; its weights are skipped."""
    try:
        return _index(memoryview(path.read_bytes()))
    except (LookupError, TypeError, ValueError):
        raise UnusableModelError(f"{path} is no ONNX file, or a damaged one; export or copy it again") from None


def _index(model: memoryview) -> OnnxIndex:
    fields = _fields(model)
    graph = _fields(*fields[_GRAPH])
    weights = {_text(part, _INITIALIZER_NAME) for part in graph[_INITIALIZER]}
    inputs = [part for part in graph[_INPUT] if _text(part, 1) not in weights]
    if len(inputs) != 1:
        raise ValueError(f"{len(inputs)} inputs")
    shape = _shape(inputs[0])
    height, width = shape[2:4] if len(shape) == 4 else (0, 0)
    outputs = tuple(_text(part, 1) for part in graph[_OUTPUT])
    return OnnxIndex(height, width, outputs, {_text(part, 1): _text(part, 2) for part in fields[_NOTES]})


def _shape(value: memoryview) -> list[int]:
    """Read the sizes of an input: its type (2), a tensor (1), has a shape (2) of dimensions (1) with a value (1)."""
    parts = [value]
    for wanted in (2, 1, 2, 1):
        parts = _fields(*parts)[wanted]
    sizes = [_fields(part)[1] for part in parts]
    return [size[0] if size and isinstance(size[0], int) else 0 for size in sizes]


def _text(message: memoryview, wanted: int) -> str:
    found = _fields(message)[wanted]
    return str(found[-1], "utf-8") if found else ""


def _fields(*messages: memoryview) -> dict[int, list[Any]]:
    """Read messages of protocol buffers: what stands in them, numbers or bytes, by the number of its field."""
    found: dict[int, list[Any]] = defaultdict(list)
    for message in messages:
        at = 0
        while at < len(message):
            key, at = _varint(message, at)
            kind = key & 7
            if kind == _VARINT:
                value, at = _varint(message, at)
                found[key >> 3].append(value)
                continue
            if kind == _BYTES:
                length, at = _varint(message, at)
            elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
                length = 8 if kind == _EIGHT_BYTES else 4
            else:
                raise ValueError(f"no such kind of field: {kind}")
            if at + length > len(message):
                raise ValueError("cut short")
            found[key >> 3].append(message[at : at + length])
            at += length
    return found


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
