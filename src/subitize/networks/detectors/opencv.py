"""Detectors from files of weights that OpenCV runs, SSD and YOLO: no torch, no download.

Also finds a network's weights, configuration and class names. All boxes above the floor are returned, and none is
suppressed here. Some networks suppress boxes themselves: TensorFlow's SSDs keep the best hundred without overlaps, as
their .pbtxt says, and end-to-end YOLOs give final boxes."""

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.io.files import open_input, read_text
from subitize.io.images import Rgb
from subitize.language.numbers import count_noun
from subitize.networks.detectors import outputs
from subitize.networks.detectors.classes import COCO_CLASSES, COCO_NUMBERS, choose_classes
from subitize.networks.detectors.detector import Detector
from subitize.networks.weights import Untyped, hash_weights, require
from subitize.stats.boxes import Detections, Floats

PLAN_SUFFIXES: Mapping[str, str] = {".pb": ".pbtxt", ".weights": ".cfg", ".onnx": ""}
"""The file that weights need beside them: a text graph for TensorFlow, a configuration for Darknet."""

_LARGEST_TEXT_BYTES = 50_000_000  # of labels and plans
_KINDS = {".pb": "ssd", ".weights": "yolo"}
_NO_NAMES = frozenset({"", "background", "__background__", "bg", "???", "n/a", "unlabeled", "none"})


@dataclass(frozen=True, slots=True)
class NetworkFiles:
    """The files of one network; ONNX weights need no plan."""

    weights: Path
    plan: Path | None
    labels: Path | None


def find_network(kind: str, target: str, suffixes: tuple[str, ...], labels: str | None) -> NetworkFiles:
    """Find the one network at a target (a folder or a file of weights), and the files beside it."""
    path = Path(target).expanduser()
    if path.is_dir():
        weights = _only_network(kind, path, suffixes)
    elif path.is_file():
        weights = path
    else:
        raise BadFileError(f"{kind}: there is no folder or file {path}; name the folder of a network, or its weights")
    if weights.suffix.lower() not in suffixes:
        raise BadFileError(f"{kind}: {weights} is no network for it; name one of {', '.join(suffixes)}{_hint(weights)}")
    if not weights.stat().st_size:
        raise UnusableModelError(f"{kind}: {weights} is empty; copy or export it again")
    return NetworkFiles(weights, _plan(kind, weights), _labels(kind, weights, labels))


def read_labels(path: Path) -> tuple[str, ...]:
    """Read the names of classes, one per line, in the order of their numbers; blank for placeholders."""
    names = [line.strip() for line in read_text(path, _LARGEST_TEXT_BYTES).rstrip().splitlines()]
    if not any(names):
        raise BadFileError(f"{path} is empty; write the names of the classes into it, one per line")
    return tuple("" if name.casefold() in _NO_NAMES else name for name in names)


def _read_plan(plan: Path) -> str:
    with io.TextIOWrapper(open_input(plan, _LARGEST_TEXT_BYTES), "utf-8", "replace") as file:
        return file.read()


def _only_network(kind: str, folder: Path, suffixes: tuple[str, ...]) -> Path:
    found = _with_suffix(folder, *suffixes)
    if len(found) > 1:
        raise BadFileError(f"{kind}: {folder} has {len(found)} networks; name one: {', '.join(map(str, found))}")
    if not found:
        others = _with_suffix(folder, *PLAN_SUFFIXES)
        held = ", ".join(sorted(entry.name for entry in folder.iterdir())[:6]) or "nothing"
        wanted = ", ".join(f"*{suffix}" for suffix in suffixes)
        hint = _hint(others[0]) if others else ""
        raise BadFileError(f"{kind}: {folder} has no network for it ({wanted}); it has {held}{hint}")
    return found[0]


def _hint(weights: Path) -> str:
    kind = _KINDS.get(weights.suffix.lower())
    return f"; for {weights.name} write {kind}:{weights}" if kind else ""


def _plan(kind: str, weights: Path) -> Path | None:
    suffix = PLAN_SUFFIXES[weights.suffix.lower()]
    if not suffix:
        return None
    same = weights.with_suffix(suffix)
    found = [same] if same.is_file() else _with_suffix(weights.parent, suffix)
    if not found:
        raise UnusableModelError(f"{kind}: {weights.name} needs its {suffix} file beside it, in {weights.parent}")
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        right = f"{weights.stem}{suffix}"
        raise UnusableModelError(f"{kind}: {weights.name} may go with any of {names}; call the right one {right}")
    return found[0]


