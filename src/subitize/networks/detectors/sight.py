"""What detectors have in common as judges and as models: what they look for, what they cannot, and how they tell."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from subitize.detections import Detections
from subitize.image_files import Rgb
from subitize.interfaces import Proof
from subitize.labels import read_statement
from subitize.networks.detectors.setups import Setup
from subitize.records import Confirm, Count, Provenance, Question, Scalar
from subitize.vision.colours import COLOUR_NAMES


class Sight:
    """A detector at work, that remembers what came of its test."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._proof: Proof | None = None

    def load(self) -> None:
        """Load the weights, once."""
        self.setup.detector.load()

    def prove(self) -> Proof:
        """Show it photographs of known things."""
        self._proof = self.setup.prove()
        return self._proof

    def why_not(self, question: Question) -> str:
        """Name what of a question it cannot see; nothing where there is no such thing."""
        unseen = [noun for noun in nouns_of(question) if not self.setup.detector.can_see(noun)]
        if unseen:
            return f"cannot see {', '.join(map(repr, unseen))}"
        if isinstance(question, Count) and question.colour not in (None, *COLOUR_NAMES):
            return f"cannot tell the colour {question.colour!r}"
        return ""

    def detect(self, pictures: Sequence[Rgb], wanted: Sequence[tuple[str, ...]]) -> list[Detections]:
        """Look in each picture for its own nouns; where there are none, for all that is known."""
        alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for index, nouns in enumerate(wanted):
            alike[self._together(nouns, wanted)].append(index)
        looks: dict[int, Detections] = {}
        for nouns, indices in alike.items():
            found = self.setup.detector.detect([pictures[index] for index in indices], nouns, self.setup.floor)
            looks |= dict(zip(indices, found, strict=True))
        return [
            looks[index].where([not nouns or label in nouns for label in looks[index].labels])
            for index, nouns in enumerate(wanted)
        ]

    def trace(self, start: Provenance, parameters: Mapping[str, Scalar]) -> Provenance:
        """Say whose weights looked, how, and what came of their test if there was one."""
        detector, proof = self.setup.detector, self._proof
        told = {} if proof is None else {"self_test": f"{'passed, ' if proof.is_passed else ''}{proof.told}"}
        return replace(
            start,
            parameters={**parameters, **told},
            weights_hash=detector.weights_hash(),
            versions={**start.versions, **detector.versions()},
        )

    def _together(self, nouns: tuple[str, ...], wanted: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """List the nouns that are looked for in one go: one with classes finds all that it knows anyway."""
        if self.setup.detector.has_open_vocabulary or not nouns:
            return nouns
        return tuple(sorted({noun for each in wanted for noun in each}))


def nouns_of(*questions: Question) -> tuple[str, ...]:
    """List the things that questions are about, landmarks too; none of a question that boxes do not answer."""
    nouns: set[str] = set()
    for question in questions:
        match question:
            case Count(noun=noun, place=place):
                nouns |= {noun} if place is None else {noun, place.landmark}
            case Confirm(statement=statement) if stated := read_statement(statement):
                nouns.add(stated.noun)
    return tuple(sorted(nouns))
