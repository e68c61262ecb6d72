"""The classes of the COCO data set, and which of a detector's classes a noun means."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from subitize.errors import BadValueError
from subitize.io.files import read_own_toml
from subitize.language.nouns import singular

_COCO = read_own_toml(__file__, "classes.toml")

COCO_CLASSES: tuple[str, ...] = tuple(_COCO["classes"])
"""The 80 classes that are annotated, in the order that most detectors number them from 0."""

COCO_NUMBERS: Mapping[int, str] = dict(
    zip((number for number in range(1, 91) if number not in _COCO["never_annotated"]), COCO_CLASSES, strict=True)
)
"""The same classes by the data set's own numbers, 1 to 90 with gaps, which TensorFlow's graphs and DETR use."""


AKIN: tuple[frozenset[str], ...] = tuple(map(frozenset, _COCO["akin"]))
"""Things that cannot be rivals: a picture of one also shows the other, or one is a kind of the other."""


def class_of(noun: str, classes: Iterable[str]) -> str | None:
    """Find a detector's class for a noun; None if it has none.

    The same name comes first, then one that differs only in case, number and joints (hot_dogs, Hot-Dog), then a
    synonym. A noun with two meanings is taken for the class of that name.
    """
    known = tuple(classes)
    if noun and noun in known:
        return noun
    for name in (_bare(noun), *_other_names().get(_bare(noun), ())):
        for own in known:
            if own and _bare(own) == name:
                return own
    return None


def choose_classes(who: str, nouns: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Find a detector's class for each noun; without nouns, all its classes."""
    chosen = {}
    for noun in nouns or classes:
        own = class_of(noun, classes)
        if own is None:
            known = ", ".join(classes[:8]) + (" …" if len(classes) > 8 else "")
            raise BadValueError(f"{who} cannot see {noun!r}; it knows {known}")
        chosen[noun] = own
    return chosen


@cache
def _bare(noun: str) -> str:
    """Strip a noun of case, number and joints."""
    words = " ".join(re.split(r"[\s_-]+", noun.casefold().strip()))
    return words if words in _COCO["no_plurals"] else singular(words).replace(" ", "")


@cache
def _other_names() -> dict[str, tuple[str, ...]]:
    """Map each name to all those of the same thing."""
    groups = [tuple(map(_bare, group)) for group in _COCO["same_thing"]]
    return {name: group for group in groups for name in group}
