"""Answers questions about a picture by classical vision on its pixels."""

import re
from collections import Counter

from subitize.interfaces import Reply, Request
from subitize.numerals import counted, singular
from subitize.records import Box, Refused, Said, TaskKind
from subitize.vision.observing import observe
from subitize.vision.pixels import decode
from subitize.vision.recognition import KINDS

_HOW_MANY = re.compile(r"how many ([a-z -]{1,60}?) (?:are|is|do|can)\b", re.IGNORECASE)
_WHAT = re.compile(r"what (?:does|is|do)\b", re.IGNORECASE)
_ANY_KIND = {"object", "thing", "shape", "item"}


class Observer:
    """Count and name what is seen, by classical vision; what it does not know it calls unknown."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = True

    def compute(self, request: Request, /) -> Reply:
        """Look at the picture and answer the question in words."""
        content = _answer(request.text, observe(decode(request.picture())))
        return Reply(content, request.provenance())


def _answer(question: str, seen: tuple[Box, ...]) -> Said | Refused:
    if how_many := _HOW_MANY.search(question):
        noun = singular(how_many.group(1).lower())
        if noun in _ANY_KIND:
            return Said(str(len(seen)))
        if noun in KINDS:
            return Said(str(sum(box.label == noun for box in seen)))
        return Refused(f"not understood: this observer knows {', '.join(sorted(KINDS))}, not {noun!r}")
    if _WHAT.search(question):
        kinds = Counter(box.label for box in seen)
        return Said(", ".join(counted(n, kind) for kind, n in kinds.most_common()) or "nothing")
    return Refused(f"not understood: {question[:60]!r}")
