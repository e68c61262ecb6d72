"""Estimates as people do when they cannot count: exact for a few, then with Weber's law."""

import numpy as np

from subitize.errors import BadValueError
from subitize.interfaces import Reply, Request
from subitize.language.counted import is_count
from subitize.models import observer, painter
from subitize.records import Draw, Said, TaskKind
from subitize.stats.response_law import human_law
from subitize.stimuli.observing import look_at


class IdealHuman:
    """See or draw how many there are, exactly to `subitizing`, then with the Weber fraction `weber` (Numbersense)."""

    tasks: frozenset[TaskKind] = frozenset({"answer", "draw"})
    is_stand_in = True

    def __init__(self, *, weber: float = 0.15, subitizing: int = 4, highest: int = 20) -> None:
        if not (0 <= weber <= 10 and subitizing >= 0 and 1 <= highest <= 10_000):
            given = f"weber={weber:g},subitizing={subitizing},highest={highest}"
            raise BadValueError(
                f"model 'ideal-human': {given}: should be weber 0 to 10, subitizing >= 0, highest 1 to 10000"
            )
        self._weber, self._subitizing, self._highest = weber, subitizing, highest

    def compute(self, request: Request, /) -> Reply:
        """Look, or read the prompt, then take the response from the law of the number."""
        if isinstance(request.task, Draw):
            return painter.draw(request, lambda asked, random: painter.Number(self._number(asked, random)))
        seen = look_at(request.picture())
        if not is_count(request.text):
            return Reply(observer.answer(request.text, seen), request.provenance())
        response = self._number(len(seen), np.random.default_rng(request.seed))
        return Reply(Said(str(response)), request.provenance())

    def _number(self, target: int, random: np.random.Generator) -> int:
        if target == 0:
            return 0
        law = human_law(target, weber=self._weber, subitizing=self._subitizing, highest=self._highest)
        return 1 + int(random.choice(len(law), p=law))
