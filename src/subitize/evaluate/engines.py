"""Engines: where models and judges are called, by their shape. The local one uses this machine.

Those that wait for a server are called in the event loop; networks in a thread; what computes otherwise in threads and,
when it takes longer, in worker processes. An engine never sees a run: pictures travel as bytes or recipes."""

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeVar

from subitize import registry
from subitize.errors import (
    BadValueError,
    MissingPartError,
    RunError,
    StorageError,
    SubitizeError,
    UnknownNameError,
    UnusableModelError,
)
from subitize.evaluate.pictures import ship
from subitize.evaluate.processes import Pool, result_of
from subitize.interfaces import Computes, ComputesSeveral, Responds, TransientError
from subitize.io.specs import parse_spec, parse_value
from subitize.networks.weights import is_out_of_memory

Kind = Literal["model", "judge"]
Method = Literal["check", "self_test"]
EndsRun = Literal["unusable model", "run", "storage", "missing part"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request failed, as a value that passes from one process to another.

    `ends_run`: all other requests would fail, too, as of an unusable model or on a full disk. The rest is as in a
    TransientError.
    """

    reason: str
    is_transient: bool = False
    retry_after_seconds: float | None = None
    is_busy: bool = False
    is_unsettled: bool = False
    ends_run: EndsRun | None = None

    def error(self) -> SubitizeError:
        """Return an error that ends the run."""
        return _ENDING.get(self.ends_run or "run", SubitizeError)(self.reason)


_ENDING: dict[EndsRun, type[SubitizeError]] = {
    "unusable model": UnusableModelError,
    "run": RunError,
    "storage": StorageError,
}


@dataclass(frozen=True, slots=True)
class Called:
    """The result of a call: a reply, findings or a failure per request, in order, and the seconds that one took."""

    each: Sequence[Any]
    seconds: float


# A failure is that of the whole call.
Call = Callable[[Sequence[Any]], Awaitable[Called | Failure]]
# About the time that worker processes take to start: shorter work needs none.
IN_PROCESS_SECONDS = 2.0
# Drawing and observing release the GIL most of the time, but more threads than this do not help.
_MOST_THREADS = 4
_MOST_RENDERERS = 4
"""Each draws about 40 pictures of 1024 px per second: more would only wait for the server."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls a model or judge: `concurrency` calls at once, up to `batch_size` requests each.

    `opened` is the context that must be open meanwhile. `is_waiting`: calls wait for a server, so that this machine is
    free to draw.
    """

    call: Call
    concurrency: int
    batch_size: int = 1
    is_waiting: bool = False
    opened: Callable[[], AbstractAsyncContextManager[object]] = nullcontext


# Takes a function and what it is given, call by call; gives the places of calls with their results, as they come.
Spread = Callable[[Callable[..., Any], Iterable[Sequence[object]]], Iterator[tuple[int, Any]]]


class Engine(Protocol):
    """Where models and judges compute."""

    @property
    def spread(self) -> Spread | None:
        """Call a function on other machines; None where there are none."""

    def start(self, kind: Kind, made: registry.Resolved[Any]) -> AbstractContextManager[Caller]:
        """Get a model or judge ready to be called."""

    def invoke(self, kind: Kind, made: registry.Resolved[Any], method: Method) -> Any:  # noqa: ANN401
        """Call a method of a model or judge where it computes, and has its weights."""

    def submit(self, function: Callable[..., T], *given: object) -> Future[T]:
        """Call a function of a module in another process."""


@dataclass(slots=True)
class LocalEngine:
    """Computes on this machine, in worker processes that end with the engine.

    With `is_at_hand`, an idle process also computes by itself: it answers a single call soonest.
    """

    is_at_hand: bool = False
    _pool: Pool = field(default_factory=lambda: Pool(min(_MOST_RENDERERS, os.cpu_count() or 1)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()

    @property
    def spread(self) -> None:
        """There is no other machine."""

    def invoke(self, kind: Kind, made: registry.Resolved[Any], method: Method) -> Any:  # noqa: ANN401
        """Call a method in this process."""
        return getattr(made.obj, method)()

    def submit(self, function: Callable[..., T], *given: object) -> Future[T]:
        """Call a function in a worker process."""
        return self._pool.submit(function, *given)

    @contextmanager
    def start(self, kind: Kind, made: registry.Resolved[Any]) -> Iterator[Caller]:
        """Call a model or judge according to its shape."""
        it: Any = made.obj
        if it.repeats_per_call > 1:
            yield Caller(call_waiting(it.respond_all), it.concurrency, is_waiting=True, opened=it.opened)
        elif isinstance(it, Responds):
            yield waiting_caller(it.respond, it.concurrency, made.obj.opened)
        elif isinstance(it, ComputesSeveral):
            # One thread, as networks are not thread-safe; a second batch waits in it while the first is stored.
            is_stopped = threading.Event()
            with ThreadPoolExecutor(1, thread_name_prefix="network") as thread:
                try:
                    yield Caller(_call_network(it, thread, is_stopped), 2, it.batch_size)
                finally:
                    is_stopped.set()
        elif isinstance(it, Computes):
            with _computing_at(kind, made, is_at_hand=self.is_at_hand) as caller:
                yield caller
        else:
            raise BadValueError(f"{kind} {made.spec.text!r} has none of respond, compute and compute_all; it needs one")


def make_engine(text: str, ray_address: str | None = None) -> AbstractContextManager[Engine]:
    """Make the engine of a spec: local, or ray with the size of its workers."""
    name, target, given = parse_spec(text)
    if name == "ray" and not target:
        return _make_ray_engine(given, ray_address)
    if text != "local":
        raise UnknownNameError("engine", text, ("local", "ray", "ray:workers=N,cpus=N,gpus=N"))
    if ray_address is not None:
        raise BadValueError(f"`ray_address` {ray_address}: give `engine` ray, too")
    return LocalEngine()


def _make_ray_engine(given: Mapping[str, str], address: str | None) -> AbstractContextManager[Engine]:
    if find_spec("ray") is None:
        raise MissingPartError("`engine` ray", "ray", "ray")
    os.environ.update(_QUIET_RAY)
    from subitize.evaluate.ray_cluster import WorkerSize
    from subitize.evaluate.ray_engine import RayEngine

    kinds = {"workers": int, "cpus": float, "gpus": float}
    if unknown := given.keys() - kinds:
        raise UnknownNameError("option of `engine` ray", min(unknown), kinds)
    sizes: dict[str, Any] = {
        key: parse_value(f"`engine` ray: {key}", value, kinds[key]) for key, value in given.items()
    }
    return RayEngine(address, WorkerSize(**sizes))


# Ray reads them when it is imported: it should not report its use to its makers, nor print among our results.
_QUIET_RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": "."}


@contextmanager
def started(engine: Engine | None) -> Iterator[Engine]:
    """Yield an engine, or else a local one that ends with the context."""
    if engine is not None:
        yield engine
        return
    with LocalEngine() as local:
        yield local


def waiting_caller(
    answer: Callable[[Any], Awaitable[Any]], concurrency: int, opened: Callable[[], AbstractAsyncContextManager[object]]
) -> Caller:
    """Call what waits for a server, one request at a time."""

    async def answer_each(asked: Sequence[Any]) -> Sequence[Any]:
        return [await answer(one) for one in asked]

    return Caller(call_waiting(answer_each), concurrency, is_waiting=True, opened=opened)


def call_waiting(answer: Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]) -> Call:
    """Wait for all answers of a call."""

    async def call(asked: Sequence[Any]) -> Called | Failure:
        start = time.perf_counter()
        try:
            given = _listed(await answer(asked), len(asked))
        except Exception as error:
            return failure_of(error)
        return Called(given, time.perf_counter() - start)

    return call


def compute(it: Any, asked: Sequence[Any], is_stopped: threading.Event | None = None) -> Called | Failure:  # noqa: ANN401
    """Have a model or judge compute the answers of a call, in whichever process it is."""
    start = time.perf_counter()
    try:
        does_several = isinstance(it, ComputesSeveral)
        given = _halved(it, asked, is_stopped) if does_several else [it.compute(one) for one in asked]
    except Exception as error:
        return failure_of(error)
    return Called(given, (time.perf_counter() - start) / len(asked))


def failure_of(error: Exception) -> Failure:
    """Describe an error, in one line."""
    text = " ".join(str(error).split())[:500]
    match error:
        case TransientError():
            return Failure(text, True, error.retry_after_seconds, error.is_busy, error.is_unsettled)
        case UnusableModelError():
            return Failure(str(error), ends_run="unusable model")
        case RunError():
            return Failure(str(error), ends_run="run")
        case StorageError():
            return Failure(str(error), ends_run="storage")
        case MissingPartError():
            return Failure(str(error), ends_run="missing part")
    return Failure(f"{type(error).__name__}: {text}")


def _call_network(it: ComputesSeveral[Any, Any], thread: ThreadPoolExecutor, is_stopped: threading.Event) -> Call:
    async def call(asked: Sequence[Any]) -> Called | Failure:
        return await asyncio.get_running_loop().run_in_executor(thread, compute, it, tuple(asked), is_stopped)

    return call


def _halved(it: ComputesSeveral[Any, Any], asked: Sequence[Any], is_stopped: threading.Event | None) -> Sequence[Any]:
    """Compute a batch; if that fails, for a bad picture or lack of memory, compute each half by itself.

    A timeout is not retried, as it would recur; nor is anything once the run is stopped.
    """
    try:
        return _listed(it.compute_all(asked), len(asked))
    except Exception as error:
        failure = failure_of(error)
        if failure.ends_run:
            raise
        if isinstance(error, TimeoutError):
            return [failure] * len(asked)
        if is_stopped is not None and is_stopped.is_set():
            return [Failure("stopped")] * len(asked)
        if len(asked) == 1 and is_out_of_memory(error):
            raise UnusableModelError(
                f"there is not enough memory, even for one at a time ({failure.reason[:160]}); "
                "write dtype=bfloat16 (another model to a run), ask for smaller pictures, or take a smaller model"
            ) from error
        if len(asked) == 1:
            return [failure]
    middle = len(asked) // 2
    return [*_halved(it, asked[:middle], is_stopped), *_halved(it, asked[middle:], is_stopped)]


def _listed(given: object, wanted: int) -> Sequence[Any]:
    if not isinstance(given, Sequence):
        raise TypeError(f"should give {wanted} answers in a list, not {given!r:.80}")
    return given


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

    async def call(asked: Sequence[Any]) -> Called | Failure:
        nonlocal seconds_here, calls_here
        loop = asyncio.get_running_loop()
        is_idle = is_ours and is_at_hand and not calls_here
        if seconds_here <= 0 and not is_idle:
            try:
                shipped = await loop.run_in_executor(threads, ship, asked)
                return await result_of(pool.submit(_compute_in_worker, shipped))
            except Exception as error:
                return failure_of(error)
        calls_here += 1
        try:
            called, own_seconds = await loop.run_in_executor(threads, _compute_here, made.obj, asked)
        finally:
            calls_here -= 1
        seconds_here -= own_seconds
        return called

    try:
        yield Caller(call, 2 * count)
    finally:
        threads.shutdown(cancel_futures=True)
        pool.shutdown()


_computing: Any


def _start_worker(kind: Kind, text: str) -> None:
    global _computing
    _computing = make_again(kind, text)


def make_again(kind: Kind, text: str) -> Any:  # noqa: ANN401
    """Make a model or judge again from its spec, as in another process."""
    made: registry.Resolved[Any] = registry.make_model(text) if kind == "model" else registry.make_judge(text)
    return made.obj


def _compute_in_worker(asked: Sequence[Any]) -> Called | Failure:
    return compute(_computing, asked)


def _compute_here(it: object, asked: Sequence[Any]) -> tuple[Called | Failure, float]:
    """Compute, and return also the CPU time of this thread: on a busy machine worker processes would wait, too."""
    start = time.thread_time()
    called = compute(it, asked)
    return called, time.thread_time() - start
