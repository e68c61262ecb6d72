"""Judges that find things in pictures: the boxes are the evidence, counting them is a matter of a rule."""

from collections.abc import Sequence

from subitize.detections import Detections
from subitize.image_files import Rgb, decode
from subitize.interfaces import Exhibit, Finding, Inquiry, Judge, Proof
from subitize.networks.detectors.setups import Setup, ssd_maker, torch_maker, yolo_maker
from subitize.networks.detectors.sight import Sight, nouns_of
from subitize.records import Boxes, Count, Drawn, Outcome, Provenance, Question, Stored
from subitize.vision.box_colours import with_colours


class DetectorJudge:
    """Counts what a detector finds, also of a colour or in a place, and tells whether so many are there."""

    is_stand_in = False
    asks_together = True

    def __init__(self, setup: Setup) -> None:
        self._sight = Sight(setup)
        self.rule, self.batch_size = str(setup.rule), setup.batch_size

    def check(self) -> None:
        """Load the weights."""
        self._sight.load()

    def prove(self) -> Proof:
        """Show it photographs of known things."""
        return self._sight.prove()

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and about things it can see."""
        match outcomes:
            case [Drawn(picture=Stored())]:
                return bool(nouns_of(question)) and not self._sight.why_not(question)
        return False

    def why_not(self, question: Question, /) -> str:
        """Name what it cannot see."""
        return self._sight.why_not(question)

    def compute_all(self, exhibits: Sequence[Exhibit], /) -> list[tuple[Finding, ...]]:
        """Look at every picture once for all kinds of things that are asked about."""
        wanted = [nouns_of(*(inquiry.question for inquiry in exhibit.inquiries)) for exhibit in exhibits]
        pictures = [_pixels(exhibit) for exhibit in exhibits]
        found = self._sight.detect(pictures, wanted)
        return [self._find(*look) for look in zip(exhibits, wanted, pictures, found, strict=True)]

    def _find(self, exhibit: Exhibit, nouns: tuple[str, ...], pixels: Rgb, found: Detections) -> tuple[Finding, ...]:
        is_coloured = any(_colour(inquiry) for inquiry in exhibit.inquiries)
        boxes = (with_colours(found, pixels) if is_coloured else found).boxes()
        provenance = self._sight.trace(Provenance(0, ", ".join(nouns)), {"floor": self._sight.setup.floor})
        return tuple(
            Finding(Boxes(tuple(box for box in boxes if box.label in nouns_of(inquiry.question))), provenance)
            for inquiry in exhibit.inquiries
        )


def _pixels(exhibit: Exhibit) -> Rgb:
    match exhibit.outcomes:
        case [Drawn(picture=Stored() as picture)]:
            return decode(exhibit.load(picture))
    raise TypeError(f"a detector looks at one picture at a time, not at {[one.kind for one in exhibit.outcomes]}")


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
