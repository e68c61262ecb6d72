"""Answers and draws a number at random: the floor that every model must beat."""

import asyncio

import numpy as np

from subitize.errors import BadValueError
from subitize.interfaces import Model, Reply, Request
from subitize.records import Draw, Said
from subitize.stats.response_law import uniform_law


class Random(Model):
    """Say or draw a number from low to high, each as likely as the other, without looking.

    Args:
        low: smallest number
        high: largest number
    """

    tasks = frozenset({"answer", "draw"})
    is_stand_in = True
    concurrency = 64

    def __init__(self, *, low: int = 1, high: int = 20) -> None:
        if not 0 <= low <= high <= 1_000_000:
            raise BadValueError(f"model 'random': low={low},high={high}: should be 0 <= low <= high <= 1000000")
        self._low, self._law = low, uniform_law(low, high)

    async def respond(self, request: Request, /) -> Reply:
        """Draw a number from the trial's seed, or a picture with a number of its own for each kind of thing."""
        if isinstance(request.task, Draw):
            from subitize.models.stand_ins import DrawnNumber, draw  # slow to import, and not needed for answers

            # In a thread, so that drawing does not block the event loop; answering is too quick for worker processes.
            return await asyncio.to_thread(draw, request, lambda _, random: DrawnNumber(self._number(random)))
        return Reply(Said(str(self._number(np.random.default_rng(request.seed)))), request.provenance())

    def _number(self, random: np.random.Generator) -> int:
        return self._low + int(random.choice(len(self._law), p=self._law))
