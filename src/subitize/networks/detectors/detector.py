"""The base class of detectors, their settings as users' options, and their self-test on photo collages."""

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

import numpy as np

from subitize.errors import BadValueError, MissingPartError, UnusableModelError
from subitize.interfaces import RuntimeOption, SelfTest
from subitize.io.images import Rgb
from subitize.io.specs import check_range
from subitize.labels import Rule, read_standing, read_statement
from subitize.language.nouns import plural
from subitize.language.numbers import count_noun
from subitize.networks.collages import PHOTO_NOUNS, Collage, make_collage
from subitize.networks.detectors.classes import COCO_CLASSES, class_of
from subitize.records import Confirm, Count, Provenance, Question, Scalar
from subitize.stats.boxes import Detections
from subitize.stimuli.colours import COLOUR_NAMES


class Detector:
    """Finds things by their singular nouns; it becomes a model and a judge of its name.

    Its constructor takes the weights, if it needs any, as a positional-only parameter, and its options by name. The
    first line of a docstring says what it counts.
    """

    name: str
    threshold: float = 0.5
    """The lowest score that counts unless the user names another."""
    iou: float = 1.0
    """The largest overlap that counts unless the user names another."""
    is_open_vocabulary: bool = False
    """Whether it looks for any noun, not only for its own classes."""
    has_scores: bool = True

    @property
    def assumption(self) -> str:
        """What was assumed because no file says it; empty if nothing was."""
        return ""

    def load(self) -> None:
        """Load the weights, once; raise UnusableModelError or MissingPartError if they cannot be loaded."""

    def classes(self) -> Collection[str]:
        """List its classes by their own names; empty for an open vocabulary."""
        return ()

    def knows(self, noun: str, /) -> bool:
        """Return whether it can look for such things: by any word, or by one for a class of its own."""
        if self.is_open_vocabulary:
            return any(character.isalnum() for character in noun)
        return class_of(noun, self.classes()) is not None

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture all the things of the nouns with at least this score, labelled by the noun asked for.

        Without nouns a detector with classes looks for all of them. No box is suppressed unless the network does so
        itself.
        """
        raise NotImplementedError

    def weights_hash(self) -> str | None:
        """Hash the weights, if it has any, as 64 hexadecimal digits."""
        return None

    @property
    def parameter_count(self) -> int | None:
        """Count the network's parameters; None where that cannot be done."""
        return None

    def versions(self) -> dict[str, str]:
        """Name the libraries that compute, with their versions."""
        return {}


SEED = 20_140_501
_COUNTS = (2, 1, 3, 4, 3, 2, 4, 1)
# Some cells stay empty, so that mirrored or otherwise misplaced boxes lie where nothing is.
_CELLS = {1: 4, 2: 4, 3: 4, 4: 6}
# Things that no collage shows, and that look like nothing in one.
_NEVER_THERE = ("airplane", "elephant", "giraffe", "pizza", "train", "umbrella")
# What the photographs show besides, or might be taken to show.
_BESIDE = ("backpack", "bed", "book", "bowl", "car", "cell phone", "chair", "dining table", "spoon")
# With four seeds, at thresholds of .2 to .6, the networks of the tests get 4 to 8 of 8 right (6 to 8 at their own
# thresholds), and find something where nothing is on at most 2. With SEED, YOLO's boxes mirrored, transposed or scaled
# down get 0 or 1 right.
_FEWEST_RIGHT = 0.5
_MOST_WITH_GHOSTS = 0.25
_MOST_ASTRAY = 0.25
# Overlaps of thousands of boxes take long to compute, and change nothing.
_MOST_BOXES = 300


@dataclass(frozen=True, slots=True)
class _CollageResult:
    """What a detector saw in a collage of one thing: how many of it, and of others.

    `there` is how many things it has, `found` how many of them were seen in their places, and `astray` how many boxes
    lie where nothing is.
    """

    noun: str
    there: int
    seen: int
    found: int
    astray: int
    others: Counter[str]

    @property
    def is_right(self) -> bool:
        """Whether each thing was seen just once, in its place, and nothing else was."""
        return self.seen == self.there == self.found

    @property
    def ghosts(self) -> Counter[str]:
        """Count the things seen that no such collage shows."""
        return Counter({noun: number for noun, number in self.others.items() if noun in (*PHOTO_NOUNS, *_NEVER_THERE)})


@dataclass(frozen=True, slots=True)
class _Unseen:
    """A thing that was never seen: how many there are, and what was seen in their pictures instead."""

    noun: str
    there: int
    others: Counter[str]

    @property
    def mistaken(self) -> Counter[str]:
        """Count the classes they were mistaken for; classes finer or wider than COCO's do not count."""
        known = {other: class_of(other, COCO_CLASSES) for other in self.others}
        foreign = {other for other, own in known.items() if own is not None and own not in (self.noun, *_BESIDE)}
        often = {other: seen for other, seen in self.others.items() if 2 * seen >= self.there}
        return Counter({other: seen for other, seen in often.items() if other in foreign})

    def __str__(self) -> str:
        if not self.others:
            return f"saw no {self.noun} at all"
        (other, _), *_ = (self.mistaken or self.others).most_common(1)
        return f"took {plural(self.noun)} for {plural(other)}"