def _labels(kind: str, weights: Path, labels: str | None) -> Path | None:
    if labels:
        path = Path(labels).expanduser()
        if path.is_dir():
            raise BadFileError(f"{kind}: labels={labels} is a folder; name a file in it, with a class per line")
        if not path.is_file():
            raise BadFileError(f"{kind}: labels={labels}: there is no such file")
        return path
    for path in (weights.with_suffix(".names"), weights.with_name("coco.names")):
        if path.is_file():
            return path
    named = _with_suffix(weights.parent, ".names")
    if len(named) > 1:
        names = ", ".join(path.name for path in named)
        raise UnusableModelError(f"{kind}: the classes of {weights.name} may be any of {names}; write labels=FILE")
    plain = [weights.with_name(name) for name in ("labels.txt", "classes.txt")]
    return next((path for path in (*named, *plain) if path.is_file()), None)


def _with_suffix(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in suffixes and path.is_file())


_SSD_PIXELS, _YOLO_PIXELS, _LARGEST_PIXELS = 300, 640, 4096
_BARS = 114  # the grey that YOLOs are trained with around pictures
_BACKGROUND_AND_COCO_NUMBERS = 91
_NO_MEMORY = -4  # cv::Error::StsNoMem


@dataclass(frozen=True, slots=True)
class _Network:
    """A loaded network: a function that finds boxes in a picture, in its pixels, and the names of its classes."""

    find_boxes: Callable[[Rgb], outputs.RawBoxes]
    names: Mapping[int, str]
    assumption: str = ""


class OpenCv(Detector):
    """Base class of detectors from files on this machine; `labels` is a file with a class per line."""

    suffixes: tuple[str, ...]

    def __init__(self, weights: str, /, *, labels: str | None = None, size: int = 0) -> None:
        require(self.name, "cv2", extra="detect")
        if not 0 <= size <= _LARGEST_PIXELS or (size % 32 and self.name == "yolo"):
            told = "a multiple of 32" if self.name == "yolo" else "a number"
            raise BadValueError(f"size={size}: should be {told} up to {_LARGEST_PIXELS}, or 0 for the network's own")
        self._target, self._labels, self._size = weights, labels, size

    @property
    def assumption(self) -> str:
        """What was assumed because no file says it; empty if nothing was."""
        return self._network.assumption

    def load(self) -> None:
        """Load the weights, once; raise UnusableModelError or MissingPartError if they cannot be loaded."""
        _ = self._network

    def classes(self) -> tuple[str, ...]:
        """List its classes by their own names."""
        return tuple(name for _, name in sorted(self._network.names.items()))

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture the things of the nouns, or of all classes, with at least this score."""
        asked = choose_classes(f"{self.name}:{self._target}", nouns, self.classes())
        # One by one: batches are no faster in OpenCV, and some graphs have room for one picture only.
        return [self._detect(picture, asked, floor) for picture in pictures]

    def weights_hash(self) -> str:
        """Hash all its files: other names of classes make another detector."""
        hashes = [hash_weights(path) for path in astuple(self._files) if path is not None]
        return hashlib.sha256("".join(f"{one}\n" for one in hashes).encode()).hexdigest()

    def versions(self) -> dict[str, str]:
        """Name the version of OpenCV."""
        import cv2

        return {"opencv": cv2.__version__}

    def _open_with_plan(self, files: NetworkFiles, plan: Path) -> _Network:
        raise NotImplementedError

    def _open_onnx(self, files: NetworkFiles) -> _Network:
        raise NotImplementedError

    @cached_property
    def _files(self) -> NetworkFiles:
        return find_network(self.name, self._target, self.suffixes, self._labels)

    @cached_property
    def _network(self) -> _Network:
        files = self._files
        with _loading(files.weights):
            return self._open_with_plan(files, files.plan) if files.plan else self._open_onnx(files)

    def _names(self, files: NetworkFiles, noted: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Take the names of classes from the user, else from the weights, else from the file beside them."""
        if files.labels is None or (noted and not self._labels):
            return noted
        return read_labels(files.labels)

    def _detect(self, picture: Rgb, asked: Mapping[str, str], floor: float) -> Detections:
        network = self._network
        with _computing(self.name):
            found = network.find_boxes(picture)
        rows: dict[str, list[int]] = {}
        for row in np.nonzero(found.scores >= floor)[0]:
            rows.setdefault(network.names.get(int(found.numbers[row]), ""), []).append(int(row))
        chosen = [(row, noun) for noun, own in asked.items() for row in rows.get(own, ())]
        indices = [row for row, _ in chosen]
        height, width = picture.shape[:2]
        corners = np.clip(found.xyxy[indices], 0, [width, height, width, height])
        return Detections.make(corners, found.scores[indices], [noun for _, noun in chosen])


