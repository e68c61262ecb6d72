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
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from subitize import registry
from subitize.errors import RunError
from subitize.interfaces import Computes, Responds, TransientError

Kind = Literal["model", "judge"]
AskedT = TypeVar("AskedT")
GivenT = TypeVar("GivenT")
# Gives what was asked for, and how many seconds it took to make.
Call = Callable[[AskedT], Awaitable[tuple[GivenT, float]]]


@contextmanager
def staffed(kind: Kind, made: registry.Made[Any]) -> Iterator[tuple[Call[Any, Any], int]]:
    """Give a call to a model or judge, and how many calls may be under way at once."""
    if isinstance(made.it, Responds):
        yield _timed(made.it), made.it.concurrency
    elif isinstance(made.it, Computes):
        count = os.cpu_count() or 1
        spawn = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(count, spawn, initializer=_start_worker, initargs=(kind, made.spec.shown))
        try:
            yield _call_in(pool, count), 2 * count
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


def _timed(responding: Responds[Any, Any]) -> Call[Any, Any]:
    async def call(asked: object) -> tuple[object, float]:
        start = time.perf_counter()
        given = await responding.respond(asked)
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


def _start_worker(kind: Kind, shown: str) -> None:
    global _computing
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    made: registry.Made[Any] = registry.make_model(shown) if kind == "model" else registry.make_judge(shown)
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
