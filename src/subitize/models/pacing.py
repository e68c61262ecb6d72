"""Keeps calls to a server within its limits: how many at once, how many a minute, how many tokens a minute.

Whoever calls takes a turn first. A server that says it is busy gets half as many calls at once, and one more for every
round of answers after that; while it asks to be left alone, no turn begins.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

# What may be sent at once although it is due one after the other: the event loop wakes up late at times, and a delay up
# to this is made good by calls close together; a longer one is lost, as a server would take the rush amiss.
_BURST_SECONDS = 0.03
# What was used beyond what was expected is made up for, but a server that counts nonsense stops nobody for hours.
_LONGEST_DEBT_SECONDS = 60.0
# Nobody waits longer at his terminal; a server that asks for more is left for another day.
LONGEST_PAUSE_SECONDS = 900.0


@dataclass(slots=True)
class RequestRate:
    """So much a minute, evenly."""

    per_minute: float
    free_at: float = field(default=0.0, init=False)
    """From when on there is room for the next."""

    def take(self, amount: float, now: float) -> None:
        """Use so much now; a negative amount gives back what was taken and not used."""
        free_at = max(self.free_at, now - _BURST_SECONDS) + amount * 60 / self.per_minute
        self.free_at = min(free_at, now + _LONGEST_DEBT_SECONDS)


class Pacer:
    """The turns at one server; they may go on in another event loop once one has ended."""

    def __init__(self, most_at_once: int, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self._most_at_once = most_at_once
        self._limit = float(most_at_once)
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests = RequestRate(requests_per_minute) if requests_per_minute else None
        self._tokens = RequestRate(tokens_per_minute) if tokens_per_minute else None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gate = asyncio.Lock()
        self._closed_until = 0.0
        self._cut_at = 0.0

    @property
    def at_once(self) -> int:
        """How many calls may be under way now."""
        return max(1, int(self._limit))

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator["Turn"]:
        """Wait until a call that is expected to use so many tokens may be made; it is under way in the context."""
        self._attend(asyncio.get_running_loop())
        await self._enter()
        try:
            await self._wait(tokens)
            yield Turn(tokens, asyncio.get_running_loop().time())
        finally:
            self._leave()

    def accept(self, turn: "Turn", tokens: int) -> None:
        """Note that the server answered, and used so many tokens."""
        self._limit = min(self._most_at_once, self._limit + 1 / self._limit)
        if self._tokens is not None:
            self._tokens.take(tokens - turn.tokens, asyncio.get_running_loop().time())

    def reject(self, turn: "Turn", seconds: float | None) -> None:
        """Note that the server was busy, and for how long it asks to be left alone."""
        now = asyncio.get_running_loop().time()
        if turn.began_at >= self._cut_at:  # calls sent before the last cut do not know of it
            self._limit, self._cut_at = max(1.0, self._limit / 2), now
        self.close(seconds or 0.0)

    def close(self, seconds: float) -> None:
        """Begin no turn for so long."""
        seconds = min(seconds, LONGEST_PAUSE_SECONDS)
        self._closed_until = max(self._closed_until, asyncio.get_running_loop().time() + seconds)

    def _attend(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start anew in a new event loop: nothing of the old one is under way, and what waited there is gone."""
        if loop is not self._loop:
            self._loop, self._gate, self._under_way = loop, asyncio.Lock(), 0
            self._waiting.clear()

    async def _enter(self) -> None:
        while self._under_way >= self.at_once:
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self._under_way += 1

    def _leave(self) -> None:
        self._under_way -= 1
        free = self.at_once - self._under_way
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():  # it may have been cancelled
                place.set_result(None)
                free -= 1

    async def _wait(self, tokens: int) -> None:
        """Wait for room under the limits: one after the other, lest all that waited come at once."""
        uses = [(rate, use) for rate, use in ((self._requests, 1), (self._tokens, tokens)) if rate is not None]
        loop = asyncio.get_running_loop()
        if not uses and self._closed_until <= loop.time():
            return
        async with self._gate:
            while (begin := max([self._closed_until, *(rate.free_at for rate, _ in uses)])) > loop.time():
                await asyncio.sleep(begin - loop.time())
            for rate, use in uses:
                rate.take(use, loop.time())


@dataclass(frozen=True, slots=True)
class Turn:
    """One call under way."""

    tokens: int
    began_at: float
