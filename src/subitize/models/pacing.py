"""Keeps calls to a server within its limits: calls at once, calls a minute, tokens a minute.

Every call waits for its turn. A busy server gets half as many calls at once, and one more after every round of answers;
while it asks us to wait, no turn begins.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

# How much lost time may be made up by sending calls close together: the event loop wakes up late at times. Longer
# delays are not made up, as the server might reject the rush.
_BURST_SECONDS = 0.03
# Usage beyond the estimate delays later calls, but by no more than this, in case a server reports nonsense.
_LONGEST_DEBT_SECONDS = 60.0
# The longest wait we honour; beyond it the run stops and can be resumed.
LONGEST_PAUSE_SECONDS = 900.0


@dataclass(slots=True)
class RequestRate:
    """An amount per minute, spread evenly."""

    per_minute: float
    free_at: float = field(default=0.0, init=False)
    """When the next may begin."""

    def take(self, amount: float, now: float) -> None:
        """Use an amount now; a negative one gives back what was taken but not used."""
        free_at = max(self.free_at, now - _BURST_SECONDS) + amount * 60 / self.per_minute
        self.free_at = min(free_at, now + _LONGEST_DEBT_SECONDS)


class Pacer:
    """Gives turns at one server; a later event loop may go on with it."""

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
        """How many calls may be under way at once."""
        return max(1, int(self._limit))

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator["Turn"]:
        """Wait until a call that is expected to use so many tokens may begin; it is under way within the context."""
        self._attend(asyncio.get_running_loop())
        await self._enter()
        try:
            await self._wait(tokens)
            yield Turn(tokens, asyncio.get_running_loop().time())
        finally:
            self._leave()

    def accept(self, turn: "Turn", tokens: int) -> None:
        """Note that the server answered, using so many tokens."""
        self._limit = min(self._most_at_once, self._limit + 1 / self._limit)
        if self._tokens is not None:
            self._tokens.take(tokens - turn.tokens, asyncio.get_running_loop().time())

    def reject(self, turn: "Turn", seconds: float | None) -> None:
        """Note that the server was busy, and how long it asks us to wait."""
        now = asyncio.get_running_loop().time()
        if turn.began_at >= self._cut_at:  # calls sent before the last cut do not know of it
            self._limit, self._cut_at = max(1.0, self._limit / 2), now
        self.close(seconds or 0.0)

    def close(self, seconds: float) -> None:
        """Let no turn begin for so long."""
        seconds = min(seconds, LONGEST_PAUSE_SECONDS)
        self._closed_until = max(self._closed_until, asyncio.get_running_loop().time() + seconds)

    def _attend(self, loop: asyncio.AbstractEventLoop) -> None:
        """Reset in a new event loop: calls and waiters of the old one are gone."""
        if loop is not self._loop:
            self._loop, self._gate, self._under_way = loop, asyncio.Lock(), 0
            self._waiting.clear()

    async def _enter(self) -> None:
        while self._under_way >= self.at_once:
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # who is cancelled just after being woken leaves its place to the next
                raise
        self._under_way += 1

    def _leave(self) -> None:
        self._under_way -= 1
        self._wake()

    def _wake(self) -> None:
        """Wake as many waiters as there are free places."""
        free = self.at_once - self._under_way
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():  # it may have been cancelled
                place.set_result(None)
                free -= 1

    async def _wait(self, tokens: int) -> None:
        """Wait for room under the limits, one call after the other, so that waiters do not rush in together."""
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
