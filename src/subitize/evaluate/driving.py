"""Keeps a bounded number of jobs running, retries transient failures, and commits each result.

A result is committed before its slot is used again. A model or judge that only fails is given up."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

from subitize.errors import RunError
from subitize.evaluate.costs import Affordable, Meter
from subitize.evaluate.engines import Call, Caller, Failure
from subitize.interfaces import Finding, Reply, Usage
from subitize.records import Task
from subitize.store import RENEWAL_SECONDS

JobT = TypeVar("JobT")
DoneT = TypeVar("DoneT")
PutT = TypeVar("PutT", contravariant=True)


class Work(Protocol[PutT, DoneT]):
    """What is put to a model or judge, and what becomes of its answers."""

    @property
    def who(self) -> str:
        """The model or judge, for messages."""

    def tasks(self, job: PutT) -> Iterable[Task]:
        """List the tasks of a job that may cost money."""

    async def requests(self, job: PutT) -> Sequence[Any]:
        """Return the requests of a job, with their pictures."""

    async def finish(self, job: PutT, requests: Sequence[Any], given: "Given") -> DoneT:
        """Check the answers, and make of them what is stored."""

    def commit(self, done: Sequence[DoneT]) -> None:
        """Store what was done, all or nothing."""

    def renew(self) -> None:
        """Renew the leases; called now and then."""

    def tell(self, done: DoneT) -> None:
        """Count what is stored, and show the progress."""


def drive(
    jobs: Iterable[JobT], work: Work[JobT, DoneT], caller: Caller, meter: Meter, *, tries: int, slots: int | None = None
) -> bool:
    """Do the jobs while there is money; return whether some were left for want of it."""
    affordable, retry = Affordable(jobs, meter, work.tasks), Retry(work.who, caller.call, tries)

    async def perform(funded: tuple[JobT, float]) -> DoneT:
        job, reserved_usd = funded
        requests = await work.requests(job)
        given = await retry.ask(requests, lambda: meter.write_off(reserved_usd))
        # What cannot be stored may have been charged as well.
        usages = [_usages(one) for one in given.each]
        usd = iter(meter.settle(reserved_usd, list(chain.from_iterable(usages))))
        given.usd = [[next(usd) for _ in own] for own in usages]
        return await work.finish(job, requests, given)

    async def work_off() -> None:
        async with caller.opened():
            await fill_slots(
                affordable, perform, work.commit, slots=slots or caller.concurrency, renew=work.renew, tell=work.tell
            )

    return affordable.work_off(lambda: asyncio.run(work_off()))


def _usages(given: object) -> list[Usage | None]:
    """List what a reply, or each finding, used."""
    findings = given if isinstance(given, tuple) else (given,)
    return [one.usage for one in findings if isinstance(one, Reply | Finding)]


async def fill_slots(
    jobs: Iterable[JobT],
    perform: Callable[[JobT], Awaitable[DoneT]],
    commit: Callable[[Sequence[DoneT]], None],
    *,
    slots: int,
    renew: Callable[[], None],
    tell: Callable[[DoneT], None],
    renewal_seconds: float = RENEWAL_SECONDS,
) -> None:
    """Do all jobs, so many at once. If stopped, commit first what has been answered."""
    remaining = iter(jobs)
    committer = _Committer(commit)
    own = (asyncio.get_running_loop(), asyncio.current_task())
    _UNDER_WAY.add(own)

    async def fill_slot() -> None:
        for job in remaining:
            done = await perform(job)
            await committer.add(done)
            tell(done)

    try:
        async with asyncio.TaskGroup() as group:
            heart = group.create_task(_beat(renew, renewal_seconds))
            async with asyncio.TaskGroup() as filled:
                for _ in range(slots):
                    filled.create_task(fill_slot())
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


async def _beat(renew: Callable[[], None], seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        renew()


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


@dataclass(slots=True)
class Given:
    """The final results, one per request, the number of tries, and the seconds of the last one.

    If the last try failed, each result is its failure. `unsettled` tries may have been charged without an answer.
    """

    each: Sequence[Any]
    tries: int
    seconds: float = 0.0
    unsettled: int = 0
    usd: Sequence[Sequence[float | None]] = ()
    """The price of each reply, or of its findings, in order."""


@dataclass(slots=True)
class Retry:
    """Asks one model or judge; the only place that retries."""

    who: str
    call: Call
    tries: int
    _errors_in_a_row: int = field(default=0, init=False)

    async def ask(self, asked: Sequence[Any], write_off: Callable[[], bool] = lambda: True) -> Given:
        """Ask, and ask again where that may help; a failure that ends the whole run is raised.

        `write_off` books a try that may have been charged, and returns whether the budget allows another.
        """
        tries, unsettled, rounds, busy_seconds = 1, 0, 0, 0.0
        while isinstance(called := await self.call(asked), Failure):
            if called.ends_run:
                raise called.error()
            unsettled += called.is_unsettled
            if not called.is_transient or (called.is_unsettled and not write_off()):
                break
            rounds += 1
            wait_seconds = _wait_seconds(rounds, called.retry_after_seconds)
            if called.is_busy and busy_seconds + wait_seconds <= _LONGEST_BUSY_SECONDS:
                busy_seconds += wait_seconds
            elif tries < self.tries:
                tries += 1
            else:
                break
            await asyncio.sleep(wait_seconds)
        else:
            each = called.each
            if len(each) != len(asked):
                each = [Failure(f"{self.who} should give {len(asked)} replies, not {each!r:.80}")] * len(asked)
            for one in each:
                self._watch(one.reason if isinstance(one, Failure) else None)
            return Given(each, tries, called.seconds, unsettled)
        self._watch(called.reason)
        return Given([called] * len(asked), tries, unsettled=unsettled)

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


def _wait_seconds(rounds: int, retry_after_seconds: float | None) -> float:
    """Return the server's waiting time, or else one that doubles each round, with jitter so that slots spread out.

    A server that keeps saying "at once" is believed only for some rounds.
    """
    own_rounds = rounds if retry_after_seconds is None else rounds - _TRUSTED_ROUNDS
    longest = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2.0 ** (own_rounds - 1)) if own_rounds > 0 else 0.0
    asked_seconds = min(_LONGEST_BUSY_SECONDS, max(0.0, retry_after_seconds or 0.0))
    return max(asked_seconds, longest * random.uniform(0.5, 1.0))
