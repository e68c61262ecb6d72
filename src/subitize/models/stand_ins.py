"""Embedded models that answer by classical vision: the observer, and an ideal human who follows Weber's law.

The ideal human counts a few things exactly and estimates more; it draws by the painter. Neither needs a key, a
download or a GPU."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from subitize.errors import BadValueError
from subitize.interfaces import Model, Reply, Request
from subitize.labels import Rule, interpret
from subitize.language.counted import is_count, make_count, read_counted
from subitize.language.nouns import singular
from subitize.language.numbers import count_noun
from subitize.models import painter
from subitize.records import UNKNOWN, Box, Boxes, Count, Draw, Known, Place, Refused, RelationWord, Said
from subitize.stats.response_law import human_law
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.observing import look_at
from subitize.stimuli.recognition import KINDS

_PLACE = re.compile(r"\b(left of|right of|above|below) (?:the |an |a )?([a-z -]{1,60})", re.IGNORECASE)
_WHAT = re.compile(r"what (?:does|is|do)\b", re.IGNORECASE)
ANY_KIND = {"object", "thing", "shape", "item"}
_RELATIONS: dict[str, RelationWord] = {word: word for word in ("left of", "right of", "above", "below")}


class ObserverModel(Model):
    """Count and name what is seen, by classical vision; what it does not know it calls unknown."""

    tasks = frozenset({"answer"})
    is_stand_in = True

    def compute(self, request: Request, /) -> Reply:
        """Look at the picture and answer the question in words."""
        content = answer(request.text, look_at(request.picture()))
        return Reply(content, request.provenance())


def read_count(question: str) -> Count | None:
    """Read what a question asks to count, if it asks for a number: "red apples", "to the left of the trees"."""
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


class IdealHuman(Model):
    """See or draw how many there are, exactly to `subitizing`, then with the Weber fraction `weber` (Numbersense)."""

    tasks = frozenset({"answer", "draw"})
    is_stand_in = True

    def __init__(self, *, weber: float = 0.15, subitizing: int = 4, highest: int = 20) -> None:
        if not (0 <= weber <= 10 and subitizing >= 0 and 1 <= highest <= 10_000):
            given = f"weber={weber:g},subitizing={subitizing},highest={highest}"
            raise BadValueError(
                f"model 'ideal-human': {given}: should be weber 0 to 10, subitizing >= 0, highest 1 to 10000"
            )
        self._weber, self._subitizing, self._highest = weber, subitizing, highest

    def compute(self, request: Request, /) -> Reply:
        """Look, or read the prompt, then sample the response from the law of its number."""
        if isinstance(request.task, Draw):
            return painter.draw(request, lambda asked, random: painter.DrawnNumber(self._number(asked, random)))
        seen = look_at(request.picture())
        if not is_count(request.text):
            return Reply(answer(request.text, seen), request.provenance())
        response = self._number(len(seen), np.random.default_rng(request.seed))
        return Reply(Said(str(response)), request.provenance())

    def _number(self, target: int, random: np.random.Generator) -> int:
        if target == 0:
            return 0
        law = human_law(target, weber=self._weber, subitizing=self._subitizing, highest=self._highest)
        return 1 + int(random.choice(len(law), p=law))
