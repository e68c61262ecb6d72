"""Runs what computes in worker processes, and what waits in the event loop, behind one call."""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from subitize import registry
from subitize.errors import RunError
from subitize.interfaces import Computes, Opens, Responds, RespondsToSeveral, TransientError

Kind = Literal["model", "judge"]
AskedT = TypeVar("AskedT")
GivenT = TypeVar("GivenT")
# Gives what was asked for, and how many seconds it took to make.
Call = Callable[[AskedT], Awaitable[tuple[GivenT, float]]]


@dataclass(frozen=True, slots=True)
class Crew:
    """A way to call a model or judge, how many calls may be under way at once, and what must be open meanwhile."""

    call: Call[Any, Any]
    concurrency: int
    opened: Callable[[], AbstractAsyncContextManager[object]] = nullcontext

    def run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work in an event loop of its own, with everything open that the calls need."""

        async def work_opened() -> None:
            async with self.opened():
                await work()

        asyncio.run(work_opened())


@contextmanager
def staffed(kind: Kind, made: registry.Made[Any]) -> Iterator[Crew]:
    """Give a way to call a model or judge; one that responds to several at once is called with several."""
    opened = made.it.opened if isinstance(made.it, Opens) else nullcontext
    if isinstance(made.it, RespondsToSeveral) and made.it.repeats_per_call > 1:
        yield Crew(_timed(made.it.respond_all), made.it.concurrency, opened)
    elif isinstance(made.it, Responds):
        yield Crew(_timed(made.it.respond), made.it.concurrency, opened)
    elif isinstance(made.it, Computes):
        count = os.cpu_count() or 1
        spawn = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(count, spawn, initializer=_start_worker, initargs=(kind, made.text))
        try:
            yield Crew(_call_in(pool, count), 2 * count)
        finally:
            pool.shutdown(cancel_futures=True)
    else:
        raise TypeError(f"{kind} {made.spec.shown!r} has neither respond nor compute")


class WorkerError(Exception):
    """What a model or judge raised in a worker process."""


def describe(error: Exception) -> str:
    """Put an exception into one line."""
    text = " ".join(str(error).split())[:500]
    return text if isinstance(error, TransientError | WorkerError) else f"{type(error).__name__}: {text}"


def _timed(respond: Callable[[Any], Awaitable[object]]) -> Call[Any, Any]:
    async def call(asked: object) -> tuple[object, float]:
        start = time.perf_counter()
        given = await respond(asked)
        return given, time.perf_counter() - start

    return call


def _spawn_all(pool: ProcessPoolExecutor, count: int) -> None:
    """Start the workers deaf to Ctrl-C from their first instruction on: it is for the parent, which then stops them."""
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may say so; the workers are started when they are needed
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for _ in range(count):
            pool.submit(os.getpid)
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True, slots=True)
class _Raised:
    """An exception on its way out of a worker; exceptions themselves may not survive pickling."""

    reason: str
    is_transient: bool
    retry_after_seconds: float | None


def _call_in(pool: ProcessPoolExecutor, count: int) -> Call[Any, Any]:
    has_workers = False

    async def call(asked: object) -> tuple[object, float]:
        nonlocal has_workers
        if not has_workers:  # not before there is work: a finished run has none
            has_workers = True
            _spawn_all(pool, count)
        try:
            working = asyncio.get_running_loop().run_in_executor(pool, _compute, asked)
            working.add_done_callback(_look_at)
            given, seconds = await asyncio.shield(working)
        except BrokenProcessPool:
            raise RunError(
                "a worker process died, perhaps for want of memory; what was stored is safe: run the same command again"
            ) from None
        if isinstance(given, _Raised) and given.is_transient:
            raise TransientError(given.reason, retry_after_seconds=given.retry_after_seconds)
        if isinstance(given, _Raised):
            raise WorkerError(given.reason)
        return given, seconds

    return call


def _look_at(working: asyncio.Future[tuple[object, float]]) -> None:
    # A pool that breaks sets an error on all its futures, and trips over those that were cancelled (CPython 3.11):
    # so they are shielded from cancelling, and looked at here lest the event loop report them as forgotten.
    if not working.cancelled():
        working.exception()


_computing: Computes[Any, Any]


def _start_worker(kind: Kind, text: str) -> None:
    global _computing
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    made: registry.Made[Any] = registry.make_model(text) if kind == "model" else registry.make_judge(text)
    _computing = made.it


def _follow_parent() -> None:
    """End with the parent, even if it was killed and could not say so."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _compute(asked: object) -> tuple[object, float]:
    start = time.perf_counter()
    try:
        given = _computing.compute(asked)
    except Exception as error:
        given = _Raised(describe(error), isinstance(error, TransientError), getattr(error, "retry_after_seconds", None))
    return given, time.perf_counter() - start
