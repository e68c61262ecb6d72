"""What an ONNX file says about itself: the shape of its input, the names of its outputs, notes of whoever wrote it."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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
    except (IndexError, ValueError, LookupError):
        raise UnusableModelError(f"{path} is no ONNX file, or a damaged one; export or copy it again") from None


def _index(model: memoryview) -> OnnxIndex:
    fields = list(_fields(model))
    graph = [field for number, part in fields if number == _GRAPH for field in _fields(_view(part))]
    weights = {_text(part, _INITIALIZER_NAME) for number, part in graph if number == _INITIALIZER}
    inputs = [part for number, part in graph if number == _INPUT and _text(part, 1) not in weights]
    if len(inputs) != 1:
        raise ValueError(f"{len(inputs)} inputs")
    shape = _shape(inputs[0])
    height, width = shape[2:4] if len(shape) == 4 else (0, 0)
    return OnnxIndex(
        height,
        width,
        tuple(_text(part, 1) for number, part in graph if number == _OUTPUT),
        {_text(part, 1): _text(part, 2) for number, part in fields if number == _NOTES},
    )


def _shape(value: object) -> list[int]:
    """Read the sizes of an input: its type (2), a tensor (1), has a shape (2) of dimensions (1) with a value (1)."""
    parts = [value]
    for wanted in (2, 1, 2, 1):
        parts = [inner for part in parts for number, inner in _fields(_view(part)) if number == wanted]
    sizes = [[size for number, size in _fields(_view(part)) if number == 1] for part in parts]
    return [size[0] if size and isinstance(size[0], int) else 0 for size in sizes]


def _text(message: object, wanted: int) -> str:
    found = [part for number, part in _fields(_view(message)) if number == wanted]
    return bytes(_view(found[-1])).decode("utf-8") if found else ""


def _view(part: object) -> memoryview:
    if not isinstance(part, memoryview):
        raise ValueError("a number where a message should be")
    return part


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Go through a message of protocol buffers: the number of each field, with its number or its bytes."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            length, at = _varint(message, at)
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            length = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"no such kind of field: {kind}")
        if at + length > len(message):
            raise ValueError("cut short")
        yield key >> 3, message[at : at + length]
        at += length


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
