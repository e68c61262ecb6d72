"""The self-test of detectors of photographs: what do they count where the answer is known?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from subitize.errors import MissingPartError, UnusableModelError
from subitize.interfaces import Proof
from subitize.networks.detectors.coco import class_of
from subitize.networks.detectors.collages import NOUNS, Collage, make_collage
from subitize.networks.detectors.detector import Detector
from subitize.numerals import counted, plural

SEED = 20_140_501
_COUNTS = (2, 1, 3, 4, 3, 2, 4, 1)
# Things that no collage shows and that look like none of what it shows.
_NEVER_THERE = ("airplane", "elephant", "giraffe", "pizza", "train", "umbrella")
# With several seeds, at thresholds of .2 to .6, the networks of the tests get 5 to 8 of 8 right; broken ones 0 to 2.
_FEWEST_RIGHT = 0.5
_MOST_WITH_GHOSTS = 0.25
# Overlaps of thousands of boxes take long to tell, and change nothing any more.
_MOST_BOXES = 300


@runtime_checkable
class Assumes(Protocol):
    """A detector that had to take something for granted because no file says it."""

    @property
    def assumption(self) -> str:
        """Say what, or nothing."""
        ...


@dataclass(frozen=True, slots=True)
class _Look:
    """What a detector saw in a collage of one thing: how many of it, and of others."""

    noun: str
    there: int
    seen: int
    others: Counter[str]

    @property
    def ghosts(self) -> Counter[str]:
        """Count what was seen and is in no such collage."""
        return Counter({noun: number for noun, number in self.others.items() if noun in (*NOUNS, *_NEVER_THERE)})


def prove(detector: Detector, threshold: float, iou: float) -> Proof:
    """Have a detector count in photo collages; raise UnusableModelError, with the reason, where it is broken."""
    nouns = [noun for noun in NOUNS if detector.can_see(noun)]
    if not nouns:
        return Proof(False, f"cannot be tested: it knows none of {', '.join(NOUNS)}")
    try:
        collages = make_test(nouns, SEED)
    except MissingPartError as error:
        return Proof(False, f"cannot be tested: {error}")
    looks = [_look(detector, collage, threshold, iou) for collage in collages]
    right = sum(look.seen == look.there for look in looks)
    reasons = list(_reasons(looks))
    told = f"counted {right} of {len(looks)} photo collages right"
    assumed = f" ({detector.assumption})" if isinstance(detector, Assumes) and detector.assumption else ""
    if reasons:
        raise UnusableModelError(f"{told}: it {', '.join(reasons[:3])}; {_remedy(threshold)}{assumed}")
    return Proof(True, told + assumed)


def make_test(nouns: Sequence[str], seed: int) -> list[Collage]:
    """Make the collages of a test: each shows one to four of one of the nouns, which take turns."""
    return [make_collage([nouns[index % len(nouns)]] * number, seed + index) for index, number in enumerate(_COUNTS)]


def _look(detector: Detector, collage: Collage, threshold: float, iou: float) -> _Look:
    ((noun, there),) = collage.counts.items()
    # One with classes sees all of them at a glance; of another each noun costs time, so it is asked for one in vain.
    asked = [noun, NOUNS[NOUNS.index(noun) - 1]] if detector.has_open_vocabulary else []
    (found,) = detector.detect([collage.pixels], asked, threshold)
    found = found.above(threshold)
    # A detector may know cups and mugs: what it calls mugs is then no cup to it.
    nouns = {class_of(one, detector.classes()): one for one in (*NOUNS, *_NEVER_THERE)}
    counts = Counter[str]()
    for label in dict.fromkeys(found.labels):
        own = found.labelled(label)
        best = own.where(np.arange(len(own)) < _MOST_BOXES).suppressed(iou)
        counts[nouns.get(label, label)] = len(best)
    seen = counts.pop(noun, 0)
    return _Look(noun, there, seen, counts)


def _reasons(looks: Sequence[_Look]) -> Iterator[str]:
    """Say what is wrong, the worst first; nothing where the counts are good enough."""
    blind = [look for look in looks if not look.seen and not look.others]
    haunted = [look for look in looks if look.ghosts]
    wrong = [look for look in looks if look.seen != look.there]
    is_wrong = len(looks) - len(wrong) < _FEWEST_RIGHT * len(looks)
    if is_wrong and len(blind) > len(looks) / 2:
        yield f"saw nothing on {len(blind)} of {len(looks)}"
    if is_wrong and (worst := max(wrong, key=lambda look: look.seen - look.there)).seen > worst.there:
        there = "there is 1" if worst.there == 1 else f"there are {worst.there}"
        yield f"saw {counted(worst.seen, worst.noun)} where {there}"
    unseen = {look.noun for look in looks} - {look.noun for look in looks if look.seen}
    for noun in sorted(unseen):
        yield _mistaken(noun, sum((look.others for look in looks if look.noun == noun), Counter()))
    if len(haunted) > _MOST_WITH_GHOSTS * len(looks):
        (ghost, _), *_ = sum((look.ghosts for look in haunted), Counter()).most_common(1)
        yield f"saw things that are not there ({plural(ghost)}) on {len(haunted)} of {len(looks)}"
    if is_wrong:
        yield f"saw {sum(look.seen for look in looks)} things where there are {sum(look.there for look in looks)}"


def _mistaken(noun: str, others: Counter[str]) -> str:
    if not others:
        return f"saw no {noun} at all"
    (other, _), *_ = others.most_common(1)
    return f"took {plural(noun)} for {plural(other)}"


def _remedy(threshold: float) -> str:
    return f"check its weights, the names of its classes and threshold={threshold:g}"
