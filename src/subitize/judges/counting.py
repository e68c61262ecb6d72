"""Judges that count: detectors, with boxes as evidence, and users' own commands, with their output.

A rule turns boxes into a count, so that another threshold needs no new look at the pictures."""

from collections.abc import Sequence

from subitize.interfaces import Finding, Judge, JudgeRequest
from subitize.io.images import Rgb, decode
from subitize.judges.asking import is_picture, shown_picture
from subitize.labels import CANNOT_TELL
from subitize.networks.command import Counter
from subitize.networks.detectors.detector import DetectorSettings, nouns_of
from subitize.records import Boxes, Count, Outcome, Provenance, Question, Words
from subitize.stats.boxes import Detections
from subitize.stimuli.colours import with_colours


class DetectorJudge(DetectorSettings, Judge):
    """Counts what a detector finds, also by colour or place, and checks statements about it."""

    asks_together = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rule = str(self.box_rule)

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether this is one picture, and a question about things it can see."""
        return is_picture(outcomes) and bool(nouns_of(question)) and not self.why_not(question)

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        """Look at every picture once for all things asked about."""
        wanted = [nouns_of(*(inquiry.question for inquiry in exhibit.inquiries)) for exhibit in exhibits]
        pictures = [decode(exhibit.load(shown_picture(exhibit))) for exhibit in exhibits]
        found = self.detect(pictures, wanted)
        return [self._find(*look) for look in zip(exhibits, wanted, pictures, found, strict=True)]

    def _find(
        self, exhibit: JudgeRequest, nouns: tuple[str, ...], pixels: Rgb, found: Detections
    ) -> tuple[Finding, ...]:
        questions = [inquiry.question for inquiry in exhibit.inquiries]
        is_coloured = any(isinstance(question, Count) and question.colour for question in questions)
        seen = with_colours(found, pixels) if is_coloured else found
        provenance = self.trace(Provenance(0, ", ".join(nouns)), {"floor": self.floor})
        return tuple(Finding(_choose(seen, nouns_of(question)), provenance) for question in questions)


def _choose(found: Detections, nouns: tuple[str, ...]) -> Boxes | Words:
    """Take what was found of some nouns; a reply that was left unread cannot be counted."""
    said = next((found.unread[noun] for noun in nouns if noun in found.unread), None)
    if said is not None:
        return Words(f"{CANNOT_TELL}{said}")
    return found.where([label in nouns for label in found.labels]).evidence()


class CounterJudge(Counter, Judge):
    """Count by a command that reads paths of pictures and writes a number for each; {noun} in it names the things."""

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether this is one picture, and a plain count, without colour or place."""
        return is_picture(outcomes) and isinstance(question, Count) and question == Count(question.noun)

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        """Have the pictures counted."""
        pictures = [exhibit.load(shown_picture(exhibit)) for exhibit in exhibits]
        return [(Finding(Words(number)),) for number in self.count_each(pictures, list(map(_noun, exhibits)))]


def _noun(exhibit: JudgeRequest) -> str:
    match exhibit.inquiries:
        case [inquiry] if isinstance(inquiry.question, Count):
            return inquiry.question.noun
    raise TypeError("a counter is asked for one count at a time")
