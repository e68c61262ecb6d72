"""Keeps a bounded number of jobs under way, and commits each result before its slot is used again."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
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
            heart = group.create_task(_beat(committer, bench))
            async with asyncio.TaskGroup() as slots:
                for _ in range(bench.concurrency):
                    slots.create_task(fill_slot())
            heart.cancel()
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    finally:
        await committer.close()


class _Committer(Generic[DoneT]):
    """Commits what is waiting, all of it at once, in a thread of its own; new results wait for the next commit."""

    def __init__(self, commit: Callable[[Sequence[DoneT]], None]) -> None:
        self._commit = commit
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="commit")
        self._waiting: list[tuple[DoneT, asyncio.Future[None]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._untold: Exception | None = None

    async def add(self, done: DoneT) -> None:
        committed = asyncio.get_running_loop().create_future()
        self._waiting.append((done, committed))
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush())
        await committed

    async def run(self, call: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def close(self) -> None:
        if self._flushing is not None:
            await self._flushing
        self._thread.shutdown()
        if self._untold is not None:
            raise self._untold

    async def _flush(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await self.run(partial(self._commit, [done for done, _ in batch]))
            except Exception as error:
                waiting = [committed for _, committed in batch if not committed.done()]
                for committed in waiting:
                    committed.set_exception(error)
                if not waiting:
                    self._untold = error
                return
            for _, committed in batch:
                if not committed.done():
                    committed.set_result(None)


async def _beat(committer: _Committer[DoneT], bench: Bench[JobT, DoneT]) -> None:
    while True:
        await asyncio.sleep(bench.renewal_seconds)
        await committer.run(bench.renew)


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
