"""Decodes the outputs of YOLO and SSD networks, recognised by their shapes, and reads metadata of ONNX files."""

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnusableModelError
from subitize.io.files import read_bounded
from subitize.stats.boxes import Floats

_LARGEST_SHARE = 2  # a box may reach beyond the picture, by less than the picture


@dataclass(frozen=True, slots=True)
class RawBoxes:
    """A network's boxes, each with its score and the number of its class."""

    xyxy: Floats
    scores: Floats
    numbers: NDArray[np.int64]

    @classmethod
    def make(cls, xyxy: object, scores: object, numbers: object) -> "RawBoxes":
        """Convert a network's arrays of any type."""
        return cls(
            np.asarray(xyxy, dtype=np.float64).reshape(-1, 4),
            np.asarray(scores, dtype=np.float64).reshape(-1),
            np.rint(np.asarray(numbers, dtype=np.float64)).astype(np.int64).reshape(-1),
        )

    def is_relative(self) -> bool:
        """Return whether boxes are shares of the picture, not pixels, by the best box: others may be anywhere."""
        return not len(self.scores) or bool(np.abs(self.xyxy[self.scores.argmax()]).max() <= _LARGEST_SHARE)

    def scaled(self, width: float, height: float) -> "RawBoxes":
        """Scale the boxes by these factors."""
        return replace(self, xyxy=self.xyxy * [width, height, width, height])


Outputs = Mapping[str, Floats]
Family = Literal["objectness", "classes", "final"]
"""Columns after the four sides: objectness and classes (YOLO 5 and 7), classes (8, 11), or score and class (10)."""

# Most divide a picture into cells of three sizes, those for large pictures (the "6" in YOLOv5s6) of four.
_STRIDES = ((8, 16, 32), (8, 16, 32, 64))
_COCO = 80
_MOST_FINAL = 1000  # networks that suppress overlaps themselves give 100 or 300


@dataclass(frozen=True, slots=True)
class YoloLayout:
    """The layout of a matrix whose rows, or columns if transposed, are boxes."""

    family: Family
    classes: int
    is_transposed: bool = False

    def read(self, outputs: Outputs, /) -> RawBoxes:
        """Read the boxes, each with its best class."""
        (matrix,) = (output[0] for output in outputs.values() if output.ndim == 3)
        rows = matrix.T if self.is_transposed else matrix
        if self.family == "final":
            return RawBoxes.make(rows[:, :4], rows[:, 4], rows[:, 5])
        first = 5 if self.family == "objectness" else 4
        best = rows[:, first:].argmax(axis=1)
        scores = rows[np.arange(len(rows)), first + best]
        if self.family == "objectness":
            scores = scores * rows[:, 4]
        return RawBoxes.make(_from_centres(rows), scores, best)


