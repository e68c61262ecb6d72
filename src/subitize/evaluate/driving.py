"""Keeps a bounded number of jobs running, retries transient failures, and commits each result.

A result is committed before its slot is used again. A model or judge that only fails is given up."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from subitize.errors import MissingPartError, RunError, StorageError
from subitize.evaluate.engines import Call, Failure, describe
from subitize.interfaces import TransientError

JobT = TypeVar("JobT")
DoneT = TypeVar("DoneT")


@dataclass(frozen=True, slots=True)
class WorkCallbacks(Generic[JobT, DoneT]):
    """Callbacks of the work loop: `perform` does a job, `commit` stores results, `renew` keeps the lease."""

    perform: Callable[[JobT], Awaitable[DoneT]]
    commit: Callable[[Sequence[DoneT]], None]
    renew: Callable[[], None]
    renewal_seconds: float
    concurrency: int
    on_committed: Callable[[DoneT], None]


async def drive(jobs: Iterable[JobT], callbacks: WorkCallbacks[JobT, DoneT]) -> None:
    """Do all jobs. If stopped, commit first what has been answered."""
    remaining = iter(jobs)
    committer = _Committer(callbacks.commit)
    own = (asyncio.get_running_loop(), asyncio.current_task())
    _UNDER_WAY.add(own)

    async def fill_slot() -> None:
        for job in remaining:
            done = await callbacks.perform(job)
            await committer.add(done)
            callbacks.on_committed(done)

    try:
        async with asyncio.TaskGroup() as group:
            heart = group.create_task(_beat(callbacks))
            async with asyncio.TaskGroup() as slots:
                for _ in range(callbacks.concurrency):
                    slots.create_task(fill_slot())
            heart.cancel()
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    finally:
        _UNDER_WAY.discard(own)
        committer.close()


_UNDER_WAY: set[tuple[asyncio.AbstractEventLoop, "asyncio.Task[Any] | None"]] = set()


def stop() -> None:
    """Stop, from another thread, the work that is under way; what was answered is stored first."""
    for loop, task in tuple(_UNDER_WAY):
        _UNDER_WAY.discard((loop, task))
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)


class _Committer(Generic[DoneT]):
    """Commits together whatever became ready in one turn of the event loop.

    This may block the loop: a slot waits for its commit anyway, and what arrives for the others waits in the kernel
    for the next commit. Handing each commit to a thread would cost more.
    """

    def __init__(self, commit: Callable[[Sequence[DoneT]], None]) -> None:
        self._commit = commit
        self._waiting: list[tuple[DoneT, asyncio.Future[None]]] = []
        self._error: Exception | None = None

    async def add(self, done: DoneT) -> None:
        loop = asyncio.get_running_loop()
        committed = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._flush_and_tell)
        self._waiting.append((done, committed))
        await committed

    def close(self) -> None:
        """Commit what still waits; raise the error of a failed commit even if its waiters were cancelled."""
        self._flush()
        if self._error is not None:
            raise self._error

    def _flush(self) -> None:
        batch, self._waiting = self._waiting, []
        if batch:
            self._commit([done for done, _ in batch])

    def _flush_and_tell(self) -> None:
        batch = self._waiting
        try:
            self._flush()
        except Exception as error:
            self._error = error
            for _, committed in batch:
                if not committed.done():
                    committed.set_exception(error)
        else:
            for _, committed in batch:
                if not committed.done():
                    committed.set_result(None)


async def _beat(callbacks: WorkCallbacks[JobT, DoneT]) -> None:
    while True:
        await asyncio.sleep(callbacks.renewal_seconds)
        callbacks.renew()


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 60.0
# A busy server did nothing, so asking again is not another try; but not forever.
_LONGEST_BUSY_SECONDS = 900.0
_TRUSTED_ROUNDS = 3
# So many errors in a row mean that it does not work, not that it is unlucky.
_HOPELESS_AFTER = 25
_MOST_REASONS = 20

AskedT = TypeVar("AskedT")
GivenT = TypeVar("GivenT")


@dataclass(frozen=True, slots=True)
class Given(Generic[GivenT]):
    """The final results, one per request, the number of tries, and the seconds of the last one.

    If the last try failed, each result is its failure. `unsettled` tries may have been charged without an answer.
    """

    each: Sequence[GivenT | Failure]
    tries: int
    seconds: float = 0.0
    unsettled: int = 0


@dataclass(slots=True)
class Retry(Generic[AskedT, GivenT]):
    """Asks one model or judge; the only place that retries."""

    who: str
    call: Call[AskedT, GivenT]
    tries: int
    _errors_in_a_row: int = field(default=0, init=False)

    async def ask(self, asked: Sequence[AskedT], write_off: Callable[[], bool] = lambda: True) -> Given[GivenT]:
        """Ask, and turn errors into failures; only errors that end the whole run are raised.

        `write_off` books a try that may have been charged, and returns whether the budget allows another.
        """
        tries, unsettled, rounds, busy_seconds = 1, 0, 0, 0.0
        while True:
            try:
                given, seconds = await self.call(asked)
            except TransientError as error:
                failure = describe(error)
                unsettled += error.is_unsettled
                if error.is_unsettled and not write_off():
                    break
                rounds += 1
                wait_seconds = _wait_seconds(rounds, error)
                if error.is_busy and busy_seconds + wait_seconds <= _LONGEST_BUSY_SECONDS:
                    busy_seconds += wait_seconds
                elif tries < self.tries:
                    tries += 1
                else:
                    break
                await asyncio.sleep(wait_seconds)
            except (RunError, StorageError, MissingPartError):
                raise
            except Exception as error:
                failure = describe(error)
                break
            else:
                for one in given:
                    self._watch(one.reason if isinstance(one, Failure) else None)
                return Given(given, tries, seconds, unsettled)
        self._watch(failure)
        return Given([Failure(failure)] * len(asked), tries, unsettled=unsettled)

    def _watch(self, failure: str | None) -> None:
        """Count errors in a row: a model that only fails is not asked forever."""
        self._errors_in_a_row = 0 if failure is None else self._errors_in_a_row + 1
        if self._errors_in_a_row > _HOPELESS_AFTER:
            raise RunError(
                f"{self.who} failed {self._errors_in_a_row} times in a row, last with: {failure}; "
                "mend this and run the same command again"
            )


def remember(reason: str, reasons: list[str]) -> None:
    """Keep a reason once, and only so many: a summary is for reading, and the store has all."""
    if reason not in reasons and len(reasons) < _MOST_REASONS:
        reasons.append(reason)


def _wait_seconds(rounds: int, error: TransientError) -> float:
    """Return the server's waiting time, or else one that doubles each round, with jitter so that slots spread out.

    A server that keeps saying "at once" is believed only for some rounds.
    """
    own_rounds = rounds if error.retry_after_seconds is None else rounds - _TRUSTED_ROUNDS
    longest = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2.0 ** (own_rounds - 1)) if own_rounds > 0 else 0.0
    asked_seconds = min(_LONGEST_BUSY_SECONDS, max(0.0, error.retry_after_seconds or 0.0))
    return max(asked_seconds, longest * random.uniform(0.5, 1.0))
