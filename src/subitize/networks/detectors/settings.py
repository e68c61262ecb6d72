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
            parameter_count=self.detector.parameter_count,
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


def detector_factory(wrap: type[T], kind: type[Detector]) -> Callable[..., T]:
    """Make a factory of a detector's model or judge, which takes the options of every detector and those of this one.

    The options of every detector stand before and after its own.
    """
    usual_threshold, usual_iou = kind.threshold, kind.iou

    def make(
        *target: str,
        threshold: float = usual_threshold,
        iou: float = usual_iou,
        floor: float = min(FLOOR, usual_threshold),
        batch_size: Annotated[int, RuntimeOption] = 4,
        self_test: Annotated[bool, RuntimeOption] = True,
        **options: Any,  # noqa: ANN401
    ) -> T:
        detector = kind(*target, **options)
        return wrap(":".join([kind.name, *target]), detector, threshold, iou, floor, batch_size, self_test)

    _, threshold, iou, floor, *others, _ = inspect.signature(make).parameters.values()
    scored = [threshold, iou, floor] if kind.has_scores else []
    given = inspect.signature(kind, eval_str=True).parameters.values()
    targets = [one for one in given if one.kind is one.POSITIONAL_ONLY]
    own = [one for one in given if one.kind is one.KEYWORD_ONLY]
    make.__signature__ = inspect.Signature([*targets, *scored, *own, *others])  # type: ignore[attr-defined]
    make.__doc__ = inspect.getdoc(kind)
    make.tasks = getattr(wrap, "tasks", frozenset())  # type: ignore[attr-defined]
    return make
