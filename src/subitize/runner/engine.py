"""Keeps a bounded number of jobs under way, and commits each result before its slot is used again."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

JobT = TypeVar("JobT")
DoneT = TypeVar("DoneT")


@dataclass(frozen=True, slots=True)
class Bench(Generic[JobT, DoneT]):
    """How a kind of job is done: by `perform`, its results stored by `commit`, `renew`ed to keep the lease."""

    perform: Callable[[JobT], Awaitable[DoneT]]
    commit: Callable[[Sequence[DoneT]], None]
    renew: Callable[[], None]
    renewal_seconds: float
    concurrency: int
    on_committed: Callable[[DoneT], None]


async def work(jobs: Iterable[JobT], bench: Bench[JobT, DoneT]) -> None:
    """Do all jobs. If stopped, whatever has been answered is committed first."""
    remaining = iter(jobs)
    committer = _Committer(bench.commit)

    async def fill_slot() -> None:
        for job in remaining:
            done = await bench.perform(job)
            await committer.add(done)
            bench.on_committed(done)

    try:
        async with asyncio.TaskGroup() as group:
            heart = group.create_task(_beat(bench))
            async with asyncio.TaskGroup() as slots:
                for _ in range(bench.concurrency):
                    slots.create_task(fill_slot())
            heart.cancel()
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    finally:
        committer.close()


class _Committer(Generic[DoneT]):
    """Commits together whatever became ready in one turn of the event loop.

    The loop stands still meanwhile, and may: a slot waits for its commit anyway, and what arrives for the others
    waits in the kernel and makes up the next commit. Handing each commit to a thread costs more than that.
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
        """Commit what still waits; a commit that failed is told even if whoever waited for it was cancelled."""
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


async def _beat(bench: Bench[JobT, DoneT]) -> None:
    while True:
        await asyncio.sleep(bench.renewal_seconds)
        bench.renew()


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