class Ssd(OpenCv):
    """Count what an SSD finds, from local TensorFlow or ONNX weights, by OpenCV.

    A picture is stretched to a square of `size` pixels (0: as the file says, else 300); the network is shown its
    values of 0 to 255 less `mean`, times `scale`.

    Args:
        size: side of the square that a picture is stretched to; 0: as the file says, else 300
        mean: what is taken off each pixel's values of 0 to 255
        scale: what the difference is multiplied by
    """

    name, threshold, iou = "ssd", 0.3, 0.45
    suffixes = (".pb", ".onnx")

    def __init__(
        self, weights: str, /, *, labels: str | None = None, size: int = 0, mean: float = 0.0, scale: float = 1.0
    ) -> None:
        super().__init__(weights, labels=labels, size=size)
        self._mean, self._scale = mean, scale

    def _open_with_plan(self, files: NetworkFiles, plan: Path) -> _Network:
        import cv2

        text = _read_plan(plan)
        counted = re.search(r'key:\s*"num_classes"\s*value\s*\{\s*i:\s*(\d+)', text)
        if counted is None or text.count("{") != text.count("}"):
            raise UnusableModelError(
                f"{plan} is no text graph of an SSD, or a part of one; make it anew with OpenCV's tf_text_graph_ssd.py"
            )
        net = cv2.dnn.readNetFromTensorflow(str(files.weights), str(plan))
        size = _size(self._size, (0, 0), _SSD_PIXELS)

        def find_boxes(picture: Rgb) -> outputs.RawBoxes:
            net.setInput(cv2.dnn.blobFromImage(picture, self._scale, size, (self._mean,) * 3))
            return _in_pixels(outputs.read_ssd_rows(net.forward()), picture)

        find_boxes(_plain(size))
        return _Network(find_boxes, *_number_from_one(files, self._names(files), int(counted[1])))

    def _open_onnx(self, files: NetworkFiles) -> _Network:
        index = outputs.read_index(files.weights)
        size = _onnx_size(self._size, index, _SSD_PIXELS)
        compute = _onnx(files.weights, index, (self._scale, size, (self._mean,) * 3))
        shapes = {name: output.shape for name, output in compute(_plain(size)).items()}
        layout = outputs.recognise_ssd(shapes)
        if layout is None:
            wanted = "not the boxes, scores and labels of an SSD; export it with outputs of these names"
            raise UnusableModelError(f"{files.weights} gives {_describe(shapes)}: {wanted}")

        def find_boxes(picture: Rgb) -> outputs.RawBoxes:
            found = layout.read(compute(picture))
            shares = found if found.is_relative() else found.scaled(1 / size[0], 1 / size[1])
            return _in_pixels(shares, picture)

        names = self._names(files, index.class_names())
        return _Network(find_boxes, *_number_from_one(files, names, layout.classes))


class Yolo(OpenCv):
    """Count what a YOLO finds, from local Darknet or ONNX weights, by OpenCV.

    Darknet's are shown a picture stretched to the size that the configuration says, ONNX exports one that keeps its
    shape between grey bars; `size` is another one (0: the network's own, else 640).

    Args:
        size: side of the square that a picture is fitted into, a multiple of 32; 0: as the file says
    """

    name, threshold, iou = "yolo", 0.4, 0.45
    suffixes = (".weights", ".onnx")

    def _open_with_plan(self, files: NetworkFiles, plan: Path) -> _Network:
        import cv2

        if not hasattr(cv2.dnn, "readNetFromDarknet"):
            reason = f"OpenCV {cv2.__version__} reads no Darknet weights"
            raise UnusableModelError(f"{files.weights}: {reason}; run: pip install 'opencv-python-headless<5'")
        text = _read_plan(plan)
        if "[net]" not in text or not re.search(r"^\[(?:yolo|region)\]", text, re.MULTILINE):
            raise UnusableModelError(f"{plan} is no configuration of a Darknet detector: it has no [net] and [yolo]")
        low = np.frombuffer(_with_low_thresholds(text).encode(), dtype=np.uint8)
        net = cv2.dnn.readNetFromDarknet(low, np.fromfile(files.weights, dtype=np.uint8))
        _check_fit(net, files.weights, plan)
        size = _size(self._size, (_setting(text, "width"), _setting(text, "height")), _YOLO_PIXELS)
        layers = net.getUnconnectedOutLayersNames()

        def find_boxes(picture: Rgb) -> outputs.RawBoxes:
            net.setInput(cv2.dnn.blobFromImage(picture, 1 / 255, size))
            return _in_pixels(outputs.read_regions(net.forward(layers)), picture)

        find_boxes(_plain(size))
        return _Network(find_boxes, *_number_from_zero(files, self._names(files), _setting(text, "classes")))

    def _open_onnx(self, files: NetworkFiles) -> _Network:
        index = outputs.read_index(files.weights)
        size = _onnx_size(self._size, index, _YOLO_PIXELS)
        compute = _onnx(files.weights, index, (1 / 255, size, (0.0,) * 3))
        shapes = {name: output.shape for name, output in compute(_plain(size)).items()}
        names = self._names(files, index.class_names())
        layout = outputs.recognise_yolo(tuple(shapes.values()), len(names), size)
        if layout is None:
            raise UnusableModelError(
                f"{files.weights} gives {_describe(shapes)}, which with {len(names) or 'unknown'} classes are no "
                "YOLO's boxes; write labels=FILE with the names of its classes, or export it again as a detector"
            )

        def find_boxes(picture: Rgb) -> outputs.RawBoxes:
            shown, share, left, top = _letterbox(picture, size)
            found = layout.read(compute(shown))
            return replace(found, xyxy=(found.xyxy - [left, top, left, top]) / share)

        return _Network(find_boxes, *_number_from_zero(files, names, layout.classes))


