"""The classes of the COCO data set, and the detector's class that a question's noun means."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from subitize.errors import BadValueError
from subitize.language.nouns import singular

_COCO = tomllib.loads(Path(__file__).with_name("classes.toml").read_text(encoding="utf-8"))

COCO_CLASSES: tuple[str, ...] = tuple(_COCO["classes"])
"""The 80 classes that are annotated, in the order that most detectors number them from 0."""

COCO_NUMBERS: Mapping[int, str] = dict(
    zip((number for number in range(1, 91) if number not in _COCO["never_annotated"]), COCO_CLASSES, strict=True)
)
"""The same classes by the data set's own numbers, 1 to 90 with gaps, as TensorFlow's graphs and DETR have them."""


AKIN: tuple[frozenset[str], ...] = tuple(map(frozenset, _COCO["akin"]))
"""Things that are no rivals: a picture of one shows the other as well, or the one is a kind of the other."""


def class_of(noun: str, classes: Iterable[str]) -> str | None:
    """Find what a detector itself calls the things of a noun; None where it has no such class.

    The same name comes first, then the same but for case, number and joints (hot_dogs, Hot-Dog), then another name of
    the very same thing. A noun with two meanings is taken for the class that is called so.
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
    """Find a detector's class for each noun that it is asked for; without nouns it is asked for all its classes."""
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
