"""Answers with a number at random: the floor that every model must beat."""

import numpy as np

from subitize.errors import BadValueError
from subitize.interfaces import Reply, Request
from subitize.records import Said, TaskKind
from subitize.stats import uniform_law


class Random:
    """Say a number from low to high, each as likely as the other, without looking."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = True
    concurrency = 64

    def __init__(self, *, low: int = 1, high: int = 20) -> None:
        if not 0 <= low <= high <= 1_000_000:
            raise BadValueError(f"model 'random': low={low},high={high}: should be 0 <= low <= high <= 1000000")
        self._low, self._law = low, uniform_law(low, high)

    async def respond(self, request: Request, /) -> Reply:
        """Draw a number from the trial's seed."""
        number = self._low + np.random.default_rng(request.seed).choice(len(self._law), p=self._law)
        return Reply(Said(str(number)), request.provenance())