def _number_from_zero(files: NetworkFiles, names: tuple[str, ...], classes: int) -> tuple[dict[int, str], str]:
    """Number a YOLO's classes, and say what had to be assumed."""
    if not names and classes == len(COCO_CLASSES):
        return dict(enumerate(COCO_CLASSES)), _assumed(files, classes)
    if not names or classes not in (0, len(names)):
        raise _misnamed(files, names, classes)
    return _without_gaps(dict(enumerate(names))), ""


def _number_from_one(files: NetworkFiles, names: tuple[str, ...], classes: int) -> tuple[dict[int, str], str]:
    """Number an SSD's classes after the background, 0, and say what had to be assumed."""
    if not names and classes == _BACKGROUND_AND_COCO_NUMBERS:
        return dict(COCO_NUMBERS), _assumed(files, classes - 1)
    if not names and classes == len(COCO_CLASSES) + 1:
        return dict(enumerate(COCO_CLASSES, 1)), _assumed(files, classes - 1)
    if classes == _BACKGROUND_AND_COCO_NUMBERS and len(names) == len(COCO_NUMBERS):
        return _without_gaps(dict(zip(COCO_NUMBERS, names, strict=True))), ""
    if not names or classes not in (0, len(names), len(names) + 1):
        raise _misnamed(files, names, max(classes - 1, 0))
    has_background = len(names) == classes or (not classes and not names[0])
    return _without_gaps(dict(enumerate(names, 0 if has_background else 1))), ""


def _without_gaps(names: Mapping[int, str]) -> dict[int, str]:
    return {number: name for number, name in names.items() if name}


def _assumed(files: NetworkFiles, classes: int) -> str:
    return f"no file names the classes of {files.weights.name}: its {classes} are taken for those of COCO"


def _misnamed(files: NetworkFiles, names: tuple[str, ...], classes: int) -> UnusableModelError:
    has = count_noun(classes, "class") if classes else "unknown classes"
    held = f"the file of names has {count_noun(len(names), 'line')}" if names else "no file names them"
    return UnusableModelError(
        f"{files.weights} has {has}, and {held}; write labels=FILE with one name per line, in their order"
    )


def _onnx(
    weights: Path, index: outputs.OnnxIndex, shown: tuple[float, tuple[int, int], tuple[float, ...]]
) -> Callable[[Rgb], dict[str, Floats]]:
    import cv2

    net = cv2.dnn.readNetFromONNX(str(weights))

    def compute(picture: Rgb) -> dict[str, Floats]:
        net.setInput(cv2.dnn.blobFromImage(picture, *shown))
        return dict(zip(index.outputs, net.forward(index.outputs), strict=True))

    return compute


def _size(wanted: int, own: tuple[int, int], usual: int) -> tuple[int, int]:
    """Decide the width and height of a network's input."""
    return (wanted, wanted) if wanted else (own[0] or usual, own[1] or usual)


def _onnx_size(wanted: int, index: outputs.OnnxIndex, usual: int) -> tuple[int, int]:
    """Decide the size for an ONNX file, which may have been exported for one size only."""
    own = index.width, index.height
    if wanted and all(own) and own != (wanted, wanted):
        raise BadValueError(f"size={wanted}: this network was exported for {own[0]} × {own[1]} pixels; leave size out")
    return _size(wanted, own, usual)


