"""Estimates as people do when they cannot count: exact for a few, then with Weber's law."""

import numpy as np

from subitize.errors import BadValueError
from subitize.interfaces import Reply, Request
from subitize.records import Said, TaskKind
from subitize.stats import human_law
from subitize.vision.observing import observe
from subitize.vision.pixels import decode


class IdealHuman:
    """See how many there are, exactly up to `subitizing`, above with the Weber fraction `weber` (Numbersense)."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = True

    def __init__(self, *, weber: float = 0.15, subitizing: int = 4, highest: int = 20) -> None:
        if not (0 <= weber <= 10 and subitizing >= 0 and 1 <= highest <= 10_000):
            given = f"weber={weber:g},subitizing={subitizing},highest={highest}"
            raise BadValueError(
                f"model 'ideal-human': {given}: should be weber 0 to 10, subitizing >= 0, highest 1 to 10000"
            )
        self._weber, self._subitizing, self._highest = weber, subitizing, highest

    def compute(self, request: Request, /) -> Reply:
        """Look, then draw the response from the law of the number seen."""
        seen = len(observe(decode(request.picture())))
        if seen == 0:
            return Reply(Said("0"), request.provenance())
        law = human_law(seen, weber=self._weber, subitizing=self._subitizing, highest=self._highest)
        response = 1 + np.random.default_rng(request.seed).choice(len(law), p=law)
        return Reply(Said(str(response)), request.provenance())
