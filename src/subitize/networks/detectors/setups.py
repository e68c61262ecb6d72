"""A detector with how it is used, and the options by which a user asks for one."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, TypeVar

from subitize.errors import BadValueError
from subitize.interfaces import Handling, Proof
from subitize.labels import Rule
from subitize.networks.detectors.detector import Detector
from subitize.networks.weights import Placement, naming

FLOOR = 0.05
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setup:
    """A detector, the lowest score and the largest overlap that count, and the floor above which boxes are kept."""

    who: str
    detector: Detector
    threshold: float
    iou: float
    floor: float
    batch_size: int
    is_tested: bool

    def __post_init__(self) -> None:
        for name in ("threshold", "iou", "floor"):
            value = getattr(self, name)
            if not 0 <= value <= 1 or value != round(value, 4):
                raise BadValueError(f"{self.who}: {name}={value:g}: should be from 0 to 1, with at most 4 decimals")
        if self.floor > self.threshold:
            raise BadValueError(
                f"{self.who}: threshold={self.threshold:g} is below floor={self.floor:g}, the lowest score that is "
                "kept; lower the floor"
            )
        if self.batch_size < 1:
            raise BadValueError(f"{self.who}: batch_size={self.batch_size}: should be at least 1")

    @property
    def rule(self) -> Rule:
        """How its boxes are counted."""
        return Rule("boxes", self.threshold, self.iou)

    def prove(self) -> Proof:
        """Show it photographs of known things."""
        from subitize.networks.detectors.proving import prove, untested

        if not self.is_tested:
            return untested(self.detector, "left out (self_test=false)")
        return prove(self.detector, self.threshold, self.iou)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Where a detector is written, what it counts unless told otherwise, and what it is in one line."""

    path: str
    threshold: float
    iou: float
    summary: str


_KINDS = {
    "detr": _Kind("detr:Detr", 0.5, 1.0, "Count what a DETR finds; it knows the classes it was trained on."),
    "grounding-dino": _Kind(
        # Numbersense, supplementary information, and its authors' code.
        "grounding_dino:GroundingDino",
        0.4,
        0.95,
        "Count what Grounding DINO finds, told the noun (by default score .40 and overlap .95).",
    ),
    "owlv2": _Kind("owlv2:Owlv2", 0.2, 0.5, "Count what OWLv2 finds, told the noun."),
    "rt-detr": _Kind("detr:Detr", 0.5, 0.9, "Count what an RT-DETR finds; it knows the classes it was trained on."),
    "ssd": _Kind("opencv:Ssd", 0.3, 0.45, "Count what an SSD finds, from local TensorFlow or ONNX weights, by OpenCV."),
    "yolo": _Kind("opencv:Yolo", 0.4, 0.45, "Count what a YOLO finds, from local Darknet or ONNX weights, by OpenCV."),
}


def torch_maker(wrap: Callable[[Setup], T], name: str) -> Callable[..., T]:
    """Make what the registry calls for a detector of transformers."""
    kind = _KINDS[name]

    def make(
        model: str,
        /,
        *,
        threshold: float = kind.threshold,
        iou: float = kind.iou,
        floor: float = FLOOR,
        dtype: str = "auto",
        device: Annotated[str, Handling] = "auto",
        batch_size: Annotated[int, Handling] = 4,
        self_test: Annotated[bool, Handling] = True,
    ) -> T:
        with naming(f"{name}:{model}"):
            placement = Placement(device, dtype)
        detector = _find(kind.path)(model, placement, name=name)
        return wrap(Setup(f"{name}:{model}", detector, threshold, iou, floor, batch_size, self_test))

    make.__doc__ = kind.summary
    return make


def ssd_maker(wrap: Callable[[Setup], T]) -> Callable[..., T]:
    """Make what the registry calls for an SSD of OpenCV.

    `labels` is a file with a class per line; of the pixels, at most `size` a side (0: the network's own), `mean` is
    taken off, then they are multiplied by `scale`.
    """
    kind = _KINDS["ssd"]

    def make(
        weights: str,
        /,
        *,
        threshold: float = kind.threshold,
        iou: float = kind.iou,
        floor: float = FLOOR,
        labels: str | None = None,
        size: int = 0,
        mean: float = 0.0,
        scale: float = 1.0,
        batch_size: Annotated[int, Handling] = 4,
        self_test: Annotated[bool, Handling] = True,
    ) -> T:
        detector = _find(kind.path)(weights, labels, size=size, mean=mean, scale=scale)
        return wrap(Setup(f"ssd:{weights}", detector, threshold, iou, floor, batch_size, self_test))

    make.__doc__ = kind.summary
    return make


def yolo_maker(wrap: Callable[[Setup], T]) -> Callable[..., T]:
    """Make what the registry calls for a YOLO of OpenCV; `labels` is a file with a class per line."""
    kind = _KINDS["yolo"]

    def make(
        weights: str,
        /,
        *,
        threshold: float = kind.threshold,
        iou: float = kind.iou,
        floor: float = FLOOR,
        labels: str | None = None,
        size: int = 0,
        batch_size: Annotated[int, Handling] = 4,
        self_test: Annotated[bool, Handling] = True,
    ) -> T:
        detector = _find(kind.path)(weights, labels, size=size)
        return wrap(Setup(f"yolo:{weights}", detector, threshold, iou, floor, batch_size, self_test))

    make.__doc__ = kind.summary
    return make


def _find(path: str) -> Callable[..., Detector]:
    module, _, attribute = path.partition(":")
    found: Callable[..., Detector] = getattr(import_module(f"subitize.networks.detectors.{module}"), attribute)
    return found
