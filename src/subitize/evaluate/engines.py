"""Calls models and judges by their shape: in the event loop, in a thread, or in worker processes."""

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from subitize import registry
from subitize.errors import BadValueError, MissingPartError, RunError, StorageError, UnusableModelError
from subitize.evaluate.processes import Pool, result_of
from subitize.interfaces import Computes, ComputesSeveral, Responds, TransientError
from subitize.networks.weights import is_out_of_memory

Kind = Literal["model", "judge"]
AskedT = TypeVar("AskedT")
GivenT = TypeVar("GivenT")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one request of a batch failed."""

    reason: str


# Answers a batch: one result or failure per request, and the seconds it took.
Call = Callable[[Sequence[AskedT]], Awaitable[tuple[Sequence[GivenT | Failure], float]]]
# Errors that the rest of the batch would meet too: an unusable model, a full disk.
_ENDS_ALL = (RunError, StorageError, MissingPartError)
# About the time that worker processes take to start: shorter work needs none.
IN_PROCESS_SECONDS = 2.0
# Drawing and observing release the GIL most of the time, but more threads than this do not help.
_MOST_THREADS = 4


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls a model or judge: `concurrency` calls at once, up to `batch_size` requests each.

    `opened` is the context that must be open meanwhile. `is_waiting`: calls wait for a server, so that this machine is
    free to draw.
    """

    call: Call[Any, Any]
    concurrency: int
    batch_size: int = 1
    is_waiting: bool = False
    opened: Callable[[], AbstractAsyncContextManager[object]] = nullcontext

    def run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work in an event loop of its own, inside the context that the calls need."""

        async def work_opened() -> None:
            async with self.opened():
                await work()

        asyncio.run(work_opened())


@contextmanager
def open_caller(kind: Kind, made: registry.Resolved[Any], *, is_at_hand: bool = False) -> Iterator[Caller]:
    """Open a caller for a model or judge, according to its shape.

    With `is_at_hand`, an idle process also computes by itself: it answers a single call soonest.
    """
    it = made.obj
    does_several = it.repeats_per_call > 1
    if does_several or isinstance(it, Responds):
        yield Caller(_call_waiting(it, does_several=does_several), it.concurrency, is_waiting=True, opened=it.opened)
    elif isinstance(it, ComputesSeveral):
        # One thread, as networks are not thread-safe; a second batch waits in it while the first is stored.
        is_stopped = threading.Event()
        with ThreadPoolExecutor(1, thread_name_prefix="network") as thread:
            try:
                yield Caller(_call_network(it, thread, is_stopped), 2, it.batch_size)
            finally:
                is_stopped.set()
    elif isinstance(it, Computes):
        with _computing_at(kind, made, is_at_hand=is_at_hand) as executor:
            yield executor
    else:
        raise BadValueError(f"{kind} {made.spec.text!r} has none of respond, compute and compute_all; it needs one")


class WorkerError(Exception):
    """An error that a computing model or judge raised."""


def describe(error: Exception) -> str:
    """Describe an exception in one line."""
    text = " ".join(str(error).split())[:500]
    return text if isinstance(error, TransientError | WorkerError) else f"{type(error).__name__}: {text}"


def _call_waiting(it: Any, *, does_several: bool) -> Call[Any, Any]:  # noqa: ANN401
    async def call(asked: Sequence[Any]) -> tuple[Sequence[Any], float]:
        start = time.perf_counter()
        given = await it.respond_all(asked) if does_several else [await it.respond(one) for one in asked]
        return given, time.perf_counter() - start

    return call


def _call_network(
    it: ComputesSeveral[Any, Any], thread: ThreadPoolExecutor, is_stopped: threading.Event
) -> Call[Any, Any]:
    def compute_all(asked: Sequence[Any]) -> tuple[Sequence[Any], float]:
        start = time.perf_counter()
        given = _halved(it, asked, is_stopped)
        return given, (time.perf_counter() - start) / len(asked)

    async def call(asked: Sequence[Any]) -> tuple[Sequence[Any], float]:
        return await asyncio.get_running_loop().run_in_executor(thread, compute_all, tuple(asked))

    return call


def _halved(it: ComputesSeveral[Any, Any], asked: Sequence[Any], is_stopped: threading.Event) -> Sequence[Any]:
    """Compute a batch; if that fails, for a bad picture or lack of memory, compute each half by itself.

    A timeout is not retried, as it would recur; nor is anything once the run is stopped.
    """
    try:
        given = it.compute_all(asked)
        if not isinstance(given, Sequence):
            raise TypeError(f"should give {len(asked)} answers in a list, not {given!r:.80}")
        return given
    except _ENDS_ALL:
        raise
    except TimeoutError as error:
        return [Failure(describe(error))] * len(asked)
    except Exception as error:
        if is_stopped.is_set():
            return [Failure("stopped")] * len(asked)
        if len(asked) == 1 and is_out_of_memory(error):
            raise UnusableModelError(
                f"there is not enough memory, even for one at a time ({describe(error)[:160]}); "
                "write dtype=bfloat16 (another model to a run), ask for smaller pictures, or take a smaller model"
            ) from error
        if len(asked) == 1:
            return [Failure(describe(error))]
    middle = len(asked) // 2
    return [*_halved(it, asked[:middle], is_stopped), *_halved(it, asked[middle:], is_stopped)]


@contextmanager
def _computing_at(kind: Kind, made: registry.Resolved[Any], *, is_at_hand: bool) -> Iterator[Caller]:
    """Compute in threads of this process for as long as worker processes take to start, then in those.

    Plug-ins compute in worker processes from the start: a crash must not end the run.
    """
    count = os.cpu_count() or 1
    pool = Pool(count, _start_worker, kind, made.spec_text)
    thread_count = min(count, _MOST_THREADS)
    threads = ThreadPoolExecutor(thread_count, thread_name_prefix="computing")
    is_ours = type(made.obj).__module__.startswith("subitize.")
    seconds_here, calls_here = thread_count * IN_PROCESS_SECONDS if is_ours else 0, 0

    async def call(asked: Sequence[Any]) -> tuple[Sequence[Any], float]:
        nonlocal seconds_here, calls_here
        (one,) = asked
        is_idle = is_ours and is_at_hand and not calls_here
        if seconds_here <= 0 and not is_idle:
            given, seconds = await result_of(pool.submit(_compute_in_worker, one))
        else:
            calls_here += 1
            try:
                loop = asyncio.get_running_loop()
                given, seconds, own_seconds = await loop.run_in_executor(threads, _compute_here, made.obj, one)
            finally:
                calls_here -= 1
            seconds_here -= own_seconds
        if isinstance(given, TransientError | WorkerError):
            raise given
        return (given,), seconds

    try:
        yield Caller(call, 2 * count)
    finally:
        threads.shutdown(cancel_futures=True)
        pool.shutdown()


_computing: Computes[Any, Any]


def _start_worker(kind: Kind, text: str) -> None:
    global _computing
    made: registry.Resolved[Any] = registry.make_model(text) if kind == "model" else registry.make_judge(text)
    _computing = made.obj


def _compute_in_worker(asked: object) -> tuple[object, float]:
    return _compute(_computing, asked)


def _compute_here(it: Computes[Any, Any], asked: object) -> tuple[object, float, float]:
    """Compute, and return also the CPU time of this thread: on a busy machine worker processes would wait, too."""
    start = time.thread_time()
    given, seconds = _compute(it, asked)
    return given, seconds, time.thread_time() - start


def _compute(it: Computes[Any, Any], asked: object) -> tuple[object, float]:
    start = time.perf_counter()
    try:
        given = it.compute(asked)
    except TransientError as error:
        given = TransientError(
            describe(error),
            retry_after_seconds=error.retry_after_seconds,
            is_busy=error.is_busy,
            is_unsettled=error.is_unsettled,
        )
    except Exception as error:  # it may not survive pickling
        given = WorkerError(describe(error))
    return given, time.perf_counter() - start
