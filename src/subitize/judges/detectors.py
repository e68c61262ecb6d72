"""Judges that find things in pictures: the boxes are the evidence, counting them is a matter of a rule."""

from collections import defaultdict
from collections.abc import Sequence

from subitize.interfaces import Exhibit, Finding, Inquiry, Judge, Proof
from subitize.labels import read_statement
from subitize.networks.detectors.setups import Setup, ssd_maker, torch_maker, yolo_maker
from subitize.records import Boxes, Confirm, Count, Drawn, Outcome, Provenance, Question, Stored
from subitize.vision.box_colours import with_colours
from subitize.vision.colours import COLOUR_NAMES
from subitize.vision.pixels import Rgb, decode


class DetectorJudge:
    """Counts what a detector finds, also of a colour or in a place, and tells whether so many are there."""

    is_stand_in = False
    asks_together = True

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.rule, self.batch_size = str(setup.rule), setup.batch_size

    def check(self) -> None:
        """Load the weights."""
        self._setup.detector.load()

    def prove(self) -> Proof:
        """Show it photographs of known things."""
        return self._setup.prove()

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and about things it can see."""
        match outcomes:
            case [Drawn(picture=Stored())]:
                nouns = _nouns(question)
                return bool(nouns) and _is_coloured_right(question) and not self._unseen(nouns)
        return False

    def why_not(self, question: Question, /) -> str:
        """Name what it cannot see."""
        unseen = self._unseen(_nouns(question))
        return f"cannot see {', '.join(map(repr, unseen))}" if unseen else ""

    def compute_all(self, exhibits: Sequence[Exhibit], /) -> list[tuple[Finding, ...]]:
        """Look at every picture once for each kind of thing that is asked about."""
        wanted = [_nouns(*(inquiry.question for inquiry in exhibit.inquiries)) for exhibit in exhibits]
        if not self._setup.detector.has_open_vocabulary:
            # It finds all that it knows in one look anyway.
            wanted = [tuple(sorted({noun for nouns in wanted for noun in nouns}))] * len(exhibits)
        alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for index, nouns in enumerate(wanted):
            alike[nouns].append(index)
        findings: dict[int, tuple[Finding, ...]] = {}
        for nouns, indices in alike.items():
            looks = self._look([exhibits[index] for index in indices], nouns)
            findings |= dict(zip(indices, looks, strict=True))
        return [findings[index] for index in range(len(exhibits))]

    def _look(self, exhibits: Sequence[Exhibit], nouns: tuple[str, ...]) -> list[tuple[Finding, ...]]:
        setup = self._setup
        pictures = [_pixels(exhibit) for exhibit in exhibits]
        found = setup.detector.detect(pictures, nouns, setup.floor)
        provenance = Provenance(
            0,
            ", ".join(nouns),
            parameters={"floor": setup.floor},
            weights_hash=setup.detector.weights_hash(),
            versions=setup.detector.versions(),
        )
        looks = []
        for exhibit, detections, pixels in zip(exhibits, found, pictures, strict=True):
            is_coloured = any(_colour(inquiry) for inquiry in exhibit.inquiries)
            boxes = (with_colours(detections, pixels) if is_coloured else detections).boxes()
            looks.append(
                tuple(
                    Finding(Boxes(tuple(box for box in boxes if box.label in _nouns(inquiry.question))), provenance)
                    for inquiry in exhibit.inquiries
                )
            )
        return looks

    def _unseen(self, nouns: Sequence[str]) -> list[str]:
        return [noun for noun in nouns if not self._setup.detector.can_see(noun)]


def _pixels(exhibit: Exhibit) -> Rgb:
    match exhibit.outcomes:
        case [Drawn(picture=Stored() as picture)]:
            return decode(exhibit.load(picture))
    raise TypeError(f"a detector looks at one picture at a time, not at {[one.kind for one in exhibit.outcomes]}")


def _nouns(*questions: Question) -> tuple[str, ...]:
    """List the things that questions are about, landmarks too; none of a question that boxes do not answer."""
    nouns: set[str] = set()
    for question in questions:
        match question:
            case Count(noun=noun, place=place):
                nouns |= {noun} if place is None else {noun, place.landmark}
            case Confirm(statement=statement) if stated := read_statement(statement):
                nouns.add(stated.noun)
    return tuple(sorted(nouns))


def _is_coloured_right(question: Question) -> bool:
    return not isinstance(question, Count) or question.colour in (None, *COLOUR_NAMES)


def _colour(inquiry: Inquiry) -> str | None:
    return inquiry.question.colour if isinstance(inquiry.question, Count) else None


def _wrap(setup: Setup) -> Judge:
    return DetectorJudge(setup)


make_detr = torch_maker(_wrap, "detr")
make_grounding_dino = torch_maker(_wrap, "grounding-dino")
make_owlv2 = torch_maker(_wrap, "owlv2")
make_rt_detr = torch_maker(_wrap, "rt-detr")
make_ssd = ssd_maker(_wrap)
make_yolo = yolo_maker(_wrap)