def self_test(detector: Detector, threshold: float, iou: float) -> SelfTest:
    """Have a detector count in photo collages; raise UnusableModelError, with the reason, if it is broken."""
    nouns = [noun for noun in PHOTO_NOUNS if detector.knows(noun)]
    if not nouns:
        return untested(detector, f"cannot be tested: it knows none of {', '.join(PHOTO_NOUNS)}")
    try:
        collages = make_test(nouns, SEED)
    except MissingPartError as error:
        return untested(detector, f"cannot be tested: {error}")
    try:
        results = [_examine(detector, collage, threshold, iou) for collage in collages]
    except RuntimeError as error:
        raise UnusableModelError(f"it cannot look at photo collages: {error}") from None
    told = f"counted {sum(result.is_right for result in results)} of {len(results)} photo collages right"
    if reasons := list(_reasons(results)):
        suspects = ["its weights", "the names of its classes", f"threshold={threshold:g}"]
        *others, last = suspects if threshold else suspects[:2]  # without scores there is no threshold
        raise UnusableModelError(
            f"{told}: it {', '.join(reasons[:3])}; check {', '.join(others)} and {last} (self_test=false uses it all "
            f"the same, as one of drawings, which may see nothing in photographs){_assumed(detector)}"
        )
    return SelfTest(True, ", ".join([told, *map(str, _unseen(results))]) + _assumed(detector))


def untested(detector: Detector, why: str) -> SelfTest:
    """Say why there was no test, and what is assumed all the same."""
    return SelfTest(False, why + _assumed(detector))


def make_test(nouns: Sequence[str], seed: int) -> list[Collage]:
    """Make the collages of a test: each shows one to four of one of the nouns, which take turns."""
    return [
        make_collage([nouns[index % len(nouns)]] * number, seed + index, cells=_CELLS[number])
        for index, number in enumerate(_COUNTS)
    ]


def _assumed(detector: Detector) -> str:
    return f"; {detector.assumption}" if detector.assumption else ""


def _examine(detector: Detector, collage: Collage, threshold: float, iou: float) -> _CollageResult:
    ((noun, there),) = collage.counts.items()
    # A detector with classes sees them all at once. With an open vocabulary each noun costs time, so only one absent
    # thing is looked for, too.
    asked = [noun, PHOTO_NOUNS[PHOTO_NOUNS.index(noun) - 1]] if detector.is_open_vocabulary else []
    (found,) = detector.detect([collage.pixels], asked, threshold)
    found = found.above(threshold)
    # A detector may know both cups and mugs: what it calls a mug is then not a cup.
    nouns = {class_of(one, detector.classes()): one for one in (*PHOTO_NOUNS, *_NEVER_THERE)}
    kept: dict[str, Detections] = {}
    for label in dict.fromkeys(found.labels):
        own = found.labelled(label)
        kept[nouns.get(label, label)] = own.where(np.arange(len(own)) < _MOST_BOXES).suppressed(iou)
    places = _places(kept[noun], collage) if noun in kept else []
    others = Counter({other: len(boxes) for other, boxes in kept.items() if other != noun})
    return _CollageResult(noun, there, len(places), len({*places} - {None}), places.count(None), others)


def _places(found: Detections, collage: Collage) -> list[int | None]:
    """Find the photograph on which the centre of each box lies; None for the ground between them."""
    centres = [((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in found.xyxy.tolist()]
    return [next((at for at, one in enumerate(collage.pasted) if one.holds(*centre)), None) for centre in centres]


def _reasons(results: Sequence[_CollageResult]) -> Iterator[str]:
    """Say what is wrong, the worst first; nothing where the counts are good enough."""
    blind = [result for result in results if not result.seen and not result.others]
    haunted = [result for result in results if result.ghosts]
    astray = [result for result in results if result.astray]
    wrong = [result for result in results if not result.is_right]
    is_wrong = len(results) - len(wrong) < _FEWEST_RIGHT * len(results)
    if is_wrong and len(blind) > len(results) / 2:
        yield f"saw nothing on {len(blind)} of {len(results)}"
    if is_wrong and (worst := max(wrong, key=lambda result: result.seen - result.there)).seen > worst.there:
        there = "there is 1" if worst.there == 1 else f"there are {worst.there}"
        yield f"saw {count_noun(worst.seen, worst.noun)} where {there}"
    # Finer classes, such as man or coffee cup, are no fault.
    yield from (str(unseen) for unseen in _unseen(results) if is_wrong or unseen.mistaken)
    if len(haunted) > _MOST_WITH_GHOSTS * len(results):
        (ghost, _), *_ = sum((result.ghosts for result in haunted), Counter()).most_common(1)
        yield f"saw things that are not there ({plural(ghost)}) on {len(haunted)} of {len(results)}"
    if len(astray) > _MOST_ASTRAY * len(results):
        (most, _), *_ = Counter(result.noun for result in astray).most_common(1)
        yield f"found {plural(most)} where there are none on {len(astray)} of {len(results)}"
    if is_wrong:
        yield f"found {sum(result.found for result in results)} of {sum(result.there for result in results)} things"


def _unseen(results: Sequence[_CollageResult]) -> list[_Unseen]:
    nouns = {result.noun for result in results} - {result.noun for result in results if result.seen}
    shown = {noun: [result for result in results if result.noun == noun] for noun in sorted(nouns)}
    return [
        _Unseen(noun, sum(result.there for result in own), sum((result.others for result in own), Counter()))
        for noun, own in shown.items()
    ]


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
            floor = f"floor={self.floor:g}, the lowest score that is kept; lower the floor"
            raise BadValueError(f"{self.who}: threshold={self.threshold:g} is below {floor}")
        check_range(self.who, 1, batch_size=self.batch_size)

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
