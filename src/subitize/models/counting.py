"""Models that answer questions by counting: detectors (Numbersense, Figure S2) and users' own commands."""

from collections.abc import Sequence

from subitize.errors import UnusableModelError
from subitize.interfaces import Model, Reply, Request
from subitize.io.images import Rgb, decode
from subitize.labels import CANNOT_TELL, interpret
from subitize.models.stand_ins import ANY_KIND, read_count
from subitize.networks.command import Counter
from subitize.networks.detectors.detector import DetectorSettings, nouns_of
from subitize.records import Boxes, Count, Known, Refused, Said
from subitize.stats.boxes import Detections
from subitize.stimuli.colours import with_colours


class DetectorModel(DetectorSettings, Model):
    """Answers how many a detector finds of what a question asks for."""

    tasks = frozenset({"answer"})
    is_self_tested = True

    def check(self) -> None:
        """Load the weights and run the self-test; refuse a detector that fails it."""
        super().check()
        try:
            self.self_test()
        except UnusableModelError as error:
            raise UnusableModelError(f"model {self.who} failed its self-test: {error}") from None

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Count in every picture what its question asks for."""
        asked = [self._understand(request.text) for request in requests]
        able = [(request, one) for request, one in zip(requests, asked, strict=True) if isinstance(one, Count)]
        pictures = [decode(request.picture()) for request, _ in able]
        found = self.detect(pictures, [() if self._counts_all(one) else nouns_of(one) for _, one in able])
        seen = zip(found, pictures, strict=True)
        counts = iter([self._count(*one, *look) for one, look in zip(able, seen, strict=True)])
        return [
            Reply(one, request.provenance()) if isinstance(one, Refused) else next(counts)
            for request, one in zip(requests, asked, strict=True)
        ]

    def _understand(self, text: str) -> Count | Refused:
        """Read what to count, or say why it cannot be counted."""
        asked = read_count(text)
        if asked is None:
            return Refused(f"not understood: {text[:60]!r}")
        reason = "" if self._counts_all(asked) else self.why_not(asked)
        return Refused(reason) if reason else asked

    def _counts_all(self, asked: Count) -> bool:
        """Return whether things of any class count; an open vocabulary takes such a word as a noun instead."""
        return asked.noun in ANY_KIND and asked.place is None and not self.detector.is_open_vocabulary

    def _count(self, request: Request, asked: Count, found: Detections, pixels: Rgb) -> Reply:
        if asked.colour is not None:
            found = with_colours(found, pixels)
        if self._counts_all(asked):
            found = found.renamed(lambda _: asked.noun)
        return Reply(self._say(asked, found), self.trace(request.provenance(), {"rule": str(self.box_rule)}))

    def _say(self, asked: Count, found: Detections) -> Said | Refused:
        if found.unread:
            return Refused(f"{CANNOT_TELL}{next(iter(found.unread.values()))[:200]}")
        number = interpret(Boxes(found.boxes()), asked, self.box_rule)
        return Said(str(number.value)) if isinstance(number, Known) else Refused(number.reason)


class CounterModel(Counter, Model):
    """Count by a command that reads paths of pictures and writes a number for each; {noun} in it names the things."""

    tasks = frozenset({"answer"})

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Have the pictures counted; a question for anything but a plain count is refused."""
        asked = [read_count(request.text) for request in requests]
        nouns = [one.noun if one and one == Count(one.noun) else "" for one in asked]
        pictures = [request.picture() for request, noun in zip(requests, nouns, strict=True) if noun]
        numbers = iter(self.count_each(pictures, [noun for noun in nouns if noun]))
        replies = []
        for request, noun in zip(requests, nouns, strict=True):
            content = Said(next(numbers)) if noun else Refused(f"not understood: {request.text[:60]!r}")
            replies.append(Reply(content, request.provenance()))
        return replies