def _in_pixels(found: outputs.RawBoxes, picture: Rgb) -> outputs.RawBoxes:
    return found.scaled(picture.shape[1], picture.shape[0])


def _plain(size: tuple[int, int]) -> Rgb:
    return np.full((size[1], size[0], 3), _BARS, dtype=np.uint8)


def _letterbox(picture: Rgb, size: tuple[int, int]) -> tuple[Rgb, float, int, int]:
    """Fit a picture into a size between grey bars; return it with its scale, left and top."""
    import cv2

    height, width = picture.shape[:2]
    share = min(size[0] / width, size[1] / height)
    inner = max(1, round(width * share)), max(1, round(height * share))
    left, top = (size[0] - inner[0]) // 2, (size[1] - inner[1]) // 2
    shown = _plain(size)
    shown[top : top + inner[1], left : left + inner[0]] = cv2.resize(picture, inner, interpolation=cv2.INTER_LINEAR)
    return shown, share, left, top


def _setting(text: str, name: str) -> int:
    """Read a whole number from a Darknet configuration, the last of its name; 0 if there is none."""
    found = re.findall(rf"^\s*{name}\s*=\s*(\d+)", text, re.MULTILINE)
    return int(found[-1]) if found else 0


def _with_low_thresholds(text: str) -> str:
    """Have the last layers of a Darknet configuration give all boxes.

    OpenCV would drop boxes that overlap or score below the file's threshold, or 0.2; those could not be judged by
    another threshold later.
    """
    lines, section = [], ""
    for line in text.splitlines():
        bare = "".join(line.split())
        is_header = bare.startswith("[")
        section = bare[1:].partition("]")[0] if is_header else section
        is_last = section in ("yolo", "region")
        if not (is_last and bare.partition("=")[0] in ("thresh", "nms_threshold")):
            lines.append(line)
        if is_last and is_header:
            lines += ["thresh=0.001", "nms_threshold=0"]
    return "\n".join(lines) + "\n"


def _check_fit(net: Untyped, weights: Path, plan: Path) -> None:
    """Refuse too few or too many weights for their configuration: OpenCV would fill in zeros."""
    layers = [net.getLayer(net.getLayerId(name)) for name in net.getLayerNames()]
    numbers = sum(blob.size for layer in layers if layer.type != "Region" for blob in layer.blobs)
    head = np.fromfile(weights, dtype=np.int32, count=2).tolist()
    is_late = len(head) == 2 and head[0] * 10 + head[1] >= 2
    # Since version 0.2 the count of training pictures, after three version numbers, is twice as long.
    start, other = (20, 16) if is_late else (16, 20)
    size = weights.stat().st_size
    surplus = size - (start + 4 * numbers)
    if not surplus:
        return
    why = "it is damaged, or they are no pair; copy both again"
    if surplus == other - start:
        said = ".".join(map(str, head))
        why = f"it says that it is of Darknet {said}, and its header seems to be of another version; convert it again"
    told = f"{abs(surplus)} {'more' if surplus > 0 else 'fewer'} than {plan.name} asks for"
    raise UnusableModelError(f"{weights} has {size} bytes, {told}: {why}")


@contextmanager
def _loading(weights: Path) -> Iterator[None]:
    import cv2

    logging = cv2.utils.logging
    before = logging.setLogLevel(logging.LOG_LEVEL_SILENT)
    try:
        yield
    except cv2.error as error:
        raise UnusableModelError(
            f"{weights} cannot be read by OpenCV {cv2.__version__} ({_cut(error)}); copy or export it again"
        ) from None
    except OSError as error:
        raise UnusableModelError(f"{weights} cannot be read ({error})") from None
    finally:
        logging.setLogLevel(before)


@contextmanager
def _computing(kind: str) -> Iterator[None]:
    import cv2

    try:
        yield
    except cv2.error as error:
        if error.code == _NO_MEMORY:
            raise UnusableModelError(f"{kind}: not enough memory for one picture; write a smaller size=") from None
        reason = f"OpenCV {cv2.__version__} cannot compute with these weights ({_cut(error)})"
        raise RuntimeError(f"{kind}: {reason}; copy or export them again") from None


def _cut(error: Exception) -> str:
    """Strip an OpenCV message of source paths and function names."""
    text = " ".join(str(error).split())
    said = re.search(r"error: \((-?\d+:[^)]*)\) ?(.*?)(?: in function '[^']*')?$", text)
    return (said[2] or said[1])[:160] if said else text[:160]


def _describe(shapes: Mapping[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} {' × '.join(map(str, shape))}" for name, shape in shapes.items())
