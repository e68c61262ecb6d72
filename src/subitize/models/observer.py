"""Answers questions about a picture by classical vision on its pixels."""

import re
from collections import Counter
from dataclasses import replace

from subitize.interfaces import Reply, Request
from subitize.labels import Rule, interpret
from subitize.language.counted import make_count, read_counted
from subitize.language.nouns import singular
from subitize.language.numbers import count_noun
from subitize.records import UNKNOWN, Box, Boxes, Count, Known, Place, Refused, RelationWord, Said, TaskKind
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.observing import look_at
from subitize.stimuli.recognition import KINDS

_PLACE = re.compile(r"\b(left of|right of|above|below) (?:the |an |a )?([a-z -]{1,60})", re.IGNORECASE)
_WHAT = re.compile(r"what (?:does|is|do)\b", re.IGNORECASE)
ANY_KIND = {"object", "thing", "shape", "item"}
_RELATIONS: dict[str, RelationWord] = {word: word for word in ("left of", "right of", "above", "below")}


class Observer:
    """Count and name what is seen, by classical vision; what it does not know it calls unknown."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = True

    def compute(self, request: Request, /) -> Reply:
        """Look at the picture and answer the question in words."""
        content = answer(request.text, look_at(request.picture()))
        return Reply(content, request.provenance())


def read_count(question: str) -> Count | None:
    """Read what a question asks to be counted, if it asks for a number: "red apples", "to the left of the trees"."""
    asked = read_counted(question)
    if asked is None:
        return None
    place = _PLACE.search(asked.rest)
    where = Place(_RELATIONS[place[1].lower()], singular(place[2].strip().lower())) if place else None
    return replace(make_count(asked.things, COLOUR_NAMES), place=where)


def answer(question: str, seen: tuple[Box, ...]) -> Said | Refused:
    """Answer a question from what is seen."""
    if asked := read_count(question):
        return _count(asked, seen)
    if _WHAT.search(question):
        kinds = Counter(box.label for box in seen)
        return Said(", ".join(count_noun(n, kind) for kind, n in kinds.most_common()) or "nothing")
    return Refused(f"not understood: {question[:60]!r}")


def _count(asked: Count, seen: tuple[Box, ...]) -> Said | Refused:
    if asked.noun in ANY_KIND and asked.place is None:
        return Said(str(sum(asked.colour in (None, box.colour) for box in seen)))
    for noun in (asked.noun, asked.place.landmark if asked.place else asked.noun):
        if noun not in KINDS:
            return Refused(f"not understood: {noun!r} is none of the {len(KINDS)} kinds of things this observer knows")
    if strange := sum(box.label == UNKNOWN for box in seen):
        return Refused(f"{strange} of {len(seen)} things seen are unknown to this observer")
    number = interpret(Boxes(seen), asked, Rule("boxes"))
    return Said(str(number.value)) if isinstance(number, Known) else Refused(number.reason)
