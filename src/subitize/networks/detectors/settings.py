"""A detector with its settings (threshold, overlap, score floor, batch size), as users' options."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

from subitize.errors import BadValueError
from subitize.interfaces import RuntimeOption, SelfTest
from subitize.io.images import Rgb
from subitize.labels import Rule, read_standing, read_statement
from subitize.networks.detectors import hub, opencv
from subitize.networks.detectors.detector import Detector, self_test, untested
from subitize.records import Confirm, Count, Provenance, Question, Scalar
from subitize.stats.boxes import Detections
from subitize.stimuli.colours import COLOUR_NAMES

FLOOR = 0.05
T = TypeVar("T", bound="DetectorSettings")


@dataclass(slots=True, eq=False)
class DetectorSettings:
    """A detector and its settings, shared by its judge and its model.

    `threshold` and `iou` are the lowest score and the largest overlap that count; boxes below `floor` are not kept.
    """

    who: str
    detector: Detector
    threshold: float
    iou: float
    floor: float
    batch_size: int
    is_tested: bool
    _tested: SelfTest | None = field(default=None, init=False)

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
    def box_rule(self) -> Rule:
        """The rule that counts its boxes."""
        return Rule("boxes", self.threshold, self.iou)

    def check(self) -> None:
        """Load the weights, once."""
        self.detector.load()

    def self_test(self) -> SelfTest:
        """Show it photographs of known things, and keep the result for the provenance."""
        if self.is_tested:
            self._tested = self_test(self.detector, self.threshold, self.iou)
        else:
            self._tested = untested(self.detector, "left out (self_test=false)")
        return self._tested

    def why_not(self, question: Question, /) -> str:
        """Name the nouns or colour of a question that it cannot see; empty if it can see all."""
        unseen = [noun for noun in nouns_of(question) if not self.detector.knows(noun)]
        if unseen:
            return f"cannot see {', '.join(map(repr, unseen))}"
        if isinstance(question, Count) and question.colour not in (None, *COLOUR_NAMES):
            return f"cannot tell the colour {question.colour!r}"
        return ""

    def detect(self, pictures: Sequence[Rgb], wanted: Sequence[tuple[str, ...]]) -> list[Detections]:
        """Look in each picture for its own nouns; without nouns, for all classes."""
        alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for index, nouns in enumerate(wanted):
            alike[self._together(nouns, wanted)].append(index)
        looks: dict[int, Detections] = {}
        for nouns, indices in alike.items():
            found = self.detector.detect([pictures[index] for index in indices], nouns, self.floor)
            looks |= zip(indices, found, strict=True)
        return [
            looks[index].where([not nouns or label in nouns for label in looks[index].labels])
            for index, nouns in enumerate(wanted)
        ]

    def trace(self, start: Provenance, parameters: Mapping[str, Scalar]) -> Provenance:
        """Add weights, parameters and self-test result to the provenance."""
        tested = {} if self._tested is None else {"self_test": str(self._tested)}
        return replace(
            start,
            parameters={**parameters, **tested},
            weights_hash=self.detector.weights_hash(),
            parameter_count=self.detector.parameter_count(),
            versions={**start.versions, **self.detector.versions()},
        )

    def _together(self, nouns: tuple[str, ...], wanted: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """List the nouns to detect together; closed-vocabulary detectors find all classes in one pass."""
        if self.detector.is_open_vocabulary or not nouns:
            return nouns
        return tuple(sorted({noun for each in wanted for noun in each}))


def nouns_of(*questions: Question) -> tuple[str, ...]:
    """List the things that questions are about, landmarks too; none for questions that boxes cannot answer."""
    nouns: set[str] = set()
    for question in questions:
        match question:
            case Count(noun=noun, place=place):
                nouns |= {noun} if place is None else {noun, place.landmark}
            case Confirm(statement=statement) if stated := read_statement(statement):
                nouns.add(stated.noun)
            case Confirm(statement=statement) if standing := read_standing(statement):
                nouns |= {standing.thing, standing.landmark}
    return tuple(sorted(nouns))


# Default threshold and iou, and a summary in one line.
# Those of Grounding DINO are from Numbersense's supplementary information and its authors' code; those of MM Grounding
# DINO, RF-DETR and SAM 3 are the defaults of transformers, which suppresses nothing.
_GROUNDED = "Count what Grounding DINO finds, told the noun (by default score .40 and overlap .95)."
_CLOSED = "it knows the classes it was trained on."
_DETECTORS: Mapping[type[hub.Detr | hub.OpenVocabulary | opencv.OpenCv], tuple[float, float, str]] = {
    hub.Detr: (0.5, 1.0, f"Count what a DETR finds; {_CLOSED}"),
    hub.GroundingDino: (0.4, 0.95, _GROUNDED),
    hub.MmGroundingDino: (0.25, 1.0, "Count what MM Grounding DINO finds, told the noun."),
    hub.Molmo2: (0.0, 1.0, "Count where Molmo 2 points, told the noun."),
    hub.Owlv2: (0.2, 0.5, "Count what OWLv2 finds, told the noun."),
    hub.RfDetr: (0.5, 1.0, f"Count what an RF-DETR finds; {_CLOSED}"),
    hub.RtDetr: (0.5, 0.9, f"Count what an RT-DETR finds; {_CLOSED}"),
    hub.Sam3: (0.3, 1.0, "Count what SAM 3 finds, told the noun; masks are kept, too."),
    opencv.Ssd: (0.3, 0.45, "Count what an SSD finds, from local TensorFlow or ONNX weights, by OpenCV."),
    opencv.Yolo: (0.4, 0.45, "Count what a YOLO finds, from local Darknet or ONNX weights, by OpenCV."),
}


def find_factory(wrap: type[T], name: str) -> Callable[..., T]:
    """Make the factory that the registry knows by this name, such as make_owlv2 for the detector owlv2."""
    for kind in _DETECTORS:
        if name == f"make_{kind.kind.replace('-', '_')}":
            return detector_factory(wrap, kind)
    raise AttributeError(name)


def detector_factory(wrap: type[T], kind: type[hub.Detr | hub.OpenVocabulary | opencv.OpenCv]) -> Callable[..., T]:
    """Make a factory that takes the options of every detector and those of this one."""
    usual_threshold, usual_iou, summary = _DETECTORS[kind]
    target, *own = inspect.signature(kind).parameters.values()

    def make(
        target: str,
        /,
        *,
        threshold: float = usual_threshold,
        iou: float = usual_iou,
        floor: float = min(FLOOR, usual_threshold),
        batch_size: Annotated[int, RuntimeOption] = 4,
        self_test: Annotated[bool, RuntimeOption] = True,
        **options: Any,  # noqa: ANN401
    ) -> T:
        detector = kind(target, **options)
        return wrap(f"{kind.kind}:{target}", detector, threshold, iou, floor, batch_size, self_test)

    _, threshold, iou, floor, *others, _ = inspect.signature(make).parameters.values()
    scored = [threshold, iou, floor] if kind.has_scores else []
    make.__signature__ = inspect.Signature([target, *scored, *own, *others])  # type: ignore[attr-defined]
    make.__doc__ = "\n\n".join([summary, *(inspect.getdoc(kind) or "").split("\n\n")[1:]])
    make.tasks = getattr(wrap, "tasks", frozenset())  # type: ignore[attr-defined]
    return make
