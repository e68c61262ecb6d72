"""Worker processes: they start when there is work, ignore Ctrl-C, and end with their parent."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from subitize.errors import RunError

T = TypeVar("T")


class Pool:
    """Worker processes, each of which begins with `prepare`; they start only when they are needed."""

    def __init__(self, count: int, prepare: Callable[..., None] | None = None, *given: object) -> None:
        self._count, self._begin_with = count, (prepare, given)
        self._executor: ProcessPoolExecutor | None = None

    @property
    def is_started(self) -> bool:
        """Whether there are worker processes."""
        return self._executor is not None

    def start(self) -> ProcessPoolExecutor:
        """Start the worker processes, unless they are running."""
        if self._executor is None:
            spawn = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self._count, spawn, initializer=_begin, initargs=self._begin_with)
            _spawn_all(self._executor, self._count)
        return self._executor

    def submit(self, function: Callable[..., T], *given: object) -> Future[T]:
        """Call a function in a worker process."""
        try:
            return self.start().submit(function, *given)
        except BrokenProcessPool:
            raise _death() from None

    def shutdown(self) -> None:
        """Wait for the worker processes to finish their current work and end."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)


async def result_of(working: Future[T]) -> T:
    """Wait for the result of a worker process."""
    shielded = asyncio.wrap_future(working)
    shielded.add_done_callback(_look_at)
    try:
        return await asyncio.shield(shielded)
    except BrokenProcessPool:
        raise _death() from None


def _death() -> RunError:
    return RunError(
        "a worker process died, perhaps for want of memory; what was stored is safe: run the same command again"
    )


def _spawn_all(pool: ProcessPoolExecutor, count: int) -> None:
    """Start the workers with Ctrl-C ignored from the first instruction: the parent handles it and stops them."""
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may set signals; the workers start when they are needed
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for _ in range(count):
            pool.submit(os.getpid)
    finally:
        signal.signal(signal.SIGINT, before)


def _look_at(working: asyncio.Future[Any]) -> None:
    # A pool that breaks sets an error on all its futures, and fails on cancelled ones (CPython 3.11): so they are
    # shielded from cancelling, and retrieved here, as the event loop would report errors never retrieved.
    if not working.cancelled():
        working.exception()


def _begin(prepare: Callable[..., None] | None, given: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    if prepare is not None:
        prepare(*given)


def _follow_parent() -> None:
    """End with the parent, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