def recognise_yolo(shapes: Sequence[tuple[int, ...]], classes: int, size: tuple[int, int]) -> YoloLayout | None:
    """Recognise a YOLO's layout by its shapes, the number of classes (0: unknown), and its input width and height."""
    matrices = [shape for shape in shapes if len(shape) == 3 and shape[0] == 1]
    if len(matrices) != 1:
        return None
    _, rows, columns = matrices[0]
    known = classes or _COCO
    layouts = {
        YoloLayout("final", 0): columns == 6 and rows <= _MOST_FINAL,
        YoloLayout("objectness", known): columns == known + 5,
        YoloLayout("classes", known, is_transposed=True): rows == known + 4,
        YoloLayout("objectness", known, is_transposed=True): rows == known + 5,
        YoloLayout("classes", known): columns == known + 4,
    }
    fitting = [layout for layout, fits in layouts.items() if fits]
    # One class with objectness, or two without, make six numbers, as a final box has; but as many boxes as cells, or
    # three times as many, are not final.
    cells = [sum((size[0] // stride) * (size[1] // stride) for stride in strides) for strides in _STRIDES]
    by_cells: dict[str, list[int]] = {"objectness": [3 * number for number in cells], "classes": cells}
    boxes = {layout: columns if layout.is_transposed else rows for layout in fitting}
    sure = [layout for layout in fitting if boxes[layout] in by_cells.get(layout.family, ())]
    return next(iter(sure + fitting), None)


def read_regions(outputs: Sequence[Floats]) -> RawBoxes:
    """Read OpenCV's Darknet layers: boxes in shares of the picture, and class scores times objectness."""
    rows = np.concatenate([output.reshape(-1, output.shape[-1]) for output in outputs])
    best = rows[:, 5:].argmax(axis=1)
    return RawBoxes.make(_from_centres(rows), rows[np.arange(len(rows)), 5 + best], best)


def read_ssd_rows(output: Floats) -> RawBoxes:
    """Read an SSD's rows: picture, class, score, four sides."""
    rows = output.reshape(-1, 7)
    return RawBoxes.make(rows[:, 3:], rows[:, 2], rows[:, 1])


@dataclass(frozen=True, slots=True)
class SsdLayout:
    """How to read an SSD's outputs, and how many classes they have, including the background (0: unknown)."""

    read: Callable[[Outputs], RawBoxes]
    classes: int = 0


def recognise_ssd(shapes: Mapping[str, tuple[int, ...]]) -> SsdLayout | None:
    """Recognise an SSD's layout by the shapes and names of its outputs.

    They are rows; or boxes, scores and labels; or boxes and their scores for all classes.
    """
    if len(shapes) == 1:
        ((name, shape),) = shapes.items()
        return SsdLayout(lambda outputs: read_ssd_rows(outputs[name])) if shape[-1] == 7 else None
    scores = [name for name in shapes if "score" in name.lower() or "conf" in name.lower()]
    labels = [name for name in shapes if "label" in name.lower() or "class" in name.lower()]
    if len(shapes) == 3 and len(scores) == len(labels) == 1 and scores != labels:
        (boxes,) = set(shapes) - {*scores, *labels}
        parts = (boxes, *scores, *labels)
        is_box = shapes[boxes][-1] == 4
        return SsdLayout(lambda outputs: RawBoxes.make(*(outputs[part] for part in parts))) if is_box else None
    boxes_of = [name for name, shape in shapes.items() if shape[-1] == 4 and name not in scores]
    if len(shapes) == 2 and len(boxes_of) == 1:
        (boxes,), (other,) = boxes_of, set(shapes) - set(boxes_of)
        classes = shapes[other][-1]
        is_alike = len(shapes[other]) > 1 and shapes[other][-2] == shapes[boxes][-2] and classes > 1
        return SsdLayout(lambda outputs: _read_scores(outputs[boxes], outputs[other]), classes) if is_alike else None
    return None


def _read_scores(boxes: Floats, scores: Floats) -> RawBoxes:
    """Read boxes, each with its best class; the first class is the background."""
    by_class = scores.reshape(-1, scores.shape[-1])[:, 1:]
    best = by_class.argmax(axis=1)
    return RawBoxes.make(boxes, by_class[np.arange(len(best)), best], best + 1)


def _from_centres(rows: Floats) -> Floats:
    half = rows[:, 2:4] / 2
    return np.concatenate([rows[:, :2] - half, rows[:, :2] + half], axis=1)


# The numbers in onnx.proto3 of the fields that are read here.
_GRAPH, _NOTES = 7, 14
_INITIALIZER, _INPUT, _OUTPUT = 5, 11, 12
_INITIALIZER_NAME = 8
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class OnnxIndex:
    """A network's input size (0 where the file leaves it open), its outputs and its metadata."""

    height: int
    width: int
    outputs: tuple[str, ...]
    notes: Mapping[str, str]

    def class_names(self) -> tuple[str, ...]:
        """Read the class names in the metadata of Ultralytics' exports: {0: 'person', 1: 'bicycle', …}."""
        try:
            noted = ast.literal_eval(self.notes.get("names", "{}"))
            pairs = noted.items() if isinstance(noted, dict) else enumerate(noted)
            by_number = {int(number): str(name) for number, name in pairs}
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return ()
        return tuple(by_number.get(number, "") for number in range(max(by_number, default=-1) + 1))


_LARGEST_ONNX_BYTES = 2**31  # as of any file of protocol buffers


def read_index(path: Path) -> OnnxIndex:
    """Read a file's structure and metadata; its weights are skipped."""
    try:
        return _index(memoryview(read_bounded(path, _LARGEST_ONNX_BYTES)))
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
    """Read the sizes of an input: its type (2) is a tensor (1) with a shape (2) of dimensions (1) with values (1)."""
    parts = [value]
    for wanted in (2, 1, 2, 1):
        parts = _fields(*parts)[wanted]
    sizes = [_fields(part)[1] for part in parts]
    return [size[0] if size and isinstance(size[0], int) else 0 for size in sizes]


def _text(message: memoryview, wanted: int) -> str:
    found = _fields(message)[wanted]
    return str(found[-1], "utf-8") if found else ""


def _fields(*messages: memoryview) -> dict[int, list[Any]]:
    """Read messages of protocol buffers: the numbers or bytes of each field, by field number."""
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
