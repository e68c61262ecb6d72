"""Detectors as models: they answer how many there are by counting what they find (Numbersense, Figure S2)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from subitize.detections import Detections
from subitize.interfaces import Model, Reply, Request
from subitize.labels import interpret
from subitize.models.observer import ANY_KIND, read_count
from subitize.networks.detectors.setups import Setup, ssd_maker, torch_maker, yolo_maker
from subitize.records import Boxes, Count, Known, Provenance, Refused, Said, TaskKind
from subitize.vision.box_colours import with_colours
from subitize.vision.colours import COLOUR_NAMES
from subitize.vision.pixels import Rgb, decode


class DetectorModel:
    """Says how many a detector finds of what a question asks for."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = False

    def __init__(self, setup: Setup) -> None:
        self._setup, self.batch_size = setup, setup.batch_size

    def check(self) -> None:
        """Load the weights, and show it photographs of known things: one that sees nothing is refused."""
        self._setup.detector.load()
        self._setup.prove()

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Look at every picture for what its question asks to be counted."""
        alike: dict[tuple[str, ...] | None, list[int]] = defaultdict(list)
        for index, request in enumerate(requests):
            alike[self._wanted(read_count(request.text))].append(index)
        replies: dict[int, Reply] = {}
        for nouns, indices in alike.items():
            chosen = [requests[index] for index in indices]
            looks = [self._refuse(one) for one in chosen] if nouns is None else self._look(chosen, nouns)
            replies |= dict(zip(indices, looks, strict=True))
        return [replies[index] for index in range(len(requests))]

    def _wanted(self, asked: Count | None) -> tuple[str, ...] | None:
        """List what to look for, nothing in particular where all things count; None of what it cannot count."""
        if asked is None or asked.colour not in (None, *COLOUR_NAMES):
            return None
        if asked.noun in ANY_KIND and asked.place is None and not self._setup.detector.has_open_vocabulary:
            return ()
        return None if self._unseen(asked) else _nouns(asked)

    def _unseen(self, asked: Count) -> list[str]:
        return [noun for noun in _nouns(asked) if not self._setup.detector.can_see(noun)]

    def _refuse(self, request: Request) -> Reply:
        asked = read_count(request.text)
        unseen = self._unseen(asked) if asked else []
        reason = f"cannot see {unseen[0]!r}" if unseen else f"not understood: {request.text[:60]!r}"
        return Reply(Refused(reason), request.provenance())

    def _look(self, requests: Sequence[Request], nouns: tuple[str, ...]) -> list[Reply]:
        setup = self._setup
        pictures = [decode(request.picture()) for request in requests]
        found = setup.detector.detect(pictures, nouns, setup.floor)
        return [
            self._count(request, detections, pixels)
            for request, detections, pixels in zip(requests, found, pictures, strict=True)
        ]

    def _count(self, request: Request, found: Detections, pixels: Rgb) -> Reply:
        asked = read_count(request.text)
        if asked is None:
            raise ValueError(f"not understood: {request.text[:60]!r}")
        if asked.colour is not None:
            found = with_colours(found, pixels)
        if asked.noun in ANY_KIND and not self._setup.detector.has_open_vocabulary:
            found = found.renamed(lambda _: asked.noun)
        number = interpret(Boxes(found.boxes()), asked, self._setup.rule)
        content = Said(str(number.value)) if isinstance(number, Known) else Refused(number.reason)
        return Reply(content, self._provenance(request))

    def _provenance(self, request: Request) -> Provenance:
        detector, start = self._setup.detector, request.provenance()
        return replace(
            start,
            parameters={"rule": str(self._setup.rule)},
            weights_hash=detector.weights_hash(),
            versions={**start.versions, **detector.versions()},
        )


def _nouns(asked: Count) -> tuple[str, ...]:
    return (asked.noun,) if asked.place is None else tuple(sorted({asked.noun, asked.place.landmark}))


def _wrap(setup: Setup) -> Model:
    return DetectorModel(setup)


make_detr = torch_maker(_wrap, "detr")
make_grounding_dino = torch_maker(_wrap, "grounding-dino")
make_owlv2 = torch_maker(_wrap, "owlv2")
make_rt_detr = torch_maker(_wrap, "rt-detr")
make_ssd = ssd_maker(_wrap)
make_yolo = yolo_maker(_wrap)
